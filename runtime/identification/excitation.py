"""How well motions tell parameters apart, by what is left of the equations."""

from __future__ import annotations

import numpy as np

from ..arguments import Array
from ..errors import ExcitationWarning, warn
from .base import BaseParameters

POOR = 1e8
"""Condition of the scaled columns from which a motion does not tell the parameters apart."""


NO_TORQUE = 1e-6
"""Part of the forces of gravity and inertia below which torques count as none."""

SIGNIFICANT = 10.0
"""Times the mean square of noise that torques must have along each column to tell something."""


def with_size(Y: Array, right: Array, base: BaseParameters, first: Array) -> tuple[Array, Array]:
    """The equations, and one sample more where torques are none or noise, and with all parameters 0 all is explained:
    that sample says that the forces which make the motion are together as large as by `first`, the description."""
    rigid = first[: base.matrix.shape[1]]
    size = np.linalg.norm(Y[..., base.independent], axis=(0, 1))
    whole = float(np.linalg.norm(size * base.values(rigid)))
    if not whole or _torque_tells(Y, right, base, whole):
        return Y, right
    warn(
        "identify: the torques of these motions are none, or what noise leaves of them: such motions tell parameters "
        "as parts of each other alone, and their common size is the description's; let motors move the joints",
        ExcitationWarning,
    )
    row, wanted = np.zeros((1, *Y.shape[1:])), np.zeros((1, right.shape[1]))
    row[0, 0, : len(rigid)] = (size**2 * base.values(rigid) / whole) @ base.matrix
    wanted[0, 0] = row[0, 0] @ first
    return np.concatenate([Y, row]), np.concatenate([right, wanted])


def _torque_tells(Y: Array, right: Array, base: BaseParameters, whole: float) -> bool:
    """Whether more of the torques is explained than noise alone would be, by its mean square of each column."""
    flat = Y.reshape(-1, Y.shape[-1])[:, [*base.independent, *range(base.matrix.shape[1], Y.shape[-1])]]
    size = np.linalg.norm(flat, axis=0)
    scaled = flat / np.where(size > 0.0, size, 1.0)
    told = scaled @ np.linalg.lstsq(scaled, right.reshape(-1), rcond=1e-10)[0]
    n, p = flat.shape
    left = float(np.linalg.norm(right.reshape(-1) - told))
    explained = float(np.linalg.norm(told))
    return explained > max(NO_TORQUE * whole, left * float(np.sqrt(SIGNIFICANT * p / (n - p))))


def noise_of(Y: Array, right: Array) -> Array:
    """(rows) standard deviation of what plain least squares leaves of each equation."""
    size = np.linalg.norm(Y.reshape(-1, Y.shape[-1]), axis=0)
    flat = Y.reshape(-1, Y.shape[-1]) / np.where(size > 0.0, size, 1.0)
    x = np.linalg.lstsq(flat, right.reshape(-1), rcond=1e-10)[0]
    left = (right.reshape(-1) - flat @ x).reshape(right.shape)
    spread = np.sqrt((left**2).mean(axis=0))
    least = 1e-9 * np.sqrt((right**2).mean()) or 1.0
    return np.asarray(np.maximum(spread, least))


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
            "description's; let the joints move faster, further and not together",
            ExcitationWarning,
        )
    inverse = (ways / np.maximum(sizes, 1e-16 * sizes[0] or 1.0)[:, None]).T @ states.T
    noise = (left**2).mean(axis=0) * left.size / (left.size - len(size))
    spread = np.sqrt((inverse**2).reshape(len(size), *left.shape).sum(axis=1) @ noise)
    return condition, np.where(size > 0.0, spread / np.where(size > 0.0, size, 1.0), np.inf)[: len(base)]
