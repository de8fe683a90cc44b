"""M = LᵀDL along the tree, and its solve: fill only where M has it (§7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.runtime.errors import ModelError

from ...program.tape import Scalar

Matrix = Sequence[Sequence[Scalar]]


@dataclass(frozen=True)
class Factor:
    """L unit lower triangular (rows of {column: entry}), D diagonal as reciprocals."""

    L: tuple[dict[int, Scalar], ...]
    inverse_D: tuple[Scalar, ...]


def factorise(M: Matrix) -> Factor:
    """LᵀDL, last row first: an entry fills only if two entries of one row below meet."""
    n = len(M)
    tape = M[0][0].tape
    A = [{j: M[i][j] for j in range(i + 1) if not M[i][j].is_zero} for i in range(n)]
    rows: list[dict[int, Scalar]] = [{} for _ in range(n)]
    inverse = [tape.one] * n
    for k in reversed(range(n)):
        tape.section(f"row {k}")
        if A[k].get(k, tape.zero).is_zero:
            raise ModelError(
                f"the mass matrix is singular: velocity v[{k}] moves no mass; give the links that it moves mass and "
                "inertia, or its joint armature"
            )
        inverse[k] = tape.reciprocal(tape.let(A[k][k], f"D_{k}"), f"iD_{k}")
        below = [j for j in sorted(A[k]) if j < k]
        rows[k] = {j: tape.let(A[k][j] * inverse[k], f"L_{k}_{j}") for j in below}
        for i in below:
            for j in below:
                if j <= i:
                    A[i][j] = tape.let(A[i].get(j, tape.zero) - rows[k][i] * A[k][j], f"M_{i}_{j}")
    return Factor(tuple(rows), tuple(inverse))


def solve(factor: Factor, right: Sequence[Scalar]) -> list[Scalar]:
    """x of LᵀDL x = right: Lᵀ from the last row, D, L from the first."""
    n = len(right)
    x = list(right)
    tape = right[0].tape
    for k in reversed(range(n)):
        x[k] = tape.let(x[k], f"y_{k}")
        for j, entry in factor.L[k].items():
            x[j] = x[j] - entry * x[k]
    for k in range(n):
        x[k] = tape.let(x[k], f"y_{k}") * factor.inverse_D[k]
        for j, entry in factor.L[k].items():
            x[k] = x[k] - entry * x[j]
        x[k] = tape.let(x[k], f"x_{k}")
    return x
