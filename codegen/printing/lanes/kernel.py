"""A kernel that computes several states at a time, as templates show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from kinegen.runtime.abi import ArraySpec, KernelSpec

from ...program.reach import hidden_entries
from ..kernels import Piece

BY_TWO = range(64, 2048)
"""Entries of an output of which two blocks are stored together: they fit in the cache."""


@dataclass(frozen=True)
class LaneKernel:
    """A kernel by lanes: `spec` of its public function, `block` of the one that computes a block, printed as `piece`;
    None where that calls functions of runtime/c.

    `map`: where the output's entries stand in the block's, whose end is a zero, empty if they are the same; `proved`:
    the block tells by its quality which lanes are right, and the scalar kernel redoes the others; `bounded`: as of
    `Numbers`; `turning`: of arguments, what enters groups; `looked`: it is looked whether its numbers are finite.
    """

    spec: KernelSpec
    block: KernelSpec
    piece: Piece | None = None
    map: tuple[int, ...] = ()
    proved: bool = False
    bounded: bool = True
    turning: tuple[tuple[str, int, int], ...] = ()
    looked: bool = True

    @property
    def output(self) -> ArraySpec:
        return self.spec.outputs[0]

    @property
    def packed(self) -> int:
        """Entries of the block's output."""
        return prod(self.block.outputs[0].shape)

    @property
    def table(self) -> str:
        return f"{self.spec.name}_entry"

    @property
    def stored(self) -> int:
        """Entries of the block's output as it is stored: a mapped one has a zero at its end."""
        return self.packed + bool(self.map)

    @property
    def by_two(self) -> bool:
        """Two blocks of its output are stored together, where entries stand one after the other."""
        return self.packed in BY_TWO

    @property
    def blocks(self) -> list[ArraySpec]:
        """All arrays of the block, as they are named where it is called."""
        output, *further = self.block.outputs
        rest = [ArraySpec(f"wide_{array.name}", (prod(array.shape),)) for array in (*self.block.inputs, *further)]
        if self.by_two:
            return [*rest, ArraySpec(f"two_{output.name}", (2 * self.stored,))]
        return [*rest, ArraySpec(f"wide_{output.name}", (self.stored,))]

    @property
    def zeros(self) -> list[ArraySpec]:
        """Inputs of the block that the kernel has not: they are zero."""
        given = {array.name for array in self.spec.inputs}
        return [array for array in self.block.inputs if array.name not in given]

    @property
    def small(self) -> bool:
        """It is looked whether its arguments are small: then sums and products of them are finite."""
        counts = self.block.operations
        if (
            not (self.bounded and self.looked)
            or self.piece is None
            or counts.get("div", 1)
            or counts.get("call", 1)
            or any(array.name == "p" for array in self.piece.program.inputs)
        ):
            return False
        given = sum(prod(array.shape) for array in self.spec.inputs)
        return 2 * given < self.packed + sum(last - first for _, first, last in self.hidden)

    @property
    def hidden(self) -> list[tuple[str, int, int]]:
        """Ranges of its arguments of which the results do not tell whether they are finite."""
        if self.proved:  # pivoting, which redoes lanes, may leave out what is not finite
            return [(array.name, 0, prod(array.shape)) for array in self.spec.inputs]
        if self.piece is None:  # an arctangent may leave it out, a sum does not
            return list(self.turning)
        found = hidden_entries(self.piece.program)
        return [(array.name, *part) for array in self.spec.inputs for part in _ranges(found[array.name])]


def _ranges(entries: Sequence[int]) -> list[tuple[int, int]]:
    """(first, end) of entries next to each other."""
    ranges: list[tuple[int, int]] = []
    for entry in entries:
        if ranges and ranges[-1][1] == entry:
            ranges[-1] = (ranges[-1][0], entry + 1)
        else:
            ranges.append((entry, entry + 1))
    return ranges
