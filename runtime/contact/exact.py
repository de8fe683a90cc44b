"""Contact solved to rounding instead of by sweeps: Signorini's and Coulomb's laws as cone programs (Clarabel).

    v = K f + b,  f in the cones,  v_n + μ |v_t| >= target  complementary to f_n,  v_t against f_t

Coulomb's law is not the minimum of anything: the minimum of ½ fᵀK f + bᵀf over the cones separates what slips (the
associated flow). With the normal velocity of every point enlarged by μ |slip| [DeSaxce98] that minimum is Coulomb's;
the slip is found by fixed point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arguments import Array
from ..errors import ModelError
from .newton import polish

ROUNDS = 30
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


def require_clarabel() -> Any:
    """The package; ModelError with the remedy if it is not there."""
    try:
        import clarabel
        from scipy import sparse
    except ImportError:
        raise ModelError(
            "solver='exact' needs the packages 'clarabel' and 'scipy': pip install 'kinegen[exact]'"
        ) from None
    return clarabel, sparse


def solve_exactly(problem: ConeProblem, coulomb: bool = True) -> Array:
    """(3n) impulses. `coulomb` False: the associated flow, one program without the fixed point.

    ModelError if Clarabel finds no solution, or the fixed point is not found.
    """
    rows = np.flatnonzero(_active(problem))
    f = np.zeros(len(problem.b))
    if not rows.size:
        return f
    scale = _scale(problem)[rows]
    size = float(np.abs((problem.b - problem.target)[rows] * scale).max()) or 1.0
    speed = float(np.abs((problem.b - problem.target)[rows]).max())
    program = _Program(problem, rows, scale)
    slip = np.zeros(len(problem.bound))
    best, least = f, np.inf
    for _ in range(ROUNDS):
        linear = (problem.b - problem.target).copy()
        linear[0::3] += np.where(problem.kind[0::3] == NORMAL, problem.bound, 0.0) * slip
        f = np.zeros(len(problem.b))
        f[rows] = scale * size * program.minimum(scale * linear[rows] / size, size)
        if not coulomb:
            return f
        v = problem.K @ f + problem.b
        slip = 0.5 * (slip + np.hypot(v[1::3], v[2::3]))
        polished = polish(problem, f)
        residual = problem.residual(polished)
        if residual < least:
            best, least = polished, residual
        if least <= 1e-11 * (1.0 + speed):
            return best
    if least > 1e-6:
        raise ModelError(
            f"solver='exact': the slip was not found in {ROUNDS} rounds (residual {least:.1e} m/s); such a problem may "
            "have no solution, take solver='sweeps'"
        )
    return best


def _active(problem: ConeProblem) -> npt.NDArray[np.bool_]:
    """Rows whose force may differ from zero: tangents only where there is friction."""
    kind, sticky = problem.kind, np.repeat(problem.bound > 0.0, 3)
    cone = np.repeat(kind[0::3] == NORMAL, 3)
    free = (kind == NORMAL) | (kind == HELD) | ((kind == TANGENT) & cone & sticky) | ((kind == BOUNDED) & sticky)
    return np.asarray(free)


def _scale(problem: ConeProblem) -> Array:
    """(3n) forces per unknown: 1/√K of the block, the same along its rows."""
    k = np.diag(problem.K).reshape(-1, 3).max(axis=1)
    scale: Array = np.repeat(1.0 / np.sqrt(np.where(k > 0.0, k, 1.0)), 3)
    return scale


class _Program:
    """min ½ xᵀPx + gᵀx, x = f/scale in the cones; the cones and P are those of every round."""

    def __init__(self, problem: ConeProblem, rows: npt.NDArray[np.intp], scale: Array) -> None:
        self._clarabel, self._sparse = require_clarabel()
        self._P = self._sparse.csc_matrix(np.triu(scale[:, None] * problem.K[np.ix_(rows, rows)] * scale))
        place = {int(row): i for i, row in enumerate(rows)}
        self._cones: list[Any] = []
        entries: list[tuple[int, float]] = []  # column, coefficient of x in each row of the constraints
        self._limits: list[float] = []
        for i, bound in enumerate(problem.bound):
            if 3 * i not in place or problem.kind[3 * i] == HELD:
                continue
            if problem.kind[3 * i] == BOUNDED:
                entries += [(place[3 * i], 1.0), (place[3 * i], -1.0)]
                self._limits += [bound / scale[place[3 * i]]] * 2
                self._cones.append(self._clarabel.NonnegativeConeT(2))
                continue
            tangents = [place[row] for row in (3 * i + 1, 3 * i + 2) if row in place]
            entries += [(place[3 * i], -bound if tangents else -1.0), *((column, -1.0) for column in tangents)]
            self._limits += [0.0] * (1 + len(tangents))
            cone = (
                self._clarabel.SecondOrderConeT(1 + len(tangents)) if tangents else self._clarabel.NonnegativeConeT(1)
            )
            self._cones.append(cone)
        columns, values = [column for column, _ in entries], [value for _, value in entries]
        shape = (len(entries), len(rows))
        self._A = self._sparse.csc_matrix((values, (range(len(entries)), columns)), shape=shape)

    def minimum(self, linear: Array, size: float) -> Array:
        """x for this g; `size`: unit of x, in which bounds are counted."""
        settings = self._clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
        limits = np.array(self._limits) / size
        solution = self._clarabel.DefaultSolver(self._P, linear, self._A, limits, self._cones, settings).solve()
        if str(solution.status) not in ("Solved", "AlmostSolved", "InsufficientProgress"):
            raise ModelError(f"solver='exact': Clarabel answers {solution.status}; take solver='sweeps'")
        x: Array = np.array(solution.x)
        return x
