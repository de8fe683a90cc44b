"""Numbers written as text in files: arithmetic of numbers and symbols, walked node by node, never evaluated."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import sympy

from kinegen.runtime.errors import ModelError

LONGEST = 500  # characters
LARGEST_POWER = 16
SMALLEST = sympy.Rational(1, 10**300)
FUNCTIONS: dict[str, Callable[[sympy.Expr], sympy.Expr]] = {"sqrt": sympy.sqrt, "sin": sympy.sin, "cos": sympy.cos}
OPERATORS: dict[type[ast.operator], Callable[[sympy.Expr, sympy.Expr], sympy.Expr]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}
ALLOWED = "numbers, names, pi, + - * / ** ( ) and the functions sqrt, sin, cos"


def expression(text: str) -> sympy.Expr:
    """The SymPy expression that `text` writes; its names become real symbols. ModelError says what is not allowed."""
    if len(text) > LONGEST:
        raise ModelError(f"the expression {text[:40]!r}... has {len(text)} characters; {LONGEST} are allowed")
    if not text.isascii():
        raise ModelError(f"{text!r}: names in expressions are made of a-z, A-Z, 0-9 and _")
    try:
        result = _walk(ast.parse(text.strip(), mode="eval").body, text)
    except ModelError:
        raise
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ModelError(f"{text!r} is no expression; there is: {ALLOWED}") from None
    if result.has(sympy.zoo, sympy.oo, sympy.nan, sympy.I):
        raise ModelError(f"{text!r} is not a finite real number")
    return result


def _walk(node: ast.expr, text: str) -> sympy.Expr:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _bounded(sympy.Integer(value) if isinstance(value, int) else sympy.Float(value), text)
        case ast.Name(id="pi"):
            return sympy.pi
        case ast.Name(id=name) if name not in FUNCTIONS and re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
            return sympy.Symbol(name, real=True)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_walk(operand, text)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _walk(operand, text)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_walk(left, text), _walk(right, text), text)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
            return _bounded(OPERATORS[type(operator)](_walk(left, text), _walk(right, text)), text)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](_walk(argument, text))
    raise ModelError(f"{text!r}: {ast.unparse(node)!r} is not allowed; there is: {ALLOWED}")


def _power(base: sympy.Expr, exponent: sympy.Expr, text: str) -> sympy.Expr:
    if not exponent.is_number or abs(exponent) > LARGEST_POWER:
        raise ModelError(f"{text!r}: the power {exponent} must be a number of at most {LARGEST_POWER}")
    return _bounded(base**exponent, text)


def _bounded(value: sympy.Expr, text: str) -> sympy.Expr:
    """Exact numbers would grow without end under powers of powers."""
    if value.is_Rational and value != 0 and not SMALLEST < abs(value) < 1 / SMALLEST:
        raise ModelError(f"{text!r}: numbers beyond 1e±300 are not allowed")
    return value
