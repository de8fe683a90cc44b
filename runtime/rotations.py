"""Rotations in space: matrices R (3, 3) that turn vectors, unit quaternions [x y z w], and [w]ₓ of cross products."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def skew(w: Array) -> Array:
    """(..., 3, 3) [w]ₓ of vectors (..., 3): [w]ₓ p = w × p."""
    found = np.zeros((*w.shape, 3))
    found[..., 0, 1], found[..., 0, 2], found[..., 1, 2] = -w[..., 2], w[..., 1], -w[..., 0]
    found[..., 1, 0], found[..., 2, 0], found[..., 2, 1] = w[..., 2], -w[..., 1], w[..., 0]
    return found


def about(axis: Array, angle: float) -> Array:
    """(3, 3) rotation about a unit axis (3) (Rodrigues) [N98 (34)]."""
    cross = skew(axis)
    turned: Array = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return turned


def rotation(quaternion: Array) -> Array:
    """(..., 3, 3) of unit quaternions (..., 4)."""
    x, y, z, w = np.moveaxis(quaternion, -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternion(R: Array) -> Array:
    """(..., 4) with w >= 0 of rotations (..., 3, 3): the largest of the four is divided by."""
    trace = np.einsum("...ii", R)
    squares = np.stack([*(1.0 + 2.0 * R[..., i, i] - trace for i in range(3)), 1.0 + trace], axis=-1)
    s = [R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]]
    p = {(i, j): R[..., i, j] + R[..., j, i] for i, j in ((0, 1), (0, 2), (1, 2))}
    rows = [
        [squares[..., 0], p[0, 1], p[0, 2], s[0]],
        [p[0, 1], squares[..., 1], p[1, 2], s[1]],
        [p[0, 2], p[1, 2], squares[..., 2], s[2]],
        [s[0], s[1], s[2], squares[..., 3]],
    ]  # 4 q_i q, of which the row of the largest q_i is taken
    table = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    largest = squares.argmax(axis=-1)[..., None, None]
    q = np.take_along_axis(table, largest, axis=-2)[..., 0, :]
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    return np.asarray(np.where(q[..., 3:] < 0.0, -q, q), dtype=np.float64)


def rotated(quaternion: Array, vectors: Array) -> Array:
    """(..., 3) vectors (..., 3) turned by one unit quaternion (4)."""
    u, w = quaternion[:3], quaternion[3]
    return np.asarray(vectors + 2.0 * np.cross(u, np.cross(u, vectors) + w * vectors))
