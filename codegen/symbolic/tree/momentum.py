"""Velocities, energy and momentum of a tree, and what they are about the centre of mass (§3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.runtime.kinds import FLIGHT

from ...program.tape import Scalar, Tape
from ..vector import Vec, let_vec, zero
from .inertia import Inertia
from .kinematics import center, com, inverse_mass, places, subtrees, world_columns
from .mass_matrix import along, carried_up
from .rnea import forward, wrench
from .rotation import down, up
from .segments import Column, Segment


@dataclass(frozen=True)
class Twist:
    """ω and velocity of the origin in segment axes."""

    w: Vec
    u: Vec


def twists(chain: Sequence[Segment], v: Sequence[Scalar]) -> list[Twist]:
    """Root to leaves."""
    found: list[Twist] = []
    for segment in chain:
        name = segment.name
        above = _carried(segment, found)
        w_J, v_J = segment.speed(v)
        found.append(Twist(let_vec(above.w + w_J, f"w_{name}"), let_vec(above.u + v_J, f"u_{name}")))
    return found


def _carried(segment: Segment, found: Sequence[Twist]) -> Twist:
    """Of what a segment hangs on, at the segment's origin and in its axes; `found`: twists of all above it."""
    name, tape = segment.name, segment.p.x.tape
    if segment.parent < 0:
        return Twist(zero(tape), zero(tape))
    above = found[segment.parent]
    u = let_vec(above.u + above.w.cross(segment.p), f"up_{name}")
    return Twist(down(segment, above.w, f"wp_{name}"), down(segment, u, f"uq_{name}"))


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


def com_velocity_derivative(
    chain: Sequence[Segment], felt: Sequence[Segment], v: Sequence[Scalar]
) -> list[list[Scalar]]:
    """(3, nv) of the velocity of the centre of mass per motion of q, v as it is (§14); `felt`: regrouped inertias.

    Moved by an axis, the momentum P of the subtree turns, z × P, and carries the change V_λ × S of the velocity of its
    masses: m at the joint, and about it as they lie. What the joint does not move keeps its momentum.
    """
    moving, below, inverse = twists(felt, v), subtrees(felt), inverse_mass(chain)
    momenta = _subtree_momenta(felt, moving)

    def moved(j: int, column: Column) -> list[Vec]:
        above, z = _carried(felt[j], moving), column.angular
        turn = let_vec(above.w.cross(z), "zr")
        slide = let_vec(above.w.cross(column.linear) + above.u.cross(z), "lr")
        return [let_vec(z.cross(momenta[j]) + slide * below[j].m + turn.cross(below[j].s), "Pr") * inverse]

    return world_columns(felt, len(v), moved)


def _subtree_momenta(chain: Sequence[Segment], moving: Sequence[Twist]) -> list[Vec]:
    """Linear momentum of each subtree, in its segment's axes; leaves to root."""
    total = [_linear(segment, twist) for segment, twist in zip(chain, moving, strict=True)]
    for i in reversed(range(len(chain))):
        if (k := chain[i].parent) >= 0:
            total[k] = let_vec(total[k] + chain[i].R.apply(total[i]), f"P_{chain[k].name}")
    return total


def _linear(segment: Segment, twist: Twist) -> Vec:
    """m u + ω × s."""
    J = segment.inertia
    return let_vec(twist.u * J.m + twist.w.cross(J.s), f"P_{segment.name}")


def momentum(chain: Sequence[Segment], felt: Sequence[Segment], v: Sequence[Scalar]) -> list[Scalar]:
    """(6) linear momentum and angular momentum about the centre of mass, world axes; `felt`: regrouped inertias."""
    return _about_center(chain, *_of_segments(chain, felt, v))


def _of_segments(chain: Sequence[Segment], felt: Sequence[Segment], v: Sequence[Scalar]) -> tuple[list[Vec], list[Vec]]:
    """Linear momentum of each segment, and angular momentum about its origin, in its axes."""
    linear, angular = [], []
    for segment, twist in zip(felt, twists(chain, v), strict=True):
        J, name = segment.inertia, segment.name
        f, n = J.times(twist.w, twist.u)
        linear.append(let_vec(f, f"P_{name}"))
        angular.append(let_vec(n, f"L_{name}"))
    return linear, angular


def at_roots(felt: Sequence[Segment], v: Sequence[Scalar], roots: Sequence[int]) -> tuple[list[Scalar], list[Scalar]]:
    """Of all roots (segments) by turns: the rows of M v, and the block of M, row by row; `felt`: regrouped inertias."""
    linear, angular = _of_segments(felt, felt, v)
    _sum_at_roots(felt, linear, angular)
    composite = _composites(felt)
    rows: list[Scalar] = []
    blocks: list[Scalar] = []
    for i in roots:
        J = composite[i]
        for column in felt[i].columns:
            rows.append(along(column, linear[i], angular[i]) + column.armature * v[column.index])
            f, n = J.times(column.angular, column.linear)
            own = (other.armature if other is column else v[0].tape.zero for other in felt[i].columns)
            blocks += [along(other, f, n) + armature for other, armature in zip(felt[i].columns, own, strict=True)]
    return rows, blocks


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
    _sum_at_roots(chain, linear, angular)
    roots = [i for i, segment in enumerate(chain) if segment.parent < 0]
    if len(roots) == 1:
        root, R = roots[0], chain[roots[0]].R
        n = _moved(angular[root], _center_at_root(chain, root), linear[root])
        return [*R.apply(linear[root]), *R.apply(n)]
    f, n = zero(chain[0].p.x.tape), zero(chain[0].p.x.tape)
    for root in reversed(roots):
        force, moment = _at_parent(chain[root], linear[root], angular[root])
        f, n = f + force, n + moment
    return [*f, *_moved(n, com(chain), f)]


def _sum_at_roots(chain: Sequence[Segment], linear: list[Vec], angular: list[Vec]) -> None:
    """Sums over the subtrees in place, leaves to roots."""
    for i in reversed(range(len(chain))):
        if (k := chain[i].parent) >= 0:
            above = chain[k].name
            force, moment = _at_parent(chain[i], linear[i], angular[i])
            linear[k], angular[k] = let_vec(linear[k] + force, f"P_{above}"), let_vec(angular[k] + moment, f"L_{above}")


def _at_parent(segment: Segment, linear: Vec, angular: Vec) -> tuple[Vec, Vec]:
    """Both about the parent's origin in its axes."""
    force = up(segment, linear, f"Pp_{segment.name}")
    return force, segment.R.apply(angular) + segment.p.cross(force)


def _moved(n: Vec, point: Vec, f: Vec) -> Vec:
    """A moment about the point."""
    return let_vec(n - point.cross(let_vec(f, "P")), "L")


def _center_at_root(chain: Sequence[Segment], root: int) -> Vec:
    """Centre of mass of the only root with all that hangs on it, from its origin in its axes."""
    return let_vec(subtrees(chain)[root].s * inverse_mass(chain), "com")


def centroidal_momentum_matrix(chain: Sequence[Segment], felt: Sequence[Segment], nv: int) -> list[list[Scalar]]:
    """(6, nv) maps v to the centroidal momentum; `felt`: regrouped inertias.

    Wrench (f, n) of the composite inertia times each motion axis, in its segment's axes; n from the segment's origin to
    the centre of mass.
    """
    composite = _composites(felt)
    centers = _centers(chain, composite)

    def wrenches(j: int, column: Column) -> list[Vec]:
        J, name = composite[j], felt[j].name
        f, n = J.times(column.angular, column.linear)
        f = let_vec(f, f"f_{name}")
        return [f, let_vec(n - centers[j].cross(f), f"n_{name}")]

    return world_columns(felt, nv, wrenches)


def _composites(chain: Sequence[Segment]) -> list[Inertia]:
    """Inertia of each subtree as one rigid body, in its segment's axes; leaves to root."""
    total = [segment.inertia for segment in chain]
    for i in reversed(range(len(chain))):
        chain[i].p.x.tape.section(chain[i].name)
        total[i] = total[i].named(chain[i].name)
        if (k := chain[i].parent) >= 0:
            total[k] = total[k] + carried_up(chain[i], total[i])
    return total


def _centers(chain: Sequence[Segment], composite: Sequence[Inertia]) -> list[Vec]:
    """The centre of mass from each segment's origin in its axes; root to leaves.

    An only root that flies feels all masses, so that they are in its composite inertia.
    """
    tape, roots = chain[0].p.x.tape, [i for i, segment in enumerate(chain) if segment.parent < 0]
    flies = len(roots) == 1 and FLIGHT in chain[roots[0]].motions
    of_all = zero(tape) if flies else com(chain)
    found: list[Vec] = []
    for i, segment in enumerate(chain):
        if i in roots and flies:
            found.append(let_vec(composite[i].s * inverse_mass(chain), "com"))
            continue
        above = found[segment.parent] if segment.parent >= 0 else of_all
        arm = let_vec(above - segment.p, f"rp_{segment.name}")
        found.append(down(segment, arm, f"rC_{segment.name}"))
    return found
