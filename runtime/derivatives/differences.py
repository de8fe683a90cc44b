"""Central differences of order eight, of what is smooth over some hundredths of a metre or a radian."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arguments import Array

WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
"""Of the differences over one to four steps on either side."""

SHIFT = 1e-2
"""Step in q [m, rad] over which the geometry of a mechanism leaves rounding."""


def differences(f: Callable[[Array], Array], nv: int, h: float) -> Array:
    """(n, nv) rates of f, which takes (nv, nv) displacements and gives (nv, n), by differences of order eight."""
    steps = h * np.eye(nv)
    total = np.zeros(1)
    for k, weight in enumerate(WEIGHTS, 1):
        total = total + weight / h * (f(k * steps) - f(-k * steps))
    return total.T
