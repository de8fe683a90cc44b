"""World poses, COG Jacobian, centre of mass (§3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...program.tape import Scalar
from ..vector import Mat, Vec, identity, let_mat, let_sym, let_vec, zero
from .rnea import forward
from .segments import Column, Segment


@dataclass(frozen=True)
class Place:
    """World pose of a segment."""

    R: Mat
    p: Vec


def places(chain: Sequence[Segment]) -> list[Place]:
    """Root to leaves."""
    found: list[Place] = []
    for segment in chain:
        tape, name = segment.p.x.tape, segment.name
        tape.section(name)
        above = found[segment.parent] if segment.parent >= 0 else Place(identity(tape), zero(tape))
        R = let_mat(above.R @ segment.R, f"R_{name}")
        found.append(Place(R, let_vec(above.p + above.R.apply(segment.p), f"p_{name}")))
    return found


def links(chain: Sequence[Segment]) -> list[int]:
    """Segment of every body, in body order."""
    return [i for i, segment in enumerate(chain) if segment.link is not None]


def link_poses(chain: Sequence[Segment]) -> list[Scalar]:
    """(N, 4, 4) homogeneous poses of the user's link frames, row-major."""
    at = places(chain)
    entries: list[Scalar] = []
    for i in links(chain):
        segment, place = chain[i], at[i]
        R, p = place.R @ segment.link_R, place.p + place.R.apply(segment.link_p)
        tape = p.x.tape
        for row in range(3):
            entries += [*R.rows[row], p[row]]
        entries += [tape.zero, tape.zero, tape.zero, tape.one]
    return entries


def center(segment: Segment, place: Place) -> Vec:
    """World position of the link's centre of mass."""
    return let_vec(place.p + place.R.apply(segment.com), f"pG_{segment.name}")


def world_axis(column: Column, place: Place, hint: str) -> tuple[Vec, Vec]:
    """(angular, linear) part of a motion axis in world axes, linear at the segment's origin."""
    return let_vec(place.R.apply(column.angular), f"z_{hint}"), let_vec(place.R.apply(column.linear), f"l_{hint}")


def axis_rows(chain: Sequence[Segment], at: Sequence[Place]) -> list[Scalar]:
    """Rows [z; l; p] per motion axis, world axes: what loops over paths gather."""
    rows: list[Scalar] = []
    for segment, place in zip(chain, at, strict=True):
        for column in segment.columns:
            angular, linear = world_axis(column, place, segment.name)
            rows += [*(angular * column.factor), *(linear * column.factor), *place.p]
    return rows


def path(chain: Sequence[Segment], i: int) -> list[int]:
    """Segments from the root to i."""
    steps = []
    while i >= 0:
        steps.append(i)
        i = chain[i].parent
    return steps[::-1]


def twist_column(chain: Sequence[Segment], at: Sequence[Place], j: int, column: Column, point: Vec) -> list[Scalar]:
    """[z × (point − p_j) + l; z]: velocity of a world point and angular velocity per unit of the joint's rate."""
    angular, linear = world_axis(column, at[j], chain[j].name)
    arm = let_vec(point - at[j].p, "r")
    moved = linear + angular.cross(arm)
    return [entry * column.factor for entry in (*moved, *angular)]


def point_jacobian(chain: Sequence[Segment], at: Sequence[Place], i: int, point: Vec, nv: int) -> list[list[Scalar]]:
    """(6, nv) rows [linear; angular], world axes, of a world point fixed to segment i."""
    tape = point.x.tape
    rows = [[tape.zero] * nv for _ in range(6)]
    for j in path(chain, i):
        for column in chain[j].columns:
            for row, entry in enumerate(twist_column(chain, at, j, column, point)):
                rows[row][column.index] = tape.let(rows[row][column.index] + entry, "J")
    return rows


def cog_jacobian(chain: Sequence[Segment], nv: int) -> list[list[Scalar]]:
    """G (6N, nv): q̇_i = [ṗ_Gi; ω_i] = G_i v, world axes [S (2)(3)]."""
    at = places(chain)
    rows: list[list[Scalar]] = []
    for i in links(chain):
        rows += point_jacobian(chain, at, i, center(chain[i], at[i]), nv)
    return rows


def cog_bias(chain: Sequence[Segment], v: Sequence[Scalar]) -> list[Scalar]:
    """Ġv (6N): accelerations [p̈_Gi; ω̇_i] with v̇ = 0, world axes [S (4)]."""
    at = places(chain)
    tape = chain[0].p.x.tape
    motions = forward(chain, v, [tape.zero] * len(v), zero(tape))
    entries: list[Scalar] = []
    for i in links(chain):
        motion, R = motions[i], at[i].R
        entries += [*R.apply(let_vec(motion.a + motion.U.apply(chain[i].com), "aG")), *R.apply(motion.dw)]
    return entries


@dataclass(frozen=True)
class Subtree:
    """Mass and first moment (about the world origin) of a subtree."""

    m: Scalar
    s: Vec


def subtrees(chain: Sequence[Segment], at: Sequence[Place]) -> list[Subtree]:
    """Leaves to root; true masses."""
    total: list[Subtree] = []
    for segment, place in zip(chain, at, strict=True):
        c = center(segment, place)
        total.append(Subtree(segment.inertia.m, c * segment.inertia.m))
    for i in reversed(range(len(chain))):
        tape, name = chain[i].p.x.tape, chain[i].name
        total[i] = Subtree(tape.let(total[i].m, f"mt_{name}"), let_vec(total[i].s, f"st_{name}"))
        if (k := chain[i].parent) >= 0:
            total[k] = Subtree(total[k].m + total[i].m, total[k].s + total[i].s)
    return total


def whole(chain: Sequence[Segment], below: Sequence[Subtree]) -> tuple[Scalar, Vec, Scalar]:
    """(mass, centre of mass, 1/mass) of the mechanism."""
    tape = chain[0].p.x.tape
    m, s = tape.zero, zero(tape)
    for segment, subtree in zip(chain, below, strict=True):
        if segment.parent < 0:
            m, s = m + subtree.m, s + subtree.s
    if m.is_zero:
        return m, zero(tape), tape.zero
    inverse = tape.reciprocal(tape.let(m, "mass"), "imass")
    return m, let_vec(s * inverse, "com"), inverse


def com_jacobian(chain: Sequence[Segment], nv: int) -> list[list[Scalar]]:
    """(3, nv): Σ m_i G_i^lin / m, through the first moments of the subtrees."""
    at = places(chain)
    below = subtrees(chain, at)
    _, _, inverse = whole(chain, below)
    tape = chain[0].p.x.tape
    rows = [[tape.zero] * nv for _ in range(3)]
    for j, segment in enumerate(chain):
        for column in segment.columns:
            angular, linear = world_axis(column, at[j], segment.name)
            arm = let_vec(below[j].s - at[j].p * below[j].m, f"sr_{segment.name}")
            moved = let_vec(linear * below[j].m + angular.cross(arm), "mJ")
            for row in range(3):
                rows[row][column.index] = rows[row][column.index] + moved[row] * inverse * column.factor
    return rows


def com(chain: Sequence[Segment]) -> list[Scalar]:
    """(3) centre of mass, world axes, m."""
    return list(whole(chain, subtrees(chain, places(chain)))[1])


def world_inertia(segment: Segment, place: Place) -> Mat:
    """R I Rᵀ about the link's centre of mass, world axes."""
    return let_sym(let_mat(place.R @ segment.I_com, f"RI_{segment.name}") @ place.R.T, f"Iw_{segment.name}")
