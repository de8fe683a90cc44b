"""Arrays as text in a page: little-endian, base64, no finer than is seen."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from ..arguments import Array
from ..rotations import quaternion
from .look import Surface
from .simplify import row_keys, without_flat

STEPS = 65535
"""Steps of a surface's corners across its width."""
TURN = 32767
"""What 1 is in an entry of a quaternion."""


def packed(array: Any, kind: str) -> str:
    """Entries in row-major order as base64 of the dtype `kind`."""
    return packed_bytes(np.ascontiguousarray(array, dtype=kind).tobytes())


def packed_bytes(data: bytes) -> str:
    """Base64."""
    return base64.b64encode(data).decode("ascii")


def packed_surface(surface: Surface) -> dict[str, Any]:
    """A surface with equal corners once.

    A corner is low + step times whole numbers; `wide`: corners are numbered by 32 bits instead of 16.
    """
    vertices, triangles = surface.vertices, surface.triangles
    low, width = vertices.min(axis=0), np.ptp(vertices, axis=0)
    step = np.where(width > 0.0, width, 1.0) / STEPS
    at = np.rint((vertices - low) / step).astype(np.int64)
    _, first, number = np.unique(row_keys(at), return_index=True, return_inverse=True)
    grid, triangles = at[first], without_flat(number.reshape(-1)[triangles])
    wide = len(grid) > 0xFFFF
    return {
        "low": [float(x) for x in low],
        "step": [float(x) for x in step],
        "vertices": packed(grid, "<u2"),
        "triangles": packed(triangles, "<u4" if wide else "<u2"),
        "wide": wide,
    }


def quaternions(rotations: Array) -> Array:
    """(k, N, 4) unit quaternions [x y z w] of rotations (k, N, 3, 3), each on the side of the one before it."""
    q = quaternion(rotations)
    flips = np.where(np.einsum("kni,kni->kn", q[1:], q[:-1]) < 0.0, -1.0, 1.0)
    q[1:] *= np.cumprod(flips, axis=0)[..., None]
    return q
