"""Derivatives of what stands on a tape in one direction, put on the same tape: forward, assignment by assignment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kinegen.runtime.errors import InternalError

from .tape import Scalar, Tape

Rates = dict[int, Scalar]


def tangent(tape: Tape, values: Sequence[Scalar], seeds: Sequence[tuple[Scalar, Scalar]]) -> list[Scalar]:
    """The rates of `values` as inputs move: `seeds` are pairs of an input and its rate, all others rest.

    InternalError for a function that has no derivative and depends on what moves.
    """
    rates: Rates = {}
    for symbol, rate in seeds:
        ((key, _),) = symbol.terms.items()
        rates[key[0]] = rate
    recording = tape.recording
    for angle, sin, cos in tuple(recording.angles):
        rate = _rate(Scalar(tape, angle), rates)
        if not rate.is_zero:
            rates[sin] = tape.let(Scalar(tape, {(cos,): 1.0}) * rate, "ds")
            rates[cos] = tape.let(-(Scalar(tape, {(sin,): 1.0}) * rate), "dc")
    needed = recording.needed(value.terms for value in values)
    for number, operation, terms, section in tuple(recording.body):
        operands = [Scalar(tape, entry) for entry in terms]
        inner = [_rate(operand, rates) for operand in operands] if number in needed else []
        if any(not rate.is_zero for rate in inner):
            tape.section(section)
            found = _moved(tape, operation, Scalar(tape, {(number,): 1.0}), operands, inner)
            rates[number] = tape.let(found, f"d_{recording.hints[number]}")
    return [tape.let(_rate(value, rates), "d") for value in values]


def _rate(scalar: Scalar, rates: Mapping[int, Scalar]) -> Scalar:
    """Of a sum of products: one factor of each product after the other."""
    tape, total = scalar.tape, scalar.tape.zero
    for key, factor in scalar.terms.items():
        for place, number in enumerate(key):
            if number in rates:
                rest = Scalar(tape, {key[:place] + key[place + 1 :]: factor})
                total = total + rest * rates[number]
    return total


def _moved(tape: Tape, operation: str, y: Scalar, operands: Sequence[Scalar], rates: Sequence[Scalar]) -> Scalar:
    if operation == "sum":
        return rates[0]
    if operation == "reciprocal":
        return -(tape.let(y * y, "yy") * rates[0])
    slope = _SLOPES.get(operation)
    if slope is None:
        raise InternalError(f"'{operation}' has no derivative in '{tape.name}'")
    return tape.let(slope(tape, y, operands[0]), "slope") * rates[0]


def _over_one_plus_square(tape: Tape, y: Scalar, x: Scalar) -> Scalar:
    return tape.reciprocal(tape.let(tape.one + tape.let(x * x, "xx"), "k"))


_SLOPES: dict[str, Callable[[Tape, Scalar, Scalar], Scalar]] = {
    "sqrt": lambda tape, y, x: tape.reciprocal(y) * 0.5,
    "exp": lambda tape, y, x: y,
    "log": lambda tape, y, x: tape.reciprocal(x),
    "sin": lambda tape, y, x: tape.call("cos", x),
    "cos": lambda tape, y, x: -tape.call("sin", x),
    "tan": lambda tape, y, x: tape.one + tape.let(y * y, "yy"),
    "atan": _over_one_plus_square,
    "tanh": lambda tape, y, x: tape.one - tape.let(y * y, "yy"),
}
"""Slopes of functions of one number, from their value y and argument x."""
