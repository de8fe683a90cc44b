"""Samples of a motion, a step apart: its value, velocity and acceleration by the polynomial through the nearest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...arguments import Array

WINDOW = 9
"""Samples through which the polynomial goes."""


@dataclass(frozen=True)
class Grid:
    """Samples at begin + k dt [s], k = 0, 1, ... < count (None: without end)."""

    begin: float
    dt: float
    count: int | None

    def derivatives(self, t: float, sample: Callable[[int], Array]) -> Array:
        """(3, nv_j) value, first and second derivative at t of the polynomial through the nearest samples."""
        x = (t - self.begin) / self.dt
        nearest = round(x)
        x = float(nearest) if abs(x - nearest) < 1e-6 else x
        low = max(nearest - WINDOW // 2, 0)
        size = WINDOW
        if self.count is not None:
            low = max(min(low, self.count - WINDOW), 0)
            size = min(WINDOW, self.count - low)
        weights = _weights(x - low, size) / self.dt ** np.arange(3)[:, None]
        values: Array = weights @ np.array([sample(low + i) for i in range(size)])
        return values


@lru_cache(maxsize=256)
def _weights(x: float, size: int) -> Array:
    """(3, size) of samples at 0, 1, ..., size - 1 in value, first and second derivative at x [Fornberg88]."""
    weights = np.zeros((3, size))
    weights[0, 0] = 1.0
    scale, ahead = 1.0, -x
    for i in range(1, size):
        product, last = 1.0, ahead
        ahead = i - x
        for j in range(i):
            distance = i - j
            product *= distance
            if j == i - 1:
                for k in range(2, -1, -1):
                    below = weights[k - 1, i - 1] if k else 0.0
                    weights[k, i] = scale * (k * below - last * weights[k, i - 1]) / product
            for k in range(2, -1, -1):
                below = weights[k - 1, j] if k else 0.0
                weights[k, j] = (ahead * weights[k, j] - k * below) / distance
        scale = product
    return weights
