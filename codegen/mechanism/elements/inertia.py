"""Inertia of solid bodies of uniform density about their centre of mass: (3, 3), kg m². Sizes may be SymPy symbols."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy

from kinegen.runtime.errors import ModelError

from .. import checks
from ..algebra import times, total
from ..types import Matrix, Number, Vector, VectorLike

X: Vector = (1.0, 0.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)


def box(mass: Number, size: VectorLike) -> Matrix:
    """A box with the full edge lengths `size` (3) [m] along x, y, z."""
    m = checks.not_negative(mass, "box: mass")
    x, y, z = (_square(length, "box: size") for length in checks.items(size, 3, "box: size"))
    xx, yy, zz = (times(m, total(pair)) / 12 for pair in ((y, z), (x, z), (x, y)))
    return (xx, 0.0, 0.0), (0.0, yy, 0.0), (0.0, 0.0, zz)


def sphere(mass: Number, radius: Number) -> Matrix:
    """A solid ball: 2/5 m r²."""
    moment = times(checks.not_negative(mass, "sphere: mass"), _square(radius, "sphere: radius")) * 2 / 5
    return (moment, 0.0, 0.0), (0.0, moment, 0.0), (0.0, 0.0, moment)


def cylinder(mass: Number, radius: Number, length: Number, axis: VectorLike = Z) -> Matrix:
    """A solid cylinder of that length along `axis`: m r²/2 about it, m (3 r² + l²)/12 across."""
    m = checks.not_negative(mass, "cylinder: mass")
    rr, ll = _square(radius, "cylinder: radius"), _square(length, "cylinder: length")
    return _about(axis, times(m, rr) / 2, times(m, total((3 * rr, ll))) / 12, "cylinder: axis")


def capsule(mass: Number, radius: Number, length: Number, axis: VectorLike = Z) -> Matrix:
    """A cylinder of that length along `axis` with a half ball on either end (total length l + 2 r)."""
    m = checks.not_negative(mass, "capsule: mass")
    rr, ll = _square(radius, "capsule: radius"), _square(length, "capsule: length")
    r, h = checks.number(radius, "capsule: radius"), checks.number(length, "capsule: length")
    if r == 0:
        return rod(mass, length, axis)
    balls = times(m, 4 * r / (3 * h + 4 * r))  # volumes: π r² h and 4/3 π r³
    tube = total((m, -balls))
    along = total((times(tube, rr) / 2, times(balls, rr) * 2 / 5))
    across = total(
        (
            times(tube, total((ll / 12, rr / 4))),
            times(balls, total((rr * 2 / 5, ll / 4, times(h, r) * 3 / 8))),
        )
    )
    return _about(axis, along, across, "capsule: axis")


def rod(mass: Number, length: Number, axis: VectorLike = X) -> Matrix:
    """A thin rod of that length along `axis`: m l²/12 across, nothing about it."""
    m = checks.not_negative(mass, "rod: mass")
    return _about(axis, 0.0, times(m, _square(length, "rod: length")) / 12, "rod: axis")


def _square(value: Any, what: str) -> Number:
    length = checks.not_negative(value, what)
    return times(length, length)


def _about(axis: VectorLike, along: Number, across: Number, what: str) -> Matrix:
    """across E + (along - across) a aᵀ for the direction a."""
    a = checks.vector(axis, what)
    norm = total(times(v, v) for v in a)
    if norm == 0:
        raise ModelError(f"{what} is zero; give a direction, for instance (1, 0, 0)")
    root = sympy.sqrt(norm) if isinstance(norm, sympy.Expr) else norm**0.5
    direction = tuple(checks.snap(c / root) if c != 0 else 0.0 for c in a)
    more = total((along, -across))
    x, y, z = (
        _triple(total((across if i == j else 0.0, times(more, times(u, v)))) for j, v in enumerate(direction))
        for i, u in enumerate(direction)
    )
    return x, y, z


def _triple(values: Iterable[Number]) -> Vector:
    x, y, z = values
    return x, y, z
