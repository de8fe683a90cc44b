"""Programs evaluated with a bound on what rounding may do to each result: running error analysis [Higham02 §3.3].

The bound holds for every order of the terms of a sum, for products fused with sums or not, and for functions that are
off by a few units in the last place: for what any compiler makes of the C, and not for anything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product

from .evaluate import evaluated
from .operations import CALLS
from .types import Function

UNIT = 2.0**-48
"""Relative error that one operation of doubles may make: 16 units in the last place, for the functions of other
libraries."""
CURVED = 1e-4
"""Larger errors than this tell nothing of what a function of them is."""


class Rounded:
    """A number, and how far what was computed in another order may be from it; `unit`: see UNIT."""

    __slots__ = ("error", "value")
    unit = UNIT

    def __init__(self, value: float, error: float = 0.0) -> None:
        self.value = value
        self.error = error

    def __neg__(self) -> Rounded:
        return type(self)(-self.value, self.error)

    def __add__(self, other: Rounded | float) -> Rounded:
        y, e = (other.value, other.error) if isinstance(other, Rounded) else (other, 0.0)
        # of the terms and not of the sum, which may be small: other orders round other partial sums
        return type(self)(self.value + y, self.error + e + self.unit * (abs(self.value) + abs(y)))

    __radd__ = __add__

    def __sub__(self, other: Rounded | float) -> Rounded:
        return self + -other

    def __rsub__(self, other: float) -> Rounded:
        return -self + other

    def __mul__(self, other: Rounded | float) -> Rounded:
        y, e = (other.value, other.error) if isinstance(other, Rounded) else (other, 0.0)
        size = abs(self.value * y)
        if math.isinf(e) or math.isinf(self.error):  # also times zero, which may be none
            return type(self)(self.value * y, math.inf)
        return type(self)(self.value * y, abs(self.value) * e + self.error * (abs(y) + e) + self.unit * size)

    __rmul__ = __mul__

    def __rtruediv__(self, other: float) -> Rounded:
        x, e = self.value, self.error
        quotient = other / x
        far = abs(quotient) * e / (abs(x) - e) if abs(x) > e else math.inf
        return type(self)(quotient, far + self.unit * abs(quotient))


@cache
def rounded(unit: float) -> type[Rounded]:
    """Numbers whose operations may err by so much."""

    class Other(Rounded):
        __slots__ = ()

    Other.unit = unit
    return Other


def bounds(
    function: Function, arrays: Mapping[str, Sequence[float]], unit: float = UNIT
) -> dict[str, list[tuple[float, float]]]:
    """Name of each output → value and bound of each entry. ArithmeticError or ValueError where one is not defined."""
    kind = rounded(unit)
    found = evaluated(function, functions_of(kind))(
        {name: [kind(x) for x in values] for name, values in arrays.items()}
    )
    return {
        name: [(x.value, x.error) if isinstance(x, Rounded) else (float(x), unit * abs(float(x))) for x in values]
        for name, values in found.items()
    }


def functions_of(kind: type[Rounded]) -> dict[str, Callable[..., Rounded]]:
    """What programs call, for such numbers."""
    return {name: _called(call.value, kind) for name, call in CALLS.items()}


def _called(value: Callable[..., float], kind: type[Rounded]) -> Callable[..., Rounded]:
    """A function of bounded numbers: its value, and how far it goes where they may be."""

    def call(*arguments: Rounded | float) -> Rounded:
        given = [x if isinstance(x, Rounded) else kind(x) for x in arguments]
        centre = value(*(x.value for x in given))
        if any(x.error > CURVED * max(1.0, abs(x.value)) for x in given):
            return kind(centre, math.inf)
        try:
            corners = [value(*at) for at in product(*((x.value - x.error, x.value + x.error) for x in given))]
        except (ArithmeticError, ValueError):
            return kind(centre, math.inf)
        # twice: errors that small leave all functions nearly straight between the corners, unless they jump
        far = 2.0 * max(abs(corner - centre) for corner in corners)
        return kind(centre, far + kind.unit * max(1.0, abs(centre)))

    return call
