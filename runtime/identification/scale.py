"""Whether right-hand sides tell more than ratios: where they are 0, Y x = 0 holds of all multiples of x, and x = 0 fits
best as soon as Y is not exact."""

from __future__ import annotations

import numpy as np

from ..arguments import Array
from ..errors import ExcitationWarning, warn

FELT = 1e-9
"""Part of a column's largest entry from which an equation has that unknown."""

NOISE = 0.5
"""Part of the mean square of right-hand sides that is left of them from which they are noise."""


def left_of(Y: Array, right: Array) -> Array:
    """(n, rows) what plain least squares leaves of each equation."""
    size = np.linalg.norm(Y.reshape(-1, Y.shape[-1]), axis=0)
    flat = Y.reshape(-1, Y.shape[-1]) / np.where(size > 0.0, size, 1.0)
    x = np.linalg.lstsq(flat, right.reshape(-1), rcond=1e-10)[0]
    return np.asarray((right.reshape(-1) - flat @ x).reshape(right.shape))


def noise_of(left: Array, right: Array) -> Array:
    """(rows) standard deviation of what is `left` of each equation."""
    spread = np.sqrt((left**2).mean(axis=0))
    least = 1e-9 * np.sqrt((right**2).mean()) or 1.0
    return np.asarray(np.maximum(spread, least))


def undriven(Y: Array, right: Array, left: Array) -> Array:
    """(rows) whether the right-hand sides of an equation, and of all that share unknowns with it, are 0 or noise, by
    what is `left` of them; warns of that."""
    largest = np.abs(Y).max(axis=0)
    felt = largest > FELT * largest.max(axis=0)
    linked = np.linalg.matrix_power(felt @ felt.T | np.eye(len(felt), dtype=bool), len(felt))
    still = np.asarray(linked @ (left**2).sum(axis=0) >= NOISE * (linked @ (right**2).sum(axis=0)))
    if still.any():
        warn(
            "identify: the torques of these motions are none, or what noise leaves of them (of all links, or of some "
            "that hang together): such motions tell parameters as parts of each other alone, and their common size is "
            "the description's; let motors move the joints",
            ExcitationWarning,
        )
    return still
