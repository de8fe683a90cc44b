"""Pose and twist of a joint from its coordinates, for the few places that need one joint outside C (§1)."""

from __future__ import annotations

import numpy as np

from ..abi import JointSpec, SwitchSpec
from ..arguments import Array
from ..kinds import BALL, FLIGHT, KINDS, PLANE, SCREW, SLIDE, TURN, Motion, Step
from ..rotations import about, rotation


def joint_pose(joint: JointSpec, spec: SwitchSpec, q: Array) -> Array:
    """(4, 4) pose of the joint's frame on the child in its frame on the parent; quaternions [x y z w]."""
    pose = np.eye(4)
    for step in KINDS[joint.kind].steps:
        pose = pose @ _pose(step.motion, _axis(spec, step), spec.pitch, q[step.q : step.q + step.motion.nq])
    return pose


def joint_twist(joint: JointSpec, spec: SwitchSpec, q: Array, v: Array) -> Array:
    """(6) [linear; angular] of the frame on the child relative to the parent, in the child's axes."""
    linear, angular = np.zeros(3), np.zeros(3)
    for step in KINDS[joint.kind].steps:
        axis, motion = _axis(spec, step), step.motion
        pose = _pose(motion, axis, spec.pitch, q[step.q : step.q + motion.nq])
        own = _twist(motion, axis, spec.pitch, v[step.v : step.v + motion.nv])
        R, p = pose[:3, :3], pose[:3, 3]
        linear, angular = R.T @ (linear + np.cross(angular, p)) + own[:3], R.T @ angular + own[3:]
    return np.concatenate([linear, angular])


def _axis(spec: SwitchSpec, step: Step) -> Array:
    return np.array(spec.axes[3 * step.axis : 3 * step.axis + 3])


def _pose(motion: Motion, axis: Array, pitch: float, q: Array) -> Array:
    pose = np.eye(4)
    if motion in (TURN, SCREW):
        pose[:3, :3] = about(axis, q[0])
    if motion in (SLIDE, SCREW):
        pose[:3, 3] = axis * (q[0] if motion == SLIDE else pitch * q[0])
    if motion == PLANE:
        pose[:2, :2] = [[q[2], -q[3]], [q[3], q[2]]]
        pose[:2, 3] = q[:2]
    if motion in (BALL, FLIGHT):
        pose[:3, :3] = rotation(q[-4:])
    if motion == FLIGHT:
        pose[:3, 3] = q[:3]
    return pose


def _twist(motion: Motion, axis: Array, pitch: float, v: Array) -> Array:
    twist = np.zeros(6)
    if motion in (SLIDE, SCREW):
        twist[:3] = axis * (v[0] if motion == SLIDE else pitch * v[0])
    if motion in (TURN, SCREW):
        twist[3:] = axis * v[0]
    if motion == PLANE:
        twist[[0, 1, 5]] = v
    if motion in (BALL, FLIGHT):
        twist[6 - len(v) :] = v
    return twist


def matrix(rows: tuple[float, ...]) -> Array:
    """(4, 4) from the twelve entries [R | p]."""
    return np.vstack([np.array(rows).reshape(3, 4), [0.0, 0.0, 0.0, 1.0]])
