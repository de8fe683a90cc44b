"""Contact solved to rounding instead of by sweeps: Signorini's and Coulomb's laws as cone programs (Clarabel).

    v = K f + b,  f in the cones,  v_n + μ |v_t| >= target  complementary to f_n,  v_t against f_t

Coulomb's law is not the minimum of anything: the minimum of ½ fᵀK f + bᵀf over the cones separates what slips (the
associated flow). With the normal velocity of every point enlarged by μ |slip| [DeSaxce98] that minimum is Coulomb's;
the slip is found by fixed point.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..arguments import Array
from ..errors import ModelError
from .cones import ABOUT, ACROSS, BOUNDED, HELD, NORMAL, TANGENT, ConeProblem
from .newton import polish

ROUNDS = 30


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
        linear[0::3] += slip
        f = np.zeros(len(problem.b))
        f[rows] = scale * size * program.minimum(scale * linear[rows] / size, size)
        if not coulomb:
            return f
        slip = 0.5 * (slip + _slip(problem, problem.velocity(f)))
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


def _slip(problem: ConeProblem, v: Array) -> Array:
    """(n) what the normal velocity of every point is enlarged by: μ |slip|, and likewise for what turns against it."""
    across, cone = np.hypot(v[1::3], v[2::3]), problem.kind[0::3] == NORMAL
    slip: Array = np.where(cone, problem.bound * across, 0.0)
    moments = problem.point >= 0
    turning = problem.torsion * np.abs(v[0::3]) + problem.bound * across
    np.add.at(slip, problem.point[moments], turning[moments])
    return slip


def _active(problem: ConeProblem) -> npt.NDArray[np.bool_]:
    """Rows whose force may differ from zero: tangents only where there is friction."""
    kind, sticky = problem.kind, np.repeat(problem.bound > 0.0, 3)
    cone = np.repeat(kind[0::3] == NORMAL, 3)
    free = (kind == NORMAL) | (kind == HELD) | ((kind == TANGENT) & cone & sticky) | ((kind == BOUNDED) & sticky)
    turning = ((kind == ABOUT) & np.repeat(problem.torsion > 0.0, 3)) | ((kind == ACROSS) & sticky)
    return np.asarray(free | turning)


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
            if problem.point[i] >= 0:
                self._add_moments(problem, i, place, scale, entries)
                continue
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

    def _add_moments(
        self, problem: ConeProblem, i: int, place: dict[int, int], scale: Array, entries: list[tuple[int, float]]
    ) -> None:
        """The cones of the moments of block i, whose height is the normal force of their point."""
        normal = place[3 * int(problem.point[i])]
        for rows, most in (((3 * i,), problem.torsion[i]), ((3 * i + 1, 3 * i + 2), problem.bound[i])):
            columns = [place[row] for row in rows if row in place]
            if columns:
                entries += [
                    (normal, -most * scale[normal] / scale[columns[0]]),
                    *((column, -1.0) for column in columns),
                ]
                self._limits += [0.0] * (1 + len(columns))
                self._cones.append(self._clarabel.SecondOrderConeT(1 + len(columns)))

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
