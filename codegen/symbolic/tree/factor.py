"""M = LᵀDL along the tree, and its solve: fill only where M has it (§7)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kinegen.runtime.errors import ModelError

from ...program.tape import Scalar

Matrix = Sequence[Sequence[Scalar]]
Triangle = Sequence[Mapping[int, Scalar]]
"""The lower triangle of a symmetric matrix: of each row its entries by column, the diagonal among them. What is not
there is zero."""


def triangle(M: Matrix) -> list[dict[int, Scalar]]:
    """That of a matrix as it stands."""
    return [{j: entry for j, entry in enumerate(row[: i + 1]) if entry.terms or j == i} for i, row in enumerate(M)]


def square(M: Triangle) -> list[list[Scalar]]:
    """All of the matrix."""
    return [[M[max(i, j)].get(min(i, j), row[i].tape.zero) for j in range(len(M))] for i, row in enumerate(M)]


def on_diagonal(M: Triangle, added: Mapping[int, Scalar]) -> Triangle:
    """With these on the diagonal."""
    return [{**row, i: row[i] + added[i]} if i in added else row for i, row in enumerate(M)]


def times(M: Triangle, x: Sequence[Scalar]) -> list[Scalar]:
    """M x."""
    tape = x[0].tape
    y = [tape.zero] * len(M)
    for i, row in enumerate(M):
        for j, entry in row.items():
            y[i] = y[i] + entry * x[j]
            if j < i:
                y[j] = y[j] + entry * x[i]
    return y


@dataclass(frozen=True)
class Factor:
    """L unit lower triangular (rows of {column: entry}), D diagonal as reciprocals. Rows that were not eliminated hold
    what is left of M, their diagonal last; their D is 1."""

    L: tuple[dict[int, Scalar], ...]
    inverse_D: tuple[Scalar, ...]


def factorise(M: Triangle, eliminated: Collection[int] | None = None) -> Factor:
    """LᵀDL, last row first: an entry fills only if two entries of one row below meet.

    `eliminated`: the rows that are, None for all; with a row those whose entries meet it from below.
    """
    n = len(M)
    chosen = range(n) if eliminated is None else eliminated
    tape = M[0][0].tape
    A = [{j: row[j] for j in sorted(row) if row[j].terms} for row in M]
    rows: list[dict[int, Scalar]] = [{} for _ in range(n)]
    inverse = [tape.one] * n
    for k in reversed(range(n)):
        if k not in chosen:
            rows[k] = A[k]
            continue
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


def descend(factor: Factor, right: Sequence[Scalar], eliminated: Collection[int] | None = None) -> list[Scalar]:
    """y of Lᵀ y = right, from the last row; `eliminated` as for factorise."""
    y = list(right)
    chosen = range(len(y)) if eliminated is None else eliminated
    for k in reversed(range(len(y))):
        y[k] = y[k].tape.let(y[k], f"y_{k}")
        for j, entry in factor.L[k].items() if k in chosen else ():
            y[j] = y[j] - entry * y[k]
    return y


def ascend(factor: Factor, y: Sequence[Scalar]) -> list[Scalar]:
    """x of D L x = y, from the first row."""
    x: list[Scalar] = []
    for k, value in enumerate(y):
        value = value * factor.inverse_D[k]
        for j, entry in factor.L[k].items():
            value = value - entry * x[j]
        x.append(value.tape.let(value, f"x_{k}"))
    return x


def solve(factor: Factor, right: Sequence[Scalar]) -> list[Scalar]:
    """x of LᵀDL x = right."""
    return ascend(factor, descend(factor, right))
