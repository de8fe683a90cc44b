"""Support polygons: convex hulls of contact points, many states at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from ..analysis.values import by_value
from ..arguments import Array, as_floats
from ..errors import ModelError
from ..typed import typed
from .plane import plane_of

Flags = npt.NDArray[np.bool_]
SAME = 1e-9
"""Points nearer than this part of the largest extent are one vertex."""


@by_value
@dataclass(frozen=True)
class SupportPolygon:
    """Convex polygons in a plane, one for each state: made by `support_polygon`.

    `vertices` (..., k, 3) [m]: counterclockwise about `normal`, NaN behind the last; all NaN where nothing touches.
    The plane goes through `point` (3).
    """

    vertices: Array
    point: Array
    normal: Array

    def margin(self, points: ArrayLike) -> Array:
        """(...) distance [m] of points (..., 3) from the edge, in the plane: positive inside, negative outside.

        Of a polygon that is a line or a single point never positive; NaN where there is none or the point is NaN.
        """
        given = as_floats("points", points, "(..., 3)")
        if given.shape[-1:] != (3,):
            raise ModelError(f"points: expected shape (..., 3), got {given.shape}")
        plane = plane_of(self.point, self.normal)
        corners, at = plane.flat(self.vertices), plane.flat(given)
        try:
            batch = np.broadcast_shapes(corners.shape[:-2], at.shape[:-1])
        except ValueError as error:
            raise ModelError(f"points: {given.shape} do not go with polygons {self.vertices.shape}") from error
        return _margins(corners, at).reshape(batch)


@typed
def support_polygon(points: ArrayLike, point: ArrayLike = (0, 0, 0), normal: ArrayLike = (0, 0, 1)) -> SupportPolygon:
    """Convex hull of contact points (..., k, 3) in the plane through `point` (3) with `normal` (3); world axes.

    Points that are NaN are not there, so that states may have different numbers of them, as
    `trajectory.contacts.points("world")` gives them; others are brought straight down on the plane.
    """
    plane = plane_of(point, normal)
    given = as_floats("points", points, "(..., k, 3)")
    if given.ndim < 2 or given.shape[-1] != 3 or not given.shape[-2]:
        raise ModelError(f"points: expected shape (..., k, 3) with k of at least 1, got {given.shape}")
    if np.isinf(given).any():
        raise ModelError("points: an entry is infinite; points that are not there are NaN")
    flat = plane.flat(given)
    hulls = _hulls(flat.reshape(-1, *flat.shape[-2:]))
    return SupportPolygon(plane.lifted(hulls.reshape(flat.shape)), plane.point, plane.normal)


def _hulls(p: Array) -> Array:
    """(m, k, 2) corners of the hulls of p (m, k, 2): up the right side from the lowest point and down the left
    [Andrew79], all m at once."""
    there: Flags = np.asarray(np.isfinite(p).all(axis=-1))
    kept, count = np.full(p.shape, np.nan), there.sum(axis=1)
    occupied = np.flatnonzero(count)
    if not len(occupied):
        return kept
    p = np.where(there[..., None], p, np.nan)[occupied]
    count, rows = count[occupied], np.arange(len(occupied))[:, None]
    same = SAME * (np.nanmax(p, axis=1) - np.nanmin(p, axis=1)).max(axis=1)
    up = p[rows, np.lexsort((p[..., 0], p[..., 1]), axis=-1)]  # what is NaN comes last
    back = np.arange(p.shape[1])
    down = up[rows, np.where(back < count[:, None], count[:, None] - 1 - back, back)]
    right, ended = _side(up, count, same)
    left, begun = _side(down, count, same)
    point = np.linalg.norm(up[rows[:, 0], count - 1] - up[:, 0], axis=1) <= same
    ended, begun = np.where(point, 1, ended - 1), np.where(point, 0, begun - 1)  # where the other begins
    at = back - ended[:, None]
    sides = np.where((at < 0)[..., None], right, left[rows, np.maximum(at, 0)])
    kept[occupied] = np.where((at < begun[:, None])[..., None], sides, np.nan)
    return kept


def _side(p: Array, count: npt.NDArray[np.int64], same: Array) -> tuple[Array, npt.NDArray[np.int64]]:
    """The corners of the first `count` of p (m, k, 2) that turn left from each to the next, and how many they are;
    what lies within `same` (m) of the line between its neighbours is none."""
    stack, size, rows = np.full(p.shape, np.nan), np.zeros(len(p), dtype=np.int64), np.arange(len(p))
    for j in range(p.shape[1]):
        new, here = p[:, j], j < count
        while True:
            last, before = stack[rows, np.maximum(size - 1, 0)], stack[rows, np.maximum(size - 2, 0)]
            popped = here & (size > 1) & ~_turns_left(before, last, new, same)
            if not popped.any():
                break
            size[popped] -= 1
        stack[rows[here], size[here]] = new[here]
        size[here] += 1
    return stack, size


def _turns_left(a: Array, b: Array, c: Array, same: Array) -> Flags:
    """(m) at b, on the way from a to c, by more than `same` beside the line between them."""
    way, arm = c - a, b - a
    length2 = np.einsum("mi,mi->m", way, way)
    share = np.clip(np.einsum("mi,mi->m", arm, way) / np.where(length2 > 0.0, length2, 1.0), 0.0, 1.0)
    apart = np.linalg.norm(arm - share[:, None] * way, axis=1) > same
    return np.asarray(apart & (arm[:, 0] * way[:, 1] - arm[:, 1] * way[:, 0] > 0.0))


def _margins(corners: Array, at: Array) -> Array:
    """(...) of points (..., 2) from the edges between corners (..., k, 2)."""
    there = np.isfinite(corners[..., 0])
    count = there.sum(axis=-1, keepdims=True)
    after = np.where(np.arange(corners.shape[-2]) + 1 >= count, 0, np.arange(corners.shape[-2]) + 1)
    edge = np.take_along_axis(corners, after[..., None], axis=-2) - corners
    arm = at[..., None, :] - corners
    length2 = np.einsum("...i,...i->...", edge, edge)
    along = np.einsum("...i,...i->...", arm, edge)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.clip(np.where(length2 > 0.0, along / length2, 0.0), 0.0, 1.0)
    distance = np.linalg.norm(arm - share[..., None] * edge, axis=-1)
    left = edge[..., 0] * arm[..., 1] - edge[..., 1] * arm[..., 0] >= 0.0
    inside = (left | ~there).all(axis=-1) & (count[..., 0] > 2)
    nearest = np.where(there, distance, np.inf).min(axis=-1)
    known = (count[..., 0] > 0) & np.isfinite(at).all(axis=-1)
    return np.where(known, np.where(inside, nearest, -nearest), np.nan)
