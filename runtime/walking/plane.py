"""A plane in the world, and coordinates in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array
from ..errors import ModelError, shown


@dataclass(frozen=True)
class Plane:
    """Through `point` (3) [m], with unit `normal` (3) away from the ground; world axes."""

    point: Array
    normal: Array

    @property
    def axes(self) -> Array:
        """(2, 3) directions in the plane that turn into `normal`: world's x and y where it is level."""
        first = np.eye(3)[0 if abs(self.normal[0]) < 0.9 else 1]
        first = first - self.normal * (self.normal @ first)
        first /= np.linalg.norm(first)
        return np.stack([first, np.cross(self.normal, first)])

    def flat(self, points: Array) -> Array:
        """(..., 2) coordinates of points (..., 3), straight down on the plane."""
        found: Array = (points - self.point) @ self.axes.T
        return found

    def lifted(self, flat: Array) -> Array:
        """(..., 3) points of coordinates (..., 2)."""
        found: Array = self.point + flat @ self.axes
        return found


def plane_of(point: ArrayLike, normal: ArrayLike) -> Plane:
    """ModelError for a normal without a length."""
    at, up = (as_array(name, x, (3,), batch=False) for name, x in (("point", point), ("normal", normal)))
    length = float(np.linalg.norm(up))
    if not length > 0.0:
        raise ModelError(f"normal: expected the direction away from the ground, got {shown(normal)}")
    return Plane(at, up / length)
