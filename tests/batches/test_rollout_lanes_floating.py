"""Simulations in the lanes of vectors of what floats, or turns on ball joints: what Simulators make."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.runtime.rollouts.rollout import Rollouts
from support.c.lane_steps import steps_by_lanes

ROWS, STEPS, DT = 19, 50, 2e-3
HAND = kg.Pose((0.1, 0.0, -0.5))
STILL, FAST, FASTEST, STOPS = 0, 3, 4, 7
"""Rows: at rest where nothing is turned, fast, so fast that a step has several parts, and one that meets a limit."""


def link(name: str, mass: Any = 1.0) -> kg.Link:
    return kg.Link(name, mass, (0.0, 0.05, -0.3), np.diag([0.1, 0.12, 0.05]))


def arm() -> kg.Mechanism:
    """Floats; sprung and damped ball joints, one about a rest that is turned; an elbow with a stop."""
    ball: dict[str, Any] = {"damping": 0.2, "stiffness": 3.0}
    joints = [
        kg.Joint("base", "free", "world", "trunk"),
        kg.Joint("neck", "spherical", "trunk", "head", stiffness=(2.0, 0.0, 1.0), rest=(0.0, 0.6, 0.0, 0.8)),
        kg.Joint("shoulder", "spherical", "trunk", "upper", **ball),
        kg.Joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), limits=(-0.9, 2.5), friction=0.1),
    ]
    links, hand = [link(name) for name in ("trunk", "head", "upper", "lower")], kg.Frame("hand", "lower", HAND)
    return kg.Mechanism("lanes_arm", links, joints, frames=[hand])


def cart() -> kg.Mechanism:
    """Slides and turns in a plane on springs, with a pendulum on a ball joint."""
    joints = [
        kg.Joint("plane", "planar", "world", "cart", damping=(0.1, 0.0, 0.3), stiffness=(5.0, 5.0, 2.0)),
        kg.Joint("ball", "spherical", "cart", "bob"),
    ]
    return kg.Mechanism("lanes_cart", [link("cart"), link("bob")], joints)


def tethered() -> kg.Mechanism:
    """A free joint with springs to its place and attitude, and what swings on it."""
    rest = (0.1, 0.0, 0.2, 0.0, 0.0, 0.6, 0.8)
    joints = [
        kg.Joint("mooring", "free", "world", "hull", stiffness=4.0, damping=0.1, rest=rest),
        kg.Joint("hinge", "revolute", "hull", "mast", axis=(1, 0, 0)),
    ]
    return kg.Mechanism("lanes_tethered", [link("hull"), link("mast")], joints)


def several() -> kg.Mechanism:
    """Two that float, of which one is a body by itself, beside one that is tied to world; the body's mass is a
    parameter."""
    mass = sympy.Symbol("m", positive=True)
    joints = [
        kg.Joint("first", "free", "world", "a"),
        kg.Joint("pivot", "universal", "a", "b"),
        kg.Joint("second", "free", "world", "c"),
        kg.Joint("third", "revolute", "world", "d", axis=(0, 1, 0)),
        kg.Joint("fourth", "spherical", "d", "e"),
    ]
    links = [link(name, mass if name == "c" else 1.0) for name in "abcde"]
    return kg.Mechanism("lanes_several", links, joints)


def body() -> kg.Mechanism:
    """A link that flies by itself, of three different moments of inertia about a centre beside its origin."""
    return kg.Mechanism("lanes_body", [link("body")], [kg.Joint("flight", "free", "world", "body")])


MECHANISMS: dict[str, Callable[[], kg.Mechanism]] = {
    "arm": arm,
    "cart": cart,
    "tethered": tethered,
    "several": several,
    "body": body,
    "figure": kg.human_figure,
}


@cache
def model(name: str) -> kg.Model:
    return kg.compile(MECHANISMS[name]())


def starts(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, v and torques of each step: see the names of rows above."""
    rng, nv = np.random.default_rng(0), model(name).nv
    q, v = model(name).random(rng, size=ROWS), 0.3 * rng.normal(size=(ROWS, nv))
    tau = rng.normal(size=(ROWS, STEPS, nv))
    q[STILL], v[STILL], tau[STILL] = model(name).q0, 0.0, 0.0
    v[FAST] *= 25.0 / np.abs(v[FAST]).sum()  # 0.05 rad a step at most, along all joints
    v[FASTEST] *= (15.0 if name == "figure" else 30.0) * nv / np.abs(v[FASTEST]).sum()
    if name == "arm":
        q[STOPS, -1], v[STOPS, -1] = -0.85, -5.0
    return q, v, tau


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return steps_by_lanes(monkeypatch)


def assert_each_alone(found: Rollouts, each: Callable[[int], kg.Simulator]) -> None:
    """What a simulator of each row makes."""
    for row in range(len(found)):
        run = each(row).run(STEPS * DT)
        np.testing.assert_allclose(found.q[row], run.q, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found.v[row], run.v, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(run.v).max()))


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.sweep if n in ("body", "figure") else ()) for n in MECHANISMS]
)
def test_every_lane_makes_what_a_simulator_makes(name: str, integrator: str, made: list[int]) -> None:
    own, (q, v, tau) = model(name), starts(name)
    masses = np.linspace(0.5, 2.0, ROWS)
    values = [{"m": mass} if own.parameters else {} for mass in masses]
    given: dict[str, Any] = {"steps": STEPS, "dt": DT, "tau": tau, "integrator": integrator}
    given |= {"parameters": {"m": masses} if own.parameters else None, "limits": name == "arm"}
    found = kg.rollout(own, q, v, threads=1, **given)
    assert not found.errors and made[FAST] == made[FASTEST] == STEPS and made.count(STEPS) >= ROWS - 3
    assert (made[STOPS] < STEPS) == (name == "arm")

    def alone(row: int) -> kg.Simulator:
        start = {"q": q[row], "v": v[row], "tau": tau[row]}
        one = own.with_parameters(values[row]) if values[row] else own
        return kg.Simulator(one, dt=DT, integrator=integrator, limits=name == "arm", **start)

    assert_each_alone(found, alone)
    again = kg.rollout(own, q, v, threads=3, **given)
    assert np.array_equal(found.q, again.q) and np.array_equal(found.v, again.v)


SERVOS: dict[str, dict[str, kg.Servo]] = {
    "arm": {
        "elbow": kg.Servo(kp=80.0, kd=8.0, position=0.6, limit=10.0),
        "neck": kg.Servo(kp=40.0, kd=3.0, position=(0.0, 0.0, 0.6, 0.8), velocity=(0.1, 0.0, 0.2), limit=8.0),
    },
    "cart": {"plane": kg.Servo(kp=50.0, kd=5.0, position=(0.2, 0.1, 0.6, 0.8)), "ball": kg.Servo(kd=2.0)},
    "tethered": {"mooring": kg.Servo(kp=30.0, kd=4.0, limit=12.0), "hinge": kg.Servo(kp=20.0, kd=1.0)},
}


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("name", SERVOS)
def test_servos_act_on_joints_of_all_kinds(name: str, integrator: str, made: list[int]) -> None:
    """On what turns and beside it, at their limits of force in some steps; some rows turn fast."""
    own, (q, v, tau) = model(name), starts(name)
    q[STOPS], v[STOPS] = q[STILL], v[STILL]
    given: dict[str, Any] = {"dt": DT, "servos": SERVOS[name], "integrator": integrator, "limits": False}
    found = kg.rollout(own, q, v, tau=tau, steps=STEPS, threads=1, **given)
    assert made.count(STEPS) == ROWS
    assert_each_alone(found, lambda row: kg.Simulator(own, q=q[row], v=v[row], tau=tau[row], **given))


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("each", [True, False])
def test_wrenches_push_links_in_every_lane(integrator: str, each: bool, made: list[int]) -> None:
    """Of each simulation and step, beside those that stay; on the base, on a frame of a link, at a point that rests."""
    rng, own, (q, v, tau) = np.random.default_rng(3), model("arm"), starts("arm")
    given: dict[str, Any] = {"dt": DT, "integrator": integrator, "limits": False}
    wrenches: Any = [kg.Wrench("gust", "upper", (3.0, 1.0, 2.0), (0.2, 0.1, 0.0))]
    pushes: dict[str, Any] = {"hand": rng.normal(size=(ROWS, STEPS, 6)), "trunk": rng.normal(size=(ROWS, 6))}
    found = kg.rollout(own, q, v, tau=tau, steps=STEPS, threads=1, wrenches=pushes if each else wrenches, **given)
    assert made.count(STEPS) == ROWS

    def alone(row: int) -> kg.Simulator:
        acting = {"hand": pushes["hand"][row], "trunk": np.tile(pushes["trunk"][row], (STEPS, 1))}
        start = {"q": q[row], "v": v[row], "tau": tau[row], "wrenches": acting if each else wrenches}
        return kg.Simulator(own, **start, **given)

    assert_each_alone(found, alone)


def test_a_figure_that_flies_keeps_its_energy_and_momentum(made: list[int]) -> None:
    own, rng = model("figure"), np.random.default_rng(2)
    q, v = own.random(rng, size=16), rng.normal(size=(16, own.nv))
    found = kg.rollout(own, q, v, steps=400, dt=1e-3, integrator="rk4", limits=False, every=100)
    assert made == [400] * 16
    energy, turning = own.energy(found.q, found.v).sum(axis=-1), own.momentum(found.q, found.v)[..., 3:]
    np.testing.assert_allclose(energy, np.broadcast_to(energy[:, :1], energy.shape), atol=1e-7)
    np.testing.assert_allclose(turning, np.broadcast_to(turning[:, :1], turning.shape), atol=1e-7)
