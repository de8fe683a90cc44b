"""LaTeX of symbols, program lines and names that come from outside."""

from __future__ import annotations

import re
from collections.abc import Iterable

import sympy
from sympy.printing.latex import LatexPrinter, greek_letters_set

from .text import short

SPECIAL = {
    "\\": r"\backslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\wedge{}",
    "~": r"\sim{}",
    "<": r"\lt{}",
    ">": r"\gt{}",
    "`": "'",
    " ": r"\ ",
}


def upright(name: str) -> str:
    r"""A name of any origin as \mathrm{...}; characters that mean something to LaTeX, Markdown or HTML are escaped."""
    text = "".join(SPECIAL.get(c, c if c.isprintable() else "?") for c in name)
    return rf"\mathrm{{{text}}}"


PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
RAISED = re.compile(r"(\\[A-Za-z]+|[A-Za-z0-9]+)([_^](\{[A-Za-z0-9, ]*\}|[A-Za-z0-9]))*")


class Typesetter(LatexPrinter):  # type: ignore[misc]  # sympy has no types
    r"""SymPy's, but for names of symbols: words, and letters with indices such as m_{1} and \lambda, as SymPy has them,
    others upright and escaped.
    """

    def _print_Symbol(self, expr: sympy.Symbol, style: str = "plain") -> str:
        letter = RAISED.fullmatch(expr.name)
        greek = letter is not None and letter[1].removeprefix("\\") in greek_letters_set
        if PLAIN.fullmatch(expr.name) or (letter and (greek or letter[1][0] != "\\")):
            return str(super()._print_Symbol(expr, style))
        return upright(expr.name)


def latex(expr: sympy.Basic) -> str:
    """An expression or a matrix of any symbols; numbers to six digits."""
    return str(Typesetter().doprint(short(expr)))


class ProgramPrinter(Typesetter):
    """Prints intermediate symbols letter by letter as they are called in the C: `w_knee_x` → w_{knee_x}."""

    def __init__(self, given: Iterable[sympy.Symbol]) -> None:
        super().__init__({"order": "none"})
        self.given = frozenset(given)

    def _print_Symbol(self, expr: sympy.Symbol, style: str = "plain") -> str:
        if expr in self.given:
            return str(super()._print_Symbol(expr, style))
        head, _, rest = expr.name.partition("_")
        letter = head if len(head) == 1 else rf"\mathrm{{{head}}}"
        return rf"{letter}_{{{upright(rest)}}}" if rest else letter
