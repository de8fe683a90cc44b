"""Program → lines of C: the one place where SymPy expressions become text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sympy

from kinegen.runtime.errors import InternalError

from ..program.types import Function

WIDTH = 116
LIBRARY = {
    "sqrt": "sqrt",
    "copysign": "copysign",
    "pow": "pow",
    "atan2": "atan2",
    "Abs": "fabs",
    "exp": "exp",
    "log": "log",
}
LIBRARY |= {
    "rint": "rint",
    "fmin": "fmin",
    "fmax": "fmax",
    "tan": "tan",
    "asin": "asin",
    "acos": "acos",
    "atan": "atan",
    "tanh": "tanh",
}


@dataclass(frozen=True)
class Lines:
    """The body of one C function: angles to evaluate, then statements under their sections."""

    angles: tuple[str, ...]
    contiguous: str  # expression of a pointer if the angles stand side by side in an input, else ""
    blocks: tuple[tuple[str, tuple[str, ...]], ...]
    zeroed: tuple[tuple[str, int], ...]  # outputs that are cleared first: most of their entries are zero


def literal(value: float) -> str:
    """Shortest text that reads back as the same double."""
    text = repr(float(value))
    return text if any(c in text for c in ".en") else f"{text}.0"


def print_function(function: Function) -> Lines:
    """Statements of a function; an output is stored as soon as it is known."""
    names: dict[sympy.Symbol, str] = {}
    for given in function.inputs:
        names.update({symbol: f"{given.name}[{i}]" for i, symbol in enumerate(given.symbols)})
    angles = [expression(angle.argument, names) for angle in function.angles]
    for i, angle in enumerate(function.angles):
        names[angle.sin], names[angle.cos] = f"s[{i}]", f"c[{i}]"
    stores, zeroed = _stores(function, names)
    blocks: list[tuple[str, list[str]]] = [("", list(stores.pop(None, [])))]
    defined = {assignment.symbol for assignment in function.assignments}
    for symbol in [s for s in stores if s not in defined]:  # inputs and angles handed through
        blocks[0][1].extend(stores.pop(symbol))
    for assignment in function.assignments:
        if blocks[-1][0] != assignment.section:
            blocks.append((assignment.section, []))
        text = expression(assignment.expr, names)
        blocks[-1][1].extend(_wrapped(f"const double {assignment.symbol.name} = {text};"))
        blocks[-1][1].extend(stores.get(assignment.symbol, ()))
    return Lines(
        tuple(angles),
        _contiguous(angles),
        tuple((title, tuple(lines)) for title, lines in blocks if lines),
        tuple(zeroed),
    )


def _stores(
    function: Function, names: Mapping[sympy.Symbol, str]
) -> tuple[dict[sympy.Symbol | None, list[str]], list[tuple[str, int]]]:
    """Store statements by the symbol they wait for (None: constants)."""
    stores: dict[sympy.Symbol | None, list[str]] = {}
    zeroed = []
    for output in function.outputs:
        zeros = sum(1 for entry in output.entries if entry.is_zero)
        clear = zeros > 8
        if clear:
            zeroed.append((output.name, len(output.entries)))
        for i, entry in enumerate(output.entries):
            if clear and entry.is_zero:
                continue
            symbol = next(iter(entry.free_symbols), None) if not entry.is_Number else None
            text = expression(entry, {**names, symbol: names.get(symbol, symbol.name)} if symbol else names)
            stores.setdefault(symbol, []).append(f"{output.name}[{i}] = {text};")
    return stores, zeroed


def _contiguous(angles: list[str]) -> str:
    """`q + 7` if the angles are q[7], q[8], ...: no copy is needed then."""
    if not angles or not angles[0].endswith("]"):
        return ""
    array, _, first = angles[0][:-1].partition("[")
    if not (array.isidentifier() and first.isdigit()) or angles != [
        f"{array}[{int(first) + i}]" for i in range(len(angles))
    ]:
        return ""
    return array if first == "0" else f"{array} + {first}"


def expression(expr: sympy.Expr, names: Mapping[sympy.Symbol, str]) -> str:
    """C text of a shallow expression."""
    if expr.is_Symbol:
        return names.get(expr, expr.name)
    if expr.is_Number:
        return literal(float(expr))
    if expr.is_Add:
        return _sum([_signed(arg, names) for arg in expr.args])
    if expr.is_Mul:
        negative, text = _signed(expr, names)
        return f"-{text}" if negative else text
    if expr.is_Pow and expr.exp == -1:
        return f"1.0/{_factor(expr.base, names)}"
    name = LIBRARY.get(expr.func.__name__)
    if name is None:
        raise InternalError(f"no C function for {expr.func.__name__}")
    return f"{name}({', '.join(expression(arg, names) for arg in expr.args)})"


def _sum(terms: list[tuple[bool, str]]) -> str:
    """Positive terms first, so that no sum begins with a sign if it can be helped."""
    terms = sorted(terms, key=lambda term: term[0])
    negative, text = terms[0]
    parts = [f"-{text}" if negative else text]
    parts += [f"{'-' if negative else '+'} {text}" for negative, text in terms[1:]]
    return " ".join(parts)


def _signed(expr: sympy.Expr, names: Mapping[sympy.Symbol, str]) -> tuple[bool, str]:
    if expr.is_Number:
        value = float(expr)
        return value < 0, literal(abs(value))
    if not expr.is_Mul:
        return False, expression(expr, names)
    head, *rest = expr.args
    if not head.is_Number:
        return False, "*".join(_factor(arg, names) for arg in expr.args)
    value = float(head)
    factors = [_factor(arg, names) for arg in rest]
    if abs(value) != 1.0:
        factors.insert(0, literal(abs(value)))
    return value < 0, "*".join(factors)


def _factor(expr: sympy.Expr, names: Mapping[sympy.Symbol, str]) -> str:
    text = expression(expr, names)
    return f"({text})" if expr.is_Add or (expr.is_Number and float(expr) < 0) else text


def _wrapped(line: str) -> Iterator[str]:
    """Breaks a long statement before an operator."""
    while len(line) > WIDTH:
        cut = max(line.rfind(" + ", 0, WIDTH), line.rfind(" - ", 0, WIDTH))
        if cut <= 8:
            break
        yield line[:cut]
        line = "    " + line[cut + 1 :]
    yield line
