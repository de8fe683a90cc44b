"""Motion of the coordinates, part of PREFIX_motion.c; PREFIX_coordinates.c of a model that does not step (§10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.runtime.abi import ArraySpec, KernelSpec

from ...mechanism.structure.tree import SpanningTree
from ..kernels import CFile, Context
from ..text.dialects import DOUBLE, Numbers
from ..text.environment import render
from . import statements
from .statements import GROUP, Statements, listed

TITLES = {
    "integrate": "q moved by v_dt for unit time",
    "difference": "The shortest motion that takes q0 to q1 in unit time",
}
"""What the kernels give."""


@dataclass(frozen=True)
class Unused:
    """Lines that keep a strict compiler quiet about arguments a particular model has no use for."""

    integrate: str
    difference: str


@dataclass(frozen=True)
class Coordinates:
    """What `coordinates.c.j2` and `coordinates.h.j2` show: statements joint by joint.

    `units`: squares of the norms of rotations; `groups`: a joint moves in one.
    """

    title: str
    prefix: str
    nq: int
    nv: int
    parametric: bool
    groups: bool
    integrate: tuple[Statements, ...]
    difference: tuple[Statements, ...]
    units: tuple[Statements, ...]
    unused: Unused
    kernels: tuple[KernelSpec, ...]
    numbers: Numbers

    @property
    def scalar(self) -> str:
        return self.numbers.scalar

    @property
    def one(self) -> str:
        return self.numbers.kernel.literal(1.0)

    @property
    def titles(self) -> dict[str, str]:
        return TITLES


def coordinates_of(
    tree: SpanningTree, prefix: str, title: str, parametric: bool, numbers: Numbers = DOUBLE
) -> Coordinates:
    """Of the joints of a tree."""
    p, moves = ["p"] if parametric else [], tree.nv > 0
    return Coordinates(
        title=title,
        prefix=prefix,
        nq=tree.nq,
        nv=tree.nv,
        parametric=parametric,
        groups=any(body.nv and body.joint.kind in GROUP for body in tree.bodies),
        integrate=listed(tree, statements.integrate),
        difference=listed(tree, statements.difference),
        units=listed(tree, statements.unit_norm, start=statements.rotation_start),
        unused=Unused(
            voided(p if moves else [*p, "q", "v_dt", "q_out"]), voided(p if moves else [*p, "q0", "q1", "v_dt"])
        ),
        kernels=coordinate_kernels(tree, prefix),
        numbers=numbers,
    )


def coordinates_file(context: Context) -> CFile:
    """PREFIX_coordinates.c: integrate, difference, their batches, and whether rotations have unit norm."""
    tree, title = context.mechanism.tree, context.mechanism.name
    shown = coordinates_of(tree, context.prefix, title, context.parametric, context.numbers)
    text, declared = (render(f"motion/coordinates.{kind}.j2", coordinates=shown) for kind in "ch")
    return CFile(f"{context.prefix}_coordinates.c", text, shown.kernels, TITLES, (), declared)


def coordinate_kernels(tree: SpanningTree, prefix: str) -> tuple[KernelSpec, ...]:
    """Kernels for the manifest."""
    q, v = (tree.nq,), (tree.nv,)
    return (
        kernel("integrate", prefix, {"q": q, "v_dt": v}, {"q_out": q}),
        kernel("difference", prefix, {"q0": q, "q1": q}, {"v_dt": v}),
    )


Shapes = dict[str, tuple[int, ...]]


def kernel(name: str, prefix: str, inputs: Shapes, outputs: Shapes) -> KernelSpec:
    """One whose operations nobody counts."""
    given, made = (tuple(ArraySpec(array, shape) for array, shape in side.items()) for side in (inputs, outputs))
    return KernelSpec(name, f"{prefix}_{name}", given, made)


def voided(names: Sequence[str]) -> str:
    """A line that reads these arguments; none for none."""
    return f"    {', '.join(f'(void){name}' for name in names)};\n" if names else ""
