"""Tables of the broad phase: which pairs the sweep decides about, and which are always tried (§11)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.runtime.errors import InternalError

from .collision_pairs import Touching

FEW = 64
"""So many pairs are tried one by one as fast as they are sorted out."""
UNBOUNDED = ("plane", "height_field")


@dataclass(frozen=True)
class BroadPhase:
    """Tables of the sweep.

    `starts`: the first pair of each shape with later ones, then the number of pairs; `always`: bits of the pairs that
    are always tried, 64 a number; `bounded`: shapes that are sorted; `widest`: the largest reach of a shape [m].
    """

    starts: tuple[int, ...]
    always: tuple[int, ...]
    bounded: int
    widest: float


def broad_phase(table: Touching, reaches: Sequence[float]) -> BroadPhase | None:
    """None if there are few pairs; `reaches`: radius about the centre of each shape [m]."""
    bounded = [i for i, placed in enumerate(table.shapes) if placed.kind not in UNBOUNDED]
    if len(table.pairs) <= FEW or len(bounded) < 2:
        return None
    order = [(min(pair.first, pair.second), max(pair.first, pair.second)) for pair in table.pairs]
    if order != sorted(order):
        raise InternalError("pairs of shapes are looked for by the numbers of their shapes, but are not in that order")
    always = [0] * (len(table.pairs) // 64 + 1)
    for number, pair in enumerate(table.pairs):
        if table.shapes[pair.first].kind in UNBOUNDED:
            always[number // 64] |= 1 << number % 64
    lower = [low for low, _ in order]
    starts = tuple(bisect_left(lower, shape) for shape in range(len(table.shapes) + 1))
    return BroadPhase(starts, tuple(always), len(bounded), float(max(reaches)))
