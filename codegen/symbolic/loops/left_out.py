"""Proof of a straight-line acceleration: what the closure rows that its partition leaves out make of it (§8).

An acceleration that meets every row K a + K̇v = 0 and is driven by multipliers of some rows is the acceleration of the
closed mechanism; one that misses a row that was left out as redundant is not, because the rank at hand is another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...program.tape import Scalar, Tape
from .closed import Rows

MISSED = 1e-8  # part of the size of the terms up to which a row that was left out counts as met
TRUSTED = 1e-3  # quality above which a caller takes the straight-line result (runtime/c/closure/trusted.h)
TRUSTED_ROUNDED = 0.1  # the same where dimensions are rounded
LEAST = 1e-290  # keeps the quotient of two zeros at one


@dataclass(frozen=True)
class Scales:
    """What makes K pure numbers: factors of its rows (6L), units of its columns (nv); `floor` [1/s²]: an acceleration
    that is at work anyway, such as gravity over the largest length; `misfit` [m, rad]: what the loops miss by, because
    their dimensions are rounded; `missed`: part of the size of the terms up to which a row that was left out counts as
    met; `length` [m]: what lengths of gaps are measured by."""

    rows: tuple[float, ...]
    units: tuple[float, ...]
    floor: float
    misfit: float = 0.0
    missed: float = MISSED
    length: float = 1.0

    @property
    def trusted(self) -> float:
        """Quality above which a caller takes the straight-line result."""
        return TRUSTED_ROUNDED if self.misfit else TRUSTED


def left_out(K: Rows, drift: Sequence[Scalar], chosen: Sequence[int]) -> list[int]:
    """Rows beside the chosen ones that are not zero by structure."""
    kept = set(chosen)
    return [
        r for r, row in enumerate(K) if r not in kept and not (drift[r].is_zero and all(entry.is_zero for entry in row))
    ]


def proven(
    quality: Scalar,
    a: Sequence[Scalar],
    v: Sequence[Scalar],
    K: Rows,
    drift: Sequence[Scalar],
    rows: Sequence[int],
    scales: Scales,
) -> Scalar:
    """The quality, or less than trusted if a misses one of the `rows` by more than `scales` allows; without
    rows it stays as it is.

    In pure numbers: Σ (K a + K̇v)² against Σ a² + (Σ v²)² + floor² of the velocities that these rows hold.
    """
    if not rows:
        return quality
    tape = quality.tape
    tape.section("rows left out")
    columns = [j for j in range(len(a)) if any(not K[r][j].is_zero for r in rows)]
    missed, speed, size = tape.zero, tape.zero, tape.constant(scales.floor**2)
    for r in rows:
        defect = tape.let(_defect(tape, K[r], a, drift[r]), "missed")
        missed = missed + defect * defect * scales.rows[r] ** 2
    for j in columns:
        weight = 1.0 / scales.units[j] ** 2
        size, speed = size + a[j] * a[j] * weight, speed + v[j] * v[j] * weight
    speed = tape.let(speed, "speed")
    allowed = tape.let((size + speed * speed) * (scales.trusted * scales.missed**2) + LEAST, "allowed")
    room = allowed * tape.reciprocal(tape.let(missed + LEAST, "missed"), "room")
    return tape.call("fmin", quality, room, hint="quality")


def _defect(tape: Tape, row: Sequence[Scalar], a: Sequence[Scalar], drift: Scalar) -> Scalar:
    total = drift
    for entry, value in zip(row, a, strict=True):
        if not (entry.is_zero or value.is_zero):
            total = total + tape.let(entry, "k") * value
    return total
