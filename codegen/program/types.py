"""The single-assignment program: what the derivation writes and the printer reads.

Program    = functions over one set of input symbols
Function   = inputs, angles, assignments, outputs
Assignment = symbol <- shallow SymPy expression over earlier symbols
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import sympy

from .operations import kind_of, symbols_in


@dataclass(frozen=True)
class Input:
    """An array argument: one symbol per entry, row-major."""

    name: str
    symbols: tuple[sympy.Symbol, ...]


@dataclass(frozen=True)
class Angle:
    """sin and cos of one argument; the printer evaluates all angles of a function in one vectorised call."""

    argument: sympy.Expr
    sin: sympy.Symbol
    cos: sympy.Symbol


@dataclass(frozen=True)
class Assignment:
    """symbol <- expr; `section` is the heading under which it is printed (the link it belongs to); `kept`: terms are
    added in the order in which they stand."""

    symbol: sympy.Symbol
    expr: sympy.Expr
    section: str = ""
    kept: bool = False

    @cached_property
    def read(self) -> frozenset[sympy.Symbol]:
        """Every symbol that `expr` reads."""
        return frozenset(symbols_in(self.expr))


@dataclass(frozen=True)
class Output:
    """An array result: one atom (number, symbol or negated symbol) per entry, row-major."""

    name: str
    shape: tuple[int, ...]
    entries: tuple[sympy.Expr, ...]

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Of the entries that are not written as zero: of a large matrix, few."""
        return tuple(i for i, entry in enumerate(self.entries) if entry is not sympy.S.Zero)

    @property
    def zeros(self) -> int:
        return len(self.entries) - len(self.places)


WEIGHTS = {"mul": 1, "add": 1, "div": 8, "call": 16, "sincos": 6}
"""Cost of each kind of operation relative to a product."""


@dataclass(frozen=True)
class Operations:
    """Floating-point operations of one evaluation."""

    mul: int = 0
    add: int = 0
    div: int = 0
    call: int = 0
    sincos: int = 0

    @property
    def total(self) -> int:
        """Operations with divisions and calls weighted by their cost relative to a product."""
        return sum(WEIGHTS[kind] * count for kind, count in self.counts.items())

    @property
    def counts(self) -> dict[str, int]:
        """By kind, those that do not occur too."""
        return {kind: getattr(self, kind) for kind in WEIGHTS}

    def __str__(self) -> str:
        return ", ".join(f"{count} {kind}" for kind, count in self.counts.items() if count) or "no operations"


class _Contents(NamedTuple):
    operations: Operations
    used: frozenset[sympy.Symbol]
    called: frozenset[str]


@dataclass(frozen=True)
class Function:
    """A straight-line function in single-assignment form."""

    name: str
    inputs: tuple[Input, ...]
    angles: tuple[Angle, ...]
    assignments: tuple[Assignment, ...]
    outputs: tuple[Output, ...]
    title: str = ""
    evened: Callable[[], Function] | None = field(default=None, compare=False, repr=False)
    """Gives the same function with limbs that are alike computed alike, where zeros of one are none of another."""
    whole: Function | None = field(default=None, compare=False, repr=False)
    """The function of which this is a part, by which values of limbs are alike."""

    @property
    def operations(self) -> Operations:
        """A sign is free."""
        return self._contents.operations

    @property
    def used(self) -> frozenset[sympy.Symbol]:
        """Every symbol that some expression reads."""
        return self._contents.used

    @property
    def called(self) -> frozenset[str]:
        """The functions that some expression calls."""
        return self._contents.called

    @cached_property
    def _contents(self) -> _Contents:
        mul = add = div = call = 0
        used = set().union(*(assignment.read for assignment in self.assignments))
        used.update(*(map(symbols_in, self._apart())))
        called: set[str] = set()
        pending = list(self.expressions())
        while pending:
            expr = pending.pop()
            kind = kind_of(expr)
            match kind:
                case "symbol" | "number":
                    continue
                case "sum":
                    add += len(expr.args) - 1
                case "product":
                    mul += sum(1 for arg in expr.args if arg is not sympy.S.NegativeOne) - 1
                case "reciprocal":
                    div += 1
                case _:
                    call += 1
                    called.add(expr.func.__name__)
            pending.extend((expr.base,) if kind == "reciprocal" else expr.args)
        return _Contents(Operations(mul, add, div, call, len(self.angles)), frozenset(used), frozenset(called))

    @property
    def unused(self) -> tuple[str, ...]:
        """The inputs of which nothing is read, and the outputs that have no entries."""
        inputs = tuple(given.name for given in self.inputs if self.used.isdisjoint(given.symbols))
        return inputs + tuple(output.name for output in self.outputs if not output.entries)

    @property
    def contiguous_angles(self) -> tuple[str, int] | None:
        """The input in which the angles stand side by side, and the place of the first one."""
        arguments = tuple(angle.argument for angle in self.angles)
        for given in self.inputs if arguments else ():
            if arguments[0] in given.symbols:
                first = given.symbols.index(arguments[0])
                if given.symbols[first : first + len(arguments)] == arguments:
                    return given.name, first
        return None

    def expressions(self) -> Iterator[sympy.Expr]:
        yield from self._apart()
        for assignment in self.assignments:
            yield assignment.expr

    def _apart(self) -> Iterator[sympy.Expr]:
        """Those of angles and outputs."""
        for angle in self.angles:
            yield angle.argument
        for output in self.outputs:
            yield from (output.entries[i] for i in output.places)
