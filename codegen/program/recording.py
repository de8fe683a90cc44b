"""What a tape has written: assignments by number, and how they become a program in SymPy.

Symbols are numbers until then; a value is a sum of products of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import sympy

from kinegen.runtime.errors import InternalError

from .types import Angle, Assignment, Function, Input, Output

Key = tuple[int, ...]
"""Sorted symbol numbers of one product; () is the constant."""
Terms = dict[Key, float]
"""The coefficient of every product of a sum."""
LOCAL_NAMES = {"s", "c", "angle", "i"}  # what the printed function calls its own


@dataclass
class Recording:
    """Assignments in their order; `symbols`: those of inputs are given, others None.

    `inputs`: name, numbers; `outputs`: name, shape, entries; `body`: number, operation, operands, section; `angles`:
    argument, numbers of its sine and cosine.
    """

    symbols: list[sympy.Symbol | None] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    inputs: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    outputs: list[tuple[str, tuple[int, ...], list[Terms]]] = field(default_factory=list)
    body: list[tuple[int, str, tuple[Terms, ...], str]] = field(default_factory=list)
    angles: list[tuple[Terms, int, int]] = field(default_factory=list)

    def new(self, hint: str, symbol: sympy.Symbol | None = None) -> int:
        """The number of one symbol more."""
        self.symbols.append(symbol)
        self.hints.append(hint)
        return len(self.symbols) - 1

    def sizes(self) -> tuple[int, ...]:
        """How long it is, for `cut`."""
        return tuple(map(len, self._lists()))

    def cut(self, sizes: tuple[int, ...]) -> None:
        """Forget what was written since it had these sizes."""
        for entries, size in zip(self._lists(), sizes, strict=True):
            del entries[size:]

    def _lists(self) -> tuple[list[object], ...]:
        return self.symbols, self.hints, self.inputs, self.outputs, self.body, self.angles  # type: ignore[return-value]  # of any entries

    def needed(self, wanted: Iterable[Terms]) -> set[int]:
        """The numbers of all symbols that these values come from."""
        found = {number for terms in wanted for key in terms for number in key}
        for number, _, operands, _ in reversed(self.body):  # last to first
            if number in found:
                found.update(n for terms in operands for key in terms for n in key)
        return found

    def function(self, name: str, title: str) -> Function:
        """The program, without what no output needs."""
        return _Freezer(self).function(name, title)


class _Freezer:
    """The one door from the tape to SymPy: live assignments get names, sums become expressions."""

    def __init__(self, recording: Recording) -> None:
        self.recording, self.symbols = recording, list(recording.symbols)
        arrays = {name for name, *_ in (*recording.inputs, *recording.outputs)}
        self.names = LOCAL_NAMES | arrays | {symbol.name for symbol in self.symbols if symbol is not None}
        self.counters: dict[str, int] = {}

    def function(self, name: str, title: str) -> Function:
        recording = self.recording
        live = recording.needed(entry for *_, entries in recording.outputs for entry in entries)
        angles = [(a, s, c) for a, s, c in recording.angles if s in live or c in live]
        for _, sin, cos in angles:
            self._name(sin)
            self._name(cos)
        body = [row for row in recording.body if row[0] in live]
        for number, *_ in body:
            self._name(number)
        given = self._given
        return Function(
            name=name,
            inputs=tuple(Input(n, tuple(map(given, numbers))) for n, numbers in recording.inputs),
            angles=tuple(Angle(self.expr(a), given(s), given(c)) for a, s, c in angles),
            assignments=tuple(Assignment(given(n), self._rhs(op, x), section) for n, op, x, section in body),
            outputs=tuple(Output(n, shape, tuple(map(self.expr, e))) for n, shape, e in recording.outputs),
            title=title,
        )

    def _name(self, number: int) -> None:
        if self.symbols[number] is not None:
            return
        hint = name = self.recording.hints[number]
        while name in self.names:
            self.counters[hint] = self.counters.get(hint, 1) + 1
            name = f"{hint}_{self.counters[hint]}"
        self.names.add(name)
        self.symbols[number] = _symbol(name)

    def _rhs(self, operation: str, operands: tuple[Terms, ...]) -> sympy.Expr:
        if operation == "sum":
            return self.expr(operands[0])
        arguments = [self.expr(operand) for operand in operands]
        if operation == "reciprocal":
            return sympy.Pow(arguments[0], -1, evaluate=False)
        return sympy.Function(operation)(*arguments)

    def expr(self, terms: Terms) -> sympy.Expr:
        """Sum of products without SymPy's reordering."""
        products = [self._product(key, factor) for key, factor in terms.items()]
        if not products:
            return sympy.S.Zero
        return products[0] if len(products) == 1 else sympy.Add._from_args(products, is_commutative=True)

    def _product(self, key: Key, factor: float) -> sympy.Expr:
        if not key:
            return _literal(factor)
        factors: list[sympy.Expr] = [self._given(number) for number in key]
        if factor != 1.0:
            factors.insert(0, _literal(factor))
        return factors[0] if len(factors) == 1 else sympy.Mul._from_args(factors, is_commutative=True)

    def _given(self, number: int) -> sympy.Symbol:
        symbol = self.symbols[number]
        if symbol is None:
            raise InternalError("a symbol is used before it is named")
        return symbol


@lru_cache(maxsize=1 << 18)
def _symbol(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, real=True)


@lru_cache(maxsize=1 << 16)
def _literal(value: float) -> sympy.Expr:
    exact = value == int(value) and abs(value) < 1e6
    return sympy.Integer(int(value)) if exact else sympy.Float(value, precision=53)
