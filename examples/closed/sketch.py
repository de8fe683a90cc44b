"""A motion as a strip of poses, each link drawn through the points where its joints sit, with curves below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

import kinegen as kg

Array = NDArray[np.float64]
COLOURS = ("#4c6a92", "#d9822b", "#4f9d69", "#c0563b", "#7b6fb0", "#2f7f86", "#a8832f", "#8a5a83")
FLAT = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""(2, 3) right and up of the picture: x and y, for mechanisms that move in that plane."""
SIDE = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
"""x and z."""


def oblique(azimuth: float = 35.0, elevation: float = 15.0) -> Array:
    """(2, 3) right and up of a picture taken from these directions [degrees]."""
    a, e = np.radians([azimuth, elevation])
    return np.array([[np.cos(a), np.sin(a), 0.0], [np.sin(a) * np.sin(e), -np.cos(a) * np.sin(e), np.cos(e)]])


@dataclass(frozen=True)
class Curves:
    """values (n) or (n, k) over t (n) [s], with a name for each of the k."""

    ylabel: str
    t: Array
    values: Array
    names: Sequence[str]


def picture(
    path: Path,
    mechanism: kg.Mechanism,
    model: kg.Model,
    t: Array,
    q: Array,
    curves: Sequence[Curves] = (),
    *,
    view: Array = FLAT,
    poses: int = 7,
    trace: Array | None = None,
    points: Mapping[str, Sequence[ArrayLike]] | None = None,
) -> None:
    """Writes `poses` of the states q (n, nq) at even times, then the curves.

    `trace` (n, 3): a path to draw under every pose; `points`: further points of links, in link axes.
    """
    chosen = np.linspace(0, len(t) - 1, poses).round().astype(int)
    drawn = [outlines(mechanism, model, q[k], view, points or {}) for k in chosen]
    spots = np.concatenate([line for lines in drawn for line in lines])
    low, high = spots.min(axis=0), spots.max(axis=0)
    step = 1.15 * (high - low)[0] + 0.02
    strip = 0.8 + 9.0 * (high - low)[1] / (poses * step)
    figure = Figure(figsize=(10.0, strip + 1.9 * len(curves)), layout="constrained")
    heights = [strip, *(1.9 for _ in curves)]
    panes = figure.subplots(1 + len(curves), 1, squeeze=False, height_ratios=heights)[:, 0]
    for number, (k, lines) in enumerate(zip(chosen, drawn, strict=True)):
        shift = np.array([number * step, 0.0])
        _pose(panes[0], lines, shift)
        if trace is not None:
            panes[0].plot(*(trace @ view.T + shift).T, color="#c0563b", linewidth=0.8, zorder=0)
        panes[0].text((low + high)[0] / 2 + shift[0], low[1], f"\n{t[k]:.2f} s", ha="center", va="top", fontsize=8)
    panes[0].set_aspect("equal")
    panes[0].set_axis_off()
    panes[0].set_title(mechanism.name.replace("_", " "))
    for pane, curve in zip(panes[1:], curves, strict=True):
        pane.plot(curve.t, curve.values, linewidth=1.2)
        pane.legend(curve.names, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
        pane.set_ylabel(curve.ylabel)
        pane.grid(alpha=0.3)
    panes[-1].set_xlabel("time [s]" if curves else "")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80)


def outlines(
    mechanism: kg.Mechanism, model: kg.Model, q: Array, view: Array, points: Mapping[str, Sequence[ArrayLike]]
) -> list[Array]:
    """For the ground and every link the (k, 2) points of its joints in the picture, in an order to draw them in."""
    place = dict(zip(model.link_names, model.link_poses(q), strict=True))
    found: dict[str, list[Array]] = {"world": [], **{name: [] for name in place}}
    for joint in mechanism.joints:
        if joint.kind != "free":
            found[joint.parent].append(np.array(joint.origin.xyz, dtype=float))
            found[joint.child].append(np.array(joint.child_origin.xyz, dtype=float))
    lines = []
    for name, spots in found.items():
        spots += [np.asarray(point, dtype=float) for point in points.get(name, ())]
        if len(spots) == 1 and name != "world":
            spots.append(np.array(mechanism.link(name).com, dtype=float))
        if spots:
            pose = place.get(name, np.eye(4))
            lines.append(_around((np.array(spots) @ pose[:3, :3].T + pose[:3, 3]) @ view.T))
    return lines


def _around(points: Array) -> Array:
    """Points in the order of their direction from the middle of them: the outline of the link."""
    away = points - points.mean(axis=0)
    return points[np.argsort(np.arctan2(away[:, 1], away[:, 0]))] if len(points) > 2 else points


def _pose(axes: Axes, lines: Sequence[Array], shift: Array) -> None:
    """The ground's points, then each link as a bar or a plate."""
    ground, *links = (line + shift for line in lines)
    axes.plot(*ground.T, "^", color="#1f2933", markersize=5, zorder=1)
    for line, colour in zip(links, cycle(COLOURS), strict=False):
        if len(line) > 2:
            axes.fill(*line.T, facecolor=colour, edgecolor=colour, alpha=0.35, zorder=2)
        axes.plot(*line.T, "-o", color=colour, linewidth=2.0, markersize=2.5, zorder=3)
