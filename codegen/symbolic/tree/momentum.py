"""Velocities, energy and momentum of a tree, and what they are about the centre of mass (§3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...program.tape import Scalar, Tape
from ..vector import Mat, Vec, let_sym, let_vec, zero
from .kinematics import Place, center, places, subtrees, whole, world_axis, world_inertia
from .rnea import forward, wrench
from .rotation import up
from .segments import Segment


@dataclass(frozen=True)
class Twist:
    """ω and velocity of the origin in segment axes."""

    w: Vec
    u: Vec


def twists(chain: Sequence[Segment], v: Sequence[Scalar]) -> list[Twist]:
    """Root to leaves."""
    found: list[Twist] = []
    for segment in chain:
        tape, name = segment.p.x.tape, segment.name
        above = found[segment.parent] if segment.parent >= 0 else Twist(zero(tape), zero(tape))
        w_J, v_J = segment.speed(v)
        w = let_vec(segment.R.T.apply(above.w) + w_J, f"w_{name}")
        carried = let_vec(above.u + above.w.cross(segment.p), f"up_{name}")
        found.append(Twist(w, let_vec(segment.R.T.apply(carried) + v_J, f"u_{name}")))
    return found


def energy(chain: Sequence[Segment], v: Sequence[Scalar], gravity: Vec) -> list[Scalar]:
    """(2) kinetic ½ Σ (m ẋ² + ωᵀIω), potential −Σ m gᵀp_G; armature counts ½ I_a v²."""
    tape: Tape = chain[0].p.x.tape
    kinetic, potential = tape.zero, tape.zero
    at = places(chain)
    for segment, place, twist in zip(chain, at, twists(chain, v), strict=True):
        speed = let_vec(twist.u + twist.w.cross(segment.com), f"vG_{segment.name}")
        spin = let_vec(segment.I_com.apply(twist.w), f"Iw_{segment.name}")
        kinetic = kinetic + tape.let(speed.dot(speed), "vv") * segment.inertia.m + twist.w.dot(spin)
        for column in segment.columns:
            rate = tape.let(v[column.index] * column.factor, "rate")
            kinetic = kinetic + column.armature * tape.let(rate * rate, "vv")
        height = tape.let(gravity.dot(center(segment, place)), "h")
        potential = potential - height * segment.inertia.m
        kinetic, potential = tape.let(kinetic, "T"), tape.let(potential, "V")
    return [kinetic * 0.5, potential]


def com_velocity_derivative(chain: Sequence[Segment], v: Sequence[Scalar]) -> list[list[Scalar]]:
    """(3, nv) of the velocity of the centre of mass per motion of q, v as it is (§14).

    Moved by an axis, the momentum P of the subtree turns, z × P, and carries the change m V_λ × S at its mass centre.
    """
    at, moving = places(chain), twists(chain, v)
    below, momenta = subtrees(chain, at), _subtree_momenta(chain, at, moving)
    _, _, inverse = whole(chain, below)
    tape = chain[0].p.x.tape
    rows = [[tape.zero] * len(v) for _ in range(3)]
    for j, segment in enumerate(chain):
        name = segment.name
        tape.section(name)
        W, U = zero(tape), zero(tape)  # of what the joint hangs on: ω, and velocity at the segment's origin
        if segment.parent >= 0:
            R, above = at[segment.parent].R, moving[segment.parent]
            W, U = let_vec(R.apply(above.w), f"Wp_{name}"), R.apply(above.u + above.w.cross(segment.p))
        U = let_vec(U, f"Up_{name}")
        arm = let_vec(below[j].s - at[j].p * below[j].m, f"sr_{name}")
        for column in segment.columns:
            z, linear = world_axis(column, at[j], name)
            turn, slide = let_vec(W.cross(z), "zr"), let_vec(W.cross(linear) + U.cross(z), "lr")
            moved = let_vec(z.cross(momenta[j]) + slide * below[j].m + turn.cross(arm), "Pr")
            for row in range(3):
                rows[row][column.index] = rows[row][column.index] + moved[row] * inverse * column.factor
    return rows


def _subtree_momenta(chain: Sequence[Segment], at: Sequence[Place], moving: Sequence[Twist]) -> list[Vec]:
    """Linear momentum of each subtree, world axes; leaves to root."""
    total = []
    for segment, place, twist in zip(chain, at, moving, strict=True):
        speed = let_vec(twist.u + twist.w.cross(segment.com), f"vG_{segment.name}")
        total.append(let_vec(place.R.apply(speed) * segment.inertia.m, f"P_{segment.name}"))
    for i in reversed(range(len(chain))):
        if (k := chain[i].parent) >= 0:
            total[k] = let_vec(total[k] + total[i], f"Pt_{chain[k].name}")
    return total


def momentum(chain: Sequence[Segment], felt: Sequence[Segment], v: Sequence[Scalar]) -> list[Scalar]:
    """(6) linear momentum and angular momentum about the centre of mass, world axes; `felt`: regrouped inertias."""
    linear, angular = [], []
    for segment, twist in zip(felt, twists(chain, v), strict=True):
        J, name = segment.inertia, segment.name
        linear.append(let_vec(twist.u * J.m + twist.w.cross(J.s), f"P_{name}"))
        angular.append(let_vec(J.rotational.apply(twist.w) + J.s.cross(twist.u), f"L_{name}"))
    return _about_center(chain, linear, angular)


def momentum_rate(
    chain: Sequence[Segment], felt: Sequence[Segment], v: Sequence[Scalar], a: Sequence[Scalar]
) -> list[Scalar]:
    """(6) d/dt of `momentum`: the wrenches that move all links, about the centre of mass, world axes."""
    motions = forward(chain, v, a, zero(chain[0].p.x.tape))
    wrenches = [wrench(segment.inertia, motion) for segment, motion in zip(felt, motions, strict=True)]
    forces = [let_vec(F, f"F_{segment.name}") for segment, (F, _) in zip(chain, wrenches, strict=True)]
    return _about_center(chain, forces, [let_vec(N, f"N_{s.name}") for s, (_, N) in zip(chain, wrenches, strict=True)])


def _about_center(chain: Sequence[Segment], linear: list[Vec], angular: list[Vec]) -> list[Scalar]:
    """(6) sums of a vector and a moment of every segment, about its origin in its axes: in world axes, about the centre
    of mass. Leaves to root; a mechanism of one root is summed there, however far that is from the world's origin."""
    roots = [i for i, segment in enumerate(chain) if segment.parent < 0]
    whole_m, m, whole_s, s = _moments(chain, roots)
    f, n = zero(chain[0].p.x.tape), zero(chain[0].p.x.tape)
    for i in reversed(range(len(chain))):
        segment, k = chain[i], chain[i].parent
        if k < 0 and len(roots) == 1:
            break
        force = up(segment, linear[i], f"Pp_{segment.name}")
        moment, first = segment.R.apply(angular[i]) + segment.p.cross(force), segment.R.apply(s[i])
        if k >= 0:
            above = chain[k].name
            linear[k], angular[k] = let_vec(linear[k] + force, f"P_{above}"), let_vec(angular[k] + moment, f"L_{above}")
            s[k] = let_vec(s[k] + first, f"st_{above}")
        else:
            whole_s, f, n = whole_s + first, f + force, n + moment
    if len(roots) == 1:
        whole_m, whole_s, f, n = m[roots[0]], s[roots[0]], linear[roots[0]], angular[roots[0]]
    if whole_m.is_zero:
        return [*f, *n]
    tape = chain[0].p.x.tape
    center_of_all = let_vec(whole_s * tape.reciprocal(tape.let(whole_m, "mass"), "imass"), "com")
    n = let_vec(n - center_of_all.cross(let_vec(f, "P")), "L")
    if len(roots) == 1:
        f, n = chain[roots[0]].R.apply(f), chain[roots[0]].R.apply(n)
    return [*f, *n]


def _moments(chain: Sequence[Segment], roots: Sequence[int]) -> tuple[Scalar, list[Scalar], Vec, list[Vec]]:
    """Masses of all and of each subtree; first moments of all and of each segment with the masses that hang on it.

    Apart from what turns with the joints: of parameters alone, it stands before the loop over states, where a compiler
    fuses no product of it with a sum inside."""
    tape = chain[0].p.x.tape
    m, s = [segment.inertia.m for segment in chain], [segment.inertia.s for segment in chain]
    whole_m, whole_s = tape.zero, zero(tape)
    for i in reversed(range(len(chain))):
        k, hung = chain[i].parent, chain[i].p * m[i]
        if k >= 0:
            m[k], s[k] = tape.let(m[k] + m[i], f"mt_{chain[k].name}"), let_vec(s[k] + hung, f"st_{chain[k].name}")
        elif len(roots) > 1:
            whole_m, whole_s = whole_m + m[i], let_vec(whole_s + hung, "st")
    return whole_m, m, whole_s, s


def centroidal_momentum_matrix(chain: Sequence[Segment], nv: int) -> list[list[Scalar]]:
    """(6, nv) maps v to the centroidal momentum: subtree inertia about the centre of mass times each motion axis."""
    at = places(chain)
    below = subtrees(chain, at)
    _, origin, _ = whole(chain, below)
    tape = chain[0].p.x.tape
    about = _subtree_moments(chain, at, origin)
    rows = [[tape.zero] * nv for _ in range(6)]
    for j, segment in enumerate(chain):
        s = let_vec(below[j].s - origin * below[j].m, f"sG_{segment.name}")
        for column in segment.columns:
            angular, linear = world_axis(column, at[j], segment.name)
            u = let_vec(linear + angular.cross(let_vec(origin - at[j].p, "r")), "u")  # velocity carried to the COM
            P = let_vec(u * below[j].m + angular.cross(s), "P")
            L = about[j].apply(angular) + s.cross(u)
            for row, entry in enumerate((*P, *L)):
                rows[row][column.index] = rows[row][column.index] + entry * column.factor
    return rows


def _subtree_moments(chain: Sequence[Segment], at: Sequence[Place], origin: Vec) -> list[Mat]:
    """Moments of inertia of each subtree about a world point; leaves to root."""
    moments = []
    for segment, place in zip(chain, at, strict=True):
        r = let_vec(center(segment, place) - origin, f"r_{segment.name}")
        m, tape = segment.inertia.m, r.x.tape
        xx, yy, zz = (tape.let(e * e, "rr") for e in r)
        shift = Mat(
            (
                Vec(yy + zz, -(r.x * r.y), -(r.x * r.z)),
                Vec(-(r.x * r.y), xx + zz, -(r.y * r.z)),
                Vec(-(r.x * r.z), -(r.y * r.z), xx + yy),
            )
        )
        moments.append(let_sym(world_inertia(segment, place) + shift * m, f"Ic_{segment.name}"))
    for i in reversed(range(len(chain))):
        if (k := chain[i].parent) >= 0:
            moments[k] = let_sym(moments[k] + moments[i], f"It_{chain[k].name}")
    return moments
