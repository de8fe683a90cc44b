"""Parts that are alike, such as the boxes of a pile, as loops over them: what one of them computes, once.

Function → stages: statements, then loops that read what these give, then statements that read what loops give, ... A
value belongs to a copy if it comes from entries of q, v, ... of that copy, and from nothing of others but what is
summed over all. Values are numbered as those of limbs are (see packs): one is in a loop if all copies have one of
its number, from entries of their arrays at places first + copy*stride. What is summed over all is a loop that adds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from math import prod

import sympy

from ..limbs import Lane, Limbs
from ..operations import kind_of
from ..packs.packs import alike, positive_first, product, split
from ..types import Assignment, Function, Output
from .sums import Copies, with_sums
from .types import Loop, Place, Rolled, Stage, Sum

WORTH = 0.5
"""Part of the statements that may be left for loops to be worth it."""


def rolled(function: Function, copies: Limbs) -> Rolled | None:
    """None where nothing is worth a loop."""
    return _Rolling(function, copies).result() if copies.widths else None


class _Rolling:
    """What is found out about a function on the way.

    Statements of stage k read what loops of stages below k gave, loops of stage k what its statements gave.
    """

    def __init__(self, function: Function, copies: Limbs) -> None:
        self._function, self._alike = function, alike(function, copies, calls=True)
        self._packs, self._leaves = self._alike.packs, self._alike.leaves
        self._families, self._widths = copies.widths, tuple(dict.fromkeys(copies.widths))
        self._read = self._places()
        self._distances = tuple(copies.distances())
        self._stage: dict[sympy.Symbol, int] = {}
        self._looped: dict[sympy.Symbol, Assignment] = {}  # of the first copy, for all
        self._straight: list[Assignment | Sum] = []
        self._members: dict[sympy.Symbol, sympy.Symbol] = {}  # with those of the first copy
        self._stored: dict[tuple[str, int], tuple[int, int, Place, sympy.Expr]] = {}  # with copies and stage
        self._tables: dict[tuple[float, ...], sympy.Symbol] = {}

    def result(self) -> Rolled | None:
        function = self._function
        made = {assignment.symbol: assignment for assignment in function.assignments}
        straight: list[Assignment] = []
        for symbol, assignment in made.items():
            if symbol not in self._members and not self._loops([made[s] for s in self._packs.get(symbol, ())]):
                straight.append(assignment)
                self._stage[symbol] = max(map(self._behind, assignment.read), default=0)
        self._straight = with_sums(straight, self._readers(straight), Copies(self._families, self._lane, self._total))
        if len(self._looped) + len(self._straight) > WORTH * len(function.assignments):
            return None
        for output in function.outputs:
            self._store(output)
        if not self._looped and not self._stored and len(self._straight) == len(function.assignments):
            return None
        tables = {symbol: values for values, symbol in self._tables.items()}
        return Rolled(tables, self._read, tuple(self._stages()), frozenset(self._stored))

    def _places(self) -> dict[sympy.Symbol, Place]:
        """Of inputs, sines and cosines of the first copies, where those of all stand at one distance."""
        found = {symbol: (given.name, i) for given in self._function.inputs for i, symbol in enumerate(given.symbols)}
        for i, angle in enumerate(self._function.angles):
            found[angle.sin], found[angle.cos] = ("s", i), ("c", i)
        places: dict[sympy.Symbol, Place] = {}
        for first in self._leaves:
            if self._packs.get(first, ())[:1] != (first,):
                continue
            arrays, numbers = zip(*(found[symbol] for symbol in self._packs[first]), strict=True)
            stride = _stride(numbers)
            if stride and len(set(arrays)) == 1:
                places[first] = Place(arrays[0], numbers[0], stride)
        return places

    # ---- Which statements loops make, and in which stage ----

    def _loops(self, pack: Sequence[Assignment]) -> bool:
        """Whether these, of all copies, are one in a loop; entered there if so."""
        if not pack or not self._readable(len(pack), pack[0].expr):
            return False
        expr = self._merged([assignment.expr for assignment in pack])
        if expr is None:
            return False
        first = pack[0].symbol
        self._looped[first] = replace(pack[0], expr=expr, kept=True)
        self._members |= {assignment.symbol: first for assignment in pack}
        self._stage[first] = max((self._stage.get(symbol, 0) for symbol in expr.free_symbols), default=0)
        return True

    def _readable(self, count: int, expr: sympy.Expr) -> bool:
        return all(self._at_hand(count, symbol) for symbol in expr.free_symbols)

    def _at_hand(self, count: int, symbol: sympy.Symbol) -> bool:
        """What the first of so many copies reads is computed by a loop over as many, or is of no copy."""
        if own := self._packs.get(symbol):
            return len(own) == count and (symbol in self._looped or symbol in self._read)
        return symbol in self._stage or symbol in self._given

    def _behind(self, symbol: sympy.Symbol) -> int:
        """The stage of statements that read it."""
        first = self._members.get(symbol)
        return self._stage.get(symbol, 0) if first is None else self._stage[first] + 1

    def _readers(self, straight: Sequence[Assignment]) -> Counter[sympy.Symbol]:
        """How many statements, loops and outputs read a value."""
        read = [assignment.expr for assignment in (*straight, *self._looped.values())]
        read += [output.entries[i] for output in self._function.outputs for i in output.places]
        return Counter(symbol for expr in read for symbol in expr.free_symbols)

    def _lane(self, term: sympy.Expr) -> Lane | None:
        """The copy that it is of, if of one."""
        lanes = self._alike.numbers.lanes(term.free_symbols)
        return lanes.pop() if len(lanes) == 1 else None

    def _total(self, terms: Sequence[sympy.Expr]) -> sympy.Expr | None:
        """What stands for these, of all copies, in a loop that adds them; None where they are not alike."""
        alike = len(set(map(self._alike.numbers.key, terms))) == 1
        return self._merged(terms) if alike and self._readable(len(terms), terms[0]) else None

    @cached_property
    def _given(self) -> frozenset[sympy.Symbol]:
        angles = {symbol for angle in self._function.angles for symbol in (angle.sin, angle.cos)}
        return frozenset(angles.union(*(given.symbols for given in self._function.inputs)))

    # ---- One expression for all copies ----

    def _merged(self, exprs: Sequence[sympy.Expr]) -> sympy.Expr | None:
        """The first of these with what stands for numbers that differ; None where they are not alike after all.

        Terms and factors stand in the order of the first, positive terms first in it.
        """
        first, kind = exprs[0], kind_of(exprs[0]) if not any(expr.is_Mul for expr in exprs) else "product"
        if kind == "symbol":
            pack = self._packs.get(first, (first,) * len(exprs))
            return first if tuple(exprs) == pack else None
        if kind == "number":
            return self._number(exprs)
        if kind == "product":
            coefficients, rows = zip(*map(split, exprs), strict=True)
            factors = self._each(self._alike.matched(rows))
            return None if factors is None else product(self._number(coefficients), factors)
        if kind == "reciprocal":
            base = self._merged([expr.base for expr in exprs])
            return None if base is None else sympy.Pow(base, -1, evaluate=False)
        if kind == "sum":
            terms = self._each(self._alike.matched([positive_first(first.args), *(expr.args for expr in exprs[1:])]))
            return None if terms is None else sympy.Add(*terms, evaluate=False)
        own = self._each([expr.args for expr in exprs])
        return None if own is None else first.func(*own, evaluate=False)

    def _each(self, rows: Sequence[Sequence[sympy.Expr]]) -> list[sympy.Expr] | None:
        found = [self._merged(column) for column in zip(*rows, strict=True)]
        return None if any(expr is None for expr in found) else [expr for expr in found if expr is not None]

    def _number(self, numbers: Sequence[sympy.Expr]) -> sympy.Expr:
        if all(number is numbers[0] for number in numbers):
            return numbers[0]
        values = tuple(map(float, numbers))
        if len(set(values)) == 1:
            return numbers[0]
        # no parameter is a Dummy, whatever its name
        return self._tables.setdefault(values, sympy.Dummy(f"number_{len(self._tables) + 1}"))

    # ---- Entries of outputs that loops store ----

    def _store(self, output: Output) -> None:
        """Those that all copies have at one distance; then numbers at the same."""
        waiting: dict[tuple[sympy.Symbol, bool], dict[sympy.Symbol, list[int]]] = {}
        for i in output.places:
            entry = output.entries[i]
            symbol = entry if entry.is_Symbol else entry.args[-1] if entry.args else None
            first = self._packs.get(symbol, (None,))[0]
            if first in self._looped or first in self._read:
                waiting.setdefault((first, entry.is_Symbol), {}).setdefault(symbol, []).append(i)
        strides: dict[tuple[int, int], None] = {}
        for (first, positive), places in waiting.items():
            rows = [places.get(symbol, []) for symbol in self._packs[first]]
            for numbers in zip(*rows, strict=True) if len(set(map(len, rows))) == 1 else ():
                if stride := _stride(numbers):
                    self._keep(output, len(rows), numbers[0], stride, first if positive else -first)
                    strides[len(rows), stride] = None
        for count, stride in strides or self._likely(output):
            self._store_numbers(output, count, stride)

    def _likely(self, output: Output) -> Iterator[tuple[int, int]]:
        """Copies, and their distance where each velocity of one has a row of an output, or one with its diagonal."""
        sizes = {len(given.symbols) for given in self._function.inputs if given.symbols}
        rows = {prod(output.shape[1:]), *(len(output.entries) // size for size in sizes)} - {0}
        for count, stride in self._distances:
            for row in sorted(rows):
                yield count, stride * row
                yield count, stride * (row + 1)

    def _store_numbers(self, output: Output, count: int, stride: int) -> None:
        """Of what is mostly zero, which is cleared as a whole, only those that are not."""
        few = 2 * output.zeros > len(output.entries)
        for i in output.places if few else range(len(output.entries)):
            entry, end = output.entries[i], i + (count - 1) * stride
            if not entry.is_Number or (output.name, i) in self._stored or not 0 <= end < len(output.entries):
                continue
            own = (i + k * stride for k in range(count))
            if all(output.entries[at] == entry and (output.name, at) not in self._stored for at in own):
                self._keep(output, count, i, stride, entry)

    def _keep(self, output: Output, count: int, first: int, stride: int, entry: sympy.Expr) -> None:
        place = Place(output.name, first, stride)
        stage = max((self._stage.get(symbol, 0) for symbol in entry.free_symbols), default=0)
        self._stored |= {(output.name, place.of(k)): (count, stage, place, entry) for k in range(count)}

    # ---- The result ----

    def _stages(self) -> Iterator[Stage]:
        outside = self._read_outside()
        for stage in range(max(self._stage.values(), default=0) + 1):
            own = tuple(statement for statement in self._straight if self._stage[statement.symbol] == stage)
            loops = (self._loop(width, stage, outside) for width in self._widths)
            yield Stage(own, tuple(loop for loop in loops if loop.assignments or loop.stores))

    def _read_outside(self) -> set[sympy.Symbol]:
        """Values of loops that are read outside of them, those of the first copies."""
        sums = [statement for statement in self._straight if isinstance(statement, Sum)]
        read = {s for x in self._straight for s in (x.apart if isinstance(x, Sum) else x.expr.free_symbols)}
        for output in self._function.outputs:
            for i in output.places:
                if (output.name, i) not in self._stored:
                    read |= output.entries[i].free_symbols
        found = {self._members[symbol] for symbol in read if symbol in self._members}
        found |= {symbol for total in sums for symbol in total.own if symbol in self._looped}
        for first, assignment in self._looped.items():
            found |= {
                s for s in assignment.expr.free_symbols & self._looped.keys() if self._stage[s] < self._stage[first]
            }
        return found

    def _loop(self, width: int, stage: int, outside: set[sympy.Symbol]) -> Loop:
        own = {s: a for s, a in self._looped.items() if len(self._packs[s]) == width and self._stage[s] == stage}
        stores = [
            (place, entry)
            for (array, number), (count, at, place, entry) in self._stored.items()
            if (count, at) == (width, stage) and (array, number) == (place.array, place.first)
        ]
        read = set().union(*(a.expr.free_symbols for a in own.values()), *(entry.free_symbols for _, entry in stores))
        return Loop(
            width,
            {symbol: place for symbol, place in self._read.items() if symbol in read},
            tuple(own.values()),
            tuple(sorted(stores, key=lambda store: (store[0].array, store[0].first))),
            {symbol: self._packs[symbol] for symbol in own if symbol in outside},
            frozenset((read & self._looped.keys()) - own.keys()),
        )


def _stride(numbers: Sequence[int]) -> int:
    """Their distance, 0 if it is not one."""
    stride = numbers[1] - numbers[0]
    return stride if all(b - a == stride for a, b in pairwise(numbers)) else 0
