"""Shapes for contact, carried by links and by the world; they do nothing until a simulator uses them."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from kinegen.runtime.errors import ModelError, shown

from .. import checks
from ..pose import COINCIDENT, Pose
from ..types import Number, Vector
from .polyhedron import check_points
from .surface import COMBINE, Combine, check_arm, check_condim, check_friction, check_restitution

ShapeKind = Literal["sphere", "box", "capsule", "cylinder", "plane", "height_field", "convex", "mesh"]

MOST_VERTICES = 64
"""Vertices of a convex hull that contact keeps unless told otherwise."""


@dataclass(frozen=True)
class Shape:
    """A shape fixed to a link, or to the world.

    `pose` of the shape in the link; `size` [m]: sphere (radius,), box (x, y, z) full edge lengths, capsule and cylinder
    (radius, length) along z (a capsule's caps come on top of its length), plane () with normal z, height_field (x, y)
    with `heights` (n, m) [m], convex () with `vertices` (n, 3), of which at most `most` stay, mesh (x, y, z) scale.
    `friction` μ >= 0, a number or a symbol, which is a run-time parameter; `restitution` in [0, 1]; `torsion`,
    `rolling` [m] >= 0: moment about the normal and across it, over the normal force, up to which the shapes do not turn
    against each other. `combine`: the friction of two shapes (all three), "geometric" mean √(μ_a μ_b), "min", "product"
    or "max", the later of their two rules in this order. `condim` as in MJCF: the larger of two says
    what friction they have, 1: none, 3: sliding, 4: torsional too, 6: rolling too; None: what its own coefficients ask.
    `file`: the name of a mesh, opened when contact is compiled, relative to `folder` and bound to what lies about it
    where a model file names it; `hull`: a mesh that is not convex is taken as its hull.
    Two shapes may touch if a bit of the `category` of one is in the `mask` of the other.
    `part`: the link that was given the shape, where a fixed joint has made that a part of the one that has it now.
    """

    kind: ShapeKind
    size: tuple[float, ...] = ()
    pose: Pose = COINCIDENT
    friction: Number = 0.5
    restitution: float = 0.0
    file: str = ""
    vertices: tuple[Vector, ...] = ()
    most: int = MOST_VERTICES
    heights: tuple[tuple[float, ...], ...] = ()
    hull: bool = False
    folder: str = field(default="", compare=False, repr=False)
    category: int = 1
    mask: int = 1
    combine: Combine = "geometric"
    torsion: float = 0.0
    rolling: float = 0.0
    part: str = ""
    condim: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in _SIZES:
            raise ModelError(f"unknown shape {shown(self.kind)}{checks.nearest(self.kind, tuple(_SIZES))}")
        sizes = checks.items(self.size, len(_SIZES[self.kind]), f"{self.kind}: size")
        object.__setattr__(
            self, "size", tuple(self._length(v, n) for v, n in zip(sizes, _SIZES[self.kind], strict=True))
        )
        if not isinstance(self.pose, Pose):
            raise ModelError(f"{self.kind}: pose must be a Pose, got {shown(self.pose)}")
        for bits in ("category", "mask"):
            object.__setattr__(self, bits, check_bits(getattr(self, bits), f"{self.kind}: {bits}"))
        object.__setattr__(self, "friction", check_friction(self.friction, self.kind))
        object.__setattr__(self, "restitution", check_restitution(self.restitution, self.kind))
        for arm in ("torsion", "rolling"):
            object.__setattr__(self, arm, check_arm(getattr(self, arm), f"{self.kind}: {arm}"))
        if not isinstance(self.combine, str) or self.combine not in COMBINE:
            raise ModelError(
                f"{self.kind}: unknown rule {shown(self.combine)}{checks.nearest(self.combine, [*COMBINE])}"
            )
        if self.condim is not None:
            object.__setattr__(self, "condim", check_condim(self.condim, self.kind))
        if not isinstance(self.part, str):
            raise ModelError(f"{self.kind}: part must be the name of a link, got {shown(self.part)}")
        if not isinstance(self.hull, bool):
            raise ModelError(f"{self.kind}: hull must be true or false, got {shown(self.hull)}")
        if self.kind == "mesh" and not self.file:
            raise ModelError("mesh: the name of its file is missing")
        if self.kind == "height_field":
            object.__setattr__(self, "heights", _grid(self.heights))
        if self.kind == "convex":
            object.__setattr__(self, "vertices", check_points(self.vertices, "convex"))
        if isinstance(self.most, bool) or not isinstance(self.most, numbers.Integral) or self.most < 4:
            raise ModelError(f"{self.kind}: most must be a whole number of at least 4 vertices, got {shown(self.most)}")
        object.__setattr__(self, "most", int(self.most))

    def _length(self, value: float, what: str) -> float:
        """A positive length; a mesh may be mirrored, a capsule or cylinder may be flat."""
        length = checks.constant(value, f"{self.kind}: {what}")
        flat = what == "length" and length == 0.0
        mirrored = self.kind == "mesh" and length < 0.0
        if length <= 0.0 and not flat and not mirrored:
            raise ModelError(f"{self.kind}: {what} must be positive, got {length}")
        return length


def _grid(heights: Any) -> tuple[tuple[float, ...], ...]:
    """(n, m) finite numbers, at least 2 by 2."""
    try:
        grid = np.array(heights, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"height_field: heights must be (n, m) numbers, got {shown(heights)}") from None
    if grid.ndim != 2 or min(grid.shape) < 2:
        raise ModelError(f"height_field: heights must be (n, m) numbers, at least 2 by 2, got shape {grid.shape}")
    if not np.isfinite(grid).all():
        at = tuple(map(int, np.argwhere(~np.isfinite(grid))[0]))
        raise ModelError(f"height_field: height {at} is {grid[at]}; give finite numbers")
    return tuple(tuple(map(float, row)) for row in grid)


def parts_of(links: Iterable[Any], shapes: Iterable[Shape]) -> set[str]:
    """Names of what fixed joints have made parts of these links, or of world, whose `shapes` these are."""
    return {shape.part for shape in (*shapes, *(own for link in links for own in link.shapes)) if shape.part}


def check_bits(value: Any, what: str) -> int:
    """A whole number of 32 bits."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not 0 <= int(value) < 1 << 32:
        raise ModelError(f"{what}: must be a whole number of 32 bits, got {shown(value)}")
    return int(value)


_SIZES: dict[str, tuple[str, ...]] = {
    "sphere": ("radius",),
    "box": ("size x", "size y", "size z"),
    "capsule": ("radius", "length"),
    "cylinder": ("radius", "length"),
    "plane": (),
    "height_field": ("size x", "size y"),
    "convex": (),
    "mesh": ("scale x", "scale y", "scale z"),
}


def sphere(
    radius: float,
    *,
    pose: Pose = COINCIDENT,
    friction: Number = 0.5,
    restitution: float = 0.0,
    torsion: float = 0.0,
    rolling: float = 0.0,
) -> Shape:
    """A ball about the origin of `pose`."""
    return Shape("sphere", (radius,), pose, friction, restitution, torsion=torsion, rolling=rolling)


def box(
    size: Sequence[float],
    *,
    pose: Pose = COINCIDENT,
    friction: Number = 0.5,
    restitution: float = 0.0,
    torsion: float = 0.0,
    rolling: float = 0.0,
) -> Shape:
    """A box with the full edge lengths `size` (3), centred on `pose`."""
    sizes = checks.items(size, 3, "box: size")
    return Shape("box", sizes, pose, friction, restitution, torsion=torsion, rolling=rolling)


def capsule(
    radius: float,
    length: float,
    *,
    pose: Pose = COINCIDENT,
    friction: Number = 0.5,
    restitution: float = 0.0,
    torsion: float = 0.0,
    rolling: float = 0.0,
) -> Shape:
    """A cylinder of that length along z, centred on `pose`, with a half ball on either end."""
    return Shape("capsule", (radius, length), pose, friction, restitution, torsion=torsion, rolling=rolling)


def cylinder(
    radius: float,
    length: float,
    *,
    pose: Pose = COINCIDENT,
    friction: Number = 0.5,
    restitution: float = 0.0,
    torsion: float = 0.0,
    rolling: float = 0.0,
) -> Shape:
    """A cylinder of that length along z, centred on `pose`."""
    return Shape("cylinder", (radius, length), pose, friction, restitution, torsion=torsion, rolling=rolling)


def plane(
    *,
    pose: Pose = COINCIDENT,
    friction: Number = 0.5,
    restitution: float = 0.0,
    torsion: float = 0.0,
    rolling: float = 0.0,
) -> Shape:
    """The half space below the plane z = 0 of `pose`."""
    return Shape("plane", (), pose, friction, restitution, torsion=torsion, rolling=rolling)


def height_field(
    heights: Any,
    size: Sequence[float],
    *,
    pose: Pose = COINCIDENT,
    friction: Number = 0.5,
    restitution: float = 0.0,
    torsion: float = 0.0,
    rolling: float = 0.0,
) -> Shape:
    """Ground of given `heights` (n, m) [m] over a rectangle of `size` (x, y) [m] about the origin of `pose`, z up.

    heights[i, j] stands at x = (i/(n - 1) - 1/2) size[0], y = (j/(m - 1) - 1/2) size[1]; between, two triangles a
    cell, parted from its corner (i, j) to (i + 1, j + 1). Solid below at any depth, as a half space is: what gets
    there is moved up. Nothing stands beyond its border, which has no flanks: what comes from there at a height below
    the ground's is moved up too.
    """
    sizes = checks.items(size, 2, "height_field: size")
    return Shape("height_field", sizes, pose, friction, restitution, torsion=torsion, rolling=rolling, heights=heights)


def convex(
    vertices: Any,
    *,
    most: int = MOST_VERTICES,
    pose: Pose = COINCIDENT,
    friction: Number = 0.5,
    restitution: float = 0.0,
    torsion: float = 0.0,
    rolling: float = 0.0,
) -> Shape:
    """The convex hull of the points `vertices` (n, 3).

    A hull of more than `most` vertices is replaced by that of the `most` which lie furthest out: it lies within.
    ModelError if the points are not finite or span no volume.
    """
    return Shape(
        "convex", (), pose, friction, restitution, torsion=torsion, rolling=rolling, vertices=vertices, most=most
    )


def mesh(
    file: str | Path,
    *,
    scale: Sequence[float] | float = (1.0, 1.0, 1.0),
    hull: bool = False,
    most: int = MOST_VERTICES,
    pose: Pose = COINCIDENT,
    friction: Number = 0.5,
    restitution: float = 0.0,
    torsion: float = 0.0,
    rolling: float = 0.0,
) -> Shape:
    """A mesh from a file (STL, OBJ, PLY, OFF, DAE, glTF), read when contact is compiled; needs `kinegen[mesh]`.

    Its numbers are metres times `scale`; those of a DAE are in the unit that it names.
    It must be convex, or `hull` says that its convex hull stands for it; `most` as for `convex`.
    """
    sizes = (scale,) * 3 if isinstance(scale, numbers.Real) else checks.items(scale, 3, "mesh: scale")
    if not isinstance(file, (str, Path)):
        raise ModelError(f"mesh: expected the name of a file, got {shown(file)}")
    return Shape(
        "mesh",
        sizes,
        pose,
        friction,
        restitution,
        str(file),
        most=most,
        hull=hull,
        torsion=torsion,
        rolling=rolling,
    )
