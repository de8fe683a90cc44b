"""Springs, dampers and dry friction of each joint as C statements (mathematics §1, §10)."""

from __future__ import annotations

from collections.abc import Iterator

from kinegen.runtime.thresholds import SLIP_SPEED

from ...mechanism.structure.tree import Body
from .statements import Printer, group_of


def passive(body: Body, number: Printer, lanes: bool = False) -> Iterator[str]:
    """f -= damping v + stiffness displacement + friction v/sqrt(v^2 + slip^2); a mimic's are its leader's already.

    Springs of groups act by the place of `rest` along the child's axes and by the turn to it, each by itself: of these
    there is a potential, of the logarithm of a whole pose there is none. `lanes`: in each lane of vectors.
    """
    joint, q = body.joint, body.q_start
    scalar, held = ("kg_wide", "kg_splat({})") if lanes else ("double", "{}")
    dofs = [body.v_start + i for i in range(body.nv)]
    group = group_of(body)
    if group and _is_sprung(body):
        rest = ", ".join(held.format(number(x)) for x in joint.rest)
        yield "{"
        yield f"    const {scalar} rest[{body.nq}] = {{{rest}}};"
        yield f"    {scalar} x[{body.nv}];"
        yield f"    {group}_offset(q + {q}, rest, x);"
        for i, k in enumerate(joint.stiffness):
            if k != 0:
                yield f"    f[{dofs[i]}] += {number(k)}*x[{i}];"
        yield "}"
    for i, dof in enumerate(dofs):
        if not group and joint.stiffness[i] != 0:
            rest = number(joint.rest[i])
            displacement = f"q[{q + i}]" if joint.rest[i] == 0 else f"(q[{q + i}] - {rest})"
            yield f"f[{dof}] -= {number(joint.stiffness[i])}*{displacement};"
        if joint.damping[i] != 0:
            yield f"f[{dof}] -= {number(joint.damping[i])}*v[{dof}];"
        if joint.friction[i] != 0:
            yield f"f[{dof}] -= {number(joint.friction[i])}*v[{dof}]/{_smooth_speed(dof, lanes)};"


def springs(body: Body, number: Printer) -> Iterator[str]:
    """f = k x: stiffness k, and by what the rest is off q, of groups the place along the child's axes and the turn."""
    joint, q, v = body.joint, body.q_start, body.v_start
    if not _is_sprung(body):
        return
    if group := group_of(body):
        yield "{"
        yield f"    const double rest[{body.nq}] = {{{', '.join(map(number, joint.rest))}}};"
        yield f"    {group}_offset(q + {q}, rest, x + {v});"
        yield "}"
    for i, k in enumerate(joint.stiffness):
        if k != 0:
            yield f"k[{v + i}] = {number(k)};"
        if k != 0 and not group:
            yield f"x[{v + i}] = {number(joint.rest[i])} - q[{q + i}];"


def implicit(body: Body, number: Printer, lanes: bool = False) -> Iterator[str]:
    """d += dt (damping + friction/sqrt(v^2 + slip^2)), the part of the passive forces that acts at the new velocity.

    `lanes`: in each lane of vectors.
    """
    for i, dof in enumerate(body.v_start + i for i in range(body.nv)):
        if body.joint.damping[i] != 0:
            yield f"d[{dof}] += dt*{number(body.joint.damping[i])};"
        if body.joint.friction[i] != 0:
            yield f"d[{dof}] += dt*{number(body.joint.friction[i])}/{_smooth_speed(dof, lanes)};"


def _smooth_speed(dof: int, lanes: bool) -> str:
    return f"{'kg_wide_' * lanes}sqrt(v[{dof}]*v[{dof}] + {SLIP_SPEED**2!r})"


def _is_sprung(body: Body) -> bool:
    return any(k != 0 for k in body.joint.stiffness)
