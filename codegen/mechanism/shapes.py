"""Shapes for contact, carried by links and by the world; they do nothing until a simulator uses them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kinegen.runtime.errors import ModelError

from . import checks
from .polyhedron import check_points
from .pose import COINCIDENT, Pose
from .types import Vector

ShapeKind = Literal["sphere", "box", "capsule", "cylinder", "plane", "convex", "mesh"]


MOST_VERTICES = 64
"""Vertices of a convex hull that contact keeps unless told otherwise."""


@dataclass(frozen=True)
class Shape:
    """A shape fixed to a link, or to the world.

    `pose` of the shape in the link; `size` [m]: sphere (radius,), box (x, y, z) full edge lengths, capsule and cylinder
    (radius, length) along z (a capsule's caps come on top of its length), plane () with normal z, convex (), mesh
    (x, y, z) scale. `file`: the name of a mesh as text, never opened here. `friction` μ >= 0, `restitution` in [0, 1].
    `vertices` (n, 3) of a convex shape, the hull of these points, of which at most `most` stay.
    """

    kind: ShapeKind
    size: tuple[float, ...] = ()
    pose: Pose = COINCIDENT
    friction: float = 0.5
    restitution: float = 0.0
    file: str = ""
    vertices: tuple[Vector, ...] = ()
    most: int = MOST_VERTICES

    def __post_init__(self) -> None:
        if self.kind not in _SIZES:
            raise ModelError(f"unknown shape {self.kind!r}{checks.nearest(self.kind, tuple(_SIZES))}")
        sizes = checks.items(self.size, len(_SIZES[self.kind]), f"{self.kind}: size")
        object.__setattr__(
            self, "size", tuple(self._length(v, n) for v, n in zip(sizes, _SIZES[self.kind], strict=True))
        )
        if not isinstance(self.pose, Pose):
            raise ModelError(f"{self.kind}: pose must be a Pose, got {self.pose!r}")
        friction = checks.constant(self.friction, f"{self.kind}: friction")
        if friction < 0.0:
            raise ModelError(f"{self.kind}: friction must not be negative, got {friction}")
        restitution = checks.constant(self.restitution, f"{self.kind}: restitution")
        if not 0.0 <= restitution <= 1.0:
            raise ModelError(f"{self.kind}: restitution must lie between 0 and 1, got {restitution}")
        object.__setattr__(self, "friction", friction)
        object.__setattr__(self, "restitution", restitution)
        if self.kind == "mesh" and not self.file:
            raise ModelError("mesh: the name of its file is missing")
        if self.kind == "convex":
            object.__setattr__(self, "vertices", check_points(self.vertices, "convex"))
        if isinstance(self.most, bool) or not isinstance(self.most, int) or self.most < 4:
            raise ModelError(f"{self.kind}: most must be a whole number of at least 4 vertices, got {self.most!r}")

    def _length(self, value: float, what: str) -> float:
        """A positive length; a mesh may be mirrored, a capsule or cylinder may be flat."""
        length = checks.constant(value, f"{self.kind}: {what}")
        flat = what == "length" and length == 0.0
        mirrored = self.kind == "mesh" and length < 0.0
        if length <= 0.0 and not flat and not mirrored:
            raise ModelError(f"{self.kind}: {what} must be positive, got {length}")
        return length


_SIZES: dict[str, tuple[str, ...]] = {
    "sphere": ("radius",),
    "box": ("size x", "size y", "size z"),
    "capsule": ("radius", "length"),
    "cylinder": ("radius", "length"),
    "plane": (),
    "convex": (),
    "mesh": ("scale x", "scale y", "scale z"),
}


def sphere(radius: float, *, pose: Pose = COINCIDENT, friction: float = 0.5, restitution: float = 0.0) -> Shape:
    """A ball about the origin of `pose`."""
    return Shape("sphere", (radius,), pose, friction, restitution)


def box(size: Sequence[float], *, pose: Pose = COINCIDENT, friction: float = 0.5, restitution: float = 0.0) -> Shape:
    """A box with the full edge lengths `size` (3), centred on `pose`."""
    return Shape("box", tuple(size), pose, friction, restitution)


def capsule(
    radius: float, length: float, *, pose: Pose = COINCIDENT, friction: float = 0.5, restitution: float = 0.0
) -> Shape:
    """A cylinder of that length along z, centred on `pose`, with a half ball on either end."""
    return Shape("capsule", (radius, length), pose, friction, restitution)


def cylinder(
    radius: float, length: float, *, pose: Pose = COINCIDENT, friction: float = 0.5, restitution: float = 0.0
) -> Shape:
    """A cylinder of that length along z, centred on `pose`."""
    return Shape("cylinder", (radius, length), pose, friction, restitution)


def plane(*, pose: Pose = COINCIDENT, friction: float = 0.5, restitution: float = 0.0) -> Shape:
    """The half space below the plane z = 0 of `pose`."""
    return Shape("plane", (), pose, friction, restitution)


def convex(
    vertices: Any,
    *,
    most: int = MOST_VERTICES,
    pose: Pose = COINCIDENT,
    friction: float = 0.5,
    restitution: float = 0.0,
) -> Shape:
    """The convex hull of the points `vertices` (n, 3).

    A hull of more than `most` vertices is replaced by that of the `most` which lie furthest out: it lies within.
    ModelError if the points are not finite or span no volume.
    """
    return Shape("convex", (), pose, friction, restitution, vertices=vertices, most=most)


def mesh(
    file: str,
    *,
    scale: Sequence[float] = (1.0, 1.0, 1.0),
    pose: Pose = COINCIDENT,
    friction: float = 0.5,
    restitution: float = 0.0,
) -> Shape:
    """A mesh; `file` is kept as text."""
    return Shape("mesh", tuple(scale), pose, friction, restitution, file)
