"""Program with loops over parts that are alike → lines of C: what stands in one of them, once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import sympy

from ...program.copies.types import Loop, Place, Rolled, Sum
from ...program.dialect import Dialect, Names
from ...program.types import Function
from .printer import (
    WIDTH,
    Block,
    Lines,
    Stores,
    given_names,
    is_cleared,
    print_function,
    statements,
    store,
    stores,
    waits_for,
    wrapped,
)

INDENT = "    "


def lines_of(function: Function, rolled: Rolled | None, dialect: Dialect) -> Lines:
    """The lines of the function, with these loops if there are any."""
    lines = print_function(function, dialect, _blocks(function, rolled, dialect) if rolled else None)
    return replace(lines, rolled=rolled is not None)


def _blocks(function: Function, rolled: Rolled, dialect: Dialect) -> Iterator[Block]:
    names = given_names(function, dialect)
    names |= {symbol: dialect.constant.format(value=f"{symbol.name}[i]") for symbol in rolled.tables}
    loops = [loop for stage in rolled.stages for loop in stage.loops]
    for loop in loops:
        for symbol, copies in loop.kept.items():
            names |= {copy: f"{_kept(symbol)}[{k}]" for k, copy in enumerate(copies)}
    waiting = stores(function, dialect, names, rolled.stored)
    found = {copy for loop in loops for copies in loop.kept.values() for copy in copies}
    defined = found.union(statement.symbol for stage in rolled.stages for statement in stage.statements)
    first = [line for symbol, values in rolled.tables.items() for line in _table(symbol, values, dialect)]
    first += [line for symbol, lines in waiting.items() if symbol not in defined for line in lines]
    within = names | {symbol: _entry(dialect, place) for symbol, place in rolled.read.items()}
    within |= {symbol: f"{_kept(symbol)}[i]" for loop in loops for symbol in loop.kept}
    for stage in rolled.stages:
        yield from statements((), first, {}, dialect, names)
        for summed, own in groupby(stage.statements, lambda statement: isinstance(statement, Sum)):
            if summed:
                yield from _sums([x for x in own if isinstance(x, Sum)], waiting, dialect, names, within)
            else:
                yield from statements((x for x in own if not isinstance(x, Sum)), (), waiting, dialect, names)
        first = []
        for loop in stage.loops:
            yield from _loop(function, loop, dialect, names)
            first += [line for copies in loop.kept.values() for copy in copies for line in waiting.get(copy, ())]
    yield from statements((), first, waiting, dialect, names)


def _sums(sums: Sequence[Sum], waiting: Stores, dialect: Dialect, names: Names, within: Names) -> Iterator[Block]:
    """Side by side where they run alike and none reads another. `within`: what loops read is called there."""
    group: list[Sum] = []
    for total in sums:
        if group and (
            total.shape != group[0].shape or not (total.apart | total.own).isdisjoint(x.symbol for x in group)
        ):
            yield _together(group, waiting, dialect, names, within)
            group = []
        group.append(total)
    yield _together(group, waiting, dialect, names, within)


def _together(sums: Sequence[Sum], waiting: Stores, dialect: Dialect, names: Names, within: Names) -> Block:
    lines: list[str] = []
    for number, copies in enumerate(sums[0].shape):
        called = names if copies is None else within
        added: list[str] = []
        for total in sums:
            before = (total.symbol,) if number else ()
            value = sympy.Add(*before, *total.parts[number].terms, evaluate=False)
            declared = "" if number else f"{dialect.scalar} "
            added.append(f"{declared}{total.symbol.name} = {dialect.expression(value, called, kept=True)};")
        lines += _over(copies, added) if copies else (part for line in added for part in wrapped(line))
    return sums[0].section, (*lines, *(line for total in sums for line in waiting.get(total.symbol, ())))


def _over(copies: range, added: Sequence[str]) -> Iterator[str]:
    """A loop over copies, up or down."""
    up, last = copies.step > 0, copies[-1]
    head = f"for (int i = {copies[0]}; i {f'< {last + 1}' if up else f'>= {last}'}; i{'++' if up else '--'})"
    yield head if len(added) == 1 else f"{head} {{"
    yield from (INDENT + part for line in added for part in wrapped(line, WIDTH - len(INDENT)))
    if len(added) > 1:
        yield "}"


def _loop(function: Function, loop: Loop, dialect: Dialect, given: Names) -> Iterator[Block]:
    names = dict(given)
    for symbol in loop.kept:
        names.pop(symbol, None)
    names |= {symbol: _entry(dialect, place) for symbol, place in loop.read.items()}
    names |= {symbol: f"{_kept(symbol)}[i]" for symbol in loop.taken}
    kept = (f"{dialect.scalar} {_kept(symbol)}[{loop.count}];" for symbol in loop.kept)
    yield "", (*kept, f"for (int i = 0; i < {loop.count}; i++) {{")
    waiting = _stores(function, loop, dialect, names)
    defined = {assignment.symbol for assignment in loop.assignments}
    first = [line for symbol, lines in waiting.items() if symbol not in defined for line in lines]
    for section, lines in statements(loop.assignments, first, waiting, dialect, names):
        title = f"{section}, and {loop.count - 1} that are alike" if section else ""
        yield title, tuple(INDENT + part for line in lines for part in wrapped(line, WIDTH - len(INDENT)))
    yield "", ("}",)


def _stores(function: Function, loop: Loop, dialect: Dialect, names: Names) -> dict[sympy.Symbol | None, list[str]]:
    """By the symbol that they wait for."""
    cleared = {output.name for output in function.outputs if is_cleared(output, dialect)}
    waiting: dict[sympy.Symbol | None, list[str]] = {}
    for symbol in loop.kept:
        waiting[symbol] = [f"{_kept(symbol)}[i] = {symbol.name};"]
    for place, entry in loop.stores:
        if entry != 0 or place.array not in cleared:
            line = store(dialect, place.array, _index(place), entry, names)
            waiting.setdefault(waits_for(entry), []).append(line)
    return waiting


def _kept(symbol: sympy.Symbol) -> str:
    """What the values of all copies are called; no value has a name that begins so."""
    return f"all_{symbol.name}"


def _index(place: Place) -> str:
    return f"{place.stride}*i + {place.first}" if place.first else f"{place.stride}*i"


def _entry(dialect: Dialect, place: Place) -> str:
    angles = {"s": dialect.sine, "c": dialect.cosine}
    return angles.get(place.array, dialect.load).format(array=place.array, index=_index(place))


def _table(symbol: sympy.Symbol, values: Sequence[float], dialect: Dialect) -> Iterator[str]:
    """Numbers that differ from copy to copy."""
    kind = "float" if dialect.suffix else "double"
    numbers = ", ".join(dialect.literal(value) for value in values)
    yield from wrapped(f"static const {kind} {symbol.name}[{len(values)}] = {{{numbers}}};")
