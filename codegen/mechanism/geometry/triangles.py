"""Shapes as triangles, to be drawn: a few unit surfaces that are stretched, hulls, height fields and meshes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from .mesh_colours import MeshPart, mesh_parts
from .meshes import find_mesh, mesh_solid
from .polyhedron import Polyhedron, hull
from .shapes import Shape

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]
Colour = tuple[float, float, float, float]
SIDES = 32
"""Corners of what is round."""


@dataclass(frozen=True, eq=False)
class Piece:
    """`vertices` (n, 3), `triangles` (f, 3) counterclockwise from outside, the same for equal `key`s.

    `place` (3, 4) rows of [A | p]: x is at A x + p in the frame that carries the shape; `colour` None if none is known.
    """

    key: Hashable
    vertices: Array
    triangles: Index
    place: Array
    colour: Colour | None = None


def pieces(shape: Shape, stretch: tuple[float, float, float] = (1.0, 1.0, 1.0), solid: bool = True) -> Iterator[Piece]:
    """The surface of a shape but a plane, which has no end. `solid`: a mesh as contact takes it, else as it is.

    ModelError if a mesh cannot be read.
    """
    own = np.array(shape.pose.rotation, dtype=float) * np.array(stretch)
    at = np.array(shape.pose.xyz, dtype=float)

    def placed(key: Hashable, surface: tuple[Array, Index], scale: object, middle: float = 0.0) -> Piece:
        return Piece(key, *surface, np.column_stack([own * np.array(scale, dtype=float), at + own[:, 2] * middle]))

    match shape.kind:
        case "box":
            yield placed("box", unit_box(), shape.size)
        case "sphere":
            yield placed("sphere", unit_sphere(), shape.size * 3)
        case "cylinder" | "capsule":
            radius, length = shape.size
            yield placed("cylinder", unit_cylinder(), (radius, radius, length))
            for end in (-0.5, 0.5) if shape.kind == "capsule" else ():
                yield placed("sphere", unit_sphere(), (radius,) * 3, end * length)
        case "height_field":
            key = ("field", shape.heights)
            yield placed(key, _field(np.array(shape.heights)), (*shape.size, 1.0))
        case "convex":
            found = hull(shape.vertices, shape.most)
            yield placed(("convex", shape.vertices, shape.most), _fans(found), (1.0,) * 3)
        case "mesh" if solid and shape.hull:
            yield placed(("hull", find_mesh(shape), shape.size, shape.most), _fans(mesh_solid(shape)), (1.0,) * 3)
        case "mesh":
            for i, part in enumerate(mesh_parts(find_mesh(shape))):
                yield _mesh_piece(("mesh", find_mesh(shape), i), part, own * np.array(shape.size), at)


def _mesh_piece(key: Hashable, part: MeshPart, axes: Array, at: Array) -> Piece:
    """Mirrored meshes are turned inside out, so that their triangles face outwards."""
    mirrored = bool(np.linalg.det(axes) < 0.0)
    triangles = part.triangles[:, ::-1] if mirrored else part.triangles
    return Piece((key, mirrored), part.vertices, triangles, np.column_stack([axes, at]), part.colour)


@cache
def unit_box() -> tuple[Array, Index]:
    """Edges of length 1 about the origin; each side has corners of its own."""
    vertices: list[Array] = []
    triangles: list[tuple[int, ...]] = []
    for axis in range(3):
        for side in (-0.5, 0.5):
            corners = np.array([[side, a, b] for a, b in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))])
            quad = np.roll(corners, axis, axis=1)
            n = 4 * len(vertices)
            order = [(0, 1, 2), (0, 2, 3)] if side > 0.0 else [(2, 1, 0), (3, 2, 0)]
            vertices.append(quad)
            triangles += [tuple(n + k for k in t) for t in order]
    return np.concatenate(vertices), np.array(triangles, dtype=np.int64)


@cache
def unit_sphere() -> tuple[Array, Index]:
    """Radius 1 about the origin."""
    turn = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    rise = np.linspace(-0.5 * np.pi, 0.5 * np.pi, SIDES // 2 + 1)[1:-1]
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    rings = [np.column_stack([np.cos(a) * circle, np.full(SIDES, np.sin(a))]) for a in rise]
    vertices = np.vstack([*rings, [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]])
    low, high = len(vertices) - 2, len(vertices) - 1
    triangles = [t for k in range(len(rings) - 1) for t in _band(k * SIDES, (k + 1) * SIDES)]
    last = (len(rings) - 1) * SIDES
    for i in range(SIDES):
        j = (i + 1) % SIDES
        triangles += [(low, j, i), (high, last + i, last + j)]
    return vertices, np.array(triangles, dtype=np.int64)


@cache
def unit_cylinder() -> tuple[Array, Index]:
    """Radius 1 and length 1 along z about the origin; the lids have corners of their own."""
    turn = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    rings = [np.column_stack([ring, np.full(SIDES, z)]) for z in (-0.5, 0.5, -0.5, 0.5)]
    triangles = _band(0, SIDES)
    for i in range(1, SIDES - 1):
        triangles += [(2 * SIDES, 2 * SIDES + i + 1, 2 * SIDES + i), (3 * SIDES, 3 * SIDES + i, 3 * SIDES + i + 1)]
    return np.vstack(rings), np.array(triangles, dtype=np.int64)


def _band(low: int, high: int) -> list[tuple[int, int, int]]:
    """Triangles between two rings of SIDES corners, seen from outside."""
    found = []
    for i in range(SIDES):
        j = (i + 1) % SIDES
        found += [(low + i, low + j, high + j), (low + i, high + j, high + i)]
    return found


def _field(heights: Array) -> tuple[Array, Index]:
    """Over a square of edge 1 about the origin; cells are parted from corner (i, j) to (i + 1, j + 1)."""
    n, m = heights.shape
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, n), np.linspace(-0.5, 0.5, m), indexing="ij")
    at = np.arange(n * m).reshape(n, m)
    a, b, c, d = (part.ravel() for part in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    triangles = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    return np.column_stack([x.ravel(), y.ravel(), heights.ravel()]), triangles


def _fans(solid: Polyhedron) -> tuple[Array, Index]:
    triangles = [(f[0], f[i], f[i + 1]) for f in solid.faces for i in range(1, len(f) - 1)]
    return np.array(solid.vertices), np.array(triangles, dtype=np.int64)
