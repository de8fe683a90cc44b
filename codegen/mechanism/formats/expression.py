"""Numbers written as text in files: arithmetic of numbers and symbols, walked node by node, never evaluated."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Mapping

import sympy

from kinegen.runtime.errors import ModelError

NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
LONGEST = 500  # characters
DEEPEST = 40  # parentheses: what is nested deeper takes SymPy minutes
LARGEST_POWER = 16
SMALLEST, LARGEST = sympy.Float("1e-300"), sympy.Float("1e300")
FUNCTIONS: dict[str, Callable[[sympy.Expr], sympy.Expr]] = {"sqrt": sympy.sqrt, "sin": sympy.sin, "cos": sympy.cos}
OPERATORS: dict[type[ast.operator], Callable[[sympy.Expr, sympy.Expr], sympy.Expr]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}
ALLOWED = "numbers, names, pi, + - * / ** ( ) and the functions sqrt, sin, cos"


def expression(text: str, known: Mapping[str, sympy.Symbol] | None = None) -> sympy.Expr:
    """The SymPy expression that `text` writes; its names become those that are `known`, else real symbols.

    ModelError says what is not allowed.
    """
    if len(text) > LONGEST:
        raise ModelError(f"{text[:40]!r}...: the expression has {len(text)} characters; {LONGEST} are allowed")
    if text.count("(") > DEEPEST:
        raise ModelError(f"{text[:40]!r}...: the expression has more than {DEEPEST} parentheses")
    if not text.isascii():
        raise ModelError(f"{text!r}: names in expressions are made of a-z, A-Z, 0-9 and _")
    try:
        return _walk(ast.parse(text.strip(), mode="eval").body, text, known or {})
    except ModelError:
        raise
    except ArithmeticError:  # a division by 0.0
        raise ModelError(f"{text!r} is not a finite real number") from None
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ModelError(f"{text!r} is no expression; there is: {ALLOWED}") from None


def symbol_name(name: str) -> str:
    """The name of a symbol unchanged; ModelError if it cannot stand in an expression, or means something else there."""
    if not NAME.fullmatch(name):
        raise ModelError(f"{name!r} cannot stand in an expression; rename the symbol: names are a-z, A-Z, 0-9 and _")
    if name == "pi" or name in FUNCTIONS or keyword.iskeyword(name):
        raise ModelError(f"{name!r} has another meaning in expressions; rename the symbol")
    return name


def _walk(node: ast.expr, text: str, known: Mapping[str, sympy.Symbol]) -> sympy.Expr:
    """The value of a node, which is real and of usual size wherever it is a number."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _usual(sympy.Integer(value) if isinstance(value, int) else sympy.Float(value), text)
        case ast.Name(id="pi"):
            return sympy.pi
        case ast.Name(id=name) if name not in FUNCTIONS and NAME.fullmatch(name):
            return known.get(name) or sympy.Symbol(name, real=True)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_walk(operand, text, known)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _walk(operand, text, known)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_walk(left, text, known), _walk(right, text, known), text)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
            return _usual(OPERATORS[type(operator)](_walk(left, text, known), _walk(right, text, known)), text)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return _usual(FUNCTIONS[name](_walk(argument, text, known)), text)
    raise ModelError(f"{text!r}: {ast.unparse(node)!r} is not allowed; there is: {ALLOWED}")


def _power(base: sympy.Expr, exponent: sympy.Expr, text: str) -> sympy.Expr:
    if not exponent.is_number or abs(exponent) > LARGEST_POWER:
        raise ModelError(f"{text!r}: powers must be numbers from -{LARGEST_POWER} to {LARGEST_POWER}, got {exponent}")
    return _usual(base**exponent, text)


def _usual(value: sympy.Expr, text: str) -> sympy.Expr:
    """Numbers stay real and within bounds at every step: exact ones would grow without end under powers of powers."""
    if value.has(sympy.zoo, sympy.oo, -sympy.oo, sympy.nan, sympy.I):
        raise ModelError(f"{text!r} is not a finite real number")
    if value.is_number and not value.is_zero:
        found = value.evalf(15)
        if not found.is_real:
            raise ModelError(f"{text!r} is not a finite real number")
        if not (found.is_zero or SMALLEST < abs(found) < LARGEST):
            raise ModelError(f"{text!r}: numbers beyond 1e±300 are not allowed")
    return value
