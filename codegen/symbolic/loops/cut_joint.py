"""The cut joint itself: its pose, twist and axes, and the closure in the form of the paper, cut joints included (§8).

F, P, C and o as in `closure`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...program.tape import Scalar
from ..tree.kinematics import Place
from ..tree.segments import AXIAL, Segment, reaxis
from ..vector import Mat, Vec, identity, let_mat, let_vec, unit, zero
from .closure import Loop, drift, gathered, inverse_norm, joint_hint, twist_columns


def user_frames(loop: Loop) -> tuple[Mat, Mat]:
    """Constant rotations from F to the user's joint frame on P, and from the re-axed frame on C to the user's."""
    tape, joint = loop.p.x.tape, loop.joint
    if joint.kind == "universal":
        return reaxis(joint.axis, tape), reaxis(joint.axis2, tape)
    if joint.kind in AXIAL:
        A = reaxis(joint.axis, tape)
        return A, A
    return identity(tape), identity(tape)


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


def cut_axes(loop: Loop) -> list[tuple[Vec, Vec]]:
    """(linear, angular) of each axis of the cut joint in F axes, at o."""
    tape, kind = loop.p.x.tape, loop.joint.kind
    o, z = zero(tape), unit(tape, 2)
    R = let_mat(loop.R @ user_frames(loop)[1].T, f"Rv_{joint_hint(loop.joint)}")
    child = [R.column(i) for i in range(3)]
    return {
        "fixed": [],
        "revolute": [(o, z)],
        "continuous": [(o, z)],
        "prismatic": [(z, o)],
        "helical": [(z * loop.pitch, z)],
        "cylindrical": [(o, z), (z, o)],
        "universal": [(o, z), (o, loop.R.column(2))],
        "planar": [(child[0], o), (child[1], o), (o, z)],
        "spherical": [(o, axis) for axis in child],
        "free": [(axis, o) for axis in child] + [(o, axis) for axis in child],
    }[kind]


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

    In C's axes the cut joint's axes rest, so that  ė = −R_F (ṫ − Δω × t), and for a universal joint its first axis
    turns against C:  + z₁ × Δω θ̇₁.
    """
    tape, move, F = loop.p.x.tape, drift(chain, loop, v), world_frame(loop, at)
    linear = move.w.cross(move.u) - move.du
    angular = -move.dw
    if loop.joint.kind == "universal":
        z1, z2 = unit(tape, 2), loop.R.column(2)
        scale = inverse_norm(loop)
        rate = tape.let((move.w.dot(z1) - loop.slant * move.w.dot(z2)) * tape.let(scale * scale, "k"), "rate")
        angular = angular + let_vec(z1.cross(move.w), "dz") * rate
    return [*F.apply(let_vec(linear, "e")), *F.apply(let_vec(angular, "e"))]
