"""A disc that rolls on its edge along a circle: the steady motion in closed form.

With the axis e tilted by θ from the vertical z, precession Ω and spin s, ω = Ω z + s e. All turns about z with Ω, so
that rolling (v = −ω × r to the point of contact), forces F = m (g z + Ω z × v) and Euler's law Ω z × L = r × F are one
equation, linear in s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Steady:
    """Velocity and angular velocity in world axes, radius of the centre's circle, its height, the turn of the disc."""

    v: Array
    w: Array
    radius: float
    height: float
    quaternion: Array

    @property
    def q(self) -> Array:
        """(7) the centre at (0, radius) of the circle about the origin."""
        return np.concatenate([[0.0, self.radius, self.height], self.quaternion])

    @property
    def twist(self) -> Array:
        """(6) velocities along the disc's axes."""
        x, _, _, w = self.quaternion
        c, s = w * w - x * x, 2.0 * x * w
        R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        return np.concatenate([R.T @ self.v, R.T @ self.w])


def steady(tilt: float, rate: float, mass: float, radius: float, thickness: float, gravity: float) -> Steady:
    """The motion at this tilt and precession."""
    e, up = np.array([0.0, np.sin(tilt), np.cos(tilt)]), np.array([0.0, -np.cos(tilt), np.sin(tilt)])
    r = -radius * up - 0.5 * thickness * e
    across, along = mass * (radius**2 / 4 + thickness**2 / 12), mass * radius**2 / 2

    def missing(spin: float) -> tuple[float, Array, Array]:
        w = rate * Z + spin * e
        v = -np.cross(w, r)
        L = across * (w - (w @ e) * e) + along * (w @ e) * e
        F = mass * (gravity * Z + np.cross(rate * Z, v))
        return float((np.cross(rate * Z, L) - np.cross(r, F))[0]), v, w

    first, second = missing(0.0)[0], missing(1.0)[0]
    left, v, w = missing(first / (first - second))
    assert abs(left) < 1e-12 * mass
    turn = np.array([-np.sin(tilt / 2), 0.0, 0.0, np.cos(tilt / 2)])
    return Steady(v, w, float(-v[0] / rate), float(-r[2]), turn)
