"""Expressions as Python functions, by SymPy."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath
import numpy as np
import sympy

from kinegen.runtime.errors import ModelError, shown

REFUSALS = (NameError, ImportError, SyntaxError, TypeError, NotImplementedError, RecursionError)  # SymPy's


def groups_of_symbols(arguments: Sequence[Any]) -> list[list[sympy.Symbol]]:
    """Sequences of symbols as lists. ModelError for what is none."""
    for group in arguments:
        if isinstance(group, str) or not hasattr(group, "__len__"):
            raise ModelError(f"lambdify: expected sequences of symbols such as eq.q, got {shown(group)}")
        if wrong := [symbol for symbol in group if not isinstance(symbol, sympy.Symbol)]:
            raise ModelError(f"lambdify: expected symbols, got {shown(wrong[0])}")
    return [list(group) for group in arguments]


def lambdified(
    arguments: Sequence[Sequence[sympy.Symbol]],
    expressions: Any,
    modules: str,
    helpers: Mapping[str, Any] | None = None,
    assigned: Sequence[tuple[sympy.Symbol, sympy.Expr]] = (),
) -> Callable[..., Any]:
    """A function of one sequence per argument; `helpers`: functions by the names that the expressions call them;
    `assigned`: what the symbols are that stand in them and in no argument. `expressions`: a list or a matrix.

    ModelError for a module that SymPy does not know or cannot write these for, or that is not installed.
    """
    if not isinstance(modules, str):
        raise ModelError(f"lambdify: modules: expected a name such as 'numpy', got {shown(modules)}")
    sources = [dict(helpers), modules] if helpers else modules
    fresh = {symbol: sympy.Dummy() for group in arguments for symbol in group if _means_more(symbol.name)}
    if fresh:
        arguments = [[fresh.get(symbol, symbol) for symbol in group] for group in arguments]
        assigned = [(symbol, expression.xreplace(fresh)) for symbol, expression in assigned]
        listed = isinstance(expressions, list)
        expressions = [x.xreplace(fresh) for x in expressions] if listed else expressions.xreplace(fresh)
    try:
        made: Callable[..., Any] = sympy.lambdify(
            arguments,
            expressions,
            modules=sources,
            cse=(lambda all_of_them: (assigned, all_of_them)) if assigned else False,
        )
    except REFUSALS as error:
        raise ModelError(
            f"lambdify: modules: {shown(modules)} cannot be used ({str(error)[:200]}); take 'numpy', 'math' or 'mpmath'"
        ) from None
    return made


def _means_more(name: str) -> bool:
    """An argument of that name may hide a function that the written code calls, such as sin or array."""
    return any(hasattr(module, name) for module in (builtins, sympy, np, mpmath))
