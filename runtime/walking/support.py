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
    """(m, k, 2) corners of the hulls of p (m, k, 2), by wrapping a line around each: all m at once."""
    there: Flags = np.asarray(np.isfinite(p).all(axis=-1))
    p = np.where(there[..., None], p, np.nan)
    corners = np.full(p.shape, np.nan)
    occupied = np.flatnonzero(there.any(axis=1))
    if not len(occupied):
        return corners
    p, there, rows = p[occupied], there[occupied], np.arange(len(occupied))
    extent = np.nanmax(p, axis=1) - np.nanmin(p, axis=1)
    same = SAME * extent.max(axis=1)
    start = now = p[rows, _lowest(p)]
    going = np.ones(len(p), dtype=bool)
    for i in range(p.shape[1]):
        corners[occupied[going], i] = now[going]
        now = _next(p, there, now, same)
        going &= np.linalg.norm(now - start, axis=1) > same
    return corners


def _lowest(p: Array) -> npt.NDArray[np.int64]:
    """(m) which of the points (m, k, 2) is lowest, of those as low the one with the least x."""
    y = np.where(np.isnan(p[..., 1]), np.inf, p[..., 1])
    x = np.where(y > y.min(axis=1, keepdims=True), np.inf, p[..., 0])
    return np.asarray(np.argmin(np.where(np.isnan(x), np.inf, x), axis=1))


def _next(p: Array, there: Flags, now: Array, same: Array) -> Array:
    """(m, 2) the point that has all others on its left, seen from `now` (m, 2); of several the farthest."""
    best, length = now.copy(), np.zeros(len(p))
    for j in range(p.shape[1]):
        arm, ahead = p[:, j] - now, best - now
        size = np.hypot(arm[:, 0], arm[:, 1])
        turn = ahead[:, 0] * arm[:, 1] - ahead[:, 1] * arm[:, 0]
        better = (length == 0.0) | (turn < 0.0) | ((turn == 0.0) & (size > length))
        taken = there[:, j] & (size > same) & better
        best[taken], length[taken] = p[taken, j], size[taken]
    return best


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
