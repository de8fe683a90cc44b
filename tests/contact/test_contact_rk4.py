"""Contact under Runge-Kutta [P §4]: impacts before the step, forces held through its stages."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from support.contact.closed_contact import model as walker
from support.contact.closed_contact import standing
from support.contact.contact_scenes import GRAVITY, at, dropped, scene, shapes, slope, solid
from support.mechanisms.closed_mechanisms import four_bar

FINE = kg.ContactOptions(tolerance=1e-12, sweeps=2000)
BOX = shapes.box((0.2, 0.2, 0.1))


def rk4(model, **options):
    return kg.Simulator(model, integrator="rk4", **options)


def test_what_rests_stays_at_rest():
    sim = rk4(slope(BOX, 0.3), q=at((0, 0, 0.05)))
    sim.step(20)
    start = sim.q
    trajectory = sim.run(2.0)
    assert np.abs(trajectory.v).max() < 1e-9
    assert np.abs(trajectory.q - start).max() < 1e-9
    np.testing.assert_allclose(
        sim.contacts.wrench("b")[:3], GRAVITY * np.array([-np.sin(0.3), 0, np.cos(0.3)]), atol=1e-6
    )


@pytest.mark.parametrize("heading", [0.0, 1.1, 4.0])
def test_sliding_acceleration(heading):
    sim = rk4(slope(BOX, 0.6, heading), q=at((0, 0, 0.05)), contacts=FINE)
    sim.step(200)
    v = sim.v[:2]
    sim.step(500)
    expected = GRAVITY * (np.sin(0.6) - 0.5 * np.cos(0.6))
    np.testing.assert_allclose(
        (sim.v[:2] - v) / 0.5, expected * np.array([np.cos(heading), np.sin(heading)]), atol=1e-6
    )


def test_rolling_down_a_slope():
    """The force rests in the world while the ball turns under it."""
    model = slope(shapes.sphere(0.1), 0.3)
    sim = rk4(model, q=at((0, 0, 0.1)), contacts=FINE)
    sim.step(1000)
    speed = np.linalg.norm(sim.v[:3])
    assert speed == pytest.approx(GRAVITY * np.sin(0.3) / 1.4, rel=1e-6)
    assert np.linalg.norm(sim.v[3:]) * 0.1 == pytest.approx(speed, rel=1e-5)


def test_flight_above_the_ground_is_that_without_contact():
    """Points near enough to be looked at, and no force: every bit as without contact, of order 4 that is."""
    model = scene("turning", [solid("b", shapes.box((0.2, 0.3, 0.1)))], [shapes.plane()])
    start = {"q": at((0, 0, 0.052)), "v": [1.0, 0, 3.0, 1.0, -2.0, 0.7]}
    one, other, near = rk4(model, **start), rk4(model, **start, contacts=False), 0
    for _ in range(300):
        one.step()
        other.step()
        near += len(one.contacts) > 0
        np.testing.assert_array_equal(one.q, other.q)
        assert not one.contacts.forces.any()
    assert near >= 1
    ends = [rk4(model, **start, dt=dt).run(0.3).q[-1] for dt in (1e-2, 5e-3, 1e-4)]
    ratio = np.linalg.norm(ends[0] - ends[2]) / np.linalg.norm(ends[1] - ends[2])
    assert 14 < ratio < 18


def test_fast_thin_things_do_not_tunnel():
    ball, wall = solid("ball", shapes.sphere(0.01)), solid("wall", shapes.box((1.0, 0.002, 1.0)), 1e3)
    sim = rk4(scene("fast", [ball, wall], []), q=at((0, -1.0, 0), (0, 0, 0)), v=[0, 200.0, 0, *np.zeros(9)])
    sim.step(100)
    assert sim.q[1] < sim.q[8]


def test_bouncing_ball_keeps_its_height():
    model = scene("bouncing", [solid("ball", shapes.sphere(0.1, restitution=1.0))], [shapes.plane()])
    trajectory = rk4(model, q=at((0, 0, 0.6))).run(5.0)
    energy = trajectory.energy.sum(axis=1)
    assert np.abs(energy - energy[0]).max() < 1e-9  # an impact takes place where the ball is
    assert trajectory.q[-1000:, 2].max() == pytest.approx(0.6, abs=1e-4)


@pytest.mark.parametrize("restitution", [*(pytest.param(e, marks=pytest.mark.sweep) for e in (0.0, 0.5)), 1.0])
def test_no_drop_gains_energy(restitution):
    for model in dropped(restitution):
        touched = 0
        for seed in range(15):
            rng = np.random.default_rng(seed)
            q = model.random(rng)
            q[:3] = [0, 0, 0.6]
            sim = rk4(model, q=q, v=[*rng.normal(size=3), *(3 * rng.normal(size=3))])
            trajectory = sim.run(1.0, every=4)
            energy = trajectory.energy.sum(axis=1)
            assert np.diff(energy).max() < 2e-3
            assert energy.max() - energy[0] < 2e-3
            gaps = [c.gaps.min() for c in trajectory.contacts if len(c)]
            assert min(gaps, default=0.0) > -3e-3
            touched += bool(gaps)
        assert touched >= 13  # some bounce between two records


def test_impacts_are_told_of_in_the_forces():
    """The change of momentum is the sum of the forces, those of impacts included."""
    model = scene("drop", [solid("ball", shapes.sphere(0.1))], [shapes.plane()])
    trajectory = rk4(model, q=at((0, 0, 0.3)), v=[0.5, 0, 0, 0, 0, 0]).run(0.5)
    gained = trajectory.momentum[-1, :3] - trajectory.momentum[0, :3]
    pushed = 1e-3 * trajectory.contacts.force("ball").sum(axis=0)
    np.testing.assert_allclose(gained, pushed - [0, 0, 0.5 * GRAVITY], atol=1e-6)


def test_a_closed_mechanism_falls_and_gains_no_energy():
    of = walker(0.5)
    sim = rk4(of, q=standing(of, 0.1, 0.2), v=np.r_[0.3, 0.1, np.zeros(of.nv - 2)], dt=2.5e-4)
    trajectory = sim.run(2.0)
    assert trajectory.closure_gap.max() <= 1e-10
    energy = trajectory.energy.sum(axis=1)
    assert np.diff(energy).max() < 2e-4
    assert energy[-1] < energy[0] - 5.0
    assert len(sim.contacts) >= 2
    gained = trajectory.momentum[-1, :3] - trajectory.momentum[0, :3]
    pushed = -2.5e-4 * trajectory.contacts.force("world").sum(axis=0)
    np.testing.assert_allclose(gained, pushed - [0, 0, 9.6 * GRAVITY * 2.0], atol=0.05)
    assert min(c.gaps.min() for c in trajectory.contacts if len(c)) > -1e-3


def test_stops_hold_under_contact():
    foot = shapes.sphere(0.05, pose=kg.Pose((0, 0, -0.4)))
    links = [
        kg.Link("thigh", 4.0, (0, 0, 0), (0.02, 0, 0, 0.02, 0, 0.02)),
        kg.Link("shank", 1.0, (0, 0, -0.2), (0.01, 0, 0, 0.01, 0, 0.01), shapes=[foot]),
    ]
    joints = [
        kg.Joint("rail", "prismatic", "world", "thigh", axis=(0, 0, 1)),
        kg.Joint("knee", "prismatic", "thigh", "shank", axis=(0, 0, 1), limits=(-0.1, 0.05)),
    ]
    model = kg.compile(kg.Mechanism("leg", links, joints, shapes=[shapes.plane()]))
    sim = rk4(model, q=[0.8, 0.0])
    trajectory = sim.run(1.5)
    assert trajectory.q[:, 1].max() < 0.05 + 1e-4
    np.testing.assert_allclose(sim.q, [0.4, 0.05], atol=2e-4)
    np.testing.assert_allclose(sim.contacts.wrench("shank")[:3], [0, 0, 5.0 * GRAVITY], atol=1e-2)


def test_a_spinning_top_on_joints_in_the_air_is_as_without_contact():
    """Spherical and planar joints: held forces turn with nothing."""
    links = [solid("disc", shapes.cylinder(0.1, 0.04)), solid("puck", shapes.cylinder(0.1, 0.04))]
    joints = [
        kg.Joint("ball", "spherical", "world", "disc", kg.Pose((0, 0, 0.02))),
        kg.Joint("slide", "planar", "world", "puck", kg.Pose((1.0, 0, 0.02))),
    ]
    model = kg.compile(kg.Mechanism("tops", links, joints, shapes=[shapes.plane(friction=0.0)]))
    sim = rk4(model, v=[0, 0, 30.0, 1.0, 0.5, 20.0])
    trajectory = sim.run(0.5)
    np.testing.assert_allclose(trajectory.v[:, 2], 30.0, atol=1e-6)
    energy = trajectory.energy.sum(axis=1)
    np.testing.assert_allclose(energy, energy[0], atol=1e-6)
    c, s = sim.q[6:8]
    np.testing.assert_allclose([c * sim.v[3] - s * sim.v[4], s * sim.v[3] + c * sim.v[4]], [1.0, 0.5], atol=1e-6)


def test_rows_hold_a_loop():
    """Forces of rows are held through the stages as those of contacts are; the closure is the other route."""
    mechanism = four_bar(0.3, 0.9, 0.7, 0.8)
    closed = kg.compile(mechanism)
    reference = rk4(closed, q=closed.q0, v=[3.0, 0, 0])
    rows = kg.compile(mechanism, rows=kg.RowRules(loops=True))
    sim = rk4(rows, q=closed.q0, v=reference.v)
    trajectory = sim.run(0.5)
    assert max(np.abs(closed.closure_residual(q)).max() for q in trajectory.q) < 1e-6
    np.testing.assert_allclose(sim.q, reference.run(0.5).q[-1], atol=1e-2)


def test_what_glides_through_a_hollow_gains_what_lifts_it_out_and_no_more():
    """In z = x²/2, of radius 1 at least: m g v² dt/(2R) a second; semi-implicit steps gain nothing."""
    ends, dt, r = [], 2e-3, 0.02
    x = np.linspace(-1, 1, 401)
    hollow = shapes.height_field(np.repeat(x[:, None] ** 2 / 2, 2, axis=1), (2, 2), friction=0)
    model = scene("hollow", [solid("b", shapes.sphere(r, friction=0))], [hollow])
    for integrator in ("rk4", "semi_implicit"):
        trajectory = kg.Simulator(model, dt=dt, integrator=integrator, q=at((0.3, 0.003, 0.3**2 / 2 + 0.0209))).run(3.0)
        energy = trajectory.energy.sum(axis=1)
        speed2 = (trajectory.v[:, :3] ** 2).sum(axis=1)
        ends.append((energy[-1] - energy[0], GRAVITY * speed2.sum() * dt * dt / 2 / (1 - r)))
    assert 0.0 < ends[0][0] < ends[0][1]
    assert ends[1][0] < 0.0
