"""A symbol that has a value unless it is given another one: a run-time parameter that need not be set."""

from __future__ import annotations

from typing import Any

import sympy

from kinegen.runtime.typed import typed

from .. import checks


class Parameter(sympy.Symbol):  # type: ignore[misc]  # sympy has no types
    """A symbol and the `value` that it has by default; symbols of one name with other values are other symbols."""

    __slots__ = ("value",)
    value: float

    def __new__(cls, name: str, value: float, **assumptions: Any) -> Parameter:
        self: Parameter = sympy.Symbol.__xnew__(cls, name, **(assumptions or {"real": True}))
        self.value = value
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str, float], dict[str, Any]]:
        return (self.name, self.value), self._assumptions_orig

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.value)

    def _sympyrepr(self, printer: object) -> str:
        return f"Parameter({self.name!r}, {self.value!r}, **{self._assumptions_orig!r})"

    @classmethod
    def class_key(cls) -> tuple[int, int, str]:
        """Sorted among other symbols by name."""
        return 2, 0, "Symbol"


@typed
def parameter(name: str, value: float) -> Parameter:
    """A real symbol for any number of a description, a run-time parameter of the compiled model that is `value` unless
    `with_parameters` says otherwise. ModelError if the value is not finite."""
    return Parameter(checks.name(name, "parameter"), checks.constant(value, f"parameter '{name}'"))


def default_of(symbol: sympy.Symbol) -> float | None:
    """The value that a symbol has by default, None if it has none."""
    return symbol.value if isinstance(symbol, Parameter) else None


def value_of(number: Any) -> float | None:
    """A number of a description with its parameters as they are by default; None if one of them has no value."""
    if not isinstance(number, sympy.Expr):
        return float(number)
    values = {symbol: default_of(symbol) for symbol in number.free_symbols}
    return None if None in values.values() else float(number.subs(values))
