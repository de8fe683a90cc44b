"""Forms of an equation beside SymPy's own: text, LaTeX, C, JSON, functions of numpy arrays."""

from __future__ import annotations

import ctypes
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.build.toolchain import find_compiler
from kinegen.codegen.inspection.forms.form import Form
from kinegen.codegen.inspection.text import equation
from kinegen.codegen.program.evaluate import numeric
from support.c.c_driver import STRICT
from support.mechanisms.closed_mechanisms import four_bar
from support.oracles.mechanisms import Array, double_pendulum, full_of_functions
from support.oracles.numeric import error

a, b, c, d = sympy.symbols("a b c d", positive=True)


@pytest.fixture
def loaded(tmp_path: Path) -> Callable[[str], ctypes.CDLL]:
    """C text, compiled strictly, as a library."""

    def load(text: str) -> ctypes.CDLL:
        source, library = tmp_path / "written.c", tmp_path / "written.so"
        source.write_text(f"#include <math.h>\n{_declared(text)}\n{text}", encoding="utf-8")
        command = [
            *find_compiler(os.environ),
            *STRICT,
            "-D_GNU_SOURCE",
            "-shared",
            "-fPIC",
            "-o",
            str(library),
            str(source),
            "-lm",
        ]
        subprocess.run(command, check=True, capture_output=True)
        return ctypes.CDLL(str(library))

    return load


def _declared(text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith("void ")) + ";"


def called(function: Callable[..., None], size: int, *inputs: Array) -> Array:
    out = np.zeros(size)
    pointer = ctypes.POINTER(ctypes.c_double)
    function(*(np.ascontiguousarray(x, dtype=float).ctypes.data_as(pointer) for x in (*inputs, out)))
    return out


def test_c_of_a_closed_form(loaded: Callable[[str], ctypes.CDLL]) -> None:
    eq = kg.derive(four_bar(a, b, c, d))
    values = {symbol: 0.3 + 0.2 * i for i, symbol in enumerate(eq.H.symbols)}
    found = called(loaded(eq.H.c("dependence")).dependence, 3, np.array(list(values.values())))
    assert error(found, np.array([float(entry.subs(values)) for entry in eq.H])) < 1e-14


def test_c_of_a_program(loaded: Callable[[str], ctypes.CDLL]) -> None:
    mechanism = double_pendulum(a, b, c, d)
    program = kg.derive(mechanism).program("forward_dynamics")
    given = {"p": [1.0, 2.0, 0.5, 0.7], "q": [0.3, -0.4], "v": [1.0, 0.5], "tau": [0.1, 0.2]}
    inputs = [np.array(given[each.name]) for each in program.function.inputs]
    found = called(getattr(loaded(program.c()), program.name), 2, *inputs)
    assert error(found, program.evaluate(**given)) < 1e-13


def test_c_of_odd_symbols(loaded: Callable[[str], ctypes.CDLL]) -> None:
    """Symbols called like C words, functions, macros, the arguments or the parts that are shared."""
    odd = sympy.symbols("sin x out t0 double _b\\ c tanh cbrt M_PI NAN", positive=True)
    masses = [kg.Link(f"l{i}", sympy.tanh(symbol) + sympy.cbrt(symbol), (symbol, 0, 0)) for i, symbol in enumerate(odd)]
    joints = [kg.Joint(f"j{i}", "revolute", "world", link.name) for i, link in enumerate(masses)]
    M = kg.derive(kg.Mechanism("odd", masses, joints)).M
    values = {symbol: 1.0 + i for i, symbol in enumerate(M.symbols)}
    found = called(loaded(M.c("mass")).mass, len(M), np.array(list(values.values())))
    assert error(found, np.array([float(entry.subs(values)) for entry in M])) < 1e-14


def test_names_cannot_leave_a_comment(loaded: Callable[[str], ctypes.CDLL]) -> None:
    rogue = kg.Mechanism(
        "rogue",
        [kg.Link("*/ #error /*", 1.0, (1, 0, 0))],
        [kg.Joint("*/ int main(", "revolute", "world", "*/ #error /*", axis=(0, 1, 0))],
    )
    program = kg.derive(rogue).program("inverse_dynamics")
    given = {"q": [0.3], "v": [0.5], "a": [2.0]}
    inputs = [np.array(given[each.name]) for each in program.function.inputs]
    found = called(getattr(loaded(program.c()), program.name), 1, *inputs)
    assert error(found, program.evaluate(**given)) < 1e-13 < abs(found[0])


def test_json() -> None:
    eq = kg.derive(four_bar(a, b, c, d))
    form = json.loads(eq.W.json())
    assert (form["rows"], form["columns"]) == (3, 1) and form["symbols"] == [s.name for s in eq.W.symbols]
    read = [sympy.sympify(entry, locals={s.name: s for s in eq.W.symbols}) for entry in form["entries"]]
    assert read == list(eq.W)
    program = eq.program("dependence")
    told = json.loads(program.json())
    assert len(told["assignments"]) == len(program) and told["outputs"]["H"]["shape"] == [2, 1]
    assert told["inputs"]["p"] == ["a", "b", "c", "d"] and told["operations"]["sincos"] == 3


@pytest.mark.parametrize(
    "names", [("a - b", "a", "lambda"), ("sin", "a*b", "1"), ("x.y", "x_y", "I"), ("k", "Abs", "E")]
)
def test_json_keeps_names_apart_from_what_is_written_with_them(names: tuple[str, str, str]) -> None:
    """Forms and programs read back give the numbers of the mechanism, whatever its parameters are called."""
    masses_and_length = (sympy.Symbol(name, positive=True) for name in names)
    eq = kg.derive(double_pendulum(*masses_and_length, 1 + abs(sympy.Symbol("w"))))
    q, values = [0.3, -0.2], {"w": 0.3} | {name: 0.4 + 0.2 * i for i, name in enumerate(names)}
    wanted = eq.program("gravity").evaluate(q=q, p=values)
    form, program = json.loads(eq.gravity.json()), json.loads(eq.program("gravity").json())
    given = values | dict(zip((symbol.name for symbol in eq.q), q, strict=True))
    known = {name: given[form["names"].get(name, name)] for name in form["symbols"]}
    assert error(np.array([read(entry, known) for entry in form["entries"]]), wanted) < 1e-14
    assert (
        error(read_program(program, {"q": q, "p": [values[symbol.name] for symbol in eq.parameters]}), wanted) < 1e-14
    )
    assert set(program["names"].values()) == set(form["names"].values()) <= {*names}


def read(text: str, known: dict[str, float]) -> float:
    symbols = {name: sympy.Symbol(name) for name in known}
    return float(sympy.sympify(text, locals=symbols).subs({symbols[name]: x for name, x in known.items()}))


def read_program(told: dict[str, Any], given: dict[str, list[float]]) -> Array:
    """What the JSON of a program with one output gives."""
    known = {name: x for key, names in told["inputs"].items() for name, x in zip(names, given[key], strict=True)}
    for angle in told["angles"]:
        x = read(angle["argument"], known)
        known |= {angle["sin"]: math.sin(x), angle["cos"]: math.cos(x)}
    for assignment in told["assignments"]:
        known[assignment["symbol"]] = read(assignment["expression"], known)
    (output,) = told["outputs"].values()
    return np.array([read(entry, known) for entry in output["entries"]])


def test_text() -> None:
    eq = kg.derive(four_bar(a, b, c, d))
    assert eq.W[1:, :].text(unicode=False).splitlines()[0].strip(" []") == "a*sin(q_base - q_pivot)"
    assert "⋅sin(q_knee)" in eq.W.text() and eq.W.latex() == sympy.latex(eq.W)


def test_functions_of_arrays() -> None:
    eq = kg.derive(double_pendulum(a, b, c, d))
    at = eq.M.subs({a: 1, b: 2, c: 0.5, d: 0.7})
    assert (
        error(eq.M.lambdify(eq.q, eq.parameters)([0.1, 0.2], [1, 2, 0.5, 0.7]), at.lambdify(eq.q)([0.1, 0.2])) < 1e-15
    )
    assert isinstance(at, type(eq.M))  # what a substitution gives has the same forms
    with pytest.raises(kg.ModelError, match="lambdify: a, b, c, d in the expression, but in none of the arguments"):
        eq.M.lambdify(eq.q)
    with pytest.raises(kg.ModelError, match="'two words' is no name for a C function"):
        eq.M.c("two words")


def test_functions_by_pythons_math_give_an_array_of_the_shape() -> None:
    eq = kg.derive(double_pendulum(a, b, c, d))
    given = [0.3, -0.2], [1.0, 2.0, 0.5, 0.7]
    for form in (eq.M, eq.gravity, eq.G):
        found = form.lambdify(eq.q, eq.parameters, modules="math")(*given)
        assert found.shape == form.shape
        assert error(found, form.lambdify(eq.q, eq.parameters)(*given)) < 1e-15
    assert eq.dJ_theta.lambdify(eq.q, modules="math")([0.3, -0.2]).shape == eq.dJ_theta.shape


@pytest.mark.parametrize("modules", ["cmath", "numexpr", "no_such_module"])
def test_functions_by_what_sympy_cannot_write_are_refused(modules: str) -> None:
    """SymPy writes no decimals for cmath; numexpr is not there, and takes no helpers."""
    eq = kg.derive(double_pendulum())
    for lambdify in (lambda: eq.M.lambdify(eq.q, modules=modules), lambda: eq.program("gravity").lambdify(modules)):
        with pytest.raises(kg.ModelError, match=rf"lambdify: modules: '{modules}' cannot be used \(.*; take 'numpy', "):
            lambdify()


@pytest.mark.parametrize("modules", ["scipy", "sympy", "numexpr", "no_such_module"])
def test_programs_by_modules_that_they_are_not_written_for_are_refused(modules: str) -> None:
    """Also where SymPy would write a function, that ended with a `NameError` when it was called."""
    program = kg.derive(kg.load("examples/fourbar.toml")).program("forward_dynamics_closed")
    known = r"take 'numpy', 'math', 'mpmath', 'jax' or 'torch'"
    with pytest.raises(kg.ModelError, match=rf"lambdify: modules: '{modules}' cannot be used \(.* it\); {known}"):
        program.lambdify(modules)


@pytest.mark.parametrize(("modules", "package"), [("jax", "jax.numpy"), ("torch", "torch")])
def test_programs_by_a_package_that_is_not_installed_tell_how_to_get_it(
    modules: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(kg.ModelError, match=rf"'{modules}' cannot be used \(.*\); pip install 'kinegen\[{modules}\]'"):
        kg.derive(double_pendulum()).program("gravity").lambdify(modules)


@pytest.mark.parametrize("name", ["sin", "cos", "array", "mpf", "range"])
def test_functions_of_symbols_that_are_called_as_functions(name: str) -> None:
    """The mass of a pendulum, in forms and programs."""
    link = kg.Link("a", sympy.Symbol(name), (0, 0, -1))
    eq = kg.derive(kg.Mechanism("p", [link], [kg.Joint("j", "revolute", "world", "a", axis=(0, 1, 0))]))
    expected, program = pytest.approx(2.0 * 9.81 * math.sin(1.0), rel=1e-15), eq.program("gravity")
    for modules in ("numpy", "math", "mpmath"):
        assert program.lambdify(modules)([2.0], [1.0]) == [expected]
    for modules in ("numpy", "mpmath"):
        assert float(eq.gravity.lambdify(eq.q, eq.parameters, modules=modules)([1.0], [2.0])[0, 0]) == expected
    assert program.evaluate(precision=30, q=[1.0], p=[2.0])[0] == expected


PROGRAMS: dict[str, Callable[[], kg.Mechanism]] = {
    "mass_matrix": full_of_functions,
    **dict.fromkeys(("forward_dynamics_closed", "dependence"), lambda: kg.load("examples/fourbar.toml")),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_call_all_functions_in_all_modules_and_to_50_digits(name: str) -> None:
    program = kg.derive(PROGRAMS[name]()).program(name)
    given = {each.name: [0.3 + 0.1 * i for i in range(len(each.symbols))] for each in program.function.inputs}
    wanted = np.concatenate([x.ravel() for x in numeric(program.function)(given).values()])
    with jax.enable_x64(True):
        for modules in ("numpy", "math", "mpmath", "jax"):
            found = program.lambdify(modules)(*given.values())
            assert error(np.array([float(x) for x in found]), wanted) < 1e-13, modules
    exact = program.evaluate(precision=50, **given)
    found = np.concatenate([x.ravel() for x in exact.values()]) if isinstance(exact, dict) else exact.ravel()
    assert error(found.astype(float), wanted) < 1e-13


@pytest.mark.parametrize("name", ["int", "sin", "sqrtf", "y1", "M_PI", "isnan", "_Bool", "__mass", "true"])
def test_functions_are_not_called_as_those_of_c(name: str) -> None:
    form = kg.derive(double_pendulum(a, b, c, d)).gravity
    with pytest.raises(kg.ModelError, match=rf"'{name}' is a name of C or of <math\.h>; give another, such as 'my_"):
        form.c(name)


def test_an_equation_with_numbers_is_written_out() -> None:
    """SymPy would decide W = [0.5 x] while its numbers are shortened, and print False."""
    x, left = sympy.Symbol("x"), sympy.Symbol("W")
    assert equation(left, sympy.Matrix([[0.5, x]]), unicode=False) == "W = [0.5  x]"
    assert "1.12346" in equation(left, sympy.Matrix([[x]]), sympy.Matrix([[1.123456789]]), unicode=False)


@pytest.mark.parametrize(("value", "stiffness"), [(-1, "sqrt(a)"), (0, "1/a"), (0, "log(a)")])
def test_digits_of_what_is_no_real_number_are_refused_by_output_and_state(value: float, stiffness: str) -> None:
    link, a = kg.Link("l", 1.0, (0, 0, 0.2), (0.1, 0, 0, 0.1, 0, 0.1)), sympy.Symbol("a", real=True)
    joint = kg.Joint("j", "revolute", "world", "l", stiffness=sympy.sympify(stiffness, {"a": a}))
    program = kg.derive(kg.Mechanism("m", [link], [joint])).program("springs")
    assert program.evaluate(precision=20, p={"a": 4}, q=[0.5]).shape == (1,)
    told = rf"springs: output 'k' is no real number where a = {value}\.0, q_j = 0\.5; give values at which roots"
    with pytest.raises(kg.ModelError, match=told):
        program.evaluate(precision=20, p={"a": value}, q=[0.5])


def test_a_name_that_python_reads_as_another_one_is_read_back() -> None:
    """µ, the micro sign of keyboards, is the Greek letter μ to Python."""
    micro = sympy.Symbol("\u00b5", positive=True)
    link = kg.Link("u", micro, (0.0, 0.0, -1.0))
    form = kg.derive(kg.Mechanism("t", [link], [kg.Joint("j", "revolute", "world", "u", axis=(0, 1, 0))])).M
    told = json.loads(form.json())
    known = {name: sympy.Symbol(name) for name in told["symbols"]}
    assert sympy.sympify(told["entries"][0], locals=known) in known.values()
    assert list(told["names"].values()) == ["\u00b5"]


def test_text_without_unicode_is_ascii_whatever_parameters_are_called() -> None:
    names = ("\N{GREEK SMALL LETTER THETA}", "\N{MICRO SIGN}", "臂", "\N{LATIN SMALL LETTER E WITH ACUTE}t")
    form = Form(1, 4, sympy.symbols(names))
    assert form.text(unicode=False) == "[theta  mu  u81c2  et]"
    assert form.text() == "[\N{GREEK SMALL LETTER THETA}  \N{MICRO SIGN}  臂  \N{LATIN SMALL LETTER E WITH ACUTE}t]"
