"""The contact wrench cone: all forces and moments that the ground can exert on a foot (§17)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..analysis.values import by_value
from ..arguments import Array, as_array, as_count, as_number, as_pose
from ..errors import ModelError
from ..model.batch_axes import batch_of
from ..typed import typed

FLAT = 1e-9
"""Singular values of the cone's edges below this part of the largest are rounding."""


@by_value
@dataclass(frozen=True)
class ContactWrenchCone:
    """Wrenches w = [force; moment] with rows (m, 6) @ w >= 0, of friction by pyramids inside the true cones.

    `center` (6): of a unit force shared evenly by all points. Made by `of_rectangle` or `of_points`.
    """

    rows: Array
    center: Array

    @staticmethod
    @typed
    def of_rectangle(half_length: float, half_width: float, friction: float) -> ContactWrenchCone:
        """Of a rectangular sole in its own axes: x forward, y to the left, z away from the ground, about its middle.

        The closed form of forces at the four corners within pyramids of four sides [Caron15]. They stand in
        the true cones: forces along the edges reach friction/√2 of the pressing one. Lengths [m].
        """
        X, Y, limit = (
            as_number(name, value, positive=True)
            for name, value in (("half_length", half_length), ("half_width", half_width), ("friction", friction))
        )
        mu = limit / np.sqrt(2.0)
        rows = [[s * (k == 0), s * (k == 1), mu, 0.0, 0.0, 0.0] for k in range(2) for s in (-1.0, 1.0)]
        rows += [[0.0, 0.0, (Y, X)[k], s * (k == 0), s * (k == 1), 0.0] for k in range(2) for s in (-1.0, 1.0)]
        for s in (-1.0, 1.0):
            for a in (-1.0, 1.0):
                for b in (-1.0, 1.0):  # μ(X + Y) f_z ± τ_z >= |Y f_x ∓ μ τ_x| + |X f_y ∓ μ τ_y|
                    rows.append([a * Y, b * X, mu * (X + Y), -s * a * mu, -s * b * mu, s])
        return ContactWrenchCone(np.array(rows), np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))

    @staticmethod
    @typed
    def of_points(
        points: ArrayLike, friction: float, normals: ArrayLike = (0, 0, 1), *, sides: int = 8
    ) -> ContactWrenchCone:
        """Of contact points (k, 3) with normals (3) or (k, 3) away from the ground, of one foot or several.

        Wrenches are about the origin of the points' axes. Friction by pyramids of `sides` edges on the true cone, which
        is met to cos(π/sides). Their hull needs kinegen[exact]. ModelError for points on a line, for next to no
        friction, for contacts that can press against each other, and for normals that cancel each other out.
        """
        places = np.atleast_2d(as_array("points", points, (3,)))
        if places.ndim != 2 or not len(places):
            raise ModelError(f"points: expected shape (k, 3), three corners or more, got {places.shape}")
        up = as_array("normals", normals, (3,))
        if up.shape not in ((3,), (1, 3), places.shape):
            raise ModelError(f"normals: expected shape (3,) or {places.shape}, got {up.shape}")
        up = np.broadcast_to(up, places.shape)
        length = np.linalg.norm(up, axis=1, keepdims=True)
        if not (length > 0.0).all():
            raise ModelError("normals: expected directions away from the ground, got one without a length")
        up = up / length
        mu, count = as_number("friction", friction, positive=True), as_count("sides", sides, least=3)
        middle = places.mean(axis=0)
        arms = places - middle
        center = np.concatenate([up, np.cross(arms, up)], axis=1).mean(axis=0)
        if np.linalg.norm(center[:3]) < FLAT:
            raise ModelError("normals: they cancel each other out, so that no direction is that of pressing")
        rows = _faces(_edges(arms, up, mu, count), center, arms, mu)
        rows[:, :3] -= np.cross(rows[:, 3:], middle)
        center[3:] += np.cross(middle, center[:3])
        return ContactWrenchCone(rows, center)

    def margin(self, wrench: ArrayLike, pose: ArrayLike | None = None) -> Array:
        """(...) the part m of the pressing force that could be taken away evenly before the foot slips, tips or turns.

        w − m f center is on the cone's surface, f the force of w along that of `center`: 1 for a force through the
        middle, 0 on the surface, negative outside, NaN without force. Where f <= 0: −inf outside, as for one that
        pulls, inf inside, as for a hand that presses on a wall. `wrench` (..., 6) in the axes of the points; with
        `pose` (..., 4, 4) of these axes: in world axes, about the world's origin.
        """
        given = as_array("wrench", wrench, (6,))
        if pose is not None:
            axes = as_pose("pose", pose)
            batch_of("margin", {"wrench": given.shape[:-1], "pose": axes.shape[:-2]})
            given = _in_axes(given, axes)
        pressing = given[..., :3] @ self.center[:3] / (self.center[:3] @ self.center[:3])
        least = (given @ self.rows.T / (self.rows @ self.center)).min(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = least / pressing
        without = np.where(np.abs(given).max(axis=-1) > 0.0, np.where(least < 0.0, -np.inf, np.inf), np.nan)
        return np.where(pressing > 0.0, inside, without)


def _in_axes(wrench: Array, pose: Array) -> Array:
    """(..., 6) a wrench about the world's origin, in the axes of a pose and about its origin."""
    R, p = pose[..., :3, :3], pose[..., :3, 3]
    moment = wrench[..., 3:] - np.cross(p, wrench[..., :3])
    parts = [np.einsum("...ji,...j->...i", R, x) for x in (wrench[..., :3], moment)]
    return np.concatenate(parts, axis=-1)


def _edges(points: Array, normals: Array, friction: float, sides: int) -> Array:
    """(k sides, 6) wrenches of forces along the edges of the pyramids; faces of four sides lie along x and y."""
    away = np.where(np.abs(normals[:, :1]) < 0.9, np.eye(3)[0], np.eye(3)[1])
    first = away - normals * np.einsum("ki,ki->k", away, normals)[:, None]
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(normals, first)
    turn = (2.0 * np.arange(sides) + 1.0) * np.pi / sides
    across = np.cos(turn)[:, None] * first[:, None] + np.sin(turn)[:, None] * second[:, None]
    forces = normals[:, None] + friction * across
    return np.concatenate([forces, np.cross(points[:, None], forces)], axis=-1).reshape(-1, 6)


def _faces(edges: Array, center: Array, arms: Array, friction: float) -> Array:
    """(m, 6) inward normals of the cone over these edges (n, 6): the hull of where they cross a plane. `arms` (k, 3) of
    the points from their middle."""
    spatial = _require_spatial()
    across = _inside(edges)
    center = center / (center @ across)
    section = edges / (edges @ across)[:, None] - center
    _, size, axes = np.linalg.svd(section)
    if len(size) < 5 or size[4] < FLAT * size[0]:
        raise _without_width(arms, friction)
    found = _hull(spatial, (section @ axes[:5].T) / size[:5])
    normals = -(found[:, :5] / size[:5]) @ axes[:5]
    rows = normals - np.outer(found[:, 5] + normals @ center, across)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    _, kept = np.unique(np.round(rows, 9), axis=0, return_index=True)  # a face of many corners is told in parts
    return np.asarray(rows[np.sort(kept)])


def _without_width(arms: Array, friction: float) -> ModelError:
    """Of a cone that rounding leaves no width in some direction: which of friction and points is at fault."""
    if friction < np.append(np.linalg.svd(arms, compute_uv=False), 0.0)[1]:
        return ModelError(
            f"friction: {friction:.3g} is so little that rounding leaves nothing of what it holds; give 1e-6 or more"
        )
    return ModelError("points: they are on one line, about which the ground holds nothing; give three corners")


def _inside(edges: Array) -> Array:
    """(6) the y for which the least of edges @ y is largest, the edges (n, 6) as unit vectors. ModelError if none has
    them all positive: then wrenches of some edges are undone by others."""
    from scipy.optimize import linprog

    unit = edges / np.linalg.norm(edges, axis=1, keepdims=True)
    least = np.hstack([-unit, np.ones((len(unit), 1))])
    y = np.asarray(linprog(-np.eye(7)[6], least, np.zeros(len(unit)), bounds=[(-1.0, 1.0)] * 6 + [(0.0, None)]).x[:6])
    if (unit @ y).min() < FLAT:
        raise ModelError("normals: contacts can press against each other, as a grip does; take those of one side")
    return y


def _hull(spatial: Any, points: Array) -> Array:
    """(m, 6) faces [n d], n·x + d <= 0, of the hull of points (n, 5). ModelError with the remedy if it has none."""
    try:
        return np.asarray(spatial.ConvexHull(points).equations)
    except spatial.QhullError:  # faces of many corners that rounding parts: moved by a little more (QJ), none is left
        try:
            return np.asarray(spatial.ConvexHull(points, qhull_options="QJ").equations)
        except spatial.QhullError as error:
            told = str(error).partition("\n")[0]
            raise ModelError(
                f"points: Qhull finds no hull of the cone's edges ({told}); take fewer sides, or points further apart"
            ) from None


def _require_spatial() -> Any:
    """SciPy's module with Qhull; ModelError with the remedy if it is not there."""
    try:
        import scipy.spatial
    except ImportError:
        raise ModelError(
            "of_points needs the package 'scipy': pip install 'kinegen[exact]'; of_rectangle does without"
        ) from None
    return scipy.spatial
