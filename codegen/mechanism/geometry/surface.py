"""What the surface of a shape is like, and what holds between two of them (§11)."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal

import sympy

from kinegen.runtime.errors import ModelError, shown

from .. import checks
from ..types import Number

Combine = Literal["geometric", "min", "product", "max"]
COMBINE: dict[Combine, Callable[[float, float], float]] = {
    "geometric": lambda a, b: math.sqrt(a * b),
    "min": min,
    "product": lambda a, b: a * b,
    "max": max,
}
"""Friction of two surfaces from that of each; where their rules differ, the later one holds."""

_OPEN: dict[Combine, Callable[[Number, Number], sympy.Expr]] = {
    "geometric": lambda a, b: sympy.sympify(a) if a == b else sympy.sqrt(a * b),
    "min": sympy.Min,
    "product": lambda a, b: sympy.sympify(a) * b,
    "max": sympy.Max,
}
"""The same where one of them is a symbol."""


def combined(rule: Combine, a: Number, b: Number) -> Number:
    """Friction of two surfaces by a rule: a number, or an expression where one of theirs is a symbol."""
    if isinstance(a, float) and isinstance(b, float):
        return COMBINE[rule](a, b)
    friction = _OPEN[rule](a, b)
    return friction if friction.free_symbols else float(friction)


def check_friction(value: Number, what: str) -> Number:
    """A coefficient of friction: a number or one symbol, of which a model sees that its value is not negative."""
    friction = checks.not_negative(value, f"{what}: friction")
    if isinstance(friction, sympy.Expr) and not friction.is_Symbol:
        raise ModelError(f"{what}: friction must be a number or one symbol, got {friction}; give that a symbol")
    return friction


def check_restitution(value: float, what: str) -> float:
    """A coefficient of restitution."""
    restitution = checks.constant(value, f"{what}: restitution")
    if not 0.0 <= restitution <= 1.0:
        raise ModelError(f"{what}: restitution must lie between 0 and 1, got {restitution}")
    return restitution


def check_arm(value: float, what: str) -> float:
    """A coefficient of torsional or rolling friction [m]."""
    arm = checks.constant(value, what)
    if arm < 0.0:
        raise ModelError(f"{what} must not be negative, got {arm}")
    return arm


def check_condim(value: Any, what: str) -> int:
    """A number of directions in which two shapes may resist each other, the normal among them."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) not in (1, 3, 4, 6):
        raise ModelError(f"{what}: condim must be 1, 3, 4 or 6, got {shown(value)}")
    return int(value)
