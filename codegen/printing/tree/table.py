"""The table of the functions of a tree: what each is derived from, in which file it stands, what it calls.

A row is either straight-line code, printed from its derivation, or a loop over the paths of the tree, which stands in
runtime/c/tree. Files and selections follow from the rows; the routes decide which rows there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from kinegen.runtime.abi import PER_LINK
from kinegen.runtime.errors import InternalError, ModelError, shown

from ...analysis.routes import Route
from ...analysis.sparsity import factor_pattern
from ...mechanism.checks import nearest
from ...mechanism.mechanism import Mechanism
from ...program.packs.packs import LEAST
from ...program.types import Function
from ...symbolic.derivations.packed import branches, long_rows, packed_mass_matrix, packed_product, packed_solve
from ...symbolic.derivatives.closure import closure_second_variation, closure_variation
from ...symbolic.functions import DERIVATIONS, derive
from ...symbolic.motion import NAME, moved, prescribed_motion
from ...symbolic.names import identifiers
from ...symbolic.passive import derive_damping_terms
from ...symbolic.tree.causes import cause_parts
from ...symbolic.tree.frames import OF_FRAMES, alike_steps, link_step, moving_frames
from ..kernels import Context
from ..text.packed_product import product_lines
from ..text.packed_rows import solve_lines
from ..text.printer import Lines
from ..text.steps import step_lines
from .loops import LOOPS

DAMPED = "acceleration a of (M + diag d) a = tau - h"
FRAME_JACOBIAN = "Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]"
FRAME_MOTION = "velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above"
FRAME_POSE = "pose of a frame in world; placed = [link, offset x y z, rotation row by row]"
FRAME_VELOCITY = "velocity [linear; angular] of a frame at its origin, world axes; frame as above"
FRAME_ACCELERATION = "rate of that velocity; frame as above"
STEPS = "pose [R p] of a link and its motion axes [z; l; p], of the pose of what it hangs on"
OF_FRAME_MOTION = "derivatives of frame_motion: velocity per q, acceleration per q, per v, per a"
CAUSES = "torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity"
SECOND = "second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q"
WEIGHED = "second derivatives of weights'tau, the same ones"
OF_ACCELERATION = "derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau"
KINEMATIC = ("link_poses", "cog_bias", "com", "com_jacobian", "energy", "momentum", "centroidal_momentum_matrix")
CLOSURE = (
    "closure_residual",
    "closure_rows",
    "closure_rows_bias",
    "cut_poses",
    "cut_twists",
    "closure_jacobian",
    "closure_bias",
)
LOOP = "a loop over the paths of the tree"
FURTHER = {
    "derivatives": ("derivatives", "variations"),
    "second_derivatives_of_loops": ("second_variations",),
    "causes": ("causes",),
    "regressor": ("regressor",),
    "centroidal": ("centroidal",),
    "reference": ("reference",),
    "inverse_kinematics": (),
}
"""Groups of what is asked for seldom, with their files of this table: a compiled model gets a group when it is first
asked for."""


@dataclass(frozen=True)
class Output:
    """Name and shape of what a loop gives."""

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """One function of the C.

    `derive`: its straight-line program; without one it calls the loop `loop`, whose `inputs` and `output` are given,
    and `counted` is the function whose operations stand for it; or it chooses among the functions `cases` by the
    number of a link, made for the links `firsts`. `public`: declared, with a batch over states. `rows`: writes it by
    rows of a matrix, where that is worth it. `frame`: the one link or frame that it is of.
    """

    name: str
    file: str
    title: str = ""
    derive: Callable[[], Function] | None = None
    public: bool = True
    route: str = "straight"
    reason: str = ""
    loop: str = ""
    inputs: tuple[str, ...] = ()
    output: Output | None = None
    counted: str = ""
    cases: tuple[str, ...] = ()
    firsts: tuple[int, ...] = ()
    rows: Callable[[Function], Lines | None] | None = None
    frame: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        """What it calls, first of its own file, else of any."""
        return LOOPS[self.loop].calls if self.loop else self.cases


def group_of(row: Row) -> str | None:
    """The group of FURTHER that a row belongs to."""
    return next((group for group, files in FURTHER.items() if row.file in files), None)


def tree_table(
    context: Context, mass: Route, forward: Route | None, packed: bool = False, frames: Sequence[str] = ()
) -> tuple[Row, ...]:
    """Every function of the tree, in the order in which the files and the header show them.

    `forward`: None where M is singular, so that nothing that needs its inverse is there; `packed`: with the packed mass
    matrix, where M is straight-line; `frames`: those that have functions of their own.
    """
    mechanism, moves = context.mechanism, context.mechanism.tree.nv > 0
    return (
        *(straight(mechanism, name, "dynamics") for name in ("inverse_dynamics", "bias", "gravity")),
        *_mass_matrix(mechanism, mass),
        *(_forward(context, forward) if forward else ()),
        *_derivatives(context, forward),
        *_kinematics(context),
        *_of_frames(mechanism, frames),
        *_reference(context, mass, forward),
        *_closure(context),
        *_causes(mechanism),
        *([Row(NAME, NAME, derive=partial(prescribed_motion, mechanism))] if moved(mechanism) else ()),
        *_regressor(mechanism),
        *_centroidal(mechanism),
        *(_packed(mechanism, mass.function, forward is not None) if packed and mass.function and moves else ()),
    )


def straight(mechanism: Mechanism, name: str, file: str, derivation: str = "") -> Row:
    """A kernel that is printed from a derivation, of its own name if not said."""
    return Row(name, file, derive=partial(derive, mechanism, derivation or name))


def _helper(mechanism: Mechanism, name: str, file: str) -> Row:
    """A straight-line function that loops of its file call."""
    return Row(name, file, derive=partial(derive, mechanism, name), public=False)


def _routed(name: str, file: str, route: Route) -> Row:
    return Row(name, file, derive=lambda: _given(route), route=route.name, reason=route.reason)


def _given(route: Route) -> Function:
    if route.function is None:
        raise InternalError("a route without text is a loop")
    return route.function


def _loop(name: str, file: str, title: str, inputs: tuple[str, ...], output: Output, loop: str = "") -> Row:
    """A kernel that is the loop of its own name, if none is said."""
    return Row(name, file, title, route="loop", reason=LOOP, loop=loop or name, inputs=inputs, output=output)


def _square(mechanism: Mechanism) -> Output:
    return Output("M", (mechanism.tree.nv, mechanism.tree.nv))


def _acceleration(mechanism: Mechanism) -> Output:
    return Output("a", (mechanism.tree.nv,))


def _mass_matrix(mechanism: Mechanism, mass: Route) -> Iterator[Row]:
    if mass.function is not None:
        yield _routed("mass_matrix", "dynamics", mass)
        return
    yield from (_helper(mechanism, name, "dynamics") for name in ("composite_columns", "armatures"))
    row = _loop("mass_matrix", "dynamics", DERIVATIONS["mass_matrix_composite"][0], ("q",), _square(mechanism))
    yield replace(row, route=mass.name, reason=mass.reason, counted="composite_columns")


def _forward(context: Context, forward: Route) -> Iterator[Row]:
    """`_damped` is straight-line where joints are damped, which every step then asks for."""
    name = f"forward_dynamics{context.open}"
    yield _routed(name, "forward", forward)
    if _damped(context.mechanism):
        equations = partial(derive, context.mechanism, f"forward_dynamics_damped_{forward.name}")
        yield Row(f"{name}_damped", "forward", derive=equations, route=forward.name, reason="as forward_dynamics")
        return
    inputs, a = ("q", "v", "tau", "d"), _acceleration(context.mechanism)
    yield _loop(f"{name}_damped", "forward", DAMPED, inputs, a, "forward_dynamics_damped")


def _derivatives(context: Context, forward: Route | None) -> Iterator[Row]:
    """`forward`: None where M is singular."""
    file, nv = "derivatives", context.mechanism.tree.nv
    yield _helper(context.mechanism, "derivative_parts", file)
    inverse, accelerated = "inverse_derivatives", "forward_derivatives"
    of = DERIVATIONS[inverse][0]
    given, second = ("q", "v", "a"), Output("second", (4, nv, nv, nv))
    rows = [_loop(inverse, file, of, given, Output("dtau", (3, nv, nv)))]
    rows.append(_loop("inverse_second_derivatives", file, SECOND, given, second))
    weighed = Output("second", (4, nv, nv))
    rows.append(_loop("inverse_weighed_derivatives", file, WEIGHED, (*given, "weights"), weighed))
    if forward:
        inputs, output = ("q", "v", "tau"), Output("da", (3, nv, nv))
        rows.append(_loop(f"{accelerated}{context.open}", file, OF_ACCELERATION, inputs, output, accelerated))
    yield from (replace(row, counted="derivative_parts") for row in rows)
    yield from _steps(context, file)
    moving, parts = ("q", "v", "a", "frame"), Output("parts", (4, 6, nv))
    yield replace(_loop("frame_derivatives", file, OF_FRAME_MOTION, moving, parts), counted="link_step")
    yield straight(context.mechanism, "com_velocity_derivative", file)
    yield Row("damping_terms", file, derive=partial(derive_damping_terms, context.mechanism))
    if context.mechanism.virtual_links:
        yield Row("closure_variation", "variations", derive=partial(closure_variation, context.mechanism))
        again = partial(closure_second_variation, context.mechanism)
        yield Row("closure_second_variation", "second_variations", derive=again)


def _kinematics(context: Context) -> Iterator[Row]:
    mechanism = context.mechanism
    file, links, nv = "kinematics", len(mechanism.tree.bodies), mechanism.tree.nv
    yield from (straight(mechanism, name, file) for name in KINEMATIC)
    yield _helper(mechanism, "motion_columns", file)
    yield from _steps(context, file)
    G = _loop("cog_jacobian", file, DERIVATIONS["cog_jacobian"][0], ("q",), Output("G", (6 * links, nv)))
    yield replace(G, counted="motion_columns")
    of_frames = (
        _loop("frame_jacobian", file, FRAME_JACOBIAN, ("q", "frame"), Output("J", (6, nv))),
        _loop("frame_pose", file, FRAME_POSE, ("q", "placed"), Output("pose", (4, 4))),
        _loop("frame_velocity", file, FRAME_VELOCITY, ("q", "v", "frame"), Output("velocity", (6,))),
        _loop("frame_acceleration", file, FRAME_ACCELERATION, ("q", "v", "a", "frame"), Output("acceleration", (6,))),
        _loop("frame_motion", file, FRAME_MOTION, ("q", "v", "a", "frame"), Output("motion", (2, 6))),
    )
    yield from (replace(row, counted="link_step") for row in of_frames)


def _of_frames(mechanism: Mechanism, frames: Sequence[str]) -> Iterator[Row]:
    """Straight-line, where the loops over paths take any frame. ModelError for one that does not move, or is none."""
    moving = moving_frames(mechanism)
    named = identifiers(moving, lambda _, name: (name, f"{name}_batch", f"{name}_lanes"))
    own = dict(zip(moving, named, strict=True))
    for frame in dict.fromkeys(frames):
        if frame not in own:
            raise ModelError(f"frames: {shown(frame)} is no link or frame that moves{nearest(frame, moving)}")
        for quantity, derived in OF_FRAMES.items():
            function = partial(derived, mechanism, frame)
            yield Row(f"{quantity}_of_{own[frame]}", "frames", derive=function, frame=frame)


def _steps(context: Context, file: str) -> Iterator[Row]:
    """From link to link along a path; copies of a link take the step of the first."""
    mechanism, firsts = context.mechanism, alike_steps(context.mechanism.tree, context.copies)
    links = dict.fromkeys(firsts)
    for i in links:
        step = partial(link_step, mechanism, i)
        yield Row(f"step_{i}", file, derive=step, public=False, rows=partial(_rows_at_once, step))
    yield Row("link_step", file, STEPS, public=False, cases=tuple(f"step_{i}" for i in firsts), firsts=firsts)


def _rows_at_once(step: Callable[..., Function], whole: Function) -> Lines:
    return step_lines(step(rows=1))


def _reference(context: Context, mass: Route, forward: Route | None) -> Iterator[Row]:
    """The routes that were not chosen and those by definition; `forward`: None where M is singular."""
    mechanism, file = context.mechanism, "reference"
    name = f"forward_dynamics{context.open}"
    if forward and forward.name == "ltdl" and not any(body.joint.mimic for body in mechanism.tree.bodies):
        yield straight(mechanism, f"{name}_articulated", file, "forward_dynamics_articulated")
    if mass.name == "unit_vector":
        yield straight(mechanism, "mass_matrix_composite", file)
    helpers = ("motion_columns", "world_inertias", "armatures", "unit_torque", "gravity_vector")
    yield from (_helper(mechanism, helper, file) for helper in helpers)
    for matrix in ("mass_matrix_cog", "mass_matrix_unit_vector"):
        yield _slow(matrix, ("q",), _square(mechanism))
    yield _slow("inverse_dynamics_cog", ("q", "v", "a"), Output("tau", (mechanism.tree.nv,)))
    if forward is None:
        return
    state, a = ("q", "v", "tau"), _acceleration(mechanism)
    yield _slow("forward_dynamics_unit_vector", state, a, f"{name}_unit_vector")
    if forward.name != "ltdl":
        yield _slow("forward_dynamics_ltdl", state, a, f"{name}_ltdl")


def _slow(loop: str, inputs: tuple[str, ...], output: Output, name: str = "") -> Row:
    return _loop(name or loop, "reference", DERIVATIONS[loop][0], inputs, output, loop)


def _closure(context: Context) -> Iterator[Row]:
    """The loops that are always active; those that come and go have files of their own."""
    if context.mechanism.virtual_links and not context.switches:
        yield from (straight(context.mechanism, name, "closure") for name in CLOSURE)


def _causes(mechanism: Mechanism) -> Iterator[Row]:
    tree = mechanism.tree
    yield Row("cause_parts", "causes", derive=partial(cause_parts, mechanism), public=False)
    yield _helper(mechanism, "gravity_vector", "causes")
    output = Output("terms", (tree.nv, len(tree.bodies), 3))
    yield replace(_loop("torque_terms", "causes", CAUSES, ("q", "v", "a"), output), counted="cause_parts")


def _regressor(mechanism: Mechanism) -> Iterator[Row]:
    file, tree = "regressor", mechanism.tree
    yield _helper(mechanism, "regressor_parts", file)
    output = Output("Y", (tree.nv, PER_LINK * len(tree.bodies)))
    row = _loop("torque_regressor", file, DERIVATIONS["torque_regressor"][0], ("q", "v", "a"), output)
    yield replace(row, counted="regressor_parts")
    yield straight(mechanism, "energy_regressor", file)
    yield straight(mechanism, "inertial_parameters", file)
    yield straight(mechanism, "rotor_inertias", file, "armatures")


def _centroidal(mechanism: Mechanism) -> Iterator[Row]:
    """What the balance of the whole mechanism takes beside its momentum."""
    file = "centroidal"
    yield from (straight(mechanism, name, file) for name in ("momentum_rate", "total_mass"))
    yield straight(mechanism, "gravity_acceleration", file, "gravity_vector")


def _packed(mechanism: Mechanism, mass: Function, regular: bool) -> Iterator[Row]:
    """`regular`: M has an inverse."""
    pattern = factor_pattern(mechanism.tree)
    long = partial(_if_worth, partial(product_lines, pattern=pattern)) if long_rows(pattern) else None
    rows = partial(_if_worth, partial(solve_lines, pattern=pattern)) if branches(pattern) else None
    yield Row("mass_matrix_packed", "packed", derive=partial(packed_mass_matrix, mass, pattern))
    yield Row("mass_matrix_product", "packed", derive=partial(packed_product, mechanism, pattern), rows=long)
    if regular:
        yield Row("mass_matrix_solve", "packed", derive=partial(packed_solve, mechanism, pattern), rows=rows)


def _if_worth(lines: Callable[[Function], Lines], function: Function) -> Lines | None:
    return lines(function) if function.operations.total >= LEAST else None


def _damped(mechanism: Mechanism) -> bool:
    joints = [body.joint for body in mechanism.tree.bodies]
    return any(value != 0 for joint in joints for value in (*joint.damping, *joint.friction))
