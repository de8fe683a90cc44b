"""Contacts of one step by trying what each may do: open, stick or slip, every combination solved and tested.

No cone program, no sweeps: linear equations where all stick, Newton's method on the direction of the slip elsewhere.
Blocks of three rows as the solvers have them: normal, two tangents; v = K f + b.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import root

Array = Any
OPEN, STICK, SLIP = range(3)


def violation(K: Array, b: Array, friction: Array, f: Array) -> float:
    """Greatest violation [m/s or N s] of Signorini's and Coulomb's laws, from the laws themselves.

    f_n >= 0, v_n >= 0, f_n v_n = 0;  |f_t| <= μ f_n, and f_t |v_t| = −μ f_n v_t.
    """
    v, f = (K @ f + b).reshape(-1, 3), f.reshape(-1, 3)
    most = friction * f[:, 0]
    size, slip = np.linalg.norm(f[:, 1:], axis=1), np.linalg.norm(v[:, 1:], axis=1)
    against = f[:, 1:] * slip[:, None] + most[:, None] * v[:, 1:]
    broken = [-f[:, 0], -v[:, 0], np.abs(f[:, 0] * v[:, 0]), size - most, np.abs(against).max(axis=1)]
    return float(max(np.max(each) for each in broken))


def by_trying(K: Array, b: Array, friction: Array, accuracy: float = 1e-9) -> list[Array]:
    """All impulses (3k) that obey the laws, one of each combination of open, stick and slip that has any."""
    found = []
    for modes in product((OPEN, STICK, SLIP), repeat=len(friction)):
        for f in _solutions(K, b, friction, modes):
            if violation(K, b, friction, f) < accuracy:
                found.append(f)
                break
    return found


def _solutions(K: Array, b: Array, friction: Array, modes: tuple[int, ...]) -> Iterator[Array]:
    """f of these modes: unknowns f_n, f_t where it sticks; f_n and the angle of the slip where it slips."""
    stick = [3 * i + j for i, mode in enumerate(modes) if mode == STICK for j in range(3)]
    slip = [i for i, mode in enumerate(modes) if mode == SLIP]

    def impulses(x: Array) -> Array:
        f = np.zeros(len(b))
        f[stick] = x[: len(stick)]
        for i, (normal, angle) in zip(slip, x[len(stick) :].reshape(-1, 2), strict=True):
            f[3 * i : 3 * i + 3] = normal * np.array([1.0, *(-friction[i] * _toward(angle))])
        return f

    def equations(x: Array) -> Array:
        """Velocities where it sticks; v_n, and v_t across the slip, where it slips."""
        v, angles = K @ impulses(x) + b, x[len(stick) + 1 :: 2]
        across = [v[3 * i + 2] * np.cos(a) - v[3 * i + 1] * np.sin(a) for i, a in zip(slip, angles, strict=True)]
        return np.concatenate([v[stick], *([v[3 * i], u] for i, u in zip(slip, across, strict=True))])

    size = np.abs(b).max() / np.diag(K).max()
    starts = np.linspace(0.0, 2 * np.pi, {1: 16, 2: 8}.get(len(slip), 4), endpoint=False)
    for turns in product(starts, repeat=len(slip)):
        angles = [np.arctan2(b[3 * i + 2], b[3 * i + 1]) + turn for i, turn in zip(slip, turns, strict=True)]
        start = np.concatenate([np.zeros(len(stick)), *([size, angle] for angle in angles)])
        yield impulses(root(equations, start, tol=1e-14).x if start.size else start)
        if not slip:
            return


def _toward(angle: float) -> Array:
    return np.array([np.cos(angle), np.sin(angle)])
