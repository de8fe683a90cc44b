"""Vectors and 3x3 matrices as nested tuples of numbers; exact zeros and ones never enter a symbolic expression."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import sympy

from .types import Matrix, Number, Vector


def times(a: Number, b: Number) -> Number:
    """a·b, with 0·b = 0 and 1·b = b exactly."""
    if a == 0 or b == 0:
        return 0.0
    if a == 1:
        return b
    if b == 1:
        return a
    return a * b


def total(terms: Iterable[Number]) -> Number:
    """The sum, without its exact zeros."""
    result: Number = 0.0
    for term in terms:
        if term != 0:
            result = term if result == 0 else result + term
    return result


def dot(a: Vector, b: Vector) -> Number:
    return total(times(x, y) for x, y in zip(a, b, strict=True))


def cross(a: Vector, b: Vector) -> Vector:
    return (
        total((times(a[1], b[2]), -times(a[2], b[1]))),
        total((times(a[2], b[0]), -times(a[0], b[2]))),
        total((times(a[0], b[1]), -times(a[1], b[0]))),
    )


def add(a: Vector, b: Vector) -> Vector:
    return total((a[0], b[0])), total((a[1], b[1])), total((a[2], b[2]))


def negate(a: Vector) -> Vector:
    return _minus(a[0]), _minus(a[1]), _minus(a[2])


def scale(factor: Number, a: Vector) -> Vector:
    return times(factor, a[0]), times(factor, a[1]), times(factor, a[2])


def apply(m: Matrix, a: Vector) -> Vector:
    """The matrix times the vector."""
    return dot(m[0], a), dot(m[1], a), dot(m[2], a)


def transpose(m: Matrix) -> Matrix:
    return (m[0][0], m[1][0], m[2][0]), (m[0][1], m[1][1], m[2][1]), (m[0][2], m[1][2], m[2][2])


def matmul(a: Matrix, b: Matrix) -> Matrix:
    columns = transpose(b)
    return transpose((apply(a, columns[0]), apply(a, columns[1]), apply(a, columns[2])))


def madd(a: Matrix, b: Matrix) -> Matrix:
    return add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])


def cells(m: Matrix) -> tuple[Number, ...]:
    """The nine entries, row by row."""
    return (*m[0], *m[1], *m[2])


def congruence(r: Matrix, m: Matrix) -> Matrix:
    """r m rᵀ of a symmetric m, symmetric too: rounding would leave two halves that differ."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matmul(r, matmul(m, transpose(r)))
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def steiner(mass: Number, offset: Vector) -> Matrix:
    """mass (dᵀd E - d dᵀ): what a point mass at d adds to the inertia about the origin (parallel axes)."""
    x, y, z = offset
    xx, yy, zz = (times(mass, times(c, c)) for c in offset)
    xy, xz, yz = (_minus(times(mass, times(a, b))) for a, b in ((x, y), (x, z), (y, z)))
    return (total((yy, zz)), xy, xz), (xy, total((xx, zz)), yz), (xz, yz, total((xx, yy)))


def free_symbols(values: Iterable[Number]) -> frozenset[sympy.Symbol]:
    """Every symbol in the values."""
    return frozenset(_symbols(values))


def _symbols(values: Iterable[Number]) -> Iterator[sympy.Symbol]:
    for value in values:
        if isinstance(value, sympy.Expr):
            yield from value.free_symbols


def _minus(a: Number) -> Number:
    return 0.0 if a == 0 else -a
