"""Coordinates with bounds: those that joints can meet."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from ..abi import Manifest
from ..arguments import Array
from ..errors import ModelError
from ..kinds import KINDS

BEYOND = 1e-9
"""By what a rest may be beyond a limit [m, rad]."""


def has_limits(manifest: Manifest) -> bool:
    """A joint has bounds that its coordinates can meet."""
    bounds = (x for j in (*manifest.joints, *manifest.loops) if j.nq == j.nv for x in (*j.lower, *j.upper))
    return any(math.isfinite(x) for x in bounds)


class Bounded(NamedTuple):
    """A coordinate with bounds (of cut joints past the ends of q and v), and its joint; rows of limits stand so."""

    name: str
    q: int
    v: int
    lower: float
    upper: float


def bounded_coordinates(manifest: Manifest) -> tuple[Bounded, ...]:
    found = (
        Bounded(j.name, q + j.q_start + i, v + j.v_start + i, j.lower[i], j.upper[i])
        for q, v, joints in ((0, 0, manifest.joints), (manifest.nq, manifest.nv, manifest.loops))
        for j in joints
        if j.nq == j.nv
        for i in range(j.nv)
    )
    return tuple(one for one in found if math.isfinite(one.lower) or math.isfinite(one.upper))


def require_rest_within(manifest: Manifest, at: Array, held: Collection[int]) -> None:
    """ModelError if a joint that is not held is beyond its limits in coordinates `at`, those of cut joints at their
    end; a turn may bring angles in loops between theirs."""
    winding = {manifest.nq + j.q_start + i for j in manifest.loops if j.nv for i in KINDS[j.kind].winding}
    for bounded in bounded_coordinates(manifest):
        turns = 2 * np.pi * np.array([0.0, 1.0, -1.0] if bounded.q in winding else [0.0])
        beyond = np.maximum(bounded.lower - at[bounded.q] - turns, at[bounded.q] + turns - bounded.upper)
        if bounded.v not in held and beyond.min() > BEYOND:
            raise ModelError(
                f"model '{manifest.name}': joint '{bounded.name}' would rest at {at[bounded.q]:.5g}, beyond its limits "
                f"{bounded.lower:.5g} and {bounded.upper:.5g}: start elsewhere, put it on its limit and hold it there "
                "(hold=[...]), or give limits=False"
            )
