"""SymPy expressions as MathML, which browsers typeset by themselves."""

from __future__ import annotations

from xml.dom.minidom import Element
from xml.sax.saxutils import escape

import sympy
from markupsafe import Markup
from sympy.printing.mathml import MathMLPresentationPrinter

from ..inspection.text import positive_first, short
from ..symbolic.names import letters
from ..symbolic.symbols import Coordinate

SIGNS = {
    "<mo>&InvisibleTimes;</mo>": '<mspace width="0.16em"></mspace>',
    "<mo>-</mo>": "<mo>&#8722;</mo>",
    "<mn>-": "<mn>&#8722;",
}


class Printer(MathMLPresentationPrinter):  # type: ignore[misc]  # sympy has no types
    """Coordinates as q with the joint's name as an upright index, v̇ with a dot; positive terms first."""

    def _print_Symbol(self, expr: sympy.Symbol, style: str = "plain") -> Element:
        if not isinstance(expr, Coordinate):
            if expr.name != escape(expr.name):
                return self._made("mi", text=expr.name)
            plain: Element = super()._print_Symbol(expr, style)
            return plain
        letter, _, name = expr.name.partition("_")
        upright = self._made("mi", text=letters(name).replace("_", " "))
        upright.setAttribute("mathvariant", "normal")
        head = self._dotted("v") if letter == "a" else self._made("mi", text=letters(letter))
        return self._made("msub", head, upright)

    def _print_MatrixBase(self, matrix: sympy.MatrixBase) -> Element:
        """A table whose brackets are borders: stretched signs would need a font that not everybody has."""
        rows = (
            self._made("mtr", *(self._made("mtd", self._print(matrix[i, j])) for j in range(matrix.cols)))
            for i in range(matrix.rows)
        )
        table = self._made("mtable", *rows)
        table.setAttribute("class", "matrix")
        return table

    def _dotted(self, letter: str) -> Element:
        over = self._made("mover", self._made("mi", text=letter), self._made("mo", text="˙"))
        over.setAttribute("accent", "true")
        return over

    def _made(self, tag: str, *children: Element, text: str = "") -> Element:
        element: Element = self.dom.createElement(tag)
        for child in children:
            element.appendChild(child)
        if text:
            element.appendChild(self.dom.createTextNode(escape(text)))  # SymPy's DOM writes text as it is
        return element

    def _as_ordered_terms(self, expr: sympy.Expr, order: str | None = None) -> list[sympy.Expr]:
        return positive_first(super()._as_ordered_terms(expr, order))


def mathml(expr: sympy.Basic) -> Markup:
    """The inside of a <math> element; numbers to six digits."""
    text: str = Printer().doprint(short(expr))
    for plain, typeset in SIGNS.items():
        text = text.replace(plain, typeset)
    return Markup(text)  # the only foreign text is names of symbols, escaped above


def display(*parts: sympy.Basic | str) -> Markup:
    """One displayed formula; parts that are text are signs: `display(M, "=", matrix)`."""
    inside = Markup("").join(
        Markup("<mo>{}</mo>").format(part) if isinstance(part, str) else mathml(part) for part in parts
    )
    return Markup('<math display="block">{}</math>').format(inside)
