"""Symbols of equations by names of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import sympy

from kinegen.runtime.errors import ModelError, shown

from ..mechanism import checks
from ..program.types import Angle, Assignment, Function, Input, Output
from ..symbolic.symbols import Symbols

Table = Mapping[sympy.Symbol, sympy.Symbol]
RENAMED = ("q", "v", "a", "tau", "parameters", "v_cut", "q_cut", "multipliers")


def renaming(symbols: Symbols, names: Mapping[str, Any]) -> Table:
    """Symbol → symbol of another name and the same assumptions, from names as "q_knee" and texts or symbols.

    ModelError for a name that no symbol has, and for a new name that another symbol has.
    """
    known = {symbol.name: symbol for family in RENAMED for symbol in getattr(symbols, family)}
    table: dict[sympy.Symbol, sympy.Symbol] = {}
    for name, wanted in names.items():
        if name not in known:
            raise ModelError(f"names: there is no symbol {shown(name)}{checks.nearest(name, list(known))}")
        if not isinstance(wanted, (str, sympy.Symbol)) or wanted == "":
            raise ModelError(f"names: {name!r} must become a name or a SymPy symbol, got {shown(wanted)}")
        checks.name(str(wanted), "names")
        old = known[name]
        table[old] = sympy.Symbol(wanted, **old.assumptions0) if isinstance(wanted, str) else wanted
    called = [table.get(symbol, symbol).name for symbol in known.values()]
    if twice := next((name for name in called if called.count(name) > 1), None):
        raise ModelError(f"names: two symbols would be called {twice!r}; names must differ")
    return table


def renamed_symbols(symbols: Symbols, table: Table) -> Symbols:
    families: dict[str, Any] = {
        field.name: tuple(table.get(symbol, symbol) for symbol in getattr(symbols, field.name))
        for field in fields(symbols)
    }
    return Symbols(**families)


def renamed(function: Function, table: Table) -> Function:
    """The same function of the symbols of other names. ModelError where an intermediate is called as one of them."""
    if not table:
        return function
    inner = {
        x.name
        for x in (*(a.symbol for a in function.assignments), *(s for x in function.angles for s in (x.sin, x.cos)))
    }
    if clash := next((symbol.name for symbol in table.values() if symbol.name in inner), None):
        raise ModelError(f"names: {function.name} has an intermediate called {clash!r}; choose another name")
    return replace(
        function,
        inputs=tuple(Input(x.name, tuple(table.get(s, s) for s in x.symbols)) for x in function.inputs),
        angles=tuple(Angle(_written(x.argument, table), x.sin, x.cos) for x in function.angles),
        assignments=tuple(Assignment(x.symbol, _written(x.expr, table), x.section) for x in function.assignments),
        outputs=tuple(Output(x.name, x.shape, tuple(_written(e, table) for e in x.entries)) for x in function.outputs),
    )


def _written(expr: sympy.Expr, table: Table) -> sympy.Expr:
    """With other symbols, sums and products as they were written: v·v of a tape stays a product."""
    if expr in table or not expr.args:
        return table.get(expr, expr)
    args = [_written(arg, table) for arg in expr.args]
    return expr.func(*args, evaluate=False) if expr.is_Add or expr.is_Mul else expr.func(*args)
