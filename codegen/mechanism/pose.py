"""Where one frame stands in another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from numpy.typing import NDArray

from kinegen.runtime import rotations
from kinegen.runtime.abi import SNAP
from kinegen.runtime.errors import ModelError, shown

from . import checks
from .algebra import add, apply, cells, cross, dot, free_symbols, matmul, negate, transpose
from .types import ZERO, Matrix, MatrixLike, Number, Vector, VectorLike

ORTHONORMAL = 1e-6  # rotations typed with six digits are accepted, and made exactly orthonormal


@dataclass(frozen=True, init=False)
class Pose:
    """Pose of a frame B in a frame A: `xyz` (3) origin of B in A [m], `rotation` (3, 3) with p_A = xyz + rotation p_B.

    Give `rpy` (roll, pitch, yaw about the fixed axes x, y, z, radians, as URDF: R = Rz Ry Rx) or `rotation`, not both.
    Every entry may be a SymPy expression. ModelError if a number is not finite or the rotation is not orthonormal.
    """

    xyz: Vector
    rotation: Matrix

    def __init__(
        self, xyz: VectorLike = ZERO, rpy: VectorLike = ZERO, *, rotation: MatrixLike | Sequence[Vector] | None = None
    ) -> None:
        x, y, z = (checks.snap(v) for v in checks.vector(xyz, "pose xyz"))
        angles = checks.vector(rpy, "pose rpy")
        if rotation is not None and angles != ZERO:
            raise ModelError("pose: give rpy or rotation, not both")
        matrix = from_rpy(angles) if rotation is None else _orthonormal(checks.matrix(rotation, "pose rotation"))
        object.__setattr__(self, "xyz", (x, y, z))
        object.__setattr__(self, "rotation", matrix)

    def __mul__(self, other: Pose) -> Pose:
        """Pose of C in A from the pose of B in A (self) and of C in B (other)."""
        if not isinstance(other, Pose):
            return NotImplemented
        return Pose(
            add(self.xyz, apply(self.rotation, other.xyz)), rotation=_snapped(matmul(self.rotation, other.rotation))
        )

    def inverse(self) -> Pose:
        """Pose of A in B."""
        back = transpose(self.rotation)
        return Pose(negate(apply(back, self.xyz)), rotation=back)

    @property
    def numeric(self) -> bool:
        """True if no entry holds a symbol."""
        return not self.free_symbols

    @property
    def free_symbols(self) -> frozenset[sympy.Symbol]:
        """Symbols in its entries."""
        return free_symbols((*self.xyz, *cells(self.rotation)))


def from_rpy(rpy: VectorLike) -> Matrix:
    """(3, 3) rotation Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, sr), (cp, sp), (cy, sy) = (_cos_sin(angle) for angle in rpy)
    about_x: Matrix = ((1.0, 0.0, 0.0), (0.0, cr, -sr), (0.0, sr, cr))
    about_y: Matrix = ((cp, 0.0, sp), (0.0, 1.0, 0.0), (-sp, 0.0, cp))
    about_z: Matrix = ((cy, -sy, 0.0), (sy, cy, 0.0), (0.0, 0.0, 1.0))
    return _snapped(matmul(about_z, matmul(about_y, about_x)))


def from_quaternion(x: float, y: float, z: float, w: float) -> Matrix:
    """(3, 3) rotation of a quaternion of any length but zero."""
    length = math.hypot(x, y, z, w)
    if length == 0.0:
        raise ModelError("the quaternion is zero; give a unit quaternion, for instance w = 1")
    return _snapped(_rows(rotations.rotation(np.array((x, y, z, w)) / length)))


def to_quaternion(m: Matrix) -> tuple[float, float, float, float]:
    """Unit quaternion x y z w, w >= 0, of a numeric (3, 3) rotation."""
    x, y, z, w = rotations.quaternion(np.array(m, dtype=float)).tolist()
    return x, y, z, w


def _cos_sin(angle: Number) -> tuple[Number, Number]:
    if isinstance(angle, sympy.Expr):
        return sympy.cos(angle), sympy.sin(angle)
    return checks.snap(math.cos(angle)), checks.snap(math.sin(angle))


def _snapped(m: Matrix) -> Matrix:
    x, y, z = ((checks.snap(a), checks.snap(b), checks.snap(c)) for a, b, c in m)
    return x, y, z


def _orthonormal(m: Matrix) -> Matrix:
    """`m` checked as far as it is numeric; a numeric one becomes the nearest rotation."""
    most = 0.0
    for i in range(3):
        for j in range(i, 3):
            if checks.constants((*m[i], *m[j])) is None:
                continue
            off = abs(float(dot(m[i], m[j])) - (i == j))
            if off > ORTHONORMAL:
                raise ModelError(f"pose rotation is not orthonormal: rows {i} and {j} of {m}; check it, or use rpy")
            most = max(most, off)
    if checks.constants(cells(m)) is None:
        return _snapped(m)
    if float(dot(m[0], cross(m[1], m[2]))) < 0.0:
        raise ModelError(f"pose rotation is a reflection (determinant -1): {m}; flip one axis")
    if most <= SNAP:
        return _snapped(m)
    left, _, right = np.linalg.svd(np.array(m, dtype=float))
    return _snapped(_rows(left @ right))


def _rows(m: NDArray[np.float64]) -> Matrix:
    x, y, z = ((float(a), float(b), float(c)) for a, b, c in m)
    return x, y, z


COINCIDENT = Pose()


@dataclass(frozen=True)
class Frame:
    """A name fixed to a link, or to "world": `pose` of the frame in the link's frame."""

    name: str
    link: str
    pose: Pose = COINCIDENT

    def __post_init__(self) -> None:
        checks.name(self.name, "frame")
        checks.name(self.link, f"frame '{self.name}': link")
        if not isinstance(self.pose, Pose):
            raise ModelError(f"frame '{self.name}': pose must be a Pose, got {shown(self.pose)}")
