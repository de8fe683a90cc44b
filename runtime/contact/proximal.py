"""Contact problems of rows that repeat others: Newton's method on rows that yield, less from round to round.

    x = P(x₀ − v/ε),  v = K x + c,  x₀ of the round before, x in units of 1/√K

x = x₀ is what is sought, whatever ε is. K + ε has the place of K, so that impulses of rows that repeat each other stay
near x₀ where they are free: the proximal point method [Rockafellar76].
"""

from __future__ import annotations

import numpy as np

from ..arguments import Array
from .cones import ConeProblem
from .newton import projection, settled, units

SOFT, HARD = 1e-2, 1e-9
ROUNDS, STEPS = 40, 20


def yielding(problem: ConeProblem, f: Array, goal: float) -> Array:
    """(3n) impulses at least as good as f, from there; ends at a residual of `goal` [m/s].

    Rows get ten times harder after a round that is solved, and a hundred times softer after one that is not.
    """
    unit = units(problem)
    K, free = unit[:, None] * problem.K * unit, unit * (problem.b - problem.target)
    best, least = f, problem.residual(f)
    x, soft = f / unit, SOFT
    for _ in range(ROUNDS):
        if least <= goal:
            break
        x, solved = _round(problem, K, free, unit, x, soft)
        found = settled(problem, unit * x)
        residual = problem.residual(found)
        if residual < least:
            best, least = found, residual
        soft = max(soft / 10.0, HARD) if solved else min(100.0 * soft, 1.0)
    return best


def _round(problem: ConeProblem, K: Array, free: Array, unit: Array, start: Array, soft: float) -> tuple[Array, bool]:
    """x of x = P(start − v/soft), and whether it is one: Newton's method, steps halved until they make it better."""
    x = start
    value, slope = projection(problem, start, (K @ x + free) / soft, unit)
    error = np.linalg.norm(x - value)
    for _ in range(STEPS):
        if error <= 1e-14 * (1.0 + np.abs(x).max()):
            break
        try:
            step = np.linalg.solve(np.eye(len(x)) + slope @ K / soft, value - x)
        except np.linalg.LinAlgError:
            break
        for part in 0.5 ** np.arange(7):
            new = x + part * step
            new_value, new_slope = projection(problem, start, (K @ new + free) / soft, unit)
            new_error = np.linalg.norm(new - new_value)
            if new_error < (1.0 - 1e-4 * part) * error:
                x, value, slope, error = new, new_value, new_slope, new_error
                break
        else:
            break
    return x, bool(error <= 1e-9 * (1.0 + np.abs(x).max()))
