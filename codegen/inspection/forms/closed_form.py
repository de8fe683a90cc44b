"""Factored program → closed form: assignments are substituted back until only inputs are left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import sympy

from kinegen.runtime.errors import InternalError, ModelError

from ...mechanism.mechanism import Mechanism
from ...mechanism.types import ROTATION_PART
from ...program.types import Function
from ...symbolic.symbols import Symbols
from .form import Form
from .polynomial import Atoms, IllegibleError, Terms, TooLarge, plus
from .readable import number, readable
from .trigonometry import summed, tidy

LIMIT = 1500  # terms of one expanded entry above which a closed form is refused
SLACK = 100  # terms beyond four times those of the shortest form so far at which another route is given up
WITHIN = 100  # terms within a root, quotient or other function above which it is refused: its sum cannot be taken apart
TOTAL = 4000  # terms of all entries together above which it is refused


def exact(name: str) -> Callable[..., sympy.Expr]:
    """SymPy's own function for a function of the C library."""
    if name == "copysign":
        return lambda size, sign: sympy.Piecewise((sympy.Abs(size), sign >= 0), (-sympy.Abs(size), True))
    if name == "rint":
        return lambda x: sympy.floor(x + sympy.S.Half)  # but for halves, of which C takes the even one
    if name == "pow":
        return lambda base, exponent: base ** (number(float(exponent)) if exponent.is_Number else exponent)
    function: Callable[..., sympy.Expr] = getattr(sympy, {"fmax": "Max", "fmin": "Min"}.get(name, name))
    return function


def new_atoms(mechanism: Mechanism, symbols: Symbols) -> Atoms:
    """An empty table that knows which coordinates have unit norm: quaternions (x y z w), and [cos sin] of planar."""
    atoms = Atoms(frozenset(symbols.parameters), frozenset((*symbols.v, *symbols.a)), LIMIT)
    for body in mechanism.tree.bodies:
        if body.nq and body.joint.kind in ROTATION_PART:
            part = symbols.q[body.q_start : body.q_start + body.nq][ROTATION_PART[body.joint.kind]]
            atoms.unit_sum([atoms.number(symbol) for symbol in part])
    return atoms


def closed_form(routes: Sequence[Function], atoms: Atoms, part: slice, *, force: bool, name: str = "") -> Form:
    """The entries `part` (by rows) of the only output of functions that compute the same.

    Each entry comes from the route that makes it shortest. A vector is a column, an array of matrices is stacked.
    `name`: what the quantity is asked for by, where that is not its function's.
    Raises ModelError if it is too large and not forced, or if the function has several outputs.
    """
    function = routes[0]
    name = name or function.name
    if len(function.outputs) != 1:
        raise ModelError(f"{name} has several results and no closed form: see program('{name}')")
    (output,) = function.outputs
    entries = output.entries[part]
    columns = output.shape[-1] if len(output.shape) > 1 and entries == output.entries else 1
    try:
        exprs = [readable(terms, atoms) for terms in shortest(routes, atoms, part)]
    except TooLarge:
        if not force:
            raise IllegibleError(
                f"the closed form of {name} is too large to read ({function.operations} in factored form): "
                f"use program('{name}'), the factored form, or closed_form('{name}', force=True)"
            ) from None
        exprs = nested(function, entries)
    return Form(len(exprs) // columns, columns, exprs)


def shortest(routes: Sequence[Function], atoms: Atoms, part: slice) -> list[Terms]:
    """Every entry by the route that makes it shortest, with sums of angles made on the way or at the end.

    Made on the way, cos²(θ₁ + θ₂) is seen; made at the end, everything that cancels does. Raises TooLarge.
    """
    found = [_expanded(routes[0], atoms, part, angle_sums=True)]
    worth = min(LIMIT, SLACK + 4 * max(map(len, found[0]), default=0))
    atoms = replace(atoms, limit=worth)  # a view with another limit: the table is shared
    for function, angle_sums in [(function, early) for function in routes for early in (True, False)][1:]:
        try:
            found.append(_expanded(function, atoms, part, angle_sums=angle_sums))
        except TooLarge:
            continue
    return [min(choices, key=_length) for choices in zip(*found, strict=True)]


def _expanded(function: Function, atoms: Atoms, part: slice, *, angle_sums: bool) -> list[Terms]:
    entries = function.outputs[0].entries[part]
    expansion = Expansion(function, atoms, entries, angle_sums=angle_sums)
    found = [tidy(expansion.terms(entry), atoms) for entry in entries]
    if sum(map(len, found)) > TOTAL:
        raise TooLarge
    return found


def _length(terms: Terms) -> int:
    return sum(1 + len(key) for key in terms)


def live(function: Function, entries: Iterable[sympy.Expr]) -> set[sympy.Symbol]:
    """The symbols on which the entries depend."""
    needed = {symbol for entry in entries for symbol in entry.free_symbols}
    for assignment in reversed(function.assignments):  # last to first
        if assignment.symbol in needed:
            needed |= assignment.expr.free_symbols
    return needed


class Expansion:
    """Polynomials of the symbols of a function that `entries` need, on a table of atoms shared between functions."""

    def __init__(
        self, function: Function, atoms: Atoms, entries: Iterable[sympy.Expr], *, angle_sums: bool = False
    ) -> None:
        self.atoms = atoms
        self.known: dict[sympy.Symbol, Terms] = {}
        needed = live(function, entries)
        for given in function.inputs:
            self.known.update({symbol: {(atoms.number(symbol),): 1.0} for symbol in given.symbols})
        for angle in function.angles:
            turn, sign = atoms.turn(self.plain(angle.argument))
            self.known[angle.sin], self.known[angle.cos] = {(turn.sin,): sign}, {(turn.cos,): 1.0}
        for assignment in function.assignments:
            if assignment.symbol in needed:
                terms = self.terms(assignment.expr)
                self.known[assignment.symbol] = summed(terms, atoms) if angle_sums else terms

    def plain(self, expr: sympy.Expr) -> sympy.Expr:
        return readable(self.terms(expr), self.atoms)

    def terms(self, expr: sympy.Expr) -> Terms:
        """The polynomial of a shallow expression. Raises TooLarge."""
        if expr.is_Symbol:
            return self.known[expr]
        if expr.is_Number:
            return {(): float(expr)} if expr != 0 else {}
        if expr.is_Add:
            return plus(self.atoms, *map(self.terms, expr.args))
        if expr.is_Mul:
            result: Terms = {(): 1.0}
            for arg in expr.args:
                result = self.atoms.product(result, self.terms(arg))
            return result
        if expr.is_Pow and expr.exp == -1:
            return self._opaque(lambda base: 1 / base, [expr.base])
        if expr.is_Function:
            return self._opaque(exact(expr.func.__name__), expr.args)
        raise InternalError(f"no closed form of {expr}")

    def _opaque(self, function: Callable[..., sympy.Expr], args: Sequence[sympy.Expr]) -> Terms:
        """A function of polynomials as one atom. Raises TooLarge before SymPy meets what nobody can read."""
        inner = [self.terms(arg) for arg in args]
        within = sum(map(self.atoms.size, inner))
        if within > WITHIN:
            raise TooLarge
        expr = function(*(readable(terms, self.atoms) for terms in inner))
        if expr.is_number:
            return {(): float(expr)}
        atom = self.atoms.number(expr)
        self.atoms.inside.setdefault(atom, within)
        return {(atom,): 1.0}


def nested(function: Function, entries: Iterable[sympy.Expr]) -> list[sympy.Expr]:
    """Entries by plain substitution; nothing is expanded, parts are shared in memory."""
    known: dict[sympy.Symbol, sympy.Expr] = {}

    def value(expr: sympy.Expr) -> sympy.Expr:
        if expr.is_Symbol:
            return known.get(expr, expr)
        if expr.is_Number:
            return expr
        args = [value(arg) for arg in expr.args]
        if expr.is_Add or expr.is_Mul:
            return expr.func(*args, evaluate=False)
        return sympy.Pow(*args) if expr.is_Pow else exact(expr.func.__name__)(*args)

    for angle in function.angles:
        argument = value(angle.argument)
        known[angle.sin], known[angle.cos] = sympy.sin(argument), sympy.cos(argument)
    needed = live(function, entries := list(entries))
    for assignment in function.assignments:
        if assignment.symbol in needed:
            known[assignment.symbol] = value(assignment.expr)
    return [value(entry) for entry in entries]
