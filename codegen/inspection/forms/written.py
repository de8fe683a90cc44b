"""A factored program as a C function that stands alone, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from keyword import kwlist
from unicodedata import normalize

import sympy
from sympy.core.function import Application

from ...printing.text.printer import print_function
from ...program.operations import CALLS
from ...program.types import Function
from ...symbolic.names import identifiers
from ..renamed import Table, renamed


def c_of(function: Function) -> str:
    """C99: inputs and outputs as flat arrays in the order in which `function` lists them; needs math.h."""
    lines = print_function(function)
    takes = [f"const double {given.name}[{len(given.symbols)}]" for given in function.inputs]
    gives = [f"double {output.name}[{len(output.entries)}]" for output in function.outputs if output.entries]
    body = [f"(void){given.name};" for given in function.inputs if given.name in lines.unused]
    for letter, name, symbols in (
        ("s", "sin", [angle.sin for angle in function.angles]),
        ("c", "cos", [angle.cos for angle in function.angles]),
    ):
        if not function.used.isdisjoint(symbols):
            values = ", ".join(f"{name}({argument})" for argument in lines.angles)
            body.append(f"const double {letter}[{len(symbols)}] = {{{values}}};")
    body += lines.cleared
    for title, statements in lines.blocks:
        body += [f"/* {_comment(title)} */"] if title else []
        body += statements
    indented = [f"    {line}" for line in body]
    head = f"/* {_comment(function.title)}: {function.operations} */"
    return "\n".join([head, f"void {function.name}({', '.join((*takes, *gives))})", "{", *indented, "}", ""])


def _comment(text: str) -> str:
    """Names come from outside: nothing in them ends a comment or leaves its line."""
    return "".join(c if c.isprintable() else "?" for c in text).replace("*/", "* /").replace("/*", "/ *")


def json_of(function: Function) -> str:
    """Inputs, angles, assignments in order, outputs (entries row by row), operations; expressions as SymPy text."""
    inner = [s for angle in function.angles for s in (angle.sin, angle.cos)] + [a.symbol for a in function.assignments]
    table = legible([symbol for given in function.inputs for symbol in given.symbols], others=inner)
    function = renamed(function, table)
    return json.dumps(
        {
            "name": function.name,
            "title": function.title,
            "inputs": {given.name: [symbol.name for symbol in given.symbols] for given in function.inputs},
            "names": own_names(table),
            "angles": [{"sin": a.sin.name, "cos": a.cos.name, "argument": text(a.argument)} for a in function.angles],
            "assignments": [
                {"symbol": a.symbol.name, "expression": text(a.expr), "section": a.section}
                for a in function.assignments
            ],
            "outputs": {
                output.name: {"shape": list(output.shape), "entries": [text(entry) for entry in output.entries]}
                for output in function.outputs
            },
            "operations": asdict(function.operations),
        }
    )


def text(expr: sympy.Expr) -> str:
    return str(sympy.sstr(expr, order="none", full_prec=False))


def _is_read_as_it_is(name: str) -> bool:
    """An identifier that Python takes for no other: it reads µ, the micro sign, as the letter μ."""
    return name.isidentifier() and normalize("NFKC", name) == name


def legible(
    symbols: Iterable[sympy.Symbol], others: Iterable[sympy.Symbol] = (), entries: Iterable[sympy.Expr] = ()
) -> Table:
    """Other names for symbols whose own mean something else where a text is read, as "a - b", "lambda", "sin".

    `others`: what stands in the text beside them; `entries`: expressions that call more than programs do.
    """
    words = {*kwlist, *CALLS, *(part.func.__name__ for entry in entries for part in entry.atoms(Application))}
    given = list(symbols)
    illegible = [symbol for symbol in given if not _is_read_as_it_is(symbol.name) or symbol.name in words]
    taken = sorted(words | {symbol.name for symbol in (*given, *others) if symbol not in illegible})
    fresh = identifiers([*taken, *(symbol.name for symbol in illegible)])[len(taken) :]
    return {old: sympy.Symbol(new, **old.assumptions0) for old, new in zip(illegible, fresh, strict=True)}


def own_names(table: Table) -> dict[str, str]:
    """Name in the text → name of the symbol."""
    return {new.name: old.name for old, new in table.items()}
