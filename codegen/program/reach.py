"""Which inputs of a program cannot be other than finite without an output being so too."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from .operations import kind_of
from .types import Function, Input


def hidden_entries(function: Function) -> dict[str, tuple[int, ...]]:
    """Input → its entries of which the outputs do not tell whether they are finite.

    Sums and products of what is not finite are not finite, sines and cosines neither; reciprocals and calls may be.
    """
    told: set[sympy.Symbol] = set()
    for output in function.outputs:
        for entry in output.entries:
            told.update(_carried(entry))
    for assignment in reversed(function.assignments):
        if assignment.symbol in told:
            told.update(_carried(assignment.expr))
    for angle in function.angles:
        if angle.sin in told or angle.cos in told:
            told.update(_carried(angle.argument))
    return {given.name: _without(given, told) for given in function.inputs}


def _without(given: Input, told: set[sympy.Symbol]) -> tuple[int, ...]:
    return tuple(i for i, symbol in enumerate(given.symbols) if symbol not in told)


def _carried(expr: sympy.Expr) -> Iterator[sympy.Symbol]:
    """The symbols of an expression that is not finite if one of them is not."""
    match kind_of(expr):
        case "symbol":
            yield expr
        case "sum" | "product":
            for arg in expr.args:
                yield from _carried(arg)
