"""A joint described from its other side: parent and child change places, the motion stays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import BALL, KINDS, Kind

from ..algebra import negate
from ..elements.joint import Joint
from ..types import NEUTRAL, WORLD

IN_CHILD_AXES = ("damping", "stiffness", "friction", "armature")
"""What acts along the entries of v, which a ball and planar and free joints have in axes of the child."""

PER_ENTRY = (
    *("limits", "velocity_limit", "effort_limit", "damping", "stiffness"),
    *("rest", "start", "friction", "armature", "motion"),
)


def reverse(joint: Joint) -> Joint:
    """The same joint with parent and child exchanged.

    q keeps its meaning for motions that commute: J(q)⁻¹ is J(q) along the opposite axes. The angles of several turns
    (and what belongs to them) change places, as (R(a, q1) R(b, q2))⁻¹ = R(-b, q2) R(-a, q1); a spherical joint's
    quaternion is conjugated. ModelError for what rolls, and where forces would be along other axes than before, since
    v stands in axes of the child: for balls with springs, dampers, friction or armature that differ from axis to axis,
    for planar and free joints with any of these, or with a start.
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
        _require_alike(joint)
        x, y, z, w = joint.rest
        start = (*(-c for c in joint.start[:3]), *joint.start[3:])
        return replace(joint, rest=(*negate((x, y, z)), w), start=start, **ends)
    acting = [option for option in IN_CHILD_AXES if any(getattr(joint, option))]
    if joint.rest == NEUTRAL[joint.kind] and not acting and not joint.start:
        return replace(joint, **ends)
    what = " and ".join(acting) or "a start"
    raise ModelError(f"joint '{joint.name}' ({joint.kind}) has {what} and cannot be turned round")


def _require_alike(ball: Joint) -> None:
    """ModelError for a ball whose forces would not be the same in axes of its other side."""
    for option in IN_CHILD_AXES:
        if len(set(getattr(ball, option))) > 1:
            what = f"joint '{ball.name}' ({ball.kind}) cannot be turned round: its {option}"
            raise ModelError(f"{what} differs from axis to axis, and the axes would be those of the other link")


def _opposite(kind: Kind, joint: Joint) -> dict[str, Any]:
    """The options that set the axes, for the inverse motion."""
    axes = [negate(axis) for axis in joint.directions]
    if len(kind.turns) > 1:
        axes.reverse()
    options = [option for option in kind.options if option.startswith("ax")]
    return {"axes": axes} if options == ["axes"] else dict(zip(options, axes, strict=True))
