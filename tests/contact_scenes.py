"""Small scenes for contact: free bodies on a half space that may lean."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose, shapes
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime import Model

GRAVITY = 9.81


def solid(name: str, shape: shapes.Shape, mass: float = 1.0) -> Link:
    """A homogeneous body of one shape, its frame at the centre."""
    size = shape.size
    if shape.kind == "sphere":
        moments = (0.4 * size[0] ** 2,) * 3
    elif shape.kind == "box":
        x, y, z = (s * s for s in size)
        moments = ((y + z) / 12, (x + z) / 12, (x + y) / 12)
    else:
        across = size[0] ** 2 / 4 + size[1] ** 2 / 12
        moments = (across, across, size[0] ** 2 / 2)
    a, b, c = (mass * m for m in moments)
    return Link(name, mass, (0, 0, 0), (a, 0, 0, b, 0, c), shapes=[shape])


def scene(name: str, bodies: list[Link], ground: list[shapes.Shape], gravity: Any = (0.0, 0.0, -GRAVITY)) -> Model:
    joints = [Joint(f"{link.name}_free", "free", "world", link.name) for link in bodies]
    return Model.load(compile_mechanism(Mechanism(name, bodies, joints, gravity=gravity, shapes=ground)))


@cache
def slope(shape: shapes.Shape, angle: float, heading: float = 0.0, friction: float = 0.5) -> Model:
    """A body on the plane z = 0 under gravity that leans by `angle` towards `heading`: the plane is the slope."""
    down = np.array([np.sin(angle) * np.cos(heading), np.sin(angle) * np.sin(heading), -np.cos(angle)]) * GRAVITY
    return scene("slope", [solid("b", shape)], [shapes.plane(friction=friction)], tuple(map(float, down)))


def at(*poses: Any) -> np.ndarray:
    """q of free bodies from their positions, upright, or from (position, quaternion)."""
    return np.concatenate([[*p, 0, 0, 0, 1.0] if len(p) == 3 else p for p in map(np.asarray, poses)])


__all__ = ["GRAVITY", "Pose", "at", "scene", "shapes", "slope", "solid"]
