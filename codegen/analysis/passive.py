"""Which joints have forces of their own: springs, dampers, dry friction."""

from __future__ import annotations

from ..mechanism.elements.joint import Joint


def is_damped(joint: Joint) -> bool:
    """Has dampers or friction."""
    return any(k != 0 for k in (*joint.damping, *joint.friction))


def is_passive(joint: Joint) -> bool:
    """Has springs, dampers or friction."""
    return is_damped(joint) or any(k != 0 for k in joint.stiffness)
