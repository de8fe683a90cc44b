"""Which joints have forces of their own: springs, dampers, dry friction."""

from __future__ import annotations

from ..mechanism.elements.joint import Joint
from ..mechanism.structure.tree import SpanningTree


def is_damped(joint: Joint) -> bool:
    """Has dampers or friction."""
    return any(k != 0 for k in (*joint.damping, *joint.friction))


def is_passive(joint: Joint) -> bool:
    """Has springs, dampers or friction."""
    return is_damped(joint) or any(k != 0 for k in joint.stiffness)


def damped_velocities(tree: SpanningTree) -> tuple[int, ...]:
    """Places in v of what has dampers or friction."""
    joints = [(body.joint, body.v_start, body.nv) for body in tree.bodies]
    return tuple(v + i for joint, v, nv in joints for i in range(nv) if joint.damping[i] != 0 or joint.friction[i] != 0)
