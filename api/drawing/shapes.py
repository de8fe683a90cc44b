"""Shapes and contact forces in a picture: what faces the eye as polygons, forces as arrows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Polygon, Rectangle

from kinegen.codegen.mechanism import Shape
from kinegen.codegen.mechanism.geometry.meshes import mesh_solid
from kinegen.codegen.mechanism.geometry.polyhedron import Polyhedron
from kinegen.codegen.mechanism.geometry.polyhedron import hull as polyhedron
from kinegen.runtime.arguments import Array
from kinegen.runtime.contact.contacts import Contacts
from kinegen.runtime.errors import ModelError

from ..visual.colours import Colour

MOST_CELLS = 24
MOST_FACES = 24
"""Of a solid whose faces are drawn one by one; of others the outline."""
_TURN = np.linspace(0.0, 2.0 * np.pi, 49)[:-1]
_CIRCLE = np.column_stack([np.cos(_TURN), np.sin(_TURN), np.zeros(48)])
_ARROW = "-|>,head_length=3,head_width=1.6"
_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def faces(shape: Shape, place: Array, camera: tuple[Array, Array], patch: tuple[Array, float]) -> Iterator[Array]:
    """(k, 2) polygons of the picture, later ones over earlier ones; `place` (4, 4) of the link that carries the shape.

    `patch`: middle and half width of the part of a plane that is drawn. A mesh is drawn as its hull, one that cannot be
    read not at all; a large height field in larger cells.
    """
    own = np.eye(4)
    own[:3, :3], own[:3, 3] = np.array(shape.pose.rotation, dtype=float), np.array(shape.pose.xyz, dtype=float)
    pose = place @ own
    screen, eye = camera
    R, p = pose[:3, :3], pose[:3, 3]

    def flat(points: Array) -> Array:
        return np.asarray((points @ R.T + p) @ screen.T)

    if shape.kind == "plane":
        middle, half = patch
        at = R.T @ (middle - p)
        square = np.array([[-half, -half, 0.0], [half, -half, 0.0], [half, half, 0.0], [-half, half, 0.0]])
        yield flat(square + np.array([at[0], at[1], 0.0]))
    elif shape.kind == "box":
        corners = _CORNERS * np.array(shape.size)
        for axis in range(3):
            side = 0.5 if R[:, axis] @ eye > 0.0 else -0.5
            yield hull(flat(corners[_CORNERS[:, axis] == side]))
    elif shape.kind in ("sphere", "capsule"):
        radius, length = (*shape.size, 0.0)[:2]
        ends = np.array([[0.0, 0.0, -0.5 * length], [0.0, 0.0, 0.5 * length]])
        yield hull(np.vstack([end + radius * _CIRCLE[:, :2] for end in flat(ends)]))
    elif shape.kind == "cylinder":
        radius, length = shape.size
        rims = [flat(radius * _CIRCLE + np.array([0.0, 0.0, side * length])) for side in (-0.5, 0.5)]
        yield hull(np.vstack(rims))
        yield rims[int(R[:, 2] @ eye > 0.0)]
    elif shape.kind == "height_field":
        cells = _hills(shape)
        for cell in cells[np.argsort((cells.mean(axis=1) @ R.T + p) @ eye, kind="stable")]:
            yield flat(cell)
    elif (solid := _solid(shape)) is not None and len(solid.faces) > MOST_FACES:
        yield hull(flat(np.array(solid.vertices)))
    elif solid is not None:
        for face, plane in zip(solid.faces, solid.planes, strict=True):
            if R @ np.array(plane[:3]) @ eye > 0.0:
                yield flat(np.array([solid.vertices[corner] for corner in face]))


@lru_cache(maxsize=256)
def _solid(shape: Shape) -> Polyhedron | None:
    """The hull of a convex shape or of a mesh; None if the mesh cannot be read."""
    try:
        return mesh_solid(shape) if shape.kind == "mesh" else polyhedron(shape.vertices, shape.most)
    except ModelError:
        return None


def _hills(shape: Shape) -> Array:
    """(c, 4, 3) corners of the cells of a height field, of at most about `MOST_CELLS` along each side."""
    heights = np.array(shape.heights)
    (x, i), (y, j) = (
        (length * (kept / (n - 1) - 0.5), kept)
        for length, n in zip(shape.size, heights.shape, strict=True)
        for kept in (np.unique(np.linspace(0, n - 1, min(n, MOST_CELLS + 1)).round().astype(int)),)
    )
    grid = np.stack([*np.meshgrid(x, y, indexing="ij"), heights[np.ix_(i, j)]], axis=-1)
    corners = (grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:])
    return np.stack(corners, axis=2).reshape(-1, 4, 3)


def extent(shape: Shape, place: Array, camera: tuple[Array, Array]) -> Array:
    """(k, 2) what a shape covers in the picture; nothing for planes."""
    drawn = [] if shape.kind == "plane" else [*faces(shape, place, camera, (np.zeros(3), 0.0))]
    return np.vstack(drawn) if drawn else np.zeros((0, 2))


def draw_faces(
    axes: Axes, polygons: Iterable[Array], colour: Colour, shift: Array, pane: Rectangle, layer: int, shades: int = 4
) -> None:
    """Faces in so many shades of a colour."""
    for k, polygon in enumerate(polygons):
        pale = 0.22 * (k % shades)
        shade = [c + pale * (1.0 - c) for c in colour]
        face = Polygon(polygon + shift, closed=True, facecolor=shade, edgecolor="white", linewidth=0.5, zorder=layer)
        axes.add_patch(face)
        face.set_clip_path(pane)


def draw_forces(axes: Axes, contacts: Contacts, screen: Array, scale: float, shift: Array, layer: int) -> None:
    """An arrow for every force [N], `scale` metres of the picture for a newton, its tail at the point of contact."""
    for point, force in zip(contacts.points, contacts.forces, strict=True):
        tail = screen @ point + shift
        head = tail + scale * (screen @ force)
        arrow = FancyArrowPatch(tuple(tail), tuple(head), arrowstyle=_ARROW, shrinkA=0.0, shrinkB=0.0, color="#b3261e")
        arrow.set(linewidth=0.9, zorder=layer)
        axes.add_patch(arrow)


def hull(points: Array) -> Array:
    """(k, 2) corners of the convex hull of points (n, 2), counter-clockwise [Andrew's monotone chain]."""
    order = points[np.lexsort((points[:, 1], points[:, 0]))]
    chains = []
    for way in (order, order[::-1]):
        chain: list[Array] = []
        for point in way:
            while len(chain) > 1 and _left(chain[-2], chain[-1], point) <= 0.0:
                chain.pop()
            chain.append(point)
        chains += chain[:-1]
    return np.array(chains if chains else points[:1])


def _left(a: Array, b: Array, c: Array) -> float:
    """Positive if a, b, c turn to the left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
