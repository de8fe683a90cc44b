"""Sums over all copies: a statement, or a chain of statements each of which adds what one copy has, copy by copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import sympy

from ..limbs import Lane
from ..packs.packs import positive_first
from ..types import Assignment
from .types import Part, Sum, Terms


@dataclass(frozen=True)
class Copies:
    """What is known of copies: of each family how many it has; of a term the copy that it belongs to, if to one; of
    terms, one of each copy, what stands for all, if they are alike."""

    widths: Sequence[int]
    lane: Callable[[sympy.Expr], Lane | None]
    merged: Callable[[Sequence[sympy.Expr]], sympy.Expr | None]


def with_sums(
    statements: Sequence[Assignment], readers: Mapping[sympy.Symbol, int], copies: Copies
) -> list[Assignment | Sum]:
    """The statements with sums over all copies; `readers`: how many read each symbol."""
    found: dict[sympy.Symbol, tuple[Part, ...]] = {}
    absorbed: set[sympy.Symbol] = set()
    for symbol, chain in _chains(statements, readers).items():
        if len(chain.terms) >= min(copies.widths) and (parts := _parts(chain.terms, copies)):
            found[symbol] = parts
            absorbed.update(chain.links)
    return [
        Sum(x.symbol, found[x.symbol], x.section) if x.symbol in found else x
        for x in statements
        if x.symbol not in absorbed
    ]


@dataclass
class _Chain:
    """Terms of a sum in the order in which they are added, those of others that it alone reads first; their symbols."""

    terms: list[sympy.Expr]
    links: list[sympy.Symbol] = field(default_factory=list)


def _chains(statements: Sequence[Assignment], readers: Mapping[sympy.Symbol, int]) -> dict[sympy.Symbol, _Chain]:
    """Of each sum that is not part of a longer one."""
    chains: dict[sympy.Symbol, _Chain] = {}
    for statement in statements:
        if statement.expr.is_Mul:  # that others may be added to
            chains[statement.symbol] = _Chain([statement.expr])
        if not statement.expr.is_Add:
            continue
        terms = list(statement.expr.args if statement.kept else positive_first(statement.expr.args))
        before = next((term for term in terms[:2] if term in chains and readers[term] == 1), None)
        if before is None:
            chains[statement.symbol] = _Chain(terms)
        else:
            chain = chains[statement.symbol] = chains.pop(before)
            chain.terms += [term for term in terms if term is not before]
            chain.links.append(before)
    return chains


def _parts(terms: Sequence[sympy.Expr], copies: Copies) -> tuple[Part, ...]:
    """Terms of all copies, copy by copy, as one part each; none where there are no such terms.

    The first begins with two copies: of two products that are added compilers fuse the first.
    """
    groups = [(lane, tuple(own)) for lane, own in groupby(terms, copies.lane)]
    parts: list[Part] = []
    at = 0
    while at < len(groups):
        own = groups[at][1]
        order = _order(groups, at, copies)
        whole = None if order is None else _whole([x for _, x in groups[at : at + len(order)]], order, copies)
        if order is None or whole is None:
            parts.append(Part(own))
            at += 1
        else:
            begun = 0 if parts else 2
            parts += [Part((*own, *groups[at + 1][1]))] if begun else []
            parts.append(Part(whole, order[begun:]))
            at += len(order)
    return tuple(parts) if any(part.copies for part in parts) else ()


def _order(groups: Sequence[tuple[Lane | None, Terms]], at: int, copies: Copies) -> range | None:
    """That in which all copies of a family follow from there on: up or down."""
    lane = groups[at][0]
    if lane is None:
        return None
    family, first = lane
    width = copies.widths[family]
    for order in (range(width), range(width - 1, -1, -1)):
        if first == order[0] and [lane for lane, _ in groups[at : at + width]] == [(family, k) for k in order]:
            return order
    return None


def _whole(rows: Sequence[Terms], order: range, copies: Copies) -> Terms | None:
    """What stands for the terms of each copy, if they are alike; `rows` in this order of copies."""
    if len(set(map(len, rows))) > 1:
        return None
    found = [copies.merged([column[order.index(k)] for k in range(len(order))]) for column in zip(*rows, strict=True)]
    return None if any(term is None for term in found) else tuple(term for term in found if term is not None)
