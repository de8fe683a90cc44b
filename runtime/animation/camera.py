"""From where a motion is seen unless somebody turns it."""

from __future__ import annotations

import numpy as np

from ..arguments import Array
from ..visual.look import Point

AZIMUTH, ELEVATION = float(np.radians(35.0)), float(np.radians(12.0))


def camera_axes(up: Point, azimuth: float = AZIMUTH) -> Array:
    """(3, 3) rows: right and up of the picture, and towards the eye, in a world that has `up` against gravity.

    `azimuth` [rad]: how far right is turned from x towards y.
    """
    ca, sa, ce, se = np.cos(azimuth), np.sin(azimuth), np.cos(ELEVATION), np.sin(ELEVATION)
    screen = np.array([[ca, sa, 0.0], [sa * se, -ca * se, ce], [sa * ce, -ca * ce, se]])
    z = np.array(up) / np.linalg.norm(up)
    x = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = x - z * (x @ z)
    x /= np.linalg.norm(x)
    return np.asarray(screen @ np.array([x, np.cross(z, x), z]))
