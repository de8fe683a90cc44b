"""The solve of a packed mass matrix as text: rows of M = LᵀDL in vectors of four entries, along the branches (§7).

Row k of a matrix that branches has the columns of the row that it hangs on, and that one's own. So what a row i above
takes from it is the beginning of row k, entry by entry: A_i = M_i − Σ L_ki A_k, four of them at a time. Operations and
their order are those of `packed_solve`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from ...program.types import Function
from ...symbolic.derivations.packed import Pattern
from .dialects import C_DOUBLE
from .printer import Lines, pointer, wrapped

HEADER = "kinegen/linear/packed_rows.h"
MOST = 4
"""Quads that one call takes."""


def solve_lines(function: Function, pattern: Pattern) -> Lines:
    """The body of `function`, the solve of a packed matrix of this pattern, which branches."""
    blocks = tuple(_Rows(pattern).blocks())
    return Lines(C_DOUBLE, (), "", blocks, (), function.unused, HEADER)


class Packed:
    """`starts`: of the packed rows; `quads`: in each of them."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.starts = (0, *accumulate(len(row) + 1 for row in pattern))
        self.quads = [len(row) // 4 + 1 for row in pattern]

    def parts(self, k: int) -> Iterator[tuple[int, int]]:
        """(quads, the first of them) of what calls take."""
        return parts_of(self.quads[k])

    def sources(self, k: int) -> tuple[list[tuple[int, int, str]], list[str]]:
        """The same and where row k of M is read, with entries of the next one behind it, or zeros where there are none:
        in a quad that lines define."""
        over = self.starts[k] + 4 * self.quads[k] > self.starts[-1]
        found = [(n, quad, pointer("M", self.starts[k] + 4 * quad)) for n, quad in parts_of(self.quads[k] - over)]
        if not over:
            return found, []
        first = self.starts[k] + 4 * self.quads[k] - 4
        entries = [f"M[{e}]" if e < self.starts[-1] else "0.0" for e in range(first, first + 4)]
        found.append((1, self.quads[k] - 1, f"kg_numbers(&end_{k})"))
        return found, filled(f"end_{k}", entries)


def filled(name: str, entries: list[str]) -> list[str]:
    """What defines a quad."""
    return [f"kg_quad {name};", f"kg_fill(&{name}, {', '.join(entries)});"]


def parts_of(quads: int) -> Iterator[tuple[int, int]]:
    """(quads, the first of them) of as many."""
    for first in range(0, quads, MOST):
        yield min(MOST, quads - first), first


class _Rows(Packed):
    """`room`: where rows of A and L begin, in whole quads."""

    def __init__(self, pattern: Pattern) -> None:
        super().__init__(pattern)
        self.room = [4 * start for start in accumulate(self.quads, initial=0)]
        self.below: list[list[int]] = [[] for _ in pattern]  # rows that hang on each, last to first
        for k in reversed(range(len(pattern))):
            for i in pattern[k]:
                self.below[i].append(k)

    def blocks(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Rows on which little hangs come first: those of several branches, which do not wait for each other."""
        yield "", (f"double A[{self.room[-1]}], L[{self.room[-1]}];",)
        for i in sorted(range(len(self.pattern)), key=lambda i: (len(self.below[i]), i)):
            yield f"row {i}", tuple(self._eliminated(i))
        yield "x", tuple(line for k in range(len(self.pattern)) for line in self._solved(k))

    def _eliminated(self, i: int) -> Iterator[str]:
        """A_i, its pivot, L_i and y_i = b_i − Σ L_ki y_k."""
        row, at, place = f"row_{i}", self.room[i], len(self.pattern[i])
        yield f"kg_quad {row}[{self.quads[i]}];"
        sources, lines = self.sources(i)
        yield from lines
        for part, first, source in sources:
            yield f"kg_row_{part}({pointer(row, first)}, {source});"
        for k in self.below[i]:
            for part, first in self.parts(i):
                yield f"kg_take_{part}({pointer(row, first)}, {self._entry(k, place)}, A + {self.room[k] + 4 * first});"
        for part, first in self.parts(i):
            yield f"kg_keep_{part}({pointer(row, first)}, A + {at + 4 * first});"
        yield f"const double iD_{i} = 1.0/A[{at + place}];"
        for part, first in self.parts(i):
            yield f"kg_times_{part}({pointer(row, first)}, iD_{i}, L + {at + 4 * first});"
        terms = "".join(f" - {self._entry(k, place)}*y_{k}" for k in self.below[i])
        yield from wrapped(f"const double y_{i} = b[{i}]{terms};")

    def _solved(self, k: int) -> Iterator[str]:
        """x_k = y_k/D_k − Σ L_kj x_j."""
        terms = "".join(f" - {self._entry(k, e)}*x_{j}" for e, j in enumerate(self.pattern[k]))
        yield from wrapped(f"const double x_{k} = iD_{k}*y_{k}{terms};")
        yield f"x[{k}] = x_{k};"

    def _entry(self, k: int, place: int) -> str:
        return f"L[{self.room[k] + place}]"
