"""Chains with limits, and the impact at limits by trying all sets."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

import kinegen as kg

INTEGRATORS = ("semi_implicit", "rk4")
LOW, HIGH = (-0.5, -0.3, -0.4), (1.0, 0.8, 0.7)


def rod(name):
    return kg.Link(name, 1.0, (0, 0, -0.5), kg.inertia.box(1.0, (0.1, 0.1, 1.0)))


@cache
def chain(damping=0.0):
    """Three hinges in a row, all with limits."""
    names = ("world", "a", "b", "c")
    joints = [
        kg.Joint(f"j{i}", "revolute", names[i], names[i + 1], kg.Pose((0, 0, -1.0 * (i > 0))), axis=(0, 1, 0),
                 limits=(LOW[i], HIGH[i]), damping=damping)
        for i in range(3)
    ]  # fmt: skip
    return kg.compile(kg.Mechanism("limited", [rod(name) for name in names[1:]], joints))


def mechanism_of():
    names = ("world", "a", "b", "c")
    joints = [
        kg.Joint(f"j{i}", "revolute", names[i], names[i + 1], kg.Pose((0, 0, -1.0 * (i > 0))), axis=(0, 1, 0))
        for i in range(3)
    ]
    return kg.Mechanism("limited", [rod(name) for name in names[1:]], joints)


def best(M, v, side):
    """argmin (x − v)ᵀM(x − v) with side x <= 0, over all sets of bounds that hold."""
    found = []
    for held in product((False, True), repeat=3):
        rows = np.eye(3)[list(held)]
        x = v.copy()
        if rows.size:
            Y = np.linalg.solve(M, rows.T)
            x = v - Y @ np.linalg.solve(rows @ Y, rows @ v)
        if (side * x <= 1e-12).all():
            found.append(((x - v) @ M @ (x - v), tuple(x)))
    return np.array(min(found)[1])
