"""Contact as C99 text: shapes and pairs as tables, straight-line terms, generic numerics (§11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS

from ..analysis.broad_phase import broad_phase
from ..analysis.collision_pairs import Pair, Touching, touching
from ..analysis.constraint_rows import NOTHING_HELD, Held, Stiction, lock_table
from ..analysis.contact_joined import joined
from ..analysis.contact_placed import Placed
from ..analysis.contact_rules import ContactRules
from ..analysis.contact_solids import fields_of, solids_of
from ..analysis.limits import Limit, joint_limits
from ..analysis.loops import cut_bodies
from ..analysis.sizes import RowSizes
from ..analysis.sparsity import factor_pattern
from ..mechanism.geometry.shapes import Shape
from ..mechanism.mechanism import Mechanism
from ..symbolic.contact.terms import carried, contact_places, contact_terms
from .environment import render
from .kernels import CFile, Context, Piece, internal_declarations, kernels_text, printed
from .motion import is_damped

_HALVES = {"height_field": (0, 1), "capsule": (1,), "cylinder": (1,), "box": (0, 1, 2)}


def contact_of(context: Context, contacts: bool | ContactRules, held: Held = NOTHING_HELD) -> Touching:
    """What may touch under the rules (True: the default ones), and what rows hold; ModelError for rows beside loops."""
    if held and context.switches:
        stuck = (f"friction of '{stiction.joint}'" for stiction in held.stictions)
        names = ", ".join(dict.fromkeys([*(lock.name for lock in held.locks), *stuck]))
        raise ModelError(
            f"rows ({names}): library '{context.mechanism.name}' holds its connections and cuts by the closure, beside "
            "which no rows are solved; declare a connection instead, and leave friction=False"
        )
    if held and context.mechanism.virtual_links:
        raise ModelError(
            f"mechanism '{context.mechanism.name}' has loops that the closure holds, and rows: give loops=True, or "
            "close them by connections of the rows too"
        )
    if contacts is False:
        return Touching((), (), held)
    rules = _rules(contacts)
    hanging = joined(context, rules)

    def never(a: Placed, b: Placed) -> bool:
        return hanging.never(a, b) or held.holds(a.link, b.link)

    return replace(touching(context.mechanism, rules, never), held=held)


def _rules(contacts: bool | ContactRules) -> ContactRules:
    return contacts if isinstance(contacts, ContactRules) else ContactRules()


def capacity(table: Touching, mechanism: Mechanism) -> int:
    """Points of contact, stops at joint limits and other rows that a step has room for; 0: none may ever act."""
    return table.room + 2 * len(joint_limits(mechanism.tree, cut_bodies(mechanism))) + len(table.held)


@dataclass(frozen=True)
class ContactFiles:
    """What the rows of a step are printed as, and their sizes."""

    files: tuple[CFile, ...]
    sizes: RowSizes


def contact_files(context: Context, table: Touching, contacts: bool | ContactRules) -> ContactFiles | None:
    """PREFIX_terms.c with what a step shares, PREFIX_contact.c with the rows: contacts, limits, locks, dry friction.

    None if no row may ever act. A bounded coordinate is one more slot after the links: it moves along x of an axis of
    its own.
    """
    mechanism, closed = context.mechanism, bool(context.mechanism.virtual_links)
    room = capacity(table, mechanism)
    if not room:
        return None
    names = {body.link.name: body.index for body in mechanism.tree.bodies}
    bodies = sorted({shape.body for shape in table.shapes if shape.body >= 0} | {names[x] for x in table.held.links})
    slots = {body: k for k, body in enumerate(bodies)}
    ends = {name: slots[body] for name, body in names.items() if body in slots}
    limits = joint_limits(mechanism.tree, cut_bodies(mechanism), context.flags)
    terms = _Terms.of_loops(context, bodies) if closed else _Terms.of_tree(context, bodies)
    paths = _paths(terms, limits, table.held.stictions, mechanism.tree.nv)
    blocks, shared = _blocks(paths)
    geometry, switching = _geometry(table, slots), _switching(context, table, _rules(contacts))
    count = len(paths.columns)
    sizes = RowSizes(
        capacity=room,
        links=len(bodies),
        slots=count,
        axes=paths.axes,
        shapes=len(table.shapes),
        pairs=len(table.pairs),
        limits=len(limits),
        locks=len(table.held.locks),
        stictions=len(table.held.stictions),
        blocks=count**2 if closed else len(shared),
        responses=count * room if closed else _responses(table, ends, slots, blocks),
        entries=sum(map(len, terms.pattern)),
        bounded=geometry["broad"].get("bounded", 0),
        pieces=switching["piece_count"],
        cuts=len(switching["cuts"]),
        sides=len(switching["idle"]),
        bouncing=any(pair.restitution > 0.0 for pair in table.pairs),
    )
    rows = render(
        "contact.c.j2",
        sizes=sizes,
        closed=closed,
        switched=bool(context.switches),
        limits=limits,
        locks=lock_table(table.held, ends),
        stictions=[repr(stiction.force) for stiction in table.held.stictions],
        blocks=blocks,
        path_turns=_turns(mechanism, paths),
        **_tables(paths, shared),
        **geometry,
        **switching,
        **context.common(),
    )
    declarations = internal_declarations(context, terms.pieces)
    declarations += render(
        "contact.h.j2", sizes=sizes, closed=closed, switched=bool(context.switches), **context.common()
    )
    return ContactFiles(
        (
            *([CFile(f"{context.prefix}_terms.c", _terms_text(context, terms), (), {})] if terms.pieces else []),
            CFile(f"{context.prefix}_contact.c", rows, (), {}, ("-O3",) if bodies else (), declarations),
        ),
        sizes,
    )


def _geometry(table: Touching, slots: Mapping[int, int]) -> dict[str, Any]:
    """Shapes with the tables that they refer to, pairs, and how pairs are looked for."""
    solids = solids_of(table)
    fields, places = fields_of(table)
    shapes = [
        _shape(placed, slots.get(placed.body, -1)) | {"hull": number, "ground": place}
        for placed, number, place in zip(table.shapes, solids.number, places, strict=True)
    ]
    return {
        "shapes": shapes,
        "pairs": table.pairs,
        "solids": solids.tables,
        "fields": fields,
        "broad": broad_phase(table, [float(str(shape["reach"])) for shape in shapes]),
    }


@dataclass(frozen=True)
class _Terms:
    """Straight-line functions of a step, and the tables that go with their arrays (see `ContactTerms`)."""

    pieces: tuple[Piece, ...]
    columns: tuple[tuple[tuple[int, int], ...], ...]
    support: tuple[tuple[int, ...], ...] = ()
    pattern: tuple[tuple[int, ...], ...] = ()

    @staticmethod
    def of_tree(context: Context, bodies: Sequence[int]) -> _Terms:
        """Where no link is pushed M is factored by a loop: nothing is printed for it."""
        if not bodies:
            return _Terms((), (), (), factor_pattern(context.mechanism.tree))
        damped = any(is_damped(body.joint) for body in context.mechanism.tree.bodies)
        terms = contact_terms(context.mechanism, bodies, damped)
        pieces = printed(context, "contact_terms", terms.terms), printed(context, "contact_finish", terms.finish)
        return _Terms(pieces, terms.columns, terms.support, terms.pattern)

    @staticmethod
    def of_loops(context: Context, bodies: Sequence[int]) -> _Terms:
        if not bodies:
            return _Terms((), ())
        found = contact_places(context.mechanism, bodies)
        return _Terms((printed(context, "contact_places", found.places),), found.columns)


def _terms_text(context: Context, terms: _Terms) -> str:
    return kernels_text(context, "what a step with contact shares", terms.pieces, batches=False)


def _switching(context: Context, table: Touching, rules: ContactRules) -> dict[str, Any]:
    """Which pairs do not touch while loops are active."""
    holding = joined(context, rules)
    return {
        "idle": holding.idle(table),
        "cuts": () if rules.within else holding.cuts,
        "pieces": holding.pieces(table),
        "carriers": [shape.body for shape in table.shapes],
        "piece_count": max(holding.piece, default=0) + 1,
    }


def _steepest(shape: Shape) -> list[float]:
    """The largest height of a field, up or down."""
    return [max(abs(z) for row in shape.heights for z in row)] if shape.heights else []


def _shape(placed: Placed, slot: int) -> dict[str, object]:
    shape = placed.shape
    size = [x / 2 if i in _HALVES.get(placed.kind, ()) else x for i, x in enumerate(shape.size)]
    size += [0.0] * (3 - len(size))
    reach = {
        "plane": 0.0,
        "sphere": size[0],
        "capsule": size[0] + size[1],
        "cylinder": (size[0] ** 2 + size[1] ** 2) ** 0.5,
        "box": sum(x * x for x in size) ** 0.5,
        "convex": placed.solid.reach if placed.solid else 0.0,
        "height_field": sum(x * x for x in (*size, *_steepest(shape))) ** 0.5,
    }[placed.kind]
    return {
        "kind": f"KG_{placed.kind.upper()}",
        "slot": slot,
        "size": [repr(float(x)) for x in size],
        "R": [repr(float(x)) for row in placed.pose.rotation for x in row],
        "p": [repr(float(x)) for x in placed.pose.xyz],
        "reach": repr(float(reach)),
        "label": f"{shape.kind} of {placed.link}",
    }


@dataclass(frozen=True)
class _Paths:
    """Per slot (axis, dof) of its motion and the dofs where its y is not zero; rows of L; motion axes of the links."""

    columns: tuple[tuple[tuple[int, int], ...], ...]
    support: tuple[tuple[int, ...], ...]
    pattern: tuple[tuple[int, ...], ...]
    axes: int


def _paths(terms: _Terms, limits: Sequence[Limit], stictions: Sequence[Stiction], nv: int) -> _Paths:
    """The path of a bounded cut joint is not known here: a row of C, which it moves by."""
    axes = 1 + max((axis for own in terms.columns for axis, _ in own), default=-1)
    alone = [*(limit.v for limit in limits), *(stiction.dof for stiction in stictions)]
    bounded = tuple(((axes, dof),) if dof < nv else () for dof in alone)
    support = tuple(carried({dof}, terms.pattern) for dof in alone)
    return _Paths((*terms.columns, *bounded), (*terms.support, *support), terms.pattern, axes)


def _blocks(paths: _Paths) -> tuple[list[list[int]], list[list[int]]]:
    """Number of the answer of each slot to each, -1 where there is none; the dofs that the two share, by number."""
    support = [set(own) for own in paths.support]
    blocks: list[list[int]] = [[-1] * len(support) for _ in support]
    shared: list[list[int]] = []
    for a, own in enumerate(support):
        for b, other in enumerate(support):
            if own & other:
                blocks[a][b] = len(shared)
                shared.append(sorted(own & other))
    return blocks, shared


def _tables(paths: _Paths, shared: Sequence[Sequence[int]]) -> dict[str, list[int]]:
    """Index tables of the C, each with its starts."""
    return {
        **_table("row", paths.pattern, "columns"),
        "path_starts": _starts(paths.columns),
        "path_axes": [axis for own in paths.columns for axis, _ in own],
        "path_dofs": [dof for own in paths.columns for _, dof in own],
        **_table("support", paths.support, "dofs"),
        **_table("shared", shared, "dofs"),
    }


def _turns(mechanism: Mechanism, paths: _Paths) -> list[int]:
    """For each entry of the paths, 0 if it is an axis of a link's frame that turns with the entry before it."""
    together = {
        body.v_start + i for body in mechanism.tree.bodies for i in range(1, body.nv) if KINDS[body.joint.kind].group
    }
    return [int(dof not in together) for own in paths.columns for _, dof in own]


def _table(name: str, rows: Sequence[Sequence[int]], what: str) -> dict[str, list[int]]:
    return {f"{name}_starts": _starts(rows), f"{name}_{what}": [x for row in rows for x in row] or [0]}


def _starts(rows: Sequence[Sequence[object]]) -> list[int]:
    return [0, *accumulate(map(len, rows))]


def _responses(
    table: Touching, ends: Mapping[str, int], slots: Mapping[int, int], blocks: Sequence[Sequence[int]]
) -> int:
    """Slots that all points and rows together may have to answer to, at most; `ends`: slots of links by name.

    The slots after those of the links are limits, then joints with stiction.
    """

    def responding(own: Iterable[int]) -> int:
        columns = zip(*(blocks[end] for end in own if end >= 0), strict=True)
        return sum(1 for column in columns if max(column) >= 0)

    def sides(pair: Pair) -> list[int]:
        return [slots.get(table.shapes[i].body, -1) for i in (pair.first, pair.second)]

    by_pair = [responding(sides(pair)) for pair in table.pairs]
    every = sum(pair.points * count for pair, count in zip(table.pairs, by_pair, strict=True))
    alone = [responding([slot]) for slot in range(len(slots), len(blocks))]
    sticking = sum(alone[len(alone) - len(table.held.stictions) :]) if table.held.stictions else 0
    locks = sum(responding(ends.get(link, -1) for link in (lock.parent, lock.child)) for lock in table.held.locks)
    return max(1, min(table.room * max(by_pair, default=0), every) + 2 * (sum(alone) - sticking) + sticking + locks)
