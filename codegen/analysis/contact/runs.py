"""Runs of collision pairs: a shape with shapes that follow each other, on surfaces that are alike (§11)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from kinegen.runtime.errors import InternalError

from ...mechanism.types import Number
from .collision_pairs import Pair, Touching

UNBOUNDED = ("plane", "height_field")
LISTED = 4096
"""So many pairs stand in a table of their own, which is read faster than runs are searched."""

Surface = tuple[Number, float, float, float]
"""Friction, restitution, torsional and rolling friction."""


@dataclass(frozen=True)
class Run:
    """`count` pairs from number `start` on: `shape` with the shapes from number `later` on.

    `turned`: these are the first ones of their pairs; `surface`: its number.
    """

    start: int
    shape: int
    later: int
    count: int
    turned: bool
    surface: int


@dataclass(frozen=True)
class PairRuns:
    """All pairs of a table, and what holds between them. `listed`: they are few, or hardly more than there are runs."""

    surfaces: tuple[Surface, ...]
    runs: tuple[Run, ...]
    listed: bool


def runs_of(table: Touching) -> PairRuns:
    """First shapes of a run all have bounds or none. InternalError if the pairs are not in the order of their earlier
    shapes, then of the later."""
    surfaces: dict[Surface, int] = {}
    unbounded = [placed.kind in UNBOUNDED for placed in table.shapes]

    def run(numbered: tuple[int, Pair]) -> tuple[int, int, bool, int, bool]:
        number, pair = numbered
        turned = pair.first > pair.second
        shape, later = (pair.second, pair.first) if turned else (pair.first, pair.second)
        surface = surfaces.setdefault((pair.friction, pair.restitution, pair.torsion, pair.rolling), len(surfaces))
        return shape, later - number, turned, surface, unbounded[pair.first]

    runs, start = list[Run](), 0
    for (shape, ahead, turned, surface, _), pairs in groupby(enumerate(table.pairs), run):
        count = sum(1 for _ in pairs)
        runs.append(Run(start, shape, start + ahead, count, turned, surface))
        start += count
    order = [(run.shape, run.later) for run in runs]
    if order != sorted(order):
        raise InternalError("pairs of shapes are looked for by the numbers of their shapes, but are not in that order")
    return PairRuns(tuple(surfaces), tuple(runs), start <= LISTED or 2 * len(runs) > start)
