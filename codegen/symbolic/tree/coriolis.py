"""Ġ, and the matrix C(q, v) with c = C v for which Ṁ − 2C is skew, for quasi-velocities too (§3).

C = Σ_i G_iᵀ ( M̂_i Ġ_i + D_i G_i ),  D_i = ½ ( [ω]I − I[ω] − [Iω] ) on the angular rows, world axes.

D ω = ω × Iω, and with M̂̇ = [ω]I − I[ω] the rest M̂̇ − 2D = [Iω] is skew, hence so is
Ṁ − 2C = Σ ( Ġᵀ M̂ G − Gᵀ M̂ Ġ + Gᵀ [Iω] G ). Where q̇ = v this is the matrix of the Christoffel symbols [Echeandia21].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...mechanism.mechanism import Mechanism
from ...program.tape import Scalar
from ...program.types import Function
from ..vector import Mat, Vec, let_vec, zero
from ..workbench import Workbench, written
from .kinematics import Place, center, links, path, places, world_axis, world_inertia
from .segments import Segment


@dataclass(frozen=True)
class Moving:
    """World velocities of a segment: of its origin, and angular."""

    u: Vec
    w: Vec


@dataclass(frozen=True)
class Axis:
    """One motion axis as a link feels it: its columns of G and Ġ (linear, angular), times its coordinate's factor."""

    index: int
    linear: Vec
    angular: Vec
    linear_rate: Vec
    angular_rate: Vec


def derive_coriolis_matrix(mechanism: Mechanism) -> Function:
    """(nv, nv) C(q, v): C v = coriolis, Ṁ − 2C skew."""

    def build(w: Workbench) -> None:
        _, _ = w.q, w.v
        w.tape.output("C", (w.nv, w.nv), [entry for row in _coriolis(w) for entry in row])

    return written(mechanism, "coriolis_matrix", "C(q, v) of c = C v with dM/dt - 2 C skew", build)


def derive_cog_jacobian_rate(mechanism: Mechanism) -> Function:
    """Ġ (6N, nv), world axes [S (4)]."""

    def build(w: Workbench) -> None:
        _, _ = w.q, w.v
        at, moving = places(w.true), _velocities(w.true, w.v)
        rows: list[list[Scalar]] = []
        for i in links(w.true):
            block = [[w.tape.zero] * w.nv for _ in range(6)]
            for axis in _axes(w.true, at, moving, i):
                for row, entry in enumerate((*axis.linear_rate, *axis.angular_rate)):
                    block[row][axis.index] = w.tape.let(block[row][axis.index] + entry, "dG")
            rows += block
        w.tape.output("dG", (len(rows), w.nv), [entry for row in rows for entry in row])

    return written(mechanism, "cog_jacobian_rate", "rate dG/dt of the COG Jacobian, world axes", build)


def _coriolis(w: Workbench) -> list[list[Scalar]]:
    tape, at, moving = w.tape, places(w.true), _velocities(w.true, w.v)
    C = [[tape.zero] * w.nv for _ in range(w.nv)]
    for i in links(w.true):
        m, inertia, omega = w.true[i].inertia.m, world_inertia(w.true[i], at[i]), moving[i].w
        axes = list(_axes(w.true, at, moving, i))
        for column in axes:
            force = let_vec(column.linear_rate * m, "f")
            moment = let_vec(inertia.apply(column.angular_rate) + _gyroscopic(inertia, omega, column.angular), "n")
            for row in axes:
                entry = row.linear.dot(force) + row.angular.dot(moment)
                C[row.index][column.index] = tape.let(C[row.index][column.index] + entry, "C")
    return C


def _gyroscopic(inertia: Mat, omega: Vec, x: Vec) -> Vec:
    """D x = ½ ( ω × I x − I (ω × x) − Iω × x )."""
    turned = omega.cross(inertia.apply(x)) - inertia.apply(omega.cross(x)) - inertia.apply(omega).cross(x)
    return let_vec(turned * 0.5, "D")


def _velocities(chain: Sequence[Segment], v: Sequence[Scalar]) -> list[Moving]:
    """Root to leaves."""
    at = places(chain)
    found: list[Moving] = []
    for segment, place in zip(chain, at, strict=True):
        nothing = zero(place.p.x.tape)
        above = found[segment.parent] if segment.parent >= 0 else Moving(nothing, nothing)
        arm = place.p - at[segment.parent].p if segment.parent >= 0 else place.p
        w_J, v_J = segment.speed(v)
        u = let_vec(above.u + above.w.cross(arm) + place.R.apply(v_J), f"u_{segment.name}")
        found.append(Moving(u, let_vec(above.w + place.R.apply(w_J), f"w_{segment.name}")))
    return found


def _axes(chain: Sequence[Segment], at: Sequence[Place], moving: Sequence[Moving], i: int) -> list[Axis]:
    """Of the joints from the root to link segment i, at the link's centre of mass; axes turn with their segment."""
    G = center(chain[i], at[i])
    u_G = let_vec(moving[i].u + moving[i].w.cross(G - at[i].p), "uG")
    found = []
    for j in path(chain, i):
        r = let_vec(G - at[j].p, "r")
        r_rate = let_vec(u_G - moving[j].u, "dr")
        for column in chain[j].columns:
            z, slide = world_axis(column, at[j], chain[j].name)
            dz, slide_rate = moving[j].w.cross(z), moving[j].w.cross(slide)
            found.append(
                Axis(
                    column.index,
                    let_vec(slide + z.cross(r), "G") * column.factor,
                    z * column.factor,
                    let_vec(slide_rate + dz.cross(r) + z.cross(r_rate), "dG") * column.factor,
                    let_vec(dz, "dz") * column.factor,
                )
            )
    return found
