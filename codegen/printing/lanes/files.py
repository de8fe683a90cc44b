"""Files of kernels that compute several states at a time: the programs of the scalar ones in another dialect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from kinegen.runtime.abi import ArraySpec, KernelSpec

from ...analysis.sparsity import factor_pattern
from ...program.reach import hidden_entries
from ...program.types import Function
from ...symbolic.loops.closed_functions import derive_cut_rates
from ...symbolic.loops.cut_joint import is_plain
from ...symbolic.tree.packed import packed_places
from ..kernels import CFile, Context, Piece, sentence
from ..text.dialects import DOUBLE, Numbers
from ..text.environment import render
from ..text.printer import print_function

LARGEST = 4096
"""Entries of an array of one state beyond which its lanes would need more than a quarter of a megabyte of stack."""

LEFT_OUT = ("forward_dynamics_damped", "forward_dynamics_open_damped")
"""Kernels of the time step: nobody asks them for many states."""

TORQUES = ("S", "actuator_torques")
"""Kernels that concern the actuated joints."""

SUBJECTS = {
    "dynamics": "inverse dynamics and mass matrix",
    "forward": "forward dynamics",
    "kinematics": "poses, energy and momentum",
    "packed": "the packed mass matrix",
    "specialised": "forward dynamics of closed loops",
    "dependence": "what depends from the velocities that lead",
}
"""Files that have a twin with lanes, and its subject; the others hold what is called seldom."""


@dataclass(frozen=True)
class LaneKernel:
    """A kernel by lanes: `spec` of its public function, the `piece` that computes a block.

    `map`: where the output's entries stand in the piece's, whose end is a zero, empty if they are the same; `proved`:
    the piece tells by its quality which lanes are right, and the scalar kernel redoes the others; `bounded`: as of
    `Numbers`.
    """

    spec: KernelSpec
    piece: Piece
    map: tuple[int, ...] = ()
    proved: bool = False
    bounded: bool = True

    @property
    def output(self) -> ArraySpec:
        return self.spec.outputs[0]

    @property
    def packed(self) -> int:
        """Entries of the piece's output."""
        return prod(self.piece.spec.outputs[0].shape)

    @property
    def table(self) -> str:
        return f"{self.spec.name}_entry"

    @property
    def blocks(self) -> list[ArraySpec]:
        """All arrays of the piece; a mapped one has a zero at its end."""
        given, made = self.piece.spec.inputs, self.piece.spec.outputs
        sizes = [(a.name, prod(a.shape) + (bool(self.map) and a is made[0])) for a in (*given, *made)]
        return [ArraySpec(name, (size,)) for name, size in sizes]

    @property
    def zeros(self) -> list[ArraySpec]:
        """Inputs of the piece that the kernel has not: they are zero."""
        given = {array.name for array in self.spec.inputs}
        return [array for array in self.piece.spec.inputs if array.name not in given]

    @property
    def small(self) -> bool:
        """It is looked whether its arguments are small: then sums and products of them are finite."""
        counts = self.piece.spec.operations
        if (
            not self.bounded
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


@dataclass(frozen=True)
class CutRates:
    """Velocities of the cut joints per v: the piece that gives the entries that can differ from zero, their rows and
    columns."""

    piece: Piece
    rows: tuple[int, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True)
class LanesFile:
    """What `lanes.c.j2` shows; `twin`: the file with the scalar kernels; `misfit` [m, rad]: of the loops; `apart`: the
    pieces stand in a header, the twin, and what calls them takes parameters in any case; `cut`: what H takes of the cut
    joints."""

    title: str
    prefix: str
    subject: str
    twin: str
    parameters: int
    pieces: Sequence[Piece]
    kernels: Sequence[LaneKernel]
    misfit: float = 0.0
    apart: bool = False
    cut: CutRates | None = None
    numbers: Numbers = DOUBLE

    @property
    def zero(self) -> str:
        """In all lanes."""
        return self.numbers.lanes.number(0.0)

    @property
    def passed(self) -> str:
        """Parameters in a call."""
        return "wide_p, " if self.parametric else "0, " if self.apart else ""

    @property
    def forces(self) -> bool:
        """Kernels take forces of the open chain."""
        return any(kernel.spec.name == "actuator_torques" for kernel in self.kernels)

    @property
    def parametric(self) -> bool:
        return self.parameters > 0

    @property
    def closed(self) -> bool:
        return any(kernel.proved for kernel in self.kernels)

    @property
    def angles(self) -> bool:
        return any(piece.body.angles for piece in self.pieces)


@dataclass(frozen=True)
class LanesDeclarations:
    """What `lanes.h.j2` shows; `beyond`: what else is told of arguments."""

    kernels: Sequence[KernelSpec]
    parametric: bool
    scalar: str
    beyond: str


def lane_files(context: Context, files: Sequence[CFile], misfit: float = 0.0) -> tuple[CFile, ...]:
    """A twin by lanes of each file that wants one; their kernels are those of `files`, with the name of their function.

    `misfit` [m, rad]: what closed loops miss by.
    """
    return tuple(made for file in files if (made := _lane_file(context, file, files, misfit)))


def _lane_file(context: Context, file: CFile, files: Sequence[CFile], misfit: float) -> CFile | None:
    subject = file.name.removeprefix(f"{context.prefix}_").removesuffix(".c")
    if subject not in SUBJECTS:
        return None
    if subject == "dependence":
        made = [kernel for spec in file.kernels if (kernel := _dependent(context, spec, file))]
    elif subject == "specialised":
        made = [_proved(context, file, files)]
    else:
        made = [kernel for spec in file.kernels if (kernel := _kernel(context, spec, file))]
    if not made:
        return None
    parameters = len(context.mechanism.parameters)
    pieces = [] if subject == "dependence" else [kernel.piece for kernel in made]
    apart = subject == "dependence"
    cut = _cut_rates(context, made) if apart else None
    twin = f"{context.prefix}_dependence.h" if apart else file.name
    title, prefix = context.mechanism.name, context.prefix
    numbers = context.numbers
    shown = LanesFile(title, prefix, SUBJECTS[subject], twin, parameters, pieces, made, misfit, apart, cut, numbers)
    specs = tuple(kernel.spec for kernel in made)
    beyond = ", or an argument very large" if numbers.bounded else ""
    declared = LanesDeclarations(specs, context.parametric, numbers.scalar, beyond)
    name = f"{context.prefix}_lanes_{subject}.c"
    header = render("lanes/lanes.h.j2", declared=declared)
    return CFile(name, render("lanes/lanes.c.j2", file=shown), specs, {}, declarations=header)


def _kernel(context: Context, spec: KernelSpec, file: CFile) -> LaneKernel | None:
    """None for a kernel that is a loop, for one of the step, and for one whose lanes would fill the stack."""
    program = file.programs.get(spec.name)
    if program is None or spec.name in LEFT_OUT or not all(array.symbols for array in program.inputs):
        return None
    places: tuple[int, ...] = ()
    if spec.name == "mass_matrix":
        program, places = _lower(context, program)
    sizes = [len(array.symbols) for array in program.inputs] + [len(array.entries) for array in program.outputs]
    if max(sizes) > LARGEST:
        return None
    piece = piece_by_lanes(context, spec, program)
    return LaneKernel(_with_lanes(context, spec), piece, places, bounded=context.numbers.bounded)


def _lower(context: Context, program: Function) -> tuple[Function, tuple[int, ...]]:
    """The program of M that gives its packed entries, and where each entry of the full one stands among them."""
    pattern = factor_pattern(context.mechanism.tree)
    known = packed_places(pattern)
    (output,) = program.outputs
    n, entries = len(pattern), tuple(output.entries[len(pattern) * i + j] for i, j in known)
    places = tuple(known.get((max(i, j), min(i, j)), len(known)) for i in range(n) for j in range(n))
    return replace(program, outputs=(replace(output, shape=(len(entries),), entries=entries),)), places


def _proved(context: Context, file: CFile, files: Sequence[CFile]) -> LaneKernel:
    """Forward dynamics of closed loops by the code of a fixed partition."""
    spec = next(kernel for other in files for kernel in other.kernels if kernel.name == "forward_dynamics")
    program = file.programs["forward_dynamics_specialised"]
    return LaneKernel(_with_lanes(context, spec), piece_by_lanes(context, spec, program), proved=True)


DEPENDENT = {"W": "W_at", "H": "H_at", "S": "S_at", "dependent_motion": "motion_at", "actuator_torques": "torques_at"}
"""Functions of runtime/c/lanes/dependent.h that compute a block."""


def _dependent(context: Context, spec: KernelSpec, file: CFile) -> LaneKernel | None:
    """None for a kernel that takes velocities of cut joints which are not at hand, and for one whose lanes would fill
    the stack."""
    program, nv = file.programs["dependence"], context.mechanism.tree.nv
    cut = [virtual.joint for virtual in context.mechanism.virtual_links if virtual.joint.nv]
    at_hand = not any(joint.actuated for joint in cut) if spec.name in TORQUES else all(map(is_plain, cut))
    if nv * nv > LARGEST or (spec.name in (*TORQUES, "H") and not at_hand):
        return None
    quality = ArraySpec("quality", (1,))
    own = replace(spec, function=DEPENDENT[spec.name], outputs=(*spec.outputs, quality))
    piece = Piece(own, print_function(program, context.numbers.lanes), "", "", program)
    return LaneKernel(_with_lanes(context, spec), piece, proved=True)


def _cut_rates(context: Context, made: Sequence[LaneKernel]) -> CutRates | None:
    """What H takes of the cut joints; None where it takes nothing."""
    moving = any(virtual.joint.nv for virtual in context.mechanism.virtual_links)
    if not moving or not any(kernel.spec.name == "H" for kernel in made):
        return None
    program = derive_cut_rates(context.mechanism)
    (C,) = program.outputs
    places = tuple(C.places)
    entries = replace(C, shape=(len(places),), entries=tuple(C.entries[place] for place in places))
    spec = KernelSpec("cut_rates", "", (), ())
    piece = piece_by_lanes(context, spec, replace(program, outputs=(entries,)))
    nv = C.shape[1]
    return CutRates(piece, tuple(place // nv for place in places), tuple(place % nv for place in places))


def _with_lanes(context: Context, spec: KernelSpec) -> KernelSpec:
    return replace(spec, lanes=f"{context.prefix}_{spec.name}_lanes")


def piece_by_lanes(context: Context, spec: KernelSpec, program: Function) -> Piece:
    """A program with a state in each lane, for what stands in its own file."""
    own = replace(
        spec,
        function=f"{spec.name}_wide",
        inputs=tuple(ArraySpec(i.name, (len(i.symbols),)) for i in program.inputs if i.name != "p"),
        outputs=tuple(ArraySpec(o.name, o.shape) for o in program.outputs),
    )
    title = sentence(program.title)
    return Piece(
        own, print_function(program, context.numbers.lanes), title, str(program.operations), program, "static "
    )


def with_lanes(kernels: Sequence[KernelSpec], files: Sequence[CFile]) -> Iterator[KernelSpec]:
    """The kernels, those that have lanes with the name of that function."""
    lanes = {kernel.name: kernel for file in files for kernel in file.kernels}
    yield from (lanes.get(kernel.name, kernel) for kernel in kernels)
