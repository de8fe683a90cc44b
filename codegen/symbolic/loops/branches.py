"""What the branches of a tree give to loops that come and go: M = LᵀDL as far as no loop is met (§14)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...mechanism.mechanism import Mechanism
from ...program.types import Function
from ..tree import mass_matrix, rnea
from ..tree.factor import descend, factorise, on_diagonal
from ..workbench import Workbench, written


def branch_terms(
    mechanism: Mechanism, name: str, pattern: Sequence[Sequence[int]], eliminated: Collection[int]
) -> Function:
    """(q, v, tau, d) → M (rows of `pattern`, columns j < k of each row k, then its diagonal), iD (nv), z (nv).

    Of M + diag d the velocities `eliminated` are L and 1/D; what is left of M stands in the other rows. z: forces
    τ − h, less what was eliminated of them.
    """

    def build(w: Workbench) -> None:
        v, tau, d = w.v, w.tau, w.extra
        M = mass_matrix.by_composite_inertias(w.chain, w.nv)
        h = rnea.inverse_dynamics(w.chain, v, w.rest, w.gravity)
        factor = factorise(on_diagonal(M, dict(enumerate(d))), eliminated)
        right = [w.tape.let(t - b, "r") for t, b in zip(tau, h, strict=True)]
        z, zero = descend(factor, right, eliminated), w.tape.zero
        entries = [factor.L[k].get(j, zero) for k, row in enumerate(pattern) for j in (*row, k)]
        w.tape.output("M", (len(entries),), entries)
        w.tape.output("iD", (w.nv,), factor.inverse_D)
        w.tape.output("z", (w.nv,), z)

    title = "M = L'DL and forces as far as no loop is met" if len(eliminated) < mechanism.tree.nv else "all of M = L'DL"
    return written(mechanism, name, title, build)
