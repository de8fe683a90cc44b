"""The C files of a tree, from the rows of the table that are wanted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from kinegen.runtime.abi import ArraySpec, KernelSpec

from ..symbolic.symbols import symbols_of
from .environment import macro
from .kernels import CFile, Context, Piece, kernels_text, printed, sentence
from .motion import parameter_printer
from .table import Row

SUBJECTS = {
    "dynamics": "inverse dynamics and mass matrix",
    "forward": "forward dynamics",
    "kinematics": "poses, Jacobians, energy and momentum",
    "reference": "slower routes to compare with",
    "closure": "closure of the loops",
    "causes": "torque by cause",
}
"""Subject of each file, in the order in which they are printed."""

FLAGS = {"reference": ("-O1",), "causes": ("-O1",)}
"""Files that are called seldom are compiled with little effort."""


@dataclass(frozen=True)
class LoopWords:
    """What the macros of `loops.c.j2` ask for: names, sizes and the motion axes of the tree.

    `dofs`: the dof that each axis moves; `above`: the next axis to the root, -1 for none; `last`: the last axis of each
    link's path; `carriers`: the link that each axis moves. `p`, `pd`: the parameters in a call, in a signature.
    """

    prefix: str
    open: str
    nv: int
    links: int
    gravity: tuple[str, ...]
    dofs: tuple[int, ...]
    above: tuple[int, ...]
    last: tuple[int, ...]
    carriers: tuple[int, ...]
    p: str
    pd: str

    @property
    def axes(self) -> int:
        return len(self.dofs)

    @staticmethod
    def of(context: Context) -> LoopWords:
        tree = context.mechanism.tree
        dofs: list[int] = []
        above: list[int] = []
        last: list[int] = []
        carriers: list[int] = []
        for body in tree.bodies:
            tip = last[body.parent] if body.parent >= 0 else -1
            for k in range(body.nv or (1 if body.joint.mimic else 0)):
                dofs.append(body.v_start + k)
                above.append(tip)
                carriers.append(body.index)
                tip = len(dofs) - 1
            last.append(tip)
        number = parameter_printer(symbols_of(context.mechanism).parameters)
        return LoopWords(
            context.prefix,
            context.open,
            tree.nv,
            len(tree.bodies),
            tuple(number(g) for g in context.mechanism.gravity),
            tuple(dofs),
            tuple(above),
            tuple(last),
            tuple(carriers),
            "p, " if context.parametric else "",
            "const double *restrict p, " if context.parametric else "",
        )


def tree_files(context: Context, rows: Sequence[Row]) -> list[CFile]:
    """A file for each subject of which there are rows."""
    files = ((file, [row for row in rows if row.file == file]) for file in SUBJECTS)
    return [_file(context, file, own) for file, own in files if own]


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
    loops = [row for row in rows if not row.derive]
    specs = {row.name: _spec(context, row, pieces) for row in loops if row.public}
    words = LoopWords.of(context)
    text = "\n".join(macro("loops.c.j2", row.macro or row.name, words, *row.arguments) for row in loops)
    public = {row.name: pieces[row.name].spec if row.derive else specs[row.name] for row in rows if row.public}
    titles = {row.name: sentence(row.title) if row.title else pieces[row.name].title for row in rows if row.public}
    return CFile(
        f"{context.prefix}_{file}.c",
        kernels_text(context, SUBJECTS[file], list(_public_first(pieces)), text, tuple(specs.values())),
        tuple(public.values()),
        titles,
        FLAGS.get(file, ()),
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
    return replace(spec, operations=dict(pieces[row.counted].spec.operations)) if row.counted else spec
