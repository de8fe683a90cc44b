"""Tables of the broad phase: which pairs the sweep decides about, and which are always tried (§11)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from kinegen.runtime.errors import InternalError

from .collision_pairs import Touching

FEW = 64
"""So many pairs are tried one by one as fast as they are sorted out."""
UNBOUNDED = ("plane", "height_field")


def broad_phase(table: Touching, reaches: Sequence[float]) -> dict[str, object]:
    """Words of contact_broad.c.j2; empty if there are few pairs. `reaches`: radius about the centre of each shape."""
    bounded = [i for i, placed in enumerate(table.shapes) if placed.kind not in UNBOUNDED]
    if len(table.pairs) <= FEW or len(bounded) < 2:
        return {}
    order = [(min(pair.first, pair.second), max(pair.first, pair.second)) for pair in table.pairs]
    if order != sorted(order):
        raise InternalError("pairs of shapes are looked for by the numbers of their shapes, but are not in that order")
    always = [0] * (len(table.pairs) // 64 + 1)
    for number, pair in enumerate(table.pairs):
        if table.shapes[pair.first].kind in UNBOUNDED:
            always[number // 64] |= 1 << number % 64
    lower = [low for low, _ in order]
    return {
        "starts": [bisect_left(lower, shape) for shape in range(len(table.shapes) + 1)],
        "always": [f"{bits:#x}ULL" for bits in always],
        "bounded": len(bounded),
        "widest": repr(float(max(reaches))),
    }
