"""The contact problem of one step: forces in cones, held rows and bounded ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arguments import Array

NORMAL, TANGENT, HELD, BOUNDED = 1, 2, 3, 4


@dataclass(frozen=True)
class ConeProblem:
    """Three rows a block: K (3n, 3n), b and `target` (3n) [m/s], `f` (3n) impulses to start from or
    found, `bound` (n): coefficient of friction, or force limit.

    `kind` (3n): 0 no row, 1 normal of a cone, 2 its tangents, 3 held (v = target), 4 bounded (|f| <= bound).
    """

    K: Array
    b: Array
    f: Array
    target: Array
    bound: Array
    kind: npt.NDArray[np.intc]

    def velocity(self, f: Array) -> Array:
        """(3n) along the rows, less their targets."""
        v: Array = self.K @ f + self.b - self.target
        return v

    def residual(self, f: Array) -> float:
        """Greatest change of velocity [m/s] that one step of projection would make at any block: 0 at a solution."""
        v, largest = self.velocity(f), 0.0
        for i in range(len(self.bound)):
            rows = slice(3 * i, 3 * i + 3)
            k, x, u = np.diag(self.K)[rows], f[rows], v[rows]
            if self.kind[3 * i] == NORMAL:
                normal = max(x[0] - u[0] / k[0], 0.0)
                across = max(k[1], k[2])
                step = x[1:] - (u[1:] / across if across > 0.0 else 0.0)
                size, limit = float(np.hypot(*step)), self.bound[i] * normal
                step = step * (limit / size) if size > limit else step
                change = np.array([normal - x[0], *(step - x[1:])])
            elif self.kind[3 * i] == BOUNDED:
                change = np.array([np.clip(x[0] - u[0] / k[0], -self.bound[i], self.bound[i]) - x[0], 0.0, 0.0])
            else:
                change = np.where(self.kind[rows] == HELD, -u / np.where(k > 0.0, k, 1.0), 0.0)
            largest = max(largest, float(np.abs(change * k).max()))
        return largest
