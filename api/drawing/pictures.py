"""A motion as a strip of stick figures, and as curves of energy and momentum."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Rectangle

from kinegen.codegen.mechanism import WORLD, Mechanism, Shape
from kinegen.codegen.mechanism.mechanism import require_mechanism
from kinegen.runtime.arguments import Array, as_count
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.plotting.figures import new_figure, write_figure
from kinegen.runtime.plotting.plot import plain
from kinegen.runtime.simulation.trajectory import Trajectory

from ..visual.colours import GROUND, link_colours
from ..visual.ellipsoids import ellipsoid, value
from .shapes import draw_faces, draw_forces, extent, faces

AZIMUTH, ELEVATION = np.radians(35.0), np.radians(12.0)
ROW = 10
"""Most poses beside each other, unless told."""


@dataclass(frozen=True)
class Look:
    """What a link looks like: its ellipsoid of inertia as (3, 3) squared half axes in link axes, mass centre, colour,
    the links that hang on it, and the shapes that are drawn instead of the ellipsoid.
    """

    shape: Array
    com: Array
    colour: tuple[float, float, float]
    children: tuple[int, ...]
    shapes: tuple[Shape, ...] = ()


def stick_figures(
    mechanism: Mechanism,
    trajectory: Trajectory,
    path: str | PathLike[str] | None = None,
    *,
    poses: int = 9,
    columns: int = ROW,
) -> Figure:
    """Poses at even times, side by side: bones between joints, and the uniform ellipsoid with each link's inertia.

    A floating mechanism is drawn about its mass centre; else frames that are fixed to world are marked. After a motion
    with contact: the shapes that may touch, where they are, and the contact forces as arrows, the usual large
    one as long as an eighth of the picture's height. Written to `path` if given.
    ModelError without a model in the trajectory or if it is of other links, for fewer than one of poses or columns.
    """
    require_mechanism(mechanism, "stick_figures")
    poses, columns = as_count("poses", poses, least=1), as_count("columns", columns, least=1)
    if not isinstance(trajectory, Trajectory) or trajectory.model is None:
        raise ModelError(f"stick_figures: expected a trajectory with its model, got {shown(trajectory)}")
    links = [body.link.name for body in mechanism.tree.bodies]
    if links != list(trajectory.model.link_names):
        raise ModelError(
            f"stick_figures: the trajectory is of model '{trajectory.model.name}', which has other links than "
            f"mechanism '{mechanism.name}'; give the mechanism that moved"
        )
    chosen = np.unique(np.linspace(0, len(trajectory) - 1, poses).round().astype(int))
    places = trajectory.model.link_poses(trajectory.q[chosen])
    contacts = trajectory.contacts
    floats = contacts is None and _floats(mechanism)
    origin = trajectory.model.com(trajectory.q[chosen]) if floats else np.zeros((len(chosen), 3))
    places[:, :, :3, 3] -= origin[:, None, :]
    names = [spec.name for spec in trajectory.model.manifest.parameters]
    values = dict(zip(names, trajectory.model.parameter_values().tolist(), strict=True))
    looks = [*_looks(mechanism, contacts.links() if contacts else (), values)]
    marks = [] if floats else _marks(mechanism, values)
    standing = [] if contacts is None else _standing(mechanism)
    standing += [(_camera()[0] @ mark)[None] for mark in marks]
    (left, low), (right, high) = _window(looks, places, standing)
    step, rise = 1.02 * (right - left), 1.12 * (high - low)
    rows = -(-len(chosen) // columns)
    columns = -(-len(chosen) // rows)
    width = 14.0
    figure = new_figure(width, max(1.5, width * rows * rise / (columns * step)))
    axes = figure.subplots()
    screen, _ = _camera()
    newton = 0.12 * (high - low) / _typical_force(trajectory, chosen)
    for k, (place, at) in enumerate(zip(places, chosen, strict=True)):
        shift = np.array([k % columns * step, -(k // columns) * rise])
        pane = Rectangle((shift[0] + left, shift[1] + low), right - left, high - low, transform=axes.transData)
        if contacts:
            _draw_world(axes, mechanism, places, shift, pane)
            draw_forces(axes, contacts[min(at, len(contacts) - 2)], screen, newton, shift, 2 * len(looks) + 2)
        _draw(axes, looks, place, shift, pane)
        for mark in marks:
            axes.plot(*(screen @ mark + shift), marker="o", color="#1f2933", markersize=4)
        text = f"{trajectory.t[at]:.2f} s"
        axes.text(
            shift[0] + (left + right) / 2, shift[1] + low, text, ha="center", va="top", fontsize=9, color="#444444"
        )
    axes.set_xlim(left - 0.02 * step, left + columns * step)
    axes.set_ylim(low - (rows - 1) * rise - 0.1 * (high - low), high + 0.02 * rise)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return write_figure(figure, path, dpi=110)


def energy_and_momentum(trajectory: Trajectory, path: str | PathLike[str] | None = None) -> Figure:
    """Energies, momentum about the mass centre and joint speeds over time. Written to `path` if given."""
    figure = new_figure(10.0, 8.0)
    energies, turning, speeds = figure.subplots(3, 1, sharex=True)
    t, energy, momentum = trajectory.t, trajectory.energy, trajectory.momentum
    for values, label in ((energy[:, 0], "kinetic"), (energy[:, 1], "potential"), (energy.sum(axis=1), "total")):
        energies.plot(t, values, label=label)
    for k, axis in enumerate("xyz"):
        turning.plot(t, momentum[:, 3 + k], label=axis)
    speeds.plot(t, trajectory.v, linewidth=0.7)
    energies.set_ylabel("energy [J]")
    turning.set_ylabel("angular momentum about\nthe mass centre [kg m²/s]")
    speeds.set_ylabel("v [rad/s, m/s]")
    speeds.set_xlabel("time [s]")
    energies.set_title(plain(trajectory.name))
    for axes in (energies, turning):
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    for axes in (energies, turning, speeds):
        axes.grid(alpha=0.3)
    return write_figure(figure, path, dpi=110)


def _floats(mechanism: Mechanism) -> bool:
    """Nothing holds it to world, and there is nothing in world to see it by."""
    return any(KINDS[joint.kind].free for joint in mechanism.joints) and not _marks(mechanism, {})


def _marks(mechanism: Mechanism, values: Mapping[str, float]) -> list[Array]:
    """(3) places of what is fixed to world: frames, and the joints that hang something on it."""
    fixed = [frame.pose for frame in mechanism.frames if frame.link == WORLD]
    cut = {virtual.joint.name for virtual in mechanism.virtual_links}
    held = [joint for joint in mechanism.joints if joint.parent == WORLD and joint.name not in cut]
    fixed += [joint.origin for joint in held if not KINDS[joint.kind].free]
    places = [np.array([value(x, values) for x in pose.xyz]) for pose in fixed]
    return [place for place in places if np.isfinite(place).all()]


def _looks(mechanism: Mechanism, touching: Collection[str], values: Mapping[str, float]) -> Iterator[Look]:
    """Looks of all bodies in tree order; links of `touching` show their shapes."""
    bodies, colours = mechanism.tree.bodies, link_colours(mechanism)
    for i, body in enumerate(bodies):
        shape, com = ellipsoid(body.link, values) or (np.zeros((3, 3)), np.zeros(3))
        children = tuple(k for k, child in enumerate(bodies) if child.parent == i)
        shapes = body.link.shapes if body.link.name in touching else ()
        yield Look(shape, com, colours[body.link.name], children, shapes)


def _camera() -> tuple[Array, Array]:
    """(2, 3) right and up of the picture, and (3) the direction towards the eye."""
    ca, sa, ce, se = np.cos(AZIMUTH), np.sin(AZIMUTH), np.cos(ELEVATION), np.sin(ELEVATION)
    return np.array([[ca, sa, 0.0], [sa * se, -ca * se, ce]]), np.array([sa * ce, -ca * ce, se])


def _window(looks: list[Look], places: Array, standing: list[Array]) -> tuple[Array, Array]:
    """(2) lowest and highest corner of what all poses cover in the picture, all of it; places (n, N, 4, 4).

    `standing`: what the world's shapes cover.
    """
    seen = np.concatenate([*(_extent(looks, place) for place in places), *standing])
    return seen.min(axis=0), seen.max(axis=0)


def _extent(looks: list[Look], place: Array) -> Array:
    """(k, 2) corners of what one pose covers in the picture; place (N, 4, 4)."""
    screen, _ = _camera()
    corners: list[Array] = []
    for look, pose in zip(looks, place, strict=True):
        origin, middle = pose[:3, 3], pose[:3, 3] + pose[:3, :3] @ look.com
        corners.append(screen @ origin)
        covered = [point for shape in look.shapes for point in extent(shape, pose, _camera())]
        if not covered:
            flat = screen @ pose[:3, :3] @ look.shape @ pose[:3, :3].T @ screen.T
            reach = np.sqrt(np.maximum(np.diag(flat), 0.0))
            covered = [screen @ middle - reach, screen @ middle + reach]
            covered += [] if look.children else [screen @ (2.0 * middle - origin)]
        corners += covered
    return np.array(corners)


def _draw(axes: Axes, looks: list[Look], place: Array, shift: Array, pane: Rectangle) -> None:
    """One pose, far links first, nothing outside the pane."""
    screen, eye = _camera()
    middles = [pose[:3, 3] + pose[:3, :3] @ look.com for look, pose in zip(looks, place, strict=True)]
    for order, i in enumerate(np.argsort([middle @ eye for middle in middles])):
        look, pose, layer = looks[i], place[i], 2 * order
        solid = [[*faces(part, pose, _camera(), (middles[i], 0.0))] for part in look.shapes]
        for polygons in solid:
            draw_faces(axes, polygons, look.colour, shift, pane, layer)
        ends = [place[child, :3, 3] for child in look.children]
        if not any(solid):
            _draw_ellipsoid(axes, look, pose, shift, pane, layer)
            ends = ends or [2.0 * middles[i] - pose[:3, 3]]
        for end in ends:
            bone = np.array([screen @ pose[:3, 3], screen @ end]) + shift
            (line,) = axes.plot(*bone.T, color="#1f2933", linewidth=1.1, zorder=layer + 1, solid_capstyle="round")
            line.set_clip_path(pane)


def _draw_ellipsoid(axes: Axes, look: Look, pose: Array, shift: Array, pane: Rectangle, layer: int) -> None:
    screen, _ = _camera()
    flat = screen @ pose[:3, :3] @ look.shape @ pose[:3, :3].T @ screen.T
    squared, turn = np.linalg.eigh(flat)
    wide, tall = 2.0 * np.sqrt(np.maximum(squared, 0.0))
    angle = float(np.degrees(np.arctan2(turn[1, 0], turn[0, 0])))
    x, y = screen @ (pose[:3, 3] + pose[:3, :3] @ look.com) + shift
    style: dict[str, Any] = {"facecolor": look.colour, "edgecolor": "white", "linewidth": 0.6, "alpha": 0.9}
    body = axes.add_patch(Ellipse((x, y), wide, tall, angle=angle, zorder=layer, **style))
    body.set_clip_path(pane)


def _standing(mechanism: Mechanism) -> list[Array]:
    """What each shape of the world covers in the picture, planes nothing."""
    return [extent(shape, np.eye(4), _camera()) for shape in mechanism.shapes]


def _typical_force(trajectory: Trajectory, chosen: Array) -> float:
    """What one in twenty of the forces of these states exceeds [N], 1 if there is none."""
    contacts = trajectory.contacts
    last = len(trajectory) - 2  # no step starts at the last state
    sizes = [np.linalg.norm(contacts[min(i, last)].forces, axis=1) for i in chosen if contacts is not None]
    acting = np.concatenate([size[size > 0.0] for size in sizes]) if sizes else np.zeros(0)
    return float(np.quantile(acting, 0.95)) if acting.size else 1.0


def _draw_world(axes: Axes, mechanism: Mechanism, places: Array, shift: Array, pane: Rectangle) -> None:
    """The shapes of the world; of a plane the part around where the motion is."""
    middle = places[:, :, :3, 3].mean(axis=(0, 1))
    half = 0.6 * float(np.ptp(places[:, :, :3, 3], axis=(0, 1)).max()) + 0.3
    for shape in mechanism.shapes:
        shades = 1 if shape.kind == "height_field" else 4
        draw_faces(axes, faces(shape, np.eye(4), _camera(), (middle, half)), GROUND, shift, pane, -2, shades)
