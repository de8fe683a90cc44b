"""The words of a description: numbers (constants or symbols), joint kinds by name and their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import sympy

from kinegen.runtime.kinds import KINDS

Number: TypeAlias = float | sympy.Expr
Vector = tuple[Number, Number, Number]
Matrix = tuple[Vector, Vector, Vector]
VectorLike = Sequence[Number]
MatrixLike = Sequence[Sequence[Number]]

# by the name of every kind, in the layout of mathematics §1: (nq, nv), no motion, and where the rotation stands in q
SIZES: dict[str, tuple[int, int]] = {name: (kind.nq, kind.nv) for name, kind in KINDS.items()}
NEUTRAL: dict[str, tuple[float, ...]] = {name: kind.neutral for name, kind in KINDS.items()}
ROTATION_PART: dict[str, slice] = {name: kind.rotation for name, kind in KINDS.items() if kind.rotation}

ZERO: Vector = (0.0, 0.0, 0.0)
IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
WORLD = "world"
