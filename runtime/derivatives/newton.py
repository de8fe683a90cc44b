"""Steps of Newton's method, whole and damped; where a search by them goes away, and what is told without a rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..arguments import Array
from ..errors import ModelError
from ..model.closed.closure import dof_names, lengths
from ..model.model import Model

TURN = 0.5
"""Angle [rad] that no joint turns by more than in a step of the search, which so ends near where it began."""

FAR = 1e4
"""Times the largest lever of its masses that a mechanism moves at most; far beyond, forces are rounding."""

FirstStep = Callable[[Array, Array, Array], Array]
"""A step for a slope, what is left, and how joints turn with it."""


def newton(slope: Array, left: Array, turns: Array) -> Array:
    """Least squares for slope x = -left, however far joints turn."""
    return -np.asarray(np.linalg.lstsq(slope, left, rcond=1e-12)[0], dtype=np.float64)


def damped_newton(slope: Array, left: Array, turns: Array) -> Array:
    """Newton's step, damped by as little as lets no joint turn by more than `TURN` [Levenberg44]: what is stiff goes
    all its way. From singular values, since squares of soft and stiff together leave nothing of the soft."""
    U, sizes, V = np.linalg.svd(slope)
    most = float(sizes.max(initial=0.0)) or 1.0
    along, sizes = -U.T @ left / most, np.where(sizes > 1e-12 * most, sizes / most, 0.0)

    def step(damping: float) -> Array:
        return np.asarray(V.T @ (along * sizes / np.maximum(sizes**2 + damping, 1e-300)), dtype=np.float64)

    def near(damping: float) -> bool:
        return float(np.abs(turns @ step(damping)).max(initial=0.0)) <= TURN

    if near(0.0):
        return step(0.0)
    low, high = -30.0, 10.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if near(10.0**middle) else (middle, high)
    return step(10.0**high)


def ways_down(slope: Array, left: Array, first: Array) -> Iterator[Array]:
    """The first step, whole and halved, then Newton's, damped more and more [Levenberg44]."""
    yield from (first / 2.0**halving for halving in range(4))
    size = float(np.linalg.norm(slope, 2)) if slope.size else 0.0
    for power in range(-4, 3):
        damped = slope.T @ slope + 10.0**power * size**2 * np.eye(len(left))
        yield -np.asarray(np.linalg.lstsq(damped, slope.T @ left, rcond=None)[0], dtype=np.float64)


def away(model: Model, q0: Array, q: Array) -> list[str]:
    """Entries of joints along which q is without end away from q0; none where no joint turns a mass at a lever."""
    along = lengths(model.manifest)
    linear = model.cog_jacobian(q0).reshape(-1, 2, 3, model.nv)[:, 0]
    lever = float(np.linalg.norm(linear, axis=1)[:, ~along].max(initial=0.0))
    far = along & (np.abs(model.difference(q0, q)) > FAR * lever) & (lever > 0.0)
    return [name for name, gone in zip(dof_names(model.manifest), far, strict=True) if gone]


def no_rest(model: Model, q0: Array, q: Array, left: float) -> ModelError:
    """Of a search that began at q0 and ended at q, where accelerations `left` stay."""
    gone = away(model, q0, q)
    stays = f"accelerations of {left:.3g} m/s² or rad/s² stay"
    told = f"the search went away along {', '.join(gone)}, without end" if gone else stays
    return ModelError(
        f"model '{model.name}': no rest was found near this q0 under these torques: {told}; start elsewhere, give "
        "other torques, or hold joints"
    )
