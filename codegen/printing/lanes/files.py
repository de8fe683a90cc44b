"""Files of kernels that compute several states at a time: the programs of the scalar ones in another dialect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from kinegen.runtime.abi import LARGE, PRECISIONS, ArraySpec, KernelSpec

from ...analysis.sparsity import factor_pattern
from ...mechanism.types import ROTATION_PART
from ...program.copies.rolled import rolled
from ...program.dialect import Dialect
from ...program.parts import Parts, parts_of
from ...program.types import Function
from ...symbolic.derivations.packed import packed_places
from ...symbolic.loops.cut_joint import is_plain
from ..kernels import CFile, Context, Piece, arrays_of
from ..motion.coordinates import TITLES as MOVES
from ..motion.coordinates import Coordinates, coordinates_of
from ..motion.statements import GROUP, rotation_start
from ..text.dialects import DOUBLE, Numbers
from ..text.environment import render
from ..text.loops import lines_of
from ..text.parts import HELD, part_lines
from ..text.printer import print_function
from .kernel import LARGEST, LaneKernel

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
    "coordinates": "motion of the coordinates",
    "dependence": "what depends from the velocities that lead",
}
"""Files that have a twin with lanes, and its subject; the others hold what is called seldom."""

MOTION = ("motion", "coordinates")
"""Files that move coordinates, of a model that steps and of another: one twin."""


@dataclass(frozen=True)
class LanesFile:
    """What `lanes.c.j2` shows; `twin`: the file with the scalar kernels; `misfit` [m, rad]: of the loops; `apart`: what
    computes blocks stands in a header, the twin, and what calls it takes parameters in any case; `moves`: what moves
    coordinates, None for the other files."""

    title: str
    prefix: str
    subject: str
    twin: str
    parameters: int
    kernels: Sequence[LaneKernel]
    misfit: float = 0.0
    apart: bool = False
    moves: Coordinates | None = None
    numbers: Numbers = DOUBLE

    @property
    def pieces(self) -> list[Piece]:
        """What is printed of the blocks."""
        return [kernel.piece for kernel in self.kernels if kernel.piece]

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
    def rotations(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """As of its kernels."""
        return self.kernels[0].rotations if any(kernel.turned for kernel in self.kernels) else ()

    @property
    def off_unit(self) -> str:
        """How far norms of rotations may be off 1."""
        return self.numbers.kernel.literal(PRECISIONS[self.numbers.dtype].unit)

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


def lane_file(context: Context, file: CFile, files: Sequence[CFile], misfit: float = 0.0) -> CFile | None:
    """The twin by lanes of a file, if it has one; its kernels are those of the file, with the name of their function.

    `files`: those that it belongs to; `misfit` [m, rad]: what closed loops miss by.
    """
    subject = file.name.removeprefix(f"{context.prefix}_").removesuffix(".c")
    if subject not in (*SUBJECTS, *MOTION):
        return None
    apart, moves = subject == "dependence", subject in MOTION
    if apart:
        made = [kernel for spec in file.kernels if (kernel := _dependent(context, spec))]
    elif moves:
        made = [_moving(context, spec) for spec in file.kernels if spec.name in MOVES and _fits(spec)]
    elif subject == "specialised":
        made = [_proved(context, file, files)]
    else:
        made = [kernel for spec in file.kernels if (kernel := _kernel(context, spec, file))]
    if not made:
        return None
    made = [replace(kernel, rotations=_rotations(context)) for kernel in made]
    title, prefix, numbers = context.mechanism.name, context.prefix, context.numbers
    subject = "coordinates" if moves else subject
    shown = LanesFile(
        title,
        prefix,
        SUBJECTS[subject],
        f"{prefix}_dependence.h" if apart else file.name,
        len(context.mechanism.parameters),
        made,
        misfit,
        apart,
        coordinates_of(context.mechanism.tree, prefix, title, context.parametric, numbers) if moves else None,
        numbers,
    )
    specs = tuple(kernel.spec for kernel in made)
    small = ", ".join(kernel.spec.name for kernel in made if kernel.small)
    beyond = ", or a rotation is off unit norm" if shown.rotations else ""
    beyond += f", or, of {small}, an argument above {LARGE:g}" if small else ""
    declared = LanesDeclarations(specs, context.parametric, numbers.scalar, beyond)
    name = f"{prefix}_lanes_{subject}.c"
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
    return LaneKernel(_with_lanes(context, spec), piece.spec, piece, places, bounded=context.numbers.bounded)


def _moving(context: Context, spec: KernelSpec) -> LaneKernel:
    """What moves coordinates: statements joint by joint."""
    groups = [body for body in context.mechanism.tree.bodies if body.nv and body.joint.kind in GROUP]
    places = {array.name: array.name == "v_dt" for array in spec.inputs}
    turning = [
        (name, start, start + (body.nv if moves else body.nq))
        for name, moves in places.items()
        for body in groups
        for start in [body.v_start if moves else body.q_start]
    ]
    block = replace(spec, function=f"{spec.name}_wide")
    return LaneKernel(_with_lanes(context, spec), block, turning=tuple(turning))


def _fits(spec: KernelSpec) -> bool:
    """Something moves, and its lanes do not fill the stack."""
    return all(0 < prod(array.shape) <= LARGEST for array in (*spec.inputs, *spec.outputs))


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
    piece = piece_by_lanes(context, spec, program, whole=True)
    return LaneKernel(_with_lanes(context, spec), piece.spec, piece, proved=True)


def _rotations(context: Context) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """As of `LaneKernel`."""
    found: dict[int, list[int]] = {}
    for body in context.mechanism.tree.bodies:
        if body.nv and body.joint.kind in ROTATION_PART:
            size = len(range(body.nq)[ROTATION_PART[body.joint.kind]])
            found.setdefault(size, []).append(rotation_start(body))
    return tuple((size, tuple(places)) for size, places in found.items())


DEPENDENT = {"W": "W_at", "H": "H_at", "S": "S_at", "dependent_motion": "motion_at", "actuator_torques": "torques_at"}
"""Functions of runtime/c/lanes/dependent.h that compute a block."""


def _dependent(context: Context, spec: KernelSpec) -> LaneKernel | None:
    """None for a kernel that takes velocities of cut joints which are not at hand, and for one whose lanes would fill
    the stack."""
    nv = context.mechanism.tree.nv
    cut = [virtual.joint for virtual in context.mechanism.virtual_links if virtual.joint.nv]
    at_hand = not any(joint.actuated for joint in cut) if spec.name in TORQUES else all(map(is_plain, cut))
    if nv * nv > LARGEST or (spec.name in (*TORQUES, "H") and not at_hand):
        return None
    quality = ArraySpec("quality", (1,))
    own = replace(spec, function=DEPENDENT[spec.name], outputs=(*spec.outputs, quality))
    return LaneKernel(_with_lanes(context, spec), own, proved=True)


def _with_lanes(context: Context, spec: KernelSpec) -> KernelSpec:
    return replace(spec, lanes=f"{context.prefix}_{spec.name}_lanes")


def piece_by_lanes(context: Context, spec: KernelSpec, program: Function, *, whole: bool = False) -> Piece:
    """A program with a state in each lane, for what stands in its own file; a long one in parts unless `whole`.

    Not where no limbs are alike: results are equal to the last bit then, and a cut may change the last ones.
    """
    inputs, outputs = arrays_of(program)
    own = replace(spec, function=f"{spec.name}_wide", inputs=inputs, outputs=outputs)
    dialect, loops = context.numbers.lanes, rolled(program, context.copies)
    cut = bool(context.limbs.widths) and loops is None and not whole
    parts = parts_of(program) if cut else None
    if parts is None or len(parts.held) > LARGEST - sum(prod(array.shape) for array in (*own.inputs, *own.outputs)):
        return Piece(own, lines_of(program, loops, dialect), program, "static ")
    body = print_function(program, dialect, ())
    return Piece(own, body, program, "static ", parts=tuple(_parts(own, program, parts, dialect)), held=len(parts.held))


def _parts(spec: KernelSpec, program: Function, parts: Parts, dialect: Dialect) -> Iterator[Piece]:
    held = ArraySpec(HELD, (len(parts.held),))
    for k, (body, lines) in enumerate(zip(part_lines(program, parts, dialect), parts.assignments, strict=True), 1):
        own = replace(spec, function=f"{spec.function}_{k}", outputs=(*spec.outputs, held))
        title = f"Part {k} of {len(parts.assignments)} of {program.title}"
        part = replace(program, angles=(), assignments=lines, outputs=(), title=title)
        yield Piece(own, body, part, "KG_SEPARATE ", turned=bool(program.angles))


def with_lanes(kernels: Sequence[KernelSpec], files: Sequence[CFile]) -> Iterator[KernelSpec]:
    """The kernels, those that have lanes with the name of that function."""
    lanes = {kernel.name: kernel for file in files for kernel in file.kernels}
    yield from (lanes.get(kernel.name, kernel) for kernel in kernels)
