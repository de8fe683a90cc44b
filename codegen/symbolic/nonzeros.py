"""Constants that are zero in one limb and not in one that is alike: a rounded angle, a mass centre a little aside.

Program with them → one by which both limbs are computed alike: such zeros stand as NEGLIGIBLE numbers until they are
printed, as zeros.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..program.limbs import NEGLIGIBLE
from .vector import Mat, Vec, mat

CONSTANTS = ("fixed_R", "fixed_p", "link_R", "link_p", "com", "I_com")

Nonzeros = Mapping[str, Mapping[str, frozenset[int]]]
"""Segment → which of its CONSTANTS → places of zeros that are none in a limb that is alike."""


def vector_with(v: Vec, places: frozenset[int]) -> Vec:
    """Zeros at these places stand as small numbers."""
    tape = v.x.tape
    return Vec(*(tape.constant(NEGLIGIBLE) if i in places else entry for i, entry in enumerate(v)))


def symmetric_with(m: Mat, places: frozenset[int]) -> Mat:
    """The same of a symmetric matrix."""
    return Mat(tuple(vector_with(row, _of_row(places, i)) for i, row in enumerate(m.rows)))  # type: ignore[arg-type]  # 3 rows


def rotation_with(R: Mat, places: frozenset[int]) -> Mat:
    """The same of a rotation, which is turned by a small angle: its rows stay orthogonal, to first order."""
    a, b, c = (NEGLIGIBLE * size for size in (1.0, 2.0, 3.0))
    turned = R @ mat(R[0, 0].tape, [[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])
    rows = [
        Vec(*(by if 3 * i + j in places else entry for j, (entry, by) in enumerate(zip(row, small, strict=True))))
        for i, (row, small) in enumerate(zip(R.rows, turned.rows, strict=True))
    ]
    return Mat((rows[0], rows[1], rows[2]))


def _of_row(places: frozenset[int], i: int) -> frozenset[int]:
    return frozenset(place - 3 * i for place in places if place // 3 == i)
