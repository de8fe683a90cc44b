"""Kernels of chosen frames against those that go along paths to any frame: numbers, names, parameters, refusals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.cli.failures import run
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.pipeline import compile_mechanism, generate
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.symbolic.tree.frames import OF_FRAMES
from kinegen.runtime import Model
from kinegen.runtime.errors import ModelError
from kinegen.runtime.model.reference import Reference
from support.commands import EXAMPLES, PENDULUM
from support.mechanisms.closed_mechanisms import four_bar
from support.oracles.mechanisms import random_mechanism, random_state

QUANTITIES = ("pose", "jacobian", "velocity", "acceleration", "bias")
PATHS = ("frame_pose", "frame_jacobian", "frame_velocity", "frame_acceleration", "frame_motion", "integrate")


def model(mechanism: Mechanism, frames: Sequence[str] = ()) -> Model:
    selection = Selection(PATHS, frames=tuple(frames))
    return Model.load(compile_mechanism(mechanism, contacts=False, selection=selection))


def own_kernels(at: Model) -> dict[str, str]:
    return {kernel.name: kernel.frame for kernel in at.manifest.kernels if kernel.frame}


def framed(seed: int, **options: object) -> Mechanism:
    """A random mechanism with a frame on its first link, with names that no C takes."""
    tree = random_mechanism(seed, **options)  # type: ignore[arg-type]  # its own options
    first = tree.links[0].name
    placed = kg.Pose((0.1, -0.2, 0.3), rpy=(0.4, 0.5, -0.6))
    frames = (kg.Frame('tool */ "x', first, placed), kg.Frame("tool_batch", first, placed), kg.Frame("tool", first))
    return kg.Mechanism(tree.name, tree.links, tree.joints, frames=frames)


@pytest.mark.parametrize(
    "mechanism",
    [
        framed(165, bodies=9, mimic=0),
        framed(5, bodies=5, kinds=["revolute", "prismatic", "helical"], mimic=0.8, root="free"),
        four_bar(1.0, 2.0, 2.5, 3.0),
    ],
    ids=["every kind", "mimics", "closed"],
)
def test_the_same_as_along_paths(mechanism: Mechanism) -> None:
    """In all references, of one state and of many, for every link and frame."""
    paths = model(mechanism)
    names = paths.frame_names[-4:]
    alone = model(mechanism, names)
    assert len(own_kernels(alone)) == len(QUANTITIES) * len(names)
    rows = [random_state(mechanism, np.random.default_rng(seed))[:3] for seed in range(3)]
    for q, v, a in (*rows, tuple(np.array(x) for x in zip(*rows, strict=True))):
        for name in names:
            np.testing.assert_allclose(alone.frame_pose(q, name), paths.frame_pose(q, name), atol=1e-13)
            for reference in get_args(Reference):
                for method, given in (
                    ("frame_jacobian", (q,)),
                    ("frame_velocity", (q, v)),
                    ("frame_acceleration", (q, v, a)),
                    ("frame_bias", (q, v)),
                ):
                    found, expected = (getattr(m, method)(*given, name, reference=reference) for m in (alone, paths))
                    np.testing.assert_allclose(found, expected, atol=1e-12 * (1 + abs(expected).max()))


def test_names_are_made_for_c() -> None:
    """Of letters, and none is the batch of another; only what is asked for is there, in floats too."""
    tree = framed(4, bodies=3, kinds=["revolute"], mimic=0)
    names = ["tool", 'tool */ "x', "tool_batch"]
    for dtype in ("float64", "float32"):
        kernels = () if dtype == "float32" else PATHS[:1]
        sources = generate(tree, selection=Selection(kernels, frames=tuple(names), dtype=dtype))
        poses = [kernel.function for kernel in sources.manifest.kernels if kernel.name.startswith("pose_of_")]
        assert [name.partition("_pose_of_")[2] for name in poses] == ["tool_2", "tool_x", "tool_batch"]
        assert "*/ " not in re.sub(r"/\*.*?\*/", "", "".join(sources.files.values()), flags=re.DOTALL)
    assert 'tool */ "x' not in "".join(sources.files.values())


def test_a_place_may_be_a_parameter() -> None:
    """Which the kernels along paths do not know."""
    length = sympy.Symbol("reach")
    links = [kg.Link("arm", 1.0, (0.5, 0, 0), inertia=(0.1, 0, 0, 0.3, 0, 0.3))]
    joints = [kg.Joint("shoulder", "revolute", "world", "arm", axis=(0, 0, 1))]
    arm = kg.Mechanism("arm", links, joints, frames=[kg.Frame("tip", "arm", kg.Pose((length, 0, 0)))])
    assert "tip" not in model(arm).frame_names
    for use in (lambda m: m.frame_pose([0.0], "tip"), lambda m: m.frame_jacobian([0.0], "tip")):
        with pytest.raises(ModelError, match=r"given by parameters.* compiled with frames=\['tip'\]"):
            use(model(arm).with_parameters(reach=2.0))
    found = model(arm, ["tip"]).with_parameters(reach=2.0)
    assert found.frame_names == ("arm", "tip")
    np.testing.assert_allclose(found.frame_pose([0.0], "tip")[:3, 3], [2, 0, 0])
    np.testing.assert_allclose(found.frame_jacobian([0.0], "tip")[:, 0], [0, 2, 0, 0, 0, 1])
    np.testing.assert_allclose(
        found.frame_jacobian([0.5], "tip", reference="local")[:, 0], [0, 2, 0, 0, 0, 1], atol=1e-15
    )
    np.testing.assert_allclose(found.frame_acceleration([0.0], [3.0], [1.0], "tip"), [-18, 2, 0, 0, 0, 1])
    whole = kg.compile(arm, contacts=False, frames=["tip"]).with_parameters(reach=2.0)
    for ask in (
        lambda: whole.frame_velocity_derivatives([0.0], [1.0], "tip"),
        lambda: kg.solve_ik(whole, [kg.FrameTarget("tip", position=(0, 2, 0))]),
        lambda: kg.Simulator(whole, wrenches={"tip": [1, 0, 0, 0, 0, 0]}),
        lambda: whole.torque_terms([0.0], [0.0], [0.0], [kg.Wrench("push", "tip", (1, 0, 0), (2, 0, 0))]),
        lambda: kg.jax.functions(whole).frame_pose(np.zeros(1), "tip"),
        lambda: (kg.distance("tip", "world") < 0.1).row(whole.manifest),
    ):
        with pytest.raises(ModelError, match="'tip' of model 'arm' stands at a place given by parameters"):
            ask()


def test_in_libraries_of_topologies() -> None:
    """Of links that hang on joints which may be cut, and in libraries that come of these."""
    arm = kg.load(EXAMPLES / PENDULUM)
    first, second = (joint.name for joint in arm.joints)
    last = arm.links[-1].name
    made = [kg.TopologyLibrary(arm, cuts=[second], contacts=False, frames=names) for names in ((), [last])]
    plain, own = (library.library for library in made)
    assert {kernel.frame for kernel in own.model.manifest.kernels if kernel.frame} == {last}
    assert own_kernels(own.extended((), [first]).model)
    q, v = plain.state({first: 0.3, second: 0.4}, {first: 2.0, second: -3.0})
    for active in ([], [second]):
        alone, paths = own.with_active(active, q), plain.with_active(active, q)
        np.testing.assert_allclose(alone.frame_jacobian(q, last), paths.frame_jacobian(q, last), atol=1e-14)
        np.testing.assert_allclose(alone.frame_bias(q, v, last), paths.frame_bias(q, v, last), atol=1e-13)
    with pytest.raises(ModelError, match="frames: expected names in a list, got 'tool'"):
        kg.TopologyLibrary(arm, cuts=[second], frames="tool")


def test_from_the_command_line(tmp_path: Path) -> None:
    line = [
        "generate",
        str(EXAMPLES / PENDULUM),
        "-o",
        str(tmp_path),
        "--name",
        "swing",
        "--kernels",
        "bias",
        "--frame",
        "lower",
    ]
    assert run(line) == 0
    assert "void swing_jacobian_of_lower(const double *q, double *J);" in (tmp_path / "swing.h").read_text()
    assert run([*line, "--frame", "hand"]) == 2


def test_the_world_stands_still() -> None:
    """Derived too, where nothing but numbers is left."""
    tree = framed(4, bodies=3, kinds=["revolute"], mimic=0)
    for quantity in ("jacobian", "velocity", "acceleration", "bias"):
        entries = [entry for output in OF_FRAMES[quantity](tree, "world").outputs for entry in output.entries]
        assert len(entries) == (18 if quantity == "jacobian" else 6)
        assert not any(entries)


def test_where_nothing_moves() -> None:
    post = kg.Mechanism("post", [kg.Link("post", 1.0, (0, 0, 0))], [kg.Joint("fixed", "fixed", "world", "post")])
    at = kg.compile(post, frames=["post"])
    assert at.frame_jacobian([], "post").shape == (6, 0)
    np.testing.assert_array_equal(at.frame_velocity([], [], "post"), np.zeros(6))
    np.testing.assert_array_equal(at.frame_pose([], "post"), np.eye(4))


def test_refusals() -> None:
    """What does not move, what is not there, and arguments that are wrong, as without kernels of its own."""
    tree = framed(4, bodies=3, kinds=["revolute"], mimic=0)
    for name, told in (("world", "'world' is no link or frame that moves"), ("tol", "did you mean 'tool'?")):
        with pytest.raises(ModelError, match=re.escape(told)):
            model(tree, [name])
    with pytest.raises(ModelError, match=r"frames: expected Sequence\[str\], got 'tool'"):
        kg.compile(tree, frames="tool")
    alone = kg.compile(tree, contacts=False, frames=["tool"])
    with pytest.raises(ModelError, match="q: entry 1 is nan"):
        alone.frame_jacobian([0.0, np.nan, 0.0], "tool")
    with pytest.raises(ModelError, match=r"q: expected shape \(\.\.\., 3\), got \(2,\)"):
        alone.frame_velocity(np.zeros(2), np.zeros(3), "tool")
    for told in ("body", np.zeros(3)):
        with pytest.raises(ModelError, match="reference"):
            alone.frame_bias(np.zeros(3), np.zeros(3), "tool", reference=told)  # type: ignore[arg-type]  # what is refused
        with pytest.raises(ModelError, match="reference"):
            alone.frame_velocity(np.zeros(3), np.zeros(3), "tool", reference=told)  # type: ignore[arg-type]  # as above
