"""Derivatives of trees: fifty digits, the compiled loops, Pinocchio; every kind of joint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mpmath
import numpy as np
import pinocchio as pin
import pytest

import kinegen as kg
from kinegen.codegen.build import build_with
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from kinegen.runtime import Model
from support.drawn.verdict import toolchain
from support.mechanisms.robots import FOLDER
from support.oracles.digits import DIGITS, differences, many_digits, tangent, unit_rotations
from support.oracles.mechanisms import random_state
from support.oracles.numeric import Array, error
from support.oracles.pinocchio_oracle import to_pinocchio
from support.oracles.random_cases import SMALL, random_case
from support.processors import targets

NAMES = ("inverse_derivatives", "forward_derivatives")
EXACT = [name for name in SMALL if name not in ("mixed9", "mixed12", "two_gimbal", "skewed")]
MORE = ("aligned", "aligned_chain", "bush", "floating", "mixed1", "mixed3", "mixed6")
"""Of kinds that the others have."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.sweep if name in MORE else ()) for name in EXACT]
)
def test_fifty_digits(name: str) -> None:
    """Every column of all three against differences of inverse dynamics."""
    tree = random_case(name)
    with mpmath.workdps(DIGITS):
        q, v, a, _ = random_state(tree, np.random.default_rng(3))
        given = {"q": unit_rotations(tree, q), "v": list(map(mpmath.mpf, v)), "a": list(map(mpmath.mpf, a))}
        found = np.array(many_digits(derive(tree, NAMES[0]))(given)["dtau"], dtype=float)
        found = found.reshape(3, v.size, v.size)
        torque = derive(tree, "inverse_dynamics")
        for j in range(v.size):
            one = [int(k == j) for k in range(v.size)]
            for part, rates in enumerate(({"q": tangent(tree, given["q"], j)}, {"v": one}, {"a": one})):
                column = np.array(differences(torque, given, rates), dtype=float)
                assert np.abs(found[part, :, j] - column).max() <= 1e-12 * max(1.0, np.abs(found).max())


def massless_above() -> Mechanism:
    """A double pendulum of a link without mass, and one whose mass is in a point."""
    links = [kg.Link("a", 0.0, (0.0, 0.0, -0.5)), kg.Link("b", 1.0, (0.0, 0.0, -0.5))]
    upper = kg.Joint("j", "revolute", "world", "a", axis=(0, 1, 0))
    return Mechanism("m", links, [upper, kg.Joint("k", "revolute", "a", "b", kg.Pose((0, 0, -1.0)), axis=(0, 1, 0))])


def small(mechanism: Mechanism, processor: tuple[str, ...] = ()) -> Model:
    """The model with the kernels of this file, for this machine or by the compiler's flags for another."""
    kernels, tools = (*NAMES, "inverse_dynamics", "integrate"), toolchain()
    sources = generate(mechanism, contacts=False, selection=Selection(kernels))
    return Model.load(build_with(sources, replace(tools, architecture=processor or tools.architecture)))


def expected(tree: Mechanism, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
    """Both by the straight-line program and a dense inverse."""
    arrays = {"q": q.tolist(), "v": v.tolist(), "a": a.tolist()}
    inverse = numeric(derive(tree, NAMES[0]))(arrays)["dtau"]
    minv = np.linalg.inv(inverse[2])
    return inverse, np.array([-minv @ inverse[0], -minv @ inverse[1], minv])


@pytest.mark.parametrize("name", ["two_planar", "mimics", "floating", "mixed9"])
def test_compiled_loops(name: str) -> None:
    tree, model = random_case(name), small(random_case(name))
    for seed in range(5):
        q, v, a, _ = random_state(tree, np.random.default_rng(seed))
        inverse, forward = expected(tree, q, v, a)
        got = model.inverse_dynamics_derivatives(q, v, a)
        tau = model.inverse_dynamics(q, v, a)
        accelerated = model.forward_dynamics_derivatives(q, v, tau)
        condition = np.linalg.cond(inverse[2])
        for part in range(3):
            assert error(got[part], inverse[part]) < 1e-13
            assert error(accelerated[part], forward[part]) < 1e-14 * condition + 1e-13
        assert np.array_equal(got.M, got.M.T)


@pytest.mark.parametrize("name", ["mimics", "mixed9"])
def test_every_width_of_vectors(name: str, tmp_path: Path) -> None:
    """Two, four and eight numbers at a time, and one by one as for a compiler without vectors."""
    (tmp_path / "plain.h").write_text("#include <math.h>\n#include <string.h>\n#undef __GNUC__\n")
    plain = ("-include", str(tmp_path / "plain.h"))
    tree = random_case(name)
    q, v, a, _ = random_state(tree, np.random.default_rng(7))
    inverse, forward = expected(tree, q, v, a)
    condition = np.linalg.cond(inverse[2])
    for processor in (*((f"-march={target}",) for target, _ in targets()), plain):
        model = small(tree, processor)
        tau = model.inverse_dynamics(q, v, a)
        assert error(np.array(model.inverse_dynamics_derivatives(q, v, a)), inverse) < 1e-13
        assert error(np.array(model.forward_dynamics_derivatives(q, v, tau)), forward) < 1e-14 * condition + 1e-13


def several_trees() -> Mechanism:
    """Two that fly, and one on the ground; every joint has an armature."""
    rod = kg.Link("rod", 1.5, (0.1, -0.2, 0.3), (0.2, 0.01, -0.02, 0.3, 0.03, 0.25))
    names = ("hull", "boom", "sail", "rudder", "buoy", "mast", "pole", "flag", "rope")
    on = dict(zip(names, ("world", "hull", "boom", "hull", "world", "buoy", "world", "pole", "pole"), strict=True))
    kinds = {"hull": "free", "buoy": "free", "mast": "spherical", "sail": "cylindrical"}
    joints = [
        kg.Joint(
            f"{on[name]}_{name}",
            kinds.get(name, "revolute"),  # type: ignore[arg-type]  # one of its literals
            on[name],
            name,
            kg.Pose((0.1 * i, 0.2, -0.3), (0.3, 0.2 * i, -0.1)) if on[name] != "world" else kg.Pose(),
            **({} if name in ("hull", "buoy", "mast") else {"axis": (0.6, 0.0, 0.8)}),
            armature=0.1 + 0.05 * i,
        )
        for i, name in enumerate(names)
    ]
    return kg.Mechanism("harbour", [replace(rod, name=name) for name in names], joints)


@pytest.mark.parametrize(
    "name",
    ["hanging_free", "several", *(pytest.param(x, marks=pytest.mark.sweep) for x in ("floating", "rotors", "mixed9"))],
)
def test_forward_by_articulated_bodies(name: str, tmp_path: Path) -> None:
    """The route of large trees, taken by small ones of all kinds of joints, at every width; the route by entries."""
    (tmp_path / "plain.h").write_text("#include <math.h>\n#include <string.h>\n#undef __GNUC__\n")
    tree = several_trees() if name == "several" else random_case(name, mimic=0)
    q, v, a, _ = random_state(tree, np.random.default_rng(11))
    inverse, forward = expected(tree, q, v, a)
    condition = np.linalg.cond(inverse[2])
    by_entries = small(tree, ("-DKG_BODIES_FROM=999",))
    tau = by_entries.inverse_dynamics(q, v, a)
    bound = 1e-14 * condition + 1e-13
    assert error(np.array(by_entries.forward_dynamics_derivatives(q, v, tau)), forward) < bound
    for processor in (*((f"-march={target}",) for target, _ in targets()), ("-include", str(tmp_path / "plain.h"))):
        model = small(tree, (*processor, "-DKG_BODIES_FROM=1"))
        found = model.forward_dynamics_derivatives(q, v, tau)
        assert error(np.array(found), forward) < bound
        assert error(found.da_dtau, found.da_dtau.T) < bound


def test_batches_and_names() -> None:
    tree, model = random_case("mixed6"), small(random_case("mixed6"))
    states = [random_state(tree, np.random.default_rng(seed)) for seed in range(6)]
    q, v, a, tau = (np.array(x).reshape(2, 3, -1) for x in zip(*states, strict=True))
    inverse, forward = model.inverse_dynamics_derivatives(q, v, a), model.aba_derivatives(q, v, tau)
    assert inverse.dtau_dq.shape == forward.da_dv.shape == (2, 3, model.nv, model.nv)
    one = model.rnea_derivatives(q[1, 2], v[1, 2], a[1, 2])
    assert all(np.array_equal(x, y[1, 2]) for x, y in zip(one, inverse, strict=True))
    assert error(forward.da_dtau, np.linalg.inv(inverse.M)) < 1e-9
    with pytest.raises(kg.ModelError, match="v: expected shape"):
        model.inverse_dynamics_derivatives(q, v[..., 1:], a)


@pytest.mark.parametrize("rows", [(), (1,), (40,)])
def test_a_singular_inertia_is_told_however_many_states(rows: tuple[int, ...]) -> None:
    """A massless link in line with the one below it."""
    model = small(massless_above())
    q = np.zeros((*rows, 2))
    q[..., 0] = 0.3
    with pytest.raises(kg.ModelError, match=r"the inertia may be singular there"):
        model.forward_dynamics_derivatives(q, [1.0, 2.0], [0.0, 0.0])
    q[..., 1] = 0.1
    assert np.isfinite(model.forward_dynamics_derivatives(q, [1.0, 2.0], [0.0, 0.0])).all()


@pytest.mark.parametrize("file,root", [("panda_description/urdf/panda.urdf", "fixed"),
                                       ("talos_data/robots/talos_reduced.urdf", "free")])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_pinocchio(file: str, root: str) -> None:
    robot = kg.load(FOLDER / file, root=root, mimic="independent")  # type: ignore[arg-type]  # one of its literals
    model, oracle = small(robot), to_pinocchio(robot)
    for seed in range(3):
        q, v, a, tau = random_state(robot, np.random.default_rng(seed))
        *inverse, upper = pin.computeRNEADerivatives(oracle.model, oracle.data, oracle.q(q), v, a)
        inverse.append(np.triu(upper) + np.triu(upper, 1).T)
        for ours, theirs in zip(model.inverse_dynamics_derivatives(q, v, a), inverse, strict=True):
            assert error(ours, theirs) < 1e-11
        forward = pin.computeABADerivatives(oracle.model, oracle.data, oracle.q(q), v, tau)
        for ours, theirs in zip(model.forward_dynamics_derivatives(q, v, tau), forward, strict=True):
            assert error(ours, theirs) < 1e-9
