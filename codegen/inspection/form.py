"""A SymPy matrix that prints its numbers short."""

from __future__ import annotations

import sympy
from sympy.printing.str import StrPrinter


class ImmutableDenseMatrix(sympy.ImmutableDenseMatrix):  # type: ignore[misc]  # sympy has no types
    """An immutable SymPy matrix; `print` shows 0.847 where SymPy alone shows 0.847000000000000.

    It keeps the name of its base, by which SymPy's code printers (lambdify among them) choose what to write.
    """

    def _sympystr(self, printer: StrPrinter) -> str:
        short = StrPrinter({**printer._settings, "full_prec": False})
        return str(short._print_MatrixBase(self))

    def __str__(self) -> str:
        return self._sympystr(StrPrinter())

    __repr__ = __str__


Form = ImmutableDenseMatrix
