"""The table of the functions of a tree: what each is derived from, in which file it stands, what it calls.

A row is either straight-line code, printed from its derivation, or a loop over the paths of the tree, a macro of
`loops.c.j2`. Files and selections follow from the rows; the routes decide which rows there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from ..analysis.routes import Route, forward_dynamics_route, mass_matrix_route
from ..mechanism.mechanism import Mechanism
from ..program.types import Function
from ..symbolic.functions import DERIVATIONS, derive
from ..symbolic.tree.causes import cause_parts
from .kernels import Context

DAMPED = "acceleration a of (M + diag d) a = tau - h"
FRAME_JACOBIAN = "Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]"
CAUSES = "torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity"
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


@dataclass(frozen=True)
class Output:
    """Name and shape of what a loop gives."""

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """One function of the C.

    `derive`: its straight-line program; without one it is the macro `macro` (or of its own name), which takes
    `arguments` too. `inputs` and `output` are those of a public loop, `counted` the function whose operations stand
    for it. `needs`: what it calls, first of its own file, else of any. `public`: declared, with a batch over states.
    `reference`: a slower route, to compare with.
    """

    name: str
    file: str
    title: str = ""
    derive: Callable[[], Function] | None = None
    needs: tuple[str, ...] = ()
    public: bool = True
    reference: bool = False
    route: str = "straight"
    reason: str = ""
    macro: str = ""
    arguments: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    output: Output | None = None
    counted: str = ""


def tree_table(context: Context) -> tuple[Row, ...]:
    """Every function of the tree, in the order in which the files and the header show them."""
    mechanism = context.mechanism
    mass, forward = mass_matrix_route(mechanism), forward_dynamics_route(mechanism)
    return (
        *(straight(mechanism, name, "dynamics") for name in ("inverse_dynamics", "bias", "gravity")),
        *_mass_matrix(mechanism, mass),
        *_forward(context, forward),
        *_kinematics(mechanism),
        *_reference(context, mass, forward),
        *_closure(context),
        *_causes(mechanism),
    )


def straight(mechanism: Mechanism, name: str, file: str, derivation: str = "", *, reference: bool = False) -> Row:
    """A kernel that is printed from a derivation, of its own name if not said."""
    return Row(name, file, derive=partial(derive, mechanism, derivation or name), reference=reference)


def _helper(mechanism: Mechanism, name: str, file: str) -> Row:
    """A straight-line function that loops of its file call."""
    return Row(name, file, derive=partial(derive, mechanism, name), public=False)


def _words(file: str, *names: str) -> Iterator[Row]:
    """Tables and functions of no mechanism in particular that loops of the file make use of."""
    needs = {
        "point_jacobian": ("sizes", "axis_dof", "axis_above"),
        "path_columns": ("sizes", "axis_dof", "axis_above", "axis_last"),
        "ltdl_solve": ("sizes",),
    }
    for name in names:
        yield Row(name, file, public=False, needs=needs.get(name, ()))


def _routed(name: str, file: str, route: Route) -> Row:
    return Row(name, file, derive=lambda: _given(route), route=route.name, reason=route.reason)


def _given(route: Route) -> Function:
    if route.function is None:
        raise AssertionError("a route without text is a loop")
    return route.function


def _loop(name: str, file: str, title: str, inputs: tuple[str, ...], output: Output, *needs: str) -> Row:
    return Row(name, file, title, needs=needs, route="loop", reason=LOOP, inputs=inputs, output=output)


def _square(mechanism: Mechanism) -> Output:
    return Output("M", (mechanism.tree.nv, mechanism.tree.nv))


def _acceleration(mechanism: Mechanism) -> Output:
    return Output("a", (mechanism.tree.nv,))


def _mass_matrix(mechanism: Mechanism, mass: Route) -> Iterator[Row]:
    if mass.function is not None:
        yield _routed("mass_matrix", "dynamics", mass)
        return
    yield from (_helper(mechanism, name, "dynamics") for name in ("composite_columns", "armatures"))
    yield from _words("dynamics", "sizes", "axis_dof", "axis_above")
    needs = ("composite_columns", "armatures", "sizes", "axis_dof", "axis_above")
    yield Row(
        "mass_matrix",
        "dynamics",
        DERIVATIONS["mass_matrix_composite"][0],
        needs=needs,
        route=mass.name,
        reason=mass.reason,
        inputs=("q",),
        output=_square(mechanism),
        counted="composite_columns",
    )


def _forward(context: Context, forward: Route) -> Iterator[Row]:
    """`_damped` is straight-line where joints are damped, which every step then asks for."""
    name = f"forward_dynamics{context.open}"
    yield _routed(name, "forward", forward)
    if _damped(context.mechanism):
        equations = partial(derive, context.mechanism, f"forward_dynamics_damped_{forward.name}")
        yield Row(f"{name}_damped", "forward", derive=equations, route=forward.name, reason="as forward_dynamics")
        return
    yield from _words("forward", "sizes", "ltdl_solve")
    yield Row(
        f"{name}_damped",
        "forward",
        DAMPED,
        needs=("sizes", "ltdl_solve", "mass_matrix", "bias"),
        route="loop",
        reason=LOOP,
        macro="damped",
        arguments=(f"{name}_damped",),
        inputs=("q", "v", "tau", "d"),
        output=_acceleration(context.mechanism),
    )


def _kinematics(mechanism: Mechanism) -> Iterator[Row]:
    file, links, nv = "kinematics", len(mechanism.tree.bodies), mechanism.tree.nv
    yield from (straight(mechanism, name, file) for name in KINEMATIC)
    yield _helper(mechanism, "motion_columns", file)
    yield from _words(file, "sizes", "axis_dof", "axis_above", "axis_last", "point_jacobian")
    needs = ("motion_columns", "point_jacobian", "axis_last")
    title = DERIVATIONS["cog_jacobian"][0]
    yield _loop("cog_jacobian", file, title, ("q",), Output("G", (6 * links, nv)), *needs)
    yield _loop("frame_jacobian", file, FRAME_JACOBIAN, ("q", "frame"), Output("J", (6, nv)), *needs, "link_poses")


def _reference(context: Context, mass: Route, forward: Route) -> Iterator[Row]:
    """The routes that were not chosen and those by definition."""
    mechanism, file = context.mechanism, "reference"
    name = f"forward_dynamics{context.open}"
    if forward.name == "ltdl" and not any(body.joint.mimic for body in mechanism.tree.bodies):
        yield straight(mechanism, f"{name}_articulated", file, "forward_dynamics_articulated", reference=True)
    if mass.name == "unit_vector":
        yield straight(mechanism, "mass_matrix_composite", file, reference=True)
    helpers = ("motion_columns", "world_inertias", "armatures", "unit_torque")
    yield from (_helper(mechanism, helper, file) for helper in helpers)
    words = ("sizes", "axis_dof", "axis_above", "axis_last", "path_columns", "inertia_times", "ltdl_solve")
    yield from _words(file, *words)
    by_definition = ("motion_columns", "world_inertias", "armatures", "path_columns", "inertia_times")
    tau = Output("tau", (mechanism.tree.nv,))
    for matrix, needs in (
        ("mass_matrix_cog", by_definition),
        ("mass_matrix_unit_vector", ("unit_torque", "sizes")),
    ):
        yield _slow(matrix, DERIVATIONS[matrix][0], ("q",), _square(mechanism), *needs)
    title = DERIVATIONS["inverse_dynamics_cog"][0]
    yield _slow("inverse_dynamics_cog", title, ("q", "v", "a"), tau, *by_definition, "cog_bias")
    yield _solver(context, f"{name}_unit_vector", "mass_matrix_unit_vector", "unit vectors")
    if forward.name != "ltdl":
        yield _solver(context, f"{name}_ltdl", "mass_matrix", "composite inertias")


def _slow(name: str, title: str, inputs: tuple[str, ...], output: Output, *needs: str) -> Row:
    return Row(
        name,
        "reference",
        title,
        needs=needs,
        reference=True,
        route="loop",
        reason=LOOP,
        inputs=inputs,
        output=output,
    )


def _solver(context: Context, name: str, matrix: str, by: str) -> Row:
    """Forward dynamics from a mass matrix."""
    return Row(
        name,
        "reference",
        DERIVATIONS[f"forward_dynamics_{'unit_vector' if by == 'unit vectors' else 'ltdl'}"][0],
        needs=("sizes", "ltdl_solve", matrix, "bias"),
        reference=True,
        route="loop",
        reason=LOOP,
        macro="solved",
        arguments=(name, matrix, by),
        inputs=("q", "v", "tau"),
        output=_acceleration(context.mechanism),
    )


def _closure(context: Context) -> Iterator[Row]:
    """The loops that are always active; those that come and go have files of their own."""
    if context.mechanism.virtual_links and not context.switches:
        yield from (straight(context.mechanism, name, "closure") for name in CLOSURE)


def _causes(mechanism: Mechanism) -> Iterator[Row]:
    tables = ("sizes", "axis_dof", "axis_above", "axis_last", "axis_link")
    yield Row("cause_parts", "causes", derive=partial(cause_parts, mechanism), public=False)
    yield from _words("causes", *tables)
    tree = mechanism.tree
    output = Output("terms", (tree.nv, len(tree.bodies), 3))
    yield Row(
        "torque_terms",
        "causes",
        CAUSES,
        needs=("cause_parts", *tables),
        route="loop",
        reason=LOOP,
        inputs=("q", "v", "a"),
        output=output,
        counted="cause_parts",
    )


def _damped(mechanism: Mechanism) -> bool:
    joints = [body.joint for body in mechanism.tree.bodies]
    return any(value != 0 for joint in joints for value in (*joint.damping, *joint.friction))
