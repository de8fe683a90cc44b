"""Functions of a mechanism with permanent loops for a fixed partition: closed forward dynamics, H, W and projection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate

from kinegen.runtime.errors import InternalError

from ...mechanism.mechanism import Mechanism
from ...program.limbs import Lane
from ...program.tape import Scalar, Tape
from ...program.types import Function
from ..limbs import limbs_of
from ..tree import mass_matrix, rnea
from ..tree.articulated import Forced
from ..tree.factor import square
from ..workbench import Workbench, written
from . import closure, cut_joint
from .closed import Closed, Eliminated, Partition, Pulled, by_independent, by_multipliers, dot, eliminated, extremes
from .clusters import by_clusters
from .left_out import LEAST, Scales, left_out, proven

DENSE_ROUTES = ("multipliers", "independent")  # by M of the whole tree
ROUTES = (*DENSE_ROUTES, "clusters")


def derive_closed(
    mechanism: Mechanism,
    partition: Partition,
    route: str,
    scales: Scales,
    massless: bool = False,
    added: Sequence[int] = (),
) -> Function:
    """(q, v, tau) → accelerations a (nv) and quality (1), by one of ROUTES; (q, v, tau, d) where `added` names
    velocities: their entries of d stand beside those of M on its diagonal.

    The quality is that of the pivots, and next to nothing if a row that the partition leaves out is not met.
    `massless`: M may be singular; the quality then counts the pivots of A too.
    """

    def build(w: Workbench) -> None:
        accelerated(w, partition, route, scales, massless, added)

    if route not in ROUTES:
        raise InternalError(f"no closed route '{route}'")
    title = {
        "multipliers": "acceleration under closed loops, by multipliers through M = L'DL",
        "independent": "acceleration under closed loops, by A = W'MW",
        "clusters": "acceleration under closed loops, along clusters of them",
    }[route]
    return written(mechanism, "forward_dynamics", title, build)


def derive_factored(
    mechanism: Mechanism, partition: Partition, scales: Scales, massless: bool = False, added: Sequence[int] = ()
) -> Function:
    """The same by independent coordinates, and what answers forces at q: H (m, nf) and A = WᵀMW = LᵀDL, `factor`
    (nf, nf) with L below the diagonal, `inverse` (nf) with 1/D."""

    def build(w: Workbench) -> None:
        closed = accelerated(w, partition, "independent", scales, massless, added)
        rows, zero = closed.factor.L, w.tape.zero
        n = len(rows)
        w.tape.output("H", (len(closed.H), n), [entry for row in closed.H for entry in row])
        w.tape.output("factor", (n, n), [rows[i].get(j, zero) for i in range(n) for j in range(n)])
        w.tape.output("inverse", (n,), list(closed.factor.inverse_D))

    title = "acceleration under closed loops, by A = W'MW = L'DL, with H and the factor"
    return written(mechanism, "forward_dynamics_factored", title, build)


def accelerated(
    w: Workbench,
    partition: Partition,
    route: str,
    scales: Scales,
    massless: bool,
    added: Sequence[int],
    damped: Sequence[int] = (),
) -> Closed:
    """Outputs a and quality; `damped`: loops whose cut joints have dampers at the end of a step, M + diag d +
    Cᵀ diag d_cut C stands in place of M, C the velocities of the cut joints per v, all plain."""
    _, v, tau = w.q, w.v, w.tau
    if route == "clusters":
        K, drift = _rows(w)
        extra = {i: w.extra[i] for i in added}
        closed = by_clusters(Forced(w.chain, v, tau, w.gravity, extra), w.loops, K, drift, partition)
    else:
        M, force = _open_tree(w, added)
        pulled = _pulled(w, damped) if damped else []
        K, drift = _rows(w)
        closed = _ROUTES[route](M, K, drift, force, partition, massless, pulled, _limbs(w))
    rest = left_out(K, drift, partition.rows)
    w.tape.output("a", (w.nv,), closed.a)
    quality = w.tape.let(proven(closed.quality, closed.a, v, K, drift, rest, scales), "quality")
    w.tape.output("quality", (1,), [quality])
    return closed


def _limbs(w: Workbench) -> list[list[int]]:
    """The velocities of each limb that is like others."""
    places: dict[Lane, list[int]] = {}
    for (vector, i), (lane, _) in limbs_of(w.mechanism.tree).places.items():
        if vector == "v":
            places.setdefault(lane, []).append(i)
    return list(places.values())


def _pulled(w: Workbench, damped: Sequence[int]) -> list[Pulled]:
    """Of each velocity of the cut joints of these loops what it adds to M, and its row of C."""
    ends = list(accumulate(loop.joint.nv for loop in w.loops))
    found: list[Pulled] = []
    for number in damped:
        loop = w.loops[number]
        own = w.extra_cut[ends[number] - loop.joint.nv : ends[number]]
        found += zip(own, cut_joint.cut_rates(w.true, loop, w.nv, in_child=False), strict=True)
    return found


def _open_tree(w: Workbench, added: Sequence[int]) -> tuple[list[list[Scalar]], list[Scalar]]:
    """M of the tree and the joint forces that are left of tau."""
    bias = rnea.inverse_dynamics(w.chain, w.v, w.rest, w.gravity)
    force = [w.tape.let(t - b, "f") for t, b in zip(w.tau, bias, strict=True)]
    M = square(mass_matrix.by_composite_inertias(w.chain, w.nv))
    for i in added:
        M[i][i] = w.tape.let(M[i][i] + w.extra[i], "M")
    return M, force


def derive_closing(mechanism: Mechanism, partition: Partition, scales: Scales) -> Function:
    """q → what puts q back on the closure, and the partition there (§8).

    gap (6L); x (m) = −K_S⁻¹ gap, which the dependent coordinates are to be moved by; H (m, nf); quality (2): smallest
    pivot over the largest, and what is left of the rows that the partition leaves out over the largest pivot, all in
    pure numbers. The rows are dependent as long as the second is zero.
    """

    def build(w: Workbench) -> None:
        looked(w, partition, scales)

    return written(mechanism, "closing", "gap of the loops, what closes it, and v_S = H v_G there", build)


def looked(w: Workbench, partition: Partition, scales: Scales) -> None:
    """Outputs gap, x, H and quality."""
    tape, _ = w.tape, w.q
    K = [row for loop in w.loops for row in closure.jacobian(w.true, loop, w.nv)]
    gap = [entry for loop in w.loops for entry in closure.residual(loop)]
    others = left_out(K, gap, partition.rows)
    found = eliminated(K, gap, partition, others)
    ratio, left = _serving(tape, found, partition, others, scales)
    tape.output("gap", (len(gap),), gap)
    tape.output("x", (len(found.shift),), found.shift)
    tape.output("H", (len(found.H), len(partition.independent)), [entry for row in found.H for entry in row])
    tape.output("quality", (2,), [ratio, left])


def _serving(
    tape: Tape, found: Eliminated, partition: Partition, others: Sequence[int], scales: Scales
) -> tuple[Scalar, Scalar]:
    """In pure numbers: smallest pivot over the largest, and what is left of the `others`, rows that the partition
    leaves out, over the largest."""
    units = [scales.units[j] for j in partition.dependent]
    weights = [scales.rows[r] * unit for r, unit in zip(partition.rows, units, strict=True)]
    least, most = extremes(tape, [pivot * weight for pivot, weight in zip(found.pivots, weights, strict=True)])
    rest = tape.zero
    for r, row in zip(others, found.left, strict=True):
        for j, entry in zip(partition.independent, row, strict=True):
            size = tape.let(entry * (scales.rows[r] * scales.units[j]), "left")
            rest = rest + size * size
    inverse = tape.reciprocal(most, "k")
    left = tape.zero if rest.is_zero else tape.call("sqrt", rest, hint="left") * inverse
    return least * inverse, left


def derive_dependence(mechanism: Mechanism, partition: Partition, scales: Scales) -> Function:
    """(q, v) → H (m, nf), dHv = Ḣv_G (m), and quality (2), of H and of both.

    Of v the independent entries count. The quality is that of the pivots, and less than trusted if a row that the
    partition leaves out is not met, by H or by a motion without independent accelerations.
    """

    def build(w: Workbench) -> None:
        tape, v = w.tape, list(w.v)
        K = [row for loop in w.loops for row in closure.jacobian(w.true, loop, w.nv)]
        still = [tape.zero] * len(K)
        others = left_out(K, still, partition.rows)
        found = eliminated(K, still, partition, others)
        quality = _trusted(tape, *_serving(tape, found, partition, others, scales), scales)
        leading = [v[i] for i in partition.independent]
        for i, row in zip(partition.dependent, found.H, strict=True):
            v[i] = tape.let(dot(row, leading), "led") if leading else tape.zero
        drift = [entry for loop in w.loops for entry in closure.bias(w.true, loop, v)]
        shift = eliminated(K, drift, partition).shift  # what is on the tape already is not written again
        a = [tape.zero] * w.nv
        for i, x in zip(partition.dependent, shift, strict=True):
            a[i] = x
        whole = proven(quality, a, v, K, drift, left_out(K, drift, partition.rows), scales)
        tape.output("H", (len(found.H), len(leading)), [entry for row in found.H for entry in row])
        tape.output("dHv", (len(shift),), shift)
        tape.output("quality", (2,), [quality, whole])

    return written(mechanism, "dependence", "dependent velocities: v_S = H v_G, a_S = H a_G + dHv", build)


def _trusted(tape: Tape, ratio: Scalar, left: Scalar, scales: Scales) -> Scalar:
    """The pivot ratio, or less than trusted if more is `left` of other rows than `scales` allows."""
    if left.is_zero:
        return ratio
    room = tape.reciprocal(tape.let(left + LEAST, "left"), "room") * (scales.trusted * scales.missed)
    return tape.call("fmin", ratio, room, hint="quality")


def derive_cut_rates(mechanism: Mechanism) -> Function:
    """q → C (cut dofs, nv), velocities of the cut joints per v, where all of these are plain: by places on that side
    of the joints where it takes fewer operations."""

    def build(w: Workbench, in_child: bool) -> None:
        rows = [row for loop in w.loops for row in cut_joint.cut_rates(w.true, loop, w.nv, in_child)]
        w.tape.output("C", (len(rows), w.nv), [entry for row in rows for entry in row])

    title = "velocities of the cut joints per v"
    found = [written(mechanism, "cut_rates", title, partial(build, in_child=side)) for side in (False, True)]
    return min(found, key=lambda function: function.operations.total)


def _rows(w: Workbench) -> tuple[list[list[Scalar]], list[Scalar]]:
    """All rows of K and of K̇v."""
    K = [row for loop in w.loops for row in closure.jacobian(w.true, loop, w.nv)]
    return K, [entry for loop in w.loops for entry in closure.bias(w.true, loop, w.v)]


def _multipliers(
    M: list[list[Scalar]],
    K: list[list[Scalar]],
    drift: list[Scalar],
    force: list[Scalar],
    partition: Partition,
    _massless: bool,
    _pulled: Sequence[Pulled],
    _limbs: Sequence[Sequence[int]],
) -> Closed:
    return by_multipliers(M, [K[r] for r in partition.rows], [drift[r] for r in partition.rows], force)


_ROUTES: dict[str, Callable[..., Closed]] = {"multipliers": _multipliers, "independent": by_independent}
