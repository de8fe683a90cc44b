"""The words of a description: numbers (constants or symbols), joint kinds and their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import sympy

Number: TypeAlias = float | sympy.Expr
Vector = tuple[Number, Number, Number]
Matrix = tuple[Vector, Vector, Vector]
VectorLike = Sequence[Number]
MatrixLike = Sequence[Sequence[Number]]

Kind = Literal[
    "fixed", "revolute", "continuous", "prismatic", "helical", "universal", "cylindrical", "planar", "spherical", "free"
]
KINDS: tuple[str, ...] = get_args(Kind)

# (nq, nv) of every kind, in the layout of mathematics §1:
# planar     q = [x y cosθ sinθ], v = [vx vy ω] in the child frame
# spherical  q = [qx qy qz qw],   v = ω in the child frame
# free       q = [x y z qx qy qz qw], v = [linear | angular] in the child frame
# universal  q = [angle about axis, angle about axis2];  cylindrical q = [angle, displacement]
SIZES: dict[str, tuple[int, int]] = {
    "fixed": (0, 0),
    "revolute": (1, 1),
    "continuous": (1, 1),
    "prismatic": (1, 1),
    "helical": (1, 1),
    "universal": (2, 2),
    "cylindrical": (2, 2),
    "planar": (4, 3),
    "spherical": (4, 3),
    "free": (7, 6),
}
NEUTRAL: dict[str, tuple[float, ...]] = {
    **{kind: (0.0,) * nq for kind, (nq, _) in SIZES.items()},
    "planar": (0.0, 0.0, 1.0, 0.0),
    "spherical": (0.0, 0.0, 0.0, 1.0),
    "free": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
}
# where the rotation stands in q: a unit complex number or a unit quaternion
ROTATION_PART: dict[str, slice] = {"planar": slice(2, 4), "spherical": slice(0, 4), "free": slice(3, 7)}

ZERO: Vector = (0.0, 0.0, 0.0)
IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
WORLD = "world"
