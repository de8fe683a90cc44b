"""Last digits of a contact problem that is nearly solved: Newton's method on the cones' projection [Alart91]."""

from __future__ import annotations

import numpy as np

from ..arguments import Array
from .cones import ConeProblem

STEPS = 12


def polish(problem: ConeProblem, f: Array) -> Array:
    """(3n) impulses at least as good as f: x = projection of x − v, x in units of 1/√K, solved with minimum norm.

    Which points part, stick or slip is told by x − v in every step; a step that makes nothing better is halved.
    """
    unit = units(problem)
    K = unit[:, None] * problem.K * unit
    free = unit * (problem.b - problem.target)
    x = f / unit
    value, slope = projection(problem, x, K @ x + free, unit)
    for _ in range(STEPS):
        error = x - value
        size = np.abs(error).max(initial=0.0)
        if size <= 1e-15 * (1.0 + np.abs(free).max(initial=0.0)):
            break
        jacobian = np.eye(len(x)) - slope @ (np.eye(len(x)) - K)
        step = np.linalg.lstsq(jacobian, -error, rcond=1e-12)[0]
        for part in (1.0, 0.5, 0.25):
            new = x + part * step
            new_value, new_slope = projection(problem, new, K @ new + free, unit)
            if np.abs(new - new_value).max() < size:
                x, value, slope = new, new_value, new_slope
                break
        else:
            break
    result: Array = unit * x
    return settled(problem, result)


def settled(problem: ConeProblem, f: Array) -> Array:
    """The impulses on their cones that f nearly are, if these are as good: those of what parts are then exactly 0."""
    unit = units(problem)
    found: Array = unit * projection(problem, f / unit, unit * problem.velocity(f), unit)[0]
    return found if problem.residual(found) <= problem.residual(f) + 1e-15 else f


def units(problem: ConeProblem) -> Array:
    k = np.diag(problem.K).reshape(-1, 3).max(axis=1)
    unit: Array = np.repeat(1.0 / np.sqrt(np.where(k > 0.0, k, 1.0)), 3)
    return unit


def projection(problem: ConeProblem, x: Array, v: Array, unit: Array) -> tuple[Array, Array]:
    """(3n) projection of y = x − v, and its derivative by y (3n, 3n)."""
    y, value, slope = x - v, np.zeros(len(x)), np.zeros((len(x), len(x)))
    for i, bound in enumerate(problem.bound):
        rows = slice(3 * i, 3 * i + 3)
        kind = problem.kind[rows]
        if (point := int(problem.point[i])) >= 0:
            _turning(problem, i, point, y, value, slope, unit)
        elif kind[0] == 1:
            value[rows], slope[rows, rows] = _cone(y[rows], bound, kind[1:] == 2)
        elif kind[0] == 4:
            limit = bound / unit[3 * i]
            value[3 * i] = np.clip(y[3 * i], -limit, limit)
            slope[3 * i, 3 * i] = float(abs(y[3 * i]) < limit)
        else:
            held = kind == 3
            value[rows], slope[rows, rows] = np.where(held, y[rows], 0.0), np.diag(held.astype(float))
    return value, slope


def _turning(problem: ConeProblem, i: int, point: int, y: Array, value: Array, slope: Array, unit: Array) -> None:
    """Moments of block i within what the normal impulse of their point allows, in `value` and `slope`, in place."""
    ratio, normal, kind = unit[3 * point] / unit[3 * i], max(y[3 * point], 0.0), problem.kind[3 * i : 3 * i + 3]
    pressed = float(y[3 * point] > 0.0)
    for rows, coefficient in (([3 * i], problem.torsion[i]), ([3 * i + 1, 3 * i + 2], problem.bound[i])):
        live = kind[np.array(rows) - 3 * i] > 0
        across = np.where(live, y[rows], 0.0)
        size, most = float(np.linalg.norm(across)), ratio * coefficient
        if size <= most * normal:
            value[rows], slope[rows, rows] = across, live.astype(float)
            continue
        way = across / size
        value[rows], slope[rows, 3 * point] = most * normal * way, most * pressed * way
        slope[np.ix_(rows, rows)] = most * normal / size * (np.eye(len(rows)) - np.outer(way, way))


def _cone(y: Array, friction: float, rows: Array) -> tuple[Array, Array]:
    """Normal on its half line, tangents within friction times it."""
    slope = np.zeros((3, 3))
    if y[0] <= 0.0:
        return np.zeros(3), slope
    slope[0, 0] = 1.0
    across = np.where(rows, y[1:], 0.0)
    size, limit = float(np.hypot(*across)), friction * y[0]
    if size <= limit:
        slope[1:, 1:] = np.diag(rows.astype(float))
        return np.array([y[0], *across]), slope
    way = across / size
    slope[1:, 0] = friction * way
    slope[1:, 1:] = limit / size * (np.eye(2) - np.outer(way, way))
    return np.array([y[0], *(limit * way)]), slope
