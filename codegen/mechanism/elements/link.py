"""A rigid body: its name, its mass properties and its shapes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.typed import is_series

from .. import checks
from ..algebra import cells, free_symbols
from ..geometry.shapes import Shape
from ..types import WORLD, ZERO, Matrix, MatrixLike, Number, Vector, VectorLike
from .parameter import default_of

SLACK = 1e-6  # relative, of the triangle inequality: files give six digits
ROUNDING = 1e-15  # kg m²: what turning an inertia of 1 kg m² into link axes may leave


@dataclass(frozen=True)
class Defect:
    """A sentence; `grave` if kinetic energy could be negative, so that the mass matrix is not positive definite."""

    text: str
    grave: bool

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, init=False)
class Link:
    """A rigid body.

    `mass` [kg] >= 0, `com` (3) mass centre in link axes [m], `inertia` about the centre of mass in link axes [kg m²]:
    (3, 3), or the six numbers ixx ixy ixz iyy iyz izz; kept as a symmetric (3, 3). Every number may be a SymPy
    expression: then it is a run-time parameter.
    ModelError if a number is not finite, the mass negative or the inertia not symmetric.
    """

    name: str
    mass: Number
    com: Vector
    inertia: Matrix
    shapes: tuple[Shape, ...]

    def __init__(
        self,
        name: str,
        mass: Number = 0.0,
        com: VectorLike = ZERO,
        inertia: VectorLike | MatrixLike = (0.0,) * 6,
        shapes: Iterable[Shape] = (),
    ) -> None:
        what = f"link '{checks.name(name, 'link')}'"
        if name == WORLD:
            raise ModelError(f"no link may be called '{WORLD}': that is the name of the ground; rename the link")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "mass", checks.not_negative(mass, f"{what}: mass"))
        object.__setattr__(self, "com", checks.vector(com, f"{what}: com"))
        object.__setattr__(self, "inertia", _symmetric(inertia, f"{what}: inertia"))
        object.__setattr__(self, "shapes", shape_tuple(shapes, what))

    @property
    def massless(self) -> bool:
        """True if mass and inertia are exactly zero."""
        return all(value == 0 for value in (self.mass, *cells(self.inertia)))

    @property
    def free_symbols(self) -> frozenset[sympy.Symbol]:
        """Symbols in its mass, centre of mass and inertia."""
        return free_symbols((self.mass, *self.com, *cells(self.inertia)))

    def defect(self) -> Defect | None:
        """What no real body could have about this link's mass and inertia; None if all is well.

        Principal moments must not be negative, none exceeds the sum of the other two; without mass all are zero.
        Symbolic entries are not judged, but for the value that a mass has by default.
        """
        entries = checks.constants(cells(self.inertia))
        if entries is None:
            return None
        low, middle, high = (float(v) for v in np.linalg.eigvalsh(np.array(entries).reshape(3, 3)))
        slack = SLACK * max(abs(low), abs(high)) + ROUNDING
        if low < -slack:
            return Defect(f"its inertia has the negative principal moment {low:.6g}", grave=True)
        if high > low + middle + slack:
            moments = f"{low:.6g}, {middle:.6g}, {high:.6g}"
            return Defect(f"its principal moments {moments} break the triangle inequality (a <= b + c)", grave=False)
        if high > ROUNDING and (self.mass == 0 or default_of(self.mass) == 0):
            return Defect("it has inertia but no mass", grave=False)
        return None


def shape_tuple(shapes: Any, what: str) -> tuple[Shape, ...]:
    """The shapes as a tuple; ModelError if one of them is none."""
    if isinstance(shapes, (str, Shape)) or not is_series(shapes):
        raise ModelError(f"{what}: shapes must be a list of shapes, got {shown(shapes)}")
    result = tuple(shapes)
    for shape in result:
        if not isinstance(shape, Shape):
            raise ModelError(f"{what}: shapes must be made with sphere(), box() and the like, got {shown(shape)}")
    return result


def _symmetric(value: Any, what: str) -> Matrix:
    """(3, 3) from six numbers or nine."""
    rows = list(value) if isinstance(value, sympy.MatrixBase) and 1 in value.shape else value
    rows = rows.tolist() if isinstance(rows, sympy.MatrixBase) else rows
    several = isinstance(rows, Sequence) or (isinstance(rows, np.ndarray) and rows.ndim > 0)
    if not several or isinstance(rows, str) or len(rows) not in (3, 6) or (len(rows) == 3 and not is_series(rows[0])):
        instead = "; principal moments a, b, c are (a, 0, 0, b, 0, c)" if several and len(rows) == 3 else ""
        raise ModelError(f"{what} must be 3x3, or the six numbers ixx ixy ixz iyy iyz izz, got {shown(value)}{instead}")
    if len(rows) == 6:
        xx, xy, xz, yy, yz, zz = (checks.number(v, f"{what}[{i}]") for i, v in enumerate(rows))
        return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
    m = checks.matrix(rows, what)
    largest = max((abs(v) for v in cells(m) if isinstance(v, float)), default=0.0)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        a, b = m[i][j], m[j][i]
        same = math.isclose(a, b, abs_tol=1e-9 * largest) if isinstance(a, float) and isinstance(b, float) else a == b
        if not same:
            raise ModelError(f"{what} must be symmetric, but entry [{i}][{j}] is {a} and [{j}][{i}] is {b}")
    return m[0], (m[0][1], *m[1][1:]), (m[0][2], m[1][2], m[2][2])
