"""Derivatives of what turns fast: far beyond half a turn within the window that they are taken from."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.analysis.smoothing import Smoothing
from kinegen.runtime.measured.states import states_of
from support.all_groups import all_groups
from support.oracles.numeric import Array

AXIS = np.array((0.6, 0.0, 0.8))


def spun(angles: Array) -> Array:
    """(n, 4, 4) poses turned by these angles [rad] about one axis."""
    x, y, z = AXIS
    K = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    poses = np.tile(np.eye(4), (len(angles), 1, 1))
    poses[:, :3, :3] += np.sin(angles)[:, None, None] * K + (1.0 - np.cos(angles))[:, None, None] * (K @ K)
    return poses


def measured(angles: Array, rate: float, smoothing: Smoothing) -> tuple[Array, Array]:
    """Angular velocity and acceleration of a body at these angles."""
    body = [kg.BodySegment("arm", 1.0, np.diag([1.0, 2.0, 3.0]))]
    motion = kg.Motion.from_poses(np.arange(len(angles)) / rate, {"arm": spun(angles)}, body, smoothing)
    return motion.segments["arm"].omega, motion.segments["arm"].alpha


@pytest.mark.parametrize("degrees", [10.0, 23.0, 46.0, 85.0])
@pytest.mark.parametrize("smoothing", [Smoothing.none(), Smoothing(None, 21, 4)], ids=str)
def test_a_steady_spin_is_told_at_every_frame(degrees: float, smoothing: Smoothing) -> None:
    omega, alpha = measured(np.radians(degrees) * np.arange(40.0), 100.0, smoothing)
    assert np.abs(omega - 100.0 * np.radians(degrees) * AXIS).max() < 1e-9
    assert np.abs(alpha).max() < 1e-6


def test_a_spin_that_gets_faster() -> None:
    t, rate = np.arange(60) / 200.0, 200.0
    omega, alpha = measured(40.0 * t + 60.0 * t**2, rate, Smoothing.none())
    assert np.abs(omega - (40.0 + 120.0 * t)[:, None] * AXIS).max() < 1e-9
    assert np.abs(alpha - 120.0 * AXIS).max() < 1e-6


def test_turns_too_fast_or_too_uneven_are_refused() -> None:
    with pytest.raises(kg.ModelError, match=r"segment 'arm': turns by 100 degrees between frames 1 and 2"):
        measured(np.radians(100.0) * np.arange(40.0), 100.0, Smoothing.none())
    to_and_fro = np.radians(80.0) * np.concatenate([np.arange(20.0), np.arange(20.0, 0.0, -1.0)])
    with pytest.raises(kg.ModelError, match=r"segment 'arm': turns too unevenly about frame \d+ for .* from 9 frames"):
        measured(to_and_fro, 100.0, Smoothing.none())
    at = all_groups()
    q, ball = np.tile(at.q0, (40, 1)), next(joint for joint in at.manifest.joints if joint.kind == "spherical")
    half = np.radians(50.0) * np.arange(40.0)
    q[:, ball.q_start : ball.q_start + 4] = np.column_stack([np.sin(half)[:, None] * AXIS, np.cos(half)])
    with pytest.raises(kg.ModelError, match="q: turns by 100 degrees between frames 1 and 2"):
        states_of(at, np.arange(40) / 100.0, q)


CLUSTERS = {
    "wide": {"a": (0.06, 0.05, 0.04), "b": (-0.06, 0.05, -0.02), "c": (0.01, -0.07, 0.05), "d": (0.02, 0.03, -0.08)},
    "flat": {"a": (0.1, 0, 0), "b": (-0.1, 0.02, 0), "c": (0, -0.03, 0)},
    "long": {"a": (0, 0.01, 0.2), "b": (0.01, -0.01, -0.2), "c": (-0.01, 0, 0)},
}


def of_markers(angles: Array, rate: float, cluster: str, smoothing: Smoothing, noise: float = 0.0) -> Array:
    """Angular velocity of a body at these angles, seen by a cluster of markers."""
    places = CLUSTERS[cluster]
    seen = np.einsum("kij,mj->kmi", spun(angles)[:, :3, :3], np.array(list(places.values())))
    seen += noise * np.random.default_rng(0).normal(size=seen.shape)
    markers = kg.Markers("spin.trc", np.arange(len(angles)) / rate, tuple(places), seen)
    body = [kg.BodySegment("arm", 1.0, np.eye(3))]
    return kg.Motion.from_markers(markers, {"arm": places}, body, smoothing).segments["arm"].omega


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_clusters_that_a_low_pass_shrinks_below_half_are_refused(cluster: str) -> None:
    low = Smoothing(cutoff=6.0)
    t = np.arange(400) / 250.0
    with pytest.raises(kg.ModelError, match=r"segment 'arm' turns too fast for the low-pass, .*cutoff=None"):
        of_markers(100.0 * t, 250.0, cluster, low)
    assert np.abs(of_markers(100.0 * t, 250.0, cluster, Smoothing(cutoff=None)) - 100.0 * AXIS).max() < 1e-9
    assert np.linalg.norm(of_markers(np.sin(6.0 * t), 250.0, cluster, low, noise=3e-3), axis=1).max() < 30.0  # taken


@pytest.mark.parametrize(("told", "seen_once"), [(2.2, 1.0), (1.0, 4.0)], ids=["places too large", "a frame too large"])
def test_a_cluster_at_rest_has_not_shrunk(told: float, seen_once: float) -> None:
    """A low-pass is judged by the smaller of what was seen and what was told: either may be too large."""
    places = np.array(list(CLUSTERS["wide"].values()))
    seen = np.tile(places, (200, 1, 1))
    seen[100] *= seen_once
    markers = kg.Markers("rest.trc", np.arange(200) / 250.0, tuple(CLUSTERS["wide"]), seen)
    cluster = dict(zip(CLUSTERS["wide"], told * places, strict=True))
    body = [kg.BodySegment("arm", 1.0, np.eye(3))]
    motion = kg.Motion.from_markers(markers, {"arm": cluster}, body, Smoothing(cutoff=6.0))
    assert np.abs(motion.segments["arm"].omega).max() < 1e-9


def test_errors_of_a_fast_spin_are_those_of_the_document() -> None:
    """Largest errors at 40 rad/s, and without the first and last 12 frames: from poses, then from markers."""
    angles, low = 40.0 * np.arange(400) / 100.0, Smoothing(cutoff=6.0)
    for omega, ends, inside in (
        (measured(angles, 100.0, low)[0], 2.8, 0.12),
        (of_markers(angles, 100.0, "wide", low), 12.3, 0.36),
    ):
        off = np.linalg.norm(omega - 40.0 * AXIS, axis=1)
        assert off.max() == pytest.approx(ends, abs=0.1) and off[12:-12].max() < inside


def test_states_of_fast_joints_of_every_group() -> None:
    """Planar, ball and free joints that tumble at some 30 rad/s, half a turn and more in a window: against the
    simulation's own velocities, and what they accelerate by."""
    at = all_groups()
    rng = np.random.default_rng(0)
    sim = kg.Simulator(at, q=at.random(rng), v=6.0 * rng.normal(size=at.nv), dt=1e-4, integrator="rk4")
    run = sim.run(0.4, every=20)
    a = at.forward_dynamics(run.q, run.v, at.passive_forces(run.q, run.v))
    found = states_of(at, run.t, run.q)
    assert np.abs(found.v - run.v).max() < 1e-8 * np.abs(run.v).max()
    assert np.abs(found.a - a).max() < 1e-6 * np.abs(a).max()


def test_a_sensor_that_turns_as_fast_as_a_pitchers_shoulder_is_read() -> None:
    """At up to 140 rad/s, 8,000 degrees per second; the same rates in degrees are refused."""
    rate, n = 1000.0, 400
    t = np.arange(n) / rate
    angles, speed = 14.0 * (1.0 - np.cos(10.0 * t)), 140.0 * np.sin(10.0 * t)
    rotation, rates = spun(angles)[:, :3, :3], np.outer(speed, AXIS)
    still = np.zeros((n, 3))
    motion = kg.motion_from_imu(t, rotation, still, rates, still, smoothing=kg.Smoothing.none())
    turned = np.linalg.norm(motion.omega, axis=1)
    assert turned.max() > 139.0 and np.allclose(turned, np.abs(speed))
    with pytest.raises(kg.ModelError, match=r"rates: frame 3 turns with \S+ rad/s; are they in degrees .* By the rot"):
        kg.motion_from_imu(t, rotation, still, np.degrees(rates), still)
