"""The executable specification of the program: runs between passes."""

from __future__ import annotations

import math
from collections.abc import Set

import sympy

from kinegen.runtime.errors import InternalError

from .operations import kind_of, symbols_in
from .types import Function

MAX_DEPTH = 4


def verify(function: Function) -> Function:
    """Returns the function unchanged; InternalError if it is no single-assignment program in order.

    Every symbol is defined once and before its use, right-hand sides are shallow and hold operations of the table in
    `operations` only, outputs are atoms and complete.
    """
    known: set[sympy.Symbol] = set()
    for given in function.inputs:
        _define(function, known, *given.symbols)
    for angle in function.angles:
        _check(function, angle.argument, symbols_in(angle.argument), known)
    for angle in function.angles:
        _define(function, known, angle.sin, angle.cos)
    for assignment in function.assignments:
        _check(function, assignment.expr, assignment.read, known)
        _define(function, known, assignment.symbol)
    for output in function.outputs:
        if len(output.entries) != math.prod(output.shape):
            raise InternalError(f"{function.name}: output {output.name} has {len(output.entries)} entries")
        for entry in map(output.entries.__getitem__, output.places):
            _check(function, entry, symbols_in(entry), known)
            if not _is_atom(entry):
                raise InternalError(f"{function.name}: output {output.name} holds {entry}, which is no atom")
    return function


def _define(function: Function, known: set[sympy.Symbol], *symbols: sympy.Symbol) -> None:
    for symbol in symbols:
        before = len(known)
        known.add(symbol)
        if len(known) == before:
            raise InternalError(f"{function.name}: {symbol} is assigned twice")


def _check(function: Function, expr: sympy.Expr, read: Set[sympy.Symbol], known: set[sympy.Symbol]) -> None:
    _check_operations(function, expr)
    if not known.issuperset(read):
        first = min(symbol.name for symbol in read - known)
        raise InternalError(f"{function.name}: {first} is used before it is assigned")


def _check_operations(function: Function, expr: sympy.Expr, depth: int = 0) -> None:
    if depth > MAX_DEPTH:
        raise InternalError(f"{function.name}: an expression is deeper than {MAX_DEPTH}")
    try:
        kind = kind_of(expr)
    except InternalError as error:
        raise InternalError(f"{function.name}: {error}") from None
    for arg in (expr.base,) if kind == "reciprocal" else expr.args:
        if not arg.is_Symbol or depth == MAX_DEPTH:  # most are symbols
            _check_operations(function, arg, depth + 1)


def _is_atom(expr: sympy.Expr) -> bool:
    if expr.is_Mul:
        return len(expr.args) == 2 and expr.args[0] is sympy.S.NegativeOne and expr.args[1].is_Symbol
    return bool(expr.is_Symbol or expr.is_Number)
