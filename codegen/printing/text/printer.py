"""Program → lines of text in a dialect: statements under their sections, an output stored as soon as it is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sympy

from ...program.dialect import Dialect
from ...program.types import Function, Output
from .dialects import C_DOUBLE

WIDTH = 116
CLEARED = 8  # an output with more zeros than that is cleared by a loop first


Blocks = tuple[tuple[str, tuple[str, ...]], ...]
"""Statements under their sections."""


@dataclass(frozen=True)
class Lines:
    """The body of one function: angles to evaluate, then statements under their sections."""

    dialect: Dialect
    angles: tuple[str, ...]
    contiguous: str  # expression of a pointer if the angles stand side by side in an input, else ""
    blocks: Blocks
    zeroed: tuple[tuple[str, int], ...]  # outputs that are cleared first: most of their entries are zero
    unused: tuple[str, ...]  # arguments of which the function reads or writes nothing
    header: str = ""  # of functions that it calls


def print_function(function: Function, dialect: Dialect = C_DOUBLE) -> Lines:
    """Statements of a function."""
    names = given_names(function, dialect)
    angles = tuple(dialect.expression(angle.argument, names) for angle in function.angles)
    return Lines(
        dialect,
        angles,
        _contiguous(function),
        tuple(_blocks(function, dialect, names)),
        tuple((output.name, len(output.entries)) for output in function.outputs if _cleared(output, dialect)),
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


def _blocks(
    function: Function, dialect: Dialect, names: Mapping[sympy.Symbol, str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Title and statements of each section; constants, inputs and angles handed through are stored first."""
    stored = stores(function, dialect, names)
    defined = {assignment.symbol for assignment in function.assignments}
    title = ""
    lines = [line for symbol, waiting in stored.items() if symbol not in defined for line in waiting]
    for assignment in function.assignments:
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
    function: Function, dialect: Dialect, names: Mapping[sympy.Symbol, str]
) -> dict[sympy.Symbol | None, list[str]]:
    """Store statements by the symbol they wait for (None: constants, which come first)."""
    found: dict[sympy.Symbol | None, list[str]] = {None: []}
    for output in function.outputs:
        for i in output.places if _cleared(output, dialect) else range(len(output.entries)):
            entry = output.entries[i]
            symbol = None if entry.is_Number else entry if entry.is_Symbol else entry.args[-1]  # of an atom
            value = dialect.expression(entry, names)
            found.setdefault(symbol, []).append(dialect.store.format(array=output.name, index=i, value=value))
    return found


def _cleared(output: Output, dialect: Dialect) -> bool:
    return output.zeros > max(CLEARED, dialect.cleared * len(output.entries))


def _contiguous(function: Function) -> str:
    """`q + 7` if the angles are q[7], q[8], ...: no copy is needed then."""
    found = function.contiguous_angles
    if found is None:
        return ""
    array, first = found
    return f"{array} + {first}" if first else array


def wrapped(line: str) -> Iterator[str]:
    """Breaks a long statement before an operator, else after a comma."""
    while len(line) > WIDTH:
        cut = max(line.rfind(" + ", 0, WIDTH), line.rfind(" - ", 0, WIDTH))
        if cut <= 8:
            cut = line.rfind(", ", 0, WIDTH - 1) + 1
        if cut <= 8:
            break
        yield line[:cut]
        line = "    " + line[cut + 1 :]
    yield line
