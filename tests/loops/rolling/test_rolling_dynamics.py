"""What rolls in motion: accelerations by dense multipliers, energy, textbooks' steady rolling, balls on tables."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.analysis.loops.assembly import Assembly
from support.oracles.disc import steady
from support.oracles.numeric import Array
from support.rolling.mechanisms import MASS, RADIUS, ROLLING, TILTED, TYRE, ball, disc, turntable
from support.rolling.oracle import accelerations, slip_rows, state

GRAVITY = 9.81


@cache
def model(name: str) -> kg.Model:
    return kg.compile(ROLLING[name]())


def slip(compiled: kg.Model, mechanism: kg.Mechanism, q: Array, v: Array) -> float:
    return max(float(np.abs(slip_rows(mechanism, x) @ u).max()) for x, u in zip(q, v, strict=True))


@pytest.mark.parametrize("name", ROLLING)
def test_accelerations_against_dense_multipliers(name: str) -> None:
    compiled, mechanism = model(name), ROLLING[name]()
    closing = Assembly(mechanism, ())
    for seed in range(6):
        q, v = compiled.project(*state(closing, seed))
        tau = np.random.default_rng(seed).normal(size=compiled.nv)
        wanted = accelerations(mechanism, closing.moved, q, v, tau)
        np.testing.assert_allclose(
            compiled.forward_dynamics(q, v, tau), wanted, atol=1e-7 * max(1.0, np.abs(wanted).max())
        )


def leaning() -> tuple[Array, Array]:
    """A disc that leans and rolls on fast enough not to fall."""
    q = np.array([0.0, 0.0, RADIUS * np.cos(0.2), np.sin(0.1), 0.0, 0.0, np.cos(0.1)])
    return q, np.array([0.0, 0.0, 0.0, 0.1, 5.0, 0.3])


@pytest.mark.parametrize("name", ROLLING)
def test_runge_kutta_keeps_energy_plane_and_rows(name: str) -> None:
    """Over ten seconds; the position's row to rounding, the velocities' rows at every step."""
    compiled, mechanism = model(name), ROLLING[name]()
    start = leaning() if name == "disc" else state(Assembly(mechanism, ()), 4)
    q, v = compiled.project(*start)
    trajectory = kg.Simulator(compiled, dt=2.5e-4, integrator="rk4", q=q, v=v).run(10.0, every=400)
    energy = trajectory.energy.sum(axis=1)
    scale = max(abs(energy[0]), float(trajectory.energy[:, 0].max()))
    assert np.abs(energy - energy[0]).max() < 1e-8 * scale
    assert np.abs(compiled.closure_residual(trajectory.q)).max() < 1e-11
    speed = np.abs(trajectory.v).max()
    assert slip(compiled, mechanism, trajectory.q, trajectory.v) < 1e-12 * speed


def test_semi_implicit_steps_keep_plane_and_rows() -> None:
    """Energy to first order: half the step, half the error."""
    compiled, mechanism, lost = model("disc"), disc(), []
    q, v = compiled.project(*leaning())
    for dt in (1e-3, 5e-4):
        trajectory = kg.Simulator(compiled, dt=dt, q=q, v=v).run(1.0)
        energy = trajectory.energy.sum(axis=1)
        lost.append(float(np.abs(energy - energy[0]).max() / energy[0]))
        assert np.abs(compiled.closure_residual(trajectory.q)).max() < 1e-11
        assert slip(compiled, mechanism, trajectory.q, trajectory.v) < 1e-12
    assert lost[0] < 2e-2 and lost[1] == pytest.approx(0.5 * lost[0], rel=0.1)


@pytest.mark.parametrize("speed", [0.5, 3.1, 10.0])
@pytest.mark.parametrize("steps", [1, 2])
def test_an_upright_disc_rolls_straight_on(speed: float, steps: int) -> None:
    """Nothing slips along the rows that hold velocities alone, at 0.005 to 0.1 rad a step."""
    compiled = model("disc")
    q, v = upright(speed)
    run = kg.Simulator(compiled, dt=1e-3 / steps, q=q, v=v).run(1.0, every=steps)
    np.testing.assert_allclose(run.v[:, 4], speed / RADIUS, rtol=1e-9)
    np.testing.assert_allclose(run.q[:, 0], speed * run.t, rtol=3e-6)
    assert np.abs(run.q[:, 1]).max() < 1e-12


def test_semi_implicit_steps_of_a_rattleback_go_to_its_motion() -> None:
    """Its inertia lies oblique to the plane that it rocks in; energy does not grow, over twenty seconds of long steps
    neither."""
    angle = np.array([[np.cos(0.06), -np.sin(0.06), 0.0], [np.sin(0.06), np.cos(0.06), 0.0], [0.0, 0.0, 1.0]])
    stone = kg.Link("stone", 0.5, (0.0, 0.0, -0.188), angle @ np.diag((2e-4, 1.6e-3, 1.7e-3)) @ angle.T)
    base = kg.Joint("base", "free", "world", "stone", start=(0, 0, 0.2, 0, 0, 0, 1))
    compiled = kg.compile(kg.Mechanism("rattleback", [stone], [base, kg.rolling("stone", radius=0.15, tyre=0.05)]))
    q, v = compiled.project(compiled.q0, [0.0, 0.0, 0.0, 0.02, 0.02, 6.0])
    exact = kg.Simulator(compiled, dt=1e-3, integrator="rk4", q=q, v=v).run(2.0, every=40)
    wrong = []
    for steps, time in ((1, 20.0), (4, 2.0), (8, 2.0)):
        run = kg.Simulator(compiled, dt=1e-3 / steps, q=q, v=v).run(time, every=40 * steps)
        energy = run.energy.sum(axis=1)
        assert (energy - energy[0]).max() < 1e-5 * run.energy[0, 0]
        wrong += [float(np.abs(run.v - exact.v).max())] if len(run.t) == len(exact.t) else []
    assert wrong[0] < 0.1 and wrong[1] == pytest.approx(0.5 * wrong[0], rel=0.1)


@pytest.mark.parametrize(("tilt", "rate"), [(np.deg2rad(70.0), 3.0), (np.deg2rad(45.0), 6.0), (np.deg2rad(20.0), 12.0)])
def test_a_tilted_disc_rolls_in_its_circle(tilt: float, rate: float) -> None:
    """Lean, precession and the centre's circle of the steady motion in closed form, for two seconds."""
    motion = steady(tilt, rate, MASS, RADIUS, 0.0, GRAVITY)
    turned = kg.Mechanism(
        "disc",
        [kg.Link("disc", mass=MASS, inertia=kg.inertia.cylinder(MASS, RADIUS, 0.0))],
        [kg.Joint("base", "free", "world", "disc", start=(0, 0, RADIUS, np.sqrt(0.5), 0, 0, np.sqrt(0.5))),
         kg.rolling("disc", radius=RADIUS, axis=(0, 0, 1))],
    )  # fmt: skip
    compiled = kg.compile(turned)
    assert slip_rows(turned, motion.q) @ motion.twist == pytest.approx(np.zeros(3), abs=1e-12)
    trajectory = kg.Simulator(compiled, dt=5e-4, integrator="rk4", q=motion.q, v=motion.twist).run(2.0, every=20)
    x, y = trajectory.q[:, :2].T
    np.testing.assert_allclose(np.hypot(x, y), motion.radius, rtol=1e-7)
    angle = np.unwrap(np.arctan2(y, x))
    np.testing.assert_allclose(angle - angle[0], rate * trajectory.t, atol=1e-6)
    np.testing.assert_allclose(trajectory.q[:, 2], motion.height, rtol=1e-8)


def upright(speed: float) -> tuple[Array, Array]:
    q = np.array([0.0, 0.0, RADIUS, 0.0, 0.0, 0.0, 1.0])
    return q, np.array([speed, 0.0, 0.0, 0.0, speed / RADIUS, 0.0])


@pytest.mark.parametrize(("part", "grows"), [(0.98, True), (1.02, False)])
def test_the_critical_speed_of_an_upright_disc(part: float, grows: bool) -> None:
    """A thin disc rolls on upright where v² > g r/3."""
    compiled = model("disc")
    q, v = upright(part * np.sqrt(GRAVITY * RADIUS / 3.0))
    v[3] = 1e-5
    trajectory = kg.Simulator(compiled, dt=1e-3, integrator="rk4", q=q, v=v).run(10.0, every=10)
    lean = np.abs(np.arcsin(2 * (trajectory.q[:, 4] * trajectory.q[:, 5] + trajectory.q[:, 3] * trajectory.q[:, 6])))
    assert (lean.max() > 0.1) == grows
    assert grows or lean.max() < 1e-3


def test_a_ball_on_a_slope_has_five_sevenths_of_the_pull() -> None:
    compiled = model("ball on a slope")
    q, v = compiled.project(compiled.q0, np.zeros(6))
    n = np.array(TILTED.rotation, dtype=float)[:, 2]
    pull = np.array([0.0, 0.0, -GRAVITY])
    a = compiled.forward_dynamics(q, v, np.zeros(6))
    turn = compiled.link_poses(q)[0, :3, :3]
    np.testing.assert_allclose(turn @ a[:3], 5.0 / 7.0 * (pull - (pull @ n) * n), atol=1e-12)
    assert slip_rows(ball(TILTED), q) @ a == pytest.approx(np.zeros(3), abs=1e-12)


def test_a_ball_on_a_turntable_goes_round_at_two_sevenths() -> None:
    """On a table that turns at Ω its centre moves on a circle at 2/7 Ω, wherever it is put."""
    rate = 3.0
    compiled = kg.compile(turntable(rate))
    q = compiled.assemble(np.array([0.0, 0.4, 0.1, RADIUS, 0.0, 0.0, 0.0, 1.0]))
    _, v = compiled.project(q, np.array([rate, 0.3, 0.2, 0.0, 0.0, 0.0, 0.4]))
    v = v.copy()
    trajectory = kg.Simulator(compiled, dt=5e-4, integrator="rk4", q=q, v=v).run(5.0, every=10)
    place = trajectory.q[:, 1:4]
    turn = np.array([compiled.link_poses(x)[1, :3, :3] for x in trajectory.q])
    velocity = np.einsum("kij,kj->ki", turn, trajectory.v[:, 1:4])
    angle = np.unwrap(np.arctan2(velocity[:, 1], velocity[:, 0]))
    np.testing.assert_allclose(angle - angle[0], 2.0 / 7.0 * rate * trajectory.t, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(velocity[:, :2], axis=1), np.linalg.norm(velocity[0, :2]), rtol=1e-8)
    np.testing.assert_allclose(place[:, 2], RADIUS, atol=1e-11)


def test_a_rim_turns_into_a_disc_and_a_ball() -> None:
    """Without tyre it is a disc; a circle without radius is a ball, whatever its axle."""
    q, v = np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.3, np.sqrt(0.86)]), np.array([0.3, -0.1, 0.2, 0.4, 0.5, -0.6])
    thin, sharp = disc(1e-9), disc()
    np.testing.assert_allclose(slip_rows(thin, q) @ v, slip_rows(sharp, q) @ v, atol=1e-8)
    closing = [Assembly(m, ()) for m in (thin, sharp)]
    np.testing.assert_allclose(closing[0].rows(q), closing[1].rows(q), atol=1e-8)
    assert TYRE > 0


def test_a_coin_that_comes_nearly_flat_asks_for_a_smaller_dt() -> None:
    lean = np.pi / 2 - 1e-3
    q = np.array([0, 0, RADIUS * np.cos(lean), np.sin(lean / 2), 0, 0, np.cos(lean / 2)])
    q, v = model("disc").project(q, [0, 0, 0, -0.5, 1, 0])
    with pytest.warns(kg.ClosureWarning, match=r"loop 'disc_world' loses .*; where its wheel lies nearly flat take a"):
        run = kg.Simulator(model("disc"), dt=1e-4, integrator="rk4", q=q, v=v).run(0.05)
    assert len(run) == 501 and np.isfinite(run.q).all()
