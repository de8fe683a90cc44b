"""The packed mass matrix (§7): entries of its lower triangle that branches let differ from zero, and their use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...mechanism.mechanism import Mechanism
from ...program.tape import Scalar, Tape
from ...program.types import Function
from ...program.verify import verify
from ..symbols import Coordinate, symbols_of
from ..tree.factor import factorise, solve

Pattern = Sequence[Sequence[int]]
"""Columns j < k of each row k, ascending; the diagonal follows them."""
Entries = Mapping[tuple[int, int], Scalar]
"""By row and column."""


def packed_places(pattern: Pattern) -> dict[tuple[int, int], int]:
    """(row, column) of the lower triangle → place among the packed entries, row by row."""
    entries = [(k, j) for k, columns in enumerate(pattern) for j in (*columns, k)]
    return {entry: place for place, entry in enumerate(entries)}


def packed_mass_matrix(full: Function, pattern: Pattern) -> Function:
    """The program of M (nv, nv) that gives its packed entries alone."""
    (output,) = full.outputs
    n = len(pattern)
    entries = tuple(output.entries[n * row + column] for row, column in packed_places(pattern))
    packed = replace(output, shape=(len(entries),), entries=entries)
    return replace(full, name="mass_matrix_packed", title=f"{full.title}, packed", outputs=(packed,))


def branches(pattern: Pattern) -> bool:
    """Every row has the columns of that of its last column, which follows them."""
    return all(not row or tuple(row) == (*pattern[row[-1]], row[-1]) for row in pattern)


def hanging(pattern: Pattern) -> list[list[int]]:
    """The rows next below each row of a matrix that branches, last to first."""
    found: list[list[int]] = [[] for _ in pattern]
    for k in reversed(range(len(pattern))):
        if pattern[k]:
            found[pattern[k][-1]].append(k)
    return found


def long_rows(pattern: Pattern) -> frozenset[int]:
    """Rows of a matrix that branches of which a product takes four entries at a time: they have eight or more, and one
    on which nothing hangs hangs on such a row."""
    if not branches(pattern):
        return frozenset()
    below = hanging(pattern)
    full = {k for k, row in enumerate(pattern) if len(row) + 1 >= 8}
    return frozenset(k for k in full if below[k] or pattern[k][-1] in full)


def packed_product(mechanism: Mechanism, pattern: Pattern) -> Function:
    """y = M x of a packed M."""
    tape, M, x = _given(mechanism, "mass_matrix_product", "M x of a packed mass matrix", pattern, "x")
    add = _add_branches if long_rows(pattern) else _add_entries
    tape.output("y", (len(x),), add(tape, pattern, M, x))
    function = tape.function()
    return verify(replace(function, assignments=tuple(replace(a, kept=True) for a in function.assignments)))


def _add_entries(tape: Tape, pattern: Pattern, M: Entries, x: Sequence[Scalar]) -> list[Scalar]:
    """Row by row: an entry serves both its row and its column while it is at hand."""
    y = [tape.zero] * len(x)
    for k in reversed(range(len(x))):
        tape.section(f"row {k}")
        for j in (*pattern[k], k):
            y[k] = y[k] + M[k, j] * x[j]
        y[k] = tape.let(y[k], f"y_{k}")
        for j in pattern[k]:
            y[j] = tape.let(y[j] + M[k, j] * x[k], f"y_{j}")
    return y


def _add_branches(tape: Tape, pattern: Pattern, M: Entries, x: Sequence[Scalar]) -> list[Scalar]:
    """Y_k = Σ Y_c + M_k x_k goes up the branches, c the rows below; y_k = M_k·x + Σ Y_ck, four sums in long rows."""
    below, long = hanging(pattern), long_rows(pattern)
    y, Y = [tape.zero] * len(x), [dict[int, Scalar]() for _ in x]
    for k in reversed(range(len(x))):
        tape.section(f"row {k}")
        products = [M[k, j] * x[j] for j in (*pattern[k], k)]
        if k in long:
            a, b, c, d = (tape.let(_sum(tape, products[lane::4]), f"y_{k}") for lane in range(4))
            products = [tape.let(tape.let(a + c, f"y_{k}") + tape.let(b + d, f"y_{k}"), f"y_{k}")]
        y[k] = tape.let(_sum(tape, [*products, *(Y[c][k] for c in below[k])]), f"y_{k}")
        for j in pattern[k]:
            Y[k][j] = _sum(tape, [*(Y[c][j] for c in below[k]), M[k, j] * x[k]])
            if below[k]:
                Y[k][j] = tape.let(Y[k][j], f"y_{j}")
    return y


def _sum(tape: Tape, terms: Sequence[Scalar]) -> Scalar:
    return sum(terms, tape.zero)


def packed_solve(mechanism: Mechanism, pattern: Pattern) -> Function:
    """x of M x = b of a packed M, by M = LᵀDL, which fills nothing; sums in the order of the recursion."""
    tape, M, b = _given(mechanism, "mass_matrix_solve", "x of M x = b of a packed mass matrix", pattern, "b")
    rows = [{j: M[k, j] for j in (*columns, k)} for k, columns in enumerate(pattern)]
    tape.output("x", (len(b),), solve(factorise(rows), b))
    function = tape.function()
    return verify(replace(function, assignments=tuple(replace(a, kept=True) for a in function.assignments)))


def _given(
    mechanism: Mechanism, name: str, title: str, pattern: Pattern, vector: str
) -> tuple[Tape, dict[tuple[int, int], Scalar], list[Scalar]]:
    tape, places = Tape(name, title), packed_places(pattern)
    if parameters := symbols_of(mechanism).parameters:
        tape.input("p", parameters)
    M = tape.input("M", [Coordinate(f"M{place}", real=True) for place in places.values()])
    right = tape.input(vector, [Coordinate(f"{vector}{i}", real=True) for i in range(len(pattern))])
    return tape, dict(zip(places, M, strict=True)), right
