"""A kernel that computes several states at a time, as templates show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from kinegen.runtime.abi import CONFIGURATIONS, ArraySpec, KernelSpec

from ...program.operations import symbols_in
from ...program.reach import hidden_entries
from ..kernels import Piece

LARGEST = 4096
"""Entries of a block beyond which it would need more than a quarter of a megabyte of stack."""

AT_ONCE = (4, 2)
"""Blocks that each part of a kernel runs over, as the stack has room for them."""


@dataclass(frozen=True)
class LaneKernel:
    """A kernel by lanes: `spec` of its public function, `block` of the one that computes a block, printed as `piece`;
    None where that calls functions of runtime/c.

    `map`: where the output's entries stand in the block's, whose end is a zero, empty if they are the same; `proved`:
    the block tells by its quality which lanes are right, and the scalar kernel redoes the others; `bounded`: as of
    `Numbers`; `turning`: of arguments, what enters groups; `looked`: it is looked whether its numbers are finite, and
    rotations of unit norm; `rotations`: their numbers of entries, and where those of so many begin in a configuration.
    """

    spec: KernelSpec
    block: KernelSpec
    piece: Piece | None = None
    map: tuple[int, ...] = ()
    proved: bool = False
    bounded: bool = True
    turning: tuple[tuple[str, int, int], ...] = ()
    looked: bool = True
    rotations: tuple[tuple[int, tuple[int, ...]], ...] = ()

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
    def arrays(self) -> list[ArraySpec]:
        """All arrays of the block, the first output as it is stored."""
        return [*self.block.inputs, *self._outputs]

    @property
    def entries(self) -> int:
        """Of all arrays of the block."""
        return sum(prod(array.shape) for array in self.arrays)

    @property
    def parts(self) -> tuple[Piece, ...]:
        """What the block is computed by, one after the other; none where it is one function."""
        return self.piece.parts if self.piece else ()

    @property
    def at_once(self) -> int:
        """Blocks that are computed by one call: several only where each of some parts runs over them."""
        if self.piece is None or not self.parts:
            return 1
        size = self.piece.held + sum(prod(array.shape) for array in (*self.block.inputs, *self.block.outputs))
        return next((count for count in AT_ONCE if count * size <= LARGEST), 1)

    @property
    def _outputs(self) -> list[ArraySpec]:
        """Of the block, the first one as it is stored."""
        output, *further = self.block.outputs
        return [ArraySpec(output.name, (self.stored,)), *further]

    @property
    def after(self) -> list[ArraySpec]:
        """Arrays of a block that are looked at when it is computed."""
        output, *further = self._outputs
        every, looked = self.proved or self.small, self.looked and not self.small
        names = {name for name, _, _ in self.hidden} if looked else set()
        names.update(self.turned)
        given = [array for array in self.spec.inputs if every or array.name in names]
        return [*given, *further, *([output] if looked or self.proved else [])]

    @property
    def turned(self) -> list[str]:
        """Arguments that hold rotations."""
        return [array.name for array in self.spec.inputs if self.rotations and array.name in CONFIGURATIONS]

    @property
    def turning_of(self) -> list[ArraySpec]:
        """Inputs that the block's angles are made of."""
        if self.piece is None:
            return []
        read = {symbol for angle in self.piece.program.angles for symbol in symbols_in(angle.argument)}
        made = {given.name for given in self.piece.program.inputs if not read.isdisjoint(given.symbols)}
        return [array for array in self.block.inputs if array.name in made]

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
