"""Moments at points of contact from the laws themselves, and a slow solver that knows nothing but them.

Blocks of three rows as the solvers have them, v = K f + b: `kind` 1 and 2 of a point (normal, tangents), 5 and 6 of its
moments (about the normal, across it); moments belong to the block that `point` names.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def violation(problem: Any, f: Array) -> float:
    """Greatest violation of all laws: those of Signorini and Coulomb, and |m_n| <= torsion f_n, m_n |w_n| = −torsion
    f_n w_n, and the same across the normal with bound (N s, m/s, and rad/s)."""
    v, found = problem.K @ f + problem.b - problem.target, 0.0
    for i, point in enumerate(problem.point):
        own, u = f[3 * i : 3 * i + 3], v[3 * i : 3 * i + 3]
        if point < 0:
            found = max(found, -own[0], -u[0], abs(own[0] * u[0]), _opposed(own[1:], u[1:], problem.bound[i] * own[0]))
            continue
        normal = f[3 * point]
        found = max(found, _opposed(own[:1], u[:1], problem.torsion[i] * normal))
        found = max(found, _opposed(own[1:], u[1:], problem.bound[i] * normal))
    return float(found)


def _opposed(force: Array, speed: Array, most: float) -> float:
    size, slip = float(np.linalg.norm(force)), float(np.linalg.norm(speed))
    return max(size - most, float(np.abs(force * slip + most * speed).max()))


def by_projection(problem: Any, rounds: int) -> Array:
    """(3n) impulses by plain Jacobi steps of one length, projected law by law [DeSaxce98]: slow, but with nothing of
    either solver in it."""
    size = np.sqrt(np.where(np.diag(problem.K) > 0.0, np.diag(problem.K), 1.0)).reshape(-1, 3).max(axis=1).repeat(3)
    K = problem.K / np.outer(size, size)
    b, x = (problem.b - problem.target) / size, np.zeros(len(problem.b))
    step = 0.9 / np.linalg.eigvalsh(K)[-1]
    for _ in range(rounds):
        y = x - step * (K @ x + b)
        new = np.zeros_like(x)
        for i in np.flatnonzero(problem.point < 0):
            new[3 * i] = max(y[3 * i], 0.0)
        for i, point in enumerate(problem.point):
            host = i if point < 0 else point
            normal = new[3 * host] * size[3 * i] / size[3 * host]
            new[3 * i + 1 : 3 * i + 3] = _within(y[3 * i + 1 : 3 * i + 3], problem.bound[i] * normal)
            if point >= 0:
                new[3 * i] = _within(y[3 * i : 3 * i + 1], problem.torsion[i] * normal)[0]
        if np.abs(new - x).max() < 1e-15:
            break
        x = new
    return x / size


def _within(y: Array, most: float) -> Array:
    size = float(np.linalg.norm(y))
    return y * (most / size) if size > most else y
