"""A joint described from its other side: parent and child change places, the motion stays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kinegen.runtime.errors import ModelError

from ..algebra import negate
from ..elements.joint import Joint
from ..types import NEUTRAL, WORLD

ONE_AXIS = ("revolute", "continuous", "prismatic", "helical", "cylindrical")


def reverse(joint: Joint) -> Joint:
    """The same joint with parent and child exchanged.

    q keeps its meaning for kinds with one axis: J(q)⁻¹ is J(q) about the opposite axis. A universal joint's two angles
    (and what belongs to them) change places, as (R(a, q1) R(b, q2))⁻¹ = R(-b, q2) R(-a, q1); a spherical joint's
    quaternion is conjugated. ModelError for planar and free joints with a spring.
    """
    if joint.parent == WORLD:
        raise ModelError(f"joint '{joint.name}' cannot be turned round: '{WORLD}' would be the child")
    ends: dict[str, Any] = {
        "parent": joint.child,
        "child": joint.parent,
        "origin": joint.child_origin,
        "child_origin": joint.origin,
    }
    if joint.kind == "fixed":
        return replace(joint, **ends)
    if joint.kind in ONE_AXIS:
        return replace(joint, axis=negate(joint.axis), **ends)
    if joint.kind == "universal":
        per_angle = ("limits", "velocity_limit", "effort_limit", "damping", "stiffness", "rest", "friction", "armature")
        swapped: dict[str, Any] = {option: getattr(joint, option)[::-1] for option in per_angle}
        return replace(joint, axis=negate(joint.axis2), axis2=negate(joint.axis), **swapped, **ends)
    if joint.kind == "spherical":
        x, y, z, w = joint.rest
        return replace(joint, rest=(*negate((x, y, z)), w), **ends)
    if joint.rest == NEUTRAL[joint.kind] and not any(joint.stiffness):
        return replace(joint, **ends)
    raise ModelError(f"joint '{joint.name}' ({joint.kind}) has a spring and cannot be turned round")
