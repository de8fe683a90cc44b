"""The packed mass matrix (§7): entries of its lower triangle that branches let differ from zero, and their use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy

from ...mechanism.mechanism import Mechanism
from ...program.tape import Scalar, Tape
from ...program.types import Function
from ...program.verify import verify
from ..symbols import symbols_of
from ..tree.factor import factorise, solve

Pattern = Sequence[Sequence[int]]
"""Columns j < k of each row k, ascending; the diagonal follows them."""


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


def packed_product(mechanism: Mechanism, pattern: Pattern) -> Function:
    """y = M x of a packed M."""
    tape, M, x = _given(mechanism, "mass_matrix_product", "M x of a packed mass matrix", pattern, "x")
    y = [tape.zero] * len(x)
    for k in reversed(range(len(x))):  # an entry serves both its row and its column while it is at hand
        tape.section(f"row {k}")
        for j in (*pattern[k], k):
            y[k] = y[k] + M[k, j] * x[j]
        y[k] = tape.let(y[k], f"y_{k}")
        for j in pattern[k]:
            y[j] = tape.let(y[j] + M[k, j] * x[k], f"y_{j}")
    tape.output("y", (len(x),), y)
    return verify(tape.function())


def packed_solve(mechanism: Mechanism, pattern: Pattern) -> Function:
    """x of M x = b of a packed M, by M = LᵀDL, which fills nothing; sums in the order of the recursion."""
    tape, M, b = _given(mechanism, "mass_matrix_solve", "x of M x = b of a packed mass matrix", pattern, "b")
    full = [[M.get((max(i, j), min(i, j)), tape.zero) for j in range(len(b))] for i in range(len(b))]
    tape.output("x", (len(b),), solve(factorise(full), b))
    function = tape.function()
    return verify(replace(function, assignments=tuple(replace(a, kept=True) for a in function.assignments)))


def _given(
    mechanism: Mechanism, name: str, title: str, pattern: Pattern, vector: str
) -> tuple[Tape, dict[tuple[int, int], Scalar], list[Scalar]]:
    tape, places = Tape(name, title), packed_places(pattern)
    if parameters := symbols_of(mechanism).parameters:
        tape.input("p", parameters)
    M = tape.input("M", [sympy.Symbol(f"M{place}") for place in places.values()])
    right = tape.input(vector, [sympy.Symbol(f"{vector}{i}") for i in range(len(pattern))])
    return tape, dict(zip(places, M, strict=True)), right
