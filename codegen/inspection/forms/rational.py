"""Linear equations whose coefficients are rational functions: elimination without fractions [Bareiss68].

What stands after each step are determinants of parts of the matrix, exactly: nothing has to cancel, and their sizes
tell early how large the answer becomes. Fractions are brought to lowest terms at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import sympy
from sympy.polys.fields import FracElement, FracField
from sympy.polys.rings import PolyElement

from .polynomial import TooLarge
from .readable import HALVES, THIRDS, number

LIMIT = 200  # terms of a polynomial above which the answer is refused: its fractions fill pages
SPARE = 10 * LIMIT  # products of terms that may cancel

Row = list[PolyElement]


class Singular(Exception):
    """The equations have no only answer."""


def solved(A: sympy.Matrix, B: sympy.Matrix) -> sympy.Matrix:
    """X (n, k) of  A X = B  with A (n, n): fractions in lowest terms. Raises TooLarge, Singular."""
    n, whole = A.rows, sympy.Matrix.hstack(A, B)
    if not n:
        return B
    if whole.has(sympy.zoo, sympy.nan, sympy.oo):
        raise Singular
    names = Names()
    plain = [names.plain(entry) for entry in whole]
    over = names.field(plain)
    entries = [_fraction(entry, over) for entry in plain]
    rows = _eliminated([_cleared(entries[i : i + whole.cols]) for i in range(0, len(entries), whole.cols)])
    return sympy.Matrix(n, B.cols, [names.written(above, rows[i][i]) for i in range(n) for above in rows[i][n:]])


@dataclass
class Names:
    """Symbols in place of what is no sum, product or whole power: sines, roots, functions, numbers such as π.

    `decimal`: whether a number was a float, so that the answer is written in decimals.
    """

    table: dict[sympy.Expr, sympy.Dummy] = field(default_factory=dict)
    decimal: bool = False

    def plain(self, expr: sympy.Expr) -> sympy.Expr:
        if expr.is_Rational or expr.is_Symbol:
            return expr
        if expr.is_Float:
            self.decimal = True
            return number(float(expr))
        if expr.is_Add or expr.is_Mul or (expr.is_Pow and expr.exp.is_Integer):
            return expr.func(*map(self.plain, expr.args))
        return self.table.setdefault(expr, sympy.Dummy(real=True))

    def field(self, plain: Iterable[sympy.Expr]) -> FracField:
        """Of rational functions of all that the expressions hold."""
        known = {symbol: expr for expr, symbol in self.table.items()}
        found = {symbol for expr in plain for symbol in expr.free_symbols} or {sympy.Dummy()}
        ordered = sorted(found, key=lambda symbol: sympy.default_sort_key(known.get(symbol, symbol)))
        return FracField(ordered, sympy.QQ, sympy.polys.orderings.lex)

    def written(self, above: PolyElement, under: PolyElement) -> sympy.Expr:
        above, under = above.cancel(under)
        if self.decimal:  # whole numbers of many digits would stand there
            above, under = above.quo_ground(under.LC), under.quo_ground(under.LC)
        expr = sympy.factor_terms(above.as_expr()) / sympy.factor_terms(under.as_expr())
        if self.decimal:
            kept = THIRDS | HALVES if expr.free_symbols else frozenset({1})
            expr = expr.xreplace({r: sympy.Float(r, 15) for r in expr.atoms(sympy.Rational) if r.q not in kept})
        return expr.xreplace({symbol: named for named, symbol in self.table.items()})


def _fraction(expr: sympy.Expr, over: FracField) -> FracElement:
    """Numerator and denominator of a rational expression. Raises TooLarge, Singular."""
    if expr.is_Rational or expr.is_Symbol:
        return over.from_expr(expr)
    if expr.is_Pow:
        base, power = _fraction(expr.base, over), int(expr.exp)
        if not base and power < 0:
            raise Singular
        return reduce(_times, [base if power > 0 else 1 / base] * abs(power))
    parts = [_fraction(arg, over) for arg in expr.args]
    return reduce(_plus if expr.is_Add else _times, parts)


def _times(a: FracElement, b: FracElement) -> FracElement:
    return _small(a, b, lambda: a * b)


def _plus(a: FracElement, b: FracElement) -> FracElement:
    return _small(a, b, lambda: a + b)


def _small(a: FracElement, b: FracElement, made: Callable[[], FracElement]) -> FracElement:
    if max(len(a.numer), len(a.denom)) * max(len(b.numer), len(b.denom)) > SPARE:
        raise TooLarge
    found = made()
    _check((found.numer, found.denom))
    return found


def _check(polynomials: Iterable[Any]) -> None:
    if any(len(polynomial) > LIMIT for polynomial in polynomials):
        raise TooLarge


def _cleared(row: Sequence[FracElement]) -> Row:
    """An equation times the least product that leaves it without denominators."""
    under = reduce(lambda a, b: a.lcm(b), [entry.denom for entry in row])
    _check([under])
    return [_product(entry.numer, under.exquo(entry.denom)) for entry in row]


def _product(a: PolyElement, b: PolyElement) -> PolyElement:
    if len(a) * len(b) > LIMIT * LIMIT:
        raise TooLarge
    return a * b


def _eliminated(rows: list[Row]) -> list[Row]:
    """[d 1 | d X] of [A | B], where d = ± det A. Raises TooLarge, Singular."""
    n = len(rows)
    last = rows[0][0].ring.one
    for k in range(n):
        if not (pivots := [i for i in range(k, n) if rows[i][k]]):
            raise Singular
        pivot = min(pivots, key=lambda i: len(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k:
                rows[i] = _without(rows[i], rows[k], k, last)
        last = rows[k][k]
    return rows


def _without(row: Row, by: Row, k: int, last: PolyElement) -> Row:
    """A row without its entry k; the pivot before divides what is left."""
    factor, pivot = row[k], by[k]
    left = [(_product(pivot, x) - _product(factor, y)).exquo(last) for x, y in zip(row, by, strict=True)]
    _check(left)
    return left
