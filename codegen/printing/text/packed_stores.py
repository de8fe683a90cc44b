"""Packs → outputs: a pack whose lanes stand side by side; two packs that give entries side by side to each limb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy

from ...program.packs.packs import Packing, Symbols
from ...program.types import Output
from .printer import pointer, waits_for

Signs = tuple[float, ...]


@dataclass(frozen=True)
class PackStore:
    """One statement: `packs` with the signs of their lanes go to an output. One of them: its lanes stand from
    `places[0]` on; two: those of limb l, one of each, stand from `places[l]` on."""

    packs: tuple[Symbols, ...]
    signs: tuple[Signs, ...]
    output: str
    places: tuple[int, ...]

    @property
    def entries(self) -> frozenset[tuple[str, int]]:
        """Of the output, those that it writes."""
        size = len(self.packs[0]) if len(self.packs) == 1 else 2
        return frozenset((self.output, place + i) for place in self.places for i in range(size))

    @property
    def text(self) -> str:
        call = f"{'kg_write' if len(self.packs) == 1 else 'kg_across'}_{len(self.packs[0])}"
        packs = [turned(f"each_{pack[0].name}", own) for pack, own in zip(self.packs, self.signs, strict=True)]
        return f"{call}({', '.join([*packs, *(pointer(self.output, place) for place in self.places)])});"


def turned(vector: str, signs: Sequence[float]) -> str:
    """The vector times 1 or -1 in each lane."""
    if len(set(signs)) == 1:
        return vector if signs[0] > 0 else f"-{vector}"
    masks = ", ".join("KG_MINUS" if sign < 0 else "0" for sign in signs)
    return f"kg_turned_{len(signs)}({vector}, (kg_signs_{len(signs)}){{{masks}}})"


def pack_stores(packing: Packing) -> list[PackStore]:
    """What need not be stored lane by lane; packs that stand side by side first."""
    found: list[PackStore] = []
    for output in packing.function.outputs:
        lanes = _Lanes.of(packing, output)
        for at in (lanes.row, lanes.across):
            for i in lanes.entries:
                store = at(i) if i in lanes.left else None
                if store is not None:
                    lanes.left.difference_update(place for _, place in store.entries)
                    found.append(store)
    return found


@dataclass(frozen=True)
class _Lanes:
    """Entries of an output that are lanes of packs: their signs and symbols; where each symbol stands; those that are
    left."""

    output: str
    packs: Mapping[sympy.Symbol, Symbols]
    entries: Mapping[int, tuple[float, sympy.Symbol]]
    places: Mapping[sympy.Symbol, Sequence[int]]
    left: set[int]

    @classmethod
    def of(cls, packing: Packing, output: Output) -> _Lanes:
        entries: dict[int, tuple[float, sympy.Symbol]] = {}
        places: dict[sympy.Symbol, list[int]] = {}
        for i in output.places:
            symbol = waits_for(output.entries[i])
            if symbol is not None and symbol in packing.packs:
                entries[i] = (1.0 if output.entries[i].is_Symbol else -1.0, symbol)
                places.setdefault(symbol, []).append(i)
        return cls(output.name, packing.packs, entries, places, set(entries))

    def row(self, i: int) -> PackStore | None:
        """A pack from entry i on."""
        pack = self.packs[self.entries[i][1]]
        for lane, symbol in enumerate(pack):
            if i + lane not in self.left or self.entries[i + lane] != (1.0, symbol):
                return None
        return PackStore((pack,), ((1.0,) * len(pack),), self.output, (i,))

    def across(self, i: int) -> PackStore | None:
        """Two packs whose first lanes are entries i and i + 1."""
        if i + 1 not in self.left:
            return None
        first, second = (self.packs[self.entries[k][1]] for k in (i, i + 1))
        if first == second or len(first) != len(second):
            return None
        places: list[int] = []
        for candidates, symbol in zip([[i], *(self.places.get(x, ()) for x in first[1:])], second, strict=True):
            k = next((k for k in candidates if self.left >= {k, k + 1} and self.entries[k + 1][1] == symbol), None)
            if k is None:
                return None
            places.append(k)
        signs = tuple(tuple(self.entries[k + side][0] for k in places) for side in (0, 1))
        return PackStore((first, second), signs, self.output, tuple(places))
