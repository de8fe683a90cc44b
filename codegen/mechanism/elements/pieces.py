"""Expressions of time, and their derivatives, without the pieces that programs do not know."""

from __future__ import annotations

from itertools import pairwise

import sympy

from kinegen.runtime.errors import ModelError

from ..expressions import BENT

JUMP = 1e-9
"""How far pieces may be apart where they meet [m, rad]."""


def with_derivatives(value: sympy.Expr, time: sympy.Symbol, what: str) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """Value, first and second derivative, at a limit of pieces those of one of them.

    ModelError where pieces do not meet, leave out times from 0 on, or end at what is no number.
    """
    if not value.has(*BENT):
        rate = sympy.diff(value, time)
        return value, rate, sympy.diff(rate, time)
    pieces = _pieces(value, time, what)
    total = [sympy.S.Zero] * 3
    for expr, interval in pieces:
        within, clamped = _inside(interval, time), _clamped(interval, time)
        rate = sympy.diff(expr, time)
        for k, part in enumerate((expr, rate, sympy.diff(rate, time))):
            total[k] += within * part.subs(time, clamped)
    return total[0], total[1], total[2]


def _pieces(value: sympy.Expr, time: sympy.Symbol, what: str) -> list[tuple[sympy.Expr, sympy.Interval]]:
    """The pieces in their order in time, each with where it holds."""
    refusal = ModelError(f"{what}: the pieces of {value} must have limits that are numbers of t")
    try:
        folded = _folded(value)
        pairs = folded.as_expr_set_pairs(sympy.Interval(0, sympy.oo))
    except (AttributeError, NotImplementedError, TypeError, ValueError) as error:
        raise refusal from error
    if any(where.free_symbols - {time} for _, where in folded.args):  # A > 1 was taken for t > 1
        raise refusal
    parts = [(e, part) for e, where in pairs for part in _intervals(where, value, what)]
    parts.sort(key=lambda pair: pair[1].start)
    if not parts or parts[0][1].start > 0 or parts[-1][1].end != sympy.oo:
        raise ModelError(f"{what}: {value} is not told for all t from 0 on; give a last piece (..., True)")
    for (before, left), (after, right) in pairwise(parts):
        if left.end != right.start:
            raise ModelError(f"{what}: {value} says nothing from t = {left.end} to {right.start} s")
        jump = (after - before).subs(time, left.end)
        if _is_far(jump):
            raise ModelError(f"{what}: {value} jumps {_by(jump)} at t = {left.end} s; let its pieces meet")
    return parts


def _is_far(jump: sympy.Expr) -> bool:
    """For some values of its parameters, which are positive and different here: what is 0 for these is 0 for all."""
    symbols = sorted(jump.free_symbols, key=lambda symbol: symbol.name)
    for first, further in ((0.37, 0.41), (0.913, 0.067)):
        apart = jump.subs({symbol: first + further * k for k, symbol in enumerate(symbols)})
        if apart.is_finite is False or not abs(complex(apart)) <= JUMP:
            return True
    return False


def _by(jump: sympy.Expr) -> str:
    if jump.free_symbols:
        return f"by {jump}, for some values,"
    return "without bound" if jump.is_finite is False else f"by {float(jump):.3g}"


def _folded(value: sympy.Expr) -> sympy.Piecewise:
    folded = sympy.piecewise_fold(value.rewrite(sympy.Piecewise))
    return folded if isinstance(folded, sympy.Piecewise) else sympy.Piecewise((folded, True), evaluate=False)


def _intervals(where: sympy.Set, value: sympy.Expr, what: str) -> list[sympy.Interval]:
    """Those of more than one moment."""
    parts = where.args if isinstance(where, sympy.Union) else (where,)
    if not all(isinstance(part, (sympy.Interval, sympy.FiniteSet, sympy.sets.sets.EmptySet)) for part in parts):
        raise ModelError(f"{what}: {value} has pieces without end; give it as a function to Simulator(driven=)")
    return [part for part in parts if isinstance(part, sympy.Interval)]


def _inside(interval: sympy.Interval, time: sympy.Symbol) -> sympy.Expr:
    """1 in the interval, else 0; before 0 as at 0. Intervals that meet share their limit's step: their sum is 1."""
    begun = _step(time - interval.start) if interval.start > 0 else sympy.S.One
    return begun if interval.end == sympy.oo else begun - _step(time - interval.end)


def _step(x: sympy.Expr) -> sympy.Expr:
    return (1 + sympy.Function("copysign")(1, x)) / 2


def _clamped(interval: sympy.Interval, time: sympy.Symbol) -> sympy.Expr:
    """Time within the interval, so that what is only defined there is a number everywhere."""
    least = sympy.Function("fmax")(time, interval.start) if interval.start > 0 else time
    return least if interval.end == sympy.oo else sympy.Function("fmin")(least, interval.end)
