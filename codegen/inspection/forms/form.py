"""A SymPy matrix that prints its numbers short, and writes itself as text, LaTeX, C and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy
from sympy.printing.str import StrPrinter

from kinegen.runtime.errors import ModelError
from kinegen.runtime.typed import typed

from ..latex import latex
from ..text import pretty
from .c_names import check_function_name, variables
from .lambdified import groups_of_symbols, lambdified
from .written import legible, own_names

C_STANDARD = "c99"
WITHOUT_MATRICES = ("math", "cmath")  # modules for whose functions SymPy names the class of a matrix, which they lack


class ImmutableDenseMatrix(sympy.ImmutableDenseMatrix):  # type: ignore[misc]  # sympy has no types
    """An immutable SymPy matrix; `print` shows 0.847 where SymPy alone shows 0.847000000000000.

    It keeps the name of its base, by which SymPy's code printers (lambdify among them) choose what to write.
    Substitution and everything else is SymPy's: `form.subs({m: 2})`.
    """

    def _sympystr(self, printer: StrPrinter) -> str:
        short = StrPrinter({**printer._settings, "full_prec": False})
        return str(short._print_MatrixBase(self))

    def __str__(self) -> str:
        return self._sympystr(StrPrinter())

    __repr__ = __str__

    @typed
    def text(self, *, unicode: bool = True) -> str:
        """Over several lines, with fraction bars; plain ASCII without `unicode`, θ as theta."""
        return pretty(self, unicode=unicode)

    def latex(self) -> str:
        """Numbers to six digits, as in `text`; `c` and `json` have all."""
        return latex(self)

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def lambdify(self, *arguments: Sequence[sympy.Symbol], modules: str = "numpy") -> Callable[..., Any]:
        """A Python function of one sequence per argument (`eq.q`, `eq.v`, `eq.parameters`, ...) → array of this shape.

        `modules`: "numpy", "math", "mpmath" (a matrix of mpmath), "jax" or another that SymPy writes matrices for.
        ModelError names a symbol that is in none of the arguments, and a module that cannot be used.
        """
        listed = groups_of_symbols(arguments)
        if missing := sorted(symbol.name for symbol in self.free_symbols - {s for group in listed for s in group}):
            raise ModelError(f"lambdify: {', '.join(missing)} in the expression, but in none of the arguments")
        if modules not in WITHOUT_MATRICES:
            return lambdified(listed, self, modules)
        entries = lambdified(listed, list(self), modules)
        return lambda *given: np.array(entries(*given)).reshape(self.shape)

    @typed
    def c(self, name: str) -> str:
        """A C99 function `void name(const double x[], double out[])`, entries row by row; x is `symbols` in order.

        Shared parts are worked out once. ModelError if `name` is no C identifier, or one of C itself or of <math.h>.
        """
        check_function_name(name)
        safe = variables([symbol.name for symbol in self.symbols], "x", "out")
        renamed = dict(zip(self.symbols, map(sympy.Symbol, safe), strict=True))
        fresh = sympy.numbered_symbols("t", exclude=renamed.values())
        parts, entries = sympy.cse([entry.xreplace(renamed) for entry in self], symbols=fresh)
        given = [f"    const double {symbol} = x[{i}];" for i, symbol in enumerate(safe)]
        shared = [f"    const double {symbol} = {_c(expr)};" for symbol, expr in parts]
        written = [f"    out[{i}] = {_c(expr)};" for i, expr in enumerate(entries)]
        return "\n".join([f"void {name}(const double x[], double out[])", "{", *given, *shared, *written, "}", ""])

    @property
    def symbols(self) -> tuple[sympy.Symbol, ...]:
        """What the entries depend on, sorted by name."""
        return tuple(sorted(self.free_symbols, key=lambda symbol: symbol.name))

    def json(self) -> str:
        """An object: rows, columns, symbols, and entries row by row as SymPy text (`a*sin(q_knee)`).

        A symbol whose name means something else in a text, as "a - b" or "lambda", stands in it by another; `names` has
        its own by that. To read an entry: `sympy.sympify(entry, locals={name: sympy.Symbol(name), ...})`.
        """
        table = legible(self.symbols, entries=self)
        return json.dumps(
            {
                "rows": self.rows,
                "columns": self.cols,
                "symbols": [table.get(symbol, symbol).name for symbol in self.symbols],
                "names": own_names(table),
                "entries": [StrPrinter({"full_prec": False}).doprint(entry.xreplace(table)) for entry in self],
            }
        )


def _c(expr: sympy.Expr) -> str:
    return str(sympy.ccode(expr, standard=C_STANDARD))


Form = ImmutableDenseMatrix
