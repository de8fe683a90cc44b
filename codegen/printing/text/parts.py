"""Parts of a function → their lines: values of earlier parts are read from the array `held`."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import sympy

from ...program.dialect import Dialect
from ...program.parts import Parts
from ...program.types import Function
from .printer import Blocks, Lines, clearing, given_names, is_cleared, statements, stores

HELD = "held"


def part_lines(function: Function, parts: Parts, dialect: Dialect) -> Iterator[Lines]:
    """The body of each part, which is handed sines and cosines; the first one writes what follows from no value."""
    names = given_names(function, dialect)
    waiting = {symbol: [*lines] for symbol, lines in stores(function, dialect, names).items()}
    defined = {line.symbol for lines in parts.assignments for line in lines}
    first = [line for symbol, lines in waiting.items() if symbol not in defined for line in lines]
    cleared = tuple(clearing(function, dialect))
    written = {output.name for output in function.outputs if is_cleared(output, dialect)}
    for symbol, place in parts.held.items():
        waiting.setdefault(symbol, []).append(dialect.store.format(array=HELD, index=place, value=symbol.name))
    for lines in parts.assignments:
        blocks = tuple(statements(lines, first, waiting, dialect, names))
        yield Lines(dialect, (), "", blocks, cleared, _unused(function, blocks, written))
        names |= _held(parts, {line.symbol for line in lines}, dialect)
        first, cleared, written = [], (), set()


def _held(parts: Parts, symbols: set[sympy.Symbol], dialect: Dialect) -> dict[sympy.Symbol, str]:
    """What later parts call those of these that they read."""
    return {
        symbol: dialect.load.format(array=HELD, index=place)
        for symbol, place in parts.held.items()
        if symbol in symbols
    }


def _unused(function: Function, blocks: Blocks, cleared: Collection[str]) -> tuple[str, ...]:
    """Arguments that stand in none of the lines, and are not cleared."""
    arrays = [*(given.name for given in function.inputs), *(output.name for output in function.outputs), HELD]
    text = "".join(line for _, lines in blocks for line in lines)
    return tuple(name for name in arrays if name not in cleared and f"{name}[" not in text)
