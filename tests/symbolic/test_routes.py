"""Every quantity by every route, on mechanisms made from a few numbers: against each other and three oracles.

mathematics §12: M by GᵀM̂G, unit vectors, composite inertias; inverse dynamics by Gᵀ(M̂q̈ + b̂) and by recursion; forward
dynamics by unit vectors, LᵀDL, articulated bodies; all against a dense reference, Pinocchio and MuJoCo.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.analysis.routes import forward_dynamics_route
from kinegen.codegen.analysis.trees import kinds_of_trees
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.derivations.coast import kick_velocities
from kinegen.codegen.symbolic.functions import derive
from kinegen.runtime.model.model import Model
from support.oracles.mechanisms import Array, random_state
from support.oracles.mujoco_oracle import to_mujoco
from support.oracles.numeric import Reference, along, error, matrix
from support.oracles.pinocchio_oracle import to_pinocchio
from support.oracles.random_cases import CASES, SMALL, marked, random_case

TOLERANCE = 1e-10
NAMES = marked(CASES)


@dataclass(frozen=True)
class State:
    """One state, its reference, and the torques or accelerations to put in."""

    reference: Reference
    a: Array
    tau: Array

    @property
    def q(self) -> Array:
        return self.reference.q

    @property
    def v(self) -> Array:
        return self.reference.v


@dataclass(frozen=True)
class Case:
    mechanism: Mechanism
    model: Model
    states: tuple[State, ...]


@cache
def make(name: str, **changes: float) -> Case:
    mechanism = random_case(name, **changes)
    rng, states = np.random.default_rng(7), []
    for _ in range(4 if name in SMALL else 2):
        q, v, a, tau = random_state(mechanism, rng)
        states.append(State(Reference(mechanism, q, v), a, tau))
    return Case(mechanism, kg.compile(mechanism, complete=True), tuple(states))


@pytest.fixture(params=NAMES)
def case(request: pytest.FixtureRequest) -> Case:
    return make(request.param)


def assert_agree(found: Array, expected: Array, tolerance: float = TOLERANCE) -> None:
    assert error(found, expected) < tolerance


def routes(model: Model, quantity: str, methods: set[str]) -> list[str]:
    """The kernels of a quantity: the default one, which takes one of the methods, and those named after the others."""
    found = [k for k in model.manifest.routes if k.startswith(quantity) and "damped" not in k]
    chosen = model.manifest.kernel(quantity).route.removesuffix("_loop")
    assert methods <= {chosen, *(name.removeprefix(f"{quantity}_") for name in found)}
    return found


def test_kinematics(case: Case) -> None:
    for state in case.states:
        reference, q, v = state.reference, state.q, state.v
        assert_agree(case.model.link_poses(q), reference.link_poses())
        assert_agree(case.model.cog_jacobian(q), reference.cog_jacobian())
        assert_agree(case.model.cog_bias(q, v), reference.cog_bias())
        assert_agree(case.model.com(q), reference.com())
        assert_agree(case.model.com_jacobian(q), reference.com_jacobian())


def test_frames(case: Case) -> None:
    place = {body.link.name: body.index for body in case.mechanism.tree.bodies}
    for state in case.states:
        for frame in case.mechanism.frames:
            pose = matrix(frame.pose)
            link = place[frame.link]
            assert_agree(case.model.frame_pose(state.q, frame.name), state.reference.link_poses()[link] @ pose)
            jacobian = state.reference.frame_jacobian(link, pose[:3, 3])
            assert_agree(case.model.frame_jacobian(state.q, frame.name), jacobian)


def test_inverse_dynamics(case: Case) -> None:
    kernels = routes(case.model, "inverse_dynamics", {"cog"})
    for state in case.states:
        expected = state.reference.inverse_dynamics(state.a)
        for name in kernels:
            assert_agree(case.model.kernel(name)(state.q, state.v, state.a), expected)
        assert_agree(case.model.bias(state.q, state.v), state.reference.bias())
        assert_agree(case.model.gravity(state.q), state.reference.gravity())


def test_mass_matrix(case: Case) -> None:
    kernels = routes(case.model, "mass_matrix", {"cog", "unit_vector", "composite"})
    for state in case.states:
        for name in kernels:
            found = case.model.kernel(name)(state.q)
            assert_agree(found, state.reference.mass_matrix())
            assert error(found, found.T) <= (0 if name == "mass_matrix" else TOLERANCE)


def test_forward_dynamics(case: Case) -> None:
    followed = any(body.joint.mimic for body in case.mechanism.tree.bodies)
    kernels = routes(case.model, "forward_dynamics", {"unit_vector", "ltdl"} | (set() if followed else {"articulated"}))
    for state in case.states:
        expected = state.reference.forward_dynamics(state.tau)
        for name in kernels:
            assert_agree(case.model.kernel(name)(state.q, state.v, state.tau), expected)
        damping = np.abs(state.a)
        found = case.model.kernel("forward_dynamics_damped")(state.q, state.v, state.tau, damping)
        assert_agree(found, state.reference.forward_dynamics(state.tau, damping))


@pytest.mark.parametrize("damped", [False, True])
def test_a_kick_and_the_coast_after_it(case: Case, damped: bool) -> None:
    """One program gives the velocities after a step's forces, and momenta and the free acceleration there."""
    followed = any(body.joint.mimic for body in case.mechanism.tree.bodies)
    state, dt = case.states[0], 0.02
    M, g, d = state.reference.mass_matrix(), state.reference.gravity(), np.abs(state.a) * damped
    u = state.v + dt * np.linalg.solve(M + np.diag(d), state.tau - g)
    there = Reference(case.mechanism, state.q, u)
    given = {"q": state.q, "v": state.v, "tau": state.tau, "d": d, "dt": [dt]}
    for route in ("ltdl",) if followed else ("ltdl", "articulated"):
        found = numeric(kick_velocities(case.mechanism, route, damped))(given)
        assert_agree(found["u"], u)
        assert_agree(found["h"], M @ u)
        assert_agree(found["a"], np.linalg.solve(M, there.gravity() - there.bias()))


def test_the_step_of_a_kick_is_no_parameter_of_that_name() -> None:
    lever = kg.Link("a", 1.0, (0.5, 0.0, 0.0), np.diag((0.1, 0.1, 0.1)))
    hinge = kg.Joint("hinge", "revolute", "world", "a", axis=(0, 1, 0))
    pull = sympy.Symbol("dt", positive=True)
    falls = kg.Mechanism("falls", [lever], [hinge], gravity=(0.0, 0.0, -pull))
    given = {"p": [10.0], "q": [0.0], "v": [0.0], "tau": [0.0], "dt": [0.01]}
    found = numeric(kick_velocities(falls, "articulated", False))(given)
    np.testing.assert_allclose(found["u"], [0.01 * 5.0 / 0.35], rtol=1e-14)


def test_energy_and_momentum(case: Case) -> None:
    for state in case.states:
        assert_agree(case.model.energy(state.q, state.v), state.reference.energy())
        matrix_found = case.model.centroidal_momentum_matrix(state.q)
        assert_agree(matrix_found, state.reference.centroidal_momentum_matrix())
        assert_agree(case.model.momentum(state.q, state.v), matrix_found @ state.v)
    mass = sum(float(body.link.mass) for body in case.mechanism.tree.bodies)
    assert_agree(np.array(case.model.total_mass()), np.array(mass))
    np.testing.assert_array_equal(case.model.gravity_acceleration(), case.mechanism.gravity)


def test_rates_by_finite_differences(case: Case) -> None:
    """Ġv; the velocity of the COM; the rate of the momentum; d(energy)/dt at v̇ = 0 is the power of the bias."""
    model = case.model
    for state in case.states[:2]:
        q, v = state.q, state.v

        def move(t: float, q: Array = q, v: Array = v) -> Array:
            return model.integrate(q, t * v)

        assert_agree(model.cog_bias(q, v), along(lambda x, v=v: model.cog_jacobian(x) @ v, move), 1e-8)
        assert_agree(model.com_jacobian(q) @ v, along(model.com, move), 1e-8)

        def momentum(t: float, q: Array = q, v: Array = v, a: Array = state.a) -> Array:
            return model.momentum(model.integrate(q, t * v + 0.5 * t * t * a), v + t * a)

        assert_agree(model.momentum_rate(q, v, state.a), along(lambda x: x, momentum), 1e-8)
        rate = along(lambda x, v=v: model.energy(x, v), move).sum()
        assert_agree(np.array([rate]), np.array([v @ model.bias(q, v)]), 1e-8)


def test_pinocchio(case: Case) -> None:
    oracle = to_pinocchio(case.mechanism)
    for state in case.states:
        q, v, a, tau = state.q, state.v, state.a, state.tau
        assert_agree(case.model.inverse_dynamics(q, v, a), oracle.inverse_dynamics(q, v, a))
        assert_agree(case.model.bias(q, v), oracle.bias(q, v))
        assert_agree(case.model.gravity(q), oracle.gravity(q))
        assert_agree(case.model.mass_matrix(q), oracle.mass_matrix(q))
        assert_agree(case.model.forward_dynamics(q, v, tau), oracle.forward_dynamics(q, v, tau))
        assert_agree(case.model.link_poses(q), oracle.link_poses(q))
        assert_agree(case.model.cog_jacobian(q), oracle.cog_jacobian(q))
        assert_agree(case.model.cog_bias(q, v), oracle.cog_bias(q, v))
        assert_agree(case.model.com(q), oracle.com(q))
        assert_agree(case.model.com_jacobian(q), oracle.com_jacobian(q))
        assert_agree(case.model.energy(q, v), oracle.energy(q, v))
        assert_agree(case.model.momentum(q, v), oracle.momentum(q, v))
        assert_agree(case.model.momentum_rate(q, v, a), oracle.momentum_rate(q, v, a))
        assert_agree(case.model.centroidal_momentum_matrix(q), oracle.centroidal_momentum_matrix(q))


@pytest.mark.parametrize("name", [name for name in NAMES if name.values != ("massless",)])
def test_mujoco(name: str) -> None:
    """MuJoCo refuses moving links without mass: the same mechanism with all links heavy."""
    case = make(name) if not _has_massless(name) else make(name, massless=0.0)
    oracle = to_mujoco(case.mechanism)
    for state in case.states:
        q, v, a, tau = state.q, state.v, state.a, state.tau
        assert_agree(case.model.inverse_dynamics(q, v, a), oracle.inverse_dynamics(q, v, a))
        assert_agree(case.model.bias(q, v), oracle.bias(q, v))
        assert_agree(case.model.mass_matrix(q), oracle.mass_matrix(q))
        assert_agree(case.model.forward_dynamics(q, v, tau), oracle.forward_dynamics(q, v, tau))
        assert_agree(case.model.link_poses(q), oracle.link_poses(q))


def _has_massless(name: str) -> bool:
    return any(body.link.mass == 0 and body.nv for body in random_case(name).tree.bodies)


@pytest.mark.parametrize("name", ["mixed12", "floating"])
def test_batches_are_the_single_calls(name: str) -> None:
    case = make(name)
    q, v, a = (np.array([getattr(state, key) for state in case.states]) for key in ("q", "v", "a"))
    together = case.model.inverse_dynamics(q, v, a)
    one_by_one = np.array([case.model.inverse_dynamics(*x) for x in zip(q, v, a, strict=True)])
    assert error(together, one_by_one) < 1e-13
    assert case.model.mass_matrix(q.reshape(2, 2, -1)).shape == (2, 2, case.model.nv, case.model.nv)


def test_operations_of_many_trees_are_counted_on_one_of_each_kind() -> None:
    """Six boxes, three of them heavier, beside two arms, a block that is fixed to the world, and a rod: as of all."""
    bodies = [kg.Link(f"b{i}", 1.0 + i // 3, inertia=kg.inertia.box(1.0, (0.1,) * 3)) for i in range(6)]
    joints = [kg.Joint(f"{body.name}_free", "free", "world", body.name) for body in bodies]
    for arm in "rl":
        bodies += [kg.Link(f"{arm}{i}", 1.0, (0, 0, -0.5), (0.1, 0, 0, 0.1, 0, 0.01)) for i in range(3)]
        joints += [
            kg.Joint(f"{arm}_{i}", "revolute", f"{arm}{i - 1}", f"{arm}{i}", axis=(1 - i % 2, i % 2, 0)) for i in (1, 2)
        ]
        joints.append(kg.Joint(f"{arm}_0", "revolute", "world", f"{arm}0", axis=(0, 1, 0)))
    bodies += [kg.Link("block", 1.0), kg.Link("rod", 1.0, (0, 0, -0.5), (0.1, 0, 0, 0.1, 0, 0.01))]
    joints += [kg.Joint("glue", "fixed", "world", "block"), kg.Joint("pin", "revolute", "world", "rod", axis=(1, 0, 0))]
    mechanism = Mechanism("many", bodies, joints)
    assert sorted(count for _, count in kinds_of_trees(mechanism)) == [1, 2, 3, 3]
    route = forward_dynamics_route(mechanism)
    totals = {name: derive(mechanism, f"forward_dynamics_{name}").operations.total for name in ("articulated", "ltdl")}
    assert route.reason.startswith(f"articulated bodies {totals['articulated']}, L'DL {totals['ltdl']} operations")
    assert route.function is not None
    assert route.function.operations.total == min(totals.values())
