"""Tables of the broad phase: which pairs the sweep decides about, and which are always tried (§11)."""

from __future__ import annotations

from collections.abc import Sequence

from .collision_pairs import Touching

FEW = 64
"""So many pairs are tried one by one as fast as they are sorted out."""
UNBOUNDED = ("plane", "height_field")


def broad_phase(table: Touching, reaches: Sequence[float]) -> dict[str, object]:
    """Words of contact_broad.c.j2; empty if there are few pairs. `reaches`: radius about the centre of each shape."""
    bounded = [i for i, placed in enumerate(table.shapes) if placed.kind not in UNBOUNDED]
    if len(table.pairs) <= FEW or len(bounded) < 2:
        return {}
    count = len(table.shapes)
    numbers = [[-1] * count for _ in range(count)]
    always = [0] * (len(table.pairs) // 64 + 1)
    for number, pair in enumerate(table.pairs):
        if table.shapes[pair.first].kind in UNBOUNDED:
            always[number // 64] |= 1 << number % 64
        else:
            numbers[pair.first][pair.second] = numbers[pair.second][pair.first] = number
    return {
        "numbers": numbers,
        "always": [f"{bits:#x}ULL" for bits in always],
        "bounded": len(bounded),
        "widest": repr(float(max(reaches))),
    }
