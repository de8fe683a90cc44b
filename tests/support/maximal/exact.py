"""Vectors, turns and poses with 60 digits: numpy arrays of mpmath's numbers, and their doubles.

Functions serve for arrays of either sort; what goes in with 60 digits comes out with 60 digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

MP = mpmath.mp.clone()
MP.dps = 60

Exact = NDArray[Any]
"""Numbers of MP (dtype object), or doubles."""


def exact(values: Any) -> Exact:
    """The numbers with 60 digits; doubles are taken as they are."""
    return np.vectorize(MP.mpf, otypes=[object])(np.asarray(values, dtype=object))


def rounded(values: Any) -> NDArray[np.float64]:
    return np.asarray(values, dtype=float)


def cos_sin(angle: Any) -> tuple[Any, Any]:
    return (math.cos(angle), math.sin(angle)) if isinstance(angle, float) else (MP.cos(angle), MP.sin(angle))


def length(vector: Exact) -> Any:
    square = vector @ vector
    return math.sqrt(square) if isinstance(square, float) else MP.sqrt(square)


def unit(vector: Exact) -> Exact:
    return vector / length(vector)


def cross(a: Exact, b: Exact) -> Exact:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def skew(a: Exact) -> Exact:
    """(3, 3) [a]x."""
    zero = a[0] - a[0]
    return np.array([[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]])


def turn(axis: Exact, angle: Any) -> Exact:
    """(3, 3) rotation by an angle [rad] about a unit axis."""
    c, s = cos_sin(angle)
    x = skew(axis)
    return np.eye(3, dtype=int) + x * s + (x @ x) * (1 - c)


def of_quaternion(q: Exact) -> Exact:
    """(3, 3) rotation of a unit quaternion x y z w."""
    x = skew(q[:3])
    return np.eye(3, dtype=int) + 2 * q[3] * x + 2 * (x @ x)


def pose(rotation: Exact, place: Exact) -> Exact:
    """(4, 4)"""
    result = np.eye(4, dtype=rotation.dtype) if rotation.dtype == float else exact(np.eye(4))
    result[:3, :3], result[:3, 3] = rotation, place
    return result


def inverse(frame: Exact) -> Exact:
    """(4, 4) of a rigid pose."""
    back = frame[:3, :3].T
    return pose(back, -(back @ frame[:3, 3]))


def random_direction(rng: np.random.Generator) -> Exact:
    return unit(exact(rng.normal(size=3)))


def random_rotation(rng: np.random.Generator) -> Exact:
    return turn(random_direction(rng), MP.mpf(float(rng.uniform(-3, 3))))


def floats(values: Iterable[Any]) -> tuple[float, ...]:
    return tuple(float(x) for x in values)
