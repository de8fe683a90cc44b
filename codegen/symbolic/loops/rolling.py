"""The point at which a wheel touches the plane z = 0 of F, and how it runs along the tyre (§8).

Wheel with centre o, axle a, radius R, tyre r; with s = √(a_x² + a_y²) and the heading b = (a_x, a_y, 0)/s, the lowest
point of the circle lies from o along d, that of the tyre r below it:

    d = a_z b − s e_z,   ρ = R d − r e_z
"""

from __future__ import annotations

from dataclasses import dataclass

from ...mechanism.elements.rolling import Wheel
from ...program.tape import Scalar
from ..vector import Mat, Vec, let_vec, vec, zero


@dataclass(frozen=True)
class Rim:
    """A wheel on the tape: its radius R, its axle a and heading b in F axes, s and 1/s, and ρ from the centre to the
    point of contact. A ball has no radius, and its axle does not matter."""

    radius: Scalar
    axle: Vec
    heading: Vec
    sine: Scalar
    inverse: Scalar
    arm: Vec


def rim_of(wheel: Wheel, R: Mat, hint: str) -> Rim:
    """The wheel of a joint whose frame on C has the rotation R in F."""
    tape = R[0, 0].tape
    radius, tyre = tape.number(wheel.radius), tape.number(wheel.tyre)
    down = Vec(tape.zero, tape.zero, -tyre)
    if radius.is_zero:
        return Rim(radius, down, down, tape.one, tape.one, down)
    a = let_vec(R.apply(vec(tape, wheel.axis)), f"axle_{hint}")
    square = tape.let(a.x * a.x + a.y * a.y, "ss")
    inverse = tape.reciprocal(tape.call("sqrt", square, hint="s"), "inv")
    s = tape.let(square * inverse, "s")  # a quotient, so that a_z²/s + s is seen to be 1/s
    b = let_vec(Vec(a.x * inverse, a.y * inverse, tape.zero), "b")
    return Rim(radius, a, b, s, inverse, let_vec(Vec(a.z * b.x, a.z * b.y, -s) * radius + down, f"rho_{hint}"))


def arm_rate(rim: Rim, w: Vec) -> Vec:
    """ρ̇ = R ḋ in F as C turns with ω = w against F.

    ȧ = ω × a;  b turns about e_z at ψ̇ = (b × ȧ)_z/s;  ḋ = ȧ_z b + a_z ψ̇ e_z × b + (a_z ȧ_z/s) e_z.
    """
    tape, a, b = rim.sine.tape, rim.axle, rim.heading
    if rim.radius.is_zero:
        return zero(tape)
    da = let_vec(w.cross(a), "da")
    turning = tape.let((b.x * da.y - b.y * da.x) * rim.inverse * a.z, "turning")
    rising = tape.let(a.z * da.z * rim.inverse, "rising")
    return let_vec(
        (b * da.z + Vec(-b.y, b.x, tape.zero) * turning + Vec(tape.zero, tape.zero, rising)) * rim.radius, "drho"
    )
