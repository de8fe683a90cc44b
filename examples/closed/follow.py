"""States of a closed mechanism whose independent joints follow a given motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import kinegen as kg

Array = NDArray[np.float64]


@dataclass(frozen=True)
class States:
    """t (n) [s], q (n, nq), v (n, nv), a (n, nv): all on the closure."""

    t: Array
    q: Array
    v: Array
    a: Array


@dataclass(frozen=True)
class Target:
    """Coordinates (n, nq_j), velocities and accelerations (n, nv_j) of one joint."""

    q: Array
    v: Array
    a: Array


def follow(model: kg.Model, start: Array, t: Array, targets: Mapping[str, Target]) -> States:
    """The motion of all joints; `model` is led by the joints of `targets` (`Model.with_independent`).

    The branch of the closure is that of `start` (nq) and is followed from one moment to the next.
    """
    q = np.empty((len(t), model.nq))
    v, a = np.zeros((2, len(t), model.nv))
    now = np.array(start)
    for name, target in targets.items():
        v[:, model.v_slice(name)], a[:, model.v_slice(name)] = target.v, target.a
    for k in range(len(t)):
        for name, target in targets.items():
            now[model.q_slice(name)] = target.q[k]
        now = model.assemble(now, hold=tuple(targets))
        q[k] = now
    return States(t, q, *model.dependent_motion(q, v, a))


def angle(x: Array, dx: Array, ddx: Array) -> Target:
    """A joint of one coordinate: x (n) and its rates."""
    return Target(x[:, None], dx[:, None], ddx[:, None])


def swing(t: Array, middle: float, amplitude: float, period: float) -> Target:
    """middle + amplitude cos(2π t/period): at rest at the start."""
    rate = 2 * np.pi / period
    x, dx = np.cos(rate * t), -rate * np.sin(rate * t)
    return angle(middle + amplitude * x, amplitude * dx, -(rate**2) * amplitude * x)
