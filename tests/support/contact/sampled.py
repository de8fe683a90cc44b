"""Ground and bodies as points: heights of a field, points on the surfaces of shapes."""

from __future__ import annotations

import numpy as np

from support.contact.contact_scenes import shapes


def surface(heights: np.ndarray, size: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Heights of the triangles over points."""
    n = len(heights) - 1
    u, v = (x / size + 0.5) * n, (y / size + 0.5) * n
    i, j = (np.clip(np.floor(w).astype(int), 0, n - 1) for w in (u, v))
    a, b = u - i, v - j
    z, across, beside, beyond = heights[i, j], heights[i + 1, j], heights[i, j + 1], heights[i + 1, j + 1]
    first, second = z + a * (across - z) + b * (beyond - across), z + b * (beside - z) + a * (beyond - beside)
    return np.where(a >= b, first, second)


def skin(shape: shapes.Shape, spacing: float) -> np.ndarray:
    """(k, 3) points on a capsule, cylinder or box, no further apart than `spacing`."""
    if shape.kind == "box":
        axes = [np.linspace(-s / 2, s / 2, 1 + int(np.ceil(s / spacing))) for s in shape.size]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        return grid[(abs(grid) >= 0.5 * np.array(shape.size) - 1e-12).any(axis=1)]
    radius, length = shape.size
    angle = np.linspace(0, 2 * np.pi, int(np.ceil(2 * np.pi * radius / spacing)), endpoint=False)
    inner = np.linspace(0, 1, 1 + int(np.ceil(1.6 * radius / spacing)))
    end = [[radius * u, 0.0, length / 2] for u in inner]
    if shape.kind == "capsule":
        end = [[radius * np.sin(u), 0.0, length / 2 + radius * np.cos(u)] for u in np.pi / 2 * inner]
    side = [[radius, 0.0, z] for z in np.linspace(0, length / 2, 1 + int(np.ceil(length / spacing / 2)))]
    around, _, up = np.array(side + end).T
    points = [[around * np.cos(a), around * np.sin(a), sign * up] for a in angle for sign in (-1, 1)]
    return np.concatenate([np.transpose(p) for p in points])
