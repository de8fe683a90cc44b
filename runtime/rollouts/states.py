"""What simulations are given as numbers, and where their states go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arguments import Array


@dataclass(frozen=True)
class Numbers:
    """What simulations are given: `tau` (rows, nv) or (rows, steps, nv), `wrenches` at `place`, (rows, 6 n) or
    (rows, steps, 6 n), parameters `p` (rows, ...); one row is that of all. `gains` (rows, 3 servos): kp, kd and limits
    where they are parameters of which each has its own; (0, 0): the servos' own. `targets` (rows, 1 or steps, ...) of
    servos, likewise."""

    tau: Array
    place: Array
    wrenches: Array
    p: Array
    gains: Array
    targets: Array


@dataclass(frozen=True)
class States:
    """Of B simulations: `q` (B, nq), `v` (B, nv) as they stand after `made` (B) steps; `q_log` (B, T, nq), `v_log`
    (B, T, nv): the first state, then each `every`-th."""

    q: Array
    v: Array
    made: NDArray[np.int64]
    q_log: Array
    v_log: Array
