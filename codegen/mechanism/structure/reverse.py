"""A joint described from its other side: parent and child change places, the motion stays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import BALL, KINDS, Kind

from ..algebra import negate
from ..elements.joint import Joint
from ..types import NEUTRAL, WORLD

PER_ENTRY = (
    *("limits", "velocity_limit", "effort_limit", "damping", "stiffness"),
    *("rest", "start", "friction", "armature", "motion"),
)


def reverse(joint: Joint) -> Joint:
    """The same joint with parent and child exchanged.

    q keeps its meaning for motions that commute: J(q)⁻¹ is J(q) along the opposite axes. The angles of several turns
    (and what belongs to them) change places, as (R(a, q1) R(b, q2))⁻¹ = R(-b, q2) R(-a, q1); a spherical joint's
    quaternion is conjugated. ModelError for planar and free joints with a spring or a start, and for what rolls.
    """
    if joint.parent == WORLD:
        raise ModelError(f"joint '{joint.name}' cannot be turned round: '{WORLD}' would be the child")
    if joint.wheel:
        raise ModelError(f"joint '{joint.name}' rolls and cannot be turned round: its ground is the parent")
    ends: dict[str, Any] = {
        "parent": joint.child,
        "child": joint.parent,
        "origin": joint.child_origin,
        "child_origin": joint.origin,
    }
    kind = KINDS[joint.kind]
    if not kind.group:
        swapped = {option: getattr(joint, option)[::-1] for option in PER_ENTRY} if len(kind.turns) > 1 else {}
        return replace(joint, **_opposite(kind, joint), **swapped, **ends)
    if kind.steps[0].motion == BALL:
        x, y, z, w = joint.rest
        start = (*(-c for c in joint.start[:3]), *joint.start[3:])
        return replace(joint, rest=(*negate((x, y, z)), w), start=start, **ends)
    if joint.rest == NEUTRAL[joint.kind] and not any(joint.stiffness) and not joint.start:
        return replace(joint, **ends)
    raise ModelError(f"joint '{joint.name}' ({joint.kind}) has a spring or a start and cannot be turned round")


def _opposite(kind: Kind, joint: Joint) -> dict[str, Any]:
    """The options that set the axes, for the inverse motion."""
    axes = [negate(axis) for axis in joint.directions]
    if len(kind.turns) > 1:
        axes.reverse()
    options = [option for option in kind.options if option.startswith("ax")]
    return {"axes": axes} if options == ["axes"] else dict(zip(options, axes, strict=True))
