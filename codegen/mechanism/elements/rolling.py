"""What rolls on a plane without slip: a wheel, a disc, a ball (§8)."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from kinegen.runtime.errors import ModelError

from .. import checks
from ..algebra import free_symbols
from ..types import Number, Vector, VectorLike


@dataclass(frozen=True, init=False)
class Wheel:
    """A circle of `radius` [m] about `axis`, with a tyre whose cross-section is a circle of radius `tyre` [m].

    `radius` alone is a disc with a sharp edge, both are a wheel with a round rim that reaches out to radius + tyre, and
    `tyre` alone is a ball. `axis` (3): the axle, in the joint's frame on the wheel, made a unit vector if it is
    numeric. Lengths and axis may be SymPy expressions. ModelError for negative lengths, or where both are zero.
    """

    radius: Number
    tyre: Number
    axis: Vector

    def __init__(self, radius: Number = 0.0, tyre: Number = 0.0, axis: VectorLike = (0.0, 1.0, 0.0)) -> None:
        object.__setattr__(self, "radius", checks.not_negative(radius, "wheel: radius"))
        object.__setattr__(self, "tyre", checks.not_negative(tyre, "wheel: tyre"))
        if self.radius == 0 and self.tyre == 0:
            raise ModelError("wheel: give its radius, the radius of its tyre, or both; a ball has a tyre alone")
        object.__setattr__(self, "axis", checks.direction(axis, "wheel: axis"))

    @property
    def free_symbols(self) -> frozenset[sympy.Symbol]:
        """Symbols in its radius, tyre and axis."""
        return free_symbols((self.radius, self.tyre, *self.axis))
