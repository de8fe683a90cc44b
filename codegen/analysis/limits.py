"""Bounded coordinates: each is a row that pushes only one way (§11)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..mechanism.structure.tree import Body, SpanningTree


@dataclass(frozen=True)
class Limit:
    """A bounded coordinate: places in q and v (past their ends: in the cut coordinates and velocities), its bounds.

    `flag`: the place in p that tells whether a cut joint is active, -1 if it always is.
    """

    q: int
    v: int
    low: float
    high: float
    flag: int = -1


def joint_limits(tree: SpanningTree, cut: Sequence[Body] = (), flags: Sequence[int] = ()) -> tuple[Limit, ...]:
    """Bounded coordinates of the tree, then of the cut joints; what bounds a mimic joint bounds its leader."""
    found = []
    for body, q, v, flag in (
        *((body, body.q_start, body.v_start, -1) for body in tree.bodies),
        *((body, tree.nq + body.q_start, tree.nv + body.v_start, flags[body.index] if flags else -1) for body in cut),
    ):
        for i in range(body.nv if body.nq == body.nv else 0):
            low, high = body.joint.limits[i]
            if math.isfinite(low) or math.isfinite(high):
                found.append(Limit(q + i, v + i, low, high, flag))
    return tuple(found)
