"""All that is decided about a mechanism before its C is printed: Mechanism, options → Plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.runtime.errors import ModelError

from ..mechanism.elements.rows import NO_ROWS, RowRules
from ..mechanism.mechanism import Mechanism
from ..mechanism.structure.inertness import check_dynamics
from ..mechanism.structure.start import Start, start_configuration, start_of
from ..mechanism.structure.topology import Switch
from .constraint_rows import Held, with_rows
from .contact.collision_pairs import Touching
from .contact.plan import ContactPlan, contact_plan, contact_table
from .contact.rules import ContactRules
from .inertia import check_tree_inertia, is_massless
from .loops.closure import Closure, closure_of
from .loops.fit import FIT, check_closed_inertia, fit_of
from .loops.partition import Reference
from .loops.straight import StraightLine, straight_line_of
from .motion.spin import Spin, spins_of
from .motion.turning import Turning, turning_of
from .routes import Core, Route, core_of, forward_dynamics_route, mass_matrix_route
from .sizes import Sizes, sizes_of


@dataclass(frozen=True)
class Plan:
    """What is compiled, and how.

    `mechanism`: without what rows hold instead of it; its tree gives every joint its place. `switches`: loops that
    can be active or not. `start` (nq): where a motion starts; `reference`: where a closed mechanism was looked at and
    the partition found there, None without loops or where parameters without values shape them; `misfit` [m, rad]: what
    its loops miss by because their dimensions are rounded, 0 if they close. `mass_matrix`, `forward_dynamics`: routes
    of the open tree, the latter None where links without mass leave M singular; `straight`: the straight-line code of
    loops; `core`: what solves loops that come and go along the branches of the tree, None where nothing does.
    `closure`: tables of the loops, None without. `touching`: shapes and pairs that may touch, and what rows hold;
    `rows`: all of the constraint rows, None if no row may ever act. `spins`: bodies whose spin is stepped by itself;
    `turning`: the other links that turn, None if there are none. `sizes`: what the C of runtime/c is compiled for.
    """

    mechanism: Mechanism
    switches: tuple[Switch, ...]
    start: tuple[float, ...]
    reference: Reference | None
    misfit: float
    mass_matrix: Route
    forward_dynamics: Route | None
    straight: StraightLine
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
    found, massless = fit_of(mechanism, given, 0.0 if switches else fit), is_massless(mechanism)
    if massless:
        check_closed_inertia(mechanism, found)
    table = contact_table(mechanism, switches, contacts, held)
    spins = spins_of(mechanism, bool(held.locks))
    turning = turning_of(mechanism, spins, bool(held.locks))
    contact = contact_plan(mechanism, switches, table, contacts, spins)
    closure = closure_of(mechanism, switches) if mechanism.virtual_links else None
    straight = straight_line_of(mechanism, found, closure, bool(switches), massless, contact is not None)
    mass_matrix = mass_matrix_route(mechanism)
    core = core_of(mechanism, mass_matrix) if switches and not massless else None
    sizes = sizes_of(
        mechanism,
        switches,
        closure,
        contact.sizes if contact else None,
        straight,
        massless=massless,
        spinning=bool(spins),
        turning=turning is not None,
        core=core is not None,
    )
    return Plan(
        mechanism=mechanism,
        switches=tuple(switches),
        start=found.start or start_configuration(mechanism, given),
        reference=found.reference,
        misfit=found.misfit,
        mass_matrix=mass_matrix,
        forward_dynamics=None if massless else forward_dynamics_route(mechanism),
        straight=straight,
        core=core,
        closure=closure,
        touching=table,
        rows=contact,
        spins=spins,
        turning=turning,
        sizes=sizes,
    )


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
