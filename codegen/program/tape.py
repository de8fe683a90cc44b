"""The tape: writes a single-assignment program while the equations are derived.

A `Scalar` is a sum of products of tape symbols with numeric coefficients. `tape.let(scalar, hint)` names it, finds it
again if it was named before, and returns one symbol; so no expression ever grows. Zeros and ones vanish on the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache

import sympy

from kinegen.runtime.errors import InternalError, ModelError

from .operations import CALLS
from .types import Angle, Assignment, Function, Input, Output

Key = tuple[int, ...]  # sorted symbol numbers of one product; () is the constant
SNAP = 1e-12
LOCAL_NAMES = {"s", "c", "angle", "i"}  # what the printed function calls its own


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
        if len(self.terms) > 1:
            return False
        return all(not key or (len(key) == 1 and abs(factor) == 1.0) for key, factor in self.terms.items())

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
        return self + (-other)

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
        return Scalar(self.tape, {tuple(sorted(first + key)): factor * scale for key, factor in right.terms.items()})

    __rmul__ = __mul__


class Tape:
    """Single-assignment program in the making."""

    def __init__(self, name: str, title: str = "") -> None:
        self.name, self.title = name, title
        self.zero = Scalar(self, {})
        self.one = Scalar(self, {(): 1.0})
        self._section = ""
        self._inputs: list[tuple[str, tuple[int, ...]]] = []
        self._outputs: list[tuple[str, tuple[int, ...], list[Scalar]]] = []
        self._symbols: list[sympy.Symbol | None] = []  # given symbols (inputs), None until frozen otherwise
        self._hints: list[str] = []
        self._body: list[tuple[int, tuple[str, tuple[Scalar, ...]], str]] = []  # symbol, (operation, operands), section
        self._known: dict[object, Scalar] = {}
        self._angles: list[tuple[Scalar, int, int]] = []

    # -- what comes in -------------------------------------------------------------------------------------------

    def constant(self, value: float) -> Scalar:
        value = float(value)
        if not math.isfinite(value):
            raise InternalError(f"constant {value} on tape '{self.name}'")
        return Scalar(self, {(): value}) if value else self.zero

    def input(self, name: str, symbols: Sequence[sympy.Symbol]) -> list[Scalar]:
        """An array argument; one Scalar per entry."""
        numbers = tuple(self._new(symbol.name, symbol) for symbol in symbols)
        self._inputs.append((name, numbers))
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
        if expr.is_Function and expr.func.__name__ not in CALLS:
            raise ModelError(f"no function '{expr.func.__name__}' in '{expr}'; there are: {', '.join(CALLS)}")
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
        key = tuple(sorted(terms.items()))
        flip = key[0][1] < 0.0  # x and -x share one name, which says so if it stands for -x
        if flip:
            key = tuple((factors, -factor) for factors, factor in key)
        known = self._known.get(key)
        if known is None:
            positive = Scalar(self, {k: -f for k, f in terms.items()}) if flip else value
            known = self._assign("sum", (positive,), f"neg_{hint}" if flip else hint)
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
        """sin and cos of an expression of inputs."""
        number = angle.constant
        if number is not None:
            return self.constant(snap(math.sin(number))), self.constant(snap(math.cos(number)))
        key = ("sincos", tuple(sorted(angle.terms.items())))
        if key not in self._known:
            sin, cos = self._new(f"s_{hint}"), self._new(f"c_{hint}")
            self._angles.append((angle, sin, cos))
            self._known[key] = Scalar(self, {(sin,): 1.0})
            self._known[(*key, "cos")] = Scalar(self, {(cos,): 1.0})
        return self._known[key], self._known[(*key, "cos")]

    def output(self, name: str, shape: tuple[int, ...], entries: Iterable[Scalar]) -> None:
        named = [entry if entry.is_zero else self.let(entry, f"{name}_{i}") for i, entry in enumerate(entries)]
        if len(named) != math.prod(shape):
            raise InternalError(f"output {name} of '{self.name}': {len(named)} entries for shape {shape}")
        self._outputs.append((name, shape, named))

    def _new(self, hint: str, symbol: sympy.Symbol | None = None) -> int:
        self._symbols.append(symbol)
        self._hints.append(hint)
        return len(self._symbols) - 1

    def _assign(self, operation: str, operands: tuple[Scalar, ...], hint: str) -> Scalar:
        number = self._new(hint)
        self._body.append((number, (operation, operands), self._section))
        return Scalar(self, {(number,): 1.0})

    # -- what goes out -------------------------------------------------------------------------------------------

    def function(self) -> Function:
        """The program so far, without what no output needs, in SymPy."""
        return _Freezer(self).function()


class _Freezer:
    """The one door from the tape to SymPy: live assignments get names, scalars become expressions."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        arrays = {name for name, *_ in (*tape._inputs, *tape._outputs)}
        self.names = LOCAL_NAMES | arrays | {symbol.name for symbol in tape._symbols if symbol is not None}
        self.counters: dict[str, int] = {}

    def function(self) -> Function:
        tape = self.tape
        live = self._live()
        angles = [(a, s, c) for a, s, c in tape._angles if s in live or c in live]
        for _, sin, cos in angles:
            self._name(sin)
            self._name(cos)
        body = [row for row in tape._body if row[0] in live]
        for number, _, _ in body:
            self._name(number)
        symbols = tape._symbols
        return Function(
            name=tape.name,
            inputs=tuple(Input(n, tuple(_given(symbols[i]) for i in numbers)) for n, numbers in tape._inputs),
            angles=tuple(Angle(self.expr(a), _given(symbols[s]), _given(symbols[c])) for a, s, c in angles),
            assignments=tuple(Assignment(_given(symbols[n]), self._rhs(*rhs), section) for n, rhs, section in body),
            outputs=tuple(Output(n, shape, tuple(map(self.expr, e))) for n, shape, e in tape._outputs),
            title=tape.title,
        )

    def _live(self) -> set[int]:
        live: set[int] = set()
        for _, _, entries in self.tape._outputs:
            for entry in entries:
                live.update(number for key in entry.terms for number in key)
        for number, (_, operands), _ in reversed(self.tape._body):  # last to first
            if number in live:
                for operand in operands:
                    live.update(n for key in operand.terms for n in key)
        return live

    def _name(self, number: int) -> None:
        if self.tape._symbols[number] is not None:
            return
        hint = name = self.tape._hints[number]
        while name in self.names:
            self.counters[hint] = self.counters.get(hint, 1) + 1
            name = f"{hint}_{self.counters[hint]}"
        self.names.add(name)
        self.tape._symbols[number] = sympy.Symbol(name, real=True)

    def _rhs(self, operation: str, operands: tuple[Scalar, ...]) -> sympy.Expr:
        if operation == "sum":
            return self.expr(operands[0])
        arguments = [self.expr(operand) for operand in operands]
        if operation == "reciprocal":
            return sympy.Pow(arguments[0], -1, evaluate=False)
        return sympy.Function(operation)(*arguments)

    def expr(self, scalar: Scalar) -> sympy.Expr:
        """Sum of products without SymPy's reordering."""
        terms = [self._product(key, factor) for key, factor in scalar.terms.items()]
        if not terms:
            return sympy.S.Zero
        return terms[0] if len(terms) == 1 else sympy.Add._from_args(terms, is_commutative=True)

    def _product(self, key: Key, factor: float) -> sympy.Expr:
        factors: list[sympy.Expr] = [_given(self.tape._symbols[number]) for number in key]
        if not factors:
            return _literal(factor)
        if factor != 1.0:
            factors.insert(0, _literal(factor))
        return factors[0] if len(factors) == 1 else sympy.Mul._from_args(factors, is_commutative=True)


def _given(symbol: sympy.Symbol | None) -> sympy.Symbol:
    if symbol is None:
        raise InternalError("a symbol is used before it is named")
    return symbol


@lru_cache(maxsize=1 << 16)
def _literal(value: float) -> sympy.Expr:
    exact = value == int(value) and abs(value) < 1e6
    return sympy.Integer(int(value)) if exact else sympy.Float(value, precision=53)
