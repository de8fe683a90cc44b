"""What a step with contact needs of the tree, once and shared: L, D of M = LᵀDL, half a solve, poses, motion axes.

Contacts are forces at points of links. With y = L⁻ᵀJᵀ the rows of a link's Jacobian meet in J M⁻¹ Jᵀ = yᵀD⁻¹y, and
v̇ = L⁻¹D⁻¹(L⁻ᵀ(τ − h) + y f): the first half of the solve is done before the forces are known, the second once after.
In mechanisms with loops only poses and axes are straight-line code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...mechanism.mechanism import Mechanism
from ...program.tape import Scalar
from ...program.types import Function
from ..symbols import Coordinate
from ..tree import kinematics, mass_matrix, rnea
from ..tree.factor import descend, factorise, on_diagonal
from ..tree.kinematics import path, world_axis
from ..tree.segments import Segment
from ..vector import Vec, let_vec
from ..workbench import Workbench, written


@dataclass(frozen=True)
class ContactTerms:
    """The two functions of a step, and the tables that go with their arrays.

    `terms`: (q, v, tau, d) → z (nv) = L⁻ᵀ(τ − h), iD (nv) = 1/D, L (entries), and of S links, if there are some, poses
    (S, 12) rows [R | p], origins (S, 3) and axes (A, 8) [velocity at the origin; angular velocity; 0 0] per unit of v.
    The origin is a place of the tree that a link hangs in, in world axes: what links answer is then as exact anywhere
    in the world.
    `finish`: (L, z) → a. `pattern`: columns j < k of each row k of L, in the order of L. `columns`: (axis, dof) on the
    path of each link. `support`: dofs, ascending, in which y of each link is not zero.
    """

    terms: Function
    finish: Function
    pattern: tuple[tuple[int, ...], ...]
    columns: tuple[tuple[tuple[int, int], ...], ...]
    support: tuple[tuple[int, ...], ...]


def contact_terms(mechanism: Mechanism, links: Sequence[int]) -> ContactTerms:
    """For the links (numbers of bodies) that may touch; d (nv) is added to the diagonal of M.

    ModelError if M is singular.
    """
    pattern: list[tuple[int, ...]] = []
    columns: list[tuple[tuple[int, int], ...]] = []

    def build(w: Workbench) -> None:
        rows, half, inverse = _half_solve(w, w.v, w.tau, dict(enumerate(w.extra)))
        pattern[:] = [tuple(row) for row in rows]
        w.tape.output("z", (w.nv,), half)
        w.tape.output("iD", (w.nv,), inverse)
        entries = [entry for row in rows for entry in row.values()] or [w.tape.zero]
        w.tape.output("L", (len(entries),), entries)
        if links:
            columns[:] = _places(w, links)

    title = "what the links that may touch share in a step" if links else "what the rows of a step share"
    terms = written(mechanism, "contact_terms", title, build)
    support = tuple(carried({dof for _, dof in own}, pattern) for own in columns)
    return ContactTerms(terms, _finish(mechanism, pattern), tuple(pattern), tuple(columns), support)


@dataclass(frozen=True)
class ContactPlaces:
    """`places`: q → poses (S, 12), axes (A, 8), origins (S, 3) of the S links; `columns`: all as in `ContactTerms`."""

    places: Function
    columns: tuple[tuple[tuple[int, int], ...], ...]


def contact_places(mechanism: Mechanism, links: Sequence[int]) -> ContactPlaces:
    """For the links that may touch of a mechanism with loops, whose A = WᵀMW is factored while it runs."""
    columns: list[tuple[tuple[int, int], ...]] = []

    def build(w: Workbench) -> None:
        columns[:] = _places(w, links)

    places = written(mechanism, "contact_places", "where the links that may touch are and how they move", build)
    return ContactPlaces(places, tuple(columns))


def _half_solve(
    w: Workbench, v: Sequence[Scalar], tau: Sequence[Scalar], d: Mapping[int, Scalar]
) -> tuple[tuple[dict[int, Scalar], ...], list[Scalar], tuple[Scalar, ...]]:
    """Rows of L, L⁻ᵀ(τ − h), 1/D of M + diag d."""
    M = mass_matrix.by_composite_inertias(w.chain, w.nv)
    h = rnea.inverse_dynamics(w.chain, v, w.rest, w.gravity)
    factor = factorise(on_diagonal(M, d))
    right = [w.tape.let(t - b, "r") for t, b in zip(tau, h, strict=True)]
    return factor.L, descend(factor, right), factor.inverse_D


def _places(w: Workbench, links: Sequence[int]) -> list[tuple[tuple[int, int], ...]]:
    """Outputs poses, axes and origins, of each tree its first link; (axis, dof) of the columns on each link's path."""
    at = kinematics.places(w.true)
    carriers = kinematics.links(w.true)
    poses: list[Scalar] = []
    axes: list[Scalar] = []
    origins: dict[int, Vec] = {}
    seen_from: list[Scalar] = []
    numbers: dict[int, list[tuple[int, int]]] = {}
    columns = []
    for link in links:
        i = carriers[link]
        segment, place = w.true[i], at[i]
        R, p = place.R @ segment.link_R, place.p + place.R.apply(segment.link_p)
        for row in range(3):
            poses += [*R.rows[row], p[row]]
        steps = path(w.true, i)
        origin = origins.setdefault(steps[0], place.p)
        seen_from += origin
        for j in steps:
            if j not in numbers:
                numbers[j] = [(len(axes) // 8 + k, column.index) for k, column in enumerate(w.true[j].columns)]
                axes += _axes(w.true[j], at[j], origin)
        columns.append(tuple(pair for j in steps for pair in numbers[j]))
    w.tape.output("poses", (len(links), 12), poses)
    w.tape.output("axes", (len(axes) // 8, 8), axes)
    w.tape.output("origins", (len(links), 3), seen_from)
    return columns


def _axes(segment: Segment, place: kinematics.Place, origin: Vec) -> list[Scalar]:
    entries: list[Scalar] = []
    arm = let_vec(place.p - origin, f"o_{segment.name}")
    for column in segment.columns:
        angular, linear = world_axis(column, place, segment.name)
        moved = linear + arm.cross(angular)
        o = place.p.x.tape.zero
        entries += [*(entry * column.factor for entry in (*moved, *angular)), o, o]
    return entries


def carried(dofs: set[int], pattern: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Where L⁻ᵀ carries entries at `dofs`."""
    found = set(dofs)
    for k in reversed(range(len(pattern))):
        if k in found:
            found.update(pattern[k])
    return tuple(sorted(found))


def _finish(mechanism: Mechanism, pattern: Sequence[tuple[int, ...]]) -> Function:
    """a = L⁻¹ z, z = D⁻¹ times what the first half left."""

    pattern = tuple(pattern)

    def build(w: Workbench) -> None:
        count = max(1, sum(map(len, pattern)))
        L = iter(w.tape.input("L", [Coordinate(f"L[{i}]", real=True) for i in range(count)]))
        x = list(w.tape.input("z", [Coordinate(f"z[{i}]", real=True) for i in range(w.nv)]))
        for k, row in enumerate(pattern):
            for j in row:
                x[k] = x[k] - next(L) * x[j]
            x[k] = w.tape.let(x[k], f"x_{k}")
        w.tape.output("a", (w.nv,), x)

    return written(mechanism, "contact_finish", "acceleration from z = 1/D (L'^-1 (tau - h) + y f)", build)
