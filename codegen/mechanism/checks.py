"""Input is read once, at the door: every value comes out of here as an exact plain value, or as a ModelError."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Container, Iterable, Sequence
from typing import Any

import sympy

from kinegen.runtime.abi import LARGE, SNAP
from kinegen.runtime.errors import ModelError, like, shown
from kinegen.runtime.typed import is_series

from .expressions import FUNCTIONS, check_expression
from .types import Matrix, Number, Vector

ROUNDING = 4.0 * sys.float_info.epsilon  # of the length of a vector that was divided by it
UNBOUNDED = (sympy.oo, -sympy.oo, sympy.zoo, sympy.nan)


def name(value: Any, what: str) -> str:
    """`value` unchanged if it is a printable, non-empty string; names are never cleaned here, only when printed."""
    if not isinstance(value, str):
        raise ModelError(f"{what}: the name must be a string, got {shown(value)}")
    if not value.strip() or not value.isprintable():
        raise ModelError(f"{what}: the name {shown(value)} is empty or holds control characters; give a printable name")
    return value


def snap(value: Number) -> Number:
    """Constants within 1e-12 of 0, 1, -1 become exactly 0.0, 1.0, -1.0; everything else comes back as it is."""
    if isinstance(value, float):
        for exact in (0.0, 1.0, -1.0):
            if abs(value - exact) <= SNAP:
                return exact
    return value


def number(value: Any, what: str, functions: Sequence[type[sympy.Expr]] = FUNCTIONS) -> Number:
    """A finite float, or a SymPy expression of symbols and these functions (constant ones become floats)."""
    if type(value).__name__ == "ndarray" and value.ndim == 0:
        value = value.item()
    if isinstance(value, sympy.Expr):
        check_expression(value, what, functions)
        if value.free_symbols:
            if value.is_real is False or value.has(sympy.I):
                raise ModelError(f"{what}: {value} is not real; declare its symbols with real=True")
            if value.has(*UNBOUNDED) or any(abs(part) > LARGE for part in value.atoms(sympy.Number)):
                raise ModelError(f"{what} must be finite, got {value}: a number in it is larger than {LARGE:g}")
            for symbol in value.free_symbols:
                name(str(symbol), f"{what}: parameter")
            return value
        if not value.is_real:
            raise ModelError(f"{what} must be a finite real number, got {value}")
    elif isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ModelError(f"{what} must be a number or a SymPy expression, got {shown(value)}")
    try:
        result = _float(value)
    except (TypeError, ValueError):  # of constants that SymPy cannot evaluate
        raise ModelError(f"{what} must be a finite real number, got {shown(value)}") from None
    if not math.isfinite(result):
        raise ModelError(f"{what} must be finite, got {result}")
    if abs(result) > LARGE:
        raise ModelError(f"{what} must be at most {LARGE:g} in size, got {result}")
    return result


def _float(value: Any) -> float:
    """As a double; infinite where it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def usual(value: float) -> bool:
    """Whether a number is finite, and no larger than any in a description may be."""
    return abs(value) <= LARGE


def constant(value: Any, what: str, *, infinite: bool = False) -> float:
    """A float; no symbol, no NaN, and infinite only where that is allowed."""
    if infinite and isinstance(value, numbers.Real) and not isinstance(value, bool) and value == value:  # no NaN
        return _float(value) if abs(_float(value)) <= LARGE else math.copysign(math.inf, _float(value))
    result = number(value, what)
    if not isinstance(result, float):
        raise ModelError(f"{what} must be a constant, got the symbolic {result}")
    return result


def not_negative(value: Any, what: str) -> Number:
    """A number that is not known to be negative; nor is the value that a `Parameter` has by default."""
    result = number(value, what)
    if (result < 0.0) if isinstance(result, float) else result.is_negative:
        raise ModelError(f"{what} must not be negative, got {result}")
    if (default := getattr(result, "value", 0.0)) < 0.0:
        raise ModelError(f"{what} must not be negative, got {result}, which is {default} by default")
    return result


def flag(value: Any, what: str) -> bool:
    """True or False, also as 1 or 0."""
    if isinstance(value, bool | numbers.Integral) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    raise ModelError(f"{what} must be True or False, got {shown(value)}")


def items(value: Any, length: int, what: str, one: str = "number") -> tuple[Any, ...]:
    """`value` as a tuple of the given length; `one`: what each of them is."""
    wanted = f"{length} {one}{'' if length == 1 else 's'}"
    if isinstance(value, (str, bytes)) or not is_series(value):
        raise ModelError(f"{what} must be {wanted}, got {shown(value)}")
    result = tuple(value)
    if len(result) != length:
        raise ModelError(f"{what} must be {wanted}, got {len(result)}: {shown(value)}")
    return result


def vector(value: Any, what: str) -> Vector:
    """Three numbers."""
    x, y, z = (number(v, f"{what}[{i}]") for i, v in enumerate(items(value, 3, what)))
    return x, y, z


def direction(value: Any, what: str) -> Vector:
    """Three numbers, not all zero, made a unit vector if none of them is symbolic."""
    axis = vector(value, what)
    if all(v == 0 for v in axis):
        raise ModelError(f"{what} is zero; give a direction, for instance (0, 0, 1)")
    numeric = constants(axis)
    if numeric is None:
        return axis
    x, y, z = map(snap, unit(numeric))
    return x, y, z


def unit(values: Sequence[float]) -> list[float]:
    """Scaled to length 1; what has that to rounding stays as it is, so that a saved one is read back as it was."""
    length = math.hypot(*values)
    return list(values) if abs(length - 1.0) <= ROUNDING else [v / length for v in values]


def matrix(value: Any, what: str) -> Matrix:
    """Three rows of three numbers; nested sequences, numpy arrays and SymPy matrices are understood."""
    rows = value.tolist() if isinstance(value, sympy.MatrixBase) else value
    x, y, z = (vector(row, f"{what}[{i}]") for i, row in enumerate(items(rows, 3, what)))
    return x, y, z


def constants(values: Iterable[Number]) -> list[float] | None:
    """The values as floats, or None if one of them is symbolic."""
    result = [v for v in values if isinstance(v, float)]
    return result if len(result) == len(list(values)) else None


def untaken(name: str, *taken: Container[str], ending: str = "_") -> str:
    """The name, with as many endings behind it as make it another one than all that are taken."""
    while any(name in names for names in taken):
        name += ending
    return name


def meant(value: Any, known: Sequence[str]) -> str:
    """`; did you mean 'x'?`, or nothing where none is near."""
    near = like(value, known, 1)
    return f"; did you mean '{near[0]}'?" if near else ""


def nearest(value: Any, known: Sequence[str]) -> str:
    """A hint for an error message: `; did you mean 'x'?`, or what there is."""
    if near := meant(value, known):
        return near
    first = ", ".join(f"'{k}'" for k in known[:20])
    return f"; there is: {first}{' ...' if len(known) > 20 else ''}" if known else ""
