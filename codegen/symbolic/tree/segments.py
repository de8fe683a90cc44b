"""The mechanism on a tape: one segment per moving frame, re-axed so that every axis is its segment's z (§5)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import sympy

from kinegen.runtime.kinds import BALL, FLIGHT, KINDS, PLANE, SCREW, SLIDE, TURN, Motion, Step

from ...mechanism.mechanism import Mechanism
from ...mechanism.pose import Pose
from ...mechanism.structure.tree import Body
from ...program.tape import Scalar, Tape, snap
from ..names import identifiers
from ..nonzeros import Nonzeros, rotation_with, symmetric_with, vector_with
from ..vector import Mat, Vec, let_mat, let_vec, mat, unit, vec, zero
from .inertia import Inertia, from_com, massless, unfelt

EVEN: Nonzeros = {}
NONE: frozenset[int] = frozenset()

AXIAL = (TURN, SLIDE, SCREW, PLANE)
"""Motions about, along or across an axis, which becomes the segment's z."""


@dataclass(frozen=True)
class Column:
    """One motion axis in segment axes: twist (angular, linear) per unit of `factor` * v[index]."""

    angular: Vec
    linear: Vec
    index: int
    factor: Scalar
    armature: Scalar

    def moved(self, dw: Vec, a: Vec, rate: Scalar, name: str) -> tuple[Vec, Vec]:
        """(ω̇, a) of a frame with this acceleration along the axis besides."""
        return let_vec(dw + self.angular * rate, f"dw_{name}"), let_vec(a + self.linear * rate, f"a_{name}")


@dataclass(frozen=True)
class Segment:
    """A moving frame: pose (R, p) in its parent segment, motion axes, and the inertia it carries.

    `link` is the number of the body (None between the axes of one joint); (link_R, link_p) is the pose of the
    user's link frame in the segment; `com` and `I_com` are the true inertial data in segment axes.
    """

    name: str
    motions: tuple[Motion, ...]
    parent: int
    R: Mat
    p: Vec
    fixed_R: Mat
    fixed_p: Vec
    turn: tuple[Scalar, Scalar] | None
    columns: tuple[Column, ...]
    inertia: Inertia
    link: int | None
    link_R: Mat
    link_p: Vec
    com: Vec
    I_com: Mat

    def speed(self, v: Sequence[Scalar]) -> tuple[Vec, Vec]:
        """(ω_J, v_J): twist of the joint in segment axes for the velocities (or accelerations) v."""
        tape = self.p.x.tape
        angular, linear = zero(tape), zero(tape)
        for column in self.columns:
            rate = v[column.index] * column.factor
            angular, linear = angular + column.angular * rate, linear + column.linear * rate
        return angular, linear


def reaxis(axis: Sequence[object], tape: Tape) -> Mat:
    """Rotation that takes z to the unit vector `axis`; a signed permutation where the axis allows it.

    General axes by the branch-free basis of [Duff17].
    """
    x, y, z = (tape.number(entry) for entry in axis)
    numbers = [entry.constant for entry in (x, y, z)]
    if None in numbers:
        norm = tape.reciprocal(tape.call("sqrt", x * x + y * y + z * z), "k")
        x, y, z = (tape.let(entry * norm, "k") for entry in (x, y, z))
        sign = tape.call("copysign", tape.one, z)
        a = -tape.reciprocal(sign + z, "k")
        b = tape.let(x * y * a, "k")
        first = Vec(tape.one + sign * tape.let(x * x * a, "k"), sign * b, -(sign * x))
        return Mat((first, Vec(b, sign + y * y * a, -y), Vec(x, y, z))).T
    n = [snap(value) for value in numbers if value is not None]
    if abs(n[2]) < 1.0 and sorted(map(abs, n)) == [0.0, 0.0, 1.0]:  # ±x, ±y: cyclic permutation
        k = next(i for i in range(3) if n[i])
        columns = [unit(tape, (k + 1) % 3), unit(tape, (k + 2) % 3) * n[k], unit(tape, k) * n[k]]
        return Mat((columns[0], columns[1], columns[2])).T
    sign_z = math.copysign(1.0, n[2])
    a_z = -1.0 / (sign_z + n[2])
    b_z = n[0] * n[1] * a_z
    rows = (
        (1.0 + sign_z * n[0] * n[0] * a_z, sign_z * b_z, -sign_z * n[0]),
        (b_z, sign_z + n[1] * n[1] * a_z, -n[1]),
        (n[0], n[1], n[2]),
    )
    return mat(tape, [[snap(value) for value in row] for row in rows]).T


def segments(tape: Tape, mechanism: Mechanism, q: Sequence[Scalar], nonzeros: Nonzeros = EVEN) -> tuple[Segment, ...]:
    """The spanning tree as segments at configuration q, parents first, true inertias; `nonzeros`: of zeros that are to
    stand as small numbers."""
    builder = _Builder(tape, q, nonzeros)
    names = identifiers([body.link.name for body in mechanism.tree.bodies])
    for body, name in zip(mechanism.tree.bodies, names, strict=True):
        builder.add(body, name)
    return tuple(builder.segments)


def hung(tape: Tape, body: Body, q: Sequence[Scalar]) -> tuple[Segment, ...]:
    """The segments of one body, in the link that it hangs on as if that were world."""
    builder = _Builder(tape, q)
    builder.add(replace(body, parent=-1), identifiers([body.link.name])[0])
    return tuple(builder.segments)


class _Builder:
    def __init__(self, tape: Tape, q: Sequence[Scalar], nonzeros: Nonzeros = EVEN) -> None:
        self.tape, self.q, self.nonzeros = tape, q, nonzeros
        self.segments: list[Segment] = []
        self.carrier: list[int] = []  # body → its segment

    def add(self, body: Body, name: str) -> None:
        tape, joint = self.tape, body.joint
        tape.section(name)
        R, p = pose(tape, joint.origin)
        parent = -1
        if body.parent >= 0:  # through the user's frame of the parent link
            parent = self.carrier[body.parent]
            above = self.segments[parent]
            R, p = above.link_R @ R, above.link_R.apply(p) + above.link_p
        *before, last = KINDS[joint.kind].segments
        for k, steps in enumerate(before):
            self._append(body, f"{name}_mid{k + 1 if k else ''}", parent, steps, R, p, None)
            parent = len(self.segments) - 1
            R, p = self.segments[parent].link_R, self.segments[parent].link_p
        self._append(body, name, parent, last, R, p, body.index)
        self.carrier.append(len(self.segments) - 1)

    def _append(
        self, body: Body, name: str, parent: int, steps: Sequence[Step], R: Mat, p: Vec, link: int | None
    ) -> None:
        tape, joint = self.tape, body.joint
        motions = tuple(step.motion for step in steps)
        A = reaxis(joint.directions[steps[0].axis], tape) if motions and motions[0] in AXIAL else None
        if A is not None:
            R = R @ A
        kept = self.nonzeros.get(name, {})
        R = rotation_with(_snapped(R), kept.get("fixed_R", NONE))
        R, p = let_mat(R, f"R0_{name}"), let_vec(vector_with(p, kept.get("fixed_p", NONE)), f"p0_{name}")
        q = self._coordinates(body, steps)
        turned, turn = self._rotation(motions, R, q, name)
        back_R, back_p = pose(tape, joint.child_origin.inverse()) if link is not None else pose(tape, Pose())
        if A is not None:
            back_R, back_p = A.T @ back_R, A.T.apply(back_p)
        back_R = let_mat(rotation_with(_snapped(back_R), kept.get("link_R", NONE)), f"Rl_{name}")
        back_p = let_vec(vector_with(back_p, kept.get("link_p", NONE)), f"pl_{name}")
        segment = Segment(
            name=name,
            motions=motions,
            parent=parent,
            R=turned,
            p=let_vec(p + R.apply(_displacement(tape, motions, q, joint.pitch)), f"p_{name}"),
            fixed_R=R,
            fixed_p=p,
            turn=turn,
            columns=self._columns(body, steps),
            inertia=massless(tape),
            link=link,
            link_R=back_R,
            link_p=back_p,
            com=zero(tape),
            I_com=massless(tape).S,
        )
        self.segments.append(segment if link is None else _loaded(segment, body, kept))

    def _coordinates(self, body: Body, steps: Sequence[Step]) -> list[Scalar]:
        joint = body.joint
        if joint.mimic is not None:
            return [self.q[body.q_start] * self._multiplier(body) + self.tape.number(joint.mimic.offset)]
        entries = [body.q_start + step.q + i for step in steps for i in range(step.motion.nq)]
        return [self.q[i] for i in entries]

    def _multiplier(self, body: Body) -> Scalar:
        return self.tape.one if body.joint.mimic is None else self.tape.number(body.joint.mimic.multiplier)

    def _rotation(
        self, motions: Sequence[Motion], R: Mat, q: list[Scalar], name: str
    ) -> tuple[Mat, tuple[Scalar, Scalar] | None]:
        tape = self.tape
        turns = sum(motion.turns for motion in motions)
        if turns == 3:
            return let_mat(R @ quaternion_matrix(q[-4:], name), f"R_{name}"), None
        if turns == 0:
            return R, None
        sin, cos = (q[3], q[2]) if motions[0] == PLANE else tape.sincos(q[0], name)
        o = tape.zero
        Rz = Mat((Vec(cos, -sin, o), Vec(sin, cos, o), Vec(o, o, tape.one)))
        signed = all(entry.constant in (0.0, 1.0, -1.0) for entry in R)
        return let_mat(R @ Rz, f"R_{name}"), (sin, cos) if signed else None

    def _columns(self, body: Body, steps: Sequence[Step]) -> tuple[Column, ...]:
        tape, joint = self.tape, body.joint
        factor = self._multiplier(body)
        o, z = zero(tape), unit(tape, 2)
        pitch = tape.number(joint.pitch)
        twists: dict[Motion, list[tuple[Vec, Vec]]] = {
            TURN: [(z, o)],
            SLIDE: [(o, z)],
            SCREW: [(z, z * pitch)],
            PLANE: [(o, unit(tape, 0)), (o, unit(tape, 1)), (z, o)],
            BALL: [(unit(tape, i), o) for i in range(3)],
            FLIGHT: [(o, unit(tape, i)) for i in range(3)] + [(unit(tape, i), o) for i in range(3)],
        }
        return tuple(
            Column(angular, linear, body.v_start + dof, factor, tape.number(joint.armature[dof]))
            for step in steps
            for dof, (angular, linear) in enumerate(twists[step.motion], step.v)
        )


def _loaded(segment: Segment, body: Body, kept: Mapping[str, frozenset[int]]) -> Segment:
    tape = segment.p.x.tape
    link, R, name = body.link, segment.link_R, segment.name
    m = tape.let(tape.number(link.mass), f"m_{name}")
    com = let_vec(vector_with(R.apply(vec(tape, link.com)) + segment.link_p, kept.get("com", NONE)), f"c_{name}")
    about_com = symmetric_with(R @ mat(tape, link.inertia) @ R.T, kept.get("I_com", NONE))
    return replace(segment, com=com, I_com=about_com, inertia=from_com(m, com, about_com).named(name))


def pose(tape: Tape, value: Pose) -> tuple[Mat, Vec]:
    return mat(tape, value.rotation), vec(tape, value.xyz)


def _snapped(R: Mat) -> Mat:
    """Products of constant rotations: entries within 1e-12 of 0, ±1 become exact."""
    tape = R[0, 0].tape

    def entry(value: Scalar) -> Scalar:
        number = value.constant
        return value if number is None else tape.constant(snap(number))

    return Mat(tuple(Vec(*(entry(R[i, j]) for j in range(3))) for i in range(3)))  # type: ignore[arg-type]  # 3 rows


def _displacement(tape: Tape, motions: Sequence[Motion], q: list[Scalar], pitch: float | sympy.Expr) -> Vec:
    o = tape.zero
    if PLANE in motions:
        return Vec(q[0], q[1], o)
    if FLIGHT in motions:
        return Vec(*q[:3])
    if SCREW in motions:
        return Vec(o, o, q[0] * tape.number(pitch))
    return Vec(o, o, q[motions.index(SLIDE)] if SLIDE in motions else o)


def quaternion_matrix(quaternion: Sequence[Scalar], name: str) -> Mat:
    """Rotation matrix of the unit quaternion (x, y, z, w)."""
    x, y, z, w = quaternion
    tape = x.tape
    x2, y2, z2 = (tape.let(e + e, f"q2_{name}") for e in (x, y, z))
    xx, yy, zz = (tape.let(a * b, f"qq_{name}") for a, b in ((x, x2), (y, y2), (z, z2)))
    xy, xz, yz = (tape.let(a * b, f"qq_{name}") for a, b in ((x, y2), (x, z2), (y, z2)))
    wx, wy, wz = (tape.let(w * b, f"qq_{name}") for b in (x2, y2, z2))
    one = tape.one
    return let_mat(
        Mat(
            (
                Vec(one - yy - zz, xy - wz, xz + wy),
                Vec(xy + wz, one - xx - zz, yz - wx),
                Vec(xz - wy, yz + wx, one - xx - yy),
            )
        ),
        f"E_{name}",
    )


def regrouped(chain: Sequence[Segment]) -> tuple[Segment, ...]:
    """The same chain with what each joint cannot feel carried by its parent; τ and M are unchanged (§6)."""
    inertias = [segment.inertia for segment in chain]
    for i in reversed(range(len(chain))):  # leaves to root
        segment = chain[i]
        moved = unfelt(segment.motions, inertias[i])
        inertias[i] = (inertias[i] - moved).named(segment.name)
        if segment.parent >= 0:
            up = inertias[segment.parent] + moved.moved(segment.fixed_R, segment.fixed_p)
            inertias[segment.parent] = up.named(chain[segment.parent].name)
    return tuple(replace(segment, inertia=inertia) for segment, inertia in zip(chain, inertias, strict=True))
