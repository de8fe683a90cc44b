"""Expressions as Python functions, by SymPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy

from kinegen.runtime.errors import ModelError, shown


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
    **options: Any,
) -> Callable[..., Any]:
    """A function of one sequence per argument; `helpers`: functions by the names that the expressions call them.

    ModelError for a module that SymPy does not know or that is not installed.
    """
    if not isinstance(modules, str):
        raise ModelError(f"lambdify: modules: expected a name such as 'numpy', got {shown(modules)}")
    sources = [dict(helpers), modules] if helpers else modules
    try:
        made: Callable[..., Any] = sympy.lambdify(arguments, expressions, modules=sources, **options)
    except (NameError, ImportError, SyntaxError) as error:
        raise ModelError(f"lambdify: modules: {shown(modules)} cannot be used ({str(error)[:200]})") from None
    return made
