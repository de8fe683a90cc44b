"""Which links each collision pair is of, told by runs of pairs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import overload

Names = tuple[str, str]


@dataclass(frozen=True)
class Pairs(Sequence[Names]):
    """(first, second) names of the links of each pair, "world" for the ground.

    `shapes`: the link that carries each shape; `runs`: (shape, later, count, turned), the pairs of a shape with `count`
    shapes that follow each other from number `later` on, which are the first ones of their pairs where turned is 1.
    """

    shapes: tuple[str, ...] = ()
    runs: tuple[tuple[int, int, int, int], ...] = ()

    def __post_init__(self) -> None:
        """ValueError for numbers of shapes that are not there."""
        known = len(self.shapes)
        if not all(0 <= k < known and 0 <= later <= later + count <= known for k, later, count, _ in self.runs):
            raise ValueError("pairs of shapes that are not there")

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(count for _, _, count, _ in self.runs)]

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, number: int) -> Names: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Names, ...]: ...
    def __getitem__(self, number: int | slice) -> Names | tuple[Names, ...]:
        if isinstance(number, slice):
            return tuple(self._pair(i) for i in range(len(self))[number])
        return self._pair(range(len(self))[number])

    def __iter__(self) -> Iterator[Names]:
        for shape, later, count, turned in self.runs:
            own = self.shapes[shape]
            others = self.shapes[later : later + count]
            yield from ((other, own) for other in others) if turned else ((own, other) for other in others)

    def __add__(self, more: Pairs) -> Pairs:
        """These pairs, then those of another model."""
        first = len(self.shapes)
        moved = ((first + shape, first + later, count, turned) for shape, later, count, turned in more.runs)
        return Pairs(self.shapes + more.shapes, (*self.runs, *moved))

    def _pair(self, number: int) -> Names:
        run = bisect_right(self._starts, number) - 1
        shape, later, _, turned = self.runs[run]
        own, other = self.shapes[shape], self.shapes[later + number - self._starts[run]]
        return (other, own) if turned else (own, other)


NO_PAIRS = Pairs()
