"""Samples of a motion, a step apart: its value, velocity and acceleration by the polynomial through the nearest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...arguments import Array

WINDOW = 9
"""Samples through which the polynomial goes."""

FITS = 0.25
"""Part by which velocities and accelerations that are given may differ from those that q and v have over a step."""


Rates = Callable[[Array], Array]
"""(times, nv_j) rates of a motion at times [s]."""


@dataclass(frozen=True)
class Grid:
    """Samples at begin + k dt [s], k = 0, 1, ... < count (None: without end)."""

    begin: float
    dt: float
    count: int | None

    def low(self, t: float) -> int:
        """The first of the samples nearest to t, if there are enough after it."""
        return max(round((t - self.begin) / self.dt) - WINDOW // 2, 0)

    def around(self, times: Array) -> Array:
        """Times of the samples nearest to all of `times`, which rise."""
        first, last = self.low(float(times[0])), self.low(float(times[-1])) + WINDOW
        return self.begin + self.dt * np.arange(first, last, dtype=float)

    def derivatives(self, t: float, sample: Callable[[int], Array]) -> Array:
        """(3, nv_j) value, first and second derivative at t of the polynomial through the nearest samples."""
        x = (t - self.begin) / self.dt
        nearest = round(x)
        x = float(nearest) if abs(x - nearest) < 1e-6 else x
        low = self.low(t)
        size = WINDOW
        if self.count is not None:
            low = max(min(low, self.count - WINDOW), 0)
            size = min(WINDOW, self.count - low)
        weights = _weights(x - low, size) / self.dt ** np.arange(3)[:, None]
        values: Array = weights @ np.array([sample(low + i) for i in range(size)])
        return values


def unfit(x: Array, rate: Array, times: Array, middle: Rates) -> tuple[Array, Array, NDArray[np.bool_]]:
    """(steps, nv_j) of steps between `times` [s]: the mean of `rate` at both ends, the rate at which x changes, and
    whether they do not fit. Where a rate rests within a step and goes on, what it is in the middle tells that."""
    span = np.diff(times)[:, None]
    mean, change = 0.5 * (rate[1:] + rate[:-1]), np.diff(x, axis=0) / span
    allowed = abs(np.diff(rate, axis=0)) + FITS * (abs(rate[1:]) + abs(rate[:-1])) + 1e-9
    allowed += 1e-12 * (abs(x[1:]) + abs(x[:-1])) / span
    far = abs(change - mean) > allowed
    at = np.flatnonzero(far.any(axis=1))
    if at.size:
        simpson = (mean[at] + 2.0 * middle(0.5 * (times[at] + times[at + 1]))) / 3.0
        far[at] &= ~(abs(change[at] - simpson) <= allowed[at])
    return mean, change, far


def smoothed(grid: Grid, times: Array, values: Array, samples: Array, middle: Rates) -> Array:
    """(times, 3, nv_j) `values`, q, v, a at `times`; near steps in which v jumps v and a are those of the samples of q,
    as if that alone were told. `samples`: of the same `grid.around(times)`; where they are no numbers values stay.
    `middle`: a between them."""
    first = grid.low(float(times[0]))
    far = unfit(samples[:, 1], samples[:, 2], grid.around(times), middle)[2]
    if not far.any():
        return values
    found = values.copy()
    for i, t in enumerate(times.tolist()):
        begin = grid.low(t) - first
        jumps = far[begin : begin + WINDOW - 1].any(axis=0)
        if jumps.any() and np.isfinite(samples[begin : begin + WINDOW]).all():
            rates = grid.derivatives(t, lambda k: samples[k - first, 0])[1:]
            found[i, 1:, jumps] = rates[:, jumps].T
    return found


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
