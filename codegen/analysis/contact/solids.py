"""Convex solids and height fields as static tables of the C: one for all shapes that are the same solid (§11)."""

from __future__ import annotations

from dataclasses import dataclass

from kinegen.runtime.errors import ModelError

from ...mechanism.geometry.polyhedron import Polyhedron, box_polyhedron
from .collision_pairs import Touching
from .placed import Placed

ROUND, EDGED = ("capsule", "cylinder"), ("box", "convex")
MOST_FACES, MOST_CORNERS = 1024, 128  # KG_MOST_FACES of a solid, KG_MOST_CORNERS of a face: geometry.h


@dataclass(frozen=True)
class Solids:
    """The solids, each once, and the number of that of every shape, None where it needs none."""

    each: tuple[Polyhedron, ...]
    number: tuple[int | None, ...]


def solids_of(table: Touching) -> Solids:
    """Of all convex shapes, and of the boxes that may meet others than balls and half spaces.

    ModelError for a solid that is too large for the C.
    """
    kinds = [placed.kind for placed in table.shapes]
    meeting = {pair.first for pair in table.pairs if kinds[pair.second] in EDGED}
    meeting |= {pair.second for pair in table.pairs if kinds[pair.first] in (*ROUND, *EDGED, "height_field")}
    found: dict[Polyhedron, int] = {}
    number: list[int | None] = []
    for i, placed in enumerate(table.shapes):
        solid = placed.solid
        if placed.kind == "box" and i in meeting:
            solid = box_polyhedron(placed.shape.size)
        if solid is not None:
            _check(placed, solid)
        number.append(None if solid is None else found.setdefault(solid, len(found)))
    return Solids(tuple(found), tuple(number))


def _check(placed: Placed, solid: Polyhedron) -> None:
    """ModelError for what is more than the C has room for."""
    corners = max(map(len, solid.faces))
    if len(solid.faces) > MOST_FACES or corners > MOST_CORNERS:
        raise ModelError(
            f"link '{placed.link}': its {placed.shape.kind} has {len(solid.faces)} faces of up to {corners} corners; "
            f"contact takes {MOST_FACES} faces of up to {MOST_CORNERS} corners: give a smaller `most`"
        )


@dataclass(frozen=True)
class HeightField:
    """Heights [m] on a grid of equal steps [m], the first of its corners; `top`: the largest of them."""

    heights: tuple[tuple[float, ...], ...]
    step: tuple[float, float]
    top: float

    @property
    def count(self) -> tuple[int, int]:
        return len(self.heights), len(self.heights[0])


@dataclass(frozen=True)
class HeightFields:
    """The fields, and the number of that of every shape, None where it is none."""

    each: tuple[HeightField, ...]
    number: tuple[int | None, ...]


def fields_of(table: Touching) -> HeightFields:
    """Of all height fields."""
    found: list[HeightField] = []
    number: list[int | None] = []
    for placed in table.shapes:
        heights = placed.shape.heights
        number.append(len(found) if heights else None)
        if heights:
            x, y = (
                length / (n - 1) for length, n in zip(placed.shape.size, (len(heights), len(heights[0])), strict=True)
            )
            found.append(HeightField(heights, (x, y), max(map(max, heights))))
    return HeightFields(tuple(found), tuple(number))
