"""Rigid contact against closed solutions: slopes, rolling, spinning, bouncing."""

from __future__ import annotations

import numpy as np
import pytest
from contact_scenes import GRAVITY, at, scene, shapes, slope, solid

from kinegen.runtime import ContactOptions, Simulator

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
