"""A factored program as a C function that stands alone, and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

import sympy

from ...printing.text.printer import print_function
from ...program.types import Function


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
    return json.dumps(
        {
            "name": function.name,
            "title": function.title,
            "inputs": {given.name: [symbol.name for symbol in given.symbols] for given in function.inputs},
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
