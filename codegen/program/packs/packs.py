"""Statements of limbs that are alike, side by side in the lanes of a vector: superword level parallelism [Larsen00].

Function → the same with sums and products of such statements in one order, and the packs of their symbols.

Values are numbered: two limbs' values have one number if they are computed alike from values of one number, whatever
the constants and signs. What differs in one limb (a rounded angle) would so separate all that follows from it; it gets
its number by its name, and is put into a vector where it is needed. What is zero in one limb and not in another is a
factor of 0 there (see limbs.NEGLIGIBLE).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import sympy

from ..limbs import Limbs
from ..negligible import with_zeros, without_zeros
from ..operations import joined, kind_of, symbols_in, value_of, with_args
from ..tape import NEGATIVE
from ..types import Function, Output
from .numbers import Forms, Numbers

LEAST = 300
"""Operations below which a function is left as it is."""

PASSES = 8
"""Times that values are numbered anew, with those that got their number by name."""

Symbols = tuple[sympy.Symbol, ...]
Read = Mapping[sympy.Symbol, Iterable[sympy.Symbol]]
"""Of every symbol what its statement reads."""


@dataclass(frozen=True)
class Packing:
    """`packs`: of each symbol that shares a vector, those in it, limb by limb; `leaves`: those without a statement;
    `apart`: the function for limbs one after the other."""

    function: Function
    apart: Function
    packs: Mapping[sympy.Symbol, Symbols]
    leaves: frozenset[sympy.Symbol]


def split(expr: sympy.Expr) -> tuple[sympy.Number, list[sympy.Expr]]:
    """Coefficient and factors of a product."""
    args = expr.args if expr.is_Mul else (expr,)
    numbers = [arg for arg in args if arg.is_Number]
    if not numbers:
        return sympy.S.One, list(args)
    return prod(numbers[1:], start=numbers[0]), [x for x in args if not x.is_Number]


def packing(function: Function, limbs: Limbs) -> Packing | None:
    """None where nothing is worth a vector."""
    if not limbs.widths or function.operations.total < LEAST:
        return None
    packed = _evened(function, function.evened(), limbs) if function.evened else None
    return packed or side_by_side(function, limbs)


def _evened(function: Function, even: Function, limbs: Limbs) -> Packing | None:
    """The packing by which zeros part limbs no more, where its results have the entries of the function."""
    packed = side_by_side(even, limbs) if even.inputs == function.inputs else None
    if packed is None:
        return None
    apart = without_zeros(packed.function)
    if [_entries(output) for output in apart.outputs] != [_entries(output) for output in function.outputs]:
        return None
    return replace(packed, function=with_zeros(packed.function), apart=apart)


def _entries(output: Output) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    return output.name, output.shape, output.places


def side_by_side(function: Function, limbs: Limbs) -> Packing | None:
    """Packs of statements that are alike, and of the leaves that they read, whether worth it or not."""
    found = alike(function, limbs)
    made = {assignment.symbol: assignment.expr for assignment in function.assignments}
    packs = _in_order(found.read, found.packs)
    kept: dict[sympy.Symbol, sympy.Expr] = {}
    for pack in dict.fromkeys(packs.values()):
        if pack[0] in made:
            kept |= zip(pack, found.aligned([made[member] for member in pack]), strict=True)
    if not kept:
        return None
    assignments = tuple(
        replace(a, expr=kept[a.symbol], kept=True) if a.symbol in kept else a for a in function.assignments
    )
    result = replace(function, assignments=assignments)
    return Packing(result, result, packs, found.leaves)


@dataclass(frozen=True)
class Alike:
    """Values that are alike: `packs` of each symbol, those of all limbs; `leaves`: of limbs, without a statement."""

    read: Read
    numbers: Numbers
    packs: Mapping[sympy.Symbol, Symbols]
    leaves: frozenset[sympy.Symbol]

    def aligned(self, exprs: Sequence[sympy.Expr]) -> list[sympy.Expr]:
        """The same expressions, which are alike, with terms and factors in the order of the first one, positive terms
        first in it."""
        return _aligned(self.numbers, exprs)

    def matched(self, rows: Sequence[Sequence[sympy.Expr]]) -> list[Sequence[sympy.Expr]]:
        """Terms or factors of expressions that are alike, in the order of the first ones."""
        return _matched(self.numbers, rows)


def alike(function: Function, limbs: Limbs, calls: bool = False) -> Alike:
    """`calls`: also what calls functions, for which there are no vectors."""
    given: dict[sympy.Symbol, Hashable] = {}
    whole, forms = function.whole or function, Forms()
    read = {assignment.symbol: assignment.read for assignment in whole.assignments}
    numbers = _numbered(whole, limbs, read, given, forms)
    for _ in range(PASSES):
        named = _by_name(limbs, numbers, read, given)
        if not named:
            break
        given |= named
        numbers = _numbered(whole, limbs, read, given, forms)
    made = {assignment.symbol: assignment.expr for assignment in function.assignments}
    inputs = {symbol for array in function.inputs for symbol in array.symbols}
    turned = {symbol for angle in function.angles for symbol in (angle.sin, angle.cos)}
    leaves = frozenset((inputs | turned) & numbers.number.keys())
    packs: dict[sympy.Symbol, Symbols] = {}
    for symbol in (*sorted(leaves, key=name_of), *made):
        if symbol in packs or not _is_complete(limbs, numbers, symbol):
            continue
        pack = _members(limbs, numbers, symbol)
        if not all(member in made or member in leaves for member in pack):  # the other part has the rest
            continue
        stated = [made[member] for member in pack if member in made]
        by_name = symbol in given  # else they have one number since they are alike
        if not stated or (len(stated) == len(pack) and _are_alike(numbers, stated, by_name, calls)):
            packs |= dict.fromkeys(pack, pack)
    return Alike(read, numbers, packs, leaves)


def _numbered(
    function: Function, limbs: Limbs, read: Read, given: Mapping[sympy.Symbol, Hashable], forms: Forms
) -> Numbers:
    """`given`: keys in place of those of their expressions."""
    numbers = Numbers(forms)
    for array in function.inputs:
        vector = "q" if array.name == "q" else "v"
        for i, symbol in enumerate(array.symbols):
            if array.name != "p" and (vector, i) in limbs.places:
                lane, place = limbs.places[vector, i]
                numbers.enter(symbol, (array.name, place), lane)
    for angle in function.angles:
        key, lanes = numbers.key(angle.argument), numbers.lanes(symbols_in(angle.argument))
        if len(lanes) == 1:
            (lane,) = lanes
            numbers.enter(angle.sin, ("sin", key), lane)
            numbers.enter(angle.cos, ("cos", key), lane)
    for assignment in function.assignments:
        lanes = numbers.lanes(read[assignment.symbol])
        if len(lanes) == 1:
            (lane,) = lanes
            key = given.get(assignment.symbol) or numbers.key(assignment.expr)
            numbers.enter(assignment.symbol, key, lane)
    return numbers


def _is_complete(limbs: Limbs, numbers: Numbers, symbol: sympy.Symbol) -> bool:
    """All limbs have one of its number."""
    if symbol not in numbers.number:
        return False
    family = numbers.lane[symbol][0]
    return len(numbers.members[family, numbers.number[symbol]]) == limbs.widths[family]


def _members(limbs: Limbs, numbers: Numbers, symbol: sympy.Symbol) -> Symbols:
    """The symbols of one number with this one, lane by lane."""
    family = numbers.lane[symbol][0]
    found = numbers.members[family, numbers.number[symbol]]
    return tuple(found[lane] for lane in range(limbs.widths[family]))


def _by_name(
    limbs: Limbs, numbers: Numbers, read: Read, given: Mapping[sympy.Symbol, Hashable]
) -> dict[sympy.Symbol, Hashable]:
    """Keys by name of values that were numbered apart although all that one of them reads was numbered alike."""
    if all(len(own) == limbs.widths[family] for (family, _), own in numbers.members.items()):
        return {}
    alike: dict[tuple[int, str], dict[int, sympy.Symbol]] = {}
    for symbol in read:
        if symbol in numbers.lane and symbol not in given and not _is_complete(limbs, numbers, symbol):
            lane = numbers.lane[symbol]
            role = limbs.role(lane, symbol.name.removeprefix(NEGATIVE))
            alike.setdefault((lane[0], role), {}).setdefault(lane[1], symbol)
    found: dict[sympy.Symbol, Hashable] = {}
    for (family, role), own in alike.items():
        if len(own) == limbs.widths[family] and any(_ready(limbs, numbers, read[symbol]) for symbol in own.values()):
            found |= dict.fromkeys(own.values(), ("name", role))
    return found


def _ready(limbs: Limbs, numbers: Numbers, read: Iterable[sympy.Symbol]) -> bool:
    return all(symbol not in numbers.lane or _is_complete(limbs, numbers, symbol) for symbol in read)


def name_of(symbol: sympy.Symbol) -> str:
    """Its text, which SymPy's printer takes long to give."""
    return str(symbol.name)


def _in_order(read: Read, packs: Mapping[sympy.Symbol, Symbols]) -> dict[sympy.Symbol, Symbols]:
    """The packs but for those that would wait for each other, as values that got their numbers by name may."""
    kept = dict(packs)
    while circle := _circle(read, kept):
        kept = {symbol: pack for symbol, pack in kept.items() if pack not in circle}
    return kept


def _circle(read: Read, packs: Mapping[sympy.Symbol, Symbols]) -> set[Symbols]:
    """Packs that read each other, and those between them."""
    nodes = dict.fromkeys(packs.get(symbol) or (symbol,) for symbol in read)
    needs = {
        node: {packs.get(symbol) or (symbol,) for member in node for symbol in read[member]} & nodes.keys()
        for node in nodes
    }
    readers: dict[Symbols, set[Symbols]] = {node: set() for node in nodes}
    for node, own in needs.items():
        for other in own:
            readers[other].add(node)
    left = _waiting(_waiting(set(nodes), needs, readers), readers, needs)
    return {node for node in left if len(node) > 1}


def _waiting(
    nodes: set[Symbols], before: Mapping[Symbols, set[Symbols]], after: Mapping[Symbols, set[Symbols]]
) -> set[Symbols]:
    """What is left of `nodes` when those before which none of them stands are taken away, again and again."""
    counts = {node: len(before[node] & nodes) for node in nodes}
    free = [node for node, count in counts.items() if not count]
    while free:
        node = free.pop()
        del counts[node]
        for other in after[node]:
            if other in counts:
                counts[other] -= 1
                if not counts[other]:
                    free.append(other)
    return set(counts)


def _are_alike(numbers: Numbers, exprs: Sequence[sympy.Expr], by_name: bool, calls: bool) -> bool:
    alike = not by_name or len({numbers.key(expr) for expr in exprs}) == 1
    return alike and (calls or not any(map(_calls, exprs)))


def _calls(expr: sympy.Expr) -> bool:
    kind = kind_of(expr)
    return kind == "call" or any(map(_calls, (expr.base,) if kind == "reciprocal" else expr.args))


def _aligned(numbers: Numbers, exprs: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    match kind_of(exprs[0]) if not any(expr.is_Mul for expr in exprs) else "product":
        case "sum":
            rows = _matched(numbers, [positive_first(exprs[0].args), *(expr.args for expr in exprs[1:])])
            terms = [_aligned(numbers, terms) for terms in zip(*rows, strict=True)]
            return list(map(with_args, exprs, zip(*terms, strict=True)))
        case "product":
            parts = [split(expr) for expr in exprs]
            rows = _matched(numbers, [factors for _, factors in parts])
            factors = [_aligned(numbers, own) for own in zip(*rows, strict=True)]
            columns = zip(*factors, strict=True)
            return [product(part[0], own) for part, own in zip(parts, columns, strict=True)]
        case "reciprocal":
            return [sympy.Pow(base, -1, evaluate=False) for base in _aligned(numbers, [expr.base for expr in exprs])]
    return list(exprs)


def product(coefficient: sympy.Expr, factors: Sequence[sympy.Expr]) -> sympy.Expr:
    """As it stands; a coefficient of 1 is left out."""
    if not coefficient.is_Number or value_of(coefficient) != 1.0:
        return joined(sympy.Mul, (coefficient, *factors))
    return joined(sympy.Mul, factors) if len(factors) > 1 else factors[0]


def positive_first(terms: Iterable[sympy.Expr]) -> list[sympy.Expr]:
    return sorted(terms, key=lambda term: value_of(split(term)[0]) < 0.0)


def _matched(numbers: Numbers, rows: Sequence[Sequence[sympy.Expr]]) -> list[Sequence[sympy.Expr]]:
    """`rows` in the order of that of the first limb."""
    order = [numbers.key(arg) for arg in rows[0]]
    return [rows[0], *(_ordered(numbers, order, row) for row in rows[1:])]


def _ordered(numbers: Numbers, order: Sequence[Hashable], row: Sequence[sympy.Expr]) -> Sequence[sympy.Expr]:
    keys = [numbers.key(arg) for arg in row]
    if keys == order:
        return row
    waiting: dict[Hashable, list[sympy.Expr]] = {}
    for key, arg in zip(keys, row, strict=True):
        waiting.setdefault(key, []).append(arg)
    return [waiting[key].pop(0) for key in order]
