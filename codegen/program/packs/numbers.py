"""Numbers of values: two limbs' values have one number if they are computed alike from values of one number."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import sympy

from ..limbs import Lane
from ..operations import kind_of

Number = tuple[int, int]
"""A kind, and which of the values of that kind in its limb."""

Form = int | tuple[Any, ...]
"""What an expression computes: the place of a symbol, () for a number, or an operation and the forms of its arguments.
"""


class Forms:
    """Forms of expressions, which are the same in all passes; `places`: of their symbols."""

    def __init__(self) -> None:
        self.places: dict[sympy.Symbol, int] = {}
        self._known: dict[int, tuple[sympy.Expr, Form]] = {}  # found by identity: to compare expressions takes longer

    def place(self, symbol: sympy.Symbol) -> int:
        return self.places.setdefault(symbol, len(self.places))

    def of(self, expr: sympy.Expr) -> Form:
        known = self._known.get(id(expr))
        if known is None:
            known = self._known[id(expr)] = expr, self.place(expr) if expr.is_Symbol else self._made(expr)
        return known[1]

    def _made(self, expr: sympy.Expr) -> Form:
        """Of a product without its coefficient."""
        match kind_of(expr):
            case "number":
                return ()
            case "sum":
                return "+", *map(self.of, expr.args)
            case "product":
                factors = [self.of(factor) for factor in expr.args if not factor.is_Number]
                return factors[0] if len(factors) == 1 else ("*", *factors)
            case "reciprocal":
                return "/", self.of(expr.base)
        return expr.func.__name__, *map(self.of, expr.args)


class Numbers:
    """Of symbols that belong to one limb: number and limb; symbols by family and number, then by lane."""

    def __init__(self, forms: Forms) -> None:
        self.number: dict[sympy.Symbol, Number] = {}
        self.lane: dict[sympy.Symbol, Lane] = {}
        self.members: dict[tuple[int, Number], dict[int, sympy.Symbol]] = {}
        self._forms = forms
        self._known: dict[Hashable, int] = {}
        self._counted: dict[tuple[Lane, int], int] = {}
        self._read: dict[int, int] = {}

    def enter(self, symbol: sympy.Symbol, key: Hashable, lane: Lane) -> None:
        """Values of one key in a limb are told apart by their order."""
        kind = self._intern(key)
        number = (kind, self._counted.get((lane, kind), 0))
        self._counted[lane, kind] = number[1] + 1
        self.number[symbol], self.lane[symbol] = number, lane
        self._read[self._forms.place(symbol)] = self._intern(number)
        self.members.setdefault((lane[0], number), {})[lane[1]] = symbol

    def key(self, expr: sympy.Expr) -> Hashable:
        """What expressions that are computed alike have in common: operations, and numbers of what they read."""
        return self.key_of(self._forms.of(expr))

    def key_of(self, form: Form) -> Hashable:
        """That of a symbol which belongs to no limb, or to several, is its place."""
        if isinstance(form, int):
            return self._read.get(form, ~form)
        if not form:
            return form
        operation, *own = form
        numbers = [self._read.get(x, ~x) if isinstance(x, int) else self._intern(self.key_of(x)) for x in own]
        if operation in "+*":
            numbers.sort()
        return operation, *numbers

    def lanes(self, read: Iterable[sympy.Symbol]) -> set[Lane]:
        return {lane for lane in map(self.lane.get, read) if lane is not None}

    def _intern(self, key: Hashable) -> int:
        return self._known.setdefault(key, len(self._known))
