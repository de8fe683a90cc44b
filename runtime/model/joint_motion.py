"""Pose and twist of a joint from its coordinates, for the few places that need one joint outside C (§1)."""

from __future__ import annotations

import numpy as np

from ..abi import JointSpec, SwitchSpec
from ..arguments import Array


def joint_pose(joint: JointSpec, spec: SwitchSpec, q: Array) -> Array:
    """(4, 4) pose of the joint's frame on the child in its frame on the parent; quaternions [x y z w]."""
    pose, axis = np.eye(4), np.array(spec.axis)
    if joint.kind in ("revolute", "continuous", "helical", "cylindrical"):
        pose[:3, :3] = about(axis, q[0])
    if joint.kind == "universal":
        pose[:3, :3] = about(axis, q[0]) @ about(np.array(spec.axis2), q[1])
    if joint.kind == "planar":
        pose[:2, :2] = [[q[2], -q[3]], [q[3], q[2]]]
        pose[:2, 3] = q[:2]
    if joint.kind in ("spherical", "free"):
        pose[:3, :3] = rotation(q[-4:])
    pose[:3, 3] += _shift(joint.kind, axis, spec.pitch, q)
    return pose


def joint_twist(joint: JointSpec, spec: SwitchSpec, q: Array, v: Array) -> Array:
    """(6) [linear; angular] of the frame on the child relative to the parent, in the child's axes."""
    axis, linear, angular = np.array(spec.axis), np.zeros(3), np.zeros(3)
    if joint.kind in ("revolute", "continuous", "helical", "cylindrical"):
        angular = axis * v[0]
    if joint.kind in ("prismatic", "helical", "cylindrical"):
        linear = axis * {"prismatic": v[0], "helical": spec.pitch * v[0], "cylindrical": v[-1]}[joint.kind]
    if joint.kind == "universal":
        second = np.array(spec.axis2)
        angular = about(second, -q[1]) @ axis * v[0] + second * v[1]
    if joint.kind == "planar":
        linear, angular = np.array([v[0], v[1], 0.0]), np.array([0.0, 0.0, v[2]])
    if joint.kind == "spherical":
        angular = v
    if joint.kind == "free":
        linear, angular = v[:3], v[3:]
    return np.concatenate([linear, angular])


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


def _shift(kind: str, axis: Array, pitch: float, q: Array) -> Array:
    shift: Array = np.zeros(3)
    if kind == "prismatic":
        shift = axis * q[0]
    if kind == "helical":
        shift = axis * (pitch * q[0])
    if kind == "cylindrical":
        shift = axis * q[1]
    if kind == "free":
        shift = q[:3]
    return shift
