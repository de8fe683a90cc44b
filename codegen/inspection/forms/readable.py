"""Polynomial → SymPy expression with common factors out, as one would write it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import sympy

from .polynomial import Atoms, Key, Terms, common, contains, divided

THIRDS = frozenset({1, 3, 6, 9, 12})  # denominators that have no short decimal
HALVES = frozenset({2, 4, 8})  # shown as fractions where there are parameters, as decimals among plain numbers
RATIOS = frozenset({5, 7, 11}) | THIRDS | HALVES  # where a quotient is written: 3/7, not 0.428571
FACTORED = 60  # terms of a coefficient above which it is not factored
INNER = 12  # the same for a polynomial in coordinates and rates
GROUPED = 400  # terms of an entry above which it stays a plain sum
CLOSE = 1e-14  # relative distance below which a float is taken for the short number beside it

States = dict[Key, sympy.Rational]


def readable(terms: Terms, atoms: Atoms, *, ratio: bool = False) -> sympy.Expr:
    """Common product · Σ coefficient(parameters) · function(state). `ratio`: small fractions stay fractions."""
    return shown(_arranged(terms, atoms), atoms, RATIOS if ratio else frozenset())


def _arranged(terms: Terms, atoms: Atoms) -> sympy.Expr:
    if len(terms) > GROUPED:
        return sympy.Add(*(number(f) * product(key, atoms) for key, f in terms.items()))
    shared = common(terms)
    groups = _groups({divided(key, shared): factor for key, factor in terms.items()}, atoms)
    if len(groups) == 1:
        (((base, _), states),) = groups.items()
        return _part(base * product(shared, atoms), states, atoms)
    every = {(i, key): f for i, states in enumerate(groups.values()) for key, f in states.items()}
    content = _content(every) * (-1 if every and all(f < 0 for f in every.values()) else 1)
    parts = (
        _part(base, {key: f / content for key, f in states.items()}, atoms) for (base, _), states in groups.items()
    )
    return sympy.Mul(content, product(shared, atoms), sympy.Add(*parts))


def _groups(terms: Terms, atoms: Atoms) -> Mapping[tuple[sympy.Expr, Key], States]:
    """(coefficient in the parameters, shape in the coordinates) → the polynomial that stands beside them.

    States with the same coefficient stand together; where it is a plain number, the rates of one shape do.
    """
    by_state: dict[Key, Terms] = {}
    for key, factor in terms.items():
        parameters = tuple(atom for atom in key if atoms.is_parameter(atom))
        by_state.setdefault(divided(key, parameters), {})[parameters] = factor
    groups: dict[tuple[sympy.Expr, Key], States] = {}
    for state, coefficient in by_state.items():
        factor, base = _coefficient(coefficient, atoms)
        if factor == 0:  # a fraction that cancels
            continue
        shape = () if base != 1 else tuple(atom for atom in state if not atoms.is_rate(atom))
        groups.setdefault((base, shape), {})[state] = factor
    return groups


def _coefficient(terms: Terms, atoms: Atoms) -> tuple[sympy.Rational, sympy.Expr]:
    """(number, polynomial in the parameters), factored if its numbers are simple."""
    exact = {key: number(factor) for key, factor in terms.items()}
    content = _signed_content(exact)
    exact = {key: factor / content for key, factor in exact.items()}
    if len(terms) > FACTORED:
        return content, sympy.Add(*(f * product(key, atoms) for key, f in exact.items()))
    if len(terms) > 1 and all(map(_simple, exact.values())):
        expr = _factored(sympy.Add(*(f * product(key, atoms) for key, f in exact.items())))
        if not expr.is_Add:
            more, expr = expr.as_coeff_Mul()
            return content * more, expr
    return content, _gathered(exact, atoms)


def _factored(expr: sympy.Expr) -> sympy.Expr:
    """In factors. Decimals within atoms, as in 1/(m + 0.7), are symbols meanwhile: SymPy would take them out."""
    names = {decimal: sympy.Dummy(f"x{i}") for i, decimal in enumerate(sorted(expr.atoms(sympy.Float)))}
    return sympy.factor(expr.xreplace(names)).xreplace({name: number(float(x)) for x, name in names.items()})


def _gathered(terms: States, atoms: Atoms) -> sympy.Expr:
    """a b + a c + d → a (b + c) + d, the largest saving first."""
    keys = sorted(terms)
    shared = (common(pair) for pair in combinations(keys, 2))
    best = max(shared, key=lambda key: (_saving(key, keys), key), default=())
    if not best:
        return sympy.Add(*(f * product(key, atoms) for key, f in terms.items()))
    inside = {divided(key, best): f for key, f in terms.items() if contains(key, best)}
    outside = {key: f for key, f in terms.items() if not contains(key, best)}
    return product(best, atoms) * _gathered(inside, atoms) + _gathered(outside, atoms)


def _saving(shared: Key, keys: list[Key]) -> int:
    """Products that are spared when `shared` is taken out."""
    return len(shared) * (sum(contains(key, shared) for key in keys) - 1)


def _part(base: sympy.Expr, states: States, atoms: Atoms) -> sympy.Expr:
    """base · number · common product · polynomial with small whole coefficients, factored if it can be."""
    shared = common(states)
    content = _signed_content(states)
    inner = sympy.Add(*(factor / content * product(divided(key, shared), atoms) for key, factor in states.items()))
    if 1 < len(states) <= INNER and all(_simple(factor / content) for factor in states.values()):
        factored = _factored(inner)
        if factored.is_Pow or (factored.is_Mul and sum(not factor.is_number for factor in factored.args) > 1):
            inner = factored
    return sympy.Mul(base, content, product(shared, atoms), inner)


def _content(factors: Mapping[Any, sympy.Rational]) -> sympy.Rational:
    """What to take out so that small whole numbers are left; 1 if they would be large."""
    divisor = math.gcd(*(int(f.p) for f in factors.values()))
    content = sympy.Rational(divisor, math.lcm(*(int(f.q) for f in factors.values()))) or sympy.S.One
    return sympy.S.One if any(abs(f / content) > max(THIRDS) for f in factors.values()) else content


def _signed_content(factors: Mapping[Any, sympy.Rational]) -> sympy.Rational:
    """The same, negative if most of the factors are."""
    negative = sum(bool(f < 0) for f in factors.values())
    return _content(factors) * (-1 if negative * 2 > len(factors) else 1)


def _simple(value: sympy.Rational) -> bool:
    return value.q in THIRDS or value.q in HALVES


def product(key: Key, atoms: Atoms) -> sympy.Expr:
    return sympy.Mul(*(atoms.exprs[atom] for atom in key))


def number(value: float) -> sympy.Rational:
    """The short number that a float stands for: a small fraction, a decimal of twelve digits, or all its digits."""
    for candidate in (Fraction(value).limit_denominator(12), Fraction(f"{value:.12g}")):
        if abs(float(candidate) - value) <= CLOSE * abs(value):
            return sympy.Rational(candidate.numerator, candidate.denominator)
    exact = Fraction(value)
    return sympy.Rational(exact.numerator, exact.denominator)


def shown(expr: sympy.Expr, atoms: Atoms, kept: frozenset[int] = frozenset()) -> sympy.Expr:
    """Fractions become decimals, but for thirds, roots, denominators that are `kept` and, beside parameters, halves."""
    kept |= THIRDS | HALVES if atoms.parameters else THIRDS
    return _decimal(expr, {r: sympy.Float(r, 15) for r in expr.atoms(sympy.Rational) if r.q not in kept})


def _decimal(expr: sympy.Expr, decimals: Mapping[sympy.Rational, sympy.Float]) -> sympy.Expr:
    if not expr.args:
        return decimals.get(expr, expr)
    root = expr.is_Pow and not expr.base.is_number and expr.exp.is_Rational and _simple(expr.exp)
    args = [_decimal(expr.base, decimals), expr.exp] if root else [_decimal(arg, decimals) for arg in expr.args]
    return expr if all(new is old for new, old in zip(args, expr.args, strict=True)) else expr.func(*args)
