"""Bounds on rounding: what is computed exactly lies within them, and they are small."""

from __future__ import annotations

import functools
import itertools
import math
import operator

import mpmath
import numpy as np
import pytest
import sympy

from kinegen.codegen import reference
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.program.evaluate import evaluated, numeric
from kinegen.codegen.program.operations import CALLS
from kinegen.codegen.program.rounding import Rounded, bounds, functions_of
from kinegen.codegen.program.types import Assignment, Function, Input, Output
from kinegen.codegen.symbolic.functions import derive

EXACT = {name: getattr(mpmath, {"Abs": "fabs", "pow": "power"}.get(name, name), None) for name in CALLS}
SCOPE = {
    **EXACT,
    "copysign": lambda x, y: mpmath.fabs(x) if y >= 0 else -mpmath.fabs(x),
    "rint": mpmath.nint,
    "fmin": min,
    "fmax": max,
}


def state(function: Function, seed: int) -> dict[str, list[float]]:
    rng = np.random.default_rng(seed)
    return {given.name: rng.uniform(0.2, 0.9, len(given.symbols)).tolist() for given in function.inputs}


@pytest.mark.parametrize(
    "name", ["inverse_dynamics", "mass_matrix_composite", "forward_dynamics_articulated", "energy"]
)
@pytest.mark.parametrize("mechanism", [reference.double_pendulum, reference.floating_arm])
def test_the_exact_result_lies_within_the_bound(mechanism: object, name: str) -> None:
    made = mechanism()  # type: ignore[operator]
    assert isinstance(made, Mechanism)
    function = derive(made, name)
    given = state(function, 1)
    found = bounds(function, given)
    with mpmath.workdps(60):
        exact = evaluated(function, SCOPE)({key: [mpmath.mpf(x) for x in values] for key, values in given.items()})
        for output in function.outputs:
            for (value, error), right in zip(found[output.name], exact[output.name], strict=True):
                assert abs(mpmath.mpf(value) - right) <= error
    numbers = [x for values in found.values() for x in values]
    assert max(error for _, error in numbers) < 1e-9 * max(abs(value) for value, _ in numbers)
    plain = numeric(function)(given)
    for output in function.outputs:
        np.testing.assert_array_equal([value for value, _ in found[output.name]], plain[output.name].ravel())


def test_every_order_of_a_sum_lies_within_the_bound() -> None:
    """Of terms that cancel, where the order decides about all digits."""
    terms = [1e16, 3.14159, -1e16, 2.71828, 1e8, -1e8, 1e-3]
    total = sum((Rounded(x) for x in terms), start=Rounded(0.0))
    plain = (functools.reduce(operator.add, order) for order in itertools.permutations(terms))
    sums = [math.fsum(terms), *plain]  # `sum` of Python 3.12 carries what it rounds away
    assert max(sums) - min(sums) > 1.0
    assert all(abs(total.value - x) <= total.error for x in sums)


SQRT, COPYSIGN = sympy.Function("sqrt"), sympy.Function("copysign")


def one(expr: sympy.Expr, *symbols: sympy.Symbol) -> Function:
    y = sympy.Symbol("y", real=True)
    return Function("f", (Input("x", symbols),), (), (Assignment(y, expr),), (Output("y", (1,), (y,)),))


def test_quotients_and_functions_carry_what_their_arguments_are_off_by() -> None:
    x = sympy.Symbol("x0", real=True)
    far = one(1 / x, x)
    for value, error in ((2.0, 1e-6), (1e-3, 1e-9), (-4.0, 1e-3)):
        (found,) = evaluated_at(far, Rounded(value, error))
        for end in (value - error, value + error):
            assert abs(found.value - 1 / end) <= found.error < 3 * error / value**2 + 1e-12
    assert evaluated_at(far, Rounded(1e-3, 1e-3))[0].error == math.inf  # it may be zero
    for expr, value, exact in (
        (SQRT(x), 2.0, math.sqrt),
        (sympy.exp(x), 1.0, math.exp),
        (sympy.atan(x), 0.5, math.atan),
    ):
        (found,) = evaluated_at(one(expr, x), Rounded(value, 1e-6))
        for end in (value - 1e-6, value + 1e-6):
            assert abs(found.value - exact(end)) <= found.error < 1e-5


def test_where_functions_jump_nothing_is_known() -> None:
    x = sympy.Symbol("x0", real=True)
    sign = COPYSIGN(sympy.Float(1.0), x)
    assert evaluated_at(one(sign, x), Rounded(1e-12, 1e-9))[0].error >= 2.0
    assert evaluated_at(one(SQRT(x), x), Rounded(1e-12, 1e-9))[0].error == math.inf
    assert evaluated_at(one(sympy.exp(x), x), Rounded(1.0, 0.1))[0].error == math.inf
    with pytest.raises(ValueError, match="domain"):
        bounds(one(SQRT(x), x), {"x": [-1.0]})
    with pytest.raises(ArithmeticError):
        bounds(one(1 / x, x), {"x": [0.0]})


def evaluated_at(function: Function, *values: Rounded) -> list[Rounded]:
    return evaluated(function, functions_of(Rounded))({"x": list(values)})["y"]


def test_what_is_not_known_stays_so_times_zero() -> None:
    """No bound is NaN, beside which every number would be wrong."""
    unknown = 1.0 / Rounded(1e-20, 1e-18)
    assert unknown.error == math.inf
    for found in (unknown * 0.0, unknown * Rounded(0.0), Rounded(0.0) * unknown, unknown * unknown):
        assert found.error == math.inf
