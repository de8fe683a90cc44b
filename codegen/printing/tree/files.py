"""The C files of a tree, from the rows of the table that are wanted."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from kinegen.runtime.abi import ArraySpec, KernelSpec
from kinegen.runtime.errors import InternalError

from ..kernels import CFile, Context, Piece, kernels_text, printed, sentence
from .loops import LOOPS, Choice, LoopKernel, loops_text
from .table import Row

SUBJECTS = {
    "dynamics": "inverse dynamics and mass matrix",
    "forward": "forward dynamics",
    "derivatives": "derivatives of the dynamics",
    "kinematics": "poses, Jacobians, energy and momentum",
    "frames": "poses, Jacobians and motion of chosen frames",
    "reference": "slower routes to compare with",
    "closure": "closure of the loops",
    "variations": "changes of the closure of the loops",
    "second_variations": "second changes of the closure of the loops",
    "causes": "torque by cause",
    "regressor": "torques and energies by inertial parameters",
    "centroidal": "rate of the momentum, mass and gravity",
    "packed": "the packed mass matrix",
    "prescribed_motion": "motions that joints are given",
}
"""Subject of each file, in the order in which they are printed."""

FLAGS = {
    "reference": ("-O1",),
    "causes": ("-O3",),
    "variations": ("-O1",),
    "second_variations": ("-O1",),
    "regressor": ("-O3",),
    "centroidal": ("-O1",),
    "derivatives": ("-O3",),
    "prescribed_motion": ("-O1",),
}
"""Files that are called seldom are compiled with little effort, loops over lanes with more."""


def tree_files(context: Context, rows: Sequence[Row]) -> Iterator[CFile]:
    """A file for each subject of which there are rows, each after those of what its loops call."""
    known: dict[str, KernelSpec] = {}
    for file in SUBJECTS:
        if own := [row for row in rows if row.file == file]:
            made = _file(context, file, own, known)
            known |= {kernel.name: kernel for kernel in made.kernels}
            yield made


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


def _file(context: Context, file: str, rows: Sequence[Row], known: Mapping[str, KernelSpec]) -> CFile:
    """`known`: kernels of the files before."""
    handed = {name for row in rows for name in row.cases}
    pieces = {row.name: replace(_piece(context, row), turned=row.name in handed) for row in rows if row.derive}
    choices = [_choice(context, row, pieces) for row in rows if row.cases]
    counted = {name: piece.spec for name, piece in pieces.items()} | {
        choice.spec.name: choice.spec for choice in choices
    }
    loops = [LoopKernel(_spec(context, row, counted), sentence(row.title), row.loop) for row in rows if row.loop]
    specs = {loop.spec.name: loop.spec for loop in loops}
    titles = {loop.spec.name: loop.title for loop in loops} | {name: piece.title for name, piece in pieces.items()}
    public = [row.name for row in rows if row.public]
    own = {row.name for row in rows}
    called = [known[name] for name in dict.fromkeys(name for row in rows for name in row.needs) if name not in own]
    return CFile(
        f"{context.prefix}_{file}.c",
        kernels_text(
            context,
            SUBJECTS[file],
            list(_public_first(pieces)),
            loops_text(context.mechanism.tree, context.parametric, loops, choices),
            tuple(specs.values()),
            model=bool(loops),
            called=called,
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
        raise InternalError(f"{row.name} has no program")
    storage, seldom = "" if row.public else "static ", row.file in FLAGS
    piece = printed(context, row.name, row.derive(), row.route, row.reason, storage, seldom=seldom, rows=row.rows)
    return replace(piece, spec=replace(piece.spec, frame=row.frame)) if row.frame else piece


def _choice(context: Context, row: Row, pieces: dict[str, Piece]) -> Choice:
    """Its operations are those of the longest path."""
    bodies = context.mechanism.tree.bodies
    cases = dict(zip(row.firsts, (pieces[name] for name in row.cases), strict=True))
    counts: list[dict[str, int]] = []
    for body, first in zip(bodies, row.firsts, strict=True):
        above = counts[body.parent] if body.parent >= 0 else {}
        counts.append({kind: above.get(kind, 0) + count for kind, count in cases[first].spec.operations.items()})
    longest = max(counts, key=lambda count: sum(count.values()))
    spec = replace(cases[0].spec, name=row.name, function=f"{context.prefix}_{row.name}", operations=longest)
    functions = {first: piece.spec.function for first, piece in cases.items()}
    angles = {first: piece.body.angles for first, piece in cases.items()}
    ahead = tuple(body.q_start - bodies[first].q_start for body, first in zip(bodies, row.firsts, strict=True))
    return Choice(spec, sentence(row.title), functions, angles, row.firsts, ahead)


def _spec(context: Context, row: Row, counted: Mapping[str, KernelSpec]) -> KernelSpec:
    tree = context.mechanism.tree
    sizes = {"q": tree.nq, "frame": 4, "placed": 13}
    if row.output is None:
        raise InternalError(f"{row.name} gives nothing")
    spec = KernelSpec(
        row.name,
        f"{context.prefix}_{row.name}",
        tuple(ArraySpec(name, (sizes.get(name, tree.nv),)) for name in row.inputs),
        (ArraySpec(row.output.name, row.output.shape),),
        route=row.route,
        reason=row.reason,
    )
    if (found := counted.get(row.counted)) is None:
        return spec
    operations = dict(found.operations)
    if LOOPS[row.loop].divides:
        operations["div"] += tree.nv
    return replace(spec, operations=operations)
