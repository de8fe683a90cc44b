"""What a program is told of limbs that are alike, such as two legs: whose entries of q and v are whose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

NEGLIGIBLE = 1e-80
"""What stands for a zero where a limb that is alike has none. It is printed as zero, and so is what it is a factor of.
"""
LEAST = 1e-50
"""Smaller numbers than this come from it."""

Lane = tuple[int, int]
"""A family of limbs, and which of them."""


@dataclass(frozen=True)
class Limbs:
    """Families of limbs that are alike.

    `widths`: of each family, how many limbs it has; `places`: ("q" or "v", entry) → its limb, and what it is called in
    all limbs of the family; `names`: of each limb, identifiers of its links and of joints that close loops there, and
    those of the first limb.
    """

    widths: tuple[int, ...] = ()
    places: Mapping[tuple[str, int], tuple[Lane, tuple[int, int]]] = field(default_factory=dict)
    names: Mapping[Lane, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def distances(self) -> Iterator[tuple[int, int]]:
        """Of each family how many limbs it has, and how far in v the second is from the first."""
        at = {(lane, place): i for (vector, i), (lane, place) in self.places.items() if vector == "v"}
        for family, width in enumerate(self.widths):
            own = [at[(family, 1), place] - i for (lane, place), i in at.items() if lane == (family, 0)]
            yield from ((width, distance) for distance in sorted(set(own)))

    def role(self, lane: Lane, name: str) -> str:
        """`name` of a value with the link of the first limb in place of that of this one."""
        for own, first in self.names[lane]:
            if f"_{own}" in name:
                return name.replace(f"_{own}", f"_@{first}")
        return name
