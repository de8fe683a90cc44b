"""Rates of springs, dampers and dry friction: near half a turn, where joints are slow, with turns counted; refusals."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.derivatives.passive import passive_derivatives
from support.mechanisms.closed_models import hinged
from support.oracles.numeric import Array, error

Z = (0.0, 0.0, 1.0)


def slope(f: Callable[[float], Array], h: float) -> Array:
    """Differences of order four."""
    found: Array = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)
    return found


@cache
def bodies() -> kg.Model:
    """A planar, a ball and a free joint from the world, each with springs, dampers and friction."""
    links = [kg.Link(name, 1.0, (0, 0, 0), kg.inertia.box(1.0, (0.3, 0.2, 0.1))) for name in "abc"]
    turned = (0.48, -0.36, 0.0, 0.8)
    joints = [
        kg.Joint("flat", "planar", "world", "a", stiffness=(3.0, 0.0, 2.0), rest=(0.3, -0.1, 0.8, 0.6), damping=0.2),
        kg.Joint("ball", "spherical", "world", "b", stiffness=(2.0, 0.0, 1.5), rest=turned, friction=(0.3, 0.0, 0.1)),
        kg.Joint("fly", "free", "world", "c", stiffness=(2, 0, 1, 0, 3, 1), rest=(1, 0, 0, *turned), friction=0.2),
    ]
    return kg.compile(kg.Mechanism("sprung_bodies", links, joints), progress=False)


def off(at: kg.Model, turn: float) -> Array:
    """All of them so far from their rests, turned by so much."""
    rest = np.array([0.3, -0.1, 0.8, 0.6, 0.48, -0.36, 0.0, 0.8, 1.0, 0.0, 0.0, 0.48, -0.36, 0.0, 0.8])
    way = np.zeros(at.nv)
    way[2], way[3:6], way[9:12] = turn, turn * np.array([0.6, 0.8, 0.0]), turn * np.array([0.0, 0.28, 0.96])
    way[[0, 1, 6, 7, 8]] = 0.4, -0.3, 0.2, 0.5, -0.7
    return at.integrate(rest, way)


@pytest.mark.parametrize("turn", [1.2, np.pi - 0.002])
@pytest.mark.parametrize("speed", [1.0, 5e-4])
def test_springs_of_poses_near_half_a_turn(turn: float, speed: float) -> None:
    at = bodies()
    q, v = off(at, turn), speed * np.random.default_rng(1).normal(size=at.nv)
    by_q, by_v = passive_derivatives(at, q, v)
    eye, wide = np.eye(at.nv), 3e-2 * speed
    wanted_q = [slope(lambda s, e=e: at.passive_forces(at.integrate(q, s * e), v), 5e-4) for e in eye]  # type: ignore[misc]
    wanted_v = [slope(lambda s, e=e: at.passive_forces(q, v + s * e), min(wide, 1e-5)) for e in eye]  # type: ignore[misc]
    assert error(by_q, np.array(wanted_q).T) < 1e-8 and error(by_v, np.array(wanted_v).T) < 1e-6


def test_half_a_turn_is_refused() -> None:
    at = bodies()
    with pytest.raises(kg.ModelError, match="the spring of joint 'flat' is half a turn off its rest"):
        kg.linearize(at, off(at, np.pi))


def test_a_spring_in_a_loop_near_half_a_turn() -> None:
    """Linear model and steps; in a step past half a turn the spring counts it."""
    at = hinged(3.1415)
    q, still = at.q0, np.zeros(at.nv)
    assert at.loop_joint("t", q)[0] == pytest.approx([3.1415])

    def beside(s: float) -> Array:
        return at.assemble(at.integrate(q, s * at.W(q)[:, 0]), hold=at.independent)

    def accelerated(s: float) -> Array:
        near = beside(s)
        return at.forward_dynamics(near, still, at.passive_forces(near, still))[:1]

    A = kg.linearize(at, q).A
    assert A[1, 0] == pytest.approx(slope(accelerated, 1e-4)[0], rel=1e-7)

    for speed, integrator in ((0.0, "semi_implicit"), (-6.0, "rk4"), (6.0, "rk4")):
        found = assert_steps(at, speed, integrator)
        past = at.loop_joint("t", found.q)[0].item() < 0.0
        assert past == (speed > 0.0)


def assert_steps(at: kg.Model, speed: float, integrator: str) -> kg.StepDerivatives:
    """By the state, of the step of a simulator that begins there at that speed."""

    def stepped(s: float) -> Array:
        near = at.assemble(at.integrate(at.q0, s * at.W(at.q0)[:, 0]), hold=at.independent)
        sim = kg.Simulator(at, dt=1e-3, integrator=integrator, q=near, v=speed * at.W(near)[:, 0])
        sim.step()
        return np.array([sim.q[0], sim.v[0]])

    found = kg.step_derivatives(at, at.q0, speed * at.W(at.q0)[:, 0], integrator=integrator)
    assert error(found.A[:, 0], slope(stepped, 1e-4)) < 1e-7
    return found


def test_a_spring_whose_limits_are_past_half_a_turn() -> None:
    """Steps begin within the limits, as a simulator's do; the model itself reads the angle within half a turn of 0."""
    at = hinged(3.2, (3.0, 4.5))
    assert at.loop_joint("t", at.q0)[0] == pytest.approx([3.2 - 2 * np.pi])
    still, force = np.zeros(at.nv), at.passive_forces(at.q0, np.zeros(at.nv))
    pull = at.loops.loop_joint("t", at.q0, at.W(at.q0)[:, 0])[1]
    assert at.W(at.q0)[:, 0] @ force == pytest.approx(pull.item() * 20.0 * (3.0 - 3.2 + 2 * np.pi))
    step = assert_steps(at, 0.0, "rk4")
    a = at.forward_dynamics(at.q0, still, force - at.kernel("loop_jacobian")(at.q0)[0] * 40.0 * np.pi)
    assert step.v[0] == pytest.approx(1e-3 * a[0], rel=2e-2)


@cache
def slider_crank() -> kg.Model:
    """In space, closed by a universal joint with springs, dampers and friction."""

    def link(name: str, mass: float) -> kg.Link:
        return kg.Link(name, mass, (0.1, 0.05, 0), kg.inertia.box(mass, (0.2, 0.3, 0.1)))

    joints = [
        kg.Joint("c", "revolute", "world", "crank", axis=Z),
        kg.Joint("k", "spherical", "crank", "rod", kg.Pose((0.3, 0, 0)), actuated=False),
        kg.Joint("s", "prismatic", "world", "slider", kg.Pose((0.2, 0.05, 0)), axis=(1, 0, 0.3), actuated=False),
        kg.Joint("w", "universal", "rod", "slider", kg.Pose((0.8, 0, 0)), axis=Z, axis2=(0.1, 1, 0.2), actuated=False,
                 cut=True, stiffness=(0.0, 2.0), damping=(0.1, 0.0), friction=(0.0, 5.0)),
    ]  # fmt: skip
    links = [link("crank", 1.0), link("rod", 0.2), link("slider", 0.2)]
    return kg.compile(kg.Mechanism("slider_crank_in_space", links, joints, gravity=(1, -9.81, 2)), progress=False,
                      at={"c": 0.5, "s": 0.7})  # fmt: skip


def test_friction_in_a_loop_of_a_joint_that_is_slow_just_then() -> None:
    """Its rate passes through zero while the loop moves on: friction changes its sign on a way of a thousandth."""
    at = slider_crank()

    def moved(q: Array, s: float) -> Array:
        return at.assemble(at.integrate(q, s * at.W(q)[:, 0]), hold=["c"])

    def rate(q: Array) -> float:
        return float(at.loop_joint("w", q, 5.0 * at.W(q)[:, 0])[1][1])

    q, s = at.q0, 0.05
    while abs(rate(q)) > 2e-3:
        ahead = moved(q, s)
        q, s = (q, 0.5 * s) if rate(ahead) * rate(q) < 0 else (ahead, s)

    def accelerated(s: float) -> Array:
        near = moved(q, s)
        v = 5.0 * at.W(near)[:, 0]
        return at.forward_dynamics(near, v, at.passive_forces(near, v))[:1]

    found = kg.linearize(at, q, 5.0 * at.W(q)[:, 0]).A[1, 0]
    assert found == pytest.approx(slope(accelerated, 1e-5)[0], rel=1e-5)


def test_friction_of_a_joint_that_follows_is_smooth_at_the_speed_of_its_leader() -> None:
    """As §1 has it: its numbers are added to the leader's, |k| μ of friction, and so are their rates."""
    links = [kg.Link(name, 1.0, (0.1, 0, 0), kg.inertia.rod(1.0, 0.2)) for name in "ab"]
    follows = kg.Mimic("lead", 0.01)
    joints = [
        kg.Joint("lead", "revolute", "world", "a"),
        kg.Joint("follow", "revolute", "a", "b", mimic=follows, friction=2.0, damping=3.0, stiffness=5.0, rest=0.1),
    ]
    at, v = kg.compile(kg.Mechanism("following", links, joints), progress=False), 2e-3
    q, speed = np.array([0.4]), np.array([v])
    wanted = -0.01 * (5.0 * (0.004 - 0.1) + 3.0 * 0.01 * v) - 0.02 * v / np.hypot(v, 1e-3)
    assert at.passive_forces(q, speed) == pytest.approx([wanted], rel=1e-12)
    by_q, by_v = passive_derivatives(at, q, speed)
    assert by_q[0, 0] == pytest.approx(-5e-4) and by_v[0, 0] == pytest.approx(-3e-4 - 2e-8 / np.hypot(v, 1e-3) ** 3)
