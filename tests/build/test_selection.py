"""Some kernels of a model: each with what it calls and nothing else, C that links on its own."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from kinegen.codegen.build.toolchain import find_toolchain
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.codegen.mechanism.elements.joint_templates import spherical
from kinegen.codegen.mechanism.geometry import shapes
from kinegen.codegen.mechanism.structure.topology import Connection, Switch, topologies
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import LEAN, Selection
from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.errors import ModelError
from support.mechanisms.closed_mechanisms import four_bar

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
BODY = (1.0, (0.1, 0.2, 0.3), (0.1, 0, 0, 0.2, 0, 0.25))


def arm(links: int = 2, kind: str = "revolute", slides: int = 0, **options: object) -> Mechanism:
    """A chain of joints of one kind, the first `slides` of them prismatic."""
    parts = [Link(f"l{i}", *BODY, [shapes.sphere(0.1)] if options else []) for i in range(links)]
    joints = [
        Joint(
            f"j{i}",
            "prismatic" if i < slides else kind,
            f"l{i - 1}" if i else "world",
            f"l{i}",
            Pose((0, 0, 0.5)),
            axis=None if kind == "spherical" else (1, i % 2, 0),
        )
        for i in range(links)
    ]
    return Mechanism("arm", parts, joints, **options)  # type: ignore[arg-type]


def library() -> tuple[Mechanism, tuple[Switch, ...]]:
    found = topologies(arm(), [Connection("grip", "l1", "world", spherical())])
    return found.mechanism, found.switches


MADE: dict[str, Callable[[], tuple[Mechanism, tuple[Switch, ...]]]] = {
    "arm": lambda: (arm(), ()),
    "long arm": lambda: (arm(34, slides=30), ()),  # its mass matrix is a loop; slides are soon derived
    "ball joints": lambda: (arm(2, "spherical"), ()),
    "four-bar": lambda: (four_bar(1.0, 2.0, 2.5, 3.0), ()),
    "library": library,
    "touching": lambda: (arm(shapes=[shapes.plane()]), ()),
}


@cache
def described(name: str) -> tuple[Mechanism, tuple[Switch, ...]]:
    return MADE[name]()


def made(name: str, *kernels: str) -> Sources:
    mechanism, switches = described(name)
    return generate(mechanism, switches=switches, selection=Selection(kernels or None))


def link(sources: Sources, folder: Path) -> None:
    """Strictly, with nothing undefined, as one who takes the folder away would."""
    sources.write(folder)
    files = sorted(name for name in sources.files if name.endswith(".c"))
    whole = ["-shared", "-fPIC", "-O0", "-Wl,-z,defs", "-o", "all.so", *files, "-lm"]
    done = subprocess.run(
        [*find_toolchain().command, *STRICT, *whole], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:3000]


TREE = ("bias", "mass_matrix", "cog_jacobian", "frame_jacobian", "torque_terms", "com")
SLOW = ("mass_matrix_cog", "mass_matrix_unit_vector", "inverse_dynamics_cog", "forward_dynamics_unit_vector")
ASKED = [
    *(("arm", kernel) for kernel in (*TREE, "forward_dynamics", "forward_dynamics_damped", "integrate")),
    ("long arm", "mass_matrix"),
    *(
        pytest.param(name, kernel, marks=pytest.mark.sweep)
        for name, kernels in (("arm", SLOW), ("long arm", ("forward_dynamics_damped", "forward_dynamics_ltdl")))
        for kernel in kernels
    ),
    ("ball joints", "difference"),
    *(("four-bar", kernel) for kernel in ("forward_dynamics", "closure_jacobian", "forward_dynamics_open_damped")),
    *(("library", kernel) for kernel in ("closure_rows", "gravity")),
    *(("touching", kernel) for kernel in ("simulate", "gravity")),
]


@pytest.mark.parametrize(("name", "kernel"), ASKED)
def test_a_kernel_comes_with_what_it_calls(name: str, kernel: str, tmp_path: Path) -> None:
    sources = made(name, kernel)
    link(sources, tmp_path)
    kernels = [k.name for k in sources.manifest.kernels]
    assert kernel in [*kernels, "simulate"]
    assert len(kernels) < len(made(name).manifest.kernels)


LEANER = ("long arm", "ball joints", "library", "touching")
"""Left to the sweep: the others leave out the same kernels."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.sweep if n in LEANER else ()) for n in MADE])
def test_without_reference_kernels_all_others_are_there(name: str, tmp_path: Path) -> None:
    mechanism, switches = described(name)
    lean = generate(mechanism, switches=switches, selection=LEAN)
    link(lean, tmp_path)
    left_out = {k.name for k in made(name).manifest.kernels} - {k.name for k in lean.manifest.kernels}
    assert {"mass_matrix_cog", "inverse_dynamics_cog"} <= left_out
    assert all(re.search("cog|unit_vector|articulated|ltdl|composite", kernel) for kernel in left_out)
    assert "simulate" in lean.cdef
    assert not any(file.endswith("_reference.c") for file in lean.files)


def test_what_is_asked_for_and_nothing_else() -> None:
    sources = made("arm", "frame_jacobian", "gravity")
    assert [k.name for k in sources.manifest.kernels] == ["gravity", "frame_jacobian"]
    own = ["arm.h", "arm_dynamics.c", "arm_kinematics.c", "arm_model.h"]
    linear = [f"linear/{name}.h" for name in ("lane_vectors", "lanes", "real", "sincos")]
    shared = ["compiler/inlining.h", "frames/frame_jacobian.h", "frames/frame_point.h", "frames/xyz.h", *linear]
    assert sorted(sources.files) == [*own, *(f"kinegen/{name}" for name in shared)]
    assert "arm_bias(" not in sources.files["arm_dynamics.c"] and "axis_last" in sources.files["arm_kinematics.c"]
    assert "axis_link" not in sources.files["arm_kinematics.c"]  # a table that only torque_terms reads
    assert not made("touching", "bias").manifest.touching


def test_an_unknown_kernel_is_refused_with_the_nearest() -> None:
    with pytest.raises(ModelError, match=r"^no kernel 'nonsense'; there are: inverse_dynamics, [^']*$"):
        made("arm", "nonsense")
    with pytest.raises(ModelError, match=r"no kernel 'mas_matrix'; did you mean 'mass_matrix'\?.*torque_terms"):
        made("arm", "mas_matrix")
