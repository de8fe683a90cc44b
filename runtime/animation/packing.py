"""Arrays as text in a page: little-endian, base64, no finer than is seen."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments import Array
from .look import Index, Surface

STEPS = 65535
"""Steps of a surface's corners across its width."""
COARSER = (1024, 512, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4)
"""Steps across the width of a surface that is simplified, until it has few enough triangles."""
LARGEST_ROW = 1 << 21
"""What whole numbers in rows stay below, so that three of them make one of 63 bits."""
TURN = 32767
"""What 1 is in an entry of a quaternion."""


def packed(array: Any, kind: str) -> str:
    """Entries in row-major order as base64 of the dtype `kind`."""
    return packed_bytes(np.ascontiguousarray(array, dtype=kind).tobytes())


def packed_bytes(data: bytes) -> str:
    """Base64."""
    return base64.b64encode(data).decode("ascii")


def packed_surface(surface: Surface, most: int) -> dict[str, Any]:
    """A surface of about `most` triangles at most, equal corners once.

    A corner is low + step times whole numbers; `wide`: corners are numbered by 32 bits instead of 16.
    """
    simple = coarser(surface, most)
    vertices, triangles = simple.vertices, simple.triangles
    low, width = vertices.min(axis=0), np.ptp(vertices, axis=0)
    step = np.where(width > 0.0, width, 1.0) / STEPS
    at = np.rint((vertices - low) / step).astype(np.int64)
    _, first, number = np.unique(_keys(at), return_index=True, return_inverse=True)
    grid, triangles = at[first], _without_flat(number.reshape(-1)[triangles])
    wide = len(grid) > 0xFFFF
    return {
        "low": [float(x) for x in low],
        "step": [float(x) for x in step],
        "vertices": packed(grid, "<u2"),
        "triangles": packed(triangles, "<u4" if wide else "<u2"),
        "wide": wide,
    }


def coarser(surface: Surface, most: int) -> Surface:
    """A surface of at most about so many triangles, without corners that none of them has."""
    used, number = np.unique(surface.triangles, return_inverse=True)
    surface = Surface(surface.vertices[used], number.reshape(-1, 3))
    if len(surface.triangles) <= most:
        return surface
    width = float(np.ptp(surface.vertices, axis=0).max())
    low = 0 if len(used) < LARGEST_ROW else COARSER.index(96)  # 96³ < 2²¹
    high = len(COARSER) - 1  # the first in COARSER that is coarse enough, by halving
    while low < high:
        middle = (low + high) // 2
        enough = len(_clustered(surface, width / COARSER[middle]).triangles) <= most
        low, high = (low, middle) if enough else (middle + 1, high)
    return _clustered(surface, width / COARSER[low])


def share(sizes: Sequence[int], budget: int) -> int:
    """The largest number that sizes may be cut to so that they add up to the budget; the largest size if they do."""
    left, rest = budget, sorted(sizes)
    for i, size in enumerate(rest):
        fair = left // (len(rest) - i)
        if size > fair:
            return max(fair, 12)
        left -= size
    return max([*sizes, 12])


def quaternions(rotations: Array) -> Array:
    """(k, N, 4) unit quaternions [x y z w] of rotations (k, N, 3, 3), each on the side of the one before it."""
    r = rotations
    trace = np.einsum("...ii", r)
    squares = np.stack([*(1.0 + 2.0 * r[..., i, i] - trace for i in range(3)), 1.0 + trace], axis=-1)
    s = [r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]]
    p = {(i, j): r[..., i, j] + r[..., j, i] for i, j in ((0, 1), (0, 2), (1, 2))}
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
    flips = np.where(np.einsum("kni,kni->kn", q[1:], q[:-1]) < 0.0, -1.0, 1.0)
    q[1:] *= np.cumprod(flips, axis=0)[..., None]
    return np.asarray(q, dtype=np.float64)


def _clustered(surface: Surface, cell: float) -> Surface:
    """Corners of a cell become one at their mean [Rossignac and Borrel 1993]."""
    at = np.floor((surface.vertices - surface.vertices.min(axis=0)) / cell + 0.5).astype(np.int64)
    _, number, size = np.unique(_keys(at), return_inverse=True, return_counts=True)
    number = number.reshape(-1)
    means = np.stack([np.bincount(number, surface.vertices[:, k]) / size for k in range(3)], axis=1)
    return Surface(means, _without_flat(number[surface.triangles]))


def _keys(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n) numbers in the lexicographic order of rows (n, 3) of whole numbers from 0 to below LARGEST_ROW."""
    keys: NDArray[np.int64] = (rows[:, 0] << 42) | (rows[:, 1] << 21) | rows[:, 2]
    return keys


def _without_flat(triangles: NDArray[np.int64]) -> Index:
    """Without triangles that have a corner twice, and without those that stand there already."""
    a, b, c = triangles.T
    whole = triangles[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(_keys(np.sort(whole, axis=1)), return_index=True)
    kept: Index = whole[np.sort(first)]
    return kept
