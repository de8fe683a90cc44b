"""Base parameters without rounding: which columns of the regressor depend on which, with coefficients in the geometry.

Where all axes are at right angles the entries of Y are rational in sines and cosines, which are rational in the tangent
of the half angle, and polynomial in lengths, velocities and accelerations. Two such functions that are equal modulo a
large prime at random places are equal [Schwartz80]. Coefficients are read back as fractions, those in symbols by
interpolation, and verified at other places modulo another prime.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod

import sympy

from kinegen.runtime.abi import INERTIAL, PER_LINK, SCANNED
from kinegen.runtime.errors import MissingError
from kinegen.runtime.kinds import KINDS

from ...mechanism.algebra import cells
from ...mechanism.elements.joint import Joint
from ...mechanism.elements.parameter import Parameter
from ...mechanism.elements.parametrise import parametrise
from ...mechanism.mechanism import Mechanism
from ...mechanism.structure.tree import SpanningTree
from ...program.evaluate import evaluated
from ...program.types import Function, Input
from ..functions import derive
from .modular import OTHER, PRIME, Modular, fraction_of, reduced

DEGREE = 2
"""Of the coefficients as polynomials in lengths: a mass moved by d counts as m d in first moments, m d² in second."""


@dataclass(frozen=True)
class ExactBase:
    """π_b = B π: `independent` places in π, `matrix` B (n, p) of fractions and polynomials in symbols of lengths."""

    independent: tuple[int, ...]
    matrix: sympy.Matrix


def exact_base(mechanism: Mechanism) -> ExactBase:
    """ModelError where Y is not rational, as with loops, followers and oblique axes, or B is no such polynomial."""
    _check(mechanism)
    given = {symbol for symbol in mechanism.parameters if symbol not in _open(mechanism)}
    named = parametrise(mechanism, "origin, child_origin of *", "gravity")
    regressor = _Regressor(derive(named, "torque_regressor"), named.tree)
    symbols = [s for s in mechanism.parameters if s in regressor.used and s not in given]
    numbers = {s: Fraction(repr(s.value)) for s in named.parameters if isinstance(s, Parameter) and s not in symbols}
    found = _interpolated(regressor, symbols, numbers, mechanism.name)
    _verify(regressor, found, symbols, numbers, mechanism.name)
    return found


def _open(mechanism: Mechanism) -> set[sympy.Symbol]:
    """Symbols of geometry and gravity."""
    poses = [joint.origin.free_symbols | joint.child_origin.free_symbols for joint in mechanism.joints]
    gravity = {s for x in mechanism.gravity if isinstance(x, sympy.Expr) for s in x.free_symbols}
    pitches = {s for j in mechanism.joints if isinstance(j.pitch, sympy.Expr) for s in j.pitch.free_symbols}
    return gravity | pitches | set().union(*poses)


def _check(mechanism: Mechanism) -> None:
    what = f"mechanism '{mechanism.name}': no exact base parameters"
    instead = "base_parameters(kg.compile(mechanism)) finds them in numbers"
    if mechanism.virtual_links:
        raise MissingError(f"{what}: it has closed loops; {instead}")
    for joint in mechanism.joints:
        if joint.mimic is not None:
            raise MissingError(f"{what}: joint '{joint.name}' follows another; {instead}")
        if not _square(joint):
            raise MissingError(f"{what}: joint '{joint.name}' does not stand at right angles; {instead}")


def _square(joint: Joint) -> bool:
    entries = [x for pose in (joint.origin, joint.child_origin) for x in cells(pose.rotation)]
    entries += [x for axis in joint.directions for x in axis]
    return all(x in (0.0, 1.0, -1.0) for x in entries)


class _Regressor:
    """Y at random states modulo a prime."""

    def __init__(self, function: Function, tree: SpanningTree) -> None:
        links = len(tree.bodies)
        self._inputs: tuple[Input, ...] = function.inputs
        self._function, self._rotations = function, _rotations(tree)
        self.nv = tree.nv
        self.used = function.used
        self.columns = [PER_LINK * i + INERTIAL.index(what) for i in range(links) for what in SCANNED]

    def rows(self, values: Mapping[sympy.Symbol, int], prime: int, states: int, rng: random.Random) -> list[list[int]]:
        """(states · nv, p) columns as they are scanned, `values` being those of the parameters."""
        found = []
        for _ in range(states):
            entries = self._at(values, prime, rng)
            width = len(self.columns)
            plain = [entries[i : i + width] for i in range(0, len(entries), width)]
            found += [[row[k] for k in self.columns] for row in plain]
        return found

    def _at(self, values: Mapping[sympy.Symbol, int], prime: int, rng: random.Random) -> list[int]:
        slope, offset = Modular(rng.randrange(1, prime), prime), Modular(rng.randrange(prime), prime)

        def half(angle: Modular) -> Modular:
            return slope * angle + offset

        scope: dict[str, Callable[..., Modular]] = {
            "sin": lambda angle: 2 * half(angle) / (1 + half(angle) * half(angle)),
            "cos": lambda angle: (1 - half(angle) * half(angle)) / (1 + half(angle) * half(angle)),
        }
        arrays = {i.name: [Modular(rng.randrange(prime), prime) for _ in i.symbols] for i in self._inputs}
        for given in self._inputs:
            if given.name == "p":
                arrays["p"] = [Modular(values.get(s, 0), prime) for s in given.symbols]
        for part in self._rotations:
            arrays["q"][part] = _unit(part.stop - part.start, prime, rng)
        found = evaluated(self._function, scope)(arrays)["Y"]
        return [Modular.of(entry, prime).value for entry in found]


def _unit(size: int, prime: int, rng: random.Random) -> list[Modular]:
    """(size) numbers whose squares add up to 1, by stereographic projection."""
    at = [Modular(rng.randrange(prime), prime) for _ in range(size - 1)]
    norm = sum((x * x for x in at), Modular(0, prime))
    return [*(2 * x / (1 + norm) for x in at), (1 - norm) / (1 + norm)]


def _rotations(tree: SpanningTree) -> list[slice]:
    """Entries of q that are unit quaternions or [cos sin]."""
    steps = [
        (body.q_start + step.q, step.motion) for body in tree.bodies if body.nq for step in KINDS[body.joint.kind].steps
    ]
    return [slice(q + m.rotation[0], q + m.rotation[1]) for q, m in steps if m.rotation]


def _coefficients(regressor: _Regressor, values: Mapping[sympy.Symbol, int], rng: random.Random) -> _Relations:
    states = -(-len(regressor.columns) // regressor.nv) + 2
    rows, pivots = reduced(regressor.rows(values, PRIME, states, rng), PRIME)
    places = regressor.columns
    return _Relations(
        tuple(places[k] for k in pivots),
        {(places[p], places[k]): x for p, row in zip(pivots, rows, strict=True) for k, x in enumerate(row) if x},
    )


@dataclass(frozen=True)
class _Relations:
    """Independent columns, and (independent, column) → coefficient modulo the prime."""

    independent: tuple[int, ...]
    entries: dict[tuple[int, int], int]


def _interpolated(
    regressor: _Regressor, symbols: Sequence[sympy.Symbol], numbers: Mapping[sympy.Symbol, Fraction], name: str
) -> ExactBase:
    rng = random.Random(0)
    terms = [c for degree in range(DEGREE + 1) for c in combinations_with_replacement(range(len(symbols)), degree)]
    fixed = {symbol: Modular.of(value, PRIME).value for symbol, value in numbers.items()}
    system, answers = [], []
    for _ in terms:
        drawn = [rng.randrange(PRIME) for _ in symbols]
        answers.append(_coefficients(regressor, fixed | dict(zip(symbols, drawn, strict=True)), rng))
        system.append([prod(drawn[k] for k in term) % PRIME for term in terms])
    independent = answers[0].independent
    if any(answer.independent != independent for answer in answers):
        raise MissingError(f"mechanism '{name}': its base parameters change with its lengths; give them numbers")
    keys = sorted(set().union(*(answer.entries for answer in answers)))
    joined = [
        [*row, *(answer.entries.get(key, 0) for key in keys)] for row, answer in zip(system, answers, strict=True)
    ]
    solved, _ = reduced(joined, PRIME)
    order = sorted(independent)
    B = sympy.zeros(len(order), len(regressor.columns))
    monomials = [sympy.prod([symbols[k] for k in term]) for term in terms]
    for column, (row, place) in enumerate(keys):
        parts = [_rational(line[len(terms) + column], name) for line in solved]
        B[order.index(row), place] = sum((x * m for x, m in zip(parts, monomials, strict=True)), sympy.S.Zero)
    return ExactBase(tuple(order), B)


def _rational(value: int, name: str) -> sympy.Rational:
    found = fraction_of(value, PRIME)
    if found is None:
        raise MissingError(_not_polynomial(name))
    return sympy.Rational(found.numerator, found.denominator)


def _not_polynomial(name: str) -> str:
    return (
        f"mechanism '{name}': the coefficients of its base parameters are no polynomials of degree {DEGREE} in its "
        "open lengths; give these numbers"
    )


def _verify(
    regressor: _Regressor,
    found: ExactBase,
    symbols: Sequence[sympy.Symbol],
    numbers: Mapping[sympy.Symbol, Fraction],
    name: str,
) -> None:
    """Y = Y_b B at another state and other lengths modulo another prime."""
    rng = random.Random(1)
    drawn = {symbol: Fraction(rng.randrange(10**6)) for symbol in symbols}
    values = {s: Modular.of(x, OTHER).value for s, x in {**numbers, **drawn}.items()}
    at = {s: sympy.Integer(int(x)) for s, x in drawn.items()}
    B = [[Modular.of(Fraction(int(e.p), int(e.q)), OTHER).value for e in row] for row in found.matrix.subs(at).tolist()]
    place = {k: i for i, k in enumerate(regressor.columns)}
    for row in regressor.rows(values, OTHER, 1, rng):
        base = [row[place[k]] for k in found.independent]
        for k, i in place.items():
            if (row[i] - sum(b * line[k] for b, line in zip(base, B, strict=True))) % OTHER:
                raise MissingError(_not_polynomial(name))
