"""The tape: writes a single-assignment program while the equations are derived.

A `Scalar` is a sum of products of tape symbols with numeric coefficients. `tape.let(scalar, hint)` names it, finds it
again if it was named before, and returns one symbol; so no expression ever grows. Zeros and ones vanish on the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import sympy

from kinegen.runtime.abi import SNAP
from kinegen.runtime.errors import InternalError

from .operations import CALLS
from .recording import Key, Recording
from .types import Function

NEGATIVE = "neg_"
"""What the name of -x begins with, where x itself has no name."""


def snap(value: float) -> float:
    """Constants within 1e-12 of 0 and ±1 become exact."""
    for exact in (0.0, 1.0, -1.0):
        if abs(value - exact) < SNAP:
            return exact
    return value


class Scalar:
    """Immutable sum of products; `terms` maps the factors of a product to its coefficient."""

    __slots__ = ("tape", "terms")

    def __init__(self, tape: Tape, terms: dict[Key, float]) -> None:
        self.tape = tape
        self.terms = terms

    @property
    def is_zero(self) -> bool:
        return not self.terms

    @property
    def constant(self) -> float | None:
        """The number this is, or None if it depends on symbols."""
        if not self.terms:
            return 0.0
        return self.terms.get(()) if len(self.terms) == 1 else None

    @property
    def is_atom(self) -> bool:
        """A number, a symbol or a negated symbol: needs no name."""
        if len(self.terms) != 1:
            return not self.terms
        ((key, factor),) = self.terms.items()
        return not key or (len(key) == 1 and abs(factor) == 1.0)

    def __add__(self, other: Scalar | float) -> Scalar:
        if not isinstance(other, Scalar):
            other = self.tape.constant(other)
        if not self.terms:
            return other
        if not other.terms:
            return self
        terms = dict(self.terms)
        for key, factor in other.terms.items():
            before = terms.get(key, 0.0)
            after = before + factor
            if abs(after) <= 1e-15 * max(abs(before), abs(factor)):
                terms.pop(key, None)
            else:
                terms[key] = after
        return Scalar(self.tape, terms)

    __radd__ = __add__

    def __neg__(self) -> Scalar:
        return Scalar(self.tape, {key: -factor for key, factor in self.terms.items()})

    def __sub__(self, other: Scalar | float) -> Scalar:
        return self + -other

    def __rsub__(self, other: Scalar | float) -> Scalar:
        return -self + other

    def __mul__(self, other: Scalar | float) -> Scalar:
        if not isinstance(other, Scalar):
            if other == 0.0:
                return self.tape.zero
            return Scalar(self.tape, {key: factor * other for key, factor in self.terms.items()})
        left, right = self, other
        if not left.terms or not right.terms:
            return self.tape.zero
        if len(left.terms) > 1 and len(right.terms) > 1:
            left, right = self.tape.let(left), self.tape.let(right)
        if len(left.terms) > 1:
            left, right = right, left
        ((first, scale),) = left.terms.items()
        if not first:
            return right if scale == 1.0 else Scalar(self.tape, {k: f * scale for k, f in right.terms.items()})
        return Scalar(self.tape, {_product(first, key): factor * scale for key, factor in right.terms.items()})

    __rmul__ = __mul__


def _product(first: Key, second: Key) -> Key:
    if len(first) == len(second) == 1:  # nearly always
        return first + second if first <= second else second + first
    return tuple(sorted(first + second))


@dataclass(frozen=True)
class Mark:
    """A place on a tape: how much had been recorded and named there."""

    sizes: tuple[int, ...]
    known: int


class Tape:
    """Single-assignment program in the making."""

    def __init__(self, name: str, title: str = "") -> None:
        self.name, self.title = name, title
        self.zero = Scalar(self, {})
        self.one = Scalar(self, {(): 1.0})
        self._section = ""
        self.recording = Recording()
        self._known: dict[object, Scalar] = {}

    # -- what comes in -------------------------------------------------------------------------------------------

    def constant(self, value: float) -> Scalar:
        value = float(value)
        if not math.isfinite(value):
            raise InternalError(f"constant {value} on tape '{self.name}'")
        return Scalar(self, {(): value}) if value else self.zero

    def input(self, name: str, symbols: Sequence[sympy.Symbol]) -> list[Scalar]:
        """An array argument; one Scalar per entry."""
        numbers = tuple(self.recording.new(symbol.name, symbol) for symbol in symbols)
        self.recording.inputs.append((name, numbers))
        scalars = [Scalar(self, {(number,): 1.0}) for number in numbers]
        self._known.update(zip(symbols, scalars, strict=True))
        return scalars

    def number(self, value: float | sympy.Expr) -> Scalar:
        """A number or SymPy expression over known input symbols, taken onto the tape."""
        if isinstance(value, (int, float)):
            return self.constant(value)
        expr = sympy.sympify(value)
        if expr.is_number:
            return self.constant(float(expr))
        if expr in self._known:
            return self._known[expr]
        if expr.is_Symbol:
            raise InternalError(f"symbol {expr} is no input of '{self.name}'")
        result = self._operation(expr)
        self._known[expr] = result
        return result

    def _operation(self, expr: sympy.Expr) -> Scalar:
        if expr.func in (sympy.sin, sympy.cos) and (angle := self._of_inputs(expr.args[0])):
            return self.sincos(angle)[0 if expr.func is sympy.sin else 1]
        args = [self.number(arg) for arg in expr.args]
        if expr.is_Add:
            return self.let(sum(args, self.zero), "k")
        if expr.is_Mul:
            product = self.one
            for arg in args:
                product = product * arg
            return self.let(product, "k")
        if expr.is_Pow:
            return self._power(args[0], expr.exp)
        return self.call(expr.func.__name__, *args)

    def _of_inputs(self, expr: sympy.Expr) -> Scalar | None:
        """A sum of products of inputs, unnamed, as an angle has to be; None for any other expression."""
        if not expr.is_polynomial(*expr.free_symbols):
            return None
        total = self.zero
        for term in sympy.Add.make_args(sympy.expand(expr)):
            factor, powers = term.as_coeff_mul()
            product = self.constant(float(factor))
            for power in powers:
                base, exponent = power.as_base_exp()
                for _ in range(int(exponent) if base.is_Symbol else 1):
                    product = product * self.number(base if base.is_Symbol else power)
            total = total + product
        return total

    def _power(self, base: Scalar, exponent: sympy.Expr) -> Scalar:
        if exponent.is_Integer and abs(int(exponent)) <= 8:
            result = self.one
            for _ in range(abs(int(exponent))):
                result = self.let(result * base, "k")
            return result if exponent > 0 else self.reciprocal(result, "k")
        if exponent == sympy.Rational(1, 2):
            return self.call("sqrt", base)
        return self.call("pow", base, self.number(exponent))

    # -- what is derived -----------------------------------------------------------------------------------------

    def section(self, title: str) -> None:
        """Heading of what follows."""
        self._section = title

    def let(self, value: Scalar, hint: str = "t") -> Scalar:
        """Name a value; numbers, symbols and their negatives stay as they are."""
        if value.is_atom:
            return value
        terms = value.terms
        key = tuple(sorted(terms.items())) if len(terms) > 1 else tuple(terms.items())
        flip = key[0][1] < 0.0  # x and -x share one name, which says so if it stands for -x
        if flip:
            key = tuple((factors, -factor) for factors, factor in key)
        known = self._known.get(key)
        if known is None:
            positive = Scalar(self, {k: -f for k, f in terms.items()}) if flip else value
            known = self._assign("sum", (positive,), f"{NEGATIVE}{hint}" if flip else hint)
            self._known[key] = known
        return -known if flip else known

    def reciprocal(self, value: Scalar, hint: str = "inv") -> Scalar:
        number = value.constant
        if number is not None:
            if number == 0.0:
                raise InternalError(f"division by an exact zero in '{self.name}'")
            return self.constant(1.0 / number)
        return self.call("reciprocal", value, hint=hint)

    def call(self, name: str, *arguments: Scalar, hint: str = "k") -> Scalar:
        """A named function of the C library (or `reciprocal`) of named arguments; of numbers it is a number."""
        numbers = [argument.constant for argument in arguments]
        if name in CALLS and None not in numbers:
            with suppress(ArithmeticError, ValueError):  # where it is not defined, C says so at run time
                return self.constant(CALLS[name].value(*numbers))
        named = tuple(self.let(argument, hint) for argument in arguments)
        key = (name, tuple(tuple(sorted(a.terms.items())) for a in named))
        if key not in self._known:
            self._known[key] = self._assign(name, named, hint)
        return self._known[key]

    def sincos(self, angle: Scalar, hint: str = "angle") -> tuple[Scalar, Scalar]:
        """sin and cos of an expression: those of all sums of products of inputs are computed together, first."""
        number = angle.constant
        if number is not None:
            return self.constant(snap(math.sin(number))), self.constant(snap(math.cos(number)))
        if any(self.recording.symbols[factor] is None for key in angle.terms for factor in key):
            return self.call("sin", angle, hint=f"s_{hint}"), self.call("cos", angle, hint=f"c_{hint}")
        key = ("sincos", tuple(sorted(angle.terms.items())))
        if key not in self._known:
            sin, cos = self.recording.new(f"s_{hint}"), self.recording.new(f"c_{hint}")
            self.recording.angles.append((angle.terms, sin, cos))
            self._known[key] = Scalar(self, {(sin,): 1.0})
            self._known[(*key, "cos")] = Scalar(self, {(cos,): 1.0})
        return self._known[key], self._known[(*key, "cos")]

    def output(self, name: str, shape: tuple[int, ...], entries: Iterable[Scalar]) -> None:
        named = [entry if entry.is_zero else self.let(entry, f"{name}_{i}") for i, entry in enumerate(entries)]
        if len(named) != math.prod(shape):
            raise InternalError(f"output {name} of '{self.name}': {len(named)} entries for shape {shape}")
        self.recording.outputs.append((name, shape, [entry.terms for entry in named]))

    def _assign(self, operation: str, operands: tuple[Scalar, ...], hint: str) -> Scalar:
        number = self.recording.new(hint)
        terms = tuple(operand.terms for operand in operands)
        self.recording.body.append((number, operation, terms, self._section))
        return Scalar(self, {(number,): 1.0})

    # -- what goes out -------------------------------------------------------------------------------------------

    def function(self) -> Function:
        """The program so far, without what no output needs, in SymPy."""
        return self.recording.function(self.name, self.title)

    def mark(self) -> Mark:
        """What stands on the tape now, for `rewind`."""
        return Mark(self.recording.sizes(), len(self._known))

    def rewind(self, mark: Mark, name: str, title: str) -> None:
        """Forget what was written since the mark; what follows is another program, of this name."""
        self.name, self.title, self._section = name, title, ""
        self.recording.cut(mark.sizes)
        while len(self._known) > mark.known:
            self._known.popitem()  # the latest first
