"""The tape and its specification: what is folded, shared and dropped while a program is written."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegen.codegen.inspection.factored import Factored
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.program.reach import hidden_entries
from kinegen.codegen.program.tape import Scalar, Tape
from kinegen.codegen.program.types import Angle, Assignment, Function, Input, Operations, Output
from kinegen.codegen.program.verify import verify
from kinegen.runtime.errors import InternalError

X, Y, Z, T = sympy.symbols("x0 x1 x2 t", real=True)


def tape_with(size: int = 3) -> tuple[Tape, list[Scalar]]:
    tape = Tape("f")
    return tape, tape.input("x", sympy.symbols(f"x:{size}", real=True))


def written(build: Callable[[Tape, list[Scalar]], list[Scalar]], size: int = 3) -> Function:
    """The verified program of what `build` makes of the inputs x."""
    tape, x = tape_with(size)
    entries = build(tape, x)
    tape.output("y", (len(entries),), entries)
    return verify(tape.function())


# ---- Folding


def test_functions_of_numbers_are_numbers_where_they_are_defined() -> None:
    tape, (x, _, _) = tape_with()
    assert tape.call("sqrt", tape.constant(2.0)).constant == math.sqrt(2.0)
    assert tape.call("atan2", tape.constant(1.0), tape.constant(-2.0)).constant == math.atan2(1.0, -2.0)
    for beyond in (tape.call("sqrt", tape.constant(-1.0)), tape.call("exp", tape.constant(1e4)), tape.call("sqrt", x)):
        assert beyond.constant is None


def test_zeros_and_ones_vanish() -> None:
    tape, (x, y, _) = tape_with()
    assert (x * 0.0).is_zero and (x * tape.zero).is_zero and (x - x).is_zero
    assert (x * tape.one).terms == x.terms == (x * 1.0).terms
    assert (x + tape.zero) is x and (tape.zero + x) is x
    assert (x * y - y * x).is_zero, "factors commute"
    assert tape.constant(0.0) is tape.zero


def test_numbers_are_computed_at_once() -> None:
    tape, (x, _, _) = tape_with()
    assert (tape.constant(2.0) * tape.constant(3.0) + 1.0).constant == 7.0
    assert (2.0 - tape.constant(0.5)).constant == 1.5
    assert tape.reciprocal(tape.constant(4.0)).constant == 0.25
    assert (x * 2.0 * 3.0).terms == (x * 6.0).terms
    assert x.constant is None and (x + 1.0).constant is None


def test_rounding_of_a_sum_that_cancels_is_zero() -> None:
    _, (x, _, _) = tape_with()
    assert (x * 0.3 - x * 0.1 - x * 0.2).is_zero, "0.3 − 0.1 − 0.2 is 2.8e-17 in doubles"
    assert not (x * 1.0 - x * (1.0 - 1e-9)).is_zero


def test_trigonometry_of_numbers_is_exact_at_quarter_turns() -> None:
    tape, _ = tape_with()
    sin, cos = tape.sincos(tape.constant(math.pi / 2))
    assert (sin.constant, cos.constant) == (1.0, 0.0)
    sin, cos = tape.sincos(tape.constant(math.pi))
    assert (sin.constant, cos.constant) == (0.0, -1.0)


def test_expressions_of_symbols_are_taken_onto_the_tape() -> None:
    tape = Tape("f")
    tape.input("p", (X, Y))
    value = tape.number(X**2 * Y + sympy.sin(X) / Y - sympy.sqrt(2 * Y) + sympy.Rational(1, 2))
    tape.output("y", (1,), [value])
    program = Factored(verify(tape.function()))
    expected = 0.3**2 * 0.7 + math.sin(0.3) / 0.7 - math.sqrt(1.4) + 0.5
    assert float(program.evaluate(p=[0.3, 0.7])[0]) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("angle", "calls"),
    [(2 * X, 0), (sympy.pi / 3 - X * Y**2, 0), (sympy.sqrt(2) * (X + Y) ** 2, 0), (sympy.sqrt(X), 3), (X / Y, 2)],
)
def test_angles_of_inputs_are_evaluated_together_and_others_are_called(angle: sympy.Expr, calls: int) -> None:
    """As of a joint's origin that is turned by twice a parameter."""
    tape = Tape("f")
    tape.input("p", (X, Y))
    tape.output("y", (2,), [tape.number(sympy.sin(angle)), tape.number(sympy.cos(angle) * X)])
    function = verify(tape.function())
    assert (function.operations.call, len(function.angles)) == (calls, int(not calls))
    value = float(angle.subs({X: 0.3, Y: 0.7}))
    found = numeric(function)({"p": [0.3, 0.7]})["y"]
    np.testing.assert_allclose(found, [math.sin(value), 0.3 * math.cos(value)], rtol=1e-14)


def test_a_symbol_that_is_no_input_is_refused() -> None:
    tape, _ = tape_with()
    with pytest.raises(InternalError, match="symbol t is no input of 'f'"):
        tape.number(T + 1)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_numbers_that_are_not_finite_are_refused(value: float) -> None:
    with pytest.raises(InternalError, match="constant"):
        tape_with()[0].constant(value)


def test_division_by_an_exact_zero_is_refused() -> None:
    tape, (x, _, _) = tape_with()
    with pytest.raises(InternalError, match="division by an exact zero in 'f'"):
        tape.reciprocal(x - x)


# ---- Names


def test_atoms_need_no_name() -> None:
    tape, (x, _, _) = tape_with()
    for atom in (x, -x, tape.one, tape.constant(2.5), tape.zero):
        assert tape.let(atom, "t") is atom


def test_equal_values_share_one_assignment() -> None:
    function = written(lambda tape, x: [tape.let(x[0] * x[1] + x[2]), tape.let(x[2] + x[1] * x[0])])
    assert len(function.assignments) == 1
    assert function.outputs[0].entries[0] is function.outputs[0].entries[1]


def test_a_value_and_its_negative_share_one_assignment() -> None:
    function = written(lambda tape, x: [tape.let(x[0] - x[1]), tape.let(x[1] - x[0])])
    (assignment,) = function.assignments
    assert set(function.outputs[0].entries) == {assignment.symbol, -assignment.symbol}


def test_angles_and_calls_are_shared() -> None:
    def build(tape: Tape, x: list[Scalar]) -> list[Scalar]:
        first, second = tape.sincos(x[0], "knee"), tape.sincos(x[0], "knee")
        root, again = tape.call("sqrt", x[1] + x[2]), tape.call("sqrt", x[2] + x[1])
        return [first[0] * second[1], root * again]

    function = written(build)
    assert len(function.angles) == 1
    assert sum(a.expr.is_Function for a in function.assignments) == 1


def test_a_product_of_sums_names_its_factors() -> None:
    function = written(lambda tape, x: [(x[0] + x[1]) * (x[1] + x[2])])
    assert [a.expr.is_Add for a in function.assignments] == [True, True, False]
    assert function.operations == Operations(mul=1, add=2)


def test_names_are_unique_and_keep_clear_of_arrays_and_locals() -> None:
    hints = ["x", "y", "s", "c", "i", "angle", "w", "w", "x0"]
    function = written(lambda tape, x: [tape.let(x[0] * (k + 2.0), hint) for k, hint in enumerate(hints)])
    names = [assignment.symbol.name for assignment in function.assignments]
    assert len(set(names)) == len(names)
    assert not set(names) & {"x", "y", "s", "c", "i", "angle", "x0", "x1", "x2"}
    assert names[6:8] == ["w", "w_2"]


# ---- Dead code and order


def test_what_no_output_needs_is_dropped() -> None:
    def build(tape: Tape, x: list[Scalar]) -> list[Scalar]:
        dead = tape.let(x[0] * x[1], "dead")
        tape.let(dead * x[2], "dead")
        tape.sincos(x[1], "dead")
        return [tape.let(x[0] + x[1], "alive")]

    function = written(build)
    assert [assignment.symbol.name for assignment in function.assignments] == ["alive"]
    assert not function.angles


def test_an_angle_stays_if_only_its_cosine_is_used() -> None:
    (angle,) = written(lambda tape, x: [tape.sincos(x[0])[1]]).angles
    assert angle.argument == X


def test_sections_stand_with_their_assignments() -> None:
    def build(tape: Tape, x: list[Scalar]) -> list[Scalar]:
        tape.section("thigh")
        a = tape.let(x[0] * x[1])
        tape.section("shank")
        return [tape.let(a + x[2])]

    assert [assignment.section for assignment in written(build).assignments] == ["thigh", "shank"]


def test_outputs_have_as_many_entries_as_their_shape_says() -> None:
    tape, x = tape_with()
    with pytest.raises(InternalError, match="3 entries for shape"):
        tape.output("y", (2, 2), x)


# ---- The specification


def function(assignments: list[Assignment], entries: list[sympy.Expr], angles: tuple[Angle, ...] = ()) -> Function:
    return Function("f", (Input("x", (X, Y)),), angles, tuple(assignments), (Output("y", (1,), tuple(entries)),))


S, C = sympy.symbols("s c", real=True)
DEEP = X
for _ in range(6):
    DEEP = 1 / (DEEP + 1)
REFUSED = {
    "used before it is assigned": function([Assignment(T, Z + 1)], [T]),
    "t is assigned twice": function([Assignment(T, X + Y), Assignment(T, X * Y)], [T]),
    "x0 is assigned twice": function([Assignment(X, Y + 1)], [X]),
    "t is used before": function([Assignment(Z, T + 1), Assignment(T, X + Y)], [Z]),
    "deeper than": function([Assignment(T, DEEP)], [T]),
    "holds .* which is no atom": function([], [X + Y]),
    "holds 2\\*x0, which is no atom": function([], [2 * X]),
    "z9 is used before": function([], [sympy.Symbol("z9")]),
    "has 2 entries": function([], [X, Y]),
    "s is assigned twice": function([Assignment(S, X)], [S], (Angle(X, S, C),)),
    "s is used before": function([], [S], (Angle(S, S, C),)),
    "Mod of 2 arguments is no operation": function([Assignment(T, sympy.Mod(X, Y))], [T]),
    "Pow of 2 arguments is no operation": function([Assignment(T, X**2)], [T]),
    "atan2 of 1 arguments is no operation": function([Assignment(T, sympy.Function("atan2")(X))], [T]),
}


@pytest.mark.parametrize("complaint", REFUSED)
def test_verify_refuses(complaint: str) -> None:
    with pytest.raises(InternalError, match=complaint):
        verify(REFUSED[complaint])


def test_verify_hands_a_good_program_on() -> None:
    good = function([Assignment(T, X * S + C)], [-T], (Angle(X + Y, S, C),))
    assert verify(good) is good


# ---- Operation counts

COUNTED = {
    "x0": (X, Operations()),
    "-x0": (-X, Operations()),
    "x0 + x1 - x2": (X + Y - Z, Operations(add=2)),
    "x0 - 2 x1 x2": (sympy.Add(X, -2 * Y * Z, evaluate=False), Operations(mul=2, add=1)),
    "-x0 x1": (-X * Y, Operations(mul=1)),
    "1/x0": (1 / X, Operations(div=1)),
    "sqrt(x0 x1)": (sympy.Function("sqrt")(X * Y), Operations(mul=1, call=1)),
    "7": (sympy.Integer(7), Operations()),
}


@pytest.mark.parametrize("text", COUNTED)
def test_operations_of_an_expression(text: str) -> None:
    expr, operations = COUNTED[text]
    assert function([Assignment(T, expr)], [T]).operations == operations


def test_operations_of_a_function_are_summed_and_weighted() -> None:
    made = written(lambda tape, x: [tape.sincos(x[0])[0] * tape.reciprocal(x[1]) + x[2], tape.call("exp", x[2])])
    assert made.operations == Operations(mul=1, add=1, div=1, call=1, sincos=1)
    assert made.operations.total == 1 + 1 + 8 + 16 + 6
    assert str(made.operations) == "1 mul, 1 add, 1 div, 1 call, 1 sincos"
    assert str(Operations()) == "no operations"


# ---- Meaning

NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 0.5, -2.0, 3.0])
STEPS = st.lists(st.tuples(st.sampled_from("+-*nsl"), st.integers(0, 30), st.integers(0, 30), NUMBERS), max_size=25)


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_a_written_program_computes_what_was_said(steps: list[tuple[str, int, int, float]]) -> None:
    """Random straight-line programs on the tape and in mpmath's 30 digits agree."""
    point = [0.3, -0.7, 1.1]
    tape, scalars = tape_with()
    with mpmath.workdps(30):
        values = [mpmath.mpf(x) for x in point]
        for what, i, j, number in steps:
            a, b = scalars[i % len(scalars)], scalars[j % len(scalars)]
            p, q = values[i % len(values)], values[j % len(values)]
            if abs(p * q) > 1e6:
                continue
            made, value = {
                "+": lambda a=a, b=b, p=p, q=q: (a + b, p + q),
                "-": lambda a=a, b=b, p=p, q=q: (a - b, p - q),
                "*": lambda a=a, b=b, p=p, q=q: (a * b, p * q),
                "n": lambda a=a, p=p, number=number: (a * number + number, p * number + number),
                "s": lambda i=i: (tape.sincos(scalars[i % 3])[0], mpmath.sin(point[i % 3])),
                "l": lambda a=a, p=p: (tape.let(a), p),
            }[what]()
            scalars.append(made)
            values.append(value)
        tape.output("y", (len(scalars),), scalars)
        found = Factored(verify(tape.function())).evaluate(x=point, precision=30)
        for left, right in zip(found, values, strict=True):
            assert abs(left - right) <= mpmath.mpf("1e-25") * (1 + abs(right))


# ---- One tape for several programs


def test_a_tape_that_was_rewound_is_as_it_was() -> None:
    tape, (x, y, z) = tape_with()
    shared = tape.let(x * y + 2.0, "shared")
    mark = tape.mark()

    def second(name: str) -> Function:
        tape.rewind(mark, name, "")
        tape.output("r", (1,), [tape.let(shared * tape.sincos(z)[0], "last")])
        return verify(tape.function())

    before = second("g")
    tape.rewind(mark, "h", "")
    tape.input("w", [sympy.Symbol("w", real=True)])
    tape.output("other", (1,), [tape.let(shared * z + tape.call("sqrt", x), "last")])
    assert "last" in str(tape.function())
    assert second("g") == before


def test_calls_and_reciprocals_hide_what_is_not_finite() -> None:
    """fmin(NaN, 1) is 1 and 1/inf is 0; sums, products, sines and cosines are finite of finite numbers alone."""
    hiding = written(lambda tape, x: [tape.call("fmin", x[0], x[1]) * x[2], tape.reciprocal(x[3] + x[4]), x[4]], 5)
    assert hidden_entries(hiding) == {"x": (0, 1, 3)}
    telling = written(lambda tape, x: [tape.sincos(x[0] + x[1])[0] * x[2]])
    assert hidden_entries(telling) == {"x": ()}
