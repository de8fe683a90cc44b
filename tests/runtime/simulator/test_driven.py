"""Joints whose motion is given, in trees: closed forms, partitioned M, momentum, torques that do it; refusals."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from support.mechanisms.moving_models import floating, thrown

INTEGRATORS = ("semi_implicit", "rk4")
AMPLITUDE, OMEGA = 0.02, 60.0
ARM = kg.inertia.box(1.0, (0.05, 0.05, 0.5))


def shaken(t: float) -> tuple[float, float, float]:
    phase = OMEGA * t
    return AMPLITUDE * np.cos(phase), -AMPLITUDE * OMEGA * np.sin(phase), -AMPLITUDE * OMEGA**2 * np.cos(phase)


@cache
def kapitza() -> kg.Model:
    """A rod that stands on a pivot which can be shaken up and down."""
    rod = kg.Link("rod", 1.0, (0, 0, 0.5), kg.inertia.box(1.0, (0.05, 0.05, 1.0)))
    joints = [
        kg.Joint("pivot", "prismatic", "world", "cart", axis=(0, 0, 1)),
        kg.Joint("hinge", "revolute", "cart", "rod", axis=(0, 1, 0)),
    ]
    return kg.compile(kg.Mechanism("kapitza", [kg.Link("cart", 0.7), rod], joints))


def pendulum(dt: float, steps: int, angle: float) -> np.ndarray:
    """Runge-Kutta in the one coordinate: I θ'' = m l (g + z'') sin θ, I about the pivot."""
    ratio = 0.5 / (0.25 + (1.0 + 0.05**2) / 12)

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        return np.array([x[1], ratio * (9.81 + shaken(t)[2]) * np.sin(x[0])])

    x = np.array([angle, 0.0])
    for i in range(steps):
        t, half = i * dt, dt / 2
        k1 = rate(t, x)
        k2 = rate(t + half, x + half * k1)
        k3 = rate(t + half, x + half * k2)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + rate(t + dt, x + dt * k3))
    return x


@cache
def damped() -> kg.Model:
    """A chain and a branch with springs, dampers and friction, so that every passive force acts on what is driven."""
    links = [kg.Link(name, 1.0, (0.01, 0.02, -0.25), ARM) for name in ("upper", "lower", "hand", "wing")]
    options: dict[str, Any] = {"damping": 0.3, "friction": 0.1, "stiffness": 2.0, "armature": 0.02}
    joints = [
        kg.Joint("shoulder", "revolute", "world", "upper", axis=(0, 1, 0), **options),
        kg.Joint("elbow", "revolute", "upper", "lower", kg.Pose((0, 0, -0.5)), axis=(0, 1, 0), **options),
        kg.Joint("wrist", "universal", "lower", "hand", kg.Pose((0, 0, -0.5)), damping=0.2),
        kg.Joint("flap", "revolute", "upper", "wing", kg.Pose((0, 0, -0.3)), axis=(1, 0, 0), **options),
    ]
    return kg.compile(kg.Mechanism("damped", links, joints))


# ---- Closed forms and other routes


def test_kapitza_as_its_equation_of_motion() -> None:
    """The same numbers as Runge-Kutta in the pendulum's own coordinate; the pivot is where it is told to be."""
    exact = pendulum(1e-4, 10000, 0.3)
    for dt in (2e-3, 1e-3):
        run = kg.Simulator(kapitza(), dt=dt, integrator="rk4", driven={"pivot": shaken}, q=[0, 0.3]).run(1.0)
        np.testing.assert_allclose([run.q[-1, 1], run.v[-1, 1]], pendulum(dt, round(1 / dt), 0.3), rtol=2e-6)
        np.testing.assert_array_equal(run.q[:, 0], [shaken(t)[0] for t in run.t])
        np.testing.assert_array_equal(run.v[:, 0], [shaken(t)[1] for t in run.t])
        assert abs(run.q[-1, 1] - exact[0]) < 1e-6 * (dt / 2e-3) ** 4
    errors = []
    for dt in (2e-3, 1e-3):
        simulator = kg.Simulator(kapitza(), dt=dt, driven={"pivot": shaken}, q=[0, 0.3])
        simulator.step(round(1 / dt))
        np.testing.assert_allclose([simulator.q[0], simulator.v[0]], shaken(1.0)[:2], atol=1e-15)
        errors.append(abs(simulator.q[1] - exact[0]))
    assert errors[0] < 1e-2 and errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_accelerations_and_torques_are_those_of_the_partitioned_mass_matrix(integrator: str) -> None:
    """M_ff a_f = τ_f - h_f - M_fd a_d, τ_d = M_df a_f + M_dd a_d + h_d; Euler's dampers act at the end of the step."""
    model, rng = damped(), np.random.default_rng(1)
    d, f, dt = [0, 4], [1, 2, 3], 1e-4
    q, v, tau = rng.normal(size=5), rng.normal(size=5), rng.normal(size=5)
    given = {
        "shoulder": lambda t: (q[0] + v[0] * t - 2.0 * t * t, v[0] - 4.0 * t, -4.0),
        "flap": lambda t: (q[4] + v[4] * t + 1.5 * t * t, v[4] + 3.0 * t, 3.0),
    }
    simulator = kg.Simulator(model, dt=dt, integrator=integrator, driven=given, q=q, v=v, tau=tau)
    simulator.step()
    M, force = model.mass_matrix(q), tau + model.passive_forces(q, v) - model.bias(q, v)
    if integrator == "semi_implicit":
        slope = np.array([0.3, 0.3, 0.2, 0.2, 0.3]) + np.array([0.1, 0.1, 0, 0, 0.1]) / np.sqrt(v**2 + 1e-6)
        M = M + dt * np.diag(slope)
    a = np.array([-4.0, 0, 0, 0, 3.0])
    a[f] = np.linalg.solve(M[np.ix_(f, f)], force[f] - M[np.ix_(f, d)] @ a[d])
    torque = (M @ a - force + tau)[d]
    found = [simulator.driving["shoulder"][0], simulator.driving["flap"][0]]
    np.testing.assert_allclose(found, torque, rtol=1e-10)
    rtol = 1e-10 if integrator == "semi_implicit" else 1e-2
    np.testing.assert_allclose((simulator.v - v) / dt, a, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_momentum_of_what_floats_stays(integrator: str) -> None:
    """A floating figure moves its joints and turns by it: nothing acts from outside."""
    model, state = floating(), thrown(floating(), 3)
    here = {name: state["q"][model.q_slice(name)].copy() for name in ("hinge", "cross")}
    given = {
        "hinge": lambda t: here["hinge"][0] + 0.8 * np.sin(9.0 * t),
        "cross": lambda t: here["cross"] + np.array([0.5, -0.7]) * np.sin(7.0 * t) ** 2,
    }
    drift = []
    for dt in (2e-3, 1e-3) if integrator == "rk4" else (1e-3, 5e-4):
        run = kg.Simulator(model, dt=dt, integrator=integrator, driven=given, **state).run(0.5)
        drift.append(abs(run.momentum - run.momentum[0]).max())
    assert drift[1] < (1e-7 if integrator == "rk4" else 3e-2)
    assert drift[1] < drift[0] * (1 / 12 if integrator == "rk4" else 0.6)
    energy = run.energy.sum(axis=1)
    assert np.ptp(energy) > 1.0  # the joints work
    swift = kg.Simulator(model, dt=2e-3, integrator=integrator, driven=given, **state).run(0.5)  # more than 0.03 rad
    assert abs(swift.momentum - swift.momentum[0]).max() < (1e-5 if integrator == "rk4" else 1e-8)


def test_work_of_the_driving_torques_is_energy() -> None:
    model = kapitza()
    left = []
    for dt in (2e-3, 1e-3):
        run = kg.Simulator(model, dt=dt, integrator="rk4", driven={"pivot": shaken}, q=[0, 0.3]).run(0.6)
        power = (run.tau * run.v).sum(axis=1)[:-2]
        simpson = dt / 3 * (power[0] + 4 * power[1::2].sum() + 2 * power[2:-1:2].sum() + power[-1])
        energy = run.energy.sum(axis=1)
        left.append(abs(energy[len(power) - 1] - energy[0] - simpson))
    assert left[1] < 2e-4 and left[1] < left[0] / 10


def test_the_torques_that_are_told_make_the_motion() -> None:
    """Euler: torques of a driven motion, given to one that is free to move, make the same motion.

    The motion is one that Euler can make: its velocities are those of the step behind.
    """
    model, rng = damped(), np.random.default_rng(2)
    q, v, tau = rng.normal(size=5), rng.normal(size=5), rng.normal(size=5)
    t = 1e-3 * np.arange(-2, 301)[:, None]
    places = {"elbow": np.sin(3.0 * t), "wrist": np.hstack([np.cos(2 * t), np.sin(4 * t)])}
    course = {}
    for name, place in places.items():
        speed = np.diff(place, axis=0) / 1e-3
        course[name] = (place[2:], speed[1:], np.diff(speed, axis=0) / 1e-3)
    driven = kg.Simulator(model, driven=course, q=q, v=v, tau=tau)
    start, run = {"q": driven.q, "v": driven.v}, driven.run(0.3)
    free = kg.Simulator(model, tau=run.tau[:-1], **start).run(0.3)
    assert abs(run.tau[:, 1:4] - tau[1:4]).max() > 1.0
    np.testing.assert_array_equal(run.tau[:, [0, 4]], np.tile(tau[[0, 4]], (len(run), 1)))
    np.testing.assert_allclose(free.q, run.q, atol=1e-9)
    np.testing.assert_allclose(free.v, run.v, atol=1e-8)


def test_the_torques_make_the_motion_where_a_limit_stops_another_joint() -> None:
    """The elbow swings into its stop while the shoulder goes as it is told; forces of the stop are in its torque."""
    links = [kg.Link(name, 1.0, (0, 0, -0.25), ARM) for name in ("upper", "lower")]
    joints = [
        kg.Joint("shoulder", "revolute", "world", "upper", axis=(0, 1, 0)),
        kg.Joint("elbow", "revolute", "upper", "lower", kg.Pose((0, 0, -0.5)), axis=(0, 1, 0), limits=(-0.2, 0.2)),
    ]
    model = kg.compile(kg.Mechanism("stopped", links, joints))
    t = 1e-3 * np.arange(-2, 401)
    speed = np.diff(0.5 * np.cos(12 * t)) / 1e-3
    course = (0.5 * np.cos(12 * t[2:]), speed[1:], np.diff(speed) / 1e-3)
    driven = kg.Simulator(model, driven={"shoulder": course})
    start, run = {"q": driven.q, "v": driven.v}, driven.run(0.4)
    free = kg.Simulator(model, tau=run.tau[:-1], **start).run(0.4)
    assert abs(run.q[:, 1]).max() == pytest.approx(0.2, abs=1e-9)
    np.testing.assert_allclose(free.q, run.q, atol=1e-8)


# ---- Every way to give a motion


def test_all_ways_to_give_a_motion_agree() -> None:
    t = 1e-3 * np.arange(401)
    q, v, a = np.array([shaken(x) for x in t]).T
    exact: Callable[[float], Any] = shaken
    ways: list[tuple[Any, float]] = [
        (exact, 0.0),
        ((q, v, a), 1e-15),
        (lambda t: shaken(t)[0], 1e-10),
        (q, 1e-10),
        (q[:, None], 1e-10),
    ]
    for integrator in INTEGRATORS:
        runs = []
        for way, _ in ways:
            run = kg.Simulator(kapitza(), integrator=integrator, driven={"pivot": way}, q=[0, 0.3]).run(0.4, every=3)
            runs.append(run)
        for run, (_, error) in zip(runs[1:], ways[1:], strict=True):
            np.testing.assert_allclose(run.q, runs[0].q, rtol=0, atol=error)
            np.testing.assert_allclose(run.tau, runs[0].tau, rtol=0, atol=1e5 * error + 1e-11)


def test_a_joint_that_is_held_at_a_number() -> None:
    """As the rest of the mechanism with that joint fixed; its torque carries the weight."""
    simulator = kg.Simulator(damped(), driven={"shoulder": 0.4, "elbow": 0.2, "wrist": [0.1, -0.2], "flap": 0.0})
    simulator.step(500)
    np.testing.assert_array_equal(simulator.q, [0.4, 0.2, 0.1, -0.2, 0.0])
    np.testing.assert_array_equal(simulator.v, np.zeros(5))
    held = damped().gravity(simulator.q) - damped().passive_forces(simulator.q, simulator.v)
    np.testing.assert_allclose(np.concatenate(list(simulator.driving.values())), held, atol=1e-12)


def test_rows_end_and_motions_may_be_changed() -> None:
    rows = 0.01 * np.sin(0.05 * np.arange(301))
    simulator = kg.Simulator(kapitza(), driven={"pivot": rows}, q=[0, 0.3])
    simulator.step(120)
    twin = copy.copy(simulator)
    simulator.step(180), twin.step(180)
    np.testing.assert_array_equal(simulator.q, twin.q)
    assert simulator.q[0] == rows[300]
    with pytest.raises(kg.SimulationError, match=r"the 301 rows of joint 'pivot'.* end at t = 0.3 s"):
        simulator.step()
    simulator.driven = {"pivot": rows[::-1].copy()}
    assert simulator.q[0] == rows[300]
    simulator.step(300)
    assert simulator.q[0] == rows[0] and simulator.driven["pivot"] is not None
    simulator.driven = None
    simulator.step(10)
    assert simulator.driving == {} and abs(simulator.q[0]) > 1e-5  # it falls


# ---- Contact


@cache
def platform() -> kg.Model:
    box = kg.Link("box", 2.0, inertia=kg.inertia.box(2.0, (0.2, 0.2, 0.2)), shapes=[kg.box((0.2, 0.2, 0.2))])
    plate = kg.Link("plate", 1.0, inertia=kg.inertia.box(1.0, (1, 1, 0.1)), shapes=[kg.box((1, 1, 0.1))])
    joints = [
        kg.Joint("lift", "prismatic", "world", "plate", axis=(0, 0, 1)),
        kg.Joint("flight", "free", "world", "box"),
    ]
    return kg.compile(kg.Mechanism("platform", [plate, box], joints))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_platform_lifts_what_lies_on_it(integrator: str) -> None:
    """It carries both weights and accelerations, meets the falling box with its impulse, and never gives way."""
    model = platform()

    def course(t: float) -> tuple[float, float, float]:
        return 0.05 * np.sin(6 * t), 0.3 * np.cos(6 * t), -1.8 * np.sin(6 * t)

    start = [0, 0, 0, 0.2, 0, 0, 0, 1]
    simulator = kg.Simulator(model, integrator=integrator, driven={"lift": course}, q=start)
    run = simulator.run(1.0)
    np.testing.assert_array_equal(run.q[:, 0], [course(t)[0] for t in run.t])
    momentum = 1.0 * run.v[:, 0] + 2.0 * run.v[:, 3]
    impulse = 1e-3 * (np.cumsum(run.tau[:-1, 0]) - 3.0 * 9.81 * np.arange(1, len(run)))
    np.testing.assert_allclose(momentum[1:] - momentum[0], impulse, atol=5e-3)
    resting = run.t[:-1] > 0.6
    carried = 3.0 * (9.81 + np.array([course(t)[2] for t in run.t[:-1]]))
    assert np.quantile(abs(run.tau[:-1, 0] - carried)[resting], 0.98) < 0.05
    assert abs(run.q[-1, 3] - run.q[-1, 0] - 0.15) < 2e-4


# ---- What is refused


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"pivto": 0.0}, r"driven: model 'kapitza' has no joint 'pivto'; it has: pivot"),
        ({"pivot": [0.0, 0.1, np.nan]}, r"driven: joint 'pivot': entry \(2, 0\) is nan"),
        ({"pivot": np.zeros((4, 2))}, r"joint 'pivot': expected shape \(n,\), n > 1"),
        ({"pivot": [0.1]}, r"joint 'pivot': expected shape \(n,\), n > 1"),
        ({"pivot": "up"}, r"joint 'pivot': expected float64 numbers"),
        ({"pivot": lambda t: [1.0, 2.0]}, r"joint 'pivot' at t = 0 s: expected shape \(1,\), got \(2,\)"),
        ({"pivot": lambda t: np.inf}, r"joint 'pivot' at t = 0 s: entry 0 is inf"),
        (["pivot"], r"driven: expected \{joint: motion\}, got list"),
    ],
)
def test_what_is_wrong_is_refused_by_name(given: Any, message: str) -> None:
    with pytest.raises(kg.ModelError, match=message):
        kg.Simulator(kapitza(), driven=given)


def test_joints_that_cannot_be_told_are_named() -> None:
    with pytest.raises(kg.ModelError, match=r"joint 'ball' \(spherical\) has no coordinates that add.*kg.gimbal"):
        kg.Simulator(floating(), driven={"ball": [0, 0, 0, 1]})
    with pytest.raises(kg.ModelError, match=r"tau: joint 'pivot' is driven: its torque follows from its motion"):
        kg.Simulator(kapitza(), driven={"pivot": 0.0}, tau={"pivot": 1.0})


def test_rates_that_do_not_fit_are_refused() -> None:
    wrong = {
        "velocity": lambda t: (np.sin(t), -np.cos(t), -np.sin(t)),
        "acceleration": lambda t: (np.sin(t), np.cos(t), np.sin(t) + 5.0),
    }
    for what, course in wrong.items():
        with pytest.raises(kg.SimulationError, match=rf"joint 'pivot' is told the {what} .* where its .* changes by"):
            kg.Simulator(kapitza(), driven={"pivot": course}).step(10)


def resting(order: int) -> Callable[[float], tuple[float, float, float]]:
    """A motion whose velocity (order 1) or acceleration (2) comes to rest after each 0.1001 s and goes on."""
    w = 2 * np.pi / 0.1001

    def motion(t: float) -> tuple[float, float, float]:
        x, sine, cosine = w * t, np.sin(w * t), np.cos(w * t)
        if order == 1:
            return 0.02 * (x - sine), 0.02 * w * (1 - cosine), 0.02 * w * w * sine
        return 0.02 * (x * x / 2 + cosine - 1), 0.02 * w * (x - sine), 0.02 * w * w * (1 - cosine)

    return motion


@pytest.mark.parametrize("order", [1, 2])
def test_rates_that_rest_in_the_middle_of_a_step_and_go_on_are_taken(order: int) -> None:
    motion, dt = resting(order), 2e-4
    table = tuple(np.array([motion(i * dt) for i in range(1001)]).T)
    runs = []
    for course in (motion, table, lambda t: motion(t)[0]):
        runs.append(kg.Simulator(kapitza(), dt=dt, q=[0, 0.3], driven={"pivot": course}).run(0.2).q)
    np.testing.assert_array_equal(runs[0][:, 0], table[0])
    for run in runs[1:]:
        np.testing.assert_allclose(run, runs[0], rtol=0, atol=1e-8)
    single = kg.Simulator(kapitza(), dt=dt, q=[0, 0.3], driven={"pivot": motion})
    for _ in range(1000):
        single.step()
    np.testing.assert_array_equal(single.q, runs[0][-1])


def test_a_motion_beyond_the_limits_is_refused() -> None:
    joint = kg.Joint("slide", "prismatic", "world", "mass", axis=(1, 0, 0), limits=(-0.1, 0.1))
    model = kg.compile(kg.Mechanism("limited", [kg.Link("mass", 1.0)], [joint]))
    with pytest.raises(kg.SimulationError, match=r"joint 'slide' is to be at \[0.1.*beyond its limits"):
        kg.Simulator(model, driven={"slide": lambda t: t}).run(1.0)
    simulator = kg.Simulator(model, driven={"slide": lambda t: t}, limits=False)
    simulator.step(500)
    assert simulator.q[0] == 0.5
