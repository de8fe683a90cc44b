"""Rigid contact against closed solutions: slopes, rolling, spinning, bouncing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinegen.codegen.mechanism import Link, inertia
from kinegen.runtime import ContactOptions, Simulator
from support.contact.contact_scenes import GRAVITY, Pose, at, scene, shapes, slope, solid

BOX = shapes.box((0.2, 0.2, 0.1))
FINE = ContactOptions(tolerance=1e-12, sweeps=2000)


def _sliding(angle: float, heading: float, start: float = 0.2, duration: float = 0.5) -> np.ndarray:
    """(2) mean acceleration along the slope after the start."""
    sim = Simulator(slope(BOX, angle, heading), q=at((0, 0, 0.05)), contacts=FINE)
    sim.step(round(start / 1e-3))
    v = sim.v[:2]
    sim.step(round(duration / 1e-3))
    return (sim.v[:2] - v) / duration


def test_box_sticks_below_the_friction_angle() -> None:
    angle = np.arctan(0.5) - 0.005
    sim = Simulator(slope(BOX, float(angle)), q=at((0, 0, 0.05)))
    sim.step(3000)
    assert np.abs(sim.v).max() < 1e-6
    assert np.hypot(*sim.q[:2]) < 1e-5


def test_box_slides_above_the_friction_angle() -> None:
    angle = float(np.arctan(0.5)) + 0.005
    expected = GRAVITY * (np.sin(angle) - 0.5 * np.cos(angle))
    np.testing.assert_allclose(_sliding(angle, 0.0), [expected, 0.0], atol=1e-6)


def test_sliding_has_no_preferred_direction() -> None:
    angle = 0.6
    expected = GRAVITY * (np.sin(angle) - 0.5 * np.cos(angle))
    sim = Simulator(slope(BOX, angle), q=at((0, 0, 0.05)))  # turning the box is turning the slope under it
    for turn in np.radians(np.arange(360)):
        quaternion = [0.0, 0.0, np.sin(turn / 2), np.cos(turn / 2)]
        sim = Simulator(sim.model, q=np.array([0, 0, 0.05, *quaternion]), contacts=FINE)
        sim.step(100)
        R = sim.model.link_poses(sim.q)[0, :3, :3]
        v = R @ sim.v[:3]
        sim.step(200)
        a = (sim.model.link_poses(sim.q)[0, :3, :3] @ sim.v[:3] - v) / 0.2
        np.testing.assert_allclose(a, [expected, 0.0, 0.0], atol=1e-6)


@pytest.mark.parametrize("heading", [0.3, 2.0, 4.4])
def test_slope_may_lean_anywhere(heading: float) -> None:
    expected = GRAVITY * (np.sin(0.6) - 0.5 * np.cos(0.6))
    a = _sliding(0.6, heading)
    np.testing.assert_allclose(a, expected * np.array([np.cos(heading), np.sin(heading)]), atol=1e-6)


@pytest.mark.parametrize(
    "shape, inertia, turned",
    [
        (shapes.sphere(0.1), 0.4, (0, 0, 0, 1)),
        (shapes.cylinder(0.1, 0.2), 0.5, (np.sqrt(0.5), 0, 0, np.sqrt(0.5))),
        (shapes.cylinder(0.1, 0.01), 0.5, (np.sqrt(0.5), 0, 0, np.sqrt(0.5))),
    ],
)
def test_rolling_down_a_slope(shape: shapes.Shape, inertia: float, turned: tuple[float, ...]) -> None:
    angle = 0.3  # rolls without slip: tan 0.3 < 3.5 μ
    sim = Simulator(slope(shape, angle), q=np.array([0, 0, 0.1, *turned]), contacts=FINE)
    x = sim.q[0]
    sim.step(1000)
    expected = GRAVITY * np.sin(angle) / (1.0 + inertia)
    assert sim.q[0] - x == pytest.approx(0.5 * expected, rel=2e-3)
    speed = np.linalg.norm(sim.v[:3])
    assert speed == pytest.approx(expected, rel=1e-6)
    assert np.linalg.norm(sim.v[3:]) * 0.1 == pytest.approx(speed, rel=1e-6)


def test_ball_thrown_flat_slides_until_it_rolls() -> None:
    model = slope(shapes.sphere(0.1), 0.0)
    sim = Simulator(model, q=at((0, 0, 0.1)), v=[3.5, 0, 0, 0, 0, 0], contacts=FINE)
    turning = 2 * 3.5 / (7 * 0.5 * GRAVITY)  # time until it rolls
    sim.step(round(turning / 1e-3) - 20)
    poses = model.link_poses(sim.q)[0, :3, :3]
    np.testing.assert_allclose((poses @ sim.v[:3])[0], 3.5 - 0.5 * GRAVITY * sim.t, atol=1e-6)
    sim.step(200)
    np.testing.assert_allclose(model.link_poses(sim.q)[0, :3, :3] @ sim.v[:3], [2.5, 0, 0], atol=2e-5)


def test_spinning_ball_without_friction_keeps_its_spin() -> None:
    model = slope(shapes.sphere(0.1), 0.0, 0.0, 0.0)
    sim = Simulator(model, q=at((0, 0, 0.1)), v=[0.2, 0, 0, 1.0, 2.0, 3.0])
    sim.step(1000)
    R = model.link_poses(sim.q)[0, :3, :3]
    np.testing.assert_allclose(R @ sim.v[3:], [1.0, 2.0, 3.0], atol=1e-12)
    np.testing.assert_allclose(R @ sim.v[:3], [0.2, 0, 0], atol=1e-12)


def test_bouncing_ball_loses_speed_by_its_restitution() -> None:
    ball = shapes.sphere(0.1, restitution=0.9)
    model = scene("bouncing", [solid("ball", ball)], [shapes.plane()])
    sim = Simulator(model, q=at((0, 0, 0.6)), dt=1e-4)
    v = sim.run(6.0).v[:, 2]
    hits = np.flatnonzero((v[1:] > 0) & (v[:-1] < 0))[:20]
    assert len(hits) == 20
    np.testing.assert_allclose(v[hits + 1], -0.9 * v[hits], rtol=1e-9)
    tops = [v[a + 1] ** 2 / (2 * GRAVITY) for a in hits]
    expected = 0.5 * 0.81 ** np.arange(1, 21)
    np.testing.assert_allclose(tops, expected, rtol=0.02)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_where_the_origin_of_a_frame_is_does_not_matter(integrator: str) -> None:
    """A spinning box bounces off a smooth wall: the motion of its mass centre, its energy, and what the wall exerts."""
    turn, spin, speed = Rotation.from_rotvec([0.3, 0.5, 0.1]), np.array([2.0, -3.0, 1.0]), np.array([0.5, 0.3, -2.0])
    found = []
    for com in (np.zeros(3), np.array([0.4, -0.3, 0.2])):
        size = (0.3, 0.2, 0.1)
        box = shapes.box(size, pose=Pose(tuple(com)), friction=0.0, restitution=0.9)
        link = Link("box", 2.0, tuple(com), inertia.box(2.0, size), shapes=[box])
        model = scene("bounced", [link], [shapes.plane(friction=0.0)], gravity=(0, 0, 0))
        q = np.concatenate([np.array([0, 0, 0.4]) - turn.apply(com), turn.as_quat()])
        v = np.concatenate([turn.inv().apply(speed) - np.cross(spin, com), spin])
        run = Simulator(model, q=q, v=v, integrator=integrator).run(0.4)
        gained = run.momentum[-1, :3] - run.momentum[0, :3]
        np.testing.assert_allclose(run.contacts.force("box").sum(axis=0) * 1e-3, gained, atol=1e-8)
        found.append((model.com(run.q)[-1], run.v[-1, 3:], run.energy[-1]))
    assert np.abs(gained[2]) > 5.0
    first_order = 6e-3 if integrator == "semi_implicit" else 1e-8
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=first_order)


def test_slow_approach_does_not_bounce() -> None:
    model = scene("resting", [solid("ball", shapes.sphere(0.1, restitution=1.0))], [shapes.plane()])
    sim = Simulator(model, q=at((0, 0, 0.1001)))
    sim.step(500)
    assert abs(sim.v[2]) < 1e-9


def test_fast_thin_things_do_not_tunnel() -> None:
    model = scene("fast", [solid("ball", shapes.sphere(0.01)), solid("wall", shapes.box((1.0, 0.002, 1.0)), 1e3)], [])
    sim = Simulator(model, q=at((0, -1.0, 0), (0, 0, 0)), v=[0, 200.0, 0, *np.zeros(9)])
    sim.step(100)
    assert sim.q[1] < sim.q[8]


def test_spinning_disc_stops_by_friction_at_its_rim() -> None:
    """I ω' = −μ m g R, I = m R²/2, all the weight on the rim."""
    sim = Simulator(slope(shapes.cylinder(0.1, 0.02), 0.0), q=at((0, 0, 0.01)), v=[0, 0, 0, 0, 0, 20.0], contacts=FINE)
    spin = sim.run(0.19).v[:, 5]
    np.testing.assert_allclose(spin, 20.0 - 2 * 0.5 * GRAVITY / 0.1 * 1e-3 * np.arange(len(spin)), atol=1e-6)
    sim.step(50)
    assert np.abs(sim.v).max() < 1e-9


def test_disc_turns_round_its_rim_as_eulers() -> None:
    """Its centre at rest, its plane leaning by a: Ω² = 4 g/(R sin a) for a thin disc; the energy never rises."""
    angle, radius = 0.3, 0.1
    rate = np.sqrt(4 * GRAVITY / (radius * np.sin(angle)))
    q = np.array([0, 0, radius * np.sin(angle) + 5e-4 * np.cos(angle), 0, np.sin(angle / 2), 0, np.cos(angle / 2)])
    v = [0, 0, 0, -rate * np.sin(angle), 0, 0]  # about the diameter to the point of contact
    model = slope(shapes.cylinder(radius, 0.001), 0.0, 0.0, 0.8)
    trajectory = Simulator(model, q=q, v=v, dt=1e-4, contacts=FINE).run(0.5, every=10)
    normal = model.link_poses(trajectory.q)[:, 0, :3, 2]
    turned = np.unwrap(np.arctan2(normal[:, 1], normal[:, 0]))
    assert turned[-1] - turned[0] == pytest.approx(0.5 * rate, rel=2e-3)
    np.testing.assert_allclose(np.arccos(normal[:, 2]), angle, atol=0.01)
    energy = trajectory.energy.sum(axis=1)
    assert np.diff(energy).max() < 1e-9 * energy[0] and energy[-1] > 0.98 * energy[0]


def test_leaning_coin_rolls_in_a_circle_and_its_energy_never_rises() -> None:
    """Point of contact at rest, path curved towards the side that it leans to."""
    model = slope(shapes.cylinder(0.1, 0.004), 0.0)
    lean = 1.2
    q = np.array([0, 0, 0.1 * np.sin(lean) + 0.002 * np.cos(lean), 0, np.sin(lean / 2), 0, np.cos(lean / 2)])
    sim = Simulator(model, q=q, v=[0, 1.0, 0, 0, 0, -10.0], dt=2e-4)
    trajectory = sim.run(1.5, every=5)
    energy = trajectory.energy.sum(axis=1)
    assert np.diff(energy).max() < 1e-6 and energy[-1] > 0.97 * energy[0]
    path = np.diff(trajectory.q[:, :2], axis=0)
    heading = np.unwrap(np.arctan2(path[:, 1], path[:, 0]))
    assert abs(heading[-1] - heading[0]) > 1.0
    R = model.link_poses(sim.q)[0, :3, :3]
    arm = sim.contacts.points[0] - sim.q[:3]
    assert np.linalg.norm(R @ sim.v[:3] + np.cross(R @ sim.v[3:], arm)) < 0.02


@pytest.mark.parametrize("friction, angle", [(0.5, 60), (1.6, 60), (1.6, 75), (2.5, 30), (2.5, 75)])
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_painleves_rod_neither_sinks_nor_explodes(friction: float, angle: int, way: float) -> None:
    """A thin rod slides on its tip, leaning forth or back; above μ = 4/3 nothing but an impact solves its equations."""
    ends = [shapes.sphere(0.005, pose=Pose((0, 0, z)), friction=friction) for z in (-0.5, 0.5)]
    rod = Link("rod", 1.0, inertia=(1 / 12, 0, 0, 1 / 12, 0, 1e-4), shapes=ends)
    model = scene("rod", [rod], [shapes.plane(friction=friction)])
    lean = np.radians(90 - angle)
    q = [0, 0, 0.005 + 0.5 * np.cos(lean), 0, np.sin(lean / 2), 0, np.cos(lean / 2)]
    trajectory = Simulator(model, q=q, v=[5 * way * np.cos(lean), 0, 5 * way * np.sin(lean), 0, 0, 0]).run(2.0)
    assert trajectory.contacts is not None
    assert np.diff(trajectory.energy.sum(axis=1)).max() < 1e-6
    assert trajectory.contacts.records["gap"].min() > -2e-4
    assert trajectory.q[-1, 2] == pytest.approx(0.005, abs=1e-4) and np.abs(trajectory.v[-1]).max() < 3.0


@pytest.mark.parametrize("speed", [1.0, 10.0])
def test_spin_after_an_oblique_bounce_is_as_exact_as_the_gap_at_the_step_allows(speed: float) -> None:
    """At 1 m/s the ball slides, at 10 m/s it sticks: off by v dt/(2r) at most, by 3/7 of that where it sticks."""
    r, friction, restitution, along = 0.02, 0.2, 0.9, 5.0
    ball = solid("b", shapes.sphere(r, friction=friction, restitution=restitution))
    model = scene("bounce", [ball], [shapes.plane(friction=friction)], (0.0, 0.0, 0.0))
    impulse = min(friction * (1 + restitution) * speed, 2 / 7 * along)
    off = []
    for part in (0.01, 0.5, 0.99):
        sim = Simulator(model, q=at((0, 0, r + speed * 1e-3 * (3 + part))), v=[along, 0, -speed, 0, 0, 0])
        sim.step(8)
        off.append(sim.v[4] / (impulse / (0.4 * r)) - 1)
    bound = speed * 1e-3 / (2 * r) * (1 if speed == 1.0 else -3 / 7)
    assert 0.0 < max(np.array(off) / bound) < 1.02
    assert min(np.abs(off)) < 0.15 * abs(bound)
