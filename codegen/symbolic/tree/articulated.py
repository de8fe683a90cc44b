"""Forward dynamics of the tree by articulated bodies, about link origins and with classical accelerations (§7).

A body answers an acceleration (ω̇, a) of its frame with  n = I ω̇ + H a + p_n,  f = Hᵀω̇ + M a + p_f.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kinegen.runtime.errors import ModelError

from ...program.tape import Scalar
from ..vector import Mat, Vec, diagonal, let_mat, let_sym, let_vec, outer, skew, zero
from .rotation import down, up, up_matrix, up_symmetric
from .segments import Column, Segment
from .walk import visits

Six = tuple[Vec, Vec]  # [moment; force], or (ω̇, a)


@dataclass(frozen=True)
class Articulated:
    """I, M symmetric; H couples; (p_n, p_f) is the wrench at zero acceleration."""

    I: Mat  # noqa: E741 - the field's name
    H: Mat
    M: Mat
    p_n: Vec
    p_f: Vec

    def __add__(self, other: Articulated) -> Articulated:
        return Articulated(
            self.I + other.I, self.H + other.H, self.M + other.M, self.p_n + other.p_n, self.p_f + other.p_f
        )

    def named(self, hint: str) -> Articulated:
        return Articulated(
            let_sym(self.I, f"I_{hint}"),
            let_mat(self.H, f"H_{hint}"),
            let_sym(self.M, f"M_{hint}"),
            let_vec(self.p_n, f"pn_{hint}"),
            let_vec(self.p_f, f"pf_{hint}"),
        )

    def response(self, column: Column, name: str) -> Six:
        """(U_n, U_f) wrench per unit acceleration along an axis."""
        w, a = column.angular, column.linear
        U_n = let_vec(self.I.apply(w) + self.H.apply(a), f"Un_{name}")
        return U_n, let_vec(self.H.T.apply(w) + self.M.apply(a), f"Uf_{name}")

    def less(self, U: Six, V: Six, u: Scalar) -> Articulated:
        """What is left where an axis is solved: (·) − U Vᵀ, wrench p + V u; V = U/D."""
        (U_n, U_f), (V_n, V_f) = U, V
        return Articulated(
            self.I - outer(U_n, V_n),
            self.H - outer(U_n, V_f),
            self.M - outer(U_f, V_f),
            self.p_n + V_n * u,
            self.p_f + V_f * u,
        )


@dataclass(frozen=True)
class Elimination:
    """One motion axis solved: v̇ = u/D − (U_n/D)·ω̇ − (U_f/D)·a."""

    column: Column
    u: Scalar
    inverse_D: Scalar
    U_n: Vec
    U_f: Vec

    def rate(self, dw: Vec, a: Vec, name: str) -> Scalar:
        """v̇ of the axis under the acceleration (ω̇, a) of its frame."""
        return dw.x.tape.let(self.u - self.U_n.dot(dw) - self.U_f.dot(a), f"dv_{name}")


@dataclass(frozen=True)
class Velocity:
    """ω in segment axes, ω_p turned into them, ω_p × (ω_p × p) in the parent's, and the joint's own bias."""

    w: Vec
    centripetal: Vec
    bias_w: Vec
    bias_a: Vec


def velocity(segment: Segment, above: Vec, v: Sequence[Scalar]) -> Velocity:
    """From ω of the parent, in its axes."""
    name = segment.name
    w_J, v_J = segment.speed(v)
    turned = down(segment, above, f"wp_{name}")
    centripetal = let_vec(above.cross(let_vec(above.cross(segment.p), f"wxp_{name}")), f"wwp_{name}")
    bias_w = let_vec(turned.cross(w_J), f"zw_{name}")
    bias_a = let_vec(let_vec(turned * 2.0 + w_J, f"w2_{name}").cross(v_J), f"za_{name}")
    return Velocity(let_vec(turned + w_J, f"w_{name}"), centripetal, bias_w, bias_a)


def rigid(segment: Segment, w: Vec) -> Articulated:
    """I, [s]ₓ, m E, and the velocity terms p_n = ω × Iω, p_f = ω × (ω × s)."""
    J, name = segment.inertia, segment.name
    p_n = w.cross(let_vec(J.rotational.apply(w), f"Iw_{name}"))
    p_f = w.cross(let_vec(w.cross(J.s), f"wxs_{name}"))
    return Articulated(J.rotational, skew(J.s), diagonal(J.m), p_n, p_f)


def forward_dynamics(
    chain: Sequence[Segment],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    gravity: Vec,
    extra: Sequence[Scalar] | None = None,
) -> list[Scalar]:
    """v̇ (nv). `extra` is added to the diagonal of M (implicit damping)."""
    return Sweep(Forced(chain, v, tau, gravity, dict(enumerate(extra or ())))).accelerations()


@dataclass(frozen=True)
class Forced:
    """A tree that moves by v (nv) under tau (nv). `extra`: what is added to the diagonal of M, by places in v."""

    chain: Sequence[Segment]
    v: Sequence[Scalar]
    tau: Sequence[Scalar]
    gravity: Vec
    extra: Mapping[int, Scalar]


class Sweep:
    """Leaves to root, then back."""

    def __init__(self, of: Forced) -> None:
        self.chain, self.v, self.tau, self.gravity, self.extra = of.chain, of.v, of.tau, of.gravity, of.extra
        self.tape = of.gravity.x.tape
        self.motion: dict[int, Velocity] = {}
        self.bodies: dict[int, Articulated] = {}
        self.eliminated: dict[int, list[Elimination]] = {}

    def accelerations(self) -> list[Scalar]:
        """v̇ (nv)."""
        for i, leaving in visits(self.chain):
            name = self.chain[i].name
            self.tape.section(f"{name}, articulated" if leaving else name)
            if leaving:
                self.leave(i)
            else:
                self.enter(i)
        result = [self.tape.zero] * len(self.v)
        found: dict[int, Six] = {-1: (zero(self.tape), -self.gravity)}
        for i, leaving in visits(self.chain):
            if not leaving:
                self.tape.section(f"{self.chain[i].name}, acceleration")
                found[i] = self.accelerate(i, *found[self.chain[i].parent], result)
        return result

    def enter(self, i: int) -> None:
        """On the way to the leaves: its velocity, and itself as a body."""
        segment = self.chain[i]
        above = self.motion[segment.parent].w if segment.parent >= 0 else zero(self.tape)
        self.motion[i] = velocity(segment, above, self.v)
        self.bodies[i] = rigid(segment, self.motion[i].w).named(segment.name)

    def leave(self, i: int) -> None:
        """Once its leaves are done: its axes are solved, its parent carries what answers then."""
        segment, body = self.chain[i], self.bodies.pop(i)
        self.eliminated[i] = []
        for column in reversed(segment.columns):
            body, solved = eliminate(body, column, self.tau, self.extra.get(column.index), segment.name)
            self.eliminated[i].append(solved)
        if segment.parent >= 0:
            self.add(segment.parent, carried(segment, body, self.motion[i]))

    def add(self, i: int, body: Articulated) -> None:
        """The segment carries this body as well."""
        self.bodies[i] = (self.bodies[i] + body).named(self.chain[i].name)

    def accelerate(self, i: int, dw: Vec, a: Vec, result: list[Scalar]) -> Six:
        """(ω̇, a) of a segment from those of its parent; v̇ of its axes goes into the result."""
        segment = self.chain[i]
        dw, a = arrived(segment, self.motion[i], dw, a)
        for step in reversed(self.eliminated[i]):  # the axis eliminated last is known first
            rate = result[step.column.index] = step.rate(dw, a, segment.name)
            dw, a = step.column.moved(dw, a, rate, segment.name)
        return dw, a


def eliminate(
    body: Articulated, column: Column, tau: Sequence[Scalar], extra: Scalar | None, name: str
) -> tuple[Articulated, Elimination]:
    """(·)ᵃ = (·) − U Uᵀ/D; the row and column of the joint's axis are exactly zero and are skipped. `extra`: added to
    D."""
    tape, w, a = body.p_n.x.tape, column.angular, column.linear
    U_n, U_f = body.response(column, name)
    D = w.dot(U_n) + a.dot(U_f) + column.armature
    if extra is not None:
        D = D + extra
    if D.is_zero:
        raise no_inertia(name)
    inverse_D = tape.reciprocal(tape.let(D, f"D_{name}"), f"iD_{name}")
    u = tape.let(tau[column.index] - w.dot(body.p_n) - a.dot(body.p_f), f"u_{name}")
    V_n, V_f = let_vec(U_n * inverse_D, f"Vn_{name}"), let_vec(U_f * inverse_D, f"Vf_{name}")
    rest = body.less((U_n, U_f), (V_n, V_f), u)
    if column.armature.is_zero and extra is None:
        rest = _without_axis(rest, column)
    return rest.named(name), Elimination(column, tape.let(u * inverse_D, f"uD_{name}"), inverse_D, V_n, V_f)


def no_inertia(link: str) -> ModelError:
    """What to say of a motion that moves no mass."""
    return ModelError(
        f"the mass matrix is singular: a motion of link '{link}' against its parent moves no mass; "
        "give the link or what hangs on it mass and inertia, or its joint armature"
    )


def _without_axis(body: Articulated, column: Column) -> Articulated:
    """I w + H a = 0 and Hᵀw + M a = 0 hold exactly for an axis along a base vector: write the zeros."""
    zero = body.p_n.x.tape.zero
    turns = [entry.constant == 1.0 for entry in column.angular]
    slides = [entry.constant == 1.0 for entry in column.linear]
    if sum(turns) + sum(slides) != 1 or any(e.constant not in (0.0, 1.0) for e in (*column.angular, *column.linear)):
        return body

    def cleared(m: Mat, rows: list[bool], columns: list[bool]) -> Mat:
        kept = [Vec(*(zero if rows[i] or columns[j] else m[i, j] for j in range(3))) for i in range(3)]
        return Mat((kept[0], kept[1], kept[2]))

    return Articulated(
        cleared(body.I, turns, turns),
        cleared(body.H, turns, slides),
        cleared(body.M, slides, slides),
        body.p_n,
        body.p_f,
    )


def carried(segment: Segment, body: Articulated, state: Velocity) -> Articulated:
    """Bias of the joint added, turned by R, shifted by p: H' = H + [p]ₓM, I' = I − H[p]ₓ + [p]ₓH'ᵀ."""
    name, p = segment.name, segment.p
    p_n = let_vec(body.p_n + body.I.apply(state.bias_w) + body.H.apply(state.bias_a), f"qn_{name}")
    p_f = let_vec(body.p_f + body.H.T.apply(state.bias_w) + body.M.apply(state.bias_a), f"qf_{name}")
    I = up_symmetric(segment, body.I, f"Ip_{name}")  # noqa: E741 - the field's name
    H = up_matrix(segment, body.H, f"Hp_{name}")
    M = up_symmetric(segment, body.M, f"Mp_{name}")
    f = let_vec(up(segment, p_f, f"rf_{name}") + M.apply(state.centripetal), f"fp_{name}")
    n = up(segment, p_n, f"rn_{name}") + H.apply(state.centripetal) + p.cross(f)
    shifted = let_mat(H + skew(p) @ M, f"Hs_{name}")
    return Articulated(I - H @ skew(p) + skew(p) @ shifted.T, shifted, M, n, f)


def arrived(segment: Segment, state: Velocity, dw: Vec, a: Vec) -> tuple[Vec, Vec]:
    """(ω̇, a) of a segment whose own axes do not accelerate, from those of its parent."""
    name = segment.name
    above = let_vec(a + dw.cross(segment.p) + state.centripetal, f"ap_{name}")
    dw = let_vec(down(segment, dw, f"dwp_{name}") + state.bias_w, f"dwq_{name}")
    return dw, let_vec(down(segment, above, f"aq_{name}") + state.bias_a, f"aq_{name}")
