"""Shapes as the C meets them: half sizes about their centres, in the slots of the links that carry them (§11)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...mechanism.geometry.shapes import Shape
from ...mechanism.types import Vector
from .broad_phase import BroadPhase, broad_phase
from .collision_pairs import Touching
from .placed import Placed
from .runs import PairRuns, runs_of
from .solids import HeightFields, Solids, fields_of, solids_of

_HALVES = {"height_field": (0, 1), "capsule": (1,), "cylinder": (1,), "box": (0, 1, 2)}


@dataclass(frozen=True)
class SlottedShape:
    """A shape on the link of `slot`, -1 for the world.

    `size`: radii and half lengths [m]; `R` (9), `p` (3) [m]: pose of its centre in the link; `reach`: radius about it
    [m]; `solid`, `field`: numbers of the tables that it refers to, None for none.
    """

    kind: str
    slot: int
    size: tuple[float, ...]
    R: tuple[float, ...]
    p: Vector
    reach: float
    solid: int | None
    field: int | None
    label: str


@dataclass(frozen=True)
class Geometry:
    """Shapes with the tables that they refer to, their pairs, and how these are looked for (None: one by one)."""

    shapes: tuple[SlottedShape, ...]
    solids: Solids
    fields: HeightFields
    pairs: PairRuns
    broad: BroadPhase | None


def geometry_of(table: Touching, slots: Mapping[int, int]) -> Geometry:
    """Of all shapes that take part; `slots`: of links by number. ModelError for a solid that is too large."""
    solids, fields = solids_of(table), fields_of(table)
    shapes = tuple(
        _slotted(placed, slots.get(placed.body, -1), solid, field)
        for placed, solid, field in zip(table.shapes, solids.number, fields.number, strict=True)
    )
    pairs = runs_of(table)
    broad = broad_phase(table, pairs, [shape.reach for shape in shapes])
    return Geometry(shapes, solids, fields, pairs, broad)


def _slotted(placed: Placed, slot: int, solid: int | None, field: int | None) -> SlottedShape:
    size = [x / 2 if i in _HALVES.get(placed.kind, ()) else x for i, x in enumerate(placed.shape.size)]
    size += [0.0] * (3 - len(size))
    return SlottedShape(
        placed.kind,
        slot,
        tuple(size),
        tuple(float(x) for row in placed.pose.rotation for x in row),
        placed.pose.xyz,
        _reach(placed, size),
        solid,
        field,
        f"{placed.shape.kind} of {placed.link}",
    )


def _reach(placed: Placed, size: Sequence[float]) -> float:
    reaches: dict[str, float] = {
        "plane": 0.0,
        "sphere": size[0],
        "capsule": size[0] + size[1],
        "cylinder": (size[0] ** 2 + size[1] ** 2) ** 0.5,
        "box": math.sqrt(math.fsum(x * x for x in size)),
        "convex": placed.solid.reach if placed.solid else 0.0,
        "height_field": math.sqrt(math.fsum(x * x for x in (*size, *_steepest(placed.shape)))),
    }
    return float(reaches[placed.kind])


def _steepest(shape: Shape) -> list[float]:
    """The largest height of a field, up or down."""
    return [max(abs(z) for row in shape.heights for z in row)] if shape.heights else []
