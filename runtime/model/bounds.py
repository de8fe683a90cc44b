"""Coordinates with bounds: those that joints can meet."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..abi import Manifest


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
