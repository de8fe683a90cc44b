"""The contact problem of one step: forces in cones, held rows and bounded ones."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..arguments import Array
from ..structs import CONE_ROWS

_, NORMAL, TANGENT, HELD, BOUNDED, ABOUT, ACROSS = range(len(CONE_ROWS))


@dataclass(frozen=True)
class ConeProblem:
    """Three rows a block: K (3n, 3n), b and `target` (3n) [m/s], `f` (3n) impulses to start from or
    found, `bound` (n): coefficient of friction, or force limit.

    `kind` (3n): 0 no row, 1 normal of a cone, 2 its tangents, 3 held (v = target), 4 bounded (|f| <= bound), 5 and 6
    moments at a point, about the normal (|f| <= torsion f_n) and across it (|f| <= bound f_n), with f_n of block
    `point` (n), which is -1 for all others.
    """

    K: Array
    b: Array
    f: Array
    target: Array
    bound: Array
    kind: npt.NDArray[np.intc]
    torsion: Array = field(default_factory=lambda: np.zeros(0))
    point: npt.NDArray[np.intc] = field(default_factory=lambda: np.zeros(0, dtype=np.intc))

    def __post_init__(self) -> None:
        if not self.point.size:
            object.__setattr__(self, "torsion", np.zeros(len(self.bound)))
            object.__setattr__(self, "point", np.full(len(self.bound), -1, dtype=np.intc))

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
            elif self.point[i] >= 0:
                change = self._turning(i, k, x, u, self._normal(int(self.point[i]), f, v))
            elif self.kind[3 * i] == BOUNDED:
                change = np.array([np.clip(x[0] - u[0] / k[0], -self.bound[i], self.bound[i]) - x[0], 0.0, 0.0])
            else:
                change = np.where(self.kind[rows] == HELD, -u / np.where(k > 0.0, k, 1.0), 0.0)
            largest = float(np.maximum(largest, np.abs(change * k).max()))  # what is no number stays one
        return largest

    def _normal(self, i: int, f: Array, v: Array) -> float:
        """Normal impulse of block i after a step of projection."""
        return max(float(f[3 * i] - v[3 * i] / self.K[3 * i, 3 * i]), 0.0)

    def _turning(self, i: int, k: Array, x: Array, u: Array, normal: float) -> Array:
        """(3) change of the moments of block i by a step of projection."""
        step, most = x - u / np.where(k > 0.0, [k[0], *[max(k[1:])] * 2], np.inf), self.torsion[i] * normal
        size, limit = float(np.hypot(*step[1:])), self.bound[i] * normal
        within = step[1:] * (limit / size) if size > limit else step[1:]
        return np.array([np.clip(step[0], -most, most), *within]) - x
