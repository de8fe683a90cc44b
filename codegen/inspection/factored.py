"""The factored form: a program as a person reads it, and as Python evaluates it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice
from typing import Any

import mpmath
import numpy as np
import sympy

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.typed import typed

from ..program.types import Function, Input, Operations
from .casadi_bridge import casadi_function
from .forms.lambdified import lambdified
from .forms.libraries import PRINTED, functions_of
from .forms.written import c_of, json_of, text
from .latex import ProgramPrinter, upright

SHOWN = 120  # assignments that the interpreter shows of a long program; str() shows all
TYPESET = 120  # assignments up to which a notebook typesets a program
MOST_DIGITS = 10_000  # of an evaluation


@dataclass(frozen=True, repr=False)
class Factored:
    """A straight-line program of numbered assignments, each over earlier ones; the one that C is printed from.

    `function` is the program itself (inputs, angles, assignments, outputs).
    """

    function: Function

    @property
    def name(self) -> str:
        return self.function.name

    @property
    def operations(self) -> Operations:
        """Products, sums, divisions, calls and sine-cosine pairs of one evaluation."""
        return self.function.operations

    # ---- To read

    def __len__(self) -> int:
        """Number of assignments."""
        return len(self.function.assignments)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        if len(self) <= SHOWN:
            return str(self)
        shown = islice(self._lines(), SHOWN)
        return "\n".join([*shown, f"... {len(self)} assignments in all: print(program) shows them"])

    def _lines(self) -> Iterator[str]:
        function = self.function
        takes = ", ".join(f"{given.name}[{len(given.symbols)}]" for given in function.inputs)
        yield f"{function.name}({takes}): {function.title}"
        yield f"{self.operations}"
        for angle in function.angles:
            yield f"      {angle.sin}, {angle.cos} = sin, cos({text(angle.argument)})"
        count = 0
        for section, assignments in groupby(function.assignments, key=lambda a: a.section):
            yield f"  [{section}]" if section else ""
            for assignment in assignments:
                count += 1
                yield f"{count:5} {assignment.symbol} = {text(assignment.expr)}"
        for output in function.outputs:
            yield f"  {output.name} {'×'.join(map(str, output.shape))}"
            for i, entry in enumerate(output.entries):
                if entry != 0:
                    index = ", ".join(map(str, np.unravel_index(i, output.shape)))
                    yield f"      {output.name}[{index}] = {text(entry)}"

    def latex(self) -> str:
        """The whole program as an aligned display."""
        function = self.function
        printer = ProgramPrinter(symbol for given in function.inputs for symbol in given.symbols)
        rows = []
        for angle in function.angles:
            argument = printer.doprint(angle.argument)
            for symbol, name in ((angle.sin, "sin"), (angle.cos, "cos")):
                rows.append(rf"{printer.doprint(symbol)} &= \{name}\left({argument}\right)")
        for section, assignments in groupby(function.assignments, key=lambda a: a.section):
            if section:
                rows.append(rf"&\quad {upright(section)}")
            rows += [f"{printer.doprint(a.symbol)} &= {printer.doprint(a.expr)}" for a in assignments]
        for output in function.outputs:
            entries = [printer.doprint(entry) for entry in output.entries]
            columns = output.shape[-1] if len(output.shape) > 1 else 1
            lines = [" & ".join(entries[i : i + columns]) for i in range(0, len(entries), columns)]
            matrix = r"\\".join(lines)
            rows.append(
                rf"{upright(output.name)} &= \left[\begin{{array}}{{{'c' * columns}}}{matrix}\end{{array}}\right]"
            )
        return r"\begin{aligned}" + "\\\\\n".join(rows) + r"\end{aligned}"

    def c(self) -> str:
        """A C99 function of its own, inputs and outputs as flat arrays; needs math.h only."""
        return c_of(self.function)

    def json(self) -> str:
        """Inputs, angles, assignments, outputs and operation counts; expressions as SymPy text.

        A parameter whose name means something else in a text, as "a - b" or "lambda", stands in it by another, among
        the inputs too; `names` has its own by that. To read an expression:
        `sympy.sympify(text, locals={name: sympy.Symbol(name), ...})`.
        """
        return json_of(self.function)

    def _repr_latex_(self) -> str | None:
        return rf"$\displaystyle {self.latex()}$" if len(self) <= TYPESET else None

    # ---- To evaluate

    @typed
    def lambdify(self, modules: str = "numpy") -> Callable[..., list[Any]]:
        """A Python function of one sequence per input (in the order of `function.inputs`) → entries of all outputs.

        `modules`: "numpy", "math", "mpmath" (the precision is then mpmath's working precision), "jax" or "torch".
        ModelError for others, and for a package that is not installed.
        """
        function = self.function
        assigned = [(a.sin, sympy.sin(a.argument)) for a in function.angles]
        assigned += [(a.cos, sympy.cos(a.argument)) for a in function.angles]
        assigned += [(a.symbol, a.expr) for a in function.assignments]
        entries = [entry for output in function.outputs for entry in output.entries]
        arguments = [list(given.symbols) for given in function.inputs]
        return lambdified(arguments, entries, PRINTED.get(modules, modules), functions_of(modules), assigned)

    @typed
    def casadi(self, name: str = "") -> Any:
        """A `casadi.Function` of SX, with the inputs and outputs of the program by their names, sparse and to be
        differentiated there to any order; `name`: its own, by default the program's. Coordinates are plain numbers: of
        joints with quaternions q̇ is `program("coordinate_rates")` of v.

        ModelError where CasADi is not installed: `pip install 'kinegen[casadi]'`.
        """
        return casadi_function(self.function, name)

    @cached_property
    def _exact(self) -> Callable[..., list[Any]]:
        return self.lambdify("mpmath")

    @cached_property
    def _fast(self) -> Callable[..., list[Any]]:
        return self.lambdify("numpy")

    def evaluate(self, *, precision: int | None = None, **arrays: Any) -> Any:
        """The result for the given inputs, by name: an array of the output's shape, or a dict if there are several.

        The parameters p may be a mapping name → value. Without `precision` in numpy's doubles (leading batch axes
        broadcast); with it, that many decimal digits and an array of mpmath numbers (no batch axes).
        ModelError names an input that is missing, unknown or of a wrong shape; with `precision` also the output and
        the state where it is no real number, as the root of a negative one.
        """
        function = self.function
        known = [given.name for given in function.inputs]
        if odd := sorted(set(arrays) ^ set(known)):
            word = "is missing" if odd[0] in known else "is unknown"
            raise ModelError(f"{function.name}: input '{odd[0]}' {word}; the inputs are: {', '.join(known)}")
        if precision is None:
            return self._outputs(self._in_doubles([_array(given, arrays[given.name]) for given in function.inputs]))
        if isinstance(precision, bool) or not isinstance(precision, int) or not 1 <= precision <= MOST_DIGITS:
            raise ModelError(f"precision: expected a whole number of 1 to {MOST_DIGITS} digits, got {shown(precision)}")
        with mpmath.workdps(precision):
            given = [_exactly(given, arrays[given.name]) for given in function.inputs]
            return self._outputs([np.array(x, dtype=object) for x in self._in_digits(given)])

    def _in_digits(self, given: list[list[Any]]) -> list[Any]:
        """mpmath numbers. ModelError where some are not real."""
        owners = [output.name for output in self.function.outputs for _ in output.entries]
        try:
            found = self._exact(*given)
        except (ArithmeticError, TypeError, ValueError):  # a quotient by zero, a comparison of complex numbers
            odd = owners
        else:
            odd = [
                owner
                for owner, x in zip(owners, found, strict=True)
                if isinstance(x, mpmath.mpc) or not mpmath.isfinite(x)
            ]
        if odd:
            names = ", ".join(f"'{name}'" for name in dict.fromkeys(odd))
            at = ", ".join(
                f"{symbol.name} = {mpmath.nstr(x, 6)}"
                for one, values in zip(self.function.inputs, given, strict=True)
                for symbol, x in zip(one.symbols, values, strict=True)
            )
            raise ModelError(
                f"{self.name}: output {names} is no real number where {shown(at)[1:-1]}; give values at which roots, "
                "logarithms and quotients in it are defined"
            )
        return [mpmath.mpf(x) for x in found]

    def _in_doubles(self, arrays: list[Any]) -> list[Any]:
        try:
            batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        except ValueError as error:
            raise ModelError(f"{self.name}: batch axes do not broadcast: {error}") from None
        entries = self._fast(*([array[..., i] for i in range(array.shape[-1])] for array in arrays))
        return [np.broadcast_to(np.asarray(entry, dtype=float), batch) for entry in entries]

    def _outputs(self, entries: list[Any]) -> Any:
        found, start = {}, 0
        for output in self.function.outputs:
            part = entries[start : start + len(output.entries)]
            start += len(output.entries)
            batch = part[0].shape if part else ()
            found[output.name] = (
                np.stack(part, axis=-1).reshape(*batch, *output.shape) if part else np.zeros(output.shape)
            )
        return found if len(found) > 1 else next(iter(found.values()))


def _entries(given: Input, value: Any) -> Any:
    """A mapping name → value (parameters) in the order of the input; anything else as it is."""
    if not isinstance(value, Mapping):
        return value
    names = [symbol.name for symbol in given.symbols]
    for name in [*names, *value]:
        if name not in value or name not in names:
            word = "no value for" if name in names else "unknown"
            raise ModelError(f"input '{given.name}': {word} '{name}'; its entries are: {', '.join(names)}")
    return [value[name] for name in names]


def _array(given: Input, value: Any) -> Any:
    entries = _entries(given, value)
    try:
        array = np.asarray(entries, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"input '{given.name}': expected numbers, got {shown(value)}") from None
    if array.ndim == 0 or array.shape[-1] != len(given.symbols):
        raise ModelError(f"input '{given.name}': expected (..., {len(given.symbols)}), got {array.shape}")
    return array


def _exactly(given: Input, value: Any) -> list[Any]:
    """The entries as mpmath numbers; doubles are taken for exactly what they are."""
    entries = _entries(given, value)
    try:
        found = [mpmath.mpf(x.item() if isinstance(x, np.generic) else x) for x in entries]
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"input '{given.name}': expected numbers, got {shown(value)}") from None
    if len(found) != len(given.symbols):
        raise ModelError(f"input '{given.name}': expected {len(given.symbols)} numbers, got {len(found)}")
    return found
