"""Places in MJCF: five ways to say an orientation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...algebra import matmul
from ...pose import Pose, from_quaternion
from ...types import IDENTITY, ZERO, Matrix, Vector
from ..xml_input import Node
from .input import ORIENTATIONS, Compiler

AXES: dict[str, Vector] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def pose_of(node: Node, settings: Compiler) -> Pose:
    """pos and orientation of an element in the one around it."""
    with node.located():
        return Pose(node.vector("pos", ZERO), rotation=orientation(node, settings))


def orientation(node: Node, settings: Compiler) -> Matrix:
    """(3, 3) from quat (w x y z), axisangle, xyaxes, zaxis or euler; only one of them may be given."""
    given = [name for name in ORIENTATIONS if node.element.get(name) is not None]
    if len(given) > 1:
        raise node.error(f"has the orientations {' and '.join(given)}; give one")
    if not given:
        return IDENTITY
    values = node.numbers(given[0], ({"quat": 4, "axisangle": 4, "xyaxes": 6}.get(given[0], 3),)) or []
    if given[0] in ("axisangle", "zaxis") and not any(values[:3]):
        raise node.error(f"'{given[0]}' has no direction; give one that is not 0 0 0")
    match given[0]:
        case "quat":
            w, x, y, z = values
            return from_quaternion(x, y, z, w)
        case "axisangle":
            return about((values[0], values[1], values[2]), settings.unit * values[3])
        case "xyaxes":
            return _from_axes(node, np.array(values[:3]), np.array(values[3:]))
        case "zaxis":
            return upright(np.array(values))
    result = IDENTITY
    for letter, angle in zip(settings.eulerseq, values, strict=True):
        turn = about(AXES[letter.lower()], settings.unit * angle)
        result = matmul(result, turn) if letter.islower() else matmul(turn, result)
    return result


def about(axis: Vector, angle: float) -> Matrix:
    """(3, 3) rotation by `angle` [rad] about `axis` of any length but zero."""
    x, y, z = (float(v) for v in axis)
    length = math.hypot(x, y, z)
    s = math.sin(angle / 2.0) / length if length else 0.0
    return from_quaternion(s * x, s * y, s * z, math.cos(angle / 2.0))


def upright(direction: NDArray[np.float64]) -> Matrix:
    """The shortest rotation that takes z to `direction`; half a turn about x if that is -z."""
    z = direction / np.linalg.norm(direction)
    across = math.hypot(z[0], z[1])
    if across < 1e-10:
        return IDENTITY if z[2] >= 0.0 else about(AXES["x"], math.pi)
    return about((-z[1], z[0], 0.0), math.atan2(across, z[2]))


def ends_of(node: Node) -> list[float] | None:
    """The two points of fromto (6 numbers, not one twice), which place an element alone; None if it has none."""
    ends = node.numbers("fromto", (6,))
    if ends is not None and any(node.vector("pos", ZERO)):
        raise node.error("has fromto and pos (its default class counts); give one, or pos='0 0 0' beside fromto")
    if ends is not None and math.dist(ends[:3], ends[3:]) < 2e-12:
        raise node.error("'fromto' must be two different points")
    return ends


def between(ends: Sequence[float]) -> Pose:
    """The middle of two points (6 numbers), z from the second to the first."""
    start, stop = np.array(ends[:3]), np.array(ends[3:])
    x, y, z = ((start + stop) / 2.0).tolist()
    return Pose((x, y, z), rotation=upright(start - stop))


def _from_axes(node: Node, x: NDArray[np.float64], y: NDArray[np.float64]) -> Matrix:
    """x as given, y made square to it."""
    x = x / (np.linalg.norm(x) or 1.0)
    y = y - x * (x @ y)
    if not x.any() or np.linalg.norm(y) < 1e-10:
        raise node.error("'xyaxes' must be two different directions")
    y /= np.linalg.norm(y)
    a, b, c = np.column_stack([x, y, np.cross(x, y)]).tolist()
    return (a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2])
