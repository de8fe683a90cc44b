"""Three turns that are cut: their angles and rates from the rotation, up to where they lie in one plane."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.rotations import quaternion
from support.oracles.numeric import Array, error, joint_motion

SKEW = [(0.0, 0.6, 0.8), (1.0, 0.1, 0.2), (-0.2, 1.0, 0.1)]
AXES = {"zyx": None, "xyz": [(1, 0, 0), (0, 1, 0), (0, 0, 1)], "skew": SKEW, "left": [SKEW[0], SKEW[2], SKEW[1]]}


@cache
def model(name: str) -> kg.Model:
    """A ball in the tree and the same motion as a gimbal that closes a loop."""
    joints = [
        kg.Joint("ball", "spherical", "world", "body"),
        kg.Joint("gimbal", "gimbal", "world", "body", cut=True, axes=AXES[name], damping=0.1),
    ]
    return kg.compile(kg.Mechanism("ring", [kg.Link("body", 1.0, inertia=(1, 0, 0, 1, 0, 1))], joints))


def read(name: str, angles: Array) -> tuple[Array, Array, Array]:
    """Angles as the loop's coordinates, the rates that it finds for random rates, and these."""
    joint = kg.Joint("gimbal", "gimbal", "world", "body", axes=AXES[name])
    rates = np.random.default_rng(0).normal(size=3)
    pose, S, _ = joint_motion(joint, angles, rates)
    found, speed = model(name).loop_joint("gimbal", quaternion(pose[:3, :3]), S[3:] @ rates)
    return found, speed, rates


@pytest.mark.parametrize("name", AXES)
def test_angles_and_rates(name: str) -> None:
    """Between the positions of the middle angle in which the outer axes are in one plane with the middle one."""
    a, b, c = np.array(kg.Joint("j", "gimbal", "a", "b", axes=AXES[name]).axes)
    neutral = np.arctan2(b @ np.cross(a, c), a @ c - (a @ b) * (b @ c))
    low, high = (np.copysign(edge, neutral) - neutral for edge in (0.5, np.pi - 0.5))
    rng = np.random.default_rng(1)
    for _ in range(50):
        angles = np.array([rng.uniform(-3, 3), rng.uniform(min(low, high), max(low, high)), rng.uniform(-3, 3)])
        found, speed, rates = read(name, angles)
        assert error(found, angles) < 1e-12 and error(speed, rates) < 1e-12


@pytest.mark.parametrize("name", ["zyx", "xyz"])
def test_where_the_outer_axes_meet(name: str) -> None:
    """Only their sum or difference is determined there: the middle angle is right, the others are numbers."""
    for middle in (-np.pi / 2, np.pi / 2):
        found, speed, _ = read(name, np.array([0.3, middle, -0.4]))
        assert np.isfinite(found).all() and np.isfinite(speed).all()
        assert np.isfinite(model(name).kernel("loop_jacobian")(np.array([0.0, 0.0, 0.0, 1.0]))).all()
        near, speed, rates = read(name, np.array([0.3, middle * (1 - 1e-4), -0.4]))
        assert error(near, [0.3, middle * (1 - 1e-4), -0.4]) < 1e-9 and error(speed, rates) < 1e-9


def test_beyond_it_the_same_rotation_has_other_angles() -> None:
    found, _, _ = read("zyx", np.array([0.3, 2.0, -0.4]))
    assert error(found, [0.3 - np.pi, np.pi - 2.0, -0.4 + np.pi]) < 1e-12


def test_it_closes_whatever_the_rotation() -> None:
    """The loop holds the place only: a motion through the position where the axes meet stays closed."""
    simulator = kg.Simulator(model("zyx"), q=[0, 0, 0, 1], v=[0.0, 3.0, 0.0])
    trajectory = simulator.run(1.2)
    assert np.isfinite(trajectory.q).all() and simulator.gap < 1e-10
