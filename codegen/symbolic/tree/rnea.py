"""Inverse dynamics of the tree by recursion in link frames (§5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...program.tape import Scalar, Tape
from ..vector import Mat, Vec, let_mat, let_vec, zero, zeros
from .inertia import Inertia
from .rotation import down, up
from .segments import Segment
from .walk import visits_side_by_side


@dataclass(frozen=True)
class Motion:
    """ω, ω̇ and classical acceleration a of a segment's origin in segment axes; U = [ω̇]ₓ + [ω]ₓ[ω]ₓ."""

    w: Vec
    dw: Vec
    a: Vec
    U: Mat


def acceleration_matrix(w: Vec, dw: Vec, hint: str) -> Mat:
    """U = [ω̇]ₓ + [ω]ₓ[ω]ₓ."""
    tape = w.x.tape
    xx, yy, zz = (tape.let(e * e, f"ww_{hint}") for e in w)
    xy, xz, yz = (tape.let(a * b, f"ww_{hint}") for a, b in ((w.x, w.y), (w.x, w.z), (w.y, w.z)))
    return let_mat(
        Mat(
            (
                Vec(-yy - zz, xy - dw.z, xz + dw.y),
                Vec(xy + dw.z, -xx - zz, yz - dw.x),
                Vec(xz - dw.y, yz + dw.x, -xx - yy),
            )
        ),
        f"U_{hint}",
    )


def world_motion(gravity: Vec) -> Motion:
    """Gravity enters as a_world = −g."""
    tape = gravity.x.tape
    return Motion(zero(tape), zero(tape), -gravity, zeros(tape))


def moved(segment: Segment, above: Motion, v: Sequence[Scalar], a: Sequence[Scalar]) -> Motion:
    """Motion of a segment from its parent's."""
    name = segment.name
    w_J, v_J = segment.speed(v)
    dw_J, dv_J = segment.speed(a)
    w_above = down(segment, above.w, f"wp_{name}")
    w = let_vec(w_above + w_J, f"w_{name}")
    dw = let_vec(down(segment, above.dw, f"dwp_{name}") + dw_J + w_above.cross(w_J), f"dw_{name}")
    carried = let_vec(above.a + above.U.apply(segment.p), f"ap_{name}")
    coriolis = let_vec(w_above * 2.0 + w_J, f"w2_{name}").cross(v_J)
    acceleration = let_vec(down(segment, carried, f"a_{name}") + dv_J + coriolis, f"a_{name}")
    return Motion(w, dw, acceleration, acceleration_matrix(w, dw, name))


def forward(chain: Sequence[Segment], v: Sequence[Scalar], a: Sequence[Scalar], gravity: Vec) -> list[Motion]:
    """Motions of all segments, root to leaves."""
    motions: list[Motion] = []
    for segment in chain:
        gravity.x.tape.section(segment.name)
        above = motions[segment.parent] if segment.parent >= 0 else world_motion(gravity)
        motions.append(moved(segment, above, v, a))
    return motions


def wrench(J: Inertia, motion: Motion) -> tuple[Vec, Vec]:
    """(F, N) about the origin: F = m a + U s, N = vee(UΣ − (UΣ)ᵀ) + s × a."""
    U, S = motion.U, J.S
    product = U @ S
    moment = Vec(product[2, 1] - product[1, 2], product[0, 2] - product[2, 0], product[1, 0] - product[0, 1])
    return motion.a * J.m + U.apply(J.s), moment + J.s.cross(motion.a)


@dataclass
class _Forces:
    """Wrenches that move the segments, and the torques found so far."""

    f: dict[int, Vec]
    n: dict[int, Vec]
    tau: list[Scalar]

    def leave(self, chain: Sequence[Segment], i: int, a: Sequence[Scalar]) -> None:
        """Project the wrench of a finished subtree on its joint and hand it to the parent."""
        segment, name = chain[i], chain[i].name
        tape = segment.p.x.tape
        f, n = let_vec(self.f.pop(i), f"f_{name}"), let_vec(self.n.pop(i), f"n_{name}")
        for column in segment.columns:
            along = column.angular.dot(n) + column.linear.dot(f)
            along = along * column.factor + column.armature * a[column.index] * (column.factor * column.factor)
            self.tau[column.index] = tape.let(self.tau[column.index] + along, f"tau_{name}")
        if segment.parent >= 0:
            f_up = up(segment, f, f"fp_{name}")
            n_up = segment.R.apply(n) + segment.p.cross(f_up)
            self.f[segment.parent] = let_vec(self.f[segment.parent] + f_up, f"f_{chain[segment.parent].name}")
            self.n[segment.parent] = let_vec(self.n[segment.parent] + n_up, f"n_{chain[segment.parent].name}")


def inverse_dynamics(chain: Sequence[Segment], v: Sequence[Scalar], a: Sequence[Scalar], gravity: Vec) -> list[Scalar]:
    """τ (nv) of the open chain; `chain` may carry regrouped inertias."""
    tape = gravity.x.tape
    motions: dict[int, Motion] = {-1: world_motion(gravity)}
    forces = _Forces({}, {}, still(tape, len(v)))
    for i, leaving in visits_side_by_side(chain):
        segment = chain[i]
        tape.section(f"{segment.name}, back" if leaving else segment.name)
        if leaving:
            forces.leave(chain, i, a)
            continue
        motions[i] = moved(segment, motions[segment.parent], v, a)
        F, N = wrench(segment.inertia, motions[i])
        forces.f[i], forces.n[i] = let_vec(F, f"f_{segment.name}"), let_vec(N, f"n_{segment.name}")
    return forces.tau


def still(tape: Tape, nv: int) -> list[Scalar]:
    """nv zeros: what is specialised away symbolically."""
    return [tape.zero] * nv
