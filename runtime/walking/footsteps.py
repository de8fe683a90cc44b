"""A walk from above: feet, support polygons, paths of ZMP, mass centre and capture point; the ZMP over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_floats
from ..contact.contacts import ContactHistory
from ..errors import ModelError
from ..model.model import Model
from ..plotting.figures import new_figure
from ..plotting.plot import FEW, plain
from .plane import Plane, plane_of
from .support import SupportPolygon, support_polygon
from .zmp import capture_point, zero_moment_point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PATHS = (("ZMP", "#d62728", "-"), ("mass centre", "#1f77b4", "-"), ("capture point", "#2ca02c", "--"))
PLANNED = ("planned ZMP", "#1f2933", ":")
MOST_POLYGONS = 60
"""Support polygons that are drawn; more would hide each other."""


@dataclass(frozen=True)
class Steps:
    """What is drawn, over t (n): `support` of all contacts with the ground, paths (n, 3) by name, outlines of the feet
    [(foot's number, corners (k, 2))]."""

    t: Array
    plane: Plane
    support: SupportPolygon
    paths: dict[str, Array]
    outlines: Sequence[tuple[int, Array]]
    feet: Sequence[str]


def over_ground(model: Model, q: Array, v: Array, point: ArrayLike, normal: ArrayLike) -> Array:
    """(n, 6) [mass centre; capture point] of states q, v; `point` and `normal` of the floor."""
    return np.hstack([model.com(q), capture_point(model, q, v, point, normal)])


def plot_footsteps(
    name: str,
    t: Array,
    moving: Array,
    contacts: ContactHistory | None,
    floor: tuple[ArrayLike, ArrayLike],
    zmp: ArrayLike,
) -> Figure:
    """t (n), `moving` (n, 6) as `over_ground`; `floor`: a point of it, its normal; `zmp` (n, 3) what was planned, or
    empty.

    ModelError without contacts, or if nothing touches the ground.
    """
    if contacts is None:
        raise ModelError("contacts: the trajectory was simulated without contacts")
    plane = plane_of(*floor)
    feet = sorted({link for pair in contacts.pairs if "world" in pair for link in pair} - {"world"})
    feet = [foot for foot in feet if contacts.force(foot).any()]
    if not feet:
        raise ModelError("contacts: nothing ever pressed on the ground, so that there are no steps to draw")
    planned = as_floats("zmp", zmp, f"({len(t)}, 3)")
    if planned.size and planned.shape != (len(t), 3):
        raise ModelError(f"zmp: expected shape ({len(t)}, 3), as many as states, got {planned.shape}")
    paths = {
        "ZMP": zero_moment_point(-contacts.wrench("world"), plane.point, plane.normal),
        "mass centre": moving[:, :3],
        "capture point": moving[:, 3:],
    }
    paths |= {PLANNED[0]: planned} if planned.size else {}
    support = support_polygon(contacts.points("world"), plane.point, plane.normal)
    outlines = [(i, corners) for i, foot in enumerate(feet) for corners in _outlines(contacts.points(foot), plane)]
    return _drawn(name, Steps(t, plane, support, paths, outlines, feet))


def _outlines(points: Array, plane: Plane) -> Iterator[Array]:
    """(k, 2) the largest polygon of each stance: states one after the other in which the foot (n, k, 3) touches."""
    hulls = plane.flat(support_polygon(points, plane.point, plane.normal).vertices)
    touching = np.isfinite(hulls[:, 0, 0])
    bounds = np.flatnonzero(np.diff(np.concatenate([[False], touching, [False]]).astype(int)))
    areas = _areas(hulls)
    for begin, end in zip(bounds[::2], bounds[1::2], strict=True):
        corners = hulls[begin + int(np.argmax(areas[begin:end]))]
        yield corners[np.isfinite(corners[:, 0])]


def _areas(corners: Array) -> Array:
    """(n) of polygons (n, k, 2)."""
    x, y = np.moveaxis(corners - corners[:, :1], -1, 0)
    x, y = np.nan_to_num(x), np.nan_to_num(y)
    areas: Array = 0.5 * (x[:, :-1] * y[:, 1:] - x[:, 1:] * y[:, :-1]).sum(axis=1)
    return areas


def _drawn(name: str, steps: Steps) -> Figure:
    figure = new_figure(13.0, 7.0)
    grid = figure.add_gridspec(3, 2, width_ratios=(1.1, 1.0))
    above = figure.add_subplot(grid[:, 0])
    rows = [figure.add_subplot(grid[i, 1]) for i in range(3)]
    _from_above(above, steps)
    above.set_title(plain(name or "steps"))
    for axis, row in zip(range(2), rows, strict=False):
        _over_time(row, steps, axis)
    _margins(rows[2], steps)
    rows[2].set_xlabel("time [s]")
    return figure


def _from_above(axes: Axes, steps: Steps) -> None:
    corners = steps.plane.flat(steps.support.vertices)
    for k in range(0, len(corners), max(1, len(corners) // MOST_POLYGONS)):
        own = corners[k][np.isfinite(corners[k, :, 0])]
        if len(own) > 2:
            axes.fill(*own.T, color="#9aa5b1", alpha=0.06, linewidth=0.0)
    named: set[int] = set()
    for foot, outline in steps.outlines:
        label = None if foot in named else plain(steps.feet[foot])
        named.add(foot)
        colour = FEW[(foot + 4) % len(FEW)]
        axes.fill(*outline.T, facecolor="none", edgecolor=colour, linewidth=1.2, label=label)
    for path, colour, dashes in (*PATHS, PLANNED):
        if path in steps.paths:
            axes.plot(*steps.plane.flat(steps.paths[path]).T, dashes, color=colour, linewidth=1.0, label=path)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("along the first axis of the floor [m]")
    axes.set_ylabel("along the second [m]")
    axes.grid(alpha=0.3)
    axes.legend(loc="best", fontsize="x-small")


def _over_time(axes: Axes, steps: Steps, axis: int) -> None:
    """One coordinate in the floor, between the least and the greatest of the support polygon."""
    corners = steps.plane.flat(steps.support.vertices)[..., axis]
    there = np.isfinite(corners)
    low, high = np.where(there, corners, np.inf).min(axis=1), np.where(there, corners, -np.inf).max(axis=1)
    axes.fill_between(steps.t, low, high, where=there.any(axis=1).tolist(), color="#9aa5b1", alpha=0.3, label="support")
    for path, colour, dashes in (*PATHS, PLANNED):
        if path in steps.paths:
            coordinate = steps.plane.flat(steps.paths[path])[:, axis]
            axes.plot(steps.t, coordinate, dashes, color=colour, linewidth=0.9, label=path)
    axes.set_ylabel(("first axis [m]", "second axis [m]")[axis])
    axes.grid(alpha=0.3)
    if axis == 0:
        axes.legend(loc="best", fontsize="x-small", ncols=2)


def _margins(axes: Axes, steps: Steps) -> None:
    for path, colour, dashes in (PATHS[0], PATHS[2]):
        margin = steps.support.margin(steps.plane.lifted(steps.plane.flat(steps.paths[path])))
        axes.plot(steps.t, margin, dashes, color=colour, linewidth=0.9, label=f"{path} in the support polygon")
    axes.axhline(0.0, color="#1f2933", linewidth=0.8)
    axes.set_ylabel("margin [m]")
    axes.grid(alpha=0.3)
    axes.legend(loc="best", fontsize="x-small")
