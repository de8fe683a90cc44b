"""PREFIX_step.c and PREFIX_model.h: the tables of the closure and of the step, around the C of runtime/c (§8, §10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kinegen.runtime.abi import INTEGRATORS, ArraySpec, KernelSpec
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.structs import CONE_ROWS, ENDED, SOURCES, TARGETS
from kinegen.runtime.thresholds import LEADING, LOOPS, STEPS, written

from ...analysis.limits import Limit
from ...analysis.loops.closure import Closure
from ...analysis.loops.cut import cut_angles, winding_bounds
from ...analysis.loops.straight import NOTHING_STRAIGHT, StraightLine
from ...analysis.motion.turning import Turning
from ...analysis.routes import Closing, Core, Route
from ...analysis.sizes import Sizes
from ...mechanism.structure.tree import Body
from ...symbolic.contact.roots import roots_of
from ...symbolic.loops.left_out import Scales
from ...symbolic.symbols import symbols_of
from ..kernels import CFile, Context
from ..motion.cut import QUATERNIONS, Printer, angle_lines, coordinate_lines, upright, velocity_lines
from ..motion.statements import Statements, parameter_printer
from ..text.environment import render, starts

ENUMERATIONS = {
    "Integrators, by which a step is made.": tuple(name.upper() for name in INTEGRATORS),
    "Sources of work.": (*(f"BY_{name.upper()}" for name in SOURCES), "SOURCES"),
    "What a target of inverse kinematics is about.": tuple(name.upper() for name in TARGETS),
    "How a search of inverse kinematics ended.": tuple(name.upper() for name in ENDED),
    "What a row of the contact problem is.": tuple(f"{name.upper()}_ROW" for name in CONE_ROWS),
}
"""What Python and C have in the same order, by what it is."""

Root = tuple[str, int, int, int, int, int, int]
"""Kind, places in q and v, nv, where its rows of M v and its block of M begin among those of all."""

TITLES = {
    "forward_dynamics": "acceleration of the closed mechanism",
    "forward_dynamics_reduced": "acceleration by A = W'MW",
    "forward_dynamics_unit_vector": "acceleration by unit vectors",
    "forward_dynamics_damped": "acceleration with (M + diag d) in place of M",
    "passive_forces": "forces of springs, dampers and dry friction, those of cut joints included",
    "closure_gap": "gap of each loop, upside down counted as open",
    "closure_offsets": "distance [m] and angle [rad] between the sides of each loop, as far as it locks them",
    "loop_coordinates": "coordinates of the cut joints",
    "loop_jacobian": "velocities of the cut joints per v",
}

READ = "read from poses and velocities of the two sides of the cut joints"
"""Why kernels that eliminate nothing are computed as they are."""


@dataclass(frozen=True)
class Upright:
    """A loop whose two sides must not stand upside down: C expression of the cosine between them."""

    label: str
    loop: int
    cosine: str


@dataclass(frozen=True)
class CutJoints:
    """Tables and lines of C of the cut joints; tables that would be empty have one entry.

    `loop`: of each velocity, its loop; `angle`: coordinates that are angles; `bounds`: those that tell how often one
    has turned; `pose_starts`: place in p of the open frame of each loop; `starts`: first coordinate of each.
    `coordinates`, `velocities`, `angles`: statements joint by joint; `turning`: velocities need poses.
    """

    loop: tuple[int, ...]
    angle: tuple[int, ...]
    bounds: tuple[Limit, ...]
    pose_starts: tuple[int, ...]
    starts: tuple[int, ...]
    coordinates: tuple[Statements, ...]
    velocities: tuple[Statements, ...]
    angles: tuple[Statements, ...]
    turning: bool
    quaternions: bool
    upright: tuple[Upright, ...]


@dataclass(frozen=True)
class StepText:
    """What `step.c.j2` shows: the kernels of loops and tables of their closure, None without loops.

    `parameter`, `passed`, `given`: the parameters in a signature, in a call, and as the C of runtime/c takes them;
    `moves`, `rows`: there are velocities, rows; `scales`: what rows of the loops are measured by; `roots`: joints on
    world whose bodies keep momentum by themselves; `closing`: straight-line code that
    puts a state back on the closure; `turning`: links that turn, None if there are none; `core`: what solves loops
    along the branches of the tree; `own_coordinates`: of the dependent velocities of `closing`, the coordinates whose
    rates they are, none if some are no rates; `leading` (nv): readiness to be dependent where independent velocities of
    the manifest lead.
    """

    title: str
    prefix: str
    parametric: bool
    switched: bool
    kernels: tuple[KernelSpec, ...]
    closure: Closure | None
    cut: CutJoints | None
    moves: bool
    rows: bool
    scales: Scales | None
    roots: tuple[Root, ...]
    closing: Closing | None
    turning: Turning | None = None
    core: Core | None = None
    own_coordinates: tuple[int, ...] = ()
    leading: tuple[float, ...] = ()

    @property
    def branches(self) -> tuple[int, ...]:
        """Where rows along the branches begin, their diagonals included."""
        return tuple(start + k for k, start in enumerate(starts(self.core.pattern))) if self.core else ()

    @property
    def parameter(self) -> str:
        return "const double *p, " if self.parametric else ""

    @property
    def passed(self) -> str:
        return "p, " if self.parametric else ""

    @property
    def given(self) -> str:
        return "p" if self.parametric else "0"


@dataclass(frozen=True)
class StepDeclarations:
    """What `step.h.j2` shows: `closed`: there are loops, `switched`: they come and go, `rows`: there are rows, `many`:
    one call makes several simulations; `leading`: readiness of what must lead."""

    prefix: str
    closed: bool
    switched: bool
    rows: bool
    many: bool
    leading: str = written(LEADING)


@dataclass(frozen=True)
class ModelHeader:
    """What `model.h.j2` shows: constants, features, and `thresholds` by name under what they are for."""

    title: str
    prefix: str
    parametric: bool
    constants: Mapping[str, int]
    features: Mapping[str, bool]
    thresholds: Mapping[str, Mapping[str, str]]

    @property
    def guard(self) -> str:
        return self.prefix.upper()

    @property
    def enumerations(self) -> dict[str, tuple[str, ...]]:
        return ENUMERATIONS


def model_header(context: Context, sizes: Sizes) -> str:
    """PREFIX_model.h: what the C of runtime/c is told of the model."""
    title, prefix, parametric = context.mechanism.name, context.prefix, context.parametric
    groups = {"Part of a step within which two moments are the same.": STEPS}
    groups |= {"By which loops are judged.": LOOPS} if sizes.loops else {}
    thresholds = {told: {name: written(number) for name, number in group.items()} for told, group in groups.items()}
    header = ModelHeader(title, prefix, parametric, sizes.constants(), sizes.features(), thresholds)
    return render("step/model.h.j2", model=header)


def step_file(
    context: Context,
    sizes: Sizes,
    closure: Closure | None,
    straight: StraightLine = NOTHING_STRAIGHT,
    turning: Turning | None = None,
    core: Core | None = None,
    leaders: Sequence[int] = (),
) -> CFile:
    """PREFIX_step.c with the kernels of loops, and the declarations of its other functions.

    `straight`: the straight-line code of loops, that goes before pivoting; `turning`: the links that a step must look
    after when they turn fast; `core`: what solves loops along the branches of the tree; `leaders`: the independent
    velocities of the manifest.
    """
    kernels = closed_kernels(context, closure, straight.closed) if closure else ()
    cut = _cut_joints(context, closure) if closure else None
    title, prefix = context.mechanism.name, context.prefix
    step = StepText(
        title,
        prefix,
        context.parametric,
        sizes.switched,
        kernels,
        closure,
        cut,
        sizes.nv > 0,
        bool(sizes.rows),
        straight.scales,
        _roots(context),
        straight.closing,
        turning,
        core,
        _rates(context, straight.closing),
        tuple(LEADING if i in leaders else 1.0 for i in range(sizes.nv)),
    )
    declared = StepDeclarations(prefix, bool(closure), sizes.switched, bool(sizes.rows), sizes.many)
    return CFile(
        f"{prefix}_step.c",
        render("step/step.c.j2", step=step),
        kernels,
        {kernel.name: TITLES[kernel.name] for kernel in kernels},
        (),
        render("step/step.h.j2", step=declared),
    )


def _rates(context: Context, closing: Closing | None) -> tuple[int, ...]:
    """The coordinate of each dependent velocity, where all are rates."""
    if closing is None:
        return ()
    plain = [body for body in context.mechanism.tree.bodies if not KINDS[body.joint.kind].group]
    place = {body.v_start + k: body.q_start + k for body in plain for k in range(body.nv)}
    dependent = closing.columns[: len(closing.rows)]
    return tuple(place[dof] for dof in dependent) if place.keys() >= set(dependent) else ()


def _roots(context: Context) -> tuple[Root, ...]:
    """Trees stand one after the other in v."""
    names = {"se3": "FREE_ROOT", "se2": "PLANAR_ROOT", "so3": "BALL_ROOT"}
    tree, bodies = context.mechanism.tree, roots_of(context.mechanism)
    firsts = [body.v_start for body in tree.bodies if body.parent < 0]
    kinds = [names[KINDS[body.joint.kind].group] for body in bodies]
    ends = [min((first for first in firsts if first > body.v_start), default=tree.nv) for body in bodies]
    rows, blocks = starts([range(body.nv) for body in bodies]), starts([range(body.nv**2) for body in bodies])
    places = zip(kinds, bodies, ends, rows, blocks, strict=False)
    return tuple((kind, body.q_start, body.v_start, body.nv, end, row, block) for kind, body, end, row, block in places)


def closed_kernels(context: Context, closure: Closure, straight: Route | None = None) -> tuple[KernelSpec, ...]:
    """Kernels of `step_file` in a mechanism with loops."""
    tree = context.mechanism.tree
    q, v = ("q", tree.nq), ("v", tree.nv)
    state = (q, v, ("tau", tree.nv))
    a = ("a", (tree.nv,))
    default = _spec(context, "forward_dynamics", state, a)
    if straight:
        default = replace(default, route="specialised", reason=f"{straight.name}: {straight.reason}")
    specs = [
        default,
        _spec(context, "forward_dynamics_reduced", state, a),
        _spec(context, "forward_dynamics_unit_vector", state, a),
        _spec(context, "forward_dynamics_damped", (*state, ("d", tree.nv)), a),
    ]
    read = [
        _spec(context, "passive_forces", (q, v), ("f", (tree.nv,))),
        _spec(context, "closure_gap", (q,), ("gap", (6 * len(closure.cut),))),
        _spec(context, "closure_offsets", (q,), ("offset", (len(closure.cut), 2))),
        _spec(context, "loop_coordinates", (q,), ("q_cut", (closure.cut_nq,))),
        _spec(context, "loop_jacobian", (q,), ("C", (closure.cut_nv, tree.nv))),
    ]
    specs += [replace(spec, route="", reason=READ) for spec in read]
    return tuple(specs)


def _spec(
    context: Context,
    name: str,
    inputs: Sequence[tuple[str, int]],
    output: tuple[str, tuple[int, ...]],
) -> KernelSpec:
    return KernelSpec(
        name,
        f"{context.prefix}_{name}",
        tuple(ArraySpec(array, (size,)) for array, size in inputs),
        (ArraySpec(*output),),
        route="reduced",
        reason="generic elimination with complete pivoting",
    )


def _cut_joints(context: Context, closure: Closure) -> CutJoints:
    mechanism, cut = context.mechanism, closure.cut
    number = parameter_printer(symbols_of(mechanism).parameters)
    by_name = {switch.name: switch for switch in context.switches}
    switch_of = [by_name.get(loop.joint.name) for loop in mechanism.virtual_links]
    coordinates = (_labelled(body, coordinate_lines(body.joint, body.index, body.q_start, number)) for body in cut)
    velocities = (_labelled(body, velocity_lines(body.joint, body.index, body.v_start, number)) for body in cut)
    angles = (_labelled(body, angle_lines(body.joint, body.index, number)) for body in cut)
    return CutJoints(
        loop=tuple(body.index for body in cut for _ in range(body.nv)) or (0,),
        angle=cut_angles(closure) or (0,),
        bounds=winding_bounds(mechanism, closure),
        pose_starts=tuple(mechanism.parameters.index(s.symbols[0]) if s else 0 for s in switch_of),
        starts=(*(body.q_start for body in cut), closure.cut_nq),
        coordinates=tuple(joint for joint in coordinates if joint.lines),
        velocities=tuple(joint for joint in velocities if joint.lines),
        angles=tuple(joint for joint in angles if joint.lines),
        turning=any(len(KINDS[body.joint.kind].turns) > 1 for body in cut),
        quaternions=any(body.joint.kind in QUATERNIONS for body in cut),
        upright=tuple(found for body in cut if (found := _upright(body, number)).cosine),
    )


def _labelled(body: Body, lines: Iterator[str]) -> Statements:
    return Statements(f"{body.joint.name} ({body.joint.kind})", tuple(lines), body.q_start)


def _upright(body: Body, number: Printer) -> Upright:
    return Upright(body.joint.name, body.index, upright(body.joint, body.index, number))
