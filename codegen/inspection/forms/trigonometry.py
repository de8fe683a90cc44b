"""Sines and cosines as on paper: fewer squares, and sums of angles where parallel axes make them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import sympy

from .polynomial import Atoms, Key, Terms, collected, divided

SAME = 1e-12  # relative difference of coefficients that are equal but for rounding


def tidy(terms: Terms, atoms: Atoms) -> Terms:
    """The same polynomial with squares exchanged where that is shorter, and with sin(θ₁ ± θ₂), cos(θ₁ ± θ₂)."""
    terms = _fewer_squares(terms, atoms)
    while (best := _best_sum(terms, atoms)) is not None:
        terms = _fewer_squares(_merged(terms, *best, atoms), atoms)
    return terms


def summed(terms: Terms, atoms: Atoms) -> Terms:
    """The same polynomial with sin(θ₁ ± θ₂), cos(θ₁ ± θ₂) where two terms become one."""
    while (best := _best_sum(terms, atoms)) is not None:
        terms = _merged(terms, *best, atoms)
    return terms


def _fewer_squares(terms: Terms, atoms: Atoms) -> Terms:
    """s² → 1 − c² or c² → 1 − s², angle by angle, where it leaves fewer terms."""
    squared = {a for key in terms for a, b in pairwise(key) if a == b and a in atoms.turns}
    for gone in sorted(squared):
        turn = atoms.turns[gone]
        kept = turn.cos if gone == turn.sin else turn.sin
        other = collected(_without_square(terms, gone, kept))
        terms = other if len(other) < len(terms) else terms
    return terms


def _without_square(terms: Terms, gone: int, kept: int) -> Iterator[tuple[Key, float]]:
    waiting = list(terms.items())
    while waiting:
        key, factor = waiting.pop()
        if key.count(gone) < 2:
            yield key, factor
            continue
        rest = divided(key, (gone, gone))
        waiting += [(rest, factor), ((*rest, kept, kept), -factor)]


@dataclass(frozen=True)
class Match:
    """Two terms K a b and ± K a' b' that make one sine or cosine of a sum, times K and the first one's coefficient."""

    first: Key
    second: Key
    cofactor: Key
    sine: bool


Pair = tuple[int, int, int]  # two angles (by their sines) and the sign between them


def _best_sum(terms: Terms, atoms: Atoms) -> tuple[Pair, list[Match]] | None:
    """The sum or difference of two angles that merges most pairs of terms."""
    found: dict[Pair, list[Match]] = {}
    for (one, two, cofactor), corners in sorted(_corners(terms, atoms).items()):
        for sign, match in _matches(terms, corners, cofactor):
            found.setdefault((one, two, sign), []).append(match)
    if not found:
        return None
    best = max(found, key=lambda pair: (len(found[pair]), pair[2], -pair[0], -pair[1]))
    return best, found[best]


def _corners(terms: Terms, atoms: Atoms) -> dict[tuple[int, int, Key], dict[str, Key]]:
    """(angle, angle, cofactor) → the terms with cofactor·cc, ·ss, ·sc, ·cs."""
    corners: dict[tuple[int, int, Key], dict[str, Key]] = {}
    for key in terms:
        turning = sorted({atom for atom in key if atom in atoms.turns}, key=lambda a: (atoms.turns[a].sin, a))
        for i, a in enumerate(turning):
            for b in turning[i + 1 :]:
                one, two = atoms.turns[a], atoms.turns[b]
                if one.sin != two.sin:
                    kind = ("s" if a == one.sin else "c") + ("s" if b == two.sin else "c")
                    corners.setdefault((one.sin, two.sin, divided(key, (a, b))), {})[kind] = key
    return corners


def _matches(terms: Terms, corners: dict[str, Key], cofactor: Key) -> Iterator[tuple[int, Match]]:
    """cos(a ± b) = c c ∓ s s,  sin(a ± b) = s c ± c s."""
    for first, second, sine in (("cc", "ss", False), ("sc", "cs", True)):
        if first in corners and second in corners:
            x, y = terms[corners[first]], terms[corners[second]]
            if abs(abs(x) - abs(y)) <= SAME * abs(x):
                sign = 1 if (x * y > 0) == sine else -1
                yield sign, Match(corners[first], corners[second], cofactor, sine)


def _merged(terms: Terms, pair: Pair, matches: list[Match], atoms: Atoms) -> Terms:
    one, two, sign = pair
    angle = sympy.expand(atoms.turns[one].angle + sign * atoms.turns[two].angle)
    result = dict(terms)
    made: list[tuple[Key, float]] = []
    for match in matches:
        if match.first not in result or match.second not in result:  # spent on another match
            continue
        factor = result.pop(match.first)
        result.pop(match.second)
        if angle.is_number:
            made.append((match.cofactor, factor * float((sympy.sin if match.sine else sympy.cos)(angle))))
            continue
        turn, flip = atoms.turn(angle)
        made.append(((*match.cofactor, turn.sin if match.sine else turn.cos), factor * (flip if match.sine else 1.0)))
    return collected([*result.items(), *made])
