"""Programs in which small numbers stand for zeros (see limbs.NEGLIGIBLE) → programs with zeros."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import sympy

from .limbs import LEAST
from .operations import kind_of, symbols_in, value_of, with_args
from .types import Assignment, Function, Output

ZERO = sympy.Float(0.0)


def is_negligible(number: sympy.Expr) -> bool:
    return number.is_Number and abs(value_of(number)) < LEAST


def without_zeros(function: Function) -> Function:
    """The same without what is zero then, and what only that reads."""
    zeros: dict[sympy.Symbol, sympy.Expr] = {}
    kept: list[Assignment] = []
    for assignment in function.assignments:
        expr = left_of(assignment.expr, zeros)
        if expr.is_Number and is_negligible(expr):
            zeros[assignment.symbol] = sympy.S.Zero
        else:
            kept.append(replace(assignment, expr=expr))
    outputs = tuple(
        Output(output.name, output.shape, tuple(_entry(entry, zeros) for entry in output.entries))
        for output in function.outputs
    )
    wanted = set().union(*(symbols_in(entry) for output in outputs for entry in output.entries))
    live: list[Assignment] = []
    for assignment in reversed(kept):  # last to first
        if assignment.symbol in wanted:
            live.append(assignment)
            wanted |= assignment.read
    return replace(function, assignments=tuple(reversed(live)), outputs=outputs)


def with_zeros(function: Function) -> Function:
    """The same with zeros for these numbers, as factors where limbs side by side have one form, else left out."""
    assignments = tuple(
        replace(own, expr=_zeroed(own.expr) if own.kept else left_of(own.expr, {})) for own in function.assignments
    )
    outputs = tuple(
        Output(output.name, output.shape, tuple(_entry(entry, {}) for entry in output.entries))
        for output in function.outputs
    )
    return replace(function, assignments=assignments, outputs=outputs)


def _zeroed(expr: sympy.Expr) -> sympy.Expr:
    match kind_of(expr):
        case "symbol":
            return expr
        case "number":
            return ZERO if is_negligible(expr) else expr
        case "reciprocal":
            base = _zeroed(expr.base)
            return expr if base is expr.base else sympy.Pow(base, -1, evaluate=False)
    return with_args(expr, [_zeroed(arg) for arg in expr.args])


def _entry(entry: sympy.Expr, zeros: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    return sympy.S.Zero if is_negligible(left_of(entry, zeros)) else entry


def left_of(expr: sympy.Expr, zeros: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    """An expression without terms that are zero."""
    match kind_of(expr):
        case "symbol":
            return zeros.get(expr, expr)
        case "number":
            return ZERO if is_negligible(expr) else expr
        case "sum":
            terms = [term for term in (left_of(arg, zeros) for arg in expr.args) if not is_negligible(term)]
            return with_args(expr, terms) if len(terms) > 1 else terms[0] if terms else ZERO
        case "product":
            factors = [left_of(arg, zeros) for arg in expr.args]
            return ZERO if any(map(is_negligible, factors)) else with_args(expr, factors)
        case "reciprocal":
            base = left_of(expr.base, zeros)
            return expr if base is expr.base else sympy.Pow(base, -1, evaluate=False)
    return with_args(expr, [left_of(arg, zeros) for arg in expr.args])
