"""Functions of a mechanism with permanent loops for a fixed partition: closed forward dynamics, H, W and projection."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kinegen.runtime.errors import InternalError

from ...mechanism.mechanism import Mechanism
from ...program.tape import Scalar
from ...program.types import Function
from ..tree import mass_matrix, rnea
from ..workbench import Workbench, written
from . import closure
from .closed import Closed, Partition, by_independent, by_multipliers, dependence, eliminated, extremes
from .clusters import by_clusters
from .left_out import Scales, left_out, proven

DENSE_ROUTES = ("multipliers", "independent")  # by M of the whole tree
ROUTES = (*DENSE_ROUTES, "clusters")


def derive_closed(
    mechanism: Mechanism,
    partition: Partition,
    route: str,
    scales: Scales,
    massless: bool = False,
    damped: Sequence[int] = (),
) -> Function:
    """(q, v, tau) → accelerations a (nv) and quality (1), by one of ROUTES; (q, v, tau, d) where `damped` names
    velocities: their entries of d are added to the diagonal of M.

    The quality is that of the pivots, and next to nothing if a row that the partition leaves out is not met.
    `massless`: M may be singular; the quality then counts the pivots of A too.
    """

    def build(w: Workbench) -> None:
        _accelerated(w, partition, route, scales, massless, damped)

    if route not in ROUTES:
        raise InternalError(f"no closed route '{route}'")
    title = {
        "multipliers": "acceleration under closed loops, by multipliers through M = L'DL",
        "independent": "acceleration under closed loops, by A = W'MW",
        "clusters": "acceleration under closed loops, along clusters of them",
    }[route]
    return written(mechanism, "forward_dynamics", title, build)


def derive_factored(
    mechanism: Mechanism, partition: Partition, scales: Scales, massless: bool = False, damped: Sequence[int] = ()
) -> Function:
    """The same by independent coordinates, and what answers forces at q: H (m, nf) and A = WᵀMW = LᵀDL, `factor`
    (nf, nf) with L below the diagonal, `inverse` (nf) with 1/D."""

    def build(w: Workbench) -> None:
        closed = _accelerated(w, partition, "independent", scales, massless, damped)
        rows, zero = closed.factor.L, w.tape.zero
        n = len(rows)
        w.tape.output("H", (len(closed.H), n), [entry for row in closed.H for entry in row])
        w.tape.output("factor", (n, n), [rows[i].get(j, zero) for i in range(n) for j in range(n)])
        w.tape.output("inverse", (n,), list(closed.factor.inverse_D))

    title = "acceleration under closed loops, by A = W'MW = L'DL, with H and the factor"
    return written(mechanism, "forward_dynamics_factored", title, build)


def _accelerated(
    w: Workbench, partition: Partition, route: str, scales: Scales, massless: bool, damped: Sequence[int]
) -> Closed:
    """Outputs a and quality."""
    _, v, tau = w.q, w.v, w.tau
    if route == "clusters":
        K, drift = _rows(w)
        extra = {i: w.extra[i] for i in damped}
        closed = by_clusters(w.chain, w.loops, v, tau, w.gravity, K, drift, partition, extra)
    else:
        M, force = _open_tree(w, damped)
        K, drift = _rows(w)
        closed = _ROUTES[route](M, K, drift, force, partition, massless)
    rest = left_out(K, drift, partition.rows)
    w.tape.output("a", (w.nv,), closed.a)
    w.tape.output("quality", (1,), [proven(closed.quality, closed.a, v, K, drift, rest, scales)])
    return closed


def _open_tree(w: Workbench, damped: Sequence[int]) -> tuple[list[list[Scalar]], list[Scalar]]:
    """M of the tree and the joint forces that are left of tau."""
    bias = rnea.inverse_dynamics(w.chain, w.v, w.rest, w.gravity)
    force = [w.tape.let(t - b, "f") for t, b in zip(w.tau, bias, strict=True)]
    M = mass_matrix.by_composite_inertias(w.chain, w.nv)
    for i in damped:
        M[i][i] = w.tape.let(M[i][i] + w.extra[i], "M")
    return M, force


def derive_closing(mechanism: Mechanism, partition: Partition, scales: Scales) -> Function:
    """q → what puts q back on the closure, and the partition there (§8).

    gap (6L); x (m) = −K_S⁻¹ gap, which the dependent coordinates are to be moved by; H (m, nf); quality (2): smallest
    pivot over the largest, and what is left of the rows that the partition leaves out over the largest pivot, all in
    pure numbers. The rows are dependent as long as the second is zero.
    """

    def build(w: Workbench) -> None:
        tape, _ = w.tape, w.q
        K = [row for loop in w.loops for row in closure.jacobian(w.true, loop, w.nv)]
        gap = [entry for loop in w.loops for entry in closure.residual(loop)]
        others = left_out(K, gap, partition.rows)
        found = eliminated(K, gap, partition, others)
        units = [scales.units[j] for j in partition.dependent]
        weights = [scales.rows[r] * unit for r, unit in zip(partition.rows, units, strict=True)]
        least, most = extremes(tape, [pivot * weight for pivot, weight in zip(found.pivots, weights, strict=True)])
        rest = tape.zero
        for r, row in zip(others, found.left, strict=True):
            for j, entry in zip(partition.independent, row, strict=True):
                size = tape.let(entry * (scales.rows[r] * scales.units[j]), "left")
                rest = rest + size * size
        inverse = tape.reciprocal(most, "k")
        tape.output("gap", (len(gap),), gap)
        tape.output("x", (len(found.shift),), found.shift)
        tape.output("H", (len(found.H), len(partition.independent)), [entry for row in found.H for entry in row])
        left = tape.zero if rest.is_zero else tape.call("sqrt", rest, hint="left") * inverse
        tape.output("quality", (2,), [least * inverse, left])

    return written(mechanism, "closing", "gap of the loops, what closes it, and v_S = H v_G there", build)


def derive_dependence(mechanism: Mechanism, partition: Partition) -> Function:
    """(q, v) → H (m, nf), Ḣθ̇_G (m) and pivot quality (1) for the partition."""

    def build(w: Workbench) -> None:
        _ = w.q, w.v
        K, drift = _rows(w)
        H, shift, quality = dependence(K, drift, partition)
        w.tape.output("H", (len(H), len(partition.independent)), [entry for row in H for entry in row])
        w.tape.output("dHv", (len(shift),), shift)
        w.tape.output("quality", (1,), [quality])

    return written(mechanism, "dependence", "dependent velocities: v_S = H v_G, a_S = H a_G + dHv", build)


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
    _: bool,
) -> Closed:
    return by_multipliers(M, [K[r] for r in partition.rows], [drift[r] for r in partition.rows], force)


_ROUTES: dict[str, Callable[..., Closed]] = {"multipliers": _multipliers, "independent": by_independent}
