"""Surfaces of fewer triangles: corners that lie in one cell of a grid become one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arguments import Array
from .look import Index, Look, Surface, best_kinds

COARSER = (1024, 512, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4)
"""Cells across the width of a surface that is simplified, until it has few enough triangles."""
LARGEST_ROW = 1 << 21
"""What whole numbers in rows stay below, so that three of them make one of 63 bits."""
LEAST = 3
"""Cells across the smallest part, so that nothing vanishes."""
STIFF = 0.03
"""Weight of the mean of a cell's corners beside the planes of its triangles."""


def coarser(surface: Surface, most: int) -> Surface:
    """A surface of at most about so many triangles, without corners that none of them has."""
    surface = _used(surface)
    if len(surface.triangles) <= most:
        return surface
    width = _width(surface)
    low = 0 if len(surface.vertices) < LARGEST_ROW else COARSER.index(96)  # 96³ < 2²¹
    high = len(COARSER) - 1  # the first in COARSER that is coarse enough, by halving
    while low < high:
        middle = (low + high) // 2
        enough = len(clustered(surface, width / COARSER[middle]).triangles) <= most
        low, high = (low, middle) if enough else (middle + 1, high)
    return clustered(surface, width / COARSER[low])


def rough_surfaces(look: Look, most: int) -> tuple[Surface, ...]:
    """All surfaces by cells of one width in the mechanism, such that what is drawn of it has about so many triangles:
    all is then wrong by about as much, however finely a file drew its bolts.
    """
    best = best_kinds(look.parts)
    drawn = [part.surface for part in look.parts if part.kind == best[part.link]]
    widths = np.array([_width(surface) for surface in look.surfaces])
    scales = np.zeros(len(widths))
    for part in look.parts:
        scales[part.surface] = max(scales[part.surface], np.abs(np.linalg.det(part.place[:, :3])) ** (1.0 / 3.0))
    widest = float((widths * scales).max(initial=0.0)) or 1.0

    def by_cells(count: int) -> tuple[Surface, ...]:
        across = np.maximum(count * widths * scales / widest, LEAST)
        return tuple(
            clustered(surface, width / n) if len(surface.triangles) > LEAST**3 else surface
            for surface, width, n in zip(look.surfaces, widths, across, strict=True)
        )

    low, high = 0, len(COARSER) - 1
    while low < high:
        middle = (low + high) // 2
        found = by_cells(COARSER[middle])
        low, high = (low, middle) if sum(len(found[i].triangles) for i in drawn) <= most else (middle + 1, high)
    return by_cells(COARSER[low])


def share(sizes: Sequence[int], budget: int) -> int:
    """The largest number that sizes may be cut to so that they add up to the budget; the largest size if they do."""
    left, rest = budget, sorted(sizes)
    for i, size in enumerate(rest):
        fair = left // (len(rest) - i)
        if size > fair:
            return max(fair, 12)
        left -= size
    return max([*sizes, 12])


def clustered(surface: Surface, cell: float) -> Surface:
    """Corners of a cell become one (Rossignac and Borrel 1993), where the planes of their triangles nearly meet."""
    at = np.floor((surface.vertices - surface.vertices.min(axis=0)) / cell + 0.5).astype(np.int64)
    _, number, size = np.unique(row_keys(at), return_inverse=True, return_counts=True)
    number = number.reshape(-1)
    means = np.stack([np.bincount(number, surface.vertices[:, k]) / size for k in range(3)], axis=1)
    corners = means + _towards_planes(surface, number, means, 0.5 * cell)
    return Surface(corners, without_flat(number[surface.triangles]))


def row_keys(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n) numbers in the lexicographic order of rows (n, 3) of whole numbers from 0 to below LARGEST_ROW."""
    keys: NDArray[np.int64] = (rows[:, 0] << 42) | (rows[:, 1] << 21) | rows[:, 2]
    return keys


def without_flat(triangles: NDArray[np.int64]) -> Index:
    """Without triangles that have a corner twice, and without those that stand there already."""
    a, b, c = triangles.T
    whole = triangles[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(row_keys(np.sort(whole, axis=1)), return_index=True)
    kept: Index = whole[np.sort(first)]
    return kept


def _towards_planes(surface: Surface, number: Index, means: Array, most: float) -> Array:
    """(cells, 3) [m] from each mean to the point nearest to the planes of the cell's triangles, no further than `most`.

    min_x Σ (nᵀ(x − a))² + ε tr(Σ n nᵀ) |x|², n being twice the area times the normal (Lindstrom 2000).
    """
    a, b, c = np.moveaxis(surface.vertices[surface.triangles], 1, 0)
    normal, count = np.cross(b - a, c - a), len(means)
    A, right = np.zeros((count, 3, 3)), np.zeros((count, 3))
    for corner in surface.triangles.T:
        cell = number[corner]
        off = np.einsum("fi,fi->f", normal, a - means[cell])
        for i in range(3):
            right[:, i] += np.bincount(cell, normal[:, i] * off, count)
            for j in range(3):
                A[:, i, j] += np.bincount(cell, normal[:, i] * normal[:, j], count)
    weight = np.einsum("kii->k", A)
    flat = weight <= 0.0
    A += np.where(flat, 1.0, STIFF * weight)[:, None, None] * np.eye(3)
    x = np.linalg.solve(A, right[..., None])[..., 0]
    far = np.abs(x).max(axis=1, initial=0.0)
    return np.asarray(x * np.minimum(1.0, most / np.maximum(far, 1e-300))[:, None])


def _used(surface: Surface) -> Surface:
    """Without corners that no triangle has."""
    used, number = np.unique(surface.triangles, return_inverse=True)
    return Surface(surface.vertices[used], number.reshape(-1, 3))


def _width(surface: Surface) -> float:
    """Of the box around it [m]."""
    return float(np.ptp(surface.vertices, axis=0).max(initial=0.0)) if len(surface.vertices) else 0.0
