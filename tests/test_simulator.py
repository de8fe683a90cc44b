"""Simulated motion: conservation laws, orders of convergence, exact solutions, controllers, failures, files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import unit_mass
from scipy.special import ellipj

from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime import Model, SimulationError, Simulator, Trajectory
from kinegen.runtime.errors import ModelError

SKEW_INERTIA = (0.11, 0.01, -0.02, 0.13, 0.015, 0.08)


def links(n: int) -> list[Link]:
    return [Link(f"l{i}", 1.0 + 0.2 * i, (0.02 * i, 0.05, -0.2), SKEW_INERTIA) for i in range(n)]


@cache
def floating(gravity: float = 0.0) -> Model:
    """A free body with an arm of a ball and a hinge, and a planar and a universal joint beside it."""
    joints = [
        Joint("base", "free", "world", "l0"),
        Joint("ball", "spherical", "l0", "l1", Pose((0.1, 0.0, -0.3))),
        Joint("hinge", "revolute", "l1", "l2", Pose((0.0, 0.0, -0.4), (0.2, 0.1, 0.0)), axis=(0, 1, 0)),
        Joint("plane", "planar", "l0", "l3", Pose((0.0, 0.2, 0.2), (0.3, 0.0, 0.5))),
        Joint("cross", "universal", "l0", "l4", Pose((0.0, -0.2, 0.2))),
    ]
    return Model.load(compile_mechanism(Mechanism("floating", links(5), joints, gravity=(0.0, 0.0, gravity))))


@cache
def spherical_chain() -> Model:
    joints = [Joint(f"j{i}", "spherical", f"l{i - 1}" if i else "world", f"l{i}", Pose((0, 0, -0.4))) for i in range(3)]
    return Model.load(compile_mechanism(Mechanism("chain", links(3), joints)))


@cache
def body(a: float, b: float, c: float) -> Model:
    """A free body without gravity, by its principal moments of inertia."""
    link = Link("body", 2.0, (0.0, 0.0, 0.0), (a, 0.0, 0.0, b, 0.0, c))
    return Model.load(
        compile_mechanism(Mechanism("body", [link], [Joint("base", "free", "world", "body")], gravity=(0.0, 0.0, 0.0)))
    )


@cache
def slider(**options: float) -> Model:
    """One kilogram on a horizontal slide."""
    joint = Joint("slide", "prismatic", "world", "mass", axis=(1, 0, 0), **options)
    return Model.load(compile_mechanism(Mechanism("slider", [Link("mass", 1.0)], [joint])))


def thrown(model: Model, seed: int = 0, speed: float = 1.5) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"q": model.random(rng), "v": speed * rng.normal(size=model.nv)}


# ---- Conservation and convergence


@pytest.mark.parametrize("model", [spherical_chain, lambda: floating(-9.81)])
def test_energy_drift_of_rk4_falls_with_the_fourth_power(model: Any) -> None:
    model = model()
    drifts = []
    for dt in (8e-3, 4e-3, 2e-3):
        energy = Simulator(model, dt=dt, integrator="rk4", **thrown(model)).run(1.6).energy.sum(axis=1)
        drifts.append(np.abs(energy - energy[0]).max())
    orders = np.log2(np.array(drifts[:-1]) / drifts[1:])
    assert orders.min() > 3.6, drifts


@pytest.mark.parametrize("integrator, order", [("semi_implicit", 1), ("rk4", 4)])
def test_states_converge_with_the_order_of_the_method(integrator: str, order: int) -> None:
    model = floating(-9.81)
    start = thrown(model, seed=1)
    reference = Simulator(model, dt=1e-4, integrator="rk4", **start)
    reference.step(5000)
    errors = []
    for dt in (1e-2, 5e-3, 2.5e-3):
        simulator = Simulator(model, dt=dt, integrator=integrator, **start)
        simulator.step(round(0.5 / dt))
        errors.append(
            np.abs(model.difference(reference.q, simulator.q)).max() + np.abs(reference.v - simulator.v).max()
        )
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert abs(orders[-1] - order) < 0.35, (errors, orders)


def test_momentum_of_a_floating_figure_is_constant() -> None:
    model = floating()
    momentum = Simulator(model, dt=2.5e-4, integrator="rk4", **thrown(model)).run(1.0, every=20).momentum
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(momentum), 1)), atol=1e-10)


def test_momentum_changes_by_gravity_alone() -> None:
    model = floating(-9.81)
    mass = sum(link.mass for link in links(5))
    trajectory = Simulator(model, dt=2.5e-4, integrator="rk4", **thrown(model)).run(0.5, every=100)
    expected = trajectory.momentum[0] + np.outer(trajectory.t, [0.0, 0.0, -9.81 * mass, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(trajectory.momentum, expected, atol=1e-9)


# ---- Exact solutions


def test_free_body_against_jacobi_elliptic_functions() -> None:
    a, b, c = 0.5, 0.8, 1.2  # principal moments, a < b < c
    w1, w3 = 0.4, 1.5
    # Landau & Lifshitz, Mechanics, paragraph 37, for M^2 > 2 E b, from w2 = 0
    energy2, momentum2 = a * w1**2 + c * w3**2, (a * w1) ** 2 + (c * w3) ** 2
    assert momentum2 > energy2 * b
    rate = np.sqrt((c - b) * (momentum2 - energy2 * a) / (a * b * c))
    m = (b - a) * (energy2 * c - momentum2) / ((c - b) * (momentum2 - energy2 * a))
    trajectory = Simulator(body(a, b, c), dt=1e-3, integrator="rk4", v=[0, 0, 0, w1, 0, w3]).run(10.0, every=50)
    sn, cn, dn, _ = ellipj(rate * trajectory.t, m)
    first = np.sqrt((energy2 * c - momentum2) / (a * (c - a)))
    second = np.sqrt((energy2 * c - momentum2) / (b * (c - b)))
    third = np.sqrt((momentum2 - energy2 * a) / (c * (c - a)))
    expected = np.stack([first * cn, second * sn, third * dn], axis=1)
    if abs(trajectory.v[1, 4] + expected[1, 1]) < abs(trajectory.v[1, 4] - expected[1, 1]):
        expected[:, 1] *= -1.0  # the formulas leave the sense of w2 open
    np.testing.assert_allclose(trajectory.v[:, 3:], expected, atol=1e-10)


def test_symmetric_top_keeps_its_attitude_in_closed_form() -> None:
    a, c, w1, w3 = 0.6, 0.9, 0.7, 2.0
    trajectory = Simulator(body(a, a, c), dt=1e-3, integrator="rk4", v=[0.3, 0, 0, w1, 0, w3]).run(5.0, every=100)
    # R(t) = exp(t L/a) exp(t (1 - c/a) w3 e3): precession about the momentum L, spin about the axis of the figure
    momentum = np.array([a * w1, 0.0, c * w3])
    for t, q in zip(trajectory.t, trajectory.q, strict=True):
        expected = quaternion_product(
            quaternion(t * momentum / a), quaternion(np.array([0.0, 0.0, t * (1 - c / a) * w3]))
        )
        assert abs(q[3:] @ expected) == pytest.approx(1.0, abs=1e-12)
        np.testing.assert_allclose(q[3:] * np.sign(q[3:] @ expected), expected, atol=1e-9)
        np.testing.assert_allclose(q[:3], [0.3 * t, 0.0, 0.0], atol=1e-10)


def quaternion(rotation: np.ndarray) -> np.ndarray:
    """(4) [x y z w] of a rotation vector."""
    angle = np.linalg.norm(rotation)
    if angle == 0.0:
        return np.array([0.0, 0.0, 0.0, 1.0])
    return np.array([*(np.sin(angle / 2) / angle * rotation), np.cos(angle / 2)])


def quaternion_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([*(a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])), a[3] * b[3] - a[:3] @ b[:3]])


@pytest.mark.parametrize("integrator, tolerance", [("semi_implicit", 5e-3), ("rk4", 1e-10)])
def test_damped_spring_against_its_closed_form(integrator: str, tolerance: float) -> None:
    k, c, x0 = 40.0, 1.2, 0.7
    model = slider(stiffness=k, damping=c, rest=0.2)
    trajectory = Simulator(model, dt=1e-3, integrator=integrator, q=[x0]).run(3.0)
    decay, rate = c / 2, np.sqrt(k - c * c / 4)
    t = trajectory.t
    expected = 0.2 + (x0 - 0.2) * np.exp(-decay * t) * (np.cos(rate * t) + decay / rate * np.sin(rate * t))
    np.testing.assert_allclose(trajectory.q[:, 0], expected, atol=tolerance)


def test_a_spring_keeps_its_energy_under_semi_implicit_euler() -> None:
    model = slider(stiffness=100.0)
    trajectory = Simulator(model, dt=1e-3, q=[1.0]).run(200.0, every=100)
    energy = 0.5 * trajectory.v[:, 0] ** 2 + 50.0 * trajectory.q[:, 0] ** 2
    assert np.abs(energy / energy[0] - 1.0).max() < 0.011  # dt/2 sqrt(k/m), and no trend:
    assert abs(energy[:200].mean() - energy[-200:].mean()) < 1e-3 * energy[0]


@pytest.mark.parametrize("damping", [1e3, 1e6, 1e9])
def test_strong_dampers_are_stable_under_semi_implicit_euler(damping: float) -> None:
    trajectory = Simulator(slider(damping=damping), dt=1e-2, v=[1.0]).run(1.0)
    speed = np.abs(trajectory.v[:, 0])
    assert (np.diff(speed) <= 0.0).all() and speed[1] <= 1.0 / (1.0 + 1e-2 * damping) * 1.0001


def test_dry_friction_stops_and_holds() -> None:
    model = slider(friction=2.0)
    trajectory = Simulator(model, dt=1e-3, v=[1.0]).run(1.0)
    assert trajectory.q[-1, 0] == pytest.approx(1.0 / (2 * 2.0), abs=3e-3)  # v^2 / (2 friction/m)
    assert abs(trajectory.v[-1, 0]) < 1e-9
    assert (np.diff(np.abs(trajectory.v[:, 0])) <= 1e-15).all()
    held = Simulator(model, dt=1e-3, tau=[1.0])
    held.step(2000)
    assert 0.0 < held.v[0] < 1e-3  # below the friction it creeps at less than the slip speed
    pulled = Simulator(model, dt=1e-3, tau=[3.0])
    pulled.step(1000)
    assert pulled.v[0] == pytest.approx(1.0, abs=2e-2)  # implicit friction lags one step behind


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_passive_forces_act_as_torques_would(integrator: str) -> None:
    options = {"damping": 0.3, "stiffness": 2.0}
    kinds = ("spherical", "revolute", "planar")
    passive = Model.load(compile_mechanism(unit_mass.chain(kinds, **options)))
    plain = Model.load(compile_mechanism(unit_mass.chain(kinds)))
    start = thrown(plain, seed=4, speed=0.5)
    first = Simulator(passive, dt=1e-4, integrator=integrator, **start)
    second = Simulator(plain, dt=1e-4, integrator=integrator, **start, tau=lambda t, q, v: passive.passive_forces(q, v))
    first.step(500)
    second.step(500)
    np.testing.assert_allclose(first.q, second.q, atol=2e-5)
    np.testing.assert_allclose(first.v, second.v, atol=2e-4)


def test_a_spinning_body_flies_straight_under_semi_implicit_euler() -> None:
    model = body(0.5, 0.8, 1.2)
    trajectory = Simulator(model, dt=1e-2, v=[3.0, -1.0, 2.0, 4.0, 0.0, 1.0]).run(5.0)
    np.testing.assert_allclose(trajectory.q[:, :3], np.outer(trajectory.t, [3.0, -1.0, 2.0]), atol=1e-12)
    np.testing.assert_allclose(trajectory.momentum[:, :3], np.tile([6.0, -2.0, 4.0], (501, 1)), atol=1e-12)


def test_a_sliding_disc_flies_straight_under_semi_implicit_euler() -> None:
    link = Link("disc", 2.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.2))
    model = Model.load(compile_mechanism(Mechanism("disc", [link], [Joint("plane", "planar", "world", "disc")])))
    trajectory = Simulator(model, dt=1e-2, v=[3.0, -1.0, 7.0]).run(5.0)
    np.testing.assert_allclose(trajectory.q[:, :2], np.outer(trajectory.t, [3.0, -1.0]), atol=1e-12)
    np.testing.assert_allclose(trajectory.q[-1, 2:], [np.cos(35.0), np.sin(35.0)], atol=1e-12)


# ---- Torques, time, state


def test_torques_as_array_rows_and_function_agree() -> None:
    model = floating()
    tau = np.random.default_rng(3).normal(size=model.nv)
    ways = (tau, np.tile(tau, (400, 1)), lambda t, q, v: tau)
    runs = [Simulator(model, tau=way, **thrown(model)).run(0.4, every=7) for way in ways]
    for run in runs:
        np.testing.assert_array_equal(run.q, runs[0].q)
        np.testing.assert_array_equal(run.tau, np.tile(tau, (len(run), 1)))
        np.testing.assert_allclose(run.t, [*(7e-3 * np.arange(58)), 0.4], atol=1e-15)


@pytest.mark.parametrize("every", [1, 3, 100, 256, 257, 300, 1000, 5000])
def test_records_are_the_states_of_single_steps(every: int) -> None:
    model = slider(damping=0.1)
    tau = np.sin(0.01 * np.arange(1000))[:, None]
    fine = Simulator(model, tau=tau, v=[1.0]).run(1.0)
    coarse = Simulator(model, tau=tau, v=[1.0]).run(1.0, every=every)
    at = sorted({*range(0, 1001, every), 1000})
    np.testing.assert_array_equal(coarse.q, fine.q[at])
    np.testing.assert_array_equal(coarse.v, fine.v[at])
    np.testing.assert_array_equal(coarse.tau, tau[[min(i, 999) for i in at]])
    np.testing.assert_allclose(coarse.t, 1e-3 * np.array(at), rtol=1e-14)


def test_a_controller_sees_the_state_and_cannot_change_it() -> None:
    seen = []

    def controller(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        seen.append((t, q[0], v[0]))
        q[:] = v[:] = 99.0
        return [0.0]

    Simulator(slider(), dt=0.1, tau=controller, v=[1.0]).run(0.3)
    np.testing.assert_allclose(seen, [(0.0, 0.0, 1.0), (0.1, 0.1, 1.0), (0.2, 0.2, 1.0)])


def test_rows_of_torques_run_out() -> None:
    simulator = Simulator(slider(), tau=np.ones((300, 1)))
    with pytest.raises(SimulationError, match=r"tau: its 300 rows, one per step, end at t = 0.3 s") as caught:
        simulator.run(1.0)
    assert caught.value.trajectory is not None and len(caught.value.trajectory) == 301
    assert simulator.t == pytest.approx(0.3)
    simulator.tau = np.full((10, 1), 2.0)
    simulator.step(10)
    assert simulator.t == pytest.approx(0.31) and simulator.v[0] == pytest.approx(0.32)


def test_steps_and_runs_continue_each_other() -> None:
    model = floating()
    one, two = (Simulator(model, integrator="rk4", **thrown(model)) for _ in range(2))
    one.step(300)
    two.step()
    two.step(99)
    first = two.run(0.1)
    second = two.run(0.1)
    np.testing.assert_array_equal(one.q, two.q)
    assert first.t[0] == pytest.approx(0.1) and second.t[0] == first.t[-1] == pytest.approx(0.2)
    assert two.t == pytest.approx(0.3)


def test_save_and_restore() -> None:
    simulator = Simulator(slider(stiffness=3.0), q=[1.0])
    simulator.step(10)
    kept = simulator.save()
    first = simulator.run(0.1)
    simulator.restore(kept)
    assert simulator.t == pytest.approx(0.01)
    np.testing.assert_array_equal(simulator.run(0.1).q, first.q)


def test_state_can_be_read_and_assigned_but_not_reached_into() -> None:
    simulator = Simulator(slider())
    simulator.q[0] = 5.0
    assert simulator.q[0] == 0.0
    simulator.q, simulator.v = [2], [3]
    assert simulator.q[0] == 2.0 and simulator.v[0] == 3.0
    with pytest.raises(ModelError, match=r"q: expected shape \(1,\), got \(2,\)"):
        simulator.q = [1.0, 2.0]
    assert simulator.q[0] == 2.0


def test_start_is_home() -> None:
    joint = Joint("hinge", "revolute", "world", "l0", limits=(0.5, 1.0))
    model = Model.load(compile_mechanism(Mechanism("limited", links(1), [joint])))
    assert Simulator(model).q[0] == 0.5


def test_quaternions_stay_units() -> None:
    model = floating()
    simulator = Simulator(model, dt=1e-3, **thrown(model, speed=1.0))
    q = simulator.run(20.0, every=1000).q
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:7], axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(q[:, 7:11], axis=1), 1.0, atol=1e-15)


# ---- What cannot go on


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("every", [1, 50])
def test_a_state_that_explodes(integrator: str, every: int) -> None:
    stiff = slider(stiffness=1e9)
    simulator = Simulator(stiff, dt=1e-2, integrator=integrator, q=[1.0])
    with pytest.raises(SimulationError, match=r"stops being finite in the step from t = .* joint 'slide'") as caught:
        simulator.run(10.0, every=every)
    trajectory = caught.value.trajectory
    assert trajectory is not None and np.isfinite(trajectory.q).all() and np.isfinite(trajectory.v).all()
    assert 0.0 < simulator.t < 10.0 and trajectory.t[-1] == simulator.t
    np.testing.assert_array_equal(trajectory.q[-1], simulator.q)
    with pytest.raises(SimulationError):
        simulator.step()
    np.testing.assert_array_equal(trajectory.q[-1], simulator.q)


BAD_TORQUES = {
    "nan": (lambda t, q, v: [0.0] * 8 + [float("nan")] + [0.0] * 6, r"entry 8, joint 'ball', is nan"),
    "shape": (lambda t, q, v: [0.0], r"expected shape \(15,\), got \(1,\)"),
    "none": (lambda t, q, v: None, ".* got NoneType None"),
    "complex": (lambda t, q, v: np.zeros(15, complex), ".* got dtype complex128"),
}


@pytest.mark.parametrize("case", BAD_TORQUES)
def test_a_controller_that_fails(case: str) -> None:
    bad, message = BAD_TORQUES[case]
    model = floating()
    simulator = Simulator(model, tau=lambda t, q, v: np.zeros(15) if t < 0.0195 else bad(t, q, v))
    with pytest.raises(SimulationError, match=rf"tau\(t, q, v\) at t = 0.02 s: {message}") as caught:
        simulator.run(1.0)
    assert simulator.t == pytest.approx(0.02)
    assert caught.value.trajectory is not None and len(caught.value.trajectory) == 21


def test_errors_of_a_controller_are_its_own() -> None:
    def controller(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Simulator(slider(), tau=controller).step()


BAD_ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "dt zero": ({"dt": 0.0}, "dt: expected a positive number, got 0.0"),
    "dt negative": ({"dt": -1e-3}, "dt: expected a positive"),
    "dt nan": ({"dt": float("nan")}, "dt: .*nan"),
    "dt text": ({"dt": "fast"}, "dt: expected"),
    "integrator": ({"integrator": "euler"}, "unknown 'euler'; known: semi_implicit, rk4"),
    "q shape": ({"q": [1.0, 2.0]}, r"q: expected shape \(1,\), got \(2,\)"),
    "q batch": ({"q": [[1.0]]}, r"q: expected shape \(1,\), got \(1, 1\)"),
    "v nan": ({"v": [float("nan")]}, "v: entry 0 is nan"),
    "tau shape": ({"tau": [1.0, 2.0]}, "tau: expected shape"),
    "tau deep": ({"tau": np.zeros((2, 2, 1))}, r"tau: expected shape \(1,\) or \(steps, 1\)"),
    "tau inf": ({"tau": [float("inf")]}, "tau: entry 0 is inf"),
    "contacts": ({"contacts": True}, "model 'slider' was compiled without contacts"),
    "active": ({"active": {"grip"}}, r"model 'slider' has no connections, got \['grip'\]"),
}


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_arguments(case: str) -> None:
    arguments, message = BAD_ARGUMENTS[case]
    with pytest.raises(ModelError, match=message):
        Simulator(slider(), **arguments)


def test_bad_calls() -> None:
    simulator = Simulator(slider(), contacts=False, active=())
    for call, message in (
        (lambda: simulator.step(-1), "n: expected a whole number of at least 0, got -1"),
        (lambda: simulator.step(1.5), "n: expected a whole number"),
        (lambda: simulator.step(True), "n: expected a whole number"),
        (lambda: simulator.run(-1.0), "duration: expected a time of at least 0"),
        (lambda: simulator.run(float("inf")), "duration"),
        (lambda: simulator.run(1.0, every=0), "every: expected a whole number of at least 1, got 0"),
        (lambda: simulator.connect("grip"), "has no connections, got 'grip'"),
        (lambda: simulator.cut("grip"), "has no connections, got 'grip'"),
        (lambda: Simulator("slider"), "model: expected a compiled Model, got str"),
    ):
        with pytest.raises(ModelError, match=message):
            call()
    assert simulator.t == 0.0
    with pytest.raises(ModelError, match="quaternion"):
        Simulator(spherical_chain(), q=np.zeros(12))


def test_progress_is_told() -> None:
    told: list[float] = []
    Simulator(slider()).run(1.0, progress=told.append)
    assert told == sorted(told) and told[-1] == 1.0
    assert len(Simulator(slider()).run(0.1, progress=True)) == 101


def test_a_run_of_no_time_is_one_state() -> None:
    trajectory = Simulator(slider(), v=[1.0]).run(0.0)
    assert len(trajectory) == 1 and trajectory.v[0, 0] == 1.0


# ---- Trajectories


def test_trajectory_through_a_file(tmp_path: Path) -> None:
    model = floating(-9.81)
    trajectory = Simulator(model, tau=np.full(model.nv, 0.1), **thrown(model)).run(0.1)
    trajectory.save(tmp_path / "motion.npz")
    back = Trajectory.load(tmp_path / "motion.npz")
    for name in ("t", "q", "v", "tau", "energy", "momentum"):
        np.testing.assert_array_equal(getattr(back, name), getattr(trajectory, name))
    assert (back.name, back.joints, back.events) == (trajectory.name, trajectory.joints, trajectory.events)
    np.testing.assert_array_equal(back.joint("hinge")[0], trajectory.q[:, model.q_slice("hinge")])
    again = Trajectory.load(tmp_path / "motion.npz", model=model)
    np.testing.assert_array_equal(again[3:].energy, trajectory.energy[3:])


def test_slices_of_a_trajectory() -> None:
    trajectory = Simulator(slider(), v=[1.0]).run(0.01)
    assert len(trajectory) == 11 and len(trajectory[2:8:2]) == 3 and len(trajectory[-1]) == 1
    np.testing.assert_array_equal(trajectory[2:8:2].t, trajectory.t[2:8:2])
    np.testing.assert_array_equal(trajectory[-1].q, trajectory.q[-1:])
    assert [len(part) for part in trajectory] == [1] * 11
    with pytest.raises(IndexError):
        trajectory[11]
    assert "11 states" in repr(trajectory) and "empty" in repr(trajectory[5:5])


def test_files_that_are_no_trajectory(tmp_path: Path) -> None:
    good = tmp_path / "good.npz"
    Simulator(slider()).run(0.01).save(good)
    data = dict(np.load(good))
    cases: dict[str, dict[str, Any]] = {
        "missing": {key: data[key] for key in ("about", "t", "q", "v")},
        "sizes": {**data, "q": data["q"][:-1]},
        "nan": {**data, "v": np.full_like(data["v"], np.nan)},
        "format": {**data, "about": np.array('{"format": "another"}')},
        "json": {**data, "about": np.array("{")},
        "pickle": {**data, "t": np.array([{"a": 1}], dtype=object)},
    }
    for name, arrays in cases.items():
        np.savez(tmp_path / f"{name}.npz", **arrays)
    (tmp_path / "text.npz").write_text("no zip")
    (tmp_path / "empty.npz").write_text("")
    for name in (*cases, "text", "empty", "absent"):
        with pytest.raises(ModelError, match=name):
            Trajectory.load(tmp_path / f"{name}.npz")
    with pytest.raises(ModelError, match="cannot write"):
        Simulator(slider()).run(0.01).save(tmp_path / "no" / "folder.npz")


def test_plots_name_the_joints(tmp_path: Path) -> None:
    model = floating()
    trajectory = Simulator(model, tau=np.ones(model.nv), **thrown(model)).run(0.05)
    figure = trajectory.plot(tmp_path / "all.png")
    assert (tmp_path / "all.png").stat().st_size > 10_000
    assert len(figure.axes) == 3 and figure.axes[-1].get_xlabel() == "time [s]"
    figure = trajectory.plot(joints=["hinge", "cross"])
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["hinge", "cross first", "cross second"]
    with pytest.raises(ModelError, match="no joint 'knee'; it has: base"):
        trajectory.plot(joints=["knee"])


def test_a_trajectory_without_model_says_so() -> None:
    run = Simulator(slider()).run(0.01)
    bare = Trajectory(run.t, run.q, run.v, run.tau, joints=run.joints)
    with pytest.raises(ModelError, match="energy: the trajectory has no model"):
        _ = bare.energy
    with pytest.raises(ModelError, match="v: expected shape"):
        Trajectory(run.t, run.q, run.v[1:], run.tau, joints=run.joints)
