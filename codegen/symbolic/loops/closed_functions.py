"""Functions of a mechanism with permanent loops for a fixed partition: closed forward dynamics, H, W and projection."""

from __future__ import annotations

from collections.abc import Callable

from kinegen.runtime.errors import InternalError

from ...mechanism.mechanism import Mechanism
from ...program.tape import Scalar, Tape
from ...program.types import Function
from ...program.verify import verify
from ..functions import Workbench
from ..symbols import symbols_of
from ..tree import mass_matrix, rnea
from . import closure
from .closed import Closed, Partition, by_independent, by_multipliers, dependence
from .left_out import Scales, left_out, proven

ROUTES = ("multipliers", "independent")


def derive_closed(
    mechanism: Mechanism, partition: Partition, route: str, scales: Scales, massless: bool = False
) -> Function:
    """(q, v, tau) → accelerations a (nv) and quality (1), by one of ROUTES.

    The quality is that of the pivots, and next to nothing if a row that the partition leaves out is not met.
    `massless`: M may be singular; the quality then counts the pivots of A too.
    """

    def build(w: Workbench) -> None:
        _, v, tau = w.q, w.v, w.tau
        bias = rnea.inverse_dynamics(w.chain, v, w.rest, w.gravity)
        force = [w.tape.let(t - b, "f") for t, b in zip(tau, bias, strict=True)]
        M = mass_matrix.by_composite_inertias(w.chain, w.nv)
        K, drift = _rows(w)
        closed = _ROUTES[route](M, K, drift, force, partition, massless)
        rest = left_out(K, drift, partition.rows)
        w.tape.output("a", (w.nv,), closed.a)
        w.tape.output("quality", (1,), [proven(closed.quality, closed.a, v, K, drift, rest, scales)])

    if route not in _ROUTES:
        raise InternalError(f"no closed route '{route}'")
    title = {
        "multipliers": "acceleration under closed loops, by multipliers through M = L'DL",
        "independent": "acceleration under closed loops, by A = W'MW",
    }[route]
    return _on_tape(mechanism, "forward_dynamics", title, build)


def derive_dependence(mechanism: Mechanism, partition: Partition) -> Function:
    """(q, v) → H (m, nf), Ḣθ̇_G (m) and pivot quality (1) for the partition."""

    def build(w: Workbench) -> None:
        _ = w.q, w.v
        K, drift = _rows(w)
        H, shift, quality = dependence(K, drift, partition)
        w.tape.output("H", (len(H), len(partition.independent)), [entry for row in H for entry in row])
        w.tape.output("dHv", (len(shift),), shift)
        w.tape.output("quality", (1,), [quality])

    return _on_tape(mechanism, "dependence", "dependent velocities: v_S = H v_G, a_S = H a_G + dHv", build)


def _on_tape(mechanism: Mechanism, name: str, title: str, build: Callable[[Workbench], None]) -> Function:
    tape, symbols = Tape(name, title), symbols_of(mechanism)
    if symbols.parameters:
        tape.input("p", symbols.parameters)
    build(Workbench(mechanism, symbols, tape))
    return verify(tape.function())


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
