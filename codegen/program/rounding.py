"""Programs evaluated with a bound on what rounding may do to each result: running error analysis [Higham02 §3.3].

The bound holds for every order of the terms of a sum, for products fused with sums or not, and for functions that are
off by a few units in the last place: for what any compiler makes of the C, and not for anything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product

from .evaluate import evaluated
from .operations import CALLS
from .types import Function

UNIT = 2.0**-48
"""Relative error that one operation may make: 16 units in the last place, for the functions of other libraries."""
CURVED = 1e-4
"""Larger errors than this tell nothing of what a function of them is."""


class Rounded:
    """A number, and how far what was computed in another order may be from it."""

    __slots__ = ("error", "value")

    def __init__(self, value: float, error: float = 0.0) -> None:
        self.value = value
        self.error = error

    def __neg__(self) -> Rounded:
        return Rounded(-self.value, self.error)

    def __add__(self, other: Rounded | float) -> Rounded:
        y, e = (other.value, other.error) if isinstance(other, Rounded) else (other, 0.0)
        # of the terms and not of the sum, which may be small: other orders round other partial sums
        return Rounded(self.value + y, self.error + e + UNIT * (abs(self.value) + abs(y)))

    __radd__ = __add__

    def __sub__(self, other: Rounded | float) -> Rounded:
        return self + -other

    def __rsub__(self, other: float) -> Rounded:
        return -self + other

    def __mul__(self, other: Rounded | float) -> Rounded:
        y, e = (other.value, other.error) if isinstance(other, Rounded) else (other, 0.0)
        size = abs(self.value * y)
        return Rounded(self.value * y, abs(self.value) * e + self.error * (abs(y) + e) + UNIT * size)

    __rmul__ = __mul__

    def __rtruediv__(self, other: float) -> Rounded:
        x, e = self.value, self.error
        quotient = other / x
        far = abs(quotient) * e / (abs(x) - e) if abs(x) > e else math.inf
        return Rounded(quotient, far + UNIT * abs(quotient))


def bounds(function: Function, arrays: Mapping[str, Sequence[float]]) -> dict[str, list[tuple[float, float]]]:
    """Name of each output → value and bound of each entry. ArithmeticError or ValueError where one is not defined."""
    found = evaluated(function, ROUNDED)({name: [Rounded(x) for x in values] for name, values in arrays.items()})
    return {
        name: [(x.value, x.error) if isinstance(x, Rounded) else (float(x), 0.0) for x in values]
        for name, values in found.items()
    }


def _called(value: Callable[..., float]) -> Callable[..., Rounded]:
    """A function of bounded numbers: its value, and how far it goes where they may be."""

    def call(*arguments: Rounded | float) -> Rounded:
        given = [x if isinstance(x, Rounded) else Rounded(x) for x in arguments]
        centre = value(*(x.value for x in given))
        if any(x.error > CURVED * max(1.0, abs(x.value)) for x in given):
            return Rounded(centre, math.inf)
        try:
            corners = [value(*at) for at in product(*((x.value - x.error, x.value + x.error) for x in given))]
        except (ArithmeticError, ValueError):
            return Rounded(centre, math.inf)
        # twice: errors that small leave all functions nearly straight between the corners, unless they jump
        far = 2.0 * max(abs(corner - centre) for corner in corners)
        return Rounded(centre, far + UNIT * max(1.0, abs(centre)))

    return call


ROUNDED = {name: _called(call.value) for name, call in CALLS.items()}
"""What programs call, for such numbers."""
