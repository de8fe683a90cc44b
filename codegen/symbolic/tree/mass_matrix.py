"""Mass matrix of the tree: by composite inertias and by unit vectors (§7)."""

from __future__ import annotations

from collections.abc import Sequence

from kinegen.runtime.kinds import FLIGHT

from ...program.tape import Scalar, Tape
from ..vector import Vec, identity, let_mat, let_sym, let_vec, outer, zero
from .inertia import Inertia
from .kinematics import Place, world_axis
from .rnea import inverse_dynamics, still
from .rotation import up, up_symmetric
from .segments import Column, Segment
from .walk import visits

Rows = list[dict[int, Scalar]]


def carried_up(segment: Segment, J: Inertia) -> Inertia:
    """T J Tᵀ: turned by R, shifted by p; Σ' = RΣRᵀ + p s'ᵀ + (s' + m p) pᵀ."""
    name, p = segment.name, segment.p
    s = up(segment, J.s, f"sp_{name}")
    S = up_symmetric(segment, J.S, f"Sp_{name}")
    shifted = let_vec(s + p * J.m, f"sq_{name}")
    return Inertia(J.m, shifted, S + outer(p, s) + outer(shifted, p))


def by_composite_inertias(chain: Sequence[Segment], nv: int) -> Rows:
    """M_ij = S_iᵀ (I^c S_j carried up to i), j ≤ i, of joints on a common path."""
    tape = chain[0].p.x.tape
    M: Rows = [{i: tape.zero} for i in range(nv)]
    composite = [segment.inertia for segment in chain]  # of the subtree, as one rigid body in segment axes
    for i, leaving in visits(chain):
        if not leaving:
            continue
        segment = chain[i]
        tape.section(segment.name)
        J = composite[i].named(segment.name)
        for k, column in enumerate(segment.columns):
            f, n = J.times(column.angular, column.linear)
            f, n = let_vec(f, f"f_{segment.name}"), let_vec(n, f"n_{segment.name}")
            _add(M, column, column, along(column, f, n) + column.armature)
            for other in segment.columns[:k]:
                _add(M, column, other, along(other, f, n))
            _carry_up(chain, i, column, f, n, M)
        if segment.parent >= 0:
            up_J = composite[segment.parent] + carried_up(segment, J)
            composite[segment.parent] = up_J.named(chain[segment.parent].name)
    return M


def _carry_up(chain: Sequence[Segment], i: int, column: Column, f: Vec, n: Vec, M: Rows) -> None:
    """Rows of the ancestors in the column of one joint axis."""
    while chain[i].parent >= 0:
        segment = chain[i]
        f = up(segment, f, f"f_{segment.name}")
        n = let_vec(segment.R.apply(n) + segment.p.cross(f), f"n_{segment.name}")
        i = segment.parent
        for other in chain[i].columns:
            _add(M, column, other, along(other, f, n))


def along(column: Column, f: Vec, n: Vec) -> Scalar:
    """Part of a wrench that acts along a motion axis."""
    return column.angular.dot(n) + column.linear.dot(f)


def _add(M: Rows, a: Column, b: Column, value: Scalar) -> None:
    """Two different segments may share one coordinate (mimic joints)."""
    tape, value = value.tape, value * (a.factor * b.factor)
    i, j = max(a.index, b.index), min(a.index, b.index)
    if i == j and a is not b:
        value = value * 2.0
    M[i][j] = tape.let(M[i].get(j, tape.zero) + value, "M")


def by_unit_vectors(chain: Sequence[Segment], nv: int) -> list[list[Scalar]]:
    """Column i = ID(q, 0, e_i) without gravity: touches only the subtree of i and its ancestors [N98 §2.4]."""
    tape: Tape = chain[0].p.x.tape
    nothing = zero(tape)
    columns = []
    for i in range(nv):
        a = [tape.one if k == i else tape.zero for k in range(nv)]
        columns.append(inverse_dynamics(chain, still(tape, nv), a, nothing))
    return [[columns[max(i, j)][min(i, j)] for j in range(nv)] for i in range(nv)]


def composite_columns(chain: Sequence[Segment]) -> list[tuple[Column, Vec, Vec, Vec, Vec]]:
    """(column, z, l, n, f) of every motion axis: its twist and the wrench that accelerates the subtree along it.

    All in axes and about the origin of the tree's base (world, or the floating base itself), so that
    M_ij = z_j·n_i + l_j·f_i for every axis j on the path to i: a loop of six products a pair, linear text.
    """
    tape = chain[0].p.x.tape
    at: list[Place] = []
    for segment in chain:
        tape.section(segment.name)
        above = at[segment.parent] if segment.parent >= 0 else Place(identity(tape), zero(tape))
        if segment.parent < 0 and FLIGHT in segment.motions:
            at.append(above)
            continue
        R = let_mat(above.R @ segment.R, f"R_{segment.name}")
        at.append(Place(R, let_vec(above.p + above.R.apply(segment.p), f"p_{segment.name}")))
    bodies = [about_base(segment, place) for segment, place in zip(chain, at, strict=True)]
    for i in reversed(range(len(chain))):  # leaves to root
        bodies[i] = bodies[i].named(chain[i].name)
        if chain[i].parent >= 0:
            bodies[chain[i].parent] = bodies[chain[i].parent] + bodies[i]
    found = []
    for segment, place, J in zip(chain, at, bodies, strict=True):
        tape.section(f"{segment.name}, columns")
        for column in segment.columns:
            z, linear = world_axis(column, place, segment.name)
            u = let_vec(linear - z.cross(place.p), f"u_{segment.name}")
            f, n = J.times(z, u)
            f, n = let_vec(f, f"f_{segment.name}"), let_vec(n, f"n_{segment.name}")
            found.append((column, z * column.factor, u * column.factor, n * column.factor, f * column.factor))
    return found


def about_base(segment: Segment, place: Place) -> Inertia:
    """Inertia of a segment in the axes and about the origin in which its place is given."""
    J, name, R, p = segment.inertia, segment.name, place.R, place.p
    s = let_vec(R.apply(J.s), f"sp_{name}")
    S = let_sym(let_mat(R @ J.S, f"RS_{name}") @ R.T, f"Sp_{name}")
    shifted = let_vec(s + p * J.m, f"sq_{name}")
    return Inertia(J.m, shifted, S + outer(p, s) + outer(shifted, p)).named(name)
