"""LaTeX of symbols, program lines and names that come from outside."""

from __future__ import annotations

from collections.abc import Iterable

import sympy
from sympy.printing.latex import LatexPrinter

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


class ProgramPrinter(LatexPrinter):  # type: ignore[misc]  # sympy has no types
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
