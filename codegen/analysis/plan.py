"""All that is decided about a mechanism before its C is printed: Mechanism, options → Plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS

from ..mechanism import checks
from ..mechanism.elements.parameter import default_of
from ..mechanism.elements.rows import NO_ROWS, RowRules
from ..mechanism.mechanism import Mechanism
from ..mechanism.structure.inertness import check_dynamics
from ..mechanism.structure.start import Start, start_of
from ..mechanism.structure.topology import Switch
from ..mechanism.structure.tree import Body
from ..mechanism.types import NEUTRAL
from ..program.types import Function
from ..symbolic.functions import derive
from ..symbolic.loops.closed import Partition
from ..symbolic.loops.left_out import Scales
from .constraint_rows import Held, with_rows
from .contact.collision_pairs import Touching
from .contact.plan import ContactPlan, contact_plan, contact_table
from .contact.rules import ContactRules
from .cut import cut_angles, cut_limits, winding_bounds
from .fit import FIT, MOST, NO_FIT, Fit, check_closed_inertia, fitted
from .inertia import check_tree_inertia, is_massless
from .loops import Closure, closure_of
from .missed import fitted_scales
from .motion.axes import motion_axes
from .motion.spin import Spin, spins_of
from .motion.turning import Turning, turning_of
from .partition import Reference
from .passive import is_damped, is_passive
from .routes import (
    Closing,
    Core,
    Dependence,
    Route,
    closed_route,
    closing_of,
    core_of,
    dependence_of,
    factored_of,
    forward_dynamics_route,
    mass_matrix_route,
    packed_closing,
)
from .sizes import LoopSizes, RowSizes, Sizes


@dataclass(frozen=True)
class Plan:
    """What is compiled, and how.

    `mechanism`: without what rows hold instead of it; its tree gives every joint its place. `switches`: loops that
    can be active or not. `start` (nq): where a motion starts; `reference`: where a closed mechanism was looked at and
    the partition found there, None without loops or where parameters without values shape them; `misfit` [m, rad]: what
    its loops miss by because their dimensions are rounded, 0 if they close; `scales`: what the rows of its loops are
    measured by, None without loops. `mass_matrix`, `forward_dynamics`: routes of the open tree, the latter None where
    links without mass leave M singular; `closed`: of the straight-line forward dynamics on that partition, None if
    there is none; `closing`: straight-line code that puts a state back on the closure, None if there is none;
    `factored`: straight-line forward dynamics with what answers forces of rows, `dependence`: straight-line code of
    what depends from the independent velocities, None if there is none; `core`: what solves loops that come and go
    along the branches of the tree, None where nothing does.
    `closure`: tables of the loops, None without. `touching`: shapes and pairs that may touch, and what rows hold;
    `rows`: all of the constraint rows, None if no row may ever act. `spins`: bodies whose spin is stepped by itself;
    `turning`: the other links that turn, None if there are none. `sizes`: what the C of runtime/c is compiled for.
    """

    mechanism: Mechanism
    switches: tuple[Switch, ...]
    start: tuple[float, ...]
    reference: Reference | None
    misfit: float
    scales: Scales | None
    mass_matrix: Route
    forward_dynamics: Route | None
    closed: Route | None
    closing: Closing | None
    factored: Function | None
    dependence: Dependence | None
    core: Core | None
    closure: Closure | None
    touching: Touching
    rows: ContactPlan | None
    spins: tuple[Spin, ...]
    turning: Turning | None
    sizes: Sizes


def plan(
    mechanism: Mechanism,
    switches: Sequence[Switch] = (),
    contacts: bool | ContactRules = True,
    rows: RowRules = NO_ROWS,
    at: Start | None = None,
    fit: float = FIT,
) -> Plan:
    """The plan of a mechanism; the options are those of `generate`.

    ModelError if a loop cannot be closed, or an option does not fit the mechanism.
    """
    mechanism, held = with_rows(mechanism, rows)
    _check(mechanism, bool(switches), held)
    given = start_of(mechanism, at)
    found, massless = _fit(mechanism, given, 0.0 if switches else fit), is_massless(mechanism)
    reference = found.reference
    partition = reference.partition if reference else None
    if massless:
        check_closed_inertia(mechanism, found)
    table = contact_table(mechanism, switches, contacts, held)
    spins = spins_of(mechanism, bool(held.locks))
    contact = contact_plan(mechanism, switches, table, contacts, spins)
    turning = turning_of(mechanism, spins, bool(held.locks))
    closure = closure_of(mechanism, switches) if mechanism.virtual_links else None
    # with loops that come and go, or without any velocity on one of the sides, nothing is straight-line
    fixed = partition if partition and partition.independent and partition.dependent and not switches else None
    straight = _straight(mechanism, found, fixed, closure, massless, contact is not None)
    mass_matrix = mass_matrix_route(mechanism)
    core = core_of(mechanism, mass_matrix) if switches and not massless else None
    sizes = sizes_of(
        mechanism,
        switches,
        closure,
        contact.sizes if contact else None,
        straight.closed is not None,
        len(fixed.dependent) if fixed else 0,
        massless,
    )
    return Plan(
        mechanism,
        tuple(switches),
        reference.start if reference and reference.start else start_configuration(mechanism, given),
        reference,
        found.misfit,
        straight.scales,
        mass_matrix,
        None if massless else forward_dynamics_route(mechanism),
        straight.closed,
        straight.closing,
        straight.factored,
        straight.dependence,
        core,
        closure,
        table,
        contact,
        spins,
        turning,
        replace(
            sizes,
            spinning=bool(spins),
            turning=turning is not None,
            closing=straight.closing is not None,
            factored=straight.factored is not None,
            alike=straight.alike,
            diagonal=straight.diagonal,
            core=core is not None,
        ),
    )


@dataclass(frozen=True)
class _Straight:
    """The straight-line code of loops, as in `Plan`; `alike`: its forward dynamics is by independent coordinates;
    `diagonal`: it takes what is added to the diagonal of M."""

    scales: Scales | None = None
    closed: Route | None = None
    closing: Closing | None = None
    factored: Function | None = None
    dependence: Dependence | None = None
    alike: bool = False
    diagonal: bool = False


def _straight(
    mechanism: Mechanism, found: Fit, fixed: Partition | None, closure: Closure | None, massless: bool, rows: bool
) -> _Straight:
    """What a partition that stays allows; `rows`: constraint rows may act."""
    if closure is None:
        return _Straight()
    scales = fitted_scales(mechanism, found, fixed)
    if fixed is None:
        return _Straight(scales)
    added = range(mechanism.tree.nv)  # by dampers and servos
    route = closed_route(mechanism, fixed, massless, scales, added)
    closed = route if route.function is not None else None
    closing = closing_of(mechanism, fixed, closure) if closed and not found.misfit else None
    answering = closing is not None and rows and not _has_cut_damping(mechanism)
    factored = factored_of(mechanism, fixed, massless, scales, added) if answering else None
    packed = packed_closing(closing, factored) if closing else None
    dependence = dependence_of(mechanism, fixed, scales) if closed else None
    return _Straight(scales, closed, packed, factored, dependence, route.name != "multipliers", bool(added))


def _check(mechanism: Mechanism, switched: bool, held: Held) -> None:
    if mechanism.tree.nv == 0:
        _check_still(mechanism, held)
    _check_rotors(mechanism)
    mechanism.check_dynamics()
    if switched or not mechanism.virtual_links:
        check_tree_inertia(mechanism)
    if switched:  # with all loops open the tree moves by itself
        check_dynamics(mechanism.tree)


def _check_rotors(mechanism: Mechanism) -> None:
    """Joints that close loops have no column of their own in M to which their rotor could add."""
    for loop in mechanism.virtual_links:
        if any(rotor != 0 for rotor in loop.joint.armature):
            raise ModelError(
                f"joint '{loop.joint.name}' closes a loop, or can be cut, and has an armature, for which it would have "
                "to be a joint of the tree; cut the loop at another joint (cut=True there), or leave the armature out"
            )


def _check_still(mechanism: Mechanism, held: Held) -> None:
    """Where nothing moves there is nothing to hold."""
    holding = [loop.joint.name for loop in mechanism.virtual_links]
    holding += [lock.name for lock in held.locks]
    if holding:
        names = ", ".join(f"'{name}'" for name in dict.fromkeys(holding))
        raise ModelError(
            f"mechanism '{mechanism.name}' has no joint that moves: {names} would hold what stands still already; "
            "remove it, or hang a link on a joint that moves"
        )


def _has_cut_damping(mechanism: Mechanism) -> bool:
    """Dampers of cut joints add to M off its diagonal."""
    return any(is_damped(loop.joint) for loop in mechanism.virtual_links)


def _fit(mechanism: Mechanism, at: Mapping[str, Sequence[float]], tolerance: float) -> Fit:
    """Which coordinates lead a closed mechanism, as it is with the values that parameters have by default."""
    tolerance = checks.constant(tolerance, "fit")
    if not 0.0 <= tolerance <= MOST:
        raise ModelError(f"fit={tolerance:g}: a gap between 0 and {MOST:g} m or rad is asked for")
    if not mechanism.virtual_links:
        return NO_FIT
    kernels = [derive(mechanism, name) for name in ("closure_residual", "closure_rows")]
    shape = {symbol for kernel in kernels for symbol in kernel.used}.intersection(mechanism.parameters)
    # parameters that do not change the shape of loops may have any value here
    values = [default_of(symbol) if symbol in shape else 1.0 for symbol in mechanism.parameters]
    given = tuple(value for value in values if value is not None)
    if not shape:
        return fitted(mechanism, tolerance, at, given)
    if len(given) < len(values):
        return NO_FIT
    try:
        return fitted(mechanism, 0.0, at, given)
    except ModelError:  # loops that cannot be closed with these values may be closed with others
        return NO_FIT


def start_configuration(mechanism: Mechanism, at: Mapping[str, Sequence[float]] | None = None) -> tuple[float, ...]:
    """(nq) where a motion starts, with these coordinates of joints."""
    return tuple(x for b in mechanism.tree.bodies if b.nv for x in (at or {}).get(b.joint.name, _start(b)))


def _start(body: Body) -> tuple[float, ...]:
    """q of a joint where a simulation starts: of its motion or `start`; else a free one is where its file or `rest`
    puts it."""
    joint = body.joint
    if joint.begin:
        return joint.begin
    placed = KINDS[joint.kind].free and all(isinstance(x, (int, float)) for x in joint.rest)
    return tuple(float(x) for x in joint.rest) if placed else NEUTRAL[joint.kind]


def sizes_of(
    mechanism: Mechanism,
    switches: Sequence[Switch] = (),
    closure: Closure | None = None,
    rows: RowSizes | None = None,
    specialised: bool = False,
    rank: int = 0,
    massless: bool = False,
) -> Sizes:
    """Sizes and features of a model.

    `specialised`: forward dynamics is straight-line where its partition serves; `rank`: of the closure where nothing is
    singular, 0 if not known; `massless`: M of the tree is singular.
    """
    joints = [body.joint for body in mechanism.tree.bodies]
    return Sizes(
        nq=mechanism.tree.nq,
        nv=mechanism.tree.nv,
        bodies=len(mechanism.tree.bodies),
        axes=len(motion_axes(mechanism.tree).dofs),
        parameters=len(mechanism.parameters) + len(switches),
        parametric=bool(mechanism.parameters),
        passive=any(map(is_passive, joints)),
        damping=any(map(is_damped, joints)),
        loops=_loop_sizes(mechanism, closure, bool(switches), specialised, rank, massless) if closure else None,
        rows=rows,
    )


def _loop_sizes(
    mechanism: Mechanism, closure: Closure, switched: bool, specialised: bool, rank: int, massless: bool
) -> LoopSizes:
    cut = [body.joint for body in closure.cut]
    return LoopSizes(
        loops=len(closure.cut),
        rows=len(closure.rows),
        cut_q=closure.cut_nq,
        cut_v=closure.cut_nv,
        cut_angles=len(cut_angles(closure)),
        cut_bounds=len(winding_bounds(mechanism, closure)),
        rank=rank,
        switched=switched,
        specialised=specialised,
        cut_forces=any(map(is_passive, cut)),
        cut_damping=any(map(is_damped, cut)),
        cut_limits=any(limit.q >= mechanism.tree.nq for limit in cut_limits(mechanism, closure)),
        massless=massless,
    )
