"""Formulas over several lines of text, as on paper, with names as the user gave them."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import sympy
from sympy.printing.pretty.pretty import PrettyPrinter
from sympy.printing.pretty.pretty_symbology import pretty_use_unicode
from sympy.printing.pretty.stringpict import prettyForm

from kinegen.runtime.names.latin import in_ascii

from ..symbolic.names import letters

DIGITS = 6

_printing = threading.Lock()
"""Held while text is made: which letters there are SymPy's printer asks a setting of the whole process."""


class NamePrinter(PrettyPrinter):  # type: ignore[misc]  # sympy has no types
    """q_knee stays q_knee where SymPy alone would make a subscript of what it can; theta is θ where that shows, and the
    other way round."""

    def _print_Symbol(self, expr: sympy.Symbol, bold_name: bool = False) -> prettyForm:
        return prettyForm(letters(expr.name) if self._use_unicode else in_ascii(expr.name))

    def _as_ordered_terms(self, expr: sympy.Expr, order: str | None = None) -> list[sympy.Expr]:
        return positive_first(super()._as_ordered_terms(expr, order))


def positive_first(terms: Iterable[sympy.Expr]) -> list[sympy.Expr]:
    """a + c − b rather than −b + a + c."""
    return sorted(terms, key=lambda term: bool(term.could_extract_minus_sign()))


def pretty(expr: sympy.Basic, *, unicode: bool = True) -> str:
    """Lines of text; numbers to six digits."""
    return _printed(short(expr), unicode)


def short(expr: sympy.Basic) -> sympy.Basic:
    """The same with its numbers to six digits."""
    return expr.xreplace({number: sympy.Float(number, DIGITS) for number in expr.atoms(sympy.Float)})


def _printed(expr: sympy.Basic, unicode: bool) -> str:
    printer = NamePrinter({"use_unicode": unicode, "wrap_line": False, "full_prec": False, "mat_symbol_style": "plain"})
    with _printing:
        before = pretty_use_unicode(unicode)
        try:
            return str(printer.doprint(expr))
        finally:
            pretty_use_unicode(before)


def equation(left: sympy.Basic, *factors: sympy.Basic, unicode: bool = True) -> str:
    """left = product of the factors, which stay side by side."""
    rounded = [short(factor) for factor in factors]  # before there is an equation, which replacing would decide
    right = sympy.MatMul(*rounded, evaluate=False) if len(rounded) > 1 else rounded[0]
    return _printed(sympy.Eq(left, right, evaluate=False), unicode)
