"""How well motions tell parameters apart, by what is left of the equations."""

from __future__ import annotations

import numpy as np

from ..arguments import Array
from ..errors import ExcitationWarning, warn
from .base import BaseParameters

POOR = 1e8
"""Condition of the scaled columns from which a motion does not tell the parameters apart."""


def excitation(Y: Array, left: Array, base: BaseParameters, rigid: int) -> tuple[float, Array]:
    """Condition of the scaled columns of base parameters, damping and friction (from column `rigid` on), and standard
    deviations of the base parameters by what is `left` (n, rows) of the equations; warns of what is lost."""
    columns = Y.reshape(-1, Y.shape[-1])[:, [*base.independent, *range(rigid, Y.shape[-1])]]
    size = np.linalg.norm(columns, axis=0)
    scaled = columns / np.where(size > 0.0, size, 1.0)
    states, sizes, ways = np.linalg.svd(scaled, full_matrices=False)
    condition = float(sizes[0] / sizes[-1]) if sizes[-1] > 0.0 else np.inf
    if condition > POOR:
        lost = np.abs(ways[sizes <= sizes[0] / POOR]).max(axis=0)
        told = (*base.names, *("damping or friction" for _ in range(rigid, Y.shape[-1])))
        names = ", ".join(dict.fromkeys(told[k] for k in np.flatnonzero(lost > 0.1)[:6]))
        warn(
            f"identify: these motions do not tell {names} (condition {condition:.1e}): what is found of them is the "
            "description's; let motors move the joints faster, further and not together",
            ExcitationWarning,
        )
    inverse = (ways / np.maximum(sizes, 1e-16 * sizes[0] or 1.0)[:, None]).T @ states.T
    noise = (left**2).mean(axis=0) * left.size / (left.size - len(size))
    spread = np.sqrt((inverse**2).reshape(len(size), *left.shape).sum(axis=1) @ noise)
    return condition, np.where(size > 0.0, spread / np.where(size > 0.0, size, 1.0), np.inf)[: len(base)]
