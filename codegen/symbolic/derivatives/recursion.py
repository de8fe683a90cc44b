"""Derivatives of inverse dynamics on the tangent space, and M, by recursion over the tree (§14) [SRW22, CM18].

All vectors stand in one frame: that of the first link that moves, where it is just now. A twist (ω, u) and a wrench
(n, f) are taken at its origin. Inertias are pseudo-inertias, so that what velocities do is one 3 × 3 and one vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...program.tape import Scalar, Tape
from ..tree.inertia import Inertia
from ..tree.kinematics import Place
from ..tree.mass_matrix import about_base
from ..tree.rnea import Motion, acceleration_matrix, wrench
from ..tree.segments import Column, Segment
from ..vector import Mat, Vec, diagonal, identity, let_mat, let_vec, outer, skew, zero

Matrix = list[list[Scalar]]


@dataclass(frozen=True)
class Pair:
    """A twist (ω, u) or a wrench (n, f)."""

    a: Vec
    b: Vec

    def __add__(self, other: Pair) -> Pair:
        return Pair(self.a + other.a, self.b + other.b)

    def __mul__(self, factor: Scalar) -> Pair:
        return Pair(self.a * factor, self.b * factor)

    def cross(self, other: Pair) -> Pair:
        """Of two twists: (ω × ω', ω × u' + u × ω')."""
        return Pair(self.a.cross(other.a), self.a.cross(other.b) + self.b.cross(other.a))

    def turned(self, force: Pair) -> Pair:
        """Twist and wrench: (ω × n + u × f, ω × f)."""
        return Pair(self.a.cross(force.a) + self.b.cross(force.b), self.a.cross(force.b))

    def dot(self, other: Pair) -> Scalar:
        """Power."""
        return self.a.dot(other.a) + self.b.dot(other.b)

    def named(self, hint: str) -> Pair:
        return Pair(let_vec(self.a, f"{hint}a"), let_vec(self.b, f"{hint}b"))


def nothing(tape: Tape) -> Pair:
    return Pair(zero(tape), zero(tape))


def frames(chain: Sequence[Segment], gravity: Vec) -> list[tuple[Place, Vec]]:
    """Place of every segment in the frame of the first one above it that moves, and gravity there."""
    tape = gravity.x.tape
    found: list[tuple[Place, Vec]] = []
    moving: list[bool] = []
    for segment in chain:
        tape.section(segment.name)
        above, down = found[segment.parent] if segment.parent >= 0 else (Place(identity(tape), zero(tape)), gravity)
        if segment.parent >= 0 and moving[segment.parent]:
            R = let_mat(above.R @ segment.R, f"R_{segment.name}")
            found.append((Place(R, let_vec(above.p + above.R.apply(segment.p), f"p_{segment.name}")), down))
        else:
            turned = let_vec(segment.R.T.apply(down), f"g_{segment.name}")
            found.append((Place(identity(tape), zero(tape)), turned))
        moving.append(bool(segment.columns) or (segment.parent >= 0 and moving[segment.parent]))
    return found


@dataclass(frozen=True)
class Axis:
    """A motion axis of a joint: its twist S, Ψ̇ = V_λ × S and the segment that it moves."""

    column: Column
    segment: int
    S: Pair
    rate: Pair


@dataclass(frozen=True)
class Moving:
    """Of every segment: axes, twist V and acceleration A, gravity included, V and A of what its joint hangs on."""

    axes: tuple[tuple[Axis, ...], ...]
    V: tuple[Pair, ...]
    A: tuple[Pair, ...]
    above: tuple[tuple[Pair, Pair], ...]


def twist_in(column: Column, place: Place, name: str) -> Pair:
    """A motion axis in the common frame, per unit of v."""
    z = let_vec(place.R.apply(column.angular), f"z_{name}")
    u = place.R.apply(column.linear) + place.p.cross(z)
    return Pair(z * column.factor, u * column.factor).named(f"X_{name}_")


def motion(
    chain: Sequence[Segment], at: Sequence[tuple[Place, Vec]], v: Sequence[Scalar], a: Sequence[Scalar]
) -> Moving:
    """Root to leaves: V_i = V_λ + Σ S v, A_i = A_λ + Σ (S a + Ψ̇ v)."""
    tape = at[0][0].p.x.tape
    axes: list[tuple[Axis, ...]] = []
    V: list[Pair] = []
    A: list[Pair] = []
    hung: list[tuple[Pair, Pair]] = []
    for i, segment in enumerate(chain):
        name = segment.name
        tape.section(f"{name}, motion")
        place, down = at[i]
        carried = segment.parent >= 0 and _moved(chain, segment.parent)
        above = (V[segment.parent], A[segment.parent]) if carried else (nothing(tape), Pair(zero(tape), -down))
        own = tuple(
            Axis(column, i, S, above[0].cross(S).named(f"dX_{name}_"))
            for column in segment.columns
            for S in (twist_in(column, place, name),)
        )
        speed, rate = above
        for axis in own:
            index = axis.column.index
            speed = speed + axis.S * v[index]
            rate = rate + axis.S * a[index] + axis.rate * v[index]
        axes.append(own)
        V.append(speed.named(f"V_{name}_"))
        A.append(rate.named(f"A_{name}_"))
        hung.append(above)
    return Moving(tuple(axes), tuple(V), tuple(A), tuple(hung))


def _moved(chain: Sequence[Segment], i: int) -> bool:
    """Whether a joint moves segment i."""
    while i >= 0 and not chain[i].columns:
        i = chain[i].parent
    return i >= 0


@dataclass(frozen=True)
class Subtree:
    """What hangs below a joint as one body: J, B = 2 (tr Q E − Q), c = 2 (ω × s + m u), Q = [ω]ₓΣ + u sᵀ; (n, f)."""

    J: Inertia
    B: Mat
    c: Vec
    F: Pair

    def __add__(self, other: Subtree) -> Subtree:
        return Subtree(self.J + other.J, self.B + other.B, self.c + other.c, self.F + other.F)

    def named(self, hint: str) -> Subtree:
        return Subtree(self.J.named(hint), let_mat(self.B, f"B_{hint}"), let_vec(self.c, f"c_{hint}"),
                       self.F.named(f"F_{hint}_"))  # fmt: skip

    def times(self, X: Pair) -> Pair:
        """I X: (I ω + s × u, m u + ω × s)."""
        f, n = self.J.times(X.a, X.b)
        return Pair(n, f)

    def swept(self, X: Pair) -> Pair:
        """2 B X: (B ω, ω × c)."""
        return Pair(self.B.apply(X.a), X.a.cross(self.c))

    def answering(self, S: Pair) -> Vec:
        """b with Sᵀ 2 B X = b · ω: Bᵀ ω_S + c × u_S."""
        return self.B.T.apply(S.a) + self.c.cross(S.b)


def body(J: Inertia, V: Pair, A: Pair, name: str) -> Subtree:
    """One link; acceleration of the origin A_u + ω × V_u."""
    Q = let_mat(skew(V.a) @ J.S + outer(V.b, J.s), f"Q_{name}")
    c = V.a.cross(J.s) + V.b * J.m
    trace = Q[0, 0] + Q[1, 1] + Q[2, 2]
    U = acceleration_matrix(V.a, A.a, name)
    f, n = wrench(J, Motion(V.a, A.a, let_vec(A.b + V.a.cross(V.b), f"a_{name}"), U))
    return Subtree(J, (diagonal(trace) - Q) * 2.0, c * 2.0, Pair(n, f)).named(name)


def subtrees(chain: Sequence[Segment], at: Sequence[tuple[Place, Vec]], moving: Moving) -> list[Subtree]:
    """Leaves to root."""
    tape = at[0][0].p.x.tape
    total = []
    for i, segment in enumerate(chain):
        tape.section(f"{segment.name}, forces")
        total.append(body(about_base(segment, at[i][0]), moving.V[i], moving.A[i], segment.name))
    for i in reversed(range(len(chain))):
        k = chain[i].parent
        if k >= 0:
            total[k] = (total[k] + total[i]).named(chain[k].name)
    return total


def inverse_dynamics_derivatives(
    chain: Sequence[Segment], v: Sequence[Scalar], a: Sequence[Scalar], gravity: Vec
) -> tuple[Matrix, Matrix, Matrix]:
    """∂τ/∂q on the tangent space, ∂τ/∂v, M (nv, nv each); `chain` may carry regrouped inertias.

    With Ψ̈ = A_λ × S + V_λ × Ψ̇, D = Ψ̇ + V × S, for axes j on the path to i:  ∂τ_i/∂q_j = S_iᵀ(2BΨ̇_j + IΨ̈_j),
    ∂τ_i/∂v_j = S_iᵀ(2BS_j + ID_j),  ∂τ_j/∂q_i = S_jᵀ(2BΨ̇_i + IΨ̈_i + S_i ×* F),  ∂τ_j/∂v_i = S_jᵀ(2BS_i + ID_i).
    """
    tape, nv = gravity.x.tape, len(v)
    at = frames(chain, gravity)
    moving = motion(chain, at, v, a)
    below = subtrees(chain, at, moving)
    entries = _Entries(tape, nv)
    second: list[list[tuple[Pair, Pair]]] = []
    for i, segment in enumerate(chain):
        V_above, A_above = moving.above[i]
        tape.section(f"{segment.name}, pairs")
        rates = [
            ((A_above.cross(x.S) + V_above.cross(x.rate)).named("ddS_"), (x.rate + moving.V[i].cross(x.S)).named("D_"))
            for x in moving.axes[i]
        ]
        second.append(rates)
        for x, (ddS, D) in zip(moving.axes[i], rates, strict=True):
            here = _Answer.of(below[i], x, ddS, D)
            j = i
            while j >= 0:
                for y, (ddS_y, D_y) in zip(moving.axes[j], second[j], strict=True):
                    entries.add(x, y, here, ddS_y, D_y, same=i == j)
                j = chain[j].parent
        for column in segment.columns:
            entries.M[column.index][column.index] += column.armature * (column.factor * column.factor)
    return entries.named()


@dataclass(frozen=True)
class _Answer:
    """What the subtree of an axis answers: wrenches of S and of motions of the axis, and b."""

    inertial: Pair
    by_q: Pair
    by_v: Pair
    carried: Pair
    b: Vec

    @staticmethod
    def of(below: Subtree, x: Axis, ddS: Pair, D: Pair) -> _Answer:
        by_q = below.times(ddS) + below.swept(x.rate)
        return _Answer(
            below.times(x.S).named("IS_"),
            by_q.named("Fq_"),
            (below.times(D) + below.swept(x.S)).named("Fv_"),
            (by_q + x.S.turned(below.F)).named("Fc_"),
            let_vec(below.answering(x.S), "b"),
        )


class _Entries:
    """∂τ/∂q, ∂τ/∂v and M in the making; axes that share a coordinate add up."""

    def __init__(self, tape: Tape, nv: int) -> None:
        self.tape = tape
        self.dq, self.dv, self.M = ([[tape.zero] * nv for _ in range(nv)] for _ in range(3))

    def add(self, x: Axis, y: Axis, here: _Answer, ddS_y: Pair, D_y: Pair, *, same: bool) -> None:
        """Of axis x and an axis y on its path; `same`: both are of one joint."""
        i, j, let = x.column.index, y.column.index, self.tape.let
        self.dq[i][j] += let(here.inertial.dot(ddS_y) + here.b.dot(y.rate.a), "tq")
        self.dv[i][j] += let(here.inertial.dot(D_y) + here.b.dot(y.S.a), "tv")
        self.M[i][j] += let(here.inertial.dot(y.S), "M")
        if not same:
            self.dq[j][i] += let(here.carried.dot(y.S), "tq")
            self.dv[j][i] += let(here.by_v.dot(y.S), "tv")
            self.M[j][i] += let(here.inertial.dot(y.S), "M")

    def named(self) -> tuple[Matrix, Matrix, Matrix]:
        def each(rows: Matrix, hint: str) -> Matrix:
            return [[self.tape.let(entry, hint) for entry in row] for row in rows]

        return each(self.dq, "tq"), each(self.dv, "tv"), each(self.M, "M")


BLOCK = 8
"""Numbers that the loops over axes take at a time."""


def parts(chain: Sequence[Segment], gravity: Vec) -> tuple[Matrix, list[Vec]]:
    """(16, room) twists [ω; u] of all axes and [m, s, Σ], at the last axis of each joint, of the links that they move;
    −gravity of every tree. `room`: axes, rounded up to whole blocks."""
    tape, at = gravity.x.tape, frames(chain, gravity)
    columns: list[list[Scalar]] = []
    roots: list[Vec] = []
    for i, segment in enumerate(chain):
        tape.section(segment.name)
        place, down = at[i]
        if not segment.columns:
            continue
        if segment.parent < 0 or not _moved(chain, segment.parent):
            roots.append(-down)
        for column in segment.columns:
            S = twist_in(column, place, segment.name)
            columns.append([*S.a, *S.b, *[tape.zero] * 10])
        J = about_base(segment, place)
        upper = [J.S[r, c] for r in range(3) for c in range(r, 3)]
        columns[-1][6:] = [tape.let(entry, f"Jb_{segment.name}") for entry in (J.m, *J.s, *upper)]
    room = -(-len(columns) // BLOCK) * BLOCK
    columns += [[tape.zero] * 16 for _ in range(room - len(columns))]
    return [[column[row] for column in columns] for row in range(16)], roots
