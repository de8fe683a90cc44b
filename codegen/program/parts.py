"""A long function in parts, one after the other, whose instructions fit in the processor's cache: what later ones read
of a part's values is held in an array."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import sympy

from .operations import kind_of
from .types import Assignment, Function

LENGTH = 900
"""Assignments of a part: some 2,500 operations, 20 kB of vector instructions."""
SPREAD = 0.2
"""A cut lies at most this part of a part from where parts would be equally long."""


@dataclass(frozen=True)
class Parts:
    """Assignments of each part; `held`: what later parts read, and its place in the array."""

    assignments: tuple[tuple[Assignment, ...], ...]
    held: Mapping[sympy.Symbol, int]


@dataclass(frozen=True)
class _Reading:
    """`line` of what reads a symbol; `added`: as a term of a sum."""

    line: int
    added: bool


def parts_of(function: Function, length: int = LENGTH) -> Parts | None:
    """None where one part is enough.

    A product that is read once, in a sum, stands in the part of that sum: compilers make one operation of both, and
    results are those of the whole function then, to the last bit.
    """
    lines = function.assignments
    count = round(len(lines) / length)
    if count < 2:
        return None
    read = _readings(function)
    cuts = _cuts(lines, {symbol: found[-1].line for symbol, found in read.items()}, count)
    part = [sum(cut <= i for cut in cuts) for i in range(len(lines))]
    for i in reversed(range(len(lines))):
        found = read[lines[i].symbol]
        if len(found) == 1 and found[0].added and kind_of(lines[i].expr) == "product":
            part[i] = part[found[0].line]
    later = [
        line.symbol
        for i, line in enumerate(lines)
        if any(part[found.line] > part[i] for found in read[line.symbol] if found.line < len(lines))
    ]
    of_parts = (tuple(line for i, line in enumerate(lines) if part[i] == k) for k in range(count))
    return Parts(tuple(of_parts), {symbol: place for place, symbol in enumerate(later)})


def _readings(function: Function) -> Mapping[sympy.Symbol, Sequence[_Reading]]:
    """In the order of the lines; outputs come last."""
    read: defaultdict[sympy.Symbol, list[_Reading]] = defaultdict(list)
    for i, assignment in enumerate(function.assignments):
        for symbol, added in _read(assignment.expr, False):
            read[symbol].append(_Reading(i, added))
    for output in function.outputs:
        for place in output.places:
            for symbol, _ in _read(output.entries[place], False):
                read[symbol].append(_Reading(len(function.assignments), False))
    return read


def _read(expr: sympy.Expr, added: bool) -> Iterator[tuple[sympy.Symbol, bool]]:
    """Symbols of an expression, and whether each is a term of a sum; the sign of a term is free."""
    match kind_of(expr):
        case "symbol":
            yield expr, added
        case "number":
            pass
        case "sum":
            for term in expr.args:
                yield from _read(term, True)
        case "product" if len(expr.args) == 2 and expr.args[0] is sympy.S.NegativeOne:
            yield from _read(expr.args[1], added)
        case kind:
            for part in (expr.base,) if kind == "reciprocal" else expr.args:
                yield from _read(part, False)


def _cuts(lines: Sequence[Assignment], last: Mapping[sympy.Symbol, int], count: int) -> list[int]:
    """Where parts begin but the first one: near equal lengths, where the fewest values go over."""
    change = [0] * (len(lines) + 1)
    for i, line in enumerate(lines):
        change[i + 1] += 1
        change[min(last.get(line.symbol, i), len(lines) - 1) + 1] -= 1
    live = [*accumulate(change)]
    length = len(lines) / count
    around = (range(round((k - SPREAD) * length), round((k + SPREAD) * length)) for k in range(1, count))
    return [min(near, key=lambda cut: live[cut]) for near in around]
