"""Tables of the broad phase: which pairs the sweep decides about, found by their shapes (§11)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from .collision_pairs import Touching
from .runs import UNBOUNDED, PairRuns

FEW = 10
"""So many pairs are tried one by one as fast as they are sorted out."""


@dataclass(frozen=True)
class BroadPhase:
    """Tables of the sweep.

    `starts`: the first run of pairs of each shape with later ones, then the number of runs; `bounded`: shapes that are
    sorted; `widest`: the largest reach of a shape [m].
    """

    starts: tuple[int, ...]
    bounded: int
    widest: float


def broad_phase(table: Touching, pairs: PairRuns, reaches: Sequence[float]) -> BroadPhase | None:
    """None if there are few pairs; `reaches`: radius about the centre of each shape [m]."""
    bounded = sum(placed.kind not in UNBOUNDED for placed in table.shapes)
    if len(table.pairs) <= FEW or bounded < 2:
        return None
    earlier = [run.shape for run in pairs.runs]
    starts = tuple(bisect_left(earlier, shape) for shape in range(len(table.shapes) + 1))
    return BroadPhase(starts, bounded, float(max(reaches)))
