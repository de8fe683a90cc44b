"""How a language writes the operations of a program: what is asked of a target, and the text of one expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import SupportsFloat

import sympy

from .operations import kind_of

Names = Mapping[sympy.Symbol, str]


@dataclass(frozen=True)
class Dialect:
    """A language and the type it computes with. `{name}`, `{array}`, `{index}`, `{value}` stand for what is written.

    `scalar`: type of a number, `held`: the value that one has there, whose shortest text is written, `suffix`: what
    ends a literal, `constant`: a number that stands alone; `functions`: name of every function of `program.operations`;
    `load`, `store`: an entry of an array; `assign`: a value that gets a name; `sine`, `cosine`: entries of the angles
    evaluated together by `sincos`, by `sincos_apart` where they are gathered first; `restrict`: qualifier of an array
    that no other overlaps; `cleared`: part of an output above which zeros are worth that all of it is cleared first,
    by `clear`, or by `clear_run` what lies between other entries.
    """

    scalar: str
    functions: Mapping[str, str]
    held: Callable[[float], SupportsFloat] = float
    suffix: str = ""
    constant: str = "{value}"
    load: str = "{array}[{index}]"
    store: str = "{array}[{index}] = {value}"
    assign: str = "{name} = {value}"
    sine: str = "s[{index}]"
    cosine: str = "c[{index}]"
    sincos: str = "kg_sincos"
    sincos_apart: str = "kg_sincos_apart"
    restrict: str = ""
    cleared: float = 0.0
    clear: str = "for (int i = 0; i < {count}; i++) {array}[i] = {value};"
    clear_run: str = ""

    def literal(self, value: float) -> str:
        """Shortest text that reads back as the same number."""
        text = str(self.held(value))
        return (text if any(c in text for c in ".en") else f"{text}.0") + self.suffix

    def number(self, value: float) -> str:
        """A number that stands alone, not beside an operator."""
        return self.constant.format(value=self.literal(value))

    def loads(self, array: str, symbols: tuple[sympy.Symbol, ...]) -> dict[sympy.Symbol, str]:
        """The text of every entry of an input."""
        return {symbol: self.load.format(array=array, index=i) for i, symbol in enumerate(symbols)}

    def expression(self, expr: sympy.Expr, names: Names, kept: bool = False) -> str:
        """Text of a shallow expression; symbols are called as in `names`, else as they are; `kept`: terms keep their
        order, else positive ones come first, so that no sum begins with a sign if it can be helped."""
        match kind_of(expr):
            case "symbol":
                return names.get(expr, expr.name)
            case "number":
                return self.number(float(expr))
            case "sum":
                terms = [self._signed(arg, names) for arg in expr.args]
                return written_sum(terms if kept else sorted(terms, key=lambda term: term[0]))
            case "product":
                negative, text = self._signed(expr, names)
                return f"-{text}" if negative else text
            case "reciprocal":
                base = self._factor(expr.base, names)
                return f"{self.literal(1.0)}/({base})" if expr.base.is_Mul else f"{self.literal(1.0)}/{base}"
            case "call":
                arguments = ", ".join(self.expression(arg, names) for arg in expr.args)
                return f"{self.functions[expr.func.__name__]}({arguments})"

    def _signed(self, expr: sympy.Expr, names: Names) -> tuple[bool, str]:
        """Whether it is negative, and the text of its size."""
        if expr.is_Symbol:
            return False, names.get(expr, expr.name)
        if expr.is_Number:
            value = float(expr)
            return value < 0, self.literal(abs(value))
        if not expr.is_Mul:
            return False, self.expression(expr, names)
        head, *rest = expr.args
        if not head.is_Number:
            return False, "*".join(self._factor(arg, names) for arg in expr.args)
        value = float(head)
        factors = [self._factor(arg, names) for arg in rest]
        if abs(value) != 1.0:
            factors.insert(0, self.literal(abs(value)))
        return value < 0, "*".join(factors)

    def _factor(self, expr: sympy.Expr, names: Names) -> str:
        if expr.is_Symbol:
            return names.get(expr, expr.name)
        text = self.expression(expr, names)
        return f"({text})" if expr.is_Add or (expr.is_Number and float(expr) < 0) else text


def written_sum(terms: list[tuple[bool, str]]) -> str:
    """Of terms, whether each is negative and the text of its size."""
    negative, text = terms[0]
    parts = [f"-{text}" if negative else text]
    parts += [f"{'-' if negative else '+'} {text}" for negative, text in terms[1:]]
    return " ".join(parts)
