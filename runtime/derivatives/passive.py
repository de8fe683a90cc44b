"""Derivatives of the forces of springs, dampers and friction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arguments import Array
from ..model.model import Model

WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
"""Central differences of order eight."""

SHIFT, SPEED = 1e-2, 3e-5
"""Steps in q [m, rad], and in v [m/s, rad/s], where friction changes within 0.001."""


def passive_derivatives(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """(nv, nv) each: ∂/∂q on the tangent space and ∂/∂v of `passive_forces`, good to about 1e-10 of the forces.

    Springs and dampers of joints are linear and friction is smooth: differences of order eight leave rounding.
    """

    def shifted(step: Array) -> Array:
        at = model.integrate(q, step)
        return model.passive_forces(at, v)

    return differences(shifted, model.nv, SHIFT), differences(lambda e: model.passive_forces(q, v + e), model.nv, SPEED)


def differences(f: Callable[[Array], Array], nv: int, h: float) -> Array:
    """(n, nv) rates of f, which takes (nv, nv) displacements and gives (nv, n), by differences of order eight."""
    steps = h * np.eye(nv)
    total = np.zeros(1)
    for k, weight in enumerate(WEIGHTS, 1):
        total = total + weight / h * (f(k * steps) - f(-k * steps))
    return total.T
