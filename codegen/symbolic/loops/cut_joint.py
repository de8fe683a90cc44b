"""The cut joint itself: its pose, twist and axes, and the closure in the form of the paper, cut joints included (§8).

F, P, C and o as in `closure`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from kinegen.runtime.kinds import FLIGHT, KINDS, PLANE, SCREW, SLIDE, TURN, Step

from ...mechanism.algebra import cross, dot
from ...mechanism.elements.joint import Joint
from ...mechanism.types import Number
from ...program.tape import Scalar
from ..tree.kinematics import Place
from ..tree.segments import Segment, reaxis
from ..vector import Mat, Vec, identity, let_mat, let_vec, unit, vec, zero
from .closure import (
    Loop,
    drift,
    end_axes,
    gathered,
    inverse_norm,
    joint_hint,
    places_in_child,
    twist_columns,
)
from .rolling import arm_rate

LOCK = 1e-9  # sine of the angle between the first and the last of three axes below which they count as parallel


def user_frames(loop: Loop) -> tuple[Mat, Mat]:
    """Constant rotations from F to the user's joint frame on P, and from the re-axed frame on C to the user's."""
    tape = loop.p.x.tape
    first, second = (reaxis(axis, tape) if axis else identity(tape) for axis in end_axes(loop.joint))
    return first, second


def relative_pose(loop: Loop) -> list[Scalar]:
    """(12) rows of [R | p] of C's joint frame in P's, both as the user gave them."""
    first, second = user_frames(loop)
    R, p = first @ loop.R @ second.T, first.apply(loop.p)
    return [entry for i in range(3) for entry in (*R.rows[i], p[i])]


def cut_twist(chain: Sequence[Segment], loop: Loop, nv: int) -> list[list[Scalar]]:
    """(6, nv) twist [linear; angular] of C's joint frame relative to P, in the axes of C's joint frame."""
    back = let_mat(user_frames(loop)[1] @ loop.R.T, f"Rc_{joint_hint(loop.joint)}")
    columns = [(c, [*back.apply(linear), *back.apply(z)]) for c, linear, z in twist_columns(chain, loop)]
    return gathered(loop.p.x.tape, columns, nv)


def is_plain(joint: Joint) -> bool:
    """Its velocities are parts of its twist along axes that rest in C, orthogonal ones if there are several."""
    kind = KINDS[joint.kind]
    return len(kind.turns) < 2 and len(joint.directions) < 3


def twist_in_child(chain: Sequence[Segment], loop: Loop, nv: int) -> list[list[Scalar]]:
    """`cut_twist` by places in C: what moves C alone is nearly constant there."""
    at, back = places_in_child(chain, loop), user_frames(loop)[1]
    columns = []
    for side, sign in ((loop.parent_path, -1.0), (loop.child_path, 1.0)):
        for i in side:
            for column in chain[i].columns:
                z = let_vec(at[i].R.apply(column.angular), f"z_{chain[i].name}")
                linear = at[i].R.apply(column.linear) + at[i].p.cross(z)
                rate = column.factor * sign
                columns.append((column, [*back.apply(linear * rate), *back.apply(z * rate)]))
    return gathered(loop.p.x.tape, columns, nv)


def cut_rates(chain: Sequence[Segment], loop: Loop, nv: int, in_child: bool) -> list[list[Scalar]]:
    """(nv_j, nv) velocities of a plain cut joint per v, in the layout of its kind; by places in C or in F."""
    twist = (twist_in_child if in_child else cut_twist)(chain, loop, nv)
    kind, tape = KINDS[loop.joint.kind], loop.p.x.tape
    rows = []
    for step in kind.steps:
        if step.motion in (SLIDE, TURN, SCREW):
            axis = [tape.number(x) for x in loop.joint.directions[step.axis]]
            part = twist[:3] if step.motion == SLIDE else twist[3:]
            rows.append([tape.let(sum((a * x for a, x in zip(axis, column, strict=True)), tape.zero), "rate")
                         for column in zip(*part, strict=True)])  # fmt: skip
    of_group = {"": [], "se2": [*twist[:2], twist[5]], "so3": twist[3:], "se3": twist}
    return rows + of_group[kind.group]


def cut_axes(loop: Loop) -> list[tuple[Vec, Vec]]:
    """(linear, angular) of each axis of the cut joint in F axes, at o."""
    kind = KINDS[loop.joint.kind]
    turns = iter(turn_axes(loop))
    return [axis for step in kind.steps for axis in _axes_of(loop, step, turns)]


def _axes_of(loop: Loop, step: Step, turns: Iterator[Vec]) -> list[tuple[Vec, Vec]]:
    tape, motion = loop.p.x.tape, step.motion
    o, z = zero(tape), unit(tape, 2)
    if motion == TURN:
        return [(o, next(turns))]
    if motion == SLIDE:
        return [(z if KINDS[loop.joint.kind].ends else vec(tape, loop.joint.directions[step.axis]), o)]
    if motion == SCREW:
        return [(z * loop.pitch, z)]
    R = let_mat(loop.R @ user_frames(loop)[1].T, f"Rv_{joint_hint(loop.joint)}")
    child = [R.column(i) for i in range(3)]
    if motion == PLANE:
        return [(child[0], o), (child[1], o), (o, z)]
    if loop.rim:  # about the point of contact
        return [(let_vec(loop.rim.arm.cross(axis), "l"), axis) for axis in child]
    return [(axis, o) for axis in child if motion == FLIGHT] + [(o, axis) for axis in child]


def cut_efforts(loop: Loop) -> list[tuple[Vec, Vec]]:
    """(force, moment) on C at its joint's frame, F axes, per unit of what acts along each velocity of the cut joint, as
    these velocities are read from the twist: by its angular part alone where the joint turns."""
    tape, kind, axes = loop.p.x.tape, KINDS[loop.joint.kind], cut_axes(loop)
    o = zero(tape)
    if kind.group:
        return [(o, angular) if not angular.is_zero else (linear, o) for linear, angular in axes]
    moments = iter(_turn_duals(loop))
    return [
        (vec(tape, dual_direction(loop.joint, step.axis)) if len(axes) == 3 else linear, o)
        if step.motion == SLIDE
        else (o, next(moments))
        for step, (linear, _) in zip(kind.steps, axes, strict=True)
    ]


def _turn_duals(loop: Loop) -> list[Vec]:
    """Moments that act along one of the turns of a cut joint each, F axes: m_i · z_j is 1 if i = j, else 0."""
    axes = turn_axes(loop)
    if len(axes) == 3:
        sides, k = _across_pairs(loop, (axes[0], axes[1], axes[2]))
        return [let_vec(side * k, "m") for side in sides]
    if len(axes) == 2:
        k = inverse_norm(loop) * inverse_norm(loop)
        return [let_vec((a - b * loop.slant) * k, "m") for a, b in (axes, axes[::-1])]
    return [unit(loop.p.x.tape, 2)]


def dual_direction(joint: Joint, axis: int) -> Sequence[Number]:
    """What a place or velocity is multiplied with for its part along one direction: of three, the dual basis."""
    axes = joint.directions
    if len(axes) < 3:
        return axes[axis]
    normal = cross(axes[(axis + 1) % 3], axes[(axis + 2) % 3])
    return [x / dot(axes[axis], normal) for x in normal]


def turn_axes(loop: Loop) -> list[Vec]:
    """Axes of the turns of the cut joint in F axes, in sequence."""
    tape, kind = loop.p.x.tape, KINDS[loop.joint.kind]
    if len(kind.turns) < 3:
        return [unit(tape, 2), loop.R.column(2)][: len(kind.turns)]
    first, _, last = (vec(tape, axis) for axis in loop.joint.directions)
    last = let_vec(loop.R.apply(last), f"z_{joint_hint(loop.joint)}")
    return [first, _middle(loop, first, last), last]


def _middle(loop: Loop, first: Vec, last: Vec) -> Vec:
    """The second axis n of three turns about a, b, c, from the places of the other two: n·a = a·b, n·c' = b·c, |n| = 1.

    n = fa a + fc c' + fw a × c', on the side where n·(c' × a) has the sign that it has in the neutral position: the
    second angle lies between the two positions at which the three axes lie in one plane. n is 0 if a is parallel to c'.
    """
    tape = first.x.tape
    a, b, c = loop.joint.directions
    ab, bc = tape.number(dot(a, b)), tape.number(dot(b, c))
    s, across = tape.let(first.dot(last), "cos"), let_vec(first.cross(last), "across")
    k = tape.reciprocal(tape.call("fmax", across.dot(across), tape.constant(LOCK**2)), "k")
    fa, fc = tape.let((ab - bc * s) * k, "k"), tape.let((bc - ab * s) * k, "k")
    rest = tape.call("fmax", (tape.one - fa * ab - fc * bc) * k, tape.zero)
    fw = tape.call("sqrt", rest) * handed(loop)
    return let_vec(first * fa + last * fc + across * tape.let(fw, "k"), "n")


def handed(loop: Loop) -> Scalar:
    """Sign of a·(c × b) of the axes of three turns."""
    tape = loop.p.x.tape
    a, b, c = loop.joint.directions
    volume = tape.number(dot(b, cross(a, c)))
    if volume.constant is None:
        return tape.call("copysign", tape.one, volume)
    return tape.constant(math.copysign(1.0, volume.constant))


def paper_jacobian(chain: Sequence[Segment], every: Sequence[Loop], at: Sequence[Place], nv: int) -> list[list[Scalar]]:
    """J_C (6L, N_J): twist of the virtual link minus twist of its real link at o, world axes [N98 (5)(6)].

    Columns: the tree, then the cut joints in the order of the loops.
    """
    tape = chain[0].p.x.tape
    total = sum(len(cut_axes(loop)) for loop in every)
    start, rows = nv, []
    for loop in every:
        F = world_frame(loop, at)
        columns = [(c, [-e for e in (*F.apply(u), *F.apply(z))]) for c, u, z in twist_columns(chain, loop)]
        block = [row + [tape.zero] * total for row in gathered(tape, columns, nv)]
        for k, (linear, angular) in enumerate(cut_axes(loop)):
            for row, entry in enumerate((*F.apply(linear), *F.apply(angular))):
                block[row][start + k] = tape.let(entry, "J")
        start += len(cut_axes(loop))
        rows += block
    return rows


def world_frame(loop: Loop, at: Sequence[Place]) -> Mat:
    """Rotation from F to world axes."""
    R = loop.parent_end[0]
    return R if loop.parent < 0 else let_mat(at[loop.parent].R @ R, f"RF_{joint_hint(loop.joint)}")


def paper_bias(chain: Sequence[Segment], loop: Loop, at: Sequence[Place], v: Sequence[Scalar]) -> list[Scalar]:
    """(6) J̇_C θ̇_J in world axes: loop acceleration with θ̈_J = 0, cut joint included [N98 §2.3].

    In C's axes the cut joint's axes rest, so that  ė = −R_F (ṫ − Δω × t), but of several turns only the last:
    + Σ_{j<k} z_j × z_k θ̇_j θ̇_k.
    """
    tape, move, F = loop.p.x.tape, drift(chain, loop, v), world_frame(loop, at)
    linear = move.w.cross(move.u) - move.du
    if loop.rim:  # the axes of what rolls go through the point of contact, l = ρ × t
        linear = arm_rate(loop.rim, move.w).cross(move.w) - move.du
    angular = -move.dw
    if len(KINDS[loop.joint.kind].turns) == 3:
        angular = angular + _gimbal_bias(loop, move.w)
    if KINDS[loop.joint.kind].crossed:
        z1, z2 = unit(tape, 2), loop.R.column(2)
        scale = inverse_norm(loop)
        rate = tape.let((move.w.dot(z1) - loop.slant * move.w.dot(z2)) * tape.let(scale * scale, "k"), "rate")
        angular = angular + let_vec(z1.cross(move.w), "dz") * rate
    return [*F.apply(let_vec(linear, "e")), *F.apply(let_vec(angular, "e"))]


def _gimbal_bias(loop: Loop, w: Vec) -> Vec:
    """z₁ × z₂ θ̇₁ θ̇₂ + (z₁ θ̇₁ + z₂ θ̇₂) × z₃ θ̇₃ of three turns with the relative angular velocity w = Σ z_k θ̇_k."""
    z1, z2, z3 = turn_axes(loop)
    sides, k = _across_pairs(loop, (z1, z2, z3))
    rates = [w.x.tape.let(w.dot(side) * k, "rate") for side in sides]
    return let_vec(z1.cross(z2) * (rates[0] * rates[1]) + w.cross(z3) * rates[2], "dz")


def _across_pairs(loop: Loop, axes: tuple[Vec, Vec, Vec]) -> tuple[list[Vec], Scalar]:
    """What is across each pair of the axes of three turns, and k = 1/(z₁·(z₂ × z₃)), finite where they lie in one
    plane: k times these is dual to the axes."""
    tape, (z1, z2, z3) = loop.p.x.tape, axes
    volume = tape.call("fmax", z2.dot(z3.cross(z1)) * handed(loop) * -1.0, tape.constant(LOCK))
    k = tape.let(tape.reciprocal(volume, "k") * handed(loop) * -1.0, "k")
    return [z2.cross(z3), z3.cross(z1), z1.cross(z2)], k
