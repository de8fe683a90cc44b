"""Derivatives of a step on closed loops: extrapolated differences of the real step, fifty digits, refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import sympy

import kinegen as kg
from support.mechanisms.closed_mechanisms import closed_by, five_bar, four_bar, planar_closed
from support.mechanisms.closed_models import model
from support.oracles.exact_steps import exact_derivatives
from support.oracles.mechanisms import random_mechanism, random_state
from support.oracles.numeric import Array, error

DT = 2e-3
ADDED = ("revolute", "prismatic", "helical", "cylindrical", "universal", "gimbal", "cartesian")
INTEGRATORS = ("semi_implicit", "rk4")
Step = Callable[[Array, Array, Array, Mapping[str, float]], Array]


def beside(at: kg.Model, q: Array, dy: Array) -> Array:
    """The closed configuration whose independent coordinates are those of q moved by dy (nf)."""
    step = np.zeros(at.nv)
    step[list(at.loops.leaders)] = dy
    return at.assemble(at.integrate(q, step), hold=at.independent)


def stepped(
    at: kg.Model,
    integrator: str,
    servos: Mapping[str, kg.Servo] | None,
    q: Array,
    rate: Array,
    tau: Array,
    more: Mapping[str, float],
) -> tuple[Array, Array]:
    moved = at.with_parameters({name: (at.parameters[name] or 0.0) + by for name, by in more.items()}) if more else at
    closed = beside(moved, q, np.zeros(at.nf)) if more else q
    v = moved.W(closed) @ rate
    sim = kg.Simulator(moved, dt=DT, integrator=integrator, q=closed, v=v, tau=tau, servos=servos, contacts=False)
    sim.step()
    return sim.q, sim.v


def differences(
    at: kg.Model, of: Callable[..., tuple[Array, Array]], q: Array, rate: Array, tau: Array, names: tuple[str, ...] = ()
) -> Array:
    """(2 nv, columns): of the tree's state after a step by y, ẏ, tau, parameters; extrapolated twice."""
    end_q, _ = of(q, rate, tau, {})
    sizes = (at.nf, at.nf, at.nv, len(names))

    def moved(part: int, j: int, s: float) -> Array:
        e = s * np.eye(max(sizes))[j]
        near = beside(at, q, e[: at.nf]) if part == 0 else q
        more = {names[j]: s} if part == 3 else {}
        x = of(near, rate + e[: at.nf] * (part == 1), tau + e[: at.nv] * (part == 2), more)
        return np.concatenate([at.difference(end_q, x[0]), x[1]])

    columns = []
    for part, size in enumerate(sizes):
        for j in range(size):
            c = [(moved(part, j, s) - moved(part, j, -s)) / (2 * s) for s in (2e-3, 1e-3, 5e-4)]
            once = (4 * c[1] - c[0]) / 3, (4 * c[2] - c[1]) / 3
            columns.append((16 * once[1] - once[0]) / 15)
    return np.array(columns).T


def assert_same(at: kg.Model, found: kg.StepDerivatives, wanted: Array, bound: float) -> None:
    """In independent coordinates, and of the whole tree."""
    got = np.hstack([found.A, found.B, found.by_parameter])
    rows = [*found.independent, *(at.nv + i for i in found.independent)]
    assert error(got, wanted[rows]) < bound
    of_state = np.hstack([found.A, found.B])
    assert error(found.tree @ of_state, wanted[:, : of_state.shape[1]]) < bound


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", ["five-bar", "bar in two hands"])
def test_real_steps(name: str, integrator: str) -> None:
    at, rng = model(name), np.random.default_rng(4)
    q = beside(at, at.q0, 0.1 * rng.normal(size=at.nf))
    rate, tau = 0.3 * rng.normal(size=at.nf), rng.normal(size=at.nv)
    found = kg.step_derivatives(at, q, at.W(q) @ rate, tau, dt=DT, integrator=integrator, contacts=False)
    assert_same(at, found, differences(at, partial(stepped, at, integrator, None), q, rate, tau), 1e-8)
    end = stepped(at, integrator, None, q, rate, tau, {})
    assert error(found.q, end[0]) < 1e-11 and error(found.v, end[1]) < 1e-10


@pytest.mark.parametrize("loops", [pytest.param(2, marks=pytest.mark.sweep), 3])
def test_planar_machines(loops: int) -> None:
    """Some rows that their joints lock are zero: those that close a loop are told among all that are locked."""
    closed = planar_closed(loops, loops, sliding=0.5)
    at, rng = kg.compile(closed.mechanism, progress=False), np.random.default_rng(loops)
    q = at.assemble(closed.q)
    rate, tau = 0.3 * rng.normal(size=at.nf), rng.normal(size=at.nv)
    found = kg.step_derivatives(at, q, at.W(q) @ rate, tau, dt=DT, contacts=False)
    wanted = differences(at, partial(stepped, at, "semi_implicit", None), q, rate, tau)
    assert_same(at, found, wanted, 1e-7)


def sprung() -> kg.Mechanism:
    """A five-bar with springs, dampers, a servo's motor, one mass and one length that are symbols."""
    m, far = sympy.symbols("m far")
    base = five_bar()
    links = [replace(base.links[0], mass=m), *base.links[1:]]
    extra = {
        "left_elbow": {"stiffness": 4.0, "damping": 0.3},
        "right_motor": {"damping": 0.2, "origin": kg.Pose((far, 0, 0))},
    }
    joints = [replace(joint, **extra.get(joint.name, {})) for joint in base.joints]
    return kg.Mechanism("sprung_five_bar", links, joints, gravity=base.gravity)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_springs_dampers_servos_and_parameters(integrator: str) -> None:
    """A length moves what follows from the beginning; a servo's target."""
    at, rng = kg.compile(sprung(), progress=False).with_parameters(m=0.8, far=0.4), np.random.default_rng(5)
    q = at.assemble(at.integrate(at.q0, 0.1 * rng.normal(size=at.nv)))
    rate, tau = 0.5 * rng.normal(size=at.nf), rng.normal(size=at.nv)
    servos = {"left_motor": kg.Servo(kp=300.0, kd=9.0, position=0.3, velocity=0.1)}
    names = ("m", "far")
    found = kg.step_derivatives(
        at, q, at.W(q) @ rate, tau, dt=DT, integrator=integrator, servos=servos, parameters=names
    )
    assert_same(at, found, differences(at, partial(stepped, at, integrator, servos), q, rate, tau, names), 1e-7)

    def aimed(s: float) -> Array:
        moved = {"left_motor": replace(servos["left_motor"], position=0.3 + s)}
        return np.concatenate(stepped(at, integrator, moved, q, rate, tau, {}))

    wanted = (aimed(1e-3) - aimed(-1e-3)) / 2e-3
    assert error(found.tree @ found.targets[:, 0], wanted) < 1e-7


def tipped() -> kg.Mechanism:
    """A five-bar whose tip, where its loop is closed, has a spring, a damper and dry friction; numbers are symbols."""
    c, far = sympy.symbols("c far")
    base = five_bar()
    extra = {
        "tip": {"stiffness": 2.0, "damping": c, "friction": 0.2},
        "right_motor": {"origin": kg.Pose((far, 0, 0))},
    }
    joints = [replace(joint, **extra.get(joint.name, {})) for joint in base.joints]
    return kg.Mechanism("tipped_five_bar", base.links, joints, gravity=base.gravity)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_joint_that_closes_a_loop_is_damped_and_served(integrator: str) -> None:
    """By state, torques, the target, its damping and a length."""
    at, rng = kg.compile(tipped(), progress=False).with_parameters(c=0.7, far=0.4), np.random.default_rng(6)
    q = at.assemble(at.integrate(at.q0, 0.1 * rng.normal(size=at.nv)))
    rate, tau = np.array([0.9, -0.7]), rng.normal(size=at.nv)
    now = at.loop_joint("tip", q)[0].item()
    servos = {
        "tip": kg.Servo(kp=40.0, kd=0.8, position=now + 0.3, velocity=0.2),
        "left_motor": kg.Servo(kp=90.0, position=0.3, limit=4.0),
    }
    names = ("c", "far")
    found = kg.step_derivatives(
        at, q, at.W(q) @ rate, tau, dt=DT, integrator=integrator, servos=servos, parameters=names
    )
    assert found.at_limit == ("left_motor",) and abs(at.loop_joint("tip", q, at.W(q) @ rate)[1].item()) > 0.1
    assert_same(at, found, differences(at, partial(stepped, at, integrator, servos), q, rate, tau, names), 1e-7)

    def aimed(s: float) -> Array:
        moved = {**servos, "tip": replace(servos["tip"], position=now + 0.3 + s)}
        return np.concatenate(stepped(at, integrator, moved, q, rate, tau, {}))

    wanted = (aimed(1e-3) - aimed(-1e-3)) / 2e-3
    assert error(found.tree @ found.targets[:, 0], wanted) < 1e-7


SEEDS = {"universal": 2}
"""With the first one its loop can hardly be closed, and differences tell little."""


@pytest.mark.parametrize("integrator", ["semi_implicit", pytest.param("rk4", marks=pytest.mark.sweep)])
@pytest.mark.parametrize(
    "kind", ["cylindrical", *(pytest.param(k, marks=pytest.mark.sweep) for k in ("planar", "spherical", "universal"))]
)
def test_joints_of_all_kinds_that_close_loops(kind: str, integrator: str) -> None:
    """Their axes turn as the loop moves: dampers, friction and a servo act through what turns."""
    rng = np.random.default_rng([5, SEEDS.get(kind, 1)])
    tree = random_mechanism(1, bodies=6, branching=0.2, kinds=ADDED, massless=0.0, mimic=0.0, root="revolute")
    closed = closed_by(tree, random_state(tree, rng)[0], rng, (kind,), f"damped_by_{kind}")
    added = {"damping": 0.4, "friction": 0.05, "stiffness": 0.0}
    joints = [replace(j, **added) if j.name.startswith("loop") else j for j in closed.mechanism.joints]
    at, q = kg.compile(replace(closed.mechanism, joints=tuple(joints)), progress=False), closed.q
    rate, tau = 0.3 * rng.normal(size=at.nf), rng.normal(size=at.nv)
    goal = {"planar": [0.2, -0.1, np.cos(0.3), np.sin(0.3)], "spherical": [np.sin(0.3), 0.0, 0.0, np.cos(0.3)]}
    servos = {at.manifest.loops[0].name: kg.Servo(8.0, 0.6, goal.get(kind, 0.2), 0.1)}
    found = kg.step_derivatives(at, q, at.W(q) @ rate, tau, dt=DT, integrator=integrator, servos=servos)
    wanted = differences(at, partial(stepped, at, integrator, servos), q, rate, tau)
    assert_same(at, found, wanted, 1e-6 if kind == "spherical" else 1e-8)  # friction bends the differences


def test_a_gimbal_near_its_lock_is_refused() -> None:
    """A ball joint beside a damped gimbal: rates of its velocities are told away from the lock, and only there."""
    body = kg.Link("body", 1.0, (0.1, 0.0, -0.2), (0.02, 0.0, 0.0, 0.03, 0.0, 0.04))
    ball = kg.Joint("ball", "spherical", "world", "body")
    gimbal = kg.Joint("gimbal", "gimbal", "world", "body", damping=0.3, cut=True)
    at, v = kg.compile(kg.Mechanism("gimballed", [body], [ball, gimbal]), progress=False), np.array([0.3, -0.2, 0.4])
    far = np.array([0.0, np.sin(0.2), 0.0, np.cos(0.2)])  # turned about y by 0.4
    found = kg.step_derivatives(at, far, v, dt=DT)
    assert_same(at, found, differences(at, partial(stepped, at, "semi_implicit", {}), far, v, np.zeros(3)), 1e-9)
    half = 0.5 * (np.pi / 2 - 0.06)
    with pytest.raises(kg.ModelError, match="'gimbal' closes a loop and is too near to where its velocities grow"):
        kg.step_derivatives(at, np.array([0.0, np.sin(half), 0.0, np.cos(half)]), v, dt=DT)


def test_fifty_digits() -> None:
    """A semi-implicit step of a four-bar written once more, with numbers of fifty digits: closed, forces, closed."""
    mech, at = four_bar(1.0, 2.0, 2.5, 3.0), model("four-bar")
    q, rate, tau = beside(at, at.q0, np.array([0.2])), np.array([1.3]), np.array([2.0, -0.5, 0.3])
    found = kg.step_derivatives(at, q, at.W(q) @ rate, tau, dt=DT)
    assert_same(at, found, exact_derivatives(mech, at, q, rate, tau, found, DT), 1e-12)


@pytest.mark.sweep  # a quarter of a minute each
@pytest.mark.parametrize("seed", (1, 2, 3))
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "universal", "planar", "spherical", "fixed"])
def test_random_loops_to_fifty_digits(kind: str, seed: int) -> None:
    """Skewed axes, all kinds of joints whose coordinates add up; a loop closed by a joint of each kind."""
    rng = np.random.default_rng([3, seed])
    tree = random_mechanism(seed, bodies=6, branching=0.2, kinds=ADDED, massless=0.0, mimic=0.0, root="revolute")
    closed = closed_by(tree, random_state(tree, rng)[0], rng, (kind,), f"closed_by_{kind}_{seed}")
    at, q = kg.compile(closed.mechanism, progress=False), closed.q
    rate, tau = 0.3 * rng.normal(size=at.nf), rng.normal(size=at.nv)
    found = kg.step_derivatives(at, q, at.W(q) @ rate, tau, dt=DT)
    assert_same(at, found, exact_derivatives(closed.mechanism, at, q, rate, tau, found, DT), 1e-12)


def test_refusals() -> None:
    at = model("five-bar")
    q = at.q0.copy()
    q[0] += 0.1
    with pytest.raises(kg.ModelError, match=r"q misses the closure, loop '.*' is open by .* model\.project\(q, v\)"):
        kg.step_derivatives(at, q, np.zeros(at.nv))
    with pytest.raises(kg.ModelError, match="velocities v miss the closure"):
        kg.step_derivatives(at, at.q0, np.ones(at.nv))
    with pytest.raises(kg.ModelError, match=r"this step has no derivatives here: .* take a shorter dt, or rk4"):
        kg.step_derivatives(at, at.q0, at.W(at.q0) @ np.full(at.nf, 60.0), dt=1e-3)
