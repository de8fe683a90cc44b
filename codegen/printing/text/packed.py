"""Program with packs → lines of C: what limbs that are alike compute stands in one statement, a limb in each lane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import sympy

from kinegen.runtime.errors import InternalError

from ...program.dialect import Dialect, written_sum
from ...program.operations import kind_of, value_of
from ...program.packs.packs import Packing, Symbols, name_of, split
from ...program.types import WEIGHTS, Assignment
from .packed_stores import PackStore, pack_stores, turned
from .printer import Blocks, given_names, stores, wrapped

WORTH = 0.85
"""Part of the operations that may be left for packs to be worth it."""

LONG = 4000
"""Operations from which on most values wait in memory for what reads them: vectors save loads and stores as well."""

WORTH_LONG = 0.96
"""The part that may be left then."""

DIVISION = WEIGHTS["div"]


@dataclass(frozen=True)
class PackedLines:
    """`blocks`: statements under their sections; `width`: doubles in the largest vector; `share`: of the operations of
    the scalar code, those that are left, putting numbers into vectors among them."""

    blocks: Blocks
    width: int
    share: float


def print_packed(packing: Packing, dialect: Dialect) -> PackedLines | None:
    """None if it is not worth it."""
    function, packs = packing.function, dict.fromkeys(packing.packs.values())
    called = {symbol: f"each_{pack[0].name}[{lane}]" for pack in packs for lane, symbol in enumerate(pack)}
    called |= given_names(function, dialect)
    made = {assignment.symbol: assignment for assignment in function.assignments}
    at_once = pack_stores(packing)
    elsewhere = {entry for store in at_once for entry in store.entries}
    printer = _Printer(packing, dialect, called, made, stores(function, dialect, called, elsewhere), at_once)
    printer.print()
    stored = sum(map(len, printer.waiting.values())) + sum(len(store.places) * len(store.packs) for store in at_once)
    plain = packing.apart.operations
    share = (printer.operations + stored) / max(plain.mul + plain.add + DIVISION * plain.div + stored, 1)
    worth = WORTH if plain.total < LONG else WORTH_LONG
    return PackedLines(tuple(printer.blocks()), printer.width, share) if share <= worth else None


def _read_at_once(packing: Packing, pack: Symbols) -> str:
    """How a pack is read that stands side by side in an input; "" where it does not."""
    for given in packing.function.inputs:
        if pack[0] in given.symbols:
            first = given.symbols.index(pack[0])
            if given.symbols[first : first + len(pack)] == pack:
                return f"kg_read_{len(pack)}({given.name} + {first})"
    return ""


@dataclass
class _Printer:
    """Writes statements with what they read before them. `names`: texts of the values that scalar code reads; `made`:
    statements by their symbols; `waiting`: stores by the symbol that they wait for; `at_once`: those of packs."""

    packing: Packing
    dialect: Dialect
    names: dict[sympy.Symbol, str]
    made: dict[sympy.Symbol, Assignment]
    waiting: dict[sympy.Symbol | None, list[str]]
    at_once: Sequence[PackStore]
    lines: list[tuple[str | None, str]] = field(default_factory=list)
    gathered: dict[Symbols, str] = field(default_factory=dict)
    entered: set[Symbols] = field(default_factory=set)
    done: set[Symbols] = field(default_factory=set)
    operations: int = 0
    width: int = 1

    @cached_property
    def storing(self) -> Mapping[Symbols, Sequence[PackStore]]:
        """Of each pack the stores that it takes part in."""
        found: dict[Symbols, list[PackStore]] = {}
        for store in self.at_once:
            for pack in store.packs:
                found.setdefault(pack, []).append(store)
        return found

    def print(self) -> None:
        for symbol, lines in self.waiting.items():
            if symbol not in self.made:
                self.lines += [("", line) for line in lines]
        for symbol in (*self.made, *(pack[0] for store in self.at_once for pack in store.packs)):
            self.need(symbol)

    def blocks(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Statements under their sections; leaves stand in that of what reads them first, or in the last one."""
        title, own, leaves = "", list[str](), list[str]()
        for section, line in self.lines:
            if section is None:
                leaves.append(line)
                continue
            if section != title and own:
                yield title, tuple(own)
                own = []
            title = section
            own += [*leaves, line]
            leaves = []
        if own or leaves:
            yield title, (*own, *leaves)

    def need(self, symbol: sympy.Symbol) -> None:
        """The statement that gives it stands before what comes next, and so do all that it reads."""
        waiting = [symbol]
        while waiting:
            node = self.packing.packs.get(waiting[-1]) or (waiting[-1],)
            if node in self.done:
                waiting.pop()
            elif node in self.entered:
                self._state(node)
                waiting.pop()
            else:
                self.entered.add(node)
                waiting += self._read(node)

    def _read(self, node: Symbols) -> list[sympy.Symbol]:
        """What must be stated before; inputs, sines and cosines only if they are read side by side."""
        own = set().union(*(self.made[symbol].read for symbol in node if symbol in self.made))
        leaves = self.packing.leaves if len(node) > 1 else ()
        return sorted((symbol for symbol in own if symbol in self.made or symbol in leaves), key=name_of, reverse=True)

    def _state(self, node: Symbols) -> None:
        if not all((self.packing.packs.get(symbol) or (symbol,)) in self.done for symbol in self._read(node)):
            raise InternalError(f"{self.packing.function.name}: packs wait for each other at {node[0]}")
        self.done.add(node)
        if len(node) == 1 and node[0] in self.made:
            self._scalar(self.made[node[0]])
        elif len(node) > 1 and node[0] not in self.made:
            at_once = _read_at_once(self.packing, node)
            apart = self._several([self.names[leaf] for leaf in node])
            self._write(None, f"each_{node[0].name}", at_once or apart, len(node))
            self.operations += 1 if at_once else len(node)
            self._store(None, node)
        elif node[0] in self.made:
            self._pack(node)

    def _scalar(self, assignment: Assignment) -> None:
        value = self.dialect.expression(assignment.expr, self.names, assignment.kept)
        line = self.dialect.assign.format(name=assignment.symbol.name, value=value)
        self._lines(assignment.section, line)
        self._lines(assignment.section, *self.waiting.get(assignment.symbol, ()))
        self.operations += _operations(assignment.expr)

    def _pack(self, pack: Symbols) -> None:
        own = [self.made[symbol] for symbol in pack]
        section = _common([assignment.section for assignment in own])
        value = self.sum_of([assignment.expr for assignment in own], section)
        self._write(section, f"each_{pack[0].name}", value, len(pack))
        for symbol in pack:
            self._lines(section, *self.waiting.get(symbol, ()))
        self._store(section, pack)
        self.operations += _operations(own[0].expr)

    def _store(self, section: str | None, pack: Symbols) -> None:
        """With the packs that are stored with it, if it is the last of them."""
        for store in self.storing.get(pack, ()):
            if self.done.issuperset(store.packs):
                self._lines(section, store.text)

    def _write(self, section: str | None, name: str, value: str, width: int) -> None:
        self.width = max(self.width, width)
        self._lines(section, f"const kg_pack_{width} {name} = {value};")

    def _lines(self, section: str | None, *lines: str) -> None:
        self.lines += [(section, part) for line in lines for part in wrapped(line)]

    # ---- Expressions of all limbs, which have the same form

    def sum_of(self, exprs: Sequence[sympy.Expr], section: str) -> str:
        if not exprs[0].is_Add:
            negative, text = self.product_of(exprs, section)
            return f"-{text}" if negative else text
        terms = [self.product_of(own, section) for own in zip(*(expr.args for expr in exprs), strict=True)]
        return written_sum(terms)

    def product_of(self, exprs: Sequence[sympy.Expr], section: str) -> tuple[bool, str]:
        """Whether it is negative in all limbs, and the text of its size; with signs that differ, of itself."""
        parts = [split(expr) for expr in exprs]
        values = [value_of(coefficient) for coefficient, _ in parts]
        alike = len(set(values)) == 1
        if not parts[0][1]:
            return (values[0] < 0, self.dialect.literal(abs(values[0]))) if alike else (False, self._numbers(values))
        factors = [self.factor_of(own, section) for own in zip(*(factors for _, factors in parts), strict=True)]
        only_signs = not alike and all(abs(value) == 1 for value in values)
        texts = [text for text, _ in factors]
        if only_signs and not factors[0][1]:
            texts[0] = self._vector([texts[0]] * len(exprs))
        if only_signs:
            texts[0] = turned(texts[0], values)
            self.operations += 1
        elif not alike:
            texts.insert(0, self._numbers(values))
        elif abs(values[0]) != 1:
            texts.insert(0, self.dialect.literal(abs(values[0])))
        return alike and values[0] < 0, "*".join(texts)

    def factor_of(self, exprs: Sequence[sympy.Expr], section: str) -> tuple[str, bool]:
        """Its text, and whether it is a vector."""
        kinds = {kind_of(expr) for expr in exprs}
        match kinds.pop() if len(kinds) == 1 else "product":
            case "symbol":
                return self.symbol_of(tuple(exprs), section)
            case "reciprocal":
                text, vector = self.factor_of([expr.base for expr in exprs], section)
                return f"({self.dialect.literal(1.0)}/{text})", vector
        return f"({self.sum_of(exprs, section)})", True

    def symbol_of(self, symbols: Symbols, section: str) -> tuple[str, bool]:
        if len(set(symbols)) == 1 and symbols[0] not in self.packing.packs:
            return self.names.get(symbols[0], symbols[0].name), False
        if self.packing.packs.get(symbols[0]) == symbols:
            return f"each_{symbols[0].name}", True
        if symbols not in self.gathered:
            name = f"pack_{len(self.gathered) + 1}"
            values = [self.names.get(symbol, symbol.name) for symbol in symbols]
            self._write(section, name, self._several(values), len(symbols))
            self.gathered[symbols] = name
            self.operations += len(symbols)
        return self.gathered[symbols], True

    def _numbers(self, values: Sequence[float]) -> str:
        return self._vector([self.dialect.literal(value) for value in values])

    def _vector(self, values: Sequence[str]) -> str:
        return f"(kg_pack_{len(values)}){self._several(values)}"

    def _several(self, values: Sequence[str]) -> str:
        return "{" + ", ".join(values) + "}"


def _common(sections: Sequence[str]) -> str:
    """Links of all limbs, and what goes on behind them, once."""
    parts = [section.partition(", ") for section in sections]
    return ", ".join(dict.fromkeys([link for link, _, _ in parts] + [more for _, _, more in parts if more]))


def _operations(expr: sympy.Expr) -> int:
    own = len(expr.args) - 1 if expr.is_Add or expr.is_Mul else DIVISION if expr.is_Pow else 0
    return own + sum(map(_operations, expr.args))
