"""Sums of products over named atoms: what a factored program becomes when its assignments are substituted back.

A polynomial maps a product (sorted numbers of its atoms, repeated for powers) to a coefficient. Squares of sines and of
the last entry of unit quaternions are replaced as soon as they appear, so what is equal looks equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import sympy

from kinegen.runtime.errors import InternalError, ModelError

Key = tuple[int, ...]
Terms = dict[Key, float]
CANCELLED = 1e-13  # a sum this much smaller than its largest term is rounding


class TooLarge(Exception):
    """A polynomial has grown past its limit."""


class IllegibleError(ModelError):
    """A closed form that is too large to read; the message names the factored form."""


@dataclass(frozen=True)
class Turn:
    """sin and cos of one angle as atoms."""

    angle: sympy.Expr
    sin: int
    cos: int


@dataclass
class Atoms:
    """The table of atoms: symbols, sines, cosines and what cannot be expanded.

    `squares` says by what the square of an atom is replaced: s² = 1 − c², q_w² = 1 − q_x² − q_y² − q_z². `inverses`
    pairs an atom with the atom that is one over it. `inside`: terms that stand within an atom that cannot be expanded.
    """

    parameters: frozenset[sympy.Symbol]
    rates: frozenset[sympy.Symbol]
    limit: int
    exprs: list[sympy.Expr] = field(default_factory=list)
    numbers: dict[sympy.Expr, int] = field(default_factory=dict)
    turns: dict[int, Turn] = field(default_factory=dict)
    squares: dict[int, Terms] = field(default_factory=dict)
    inverses: dict[int, int] = field(default_factory=dict)
    inside: dict[int, int] = field(default_factory=dict)

    def number(self, expr: sympy.Expr) -> int:
        """The number of an atom, new or known."""
        if expr not in self.numbers:
            self.numbers[expr] = len(self.exprs)
            self.exprs.append(expr)
        return self.numbers[expr]

    def is_parameter(self, atom: int) -> bool:
        return bool(self.exprs[atom].free_symbols <= self.parameters)

    def is_rate(self, atom: int) -> bool:
        return self.exprs[atom] in self.rates

    def turn(self, angle: sympy.Expr) -> tuple[Turn, float]:
        """sin and cos of an angle; the sign that its sine takes when the angle is written without a leading minus."""
        sign = 1.0
        if angle.could_extract_minus_sign():
            angle, sign = -angle, -1.0
        sin, cos = self.number(sympy.sin(angle)), self.number(sympy.cos(angle))
        if sin not in self.turns:
            self.turns[sin] = self.turns[cos] = Turn(angle, sin, cos)
            self.unit_sum([cos, sin])
        return self.turns[sin], sign

    def unit_sum(self, atoms: Iterable[int]) -> None:
        """The squares of the atoms add up to one; the last one is eliminated."""
        *others, last = atoms
        self.squares[last] = {(): 1.0, **{(atom, atom): -1.0 for atom in others}}

    def inverse(self, atom: int) -> int:
        """The atom that is one over another."""
        if atom not in self.inverses:
            other = self.number(1 / self.exprs[atom])
            self.inverses[atom], self.inverses[other] = other, atom
        return self.inverses[atom]

    def size(self, terms: Terms) -> int:
        """Terms to be read when it is written out; what cannot be expanded stands once beside what it multiplies."""
        beside = {tuple(atom for atom in key if atom in self.inside) for key in terms} if self.inside else set()
        return len(terms) + sum(self.inside[atom] for opaque in beside for atom in opaque)

    def product(self, left: Terms, right: Terms) -> Terms:
        """Raises TooLarge when there are more terms than the limit."""
        if len(left) * len(right) > 50 * self.limit:
            raise TooLarge
        made = [(a + b, x * y) for a, x in left.items() for b, y in right.items()]
        return self.total(made)

    def total(self, terms: Iterable[tuple[Key, float]]) -> Terms:
        """Collects terms and replaces squares; what cancels to rounding is dropped. Raises TooLarge as well."""
        kept = collected(self._without_squares(terms))
        if self.size(kept) > self.limit:
            raise TooLarge
        return kept

    def _without_squares(self, terms: Iterable[tuple[Key, float]]) -> Iterator[tuple[Key, float]]:
        waiting = list(terms)
        while waiting:
            key, factor = waiting.pop()
            key = self._cancelled(key) if self.inverses else key
            square = self._square(tuple(sorted(key)))
            if square is None:
                yield key, factor
                continue
            rest = divided(key, (square, square))
            waiting += [(rest + more, factor * f) for more, f in self.squares[square].items()]

    def _cancelled(self, key: Key) -> Key:
        """Without pairs x · 1/x."""
        left: list[int] = []
        for atom in key:
            other = self.inverses.get(atom)
            if other in left:
                left.remove(other)
            else:
                left.append(atom)
        return tuple(left)

    def _square(self, key: Key) -> int | None:
        for i in range(len(key) - 1):
            if key[i] == key[i + 1] and key[i] in self.squares:
                return key[i]
        return None


def collected(terms: Iterable[tuple[Key, float]]) -> Terms:
    """Like terms added up; what cancels to rounding is dropped."""
    sums: dict[Key, float] = {}
    largest: dict[Key, float] = {}
    for unsorted, factor in terms:
        key = tuple(sorted(unsorted))
        sums[key] = sums.get(key, 0.0) + factor
        largest[key] = max(largest.get(key, 0.0), abs(factor))
    return {key: factor for key, factor in sums.items() if abs(factor) > CANCELLED * largest[key]}


def plus(atoms: Atoms, *summands: Terms) -> Terms:
    return atoms.total(term for summand in summands for term in summand.items())


def common(keys: Iterable[Key]) -> Key:
    """The product that divides all."""
    listed = list(keys)
    if not listed:
        return ()
    shared = list(listed[0])
    for key in listed[1:]:
        rest, kept = list(key), []
        for atom in shared:
            if atom in rest:
                rest.remove(atom)
                kept.append(atom)
        shared = kept
    return tuple(shared)


def contains(key: Key, part: Key) -> bool:
    return all(key.count(atom) >= part.count(atom) for atom in part)


def divided(key: Key, by: Key) -> Key:
    rest = list(key)
    for atom in by:
        if atom not in rest:
            raise InternalError(f"{by} does not divide {key}")
        rest.remove(atom)
    return tuple(rest)
