"""Cut joints whose angles wind up: which of their coordinates are angles, and bounds that tell how often one turned."""

from __future__ import annotations

from dataclasses import replace

from kinegen.runtime.kinds import KINDS

from ...mechanism.mechanism import Mechanism
from ..limits import Limit, joint_limits
from .closure import Closure


def cut_limits(mechanism: Mechanism, closure: Closure) -> tuple[Limit, ...]:
    """Bounded coordinates of the tree, then of the cut joints."""
    return joint_limits(mechanism.tree, closure.cut, closure.flags)


def cut_angles(closure: Closure) -> tuple[int, ...]:
    """Cut coordinates that are angles; a helical joint's follows from its shift."""
    return tuple(body.q_start + i for body in closure.cut for i in KINDS[body.joint.kind].winding)


def winding_bounds(mechanism: Mechanism, closure: Closure) -> tuple[Limit, ...]:
    """Bounds of such angles, with their places among the cut coordinates."""
    nq, angles = mechanism.tree.nq, cut_angles(closure)
    limits = cut_limits(mechanism, closure)
    return tuple(replace(limit, q=limit.q - nq) for limit in limits if limit.q - nq in angles)
