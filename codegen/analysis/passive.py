"""Which joints have forces of their own: springs, dampers, dry friction."""

from __future__ import annotations

from kinegen.runtime.kinds import KINDS

from ..mechanism.elements.joint import Joint
from ..mechanism.structure.tree import SpanningTree


def is_damped(joint: Joint) -> bool:
    """Has dampers or friction."""
    return any(k != 0 for k in (*joint.damping, *joint.friction))


def is_passive(joint: Joint) -> bool:
    """Has springs, dampers or friction."""
    return is_damped(joint) or any(k != 0 for k in joint.stiffness)


def added_velocities(tree: SpanningTree) -> tuple[int, ...]:
    """Places in v to whose diagonal of M the end of a step may add: by dampers and friction, or by servos, which every
    joint takes whose coordinates add."""
    taking = [body for body in tree.bodies if is_damped(body.joint) or not KINDS[body.joint.kind].group]
    return tuple(i for body in taking for i in range(body.v_start, body.v_start + body.nv))
