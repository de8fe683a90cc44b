"""Inertial parameters of a link as the pseudo-inertia J = [[Σ, s], [sᵀ, m]], and their exact regrouping (§6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.runtime.kinds import BALL, SCREW, SLIDE, TURN, Motion

from ...program.tape import Scalar, Tape
from ..vector import Mat, Vec, diagonal, let_sym, let_vec, outer, zero, zeros


@dataclass(frozen=True)
class Inertia:
    """Mass m, first moment s = m c and Σ = ∫ r rᵀ dm about the frame's origin."""

    m: Scalar
    s: Vec
    S: Mat

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.m + other.m, self.s + other.s, self.S + other.S)

    def __sub__(self, other: Inertia) -> Inertia:
        return Inertia(self.m - other.m, self.s - other.s, self.S - other.S)

    def moved(self, R: Mat, p: Vec) -> Inertia:
        """T J Tᵀ with T = [[R, p], [0, 1]]."""
        s = R.apply(self.s)
        return Inertia(self.m, s + p * self.m, R @ self.S @ R.T + outer(p, s) + outer(s, p) + outer(p, p * self.m))

    def named(self, hint: str) -> Inertia:
        tape = self.m.tape
        return Inertia(tape.let(self.m, f"m_{hint}"), let_vec(self.s, f"s_{hint}"), let_sym(self.S, f"S_{hint}"))

    def times(self, w: Vec, u: Vec) -> tuple[Vec, Vec]:
        """Momentum of the twist: linear m u + ω × s, and angular about the origin I ω + s × u."""
        return u * self.m + w.cross(self.s), self.rotational.apply(w) + self.s.cross(u)

    @property
    def rotational(self) -> Mat:
        """Moments of inertia about the origin: I = tr(Σ) E − Σ."""
        return diagonal(self.S[0, 0] + self.S[1, 1] + self.S[2, 2]) - self.S


def massless(tape: Tape) -> Inertia:
    return Inertia(tape.zero, zero(tape), zeros(tape))


def from_com(m: Scalar, c: Vec, I: Mat) -> Inertia:  # noqa: E741 - I is the field's name for moments of inertia
    """From mass, centre of mass and moments of inertia about it: Σ = ½ tr(I) E − I + m c cᵀ."""
    half_trace = (I[0, 0] + I[1, 1] + I[2, 2]) * 0.5
    return Inertia(m, c * m, diagonal(half_trace) - I + outer(c, c * m))


def unfelt(motions: Sequence[Motion], J: Inertia) -> Inertia:
    """The part of J that these motions about and along z cannot feel, so that the parent may carry it."""
    tape, o = J.m.tape, J.m.tape.zero
    axial = Mat((Vec(o, o, o), Vec(o, o, o), Vec(o, o, J.S[2, 2])))
    if not motions:
        return J
    if set(motions) == {TURN}:  # rows and columns {z, 1}
        return Inertia(J.m, Vec(o, o, J.s.z), axial)
    if set(motions) == {SLIDE}:
        return Inertia(o, zero(tape), J.S)
    if set(motions) <= {TURN, SLIDE, SCREW}:
        return Inertia(o, zero(tape), axial)
    if set(motions) == {BALL}:
        return Inertia(J.m, zero(tape), zeros(tape))
    return massless(tape)
