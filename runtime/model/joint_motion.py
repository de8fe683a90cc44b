"""Pose and twist of a joint from its coordinates, for the few places that need one joint outside C (§1)."""

from __future__ import annotations

import numpy as np

from ..abi import JointSpec, SwitchSpec
from ..arguments import Array
from ..kinds import BALL, FLIGHT, KINDS, PLANE, SCREW, SLIDE, TURN, Motion, Step


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


def about(axis: Array, angle: float) -> Array:
    """(3, 3) rotation about a unit axis (Rodrigues) [N98 (34)]."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: Array = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return turned


def rotation(quaternion: Array) -> Array:
    """(3, 3) rotation of a unit quaternion [x y z w]."""
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion(R: Array) -> Array:
    """(4) [x y z w], w >= 0, of a rotation (3, 3): the largest of the four is divided by."""
    squares = np.array([1 + 2 * R[i, i] - np.trace(R) for i in range(3)] + [1 + np.trace(R)])
    i = int(squares.argmax())
    if i == 3:
        q = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], squares[3]])
    else:
        j, k = (i + 1) % 3, (i + 2) % 3
        q = np.zeros(4)
        q[i], q[j], q[k], q[3] = squares[i], R[j, i] + R[i, j], R[k, i] + R[i, k], R[k, j] - R[j, k]
    q /= np.linalg.norm(q) * (-1.0 if q[3] < 0.0 else 1.0)
    return q


def matrix(rows: tuple[float, ...]) -> Array:
    """(4, 4) from the twelve entries [R | p]."""
    return np.vstack([np.array(rows).reshape(3, 4), [0.0, 0.0, 0.0, 1.0]])
