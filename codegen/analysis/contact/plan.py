"""All that is decided of the constraint rows of a step: contacts, limits, locks between links, dry friction (§11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kinegen.runtime.errors import ModelError

from ...mechanism.mechanism import Mechanism
from ...mechanism.structure.topology import Switch
from ...program.types import Function
from ...symbolic.contact.roots import root_terms, roots_of
from ..constraint_rows import NOTHING_HELD, Held
from ..limits import Limit, joint_limits
from ..loops.closure import cut_bodies, loop_flags
from ..motion.spin import Spin
from ..sizes import RowSizes
from .collision_pairs import Touching, touching
from .joined import joined
from .paths import Paths, paths_of, terms_of
from .placed import Placed
from .rules import ContactRules
from .shapes import Geometry, geometry_of


@dataclass(frozen=True)
class Switching:
    """Which pairs do not touch while loops are active.

    `idle`: (flag, pair); `cuts`: (flag, piece, piece) of pieces that hang together while a flag is set; of every shape
    its piece and the link that carries it, -1 for the world; `count` of the pieces of all links.
    """

    idle: tuple[tuple[int, int], ...]
    cuts: tuple[tuple[int, int, int], ...]
    pieces: tuple[int, ...]
    carriers: tuple[int, ...]
    count: int


@dataclass(frozen=True)
class ContactPlan:
    """The rows of a step.

    `ends`: slots of links by name; `functions`: straight-line code that a step shares, by name; `rims`: slots of bodies
    that fly by themselves and may roll on the rim of a cylinder, with their places in q and v.
    """

    table: Touching
    ends: Mapping[str, int]
    limits: tuple[Limit, ...]
    functions: tuple[tuple[str, Function], ...]
    paths: Paths
    geometry: Geometry
    switching: Switching
    rims: tuple[tuple[int, int, int], ...]
    sizes: RowSizes


def contact_table(
    mechanism: Mechanism, switches: Sequence[Switch], contacts: bool | ContactRules, held: Held = NOTHING_HELD
) -> Touching:
    """What may touch under the rules (True: the default ones), and what rows hold; ModelError for rows beside loops."""
    if held and switches:
        stuck = (f"friction of '{stiction.joint}'" for stiction in held.stictions)
        names = ", ".join(dict.fromkeys([*(lock.name for lock in held.locks), *stuck]))
        raise ModelError(
            f"rows ({names}): library '{mechanism.name}' holds its connections and cuts by the closure, beside "
            "which no rows are solved; declare a connection instead, and leave friction=False"
        )
    if held and mechanism.virtual_links:
        raise ModelError(
            f"mechanism '{mechanism.name}' has loops that the closure holds, and rows: give loops=True, or "
            "close them by connections of the rows too"
        )
    if contacts is False:
        return Touching((), (), held)
    rules = _rules(contacts)
    hanging = joined(mechanism, switches, rules)

    def never(a: Placed, b: Placed) -> bool:
        return hanging.never(a, b) or held.holds(a.link, b.link)

    return replace(touching(mechanism, rules, never), held=held)


def _rules(contacts: bool | ContactRules) -> ContactRules:
    return contacts if isinstance(contacts, ContactRules) else ContactRules()


def capacity(table: Touching, mechanism: Mechanism) -> int:
    """Points of contact, stops at joint limits and other rows that a step has room for; 0: none may ever act."""
    return (
        table.room + table.turning_room + 2 * len(joint_limits(mechanism.tree, cut_bodies(mechanism))) + len(table.held)
    )


def contact_plan(
    mechanism: Mechanism,
    switches: Sequence[Switch],
    table: Touching,
    contacts: bool | ContactRules,
    spins: Sequence[Spin],
) -> ContactPlan | None:
    """None if no row may ever act; `spins`: bodies that fly by themselves."""
    if not capacity(table, mechanism):
        return None
    names = {body.link.name: body.index for body in mechanism.tree.bodies}
    bodies = sorted({shape.body for shape in table.shapes if shape.body >= 0} | {names[x] for x in table.held.links})
    slots = {body: k for k, body in enumerate(bodies)}
    ends = {name: slots[body] for name, body in names.items() if body in slots}
    limits = joint_limits(mechanism.tree, cut_bodies(mechanism), loop_flags(mechanism, switches))
    terms = terms_of(mechanism, bodies)
    paths = paths_of(mechanism, terms, limits, table.held.stictions)
    geometry, switching = geometry_of(table, slots), _switching(mechanism, switches, table, _rules(contacts))
    sizes = _sizes(mechanism, table, slots, len(limits), paths, geometry, switching)
    rims = tuple(_rims(table, slots, spins))
    sizes = replace(sizes, rims=len(rims), terms=bool(terms.functions) and not mechanism.virtual_links)
    functions = (*terms.functions, *((("root_terms", root_terms(mechanism)),) if sizes.roots else ()))
    return ContactPlan(table, ends, limits, functions, paths, geometry, switching, rims, sizes)


def _rims(table: Touching, slots: Mapping[int, int], spins: Sequence[Spin]) -> Iterator[tuple[int, int, int]]:
    touching = [table.shapes[number] for pair in table.pairs for number in (pair.first, pair.second)]
    rolling = {shape.body for shape in touching if shape.kind == "cylinder"}
    for body in (spin.body for spin in spins):
        if body.index in rolling:
            yield slots[body.index], body.q_start, body.v_start


def _switching(mechanism: Mechanism, switches: Sequence[Switch], table: Touching, rules: ContactRules) -> Switching:
    holding = joined(mechanism, switches, rules)
    return Switching(
        tuple(holding.idle(table)),
        () if rules.within else holding.cuts,
        tuple(holding.pieces(table)),
        tuple(shape.body for shape in table.shapes),
        max(holding.piece, default=0) + 1,
    )


def _sizes(
    mechanism: Mechanism,
    table: Touching,
    slots: Mapping[int, int],
    limits: int,
    paths: Paths,
    geometry: Geometry,
    switching: Switching,
) -> RowSizes:
    room, count, closed = capacity(table, mechanism), len(paths.columns), bool(mechanism.virtual_links)
    return RowSizes(
        capacity=room,
        links=len(slots),
        slots=count,
        axes=paths.axes,
        shapes=len(table.shapes),
        pairs=len(table.pairs),
        limits=limits,
        locks=len(table.held.locks),
        stictions=len(table.held.stictions),
        blocks=count**2 if closed else len(paths.shared),
        entries=sum(map(len, paths.pattern)),
        runs=len(geometry.pairs.runs) if geometry.broad else 0,
        listed=geometry.pairs.listed or not geometry.broad,
        bounded=geometry.broad.bounded if geometry.broad else 0,
        pieces=switching.count,
        cuts=len(switching.cuts),
        sides=len(switching.idle),
        trees=1 if closed else max(paths.trees, default=0) + 1,
        apart=closed and _beginnings(mechanism) > 1,
        coupled=paths.coupled,
        bouncing=any(pair.restitution > 0.0 for pair in table.pairs),
        turning=table.turning_room,
        open_frictions=len(table.open_frictions),
        roots=tuple(body.nv for body in roots_of(mechanism)),
        sixes=_closed_sixes(mechanism) if closed else _sixes(paths),
    )


def _sixes(paths: Paths) -> int:
    """Groups of up to six of the dofs that move slots, tree by tree."""
    dofs: dict[int, set[int]] = {}
    for own, tree in zip(paths.support, paths.trees, strict=True):
        dofs.setdefault(tree, set()).update(own)
    return sum(-(-len(own) // 6) for own in dofs.values())


def _closed_sixes(mechanism: Mechanism) -> int:
    """The same where which velocities are independent is not known here: no more than there are, and for each tree one
    group that is not full."""
    return -(-mechanism.tree.nv // 6) + _beginnings(mechanism)


def _beginnings(mechanism: Mechanism) -> int:
    """Links that hang on the world, or float."""
    return sum(body.parent < 0 for body in mechanism.tree.bodies)
