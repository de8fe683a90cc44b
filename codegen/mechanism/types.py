"""What a machine is made of: poses, links, joints. Frozen values; `Mechanism` checks them once, at the door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import sympy

Number = float | sympy.Expr
Vector = tuple[Number, Number, Number]
Matrix = tuple[Vector, Vector, Vector]

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
IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
WORLD = "world"


@dataclass(frozen=True)
class Mimic:
    """q = multiplier * q[joint] + offset, as URDF's <mimic>: the joint has no coordinate of its own."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Frame:
    """A name fixed to a link: `pose` of the frame in the link's frame."""

    name: str
    link: str
    pose: Pose
