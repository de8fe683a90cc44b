"""The C files of a tree, from the rows of the table that are wanted."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from kinegen.runtime.abi import ArraySpec, KernelSpec

from ..kernels import CFile, Context, Piece, kernels_text, printed, sentence
from .loops import LoopKernel, loops_text
from .table import Row

SUBJECTS = {
    "dynamics": "inverse dynamics and mass matrix",
    "forward": "forward dynamics",
    "derivatives": "derivatives of the dynamics",
    "kinematics": "poses, Jacobians, energy and momentum",
    "reference": "slower routes to compare with",
    "closure": "closure of the loops",
    "variations": "changes of the closure of the loops",
    "causes": "torque by cause",
    "regressor": "torques and energies by inertial parameters",
    "centroidal": "rate of the momentum, mass and gravity",
    "packed": "the packed mass matrix",
    "prescribed_motion": "motions that joints are given",
}
"""Subject of each file, in the order in which they are printed."""

FLAGS = {
    "reference": ("-O1",),
    "causes": ("-O1",),
    "variations": ("-O1",),
    "regressor": ("-O1",),
    "centroidal": ("-O1",),
    "derivatives": ("-O3",),
    "prescribed_motion": ("-O1",),
}
"""Files that are called seldom are compiled with little effort, loops over lanes with more."""


def tree_files(context: Context, rows: Sequence[Row]) -> list[CFile]:
    """A file for each subject of which there are rows."""
    files = ((file, [row for row in rows if row.file == file]) for file in SUBJECTS)
    return [_file(context, file, own) for file, own in files if own]


def still(context: Context, rows: Sequence[Row]) -> tuple[tuple[Row, ...], tuple[KernelSpec, ...]]:
    """Where nothing moves: the rows whose results have entries, and the kernels of the others, which have no text.

    There are no paths for loops to go along: one whose result has entries all the same is left out.
    """
    specs = {row: _spec(context, row, {}) if row.output else _piece(context, row).spec for row in rows if row.public}
    full = {row for row, spec in specs.items() if any(map(_entries, spec.outputs))}
    kept = tuple(row for row in specs if row in full and row.derive)
    return kept, tuple(replace(spec, function="") for row, spec in specs.items() if row not in full)


def _entries(array: ArraySpec) -> int:
    return math.prod(array.shape)


def wanted(rows: Sequence[Row], asked: Collection[str]) -> tuple[Row, ...]:
    """The rows of these public names, and all that they call."""
    public = {row.name: row for row in rows if row.public}
    local = {(row.file, row.name): row for row in rows}
    waiting, taken = [public[name] for name in asked if name in public], set()
    while waiting:
        row = waiting.pop()
        if (row.file, row.name) not in taken:
            taken.add((row.file, row.name))
            waiting += [local.get((row.file, name)) or public[name] for name in row.needs]
    return tuple(row for row in rows if (row.file, row.name) in taken)


def _file(context: Context, file: str, rows: Sequence[Row]) -> CFile:
    pieces = {row.name: _piece(context, row) for row in rows if row.derive}
    loops = [LoopKernel(_spec(context, row, pieces), sentence(row.title), row.loop) for row in rows if not row.derive]
    specs = {loop.spec.name: loop.spec for loop in loops}
    titles = {loop.spec.name: loop.title for loop in loops} | {name: piece.title for name, piece in pieces.items()}
    public = [row.name for row in rows if row.public]
    return CFile(
        f"{context.prefix}_{file}.c",
        kernels_text(
            context,
            SUBJECTS[file],
            list(_public_first(pieces)),
            loops_text(context.mechanism.tree, context.parametric, loops),
            tuple(specs.values()),
            model=bool(loops),
        ),
        tuple(pieces[name].spec if name in pieces else specs[name] for name in public),
        {name: titles[name] for name in public},
        FLAGS.get(file, ()),
        programs={name: pieces[name].program for name in public if name in pieces},
    )


def _public_first(pieces: dict[str, Piece]) -> Iterator[Piece]:
    yield from (piece for piece in pieces.values() if not piece.storage)
    yield from (piece for piece in pieces.values() if piece.storage)


def _piece(context: Context, row: Row) -> Piece:
    if row.derive is None:
        raise AssertionError(f"{row.name} has no program")
    return printed(context, row.name, row.derive(), row.route, row.reason, "" if row.public else "static ")


def _spec(context: Context, row: Row, pieces: dict[str, Piece]) -> KernelSpec:
    tree = context.mechanism.tree
    sizes = {"q": tree.nq, "frame": 4}
    if row.output is None:
        raise AssertionError(f"{row.name} gives nothing")
    spec = KernelSpec(
        row.name,
        f"{context.prefix}_{row.name}",
        tuple(ArraySpec(name, (sizes.get(name, tree.nv),)) for name in row.inputs),
        (ArraySpec(row.output.name, row.output.shape),),
        route=row.route,
        reason=row.reason,
    )
    counted = pieces.get(row.counted)
    return replace(spec, operations=dict(counted.spec.operations)) if counted else spec
