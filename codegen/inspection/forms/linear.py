"""Linear equations whose coefficients are polynomials: block by block, each block by Cramer's rule, as on paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import sympy
from sympy.utilities.iterables import strongly_connected_components

from kinegen.runtime.errors import InternalError

from .polynomial import Atoms, Key, Terms, common, divided, plus
from .readable import readable
from .trigonometry import summed, tidy

Rows = list[list[Terms]]
LARGEST = 8  # unknowns of one block above which nobody would write the solution down

ZERO: Terms = {}
ONE: Terms = {(): 1.0}


class TooCoupled(Exception):
    """A block of equations is too large for Cramer's rule."""


def solve(A: Rows, B: Rows, atoms: Atoms) -> Rows:
    """X (n, k) of  A X = B  for square A (n, n) that is regular nearly everywhere. Raises TooLarge, TooCoupled."""
    found: dict[int, list[Terms]] = {}
    for columns, rows in _blocks(A):
        if len(columns) > LARGEST:
            raise TooCoupled
        right = [
            [
                summed(plus(atoms, B[r][k], *(negative(atoms.product(A[r][j], x[k])) for j, x in found.items())), atoms)
                for k in range(len(B[r]))
            ]
            for r in rows
        ]
        block = [[A[r][c] for c in columns] for r in rows]
        found.update(zip(columns, _cramer(block, right, atoms), strict=True))
    return [found[i] for i in range(len(A))]


def _cramer(A: Rows, B: Rows, atoms: Atoms) -> Rows:
    """X_ik = det(A with column i replaced by column k of B) / det A."""
    over = inverse(determinant(A, atoms), atoms)
    solution = []
    for i in range(len(A)):
        row = []
        for k in range(len(B[0])):
            replaced = [[*a[:i], b[k], *a[i + 1 :]] for a, b in zip(A, B, strict=True)]
            row.append(shortened(atoms.product(determinant(replaced, atoms), over), atoms))
        solution.append(row)
    return solution


def determinant(A: Rows, atoms: Atoms) -> Terms:
    """By expansion along the rows; minors are shared."""
    minors: dict[tuple[int, ...], Terms] = {(): ONE}

    def minor(columns: tuple[int, ...]) -> Terms:
        """Of the last len(columns) rows."""
        if columns not in minors:
            row = A[len(A) - len(columns)]
            parts = []
            for place, column in enumerate(columns):
                if row[column]:
                    part = atoms.product(row[column], minor(columns[:place] + columns[place + 1 :]))
                    parts.append(negative(part) if place % 2 else part)
            minors[columns] = summed(plus(atoms, *parts), atoms)
        return minors[columns]

    return tidy(minor(tuple(range(len(A)))), atoms)


def inverse(terms: Terms, atoms: Atoms) -> Terms:
    """1 / polynomial: factors that are atoms become their inverses, what is left one atom of its own."""
    if not terms:
        raise InternalError("division by a polynomial that is zero")
    shared = common(terms)
    rest = {divided(key, shared): factor for key, factor in terms.items()}
    coefficient, factors = _factors(readable(rest, atoms))
    key: Key = tuple(atoms.inverse(atom) for atom in shared)
    key += tuple(atoms.inverse(atoms.number(factor)) for factor in factors)
    return {tuple(sorted(key)): 1.0 / coefficient}


def _factors(expr: sympy.Expr) -> tuple[float, list[sympy.Expr]]:
    """(number, factors) of a product; a sum of numbers times symbols has no number of its own taken out."""
    coefficient, rest = expr.as_coeff_Mul()
    factors: list[sympy.Expr] = []
    for factor in sympy.Mul.make_args(rest):
        base, power = factor.as_base_exp()
        if not (power.is_Integer and power > 0):
            base, power = factor, 1
        if base.could_extract_minus_sign():
            base, coefficient = -base, coefficient * (-1) ** power
        factors += [base] * int(power)
    return float(coefficient), [factor for factor in factors if factor != 1]


def shortened(terms: Terms, atoms: Atoms) -> Terms:
    """Tidied; over one denominator if that leaves fewer terms: sin(θ₁+θ₂) cos θ₁/cos(θ₁+θ₂) − sin θ₁ is one sine."""
    apart = tidy(terms, atoms)
    under = denominator(terms, atoms)
    if not under or not all(atoms.inverses[atom] in atoms.turns for atom in under):
        return apart
    above = atoms.product(terms, {tuple(sorted(atoms.inverses[atom] for atom in under)): 1.0})
    together = atoms.product(tidy(above, atoms), {under: 1.0})
    return together if len(together) < len(apart) else apart


def denominator(keys: Iterable[Key], atoms: Atoms) -> Key:
    """The least product of inverses that holds those of all keys."""
    powers: dict[int, int] = {}
    for key in keys:
        for atom in set(key):
            if divides(atom, atoms):
                powers[atom] = max(powers.get(atom, 0), key.count(atom))
    return tuple(atom for atom in sorted(powers) for _ in range(powers[atom]))


def divides(atom: int, atoms: Atoms) -> bool:
    """Whether an atom is one over something that moves."""
    return atom in atoms.inverses and atoms.exprs[atom].is_Pow and not atoms.is_parameter(atom)


def negative(terms: Terms) -> Terms:
    return {key: -factor for key, factor in terms.items()}


def weighted(parts: Iterable[tuple[float, Terms]], atoms: Atoms) -> Terms:
    """Σ weight · polynomial, tidied."""
    return tidy(atoms.total((key, w * factor) for w, terms in parts for key, factor in terms.items()), atoms)


def product(A: Sequence[Sequence[Terms]], B: Sequence[Sequence[Terms]], atoms: Atoms) -> Rows:
    """A B with sums of angles."""
    columns = range(len(B[0]) if B else 0)
    return [
        [
            summed(plus(atoms, *(atoms.product(a, b[k]) for a, b in zip(row, B, strict=True) if a and b[k])), atoms)
            for k in columns
        ]
        for row in A
    ]


def transposed(A: Sequence[Sequence[Terms]]) -> Rows:
    return [list(column) for column in zip(*A, strict=True)]


def _blocks(A: Rows) -> list[tuple[list[int], list[int]]]:
    """(columns, rows) of the blocks on the diagonal of a block triangular form, in the order of solving."""
    row_of = _matching([[j for j, entry in enumerate(row) if entry] for row in A])
    needs = [(j, k) for j, r in row_of.items() for k, entry in enumerate(A[r]) if entry and k != j]
    blocks = strongly_connected_components((sorted(row_of), needs))
    return [(sorted(block), sorted(row_of[j] for j in block)) for block in blocks]


def _matching(entries: Sequence[Sequence[int]]) -> Mapping[int, int]:
    """column → row, one to one, where the row has an entry (augmenting paths)."""
    row_of: dict[int, int] = {}

    def placed(row: int, seen: set[int]) -> bool:
        for column in entries[row]:
            if column not in seen:
                seen.add(column)
                if column not in row_of or placed(row_of[column], seen):
                    row_of[column] = row
                    return True
        return False

    if not all(placed(row, set()) for row in range(len(entries))):
        raise InternalError("the chosen rows and columns of the loop equations are singular everywhere")
    return row_of
