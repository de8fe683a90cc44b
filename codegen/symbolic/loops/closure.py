"""Closed loops: residual, Jacobian and acceleration bias of every cut joint (§8) [N98 §2.2–2.3].

A loop is cut at one joint between link P (parent side) and link C (child side). F is the joint's frame on P, its z the
joint's axis; o is the origin of the joint's frame on C. All rows are written in the axes of F, six a loop:
[linear x y z; angular x y z] of C relative to P at o. Rows along the joint's free directions are zero (the cut joint is
eliminated); what moves P and C alike never appears.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.runtime.kinds import KINDS

from ...mechanism.elements.joint import Joint
from ...mechanism.mechanism import Mechanism
from ...mechanism.pose import Pose
from ...mechanism.types import Vector
from ...program.tape import Scalar, Tape
from ..names import identifier
from ..tree.kinematics import Place, path
from ..tree.rnea import Motion, moved, world_motion
from ..tree.segments import Column, Segment, pose, reaxis
from ..vector import Mat, Vec, identity, let_mat, let_vec, unit, zero
from .rolling import Rim, arm_rate, rim_of

TURNS = {3, 4, 5}


@dataclass(frozen=True)
class Loop:
    """One cut joint on the tape: `at` holds the places of its segments in F, `R`, `p` the pose of C's joint frame;
    `rim`: of what rolls."""

    joint: Joint
    parent: int
    parent_path: tuple[int, ...]
    child_path: tuple[int, ...]
    at: dict[int, Place]
    parent_end: tuple[Mat, Vec]
    child_end: tuple[Mat, Vec]
    R: Mat
    p: Vec
    slant: Scalar
    pitch: Scalar
    rim: Rim | None


def loops(mechanism: Mechanism, chain: Sequence[Segment]) -> list[Loop]:
    """All loops of the mechanism, in the order of its virtual links."""
    return [loop_at(mechanism, chain, i) for i in range(len(mechanism.virtual_links))]


def loop_at(mechanism: Mechanism, chain: Sequence[Segment], index: int) -> Loop:
    """One loop of the mechanism."""
    carrier = {link_name(mechanism, segment): i for i, segment in enumerate(chain) if segment.link is not None}
    virtual = mechanism.virtual_links[index]
    chain[0].p.x.tape.section(f"loop {virtual.joint.name}")
    return _loop(chain, virtual.joint, carrier.get(virtual.joint.parent, -1), carrier.get(virtual.real, -1))


def link_name(mechanism: Mechanism, segment: Segment) -> str:
    return mechanism.tree.bodies[segment.link].link.name if segment.link is not None else ""


def _loop(chain: Sequence[Segment], joint: Joint, parent: int, child: int) -> Loop:
    tape = chain[0].p.x.tape
    up, down = path(chain, parent), path(chain, child)
    while up and down and up[0] == down[0]:  # what both sides share moves neither against the other
        up, down = up[1:], down[1:]
    top = chain[up[0]].parent if up else (chain[down[0]].parent if down else parent)
    first, second = (reaxis(axis, tape) if axis else None for axis in end_axes(joint))
    parent_end = _end(chain, parent, joint, joint.origin, first)
    child_end = _end(chain, child, joint, joint.child_origin, second)
    at = _places(chain, up, down, top, parent, parent_end)
    end_R, end_p = child_end
    place = at[child]
    R = let_mat(place.R @ end_R, f"R_{joint_hint(joint)}")
    p = let_vec(place.p + place.R.apply(end_p), f"p_{joint_hint(joint)}")
    slant = (first.T @ second)[2, 2] if first and second and KINDS[joint.kind].crossed else tape.one
    pitch = tape.number(joint.pitch)
    rim = rim_of(joint.wheel, R, joint_hint(joint)) if joint.wheel else None
    return Loop(joint, parent, tuple(up), tuple(down), at, parent_end, child_end, R, p, slant, pitch, rim)


def joint_hint(joint: Joint) -> str:
    return identifier(joint.name)


def end_axes(joint: Joint) -> tuple[Vector | None, Vector | None]:
    """The axes of a cut joint that are z of its frames on both sides; None: the user's frames."""
    ends = KINDS[joint.kind].ends
    return (joint.directions[ends[0]], joint.directions[ends[1]]) if ends else (None, None)


def _end(chain: Sequence[Segment], i: int, joint: Joint, origin: Pose, turn: Mat | None) -> tuple[Mat, Vec]:
    """Pose in segment i (world: -1) of the joint's frame on that side, z along the joint's axis."""
    tape = chain[0].p.x.tape
    R, p = pose(tape, origin)
    if turn:
        R = R @ turn
    if i >= 0:
        R, p = chain[i].link_R @ R, chain[i].link_R.apply(p) + chain[i].link_p
    return let_mat(R, f"Re_{joint_hint(joint)}"), let_vec(p, f"pe_{joint_hint(joint)}")


def _places(
    chain: Sequence[Segment], up: list[int], down: list[int], top: int, parent: int, parent_end: tuple[Mat, Vec]
) -> dict[int, Place]:
    """Places in F: from P up to the segment that both sides share, then down to C."""
    R, p = parent_end
    at = {parent: Place(R.T, let_vec(-R.T.apply(p), "p_end"))}
    for i in reversed(up):  # X_parent = X_i (R_i, p_i)⁻¹
        segment, place = chain[i], at[i]
        R_up = let_mat(place.R @ segment.R.T, f"R_{segment.name}_up")
        at[segment.parent] = Place(R_up, let_vec(place.p - R_up.apply(segment.p), f"p_{segment.name}_up"))
    if top not in at:
        tape = chain[0].p.x.tape
        at[top] = Place(identity(tape), zero(tape))
    for i in down:
        segment, place = chain[i], at[chain[i].parent]
        R_down = let_mat(place.R @ segment.R, f"R_{segment.name}")
        at[i] = Place(R_down, let_vec(place.p + place.R.apply(segment.p), f"p_{segment.name}"))
    return at


def places_in_child(chain: Sequence[Segment], loop: Loop) -> dict[int, Place]:
    """Places in the joint's frame on C, z along the joint's axis, of the segments that `loop.at` has."""
    up, down = list(loop.child_path), list(loop.parent_path)
    top = chain[(up or down)[0]].parent if up or down else loop.parent
    return _places(chain, up, down, top, up[-1] if up else top, loop.child_end)


def residual(loop: Loop) -> list[Scalar]:
    """(6) gap of the loop in F [m, rad]; to first order its rate is J v, but what rolls has a height alone."""
    tape, R, p = loop.p.x.tape, loop.R, loop.p
    if loop.rim:
        return [tape.zero, tape.zero, tape.let(p.z + loop.rim.arm.z, "height"), tape.zero, tape.zero, tape.zero]
    kind = KINDS[loop.joint.kind]
    if set(kind.locked) >= TURNS:
        turn = Vec(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) * 0.5
    else:  # z of C's frame against z of F
        turn = Vec(-R[1, 2], R[0, 2], tape.zero)
    rows = [*p, *turn]
    if kind.crossed:
        rows[5] = (loop.slant - R[2, 2]) * inverse_norm(loop)
    if kind.screws:
        rows[2] = p.z - loop.pitch * _screw_angle(loop)
    return _locked(loop, rows)


def _screw_angle(loop: Loop) -> Scalar:
    """The angle of a helical joint: from the rotation, with the turns that the shift along z tells."""
    tape, R = loop.p.x.tape, loop.R
    angle = tape.call("atan2", R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
    turns = tape.call("rint", (loop.p.z * tape.reciprocal(loop.pitch) - angle) * 0.15915494309189535)
    return angle + turns * 6.283185307179586


def inverse_norm(loop: Loop) -> Scalar:
    """1/|z₁ × z₂| of a joint of two turns, a constant of the joint."""
    tape = loop.p.x.tape
    return tape.reciprocal(tape.call("sqrt", tape.one - loop.slant * loop.slant))


def _locked(loop: Loop, rows: Sequence[Scalar]) -> list[Scalar]:
    tape, locked = loop.p.x.tape, KINDS[loop.joint.kind].locked
    return [rows[slot] if slot in locked else tape.zero for slot in range(6)]


def _rows(loop: Loop, linear: Vec, angular: Vec) -> list[Scalar]:
    """The locked rows of a twist of C relative to P; of what rolls, at the point of contact."""
    if loop.rim:
        linear = linear + angular.cross(loop.rim.arm)
    rows = [*linear, *angular]
    if KINDS[loop.joint.kind].crossed:
        rows[5] = across(loop).dot(angular)
    if KINDS[loop.joint.kind].screws:
        rows[2] = linear.z - loop.pitch * angular.z
    return _locked(loop, rows)


def across(loop: Loop) -> Vec:
    """Unit vector across both axes of a joint of two turns, F axes: z₁ × z₂ / |z₁ × z₂| with z₁ = z."""
    tape, R = loop.p.x.tape, loop.R
    scale = inverse_norm(loop)
    return let_vec(Vec(-(R[1, 2] * scale), R[0, 2] * scale, tape.zero), "across")


def twist_columns(chain: Sequence[Segment], loop: Loop) -> list[tuple[Column, Vec, Vec]]:
    """(column, linear, angular): twist of C relative to P at o, F axes, per unit of each motion axis of the loop."""
    found = []
    loop.p.x.tape.section(f"loop {loop.joint.name}")
    for side, sign in ((loop.parent_path, -1.0), (loop.child_path, 1.0)):
        for i in side:
            place = loop.at[i]
            for column in chain[i].columns:
                z = let_vec(place.R.apply(column.angular), f"z_{chain[i].name}")
                arm = let_vec(loop.p - place.p, f"r_{chain[i].name}")
                linear = let_vec(place.R.apply(column.linear) + z.cross(arm), f"l_{chain[i].name}")
                rate = column.factor * sign
                found.append((column, linear * rate, z * rate))
    return found


def gathered(tape: Tape, columns: Sequence[tuple[Column, Sequence[Scalar]]], nv: int) -> list[list[Scalar]]:
    """(6, nv) from the six entries of each motion axis; axes that share a coordinate add up."""
    J = [[tape.zero] * nv for _ in range(6)]
    for column, entries in columns:
        for row, entry in enumerate(entries):
            J[row][column.index] = tape.let(J[row][column.index] + entry, "J")
    return J


def jacobian(chain: Sequence[Segment], loop: Loop, nv: int) -> list[list[Scalar]]:
    """(6, nv) locked rows in F: twist of C relative to P per unit of tree velocity."""
    columns = [(column, _rows(loop, linear, z)) for column, linear, z in twist_columns(chain, loop)]
    return gathered(loop.p.x.tape, columns, nv)


@dataclass(frozen=True)
class _End:
    """Velocity, acceleration, ω and ω̇ of one side's joint frame in F axes."""

    u: Vec
    a: Vec
    w: Vec
    dw: Vec


def _end_motion(
    chain: Sequence[Segment], loop: Loop, side: Sequence[int], end: tuple[Mat, Vec], v: Sequence[Scalar]
) -> _End:
    """Along one side from the shared segment, which counts as fixed; joint accelerations zero."""
    tape = loop.p.x.tape
    if not side:
        nothing = zero(tape)
        return _End(nothing, nothing, nothing, nothing)
    motion: Motion = world_motion(zero(tape))
    u = zero(tape)
    still = [tape.zero] * len(v)
    for i in side:
        segment = chain[i]
        carried = let_vec(u + motion.w.cross(segment.p), f"up_{segment.name}")
        u = let_vec(segment.R.T.apply(carried) + segment.speed(v)[1], f"u_{segment.name}")
        motion = moved(segment, motion, v, still)
    R = loop.at[side[-1]].R
    speed = let_vec(u + motion.w.cross(end[1]), "ue")
    rate = let_vec(motion.a + motion.U.apply(end[1]), "ae")
    hint = joint_hint(loop.joint)
    return _End(
        let_vec(R.apply(speed), f"u_{hint}"),
        let_vec(R.apply(rate), f"a_{hint}"),
        let_vec(R.apply(motion.w), f"w_{hint}"),
        let_vec(R.apply(motion.dw), f"dw_{hint}"),
    )


@dataclass(frozen=True)
class Drift:
    """Relative motion at o in F axes: twist (u, w) and its rate (du, dw) at zero joint acceleration.

    With r = o − o_F:  u = u_C − u_P − ω_P × r,  du = u̇ − ω_P × u,  w = Δω,  dw = Δω̇ − ω_P × Δω.
    """

    u: Vec
    w: Vec
    du: Vec
    dw: Vec


def drift(chain: Sequence[Segment], loop: Loop, v: Sequence[Scalar]) -> Drift:
    """Twist of C relative to P and the rate of its components in F."""
    loop.p.x.tape.section(f"loop {loop.joint.name}, drift")
    P = _end_motion(chain, loop, loop.parent_path, loop.parent_end, v)
    C = _end_motion(chain, loop, loop.child_path, loop.child_end, v)
    r = loop.p
    apart = let_vec(C.u - P.u, "du")
    u = let_vec(apart - P.w.cross(r), "us")
    w = let_vec(C.w - P.w, "dW")
    du = let_vec(C.a - P.a - P.dw.cross(r) - P.w.cross(apart) - P.w.cross(u), "ddu")
    return Drift(u, w, du, let_vec(C.dw - P.dw - P.w.cross(w), "ddW"))


def bias(chain: Sequence[Segment], loop: Loop, v: Sequence[Scalar]) -> list[Scalar]:
    """(6) K̇v in F: rate of the locked rows at zero joint acceleration [N98 (16)]."""
    tape, move = loop.p.x.tape, drift(chain, loop, v)
    rows = _rows(loop, move.du, move.dw)
    if loop.rim:  # the point runs along the tyre:  + Δω × ρ̇
        rows = [
            row + more for row, more in zip(rows, (*move.w.cross(arm_rate(loop.rim, move.w)), *zero(tape)), strict=True)
        ]
    if KINDS[loop.joint.kind].crossed:  # the row itself turns with z₂:  ż₂ = Δω × z₂
        z2 = loop.R.column(2)
        turning = unit(tape, 2).cross(let_vec(move.w.cross(z2), "dz")) * inverse_norm(loop)
        rows[5] = rows[5] + turning.dot(move.w)
    return [tape.let(row, "b") for row in rows]
