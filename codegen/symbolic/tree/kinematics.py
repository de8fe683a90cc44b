"""World poses, COG Jacobian, centre of mass (§3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """Mass and first moment of a subtree about its segment's origin, in its segment's axes."""

    m: Scalar
    s: Vec


def subtrees(chain: Sequence[Segment]) -> list[Subtree]:
    """Leaves to root; `chain` may carry regrouped inertias.

    Masses where joints hang come first, apart from what turns with the joints: of parameters alone, they stand before
    the loop over states, where a compiler fuses no product of them with a sum inside.
    """
    m, s = [segment.inertia.m for segment in chain], [segment.inertia.s for segment in chain]
    hanging = [(i, k) for i in reversed(range(len(chain))) if (k := chain[i].parent) >= 0]
    for i, k in hanging:
        tape, above = chain[i].p.x.tape, chain[k].name
        s[k] = let_vec(s[k] + chain[i].p * m[i], f"st_{above}")
        m[k] = tape.let(m[k] + m[i], f"mt_{above}")
    for i, k in hanging:
        s[k] = let_vec(s[k] + chain[i].R.apply(s[i]), f"st_{chain[k].name}")
    return [Subtree(*each) for each in zip(m, s, strict=True)]


def total_mass(chain: Sequence[Segment]) -> Scalar:
    """Of all links; true inertias."""
    tape = chain[0].p.x.tape
    return tape.let(sum((segment.inertia.m for segment in chain), tape.zero), "mass")


def inverse_mass(chain: Sequence[Segment]) -> Scalar:
    """1/mass of all links, 0 of none; true inertias."""
    m = total_mass(chain)
    return m if m.is_zero else m.tape.reciprocal(m, "imass")


def com(chain: Sequence[Segment]) -> Vec:
    """Centre of mass, world axes, m; true inertias."""
    s, below = zero(chain[0].p.x.tape), subtrees(chain)
    roots = [i for i, segment in enumerate(chain) if segment.parent < 0]
    for i in roots:
        s = let_vec(s + chain[i].p * below[i].m, "st")
    for i in roots:
        s = s + chain[i].R.apply(below[i].s)
    return let_vec(s * inverse_mass(chain), "com")


def com_jacobian(chain: Sequence[Segment], felt: Sequence[Segment], nv: int) -> list[list[Scalar]]:
    """(3, nv): Σ m_i G_i^lin / m, through the first moments of the subtrees; `felt`: regrouped inertias."""
    below, inverse = subtrees(felt), inverse_mass(chain)

    def moved(j: int, column: Column) -> list[Vec]:
        moment = let_vec(column.linear * below[j].m + column.angular.cross(below[j].s), f"mJ_{felt[j].name}")
        return [let_vec(moment * inverse, f"J_{felt[j].name}")]

    return world_columns(felt, nv, moved)


def world_columns(chain: Sequence[Segment], nv: int, of: Callable[[int, Column], Sequence[Vec]]) -> list[list[Scalar]]:
    """(3k, nv) in world axes of the k vectors that `of` gives for a motion axis of a segment, in its axes."""
    rows: list[list[Scalar]] = []
    for j, (segment, place) in enumerate(zip(chain, places(chain), strict=True)):
        tape = segment.p.x.tape
        tape.section(segment.name)
        for column in segment.columns:
            own = [let_vec(vector * column.factor, f"t_{segment.name}") for vector in of(j, column)]
            entries = [entry for vector in own for entry in place.R.apply(vector)]
            rows = rows or [[tape.zero] * nv for _ in entries]
            for row, entry in zip(rows, entries, strict=True):
                row[column.index] = row[column.index] + entry
    return rows


def world_inertia(segment: Segment, place: Place) -> Mat:
    """R I Rᵀ about the link's centre of mass, world axes."""
    return let_sym(let_mat(place.R @ segment.I_com, f"RI_{segment.name}") @ place.R.T, f"Iw_{segment.name}")
