"""Which SymPy expressions a description may hold: those that a program computes as they stand."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy.core.function import Application

from kinegen.runtime.errors import ModelError, shown

FUNCTIONS = (
    *(sympy.sin, sympy.cos, sympy.tan, sympy.asin, sympy.acos, sympy.atan, sympy.atan2),
    *(sympy.sinh, sympy.cosh, sympy.tanh, sympy.exp, sympy.log, sympy.Abs),
)
"""Of the numbers of links and joints, beside roots, which are powers."""

BENT = (sympy.Piecewise, sympy.Abs, sympy.Min, sympy.Max, sympy.sign, sympy.Heaviside)
"""What has pieces, of which the motion of a joint may be made."""

COMPLEX = (sympy.re, sympy.im, sympy.conjugate, sympy.arg)
"""What SymPy makes of symbols that it does not take for real."""


def check_expression(value: sympy.Expr, what: str, functions: Sequence[type[sympy.Expr]]) -> None:
    """ModelError at a part that is no real number, symbol, sum, product, power or one of the functions."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if part.is_Atom and (part.is_Symbol or part.is_number):
            continue
        if isinstance(part, sympy.Piecewise) and sympy.Piecewise in functions:
            waiting.extend(expr for expr, _ in part.args)
        elif part.is_Add or part.is_Mul or part.is_Pow or isinstance(part, tuple(functions)):
            waiting.extend(part.args)
        elif not (part.is_number and isinstance(part, (Application, sympy.CRootOf))):  # Γ(1/3) is a number
            raise ModelError(f"{what}: {_refused(part, functions)}")
        if part.is_number and part.evalf().is_real is False:
            raise ModelError(f"{what}: {shown(part)} is not real")


def _refused(part: sympy.Expr, functions: Sequence[type[sympy.Expr]]) -> str:
    kind = type(part).__name__
    if not isinstance(part, Application):
        return f"{shown(part)} is SymPy's {kind}, which no program computes; give what .doit() makes of it, or a symbol"
    there = dict.fromkeys(("sqrt", *(function.__name__ for function in functions)))
    beside = f"; {kind} may stand in motions of joints" if isinstance(part, BENT) else ""
    beside = "; declare its symbols with real=True" if isinstance(part, COMPLEX) else beside
    return f"no function '{kind}' in {shown(part)}; there are: {', '.join(there)}{beside}"
