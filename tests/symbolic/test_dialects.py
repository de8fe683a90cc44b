"""Dialects: every function of a program has a name in each, and what they print means what the program says."""

from __future__ import annotations

import ctypes
import math
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy

import kinegen.runtime
from kinegen.codegen.build.toolchain import find_toolchain
from kinegen.codegen.mechanism.expressions import FUNCTIONS
from kinegen.codegen.printing.text.dialects import C_DOUBLE, C_KERNEL
from kinegen.codegen.printing.text.printer import print_function
from kinegen.codegen.program.dialect import Dialect
from kinegen.codegen.program.evaluate import PYTHON, numeric
from kinegen.codegen.program.operations import CALLS
from kinegen.codegen.program.tape import Scalar, Tape
from kinegen.codegen.program.types import Function
from kinegen.codegen.program.verify import verify

C_FLOAT = replace(
    C_DOUBLE,
    scalar="float",
    suffix="f",
    functions={name: f"{text}f" for name, text in C_DOUBLE.functions.items()},
    assign="const float {name} = {value};",
)
X = sympy.symbols("x:4", real=True)


def made(*, of: slice = slice(4)) -> Function:
    """Every function and operation that a program may hold, of inputs in (0, 1)."""
    tape = Tape("f")
    x = tape.input("x", X)[of]
    angles = [tape.sincos(entry) for entry in x]
    entries: list[Scalar] = [s * c for s, c in angles]
    for name, call in CALLS.items():
        entries.append(tape.call(name, *x[: call.arity]))
    entries += [tape.reciprocal(x[0] + x[1]), -x[0], tape.constant(0.1), x[0] * x[1] * -0.3 + x[1] - 2.0]
    tape.output("y", (len(entries),), entries)
    return verify(tape.function())


@pytest.mark.parametrize("dialect", [C_DOUBLE, C_FLOAT, PYTHON])
def test_every_function_has_a_name(dialect: Dialect) -> None:
    assert dialect.functions.keys() == CALLS.keys()


@pytest.mark.parametrize(("dialect", "kind", "bound"), [(C_DOUBLE, "double", 4e-16), (C_FLOAT, "float", 3e-7)])
def test_printed_c_computes_what_python_does(dialect: Dialect, kind: str, bound: float, tmp_path: Path) -> None:
    function, values = made(), [0.3, 0.7, 0.4, 0.9]
    lines = print_function(function, dialect)
    angles = [f"{{{', '.join(f'{name}({a})' for a in lines.angles)}}}" for name in ("sin", "cos")]
    body = [
        f"const {kind} s[4] = {angles[0]}, c[4] = {angles[1]};",
        *(line for _, block in lines.blocks for line in block),
    ]
    text = f"#include <math.h>\nvoid f(const {kind} *x, {kind} *y)\n{{\n" + "\n".join(body) + "\n}\n"
    (tmp_path / "f.c").write_text(text)
    command = [*find_toolchain().command, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O0", "-shared", "-fPIC"]
    subprocess.run([*command, "-o", "f.so", "f.c", "-lm"], cwd=tmp_path, check=True)
    entries = len(function.outputs[0].entries)
    scalar = ctypes.c_double if kind == "double" else ctypes.c_float
    y = (scalar * entries)()
    ctypes.CDLL(str(tmp_path / "f.so")).f((scalar * 4)(*values), y)
    expected = numeric(function)({"x": values})["y"]
    assert np.abs(np.array(y[:]) - expected).max() < bound * max(1.0, np.abs(expected).max())
    assert ("0.1f;" in text) == (kind == "float")


@pytest.mark.parametrize("dialect", [C_DOUBLE, C_KERNEL])
@pytest.mark.parametrize(
    ("stored", "cleared"),
    [
        ({*range(6, 29), *range(40, 60)}, "kg_zeros(6, y); kg_zeros(11, y + 29); kg_zeros(4, y + 60);"),
        ({*range(0, 64, 5)}, "for (int i = 0; i < 64; i++) y[i] = 0.0;"),
        ({*range(3, 60)} - {30}, ""),
    ],
)
def test_zeros_are_written_where_no_entry_stands(
    stored: set[int], cleared: str, dialect: Dialect, tmp_path: Path
) -> None:
    tape = Tape("f")
    x = tape.input("x", X)
    tape.output("y", (64,), [x[i % 4] if i in stored else tape.zero for i in range(64)])
    lines = print_function(tape.function(), dialect)
    whole = "for (int i = 0; i < 64; i++) y[i] = 0.0;"
    assert "".join(lines.cleared) == (cleared if dialect is C_KERNEL else whole if len(stored) < 56 else "")
    body = [*lines.cleared, *(line for _, block in lines.blocks for line in block)]
    text = "\n".join(['#include "real.h"', "void f(const double *x, double *y) {", *body, "}", ""])
    (tmp_path / "f.c").write_text(text)
    headers = Path(kinegen.runtime.__file__).parent / "c/linear"
    command = [*find_toolchain().command, "-std=c99", "-O2", "-shared", "-fPIC", f"-I{headers}"]
    subprocess.run([*command, "-o", "f.so", "f.c"], cwd=tmp_path, check=True)
    y = (ctypes.c_double * 64)(*[np.nan] * 64)
    ctypes.CDLL(str(tmp_path / "f.so")).f((ctypes.c_double * 4)(1.0, 2.0, 3.0, 4.0), y)
    assert [*y] == [i % 4 + 1.0 if i in stored else 0.0 for i in range(64)]


def test_what_is_used_follows_from_the_program() -> None:
    tape = Tape("f")
    (q, _), (v,) = tape.input("q", sympy.symbols("q:2")), tape.input("v", [sympy.Symbol("v")])
    tape.input("a", [sympy.Symbol("a")])
    tape.output("dv", (2,), [q * v, tape.zero])
    function = tape.function()
    assert function.unused == print_function(function).unused == ("a",)
    assert {symbol.name for symbol in function.used} == {"q0", "v", *(a.symbol.name for a in function.assignments)}


@pytest.mark.parametrize(
    ("of", "found", "text"),
    [
        (slice(4), ("x", 0), "x"),
        (slice(2, 4), ("x", 2), "x + 2"),
        (slice(None, None, 2), None, ""),
        (slice(None, None, -1), None, ""),
    ],
)
def test_angles_side_by_side_are_taken_where_they_stand(of: slice, found: tuple[str, int] | None, text: str) -> None:
    tape = Tape("f")
    x = tape.input("x", X)
    tape.output("y", (len(x[of]),), [tape.sincos(entry)[0] for entry in x[of]])
    function = tape.function()
    assert function.contiguous_angles == found
    assert print_function(function).contiguous == text


def test_no_angles_stand_nowhere() -> None:
    tape = Tape("f")
    tape.output("y", (1,), [tape.input("x", X)[0]])
    assert tape.function().contiguous_angles is None


def test_a_literal_reads_back_as_the_same_number() -> None:
    for value in (0.1, 1.0, 1e22, -3e-300, math.pi):
        assert float(C_DOUBLE.literal(value)) == value
        assert any(c in C_DOUBLE.literal(value) for c in ".e")


def test_programs_have_every_function_of_a_description() -> None:
    assert {function.__name__ for function in FUNCTIONS} <= CALLS.keys()
