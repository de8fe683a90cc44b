"""Numbers modulo a prime: rational functions evaluated without rounding, linear algebra, and fractions found again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

PRIME = 2**521 - 1
OTHER = 2**607 - 1
"""Primes of Mersenne, large enough for products of two lengths of 17 digits to be read back as fractions."""


@dataclass(frozen=True)
class Modular:
    """An integer modulo `prime`; fractions and floats, which are dyadic, are taken exactly."""

    value: int
    prime: int

    @classmethod
    def of(cls, number: Any, prime: int) -> Modular:
        if isinstance(number, Modular):
            return number
        exact = Fraction(number)
        return cls(exact.numerator * pow(exact.denominator, -1, prime) % prime, prime)

    def _with(self, other: Any, operation: Callable[[int, int], int]) -> Modular:
        return Modular(operation(self.value, Modular.of(other, self.prime).value) % self.prime, self.prime)

    def __add__(self, other: Any) -> Modular:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Modular:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Modular:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Modular:
        return self._with(other, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> Modular:
        return self._with(other, lambda a, b: a * pow(b, -1, self.prime))

    def __rtruediv__(self, other: Any) -> Modular:
        return self._with(other, lambda a, b: b * pow(a, -1, self.prime))

    def __neg__(self) -> Modular:
        return Modular(-self.value % self.prime, self.prime)

    def __pos__(self) -> Modular:
        return self

    __radd__, __rmul__ = __add__, __mul__


def reduced(rows: Sequence[Sequence[int]], prime: int) -> tuple[list[list[int]], list[int]]:
    """Reduced row echelon form, its rows that are not zero, and the columns of its pivots, the first that can be."""
    left = [list(row) for row in rows]
    done: list[list[int]] = []
    pivots: list[int] = []
    for column in range(len(left[0]) if left else 0):
        found = next((i for i, row in enumerate(left) if row[column]), None)
        if found is None:
            continue
        row = left.pop(found)
        inverse = pow(row[column], -1, prime)
        row = [x * inverse % prime for x in row]
        left = [_less(other, row, column, prime) for other in left]
        done = [_less(other, row, column, prime) for other in done]
        done.append(row)
        pivots.append(column)
    return done, pivots


def _less(other: list[int], row: list[int], column: int, prime: int) -> list[int]:
    factor = other[column]
    return [(a - factor * b) % prime for a, b in zip(other, row, strict=True)] if factor else other


def fraction_of(value: int, prime: int) -> Fraction | None:
    """The fraction of numerator and denominator below √(prime/2) that is `value`; None if there is none."""
    most = isqrt(prime // 2)
    (r, s), (t, u) = (prime, value % prime), (0, 1)
    while s > most:
        k = r // s
        r, s, t, u = s, r - k * s, u, t - k * u
    return Fraction(s, u) if u and abs(u) <= most else None
