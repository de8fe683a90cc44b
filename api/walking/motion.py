"""From paths of the mass centre and the soles to joint motion, and the ZMP that belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.runtime.arguments import Array
from kinegen.runtime.errors import ModelError
from kinegen.runtime.inverse.solve import solve_ik
from kinegen.runtime.inverse.targets import ComTarget, FrameTarget
from kinegen.runtime.model.model import Model
from kinegen.runtime.walking.support import support_polygon
from kinegen.runtime.walking.zmp import external_wrench, zero_moment_point

from .biped import Biped, turned
from .plan import Plan

EXACT = 1e-10
"""Tolerance of inverse kinematics [m, rad]: accelerations are second differences of what it finds."""


class OutOfReach(ModelError):
    """What a walk asks for cannot be reached."""


@dataclass(frozen=True)
class JointMotion:
    """q (n, nq), v (n, nv) and the ZMP (n, 3) [m] on the floor z = 0."""

    q: Array
    v: Array
    zmp: Array


def stood(model: Model, robot: Biped, wanted: Plan, q: Array) -> Array:
    """(nq) q with the robot as a whole put upright over its first two steps, where the search for its motion begins."""
    pose = model.frame_pose(q, robot.trunk)
    soles = [model.frame_pose(q, sole.link) @ np.array([*sole.point, 1.0]) for sole in robot.soles]
    between = (np.linalg.inv(pose) @ np.mean(soles, axis=0))[:3]
    x, y, z, yaw = wanted.soles[0].mean(axis=0)
    upright = turned(yaw) @ model.frame_pose(model.q0, robot.trunk)[:3, :3]
    others = [joint.name for joint in model.manifest.joints if joint.nv and joint.name != robot.root]
    target = FrameTarget(robot.trunk, (x, y, z), upright, point=between)
    return solve_ik(model, [target], q, hold=others, check=False).q


def joint_motion(
    model: Model, robot: Biped, wanted: Plan, com: Array, start: Array, hold: Sequence[str]
) -> JointMotion:
    """Both soles, the mass centre com (n, 3) and the trunk, upright and turned half-way between the feet.

    OutOfReach with the step and the time of what cannot be reached.
    """
    yaw = wanted.soles[..., 3]
    upright = model.frame_pose(model.q0, robot.trunk)[:3, :3]
    centre, trunk = ComTarget(com), FrameTarget(robot.trunk, rotation=_turns(yaw.mean(axis=1)) @ upright)
    feet = [
        FrameTarget(sole.link, wanted.soles[:, side, :3], _turns(yaw[:, side]) @ sole.axes.T, point=sole.point)
        for side, sole in enumerate(robot.soles)
    ]
    still = [*robot.still, *hold]
    found = solve_ik(model, [centre, trunk, *feet], start, hold=still, tolerance=EXACT, follow=True, check=False)
    if not found.reached.all():
        sample = int(np.flatnonzero(~found.reached)[0])
        raise OutOfReach(
            f"walking pattern: {wanted.when(sample)} cannot be reached; take shorter steps, another height of the mass "
            f"centre or another q0: {found.message()}"
        )
    v = _rates(model, found.q, wanted.dt)
    a = np.gradient(v, wanted.dt, axis=0)
    return JointMotion(found.q, v, zero_moment_point(external_wrench(model, found.q, v, a)))


def margins(wanted: Plan, zmp: Array) -> Array:
    """(n) [m] from zmp (n, 3) to the border of the soles on the floor. ModelError, with step and time, outside."""
    margin = support_polygon(wanted.corners).margin(zmp)
    outside = np.flatnonzero(~(margin >= 0.0))
    if outside.size:
        raise ModelError(
            f"walking pattern: {wanted.when(int(outside[0]))}: the ZMP leaves the soles on the floor (by "
            f"{-1e3 * margin.min():.1f} mm at worst); walk slower, with shorter steps, a longer stand or more passes"
        )
    return margin


def _turns(yaw: Array) -> Array:
    """(n, 3, 3)"""
    return np.stack([turned(angle) for angle in yaw])


def _rates(model: Model, q: Array, dt: float) -> Array:
    """(n, nv) central differences; those of the ends to their neighbours."""
    steps = model.difference(q[:-1], q[1:]) / dt
    return np.vstack([steps[:1], 0.5 * (steps[:-1] + steps[1:]), steps[-1:]])
