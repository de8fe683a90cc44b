"""Contact solved to rounding instead of by sweeps: Signorini's and Coulomb's laws as cone programs (Clarabel).

    v = K f + b,  f in the cones,  v_n + μ |v_t| >= target  complementary to f_n,  v_t against f_t

Coulomb's law is not the minimum of anything: the minimum of ½ fᵀK f + bᵀf over the cones separates what slips (the
associated flow). With the normal velocity of every point enlarged by μ |slip| [DeSaxce98] that minimum is Coulomb's;
the slip is found by fixed point. Where more points than degrees of freedom repeat each other programs end some percent
off, and the fixed point goes to and fro: rows that yield, ever less, bring the rest (`proximal.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..arguments import Array
from ..errors import ModelError
from .cones import ABOUT, ACROSS, BOUNDED, HELD, NORMAL, TANGENT, ConeProblem
from .newton import polish, units
from .proximal import yielding

ROUNDS = 15

WORST = 1e-6
"""Residual [m/s] above which nothing is a solution."""


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

    ModelError where the residual stays above `WORST`, or Clarabel finds no associated flow.
    """
    rows = np.flatnonzero(_active(problem))
    if not rows.size:
        return np.zeros(len(problem.b))
    program = _Program(problem, rows)
    if not coulomb:
        return program.minimum(problem.b - problem.target)
    goal = 1e-11 * (1.0 + float(np.abs((problem.b - problem.target)[rows]).max()))
    f = yielding(problem, _by_programs(problem, program, goal), goal)
    if not (residual := problem.residual(f)) <= WORST:
        raise ModelError(
            f"solver='exact': Coulomb's law is kept no better than to {residual:.1e} m/s; such a problem may have no "
            "solution, take solver='sweeps'"
        )
    return f


def _by_programs(problem: ConeProblem, program: _Program, goal: float) -> Array:
    """(3n) the best impulses of the fixed point, until `goal` or an end that does not get there."""
    slip = np.zeros(len(problem.bound))
    best = np.zeros(len(problem.b))
    least = problem.residual(best)
    for _ in range(ROUNDS):
        linear = (problem.b - problem.target).copy()
        linear[0::3] += slip
        try:
            f = program.minimum(linear)
        except ModelError:
            break
        slip = 0.5 * (slip + _slip(problem, problem.velocity(f)))
        polished = polish(problem, f)
        residual = problem.residual(polished)
        if residual < least:
            best, least = polished, residual
        if least <= goal:
            break
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


class _Program:
    """min ½ xᵀPx + gᵀx, x = f/scale in the cones; the cones and P are those of every round.

    The scale of a block is 1/√K, the same along its rows; x is counted in the largest speed in these units, `size`.
    """

    def __init__(self, problem: ConeProblem, rows: npt.NDArray[np.intp]) -> None:
        self._clarabel, self._sparse = require_clarabel()
        self._rows, self._count = rows, len(problem.b)
        self._scale = scale = units(problem)[rows]
        self._size = float(np.abs(scale * (problem.b - problem.target)[rows]).max()) or 1.0
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

    def minimum(self, linear: Array) -> Array:
        """(3n) f for this linear term (3n) [m/s]; ModelError if Clarabel finds none."""
        settings = self._clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
        g, limits = self._scale * linear[self._rows] / self._size, np.array(self._limits) / self._size
        solution = self._clarabel.DefaultSolver(self._P, g, self._A, limits, self._cones, settings).solve()
        if str(solution.status) not in ("Solved", "AlmostSolved", "InsufficientProgress"):
            raise ModelError(f"solver='exact': Clarabel answers {solution.status}; take solver='sweeps'")
        f = np.zeros(self._count)
        f[self._rows] = self._scale * self._size * np.array(solution.x)
        return f
