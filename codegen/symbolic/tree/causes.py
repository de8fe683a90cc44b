"""Torque by cause (§4): what it is made of, linear in the size of the tree, and all terms of one joint."""

from __future__ import annotations

from collections.abc import Sequence

from kinegen.runtime.errors import ModelError

from ...mechanism.mechanism import Mechanism
from ...program.tape import Scalar
from ...program.types import Function
from ..vector import Vec, let_vec
from ..workbench import Rows, Workbench, written
from .kinematics import Place, center, cog_bias, cog_jacobian, links, places, world_axis, world_inertia
from .segments import Segment


def cause_parts(mechanism: Mechanism) -> Function:
    """Per motion axis: `axes` [z; l; p] and `rotors`; per link: `centers`, `inertias`, `masses`, `drift` = Ġv.

    World axes, true inertial data; rows of drift are [p̈_G; ω̇] at v̇ = 0, rotors are armatures felt at the axis.
    """
    title = "axes, mass centres, inertias and accelerations of the velocities, world axes"
    return written(mechanism, "cause_parts", title, _write)


def _write(w: Workbench) -> None:
    _, v = w.q, w.v
    at, carried = places(w.true), links(w.true)
    axes = []
    for segment, place in zip(w.true, at, strict=True):
        for column in segment.columns:
            angular, linear = world_axis(column, place, segment.name)
            axes += [*(angular * column.factor), *(linear * column.factor), *place.p]
    rotors = [rotor for segment in w.true for rotor in _rotors(w, segment)]
    w.tape.output("axes", (len(rotors), 9), axes)
    w.tape.output("rotors", (len(rotors),), rotors)
    w.tape.output("centers", (len(carried), 3), (e for i in carried for e in center(w.true[i], at[i])))
    w.tape.output("inertias", (len(carried), 3, 3), (e for i in carried for e in world_inertia(w.true[i], at[i])))
    w.tape.output("masses", (len(carried),), (w.true[i].inertia.m for i in carried))
    w.tape.output("drift", (6 * len(carried),), cog_bias(w.true, v))


def torque_terms(mechanism: Mechanism, joint: str) -> Function:
    """Output `terms` (dofs of the joint, N, 3): its torque by link and cause as one straight-line function.

    Causes: acceleration, centrifugal and Coriolis, gravity. ModelError for a joint without coordinates of its own.
    """
    body = next((b for b in mechanism.tree.bodies if b.joint.name == joint and b.nv), None)
    if body is None:
        known = f"it has: {', '.join(b.joint.name for b in mechanism.tree.bodies if b.nv)}"
        if leader := mechanism.tree.followers.get(joint):
            known = f"it follows '{leader}'"
        raise ModelError(f"mechanism '{mechanism.name}' has no joint '{joint}' that moves by itself; {known}")
    dofs = range(body.v_start, body.v_start + body.nv)
    return written(mechanism, "torque_terms", f"torque of {joint} by link and cause", lambda w: _terms(w, dofs))


def _terms(w: Workbench, dofs: range) -> None:
    _, v, a = w.q, w.v, w.a
    G, drift, at = cog_jacobian(w.true, w.nv), cog_bias(w.true, v), places(w.true)
    carried = links(w.true)
    entries = {
        (dof, k): _causes(w, G[6 * k : 6 * k + 6], drift[6 * k : 6 * k + 6], i, at[i], dof)
        for k, i in enumerate(carried)
        for dof in dofs
    }
    for i, segment in enumerate(w.true):
        link = next(k for k, carrier in enumerate(carried) if carrier >= i)  # a universal joint's middle: its link
        for column, rotor in zip(segment.columns, _rotors(w, segment), strict=True):
            if column.index in dofs:
                first, *rest = entries[column.index, link]
                entries[column.index, link] = [first + rotor * a[column.index], *rest]
    count = len(carried)
    w.tape.output("terms", (len(dofs), count, 3), (e for dof in dofs for k in range(count) for e in entries[dof, k]))


def _rotors(w: Workbench, segment: Segment) -> list[Scalar]:
    """Armature of each axis, felt at its dof; a follower has its own, which the tree gives to its leader."""
    armatures = [column.armature for column in segment.columns]
    if segment.link is not None and len(armatures) == 1:  # of others none leads or follows
        joint = w.mechanism.joint(w.mechanism.tree.bodies[segment.link].joint.name)
        armatures = [w.tape.number(joint.armature[-1])]
    return [own * (c.factor * c.factor) for own, c in zip(armatures, segment.columns, strict=True)]


def _causes(w: Workbench, G: Rows, drift: Sequence[Scalar], i: int, at: Place, dof: int) -> list[Scalar]:
    """[acceleration, centrifugal, gravity] of one link at one dof: its wrench along the dof's column of G_i."""
    segment, tape = w.true[i], w.tape
    linear, angular = (Vec(*(row[dof] for row in G[part])) for part in (slice(0, 3), slice(3, 6)))
    if linear.is_zero and angular.is_zero:
        return [tape.zero] * 3
    m, inertia = segment.inertia.m, world_inertia(segment, at)

    def times(rows: Rows, x: Sequence[Scalar]) -> Vec:
        return Vec(*(tape.let(sum((g * e for g, e in zip(row, x, strict=True)), tape.zero), "Gx") for row in rows))

    spin = times(G[3:], w.v)
    turning = let_vec(inertia.apply(spin), "Iw")
    accelerated = linear.dot(times(G[:3], w.a) * m) + angular.dot(inertia.apply(times(G[3:], w.a)))
    turned = let_vec(inertia.apply(Vec(*drift[3:])) + spin.cross(turning), "N")
    drifted = linear.dot(Vec(*drift[:3]) * m) + angular.dot(turned)
    return [tape.let(e, "t") for e in (accelerated, drifted, -(linear.dot(w.gravity) * m))]
