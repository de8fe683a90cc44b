"""Convex solids as static tables of the C: one for all shapes that are the same solid (§11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from ..mechanism.geometry.polyhedron import Polyhedron, box_polyhedron
from .collision_pairs import Touching

ROUND, SOLID = ("capsule", "cylinder"), ("cylinder", "box", "convex")
RIM = 17  # corners that stand for the rim of a cylinder, at most


@dataclass(frozen=True)
class Solids:
    """The tables, and the number of that of every shape, None where it needs none."""

    tables: tuple[dict[str, object], ...]
    number: tuple[int | None, ...]
    most: dict[str, int]
    uses: dict[str, bool]


def solids_of(table: Touching) -> Solids:
    """Of all convex shapes, and of the boxes that may meet others than balls, boxes and half spaces."""
    kinds = [placed.kind for placed in table.shapes]
    met = {(kinds[pair.first], kinds[pair.second]) for pair in table.pairs}
    meeting = {pair.first for pair in table.pairs if kinds[pair.second] == "convex"}
    meeting |= {pair.second for pair in table.pairs if kinds[pair.first] in (*ROUND, "height_field")}
    found: dict[Polyhedron, int] = {}
    number: list[int | None] = []
    for i, placed in enumerate(table.shapes):
        solid = placed.solid
        if placed.kind == "box" and i in meeting:
            solid = box_polyhedron(placed.shape.size)
        number.append(None if solid is None else found.setdefault(solid, len(found)))
    sizes = {
        "vertices": [len(solid.vertices) for solid in found],
        "faces": [len(solid.faces) for solid in found],
        "edges": [len(solid.edges) for solid in found],
        "corners": [len(face) for solid in found for face in solid.faces],
    }
    most = {name: max(counts, default=1) for name, counts in sizes.items()}
    hulls, fields = "convex" in kinds, "height_field" in kinds
    rounds = any((b in SOLID and a in ROUND) or (a, b) == ("sphere", "convex") for a, b in met)
    return Solids(
        tuple(map(_table, found)),
        tuple(number),
        most | {"outline": max(most["corners"], RIM)},
        {"hulls": hulls, "rounds": rounds, "fields": fields, "nearest": hulls or rounds or fields},
    )


def fields_of(table: Touching) -> tuple[list[dict[str, object]], list[str]]:
    """Height fields as tables, and what every shape has for one: a place in them, or 0."""
    tables: list[dict[str, object]] = []
    places = []
    for placed in table.shapes:
        heights = placed.shape.heights
        places.append(f"GROUND + {len(tables)}" if heights else "0")
        if heights:
            count = (len(heights), len(heights[0]))
            step = [length / (n - 1) for length, n in zip(placed.shape.size, count, strict=True)]
            tables.append(
                {
                    "count": ", ".join(map(str, count)),
                    "step": ", ".join(map(repr, step)),
                    "top": repr(max(map(max, heights))),
                    "rows": [", ".join(map(repr, row)) for row in heights],
                }
            )
    return tables, places


def _table(solid: Polyhedron) -> dict[str, object]:
    return {
        "vertices": _rows(solid.vertices),
        "planes": _rows(solid.planes),
        "starts": [0, *accumulate(map(len, solid.faces))],
        "corners": [corner for face in solid.faces for corner in face],
        "edges": _rows(solid.edges),
        "size": repr(solid.thickness),
    }


def _rows(rows: Sequence[Sequence[float]]) -> list[str]:
    return [", ".join(map(repr, row)) for row in rows]
