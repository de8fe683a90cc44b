"""What functions with loops over copies are made of: statements, sums and loops, stage by stage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy

from ..packs.packs import Symbols
from ..types import Assignment

Terms = tuple[sympy.Expr, ...]


@dataclass(frozen=True)
class Part:
    """Terms that are added one after the other: as they stand, or those of the first copy for each of `copies`."""

    terms: Terms
    copies: range | None = None


@dataclass(frozen=True)
class Sum:
    """symbol <- its parts, one after the other, of which the first stands as it is."""

    symbol: sympy.Symbol
    parts: tuple[Part, ...]
    section: str = ""

    @property
    def own(self) -> set[sympy.Symbol]:
        """What stands for values of each copy."""
        return _read(part for part in self.parts if part.copies is not None)

    @property
    def apart(self) -> set[sympy.Symbol]:
        """What it reads as it stands."""
        return _read(part for part in self.parts if part.copies is None)

    @property
    def shape(self) -> tuple[range | None, ...]:
        return tuple(part.copies for part in self.parts)


@dataclass(frozen=True)
class Place:
    """Of an entry in copy number k: array[first + k*stride]."""

    array: str
    first: int
    stride: int

    def of(self, copy: int) -> int:
        return self.first + copy * self.stride


@dataclass(frozen=True)
class Loop:
    """Over `count` copies, of which the first is written down.

    `read`: where what it is given stands; arrays "s" and "c" are those of angles. `stores`: entries of outputs, numbers
    or atoms. `kept`: of its values that are read outside, those of all copies; `taken`: what it reads of those that
    other loops over as many copies keep.
    """

    count: int
    read: Mapping[sympy.Symbol, Place]
    assignments: tuple[Assignment, ...]
    stores: tuple[tuple[Place, sympy.Expr], ...]
    kept: Mapping[sympy.Symbol, Symbols]
    taken: frozenset[sympy.Symbol]


@dataclass(frozen=True)
class Stage:
    """Statements, then loops that read what they give."""

    statements: tuple[Assignment | Sum, ...]
    loops: tuple[Loop, ...]


@dataclass(frozen=True)
class Rolled:
    """`tables`: numbers that are not the same in all copies, by what stands for them; `read`: where what the first is
    given stands; `stored`: entries of outputs, (name, place), that loops store."""

    tables: Mapping[sympy.Symbol, tuple[float, ...]]
    read: Mapping[sympy.Symbol, Place]
    stages: tuple[Stage, ...]
    stored: frozenset[tuple[str, int]]


def _read(parts: Iterable[Part]) -> set[sympy.Symbol]:
    return set().union(*(term.free_symbols for part in parts for term in part.terms))
