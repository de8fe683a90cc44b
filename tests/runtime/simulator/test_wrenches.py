"""External wrenches in a simulation: closed forms, the route by Jacobians, work, every way to give them; refusals."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from support.mechanisms.closed_mechanisms import four_bar
from support.mechanisms.moving_models import body, floating, thrown
from support.switching import library

PUSH = np.array([1.5, -0.7, 0.4, 0.3, 0.2, -0.6])
INTEGRATORS = ("semi_implicit", "rk4")


@cache
def bar() -> kg.Model:
    return kg.compile(four_bar(0.25, 0.6, 0.5, 0.6))


def accelerations(model: kg.Model, q: np.ndarray, v: np.ndarray, force: np.ndarray) -> np.ndarray:
    return model.forward_dynamics(q, v, force + model.passive_forces(q, v))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_constant_wrench_on_a_ball_is_a_parabola(integrator: str) -> None:
    """Force and moment rest in the world, and a ball turns about the moment, whatever its attitude."""
    ball = body(0.2, 0.2, 0.2)
    start = {"q": [0.1, 0.2, 0.3, *np.array([0.5, -0.1, 0.7, 0.5])], "v": np.zeros(6)}
    simulator = kg.Simulator(ball, integrator=integrator, wrenches={"body": PUSH}, **start)
    run = simulator.run(1.0)
    t = run.t[:, None] if integrator == "rk4" else np.sqrt(run.t * (run.t + 1e-3))[:, None]  # Euler's sum
    np.testing.assert_allclose(run.q[:, :3], start["q"][:3] + 0.5 * PUSH[:3] / 2.0 * t**2, atol=1e-9)
    twist = np.einsum("nij,nj->ni", ball.frame_jacobian(run.q, "body"), run.v)
    expected = np.concatenate([PUSH[:3] / 2.0, PUSH[3:] / 0.2]) * run.t[:, None]
    np.testing.assert_allclose(twist, expected, atol=1e-9)


@pytest.mark.parametrize("frame", ["l4", "l2"])
def test_one_step_agrees_with_the_jacobian(frame: str) -> None:
    model, state = floating(-9.81), thrown(floating(-9.81), 3)
    simulator = kg.Simulator(model, dt=1e-6, integrator="rk4", wrenches={frame: PUSH}, **state)
    simulator.step()
    force = model.frame_jacobian(state["q"], frame).T @ PUSH
    expected = accelerations(model, state["q"], state["v"], force)
    np.testing.assert_allclose((simulator.v - state["v"]) / 1e-6, expected, rtol=2e-4, atol=2e-4 * abs(expected).max())


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("make", [floating, bar])
def test_wrenches_are_torques_by_the_jacobian_at_every_step(make: Any, integrator: str) -> None:
    """The same motion from a function that gives Jᵀ w: equal with Euler, near where stages have their own J."""
    model = make()
    state = thrown(model, 1) if make is floating else {"v": model.project(model.q0, np.array([2.0, 0, 0]))[1]}
    link = model.link_names[-1]

    def torque(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return model.frame_jacobian(q, link).T @ PUSH

    by_wrench = kg.Simulator(model, integrator=integrator, wrenches={link: PUSH}, **state)
    by_torque = kg.Simulator(model, integrator=integrator, tau=torque, **state)
    by_wrench.step(100), by_torque.step(100)
    atol = 1e-12 if integrator == "semi_implicit" else 2e-3
    np.testing.assert_allclose(by_wrench.v, by_torque.v, rtol=0, atol=atol)
    assert abs(by_wrench.v - kg.Simulator(model, **state).v).max() > 0.1


def test_the_place_of_a_wrench_is_a_choice() -> None:
    """At a frame, at its link's origin with the moment carried over, and at the point of the world where that is."""
    model, state = floating(), thrown(floating(), 2)
    poses = model.link_poses(state["q"])[2]
    point = poses[:3, :3] @ [0.1, -0.2, 0.3] + poses[:3, 3]
    carried = np.append(PUSH[:3], PUSH[3:] + np.cross(point - poses[:3, 3], PUSH[:3]))
    ways: list[Any] = [
        {"l2": carried},
        [kg.Wrench("push", "l2", PUSH[:3], point, PUSH[3:])],
        [kg.Wrench("force", "l2", PUSH[:3], point), kg.Wrench("turn", "l2", np.zeros(3), np.zeros(3), PUSH[3:])],
    ]
    found = []
    for way in ways:
        simulator = kg.Simulator(model, wrenches=way, **state)
        simulator.step()
        found.append(simulator.v)
    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=0, atol=1e-13)


@pytest.mark.parametrize("make", [floating, bar])
def test_work_of_a_wrench_is_energy(make: Any) -> None:
    """Runge-Kutta: of order 4 in the step, with gravity in a loop."""
    model = make()
    state = thrown(model, 4) if make is floating else {}
    link, gained = model.link_names[1], []
    for dt in (4e-3, 2e-3):
        run = kg.Simulator(model, dt=dt, integrator="rk4", wrenches={link: PUSH}, **state).run(0.4)
        power = np.einsum("nij,nj,i->n", model.frame_jacobian(run.q, link), run.v, PUSH)
        simpson = dt / 3 * (power[0] + 4 * power[1::2].sum() + 2 * power[2:-1:2].sum() + power[-1])
        gained.append(run.energy[-1].sum() - run.energy[0].sum() - simpson)
    assert abs(gained[1]) < 1e-6 and abs(gained[1]) < abs(gained[0]) / 8 + 1e-12


def test_rows_functions_and_one_for_all_agree() -> None:
    model, state = floating(), thrown(floating(), 5)
    rows = np.tile(PUSH, (300, 1))
    ways: list[Any] = [
        {"l1": PUSH, "l3": -PUSH},
        {"l1": rows, "l3": -PUSH},
        lambda t, q, v: {"l1": PUSH, "l3": -PUSH},
    ]
    runs = [kg.Simulator(model, wrenches=way, **state).run(0.3, every=7) for way in ways]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.q, runs[0].q)
    simulator = kg.Simulator(model, wrenches=ways[1], **state)
    simulator.step(150)
    twin = copy.copy(simulator)
    simulator.step(150), twin.step(150)
    np.testing.assert_array_equal(simulator.q, runs[0].q[-1])
    np.testing.assert_array_equal(twin.q, runs[0].q[-1])
    with pytest.raises(kg.SimulationError, match=r"300 rows.*end at t = 0.3 s"):
        simulator.step()
    simulator.wrenches = None
    simulator.step()


def test_a_function_is_asked_before_every_step() -> None:
    """A spring that the user makes of a wrench: omega = sqrt(k/m)."""
    ball, times = body(0.2, 0.2, 0.2), []

    def spring(t: float, q: np.ndarray, v: np.ndarray) -> dict[str, list[float]]:
        times.append(t)
        return {"body": [-8.0 * q[0], 0, 0, 0, 0, 0]}

    simulator = kg.Simulator(ball, wrenches=spring, q=[1, 0, 0, 0, 0, 0, 1], integrator="semi_implicit")
    run = simulator.run(1.0)
    np.testing.assert_allclose(times, run.t[:-1])
    np.testing.assert_allclose(run.q[:, 0], np.cos(2 * run.t), atol=2e-3)


def test_a_library_feels_them_and_its_connections_carry_them() -> None:
    """A ball held by a connection: what it carries is the weight less the pull."""
    box = kg.Link("box", 2.0, inertia=kg.inertia.box(2.0, (0.1, 0.1, 0.1)))
    mech = kg.Mechanism("hung", [box], [kg.Joint("flight", "free", "world", "box")])
    hook = kg.Connection("hook", "world", "box", kg.fixed())
    simulator = kg.Simulator(kg.TopologyLibrary(mech, [hook]), active={"hook"}, wrenches={"box": [3, 0, 5, 0, 0, 0.5]})
    simulator.step(10)
    np.testing.assert_allclose(simulator.wrench("hook"), [-3, 0, 2 * 9.81 - 5, 0, 0, -0.5], atol=1e-9)
    simulator.cut("hook")
    simulator.step(100)
    np.testing.assert_allclose(np.linalg.norm(simulator.v[:2]), 0.15, rtol=1e-3)
    np.testing.assert_allclose(simulator.v[2:], [0.1 * (2.5 - 9.81), 0, 0, 0.05 / (2 * 0.01 / 6)], atol=1e-9)


def test_contact_feels_them() -> None:
    """A box that is pushed along the floor slips beyond friction and rests below it, with both integrators."""
    block = kg.Link("block", 1.0, inertia=kg.inertia.box(1.0, (0.2, 0.2, 0.2)), shapes=[kg.box((0.2, 0.2, 0.2))])
    joints = [kg.Joint("flight", "free", "world", "block")]
    model = kg.compile(kg.Mechanism("block", [block], joints, shapes=[kg.plane(friction=0.5)]))
    for integrator in INTEGRATORS:
        for force, gained in ((4.0, 0.0), (6.0, (6.0 - 0.5 * 9.81) * 0.2)):
            push = [kg.Wrench("push", "block", (force, 0, 0), (0, 0, 0.0))]  # in the floor: no moment about the edge
            simulator = kg.Simulator(model, integrator=integrator, q=[0, 0, 0.1, 0, 0, 0, 1], wrenches=push)
            simulator.step(200)
            assert simulator.v[0] == pytest.approx(gained, abs=2e-3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"l9": PUSH}, r"wrenches: model 'floating' has no link or frame 'l9'; it has: "),
        ({"l1": PUSH[:3]}, r"wrenches on 'l1': expected shape \(..., 6\), got \(3,\)"),
        ({"l1": [np.nan, 0, 0, 0, 0, 0]}, r"wrenches on 'l1': entry 0 is nan"),
        ({"l1": np.zeros((2, 3, 6))}, r"expected shape \(6,\) or \(steps, 6\)"),
        ({"l1": np.zeros((2, 6)), "l2": np.zeros((3, 6))}, r"all rows must be as many, got 2, 3"),
        ([PUSH], r"expected \{link: \[force, moment\]\} or a list of kg.Wrench, got list"),
        ([kg.Wrench("a", "l1", np.zeros((2, 3)), np.zeros((3, 3)))], r"'a': force, point and moment do not fit"),
        ([kg.Wrench("a", "no", np.zeros(3), np.zeros(3))], r"wrenches: 'a': model 'floating' has no link"),
        (7.0, r"got float"),
    ],
)
def test_what_is_wrong_is_refused_by_name(given: Any, message: str) -> None:
    with pytest.raises(kg.ModelError, match=message):
        kg.Simulator(floating(), wrenches=given)
    if not isinstance(given, float):
        simulator = kg.Simulator(floating(), wrenches=lambda t, q, v: given)
        with pytest.raises(kg.SimulationError, match=r"wrenches\(t, q, v\) at t = 0 s"):
            simulator.step()


@pytest.mark.sweep
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_library_of_many_connections(integrator: str) -> None:
    made = library("ground")
    model = made.library.model
    link = model.link_names[3]
    pushed = kg.Simulator(made, integrator=integrator, wrenches={link: PUSH})
    torque = kg.Simulator(made, integrator=integrator, tau=lambda t, q, v: model.frame_jacobian(q, link).T @ PUSH)
    pushed.step(20), torque.step(20)
    np.testing.assert_allclose(pushed.v, torque.v, atol=1e-11 if integrator == "semi_implicit" else 1e-2)
