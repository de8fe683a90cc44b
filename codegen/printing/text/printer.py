"""Program → lines of text in a dialect: statements under their sections, an output stored as soon as it is known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import sympy

from ...program.dialect import Dialect, Names
from ...program.types import Assignment, Function, Output
from .dialects import C_DOUBLE

WIDTH = 116  # of lines of C, before they are indented
CLEARED = 8  # an output with more zeros than that is cleared first
RUNS = 6  # zeros are cleared run by run where on average as many other entries lie between them
A_LINE = 4  # runs that are cleared in a line


Block = tuple[str, tuple[str, ...]]
Blocks = tuple[Block, ...]
"""Statements under their sections."""

Stores = Mapping[sympy.Symbol | None, Sequence[str]]
"""Store statements by the symbol they wait for (None: constants, which come first)."""


@dataclass(frozen=True)
class Lines:
    """The body of one function: angles to evaluate, then statements under their sections."""

    dialect: Dialect
    angles: tuple[str, ...]
    contiguous: str  # expression of a pointer if the angles stand side by side in an input, else ""
    blocks: Blocks
    cleared: tuple[str, ...]  # statements that come first: they clear zeros of outputs that have many
    unused: tuple[str, ...]  # arguments of which the function reads or writes nothing
    header: str = ""  # of functions that it calls
    rolled: bool = False  # has loops over trees that are alike


def print_function(function: Function, dialect: Dialect = C_DOUBLE, blocks: Iterable[Block] | None = None) -> Lines:
    """The body of a function; `blocks`: its statements where they are written otherwise than one after the other,
    as in loops, which do not grow with what they go over."""
    names = given_names(function, dialect)
    angles = tuple(dialect.expression(angle.argument, names) for angle in function.angles)
    return Lines(
        dialect,
        angles,
        _contiguous(function),
        tuple(_straight(function, dialect, names) if blocks is None else blocks),
        tuple(clearing(function, dialect if blocks is None else replace(dialect, clear_run=""))),
        function.unused,
    )


def given_names(function: Function, dialect: Dialect) -> dict[sympy.Symbol, str]:
    """Texts of inputs, sines and cosines."""
    names: dict[sympy.Symbol, str] = {}
    for given in function.inputs:
        names |= dialect.loads(given.name, given.symbols)
    for i, angle in enumerate(function.angles):
        names[angle.sin], names[angle.cos] = dialect.sine.format(index=i), dialect.cosine.format(index=i)
    return names


def _straight(function: Function, dialect: Dialect, names: Names) -> Iterator[Block]:
    """Constants, inputs and angles handed through are stored first."""
    stored = stores(function, dialect, names)
    defined = {assignment.symbol for assignment in function.assignments}
    first = [line for symbol, waiting in stored.items() if symbol not in defined for line in waiting]
    yield from statements(function.assignments, first, stored, dialect, names)


def statements(
    assignments: Iterable[Assignment], first: Iterable[str], stored: Stores, dialect: Dialect, names: Names
) -> Iterator[Block]:
    """Title and statements of each section, behind lines that come first."""
    title, lines = "", [*first]
    for assignment in assignments:
        if title != assignment.section:
            if lines:
                yield title, tuple(lines)
            title, lines = assignment.section, []
        value = dialect.expression(assignment.expr, names, assignment.kept)
        lines += wrapped(dialect.assign.format(name=assignment.symbol.name, value=value))
        lines += stored.get(assignment.symbol, ())
    if lines:
        yield title, tuple(lines)


def stores(
    function: Function, dialect: Dialect, names: Names, elsewhere: Collection[tuple[str, int]] = ()
) -> dict[sympy.Symbol | None, list[str]]:
    """Of all entries but those that are stored elsewhere: names of outputs, places."""
    found: dict[sympy.Symbol | None, list[str]] = {None: []}
    for output in function.outputs:
        for i in output.places if is_cleared(output, dialect) else range(len(output.entries)):
            if (output.name, i) not in elsewhere:
                line = store(dialect, output.name, i, output.entries[i], names)
                found.setdefault(waits_for(output.entries[i]), []).append(line)
    return found


def waits_for(entry: sympy.Expr) -> sympy.Symbol | None:
    """The symbol of an atom, None of a number."""
    return None if entry.is_Number else entry if entry.is_Symbol else entry.args[-1]


def store(dialect: Dialect, array: str, index: object, entry: sympy.Expr, names: Names) -> str:
    return dialect.store.format(array=array, index=index, value=dialect.expression(entry, names))


def clearing(function: Function, dialect: Dialect) -> Iterator[str]:
    """Statements that clear what `stores` leaves out; several a line."""
    for output in function.outputs:
        if is_cleared(output, dialect):
            runs = _runs(output)
            if dialect.clear_run and RUNS * len(runs) <= len(output.places):
                each = [dialect.clear_run.format(run=pointer(output.name, i), count=n) for i, n in runs]
                yield from (" ".join(each[k : k + A_LINE]) for k in range(0, len(each), A_LINE))
            else:
                value = dialect.number(0.0)
                yield dialect.clear.format(array=output.name, count=len(output.entries), value=value)


def _runs(output: Output) -> list[tuple[int, int]]:
    """First entry and number of zeros side by side."""
    edges = (-1, *output.places, len(output.entries))
    return [(i + 1, k - i - 1) for i, k in pairwise(edges) if k > i + 1]


def is_cleared(output: Output, dialect: Dialect) -> bool:
    """Many of its entries are zero."""
    return output.zeros > max(CLEARED, dialect.cleared * len(output.entries))


def _contiguous(function: Function) -> str:
    """`q + 7` if the angles are q[7], q[8], ...: no copy is needed then."""
    found = function.contiguous_angles
    if found is None:
        return ""
    return pointer(*found)


def pointer(array: str, first: int) -> str:
    """A pointer to an entry."""
    return f"{array} + {first}" if first else array


def wrapped(line: str, width: int = WIDTH) -> Iterator[str]:
    """Breaks a long statement before an operator, else after a comma."""
    while len(line) > width:
        cut = max(line.rfind(" + ", 0, width), line.rfind(" - ", 0, width))
        if cut <= 8:
            cut = line.rfind(", ", 0, width - 1) + 1
        if cut <= 8:
            break
        yield line[:cut]
        line = "    " + line[cut + 1 :]
    yield line
