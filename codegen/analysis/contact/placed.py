"""Shapes where they are carried; meshes and points as convex solids (§11)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kinegen.runtime.errors import ContactWarning, ModelError, warn

from ...mechanism.geometry.meshes import mesh_hull
from ...mechanism.geometry.polyhedron import Polyhedron, hull
from ...mechanism.geometry.shapes import Shape
from ...mechanism.mechanism import Mechanism
from ...mechanism.pose import Pose
from ...mechanism.types import WORLD, ZERO, Vector


@dataclass(frozen=True)
class Placed:
    """A shape, the link that carries it and the number of its body, -1 for the world.

    `solid`: what a convex shape or a mesh is, about its centre, which stands at `center` in the shape; `whole`: not
    just the hull of it.
    """

    shape: Shape
    link: str
    body: int
    solid: Polyhedron | None = None
    center: Vector = ZERO
    whole: bool = True

    @property
    def kind(self) -> str:
        """What the C takes it for."""
        return "convex" if self.shape.kind == "mesh" else self.shape.kind

    @property
    def pose(self) -> Pose:
        """Of the shape's centre, in the link."""
        return self.shape.pose * Pose(self.center)


def all_placed(mechanism: Mechanism) -> list[Placed]:
    """The shapes of the world, then those of the links; nothing is opened."""
    bodies = mechanism.tree.bodies
    links = [Placed(shape, body.link.name, body.index) for body in bodies for shape in body.link.shapes]
    return [*(Placed(shape, WORLD, -1) for shape in mechanism.shapes), *links]


Hulls = dict[object, tuple[Polyhedron, bool]]
"""By what shapes are made of: a mesh that several links carry is opened once. With it, whether it is convex itself."""


def solid(placed: Placed, hulls: Hulls) -> Placed:
    """The shape itself, with the hull of a convex one or of a mesh. ModelError names the link."""
    shape = placed.shape
    if shape.kind not in ("convex", "mesh"):
        return placed
    made_of = (shape.kind, shape.folder, shape.file, shape.size, shape.vertices, shape.most)
    try:
        if made_of not in hulls:
            hulls[made_of] = (hull(shape.vertices, shape.most), True) if shape.kind == "convex" else mesh_hull(shape)
    except ModelError as error:
        raise ModelError(f"link '{placed.link}': {error}") from None
    whole, convex = hulls[made_of]
    if not convex and not shape.hull:
        raise ModelError(
            f"link '{placed.link}': mesh {shape.file!r} is not convex; say hull=True to take its convex hull, or cut "
            "it into convex parts"
        )
    return replace(placed, solid=whole.about(whole.center), center=whole.center, whole=convex)


def solids(placed: Iterable[Placed], name: str) -> tuple[list[Placed | None], tuple[str, ...]]:
    """All of them; None for meshes of model files that are not to be had, with a warning that names their links.

    The second value: the warnings that were given.
    """
    result: list[Placed | None] = []
    lost: list[str] = []
    filled: list[str] = []
    hulls: Hulls = {}
    for each in placed:
        try:
            found = solid(each, hulls)
            result.append(found)
            if not found.whole:
                filled.append(f"'{each.link}'")
        except ModelError as error:
            if not each.shape.folder:
                raise
            lost.append(str(error))
            result.append(None)
    said = []
    if lost:
        more = f" (and {len(lost) - 3} more)" if len(lost) > 3 else ""
        said.append(f"mechanism '{name}': shapes that take no part in contact: {'; '.join(lost[:3])}{more}")
    if filled:
        said.append(f"mechanism '{name}': meshes that are not convex touch as their convex hulls: {_some(filled)}")
    for text in said:
        warn(text, ContactWarning)
    return result, tuple(said)


def _some(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
