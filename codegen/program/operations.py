"""What may stand in a program: numbers, symbols, sums, products, reciprocals, and calls of the functions named here.

Verifying, counting, evaluating and printing all go by this table; a dialect gives every function its name there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import sympy

from kinegen.runtime.errors import InternalError

Kind = Literal["symbol", "number", "sum", "product", "reciprocal", "call"]


@dataclass(frozen=True)
class Call:
    """A function of `arity` numbers; `value` computes it where the generator runs a program itself."""

    arity: int
    value: Callable[..., float]


CALLS: Mapping[str, Call] = {
    "sin": Call(1, math.sin),
    "cos": Call(1, math.cos),
    "sqrt": Call(1, math.sqrt),
    "copysign": Call(2, math.copysign),
    "pow": Call(2, math.pow),
    "atan2": Call(2, math.atan2),
    "Abs": Call(1, math.fabs),
    "exp": Call(1, math.exp),
    "log": Call(1, math.log),
    "rint": Call(1, lambda x: float(round(x))),
    "fmin": Call(2, min),
    "fmax": Call(2, max),
    "tan": Call(1, math.tan),
    "asin": Call(1, math.asin),
    "acos": Call(1, math.acos),
    "atan": Call(1, math.atan),
    "sinh": Call(1, math.sinh),
    "cosh": Call(1, math.cosh),
    "tanh": Call(1, math.tanh),
}


def kind_of(expr: sympy.Expr) -> Kind:
    """Which operation stands at the top of an expression; InternalError if none that a program may hold."""
    if expr.is_Symbol:
        return "symbol"
    if expr.is_Number:
        return "number"
    if expr.is_Add:
        return "sum"
    if expr.is_Mul:
        return "product"
    if expr.is_Pow and expr.exp == -1:
        return "reciprocal"
    call = CALLS.get(expr.func.__name__)
    if call is None or len(expr.args) != call.arity:
        raise InternalError(f"{expr.func.__name__} of {len(expr.args)} arguments is no operation of a program")
    return "call"


def symbols_in(expr: sympy.Expr) -> set[sympy.Symbol]:
    """Its symbols, found sooner than by SymPy, which remembers those of every part."""
    found: set[sympy.Symbol] = set()
    waiting = [expr]
    while waiting:
        part = waiting.pop()
        if part.is_Symbol:
            found.add(part)
        else:
            waiting.extend(part.args)
    return found


def value_of(number: sympy.Expr) -> float:
    """Of the coefficients that most products have, without SymPy's arithmetic."""
    return 1.0 if number is sympy.S.One else -1.0 if number is sympy.S.NegativeOne else float(number)


def joined(kind: type[sympy.Add] | type[sympy.Mul], args: Sequence[sympy.Expr]) -> sympy.Expr:
    """A sum or a product as it stands."""
    return kind._from_args(args, is_commutative=True)


def with_args(expr: sympy.Expr, args: Sequence[sympy.Expr]) -> sympy.Expr:
    """The same operation on these, as it stands."""
    if len(args) == len(expr.args) and all(new is old for new, old in zip(args, expr.args, strict=True)):
        return expr
    return joined(expr.func, args) if expr.is_Add or expr.is_Mul else expr.func(*args, evaluate=False)
