"""Contact of a tree as C99 text: shapes and pairs as tables, straight-line terms, generic numerics (§11)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from kinegen.runtime.errors import ContactWarning

from ..mechanism.mechanism import Mechanism
from ..mechanism.tree import Body
from ..symbolic.contact import ContactTerms, carried, contact_terms
from .contact_pairs import KINDS, ContactRules, Pair, Placed, Touching, touching
from .contact_solids import solids_of
from .environment import render
from .kernels import CFile, Context, printed
from .motion import Limit, is_damped, is_passive, joint_limits

KEPT = 5  # pairs of sweeps whose mean starts the next
_HALVES = {"sphere": (), "plane": (), "convex": (), "capsule": (1,), "cylinder": (1,), "box": (0, 1, 2)}


def contact_of(mechanism: Mechanism, contacts: bool | ContactRules) -> Touching:
    """What may touch under the rules (True: the default ones); nothing, with a warning, in a mechanism with loops."""
    if contacts is False:
        return Touching((), ())
    table = touching(mechanism, ContactRules() if contacts is True else contacts)
    if table.pairs and mechanism.virtual_links:
        warnings.warn(
            f"mechanism '{mechanism.name}' has loops: its shapes take no part in contact (contacts=False says so)",
            ContactWarning,
            stacklevel=2,
        )
        return Touching((), ())
    return table


def contact_room(table: Touching, mechanism: Mechanism) -> int:
    """Points of contact and stops at joint limits that a step has room for; 0 if nothing may touch."""
    return table.room + 2 * len(joint_limits(mechanism.tree)) if table.pairs else 0


def contact_files(context: Context, table: Touching) -> list[CFile]:
    """PREFIX_terms.c with what a step shares, PREFIX_contact.c with the step; for a mechanism without loops.

    A bounded coordinate is one more slot after the links: it moves along x of an axis of its own.
    """
    joints = [body.joint for body in context.mechanism.tree.bodies]
    damped, passive = any(map(is_damped, joints)), any(map(is_passive, joints))
    bodies = sorted({shape.body for shape in table.shapes if shape.body >= 0})
    slots = {body: k for k, body in enumerate(bodies)}
    limits = joint_limits(context.mechanism.tree)
    terms = contact_terms(context.mechanism, bodies, damped)
    paths = _paths(terms, limits)
    pieces = [printed(context, "contact_terms", terms.terms), printed(context, "contact_finish", terms.finish)]
    text = render(
        "kernels.c.j2",
        subject="what a step with contact shares",
        pieces=pieces,
        loops="",
        loop_kernels=(),
        batches=False,
        **context.common(),
    )
    solids = solids_of(table)
    shapes = [_shape(placed, slots.get(placed.body, -1)) for placed in table.shapes]
    shapes = [shape | {"hull": number} for shape, number in zip(shapes, solids.number, strict=True)]
    common = {
        **context.common(),
        "p": "const double *p, " if context.parametric else "",
        "pass": "p, " if context.parametric else "",
        "damped": damped,
        "passive": passive,
        "links": len(bodies),
        "slots": len(bodies) + len(limits),
        "limits": limits,
        "room": contact_room(table, context.mechanism),
        "kept": KEPT,
    }
    blocks, shared = _blocks(paths)
    step = render(
        "contact.c.j2",
        **{**common, "shapes": shapes, "pairs": table.pairs, "solids": solids.tables, "most": solids.most},
        turning=[line for body in context.mechanism.tree.bodies for line in _turning(body)],
        blocks=blocks,
        **_tables(paths, shared),
        axes=paths.axes,
    )
    declarations = render("internal.h.j2", pieces=pieces, **context.common()) + render(
        "contact.h.j2",
        **{**common, "shapes": len(shapes), "pairs": len(table.pairs)},
        entries=sum(map(len, terms.pattern)),
        axes=paths.axes + 1,
        blocks=len(shared),
        answers=_answers(table, slots, blocks, len(bodies)),
    )
    return [
        CFile(f"{context.prefix}_terms.c", text, (), {}),
        CFile(f"{context.prefix}_contact.c", step, (), {}, ("-O3",), declarations),
    ]


def _shape(placed: Placed, slot: int) -> dict[str, object]:
    shape = placed.shape
    size = [x / 2 if i in _HALVES[shape.kind] else x for i, x in enumerate(shape.size)]
    size += [0.0] * (3 - len(size))
    reach = {
        "plane": 0.0,
        "sphere": size[0],
        "capsule": size[0] + size[1],
        "cylinder": (size[0] ** 2 + size[1] ** 2) ** 0.5,
        "box": sum(x * x for x in size) ** 0.5,
        "convex": placed.solid.reach if placed.solid else 0.0,
    }[shape.kind]
    return {
        "kind": shape.kind.upper() if shape.kind in KINDS else "",
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


def _paths(terms: ContactTerms, limits: Sequence[Limit]) -> _Paths:
    axes = 1 + max(axis for own in terms.columns for axis, _ in own)
    bounded = tuple(((axes, limit.v),) for limit in limits)
    support = tuple(carried({limit.v}, terms.pattern) for limit in limits)
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


def _table(name: str, rows: Sequence[Sequence[int]], what: str) -> dict[str, list[int]]:
    return {f"{name}_starts": _starts(rows), f"{name}_{what}": [x for row in rows for x in row] or [0]}


def _starts(rows: Sequence[Sequence[object]]) -> list[int]:
    return [0, *accumulate(map(len, rows))]


def _answers(table: Touching, slots: Mapping[int, int], blocks: Sequence[Sequence[int]], links: int) -> int:
    """Slots that all points together may have to answer to, at most; the slots from `links` on are limits."""

    def answering(ends: Iterable[int]) -> int:
        return sum(1 for column in zip(*(blocks[end] for end in ends), strict=True) if max(column) >= 0)

    def ends(pair: Pair) -> list[int]:
        bodies = (table.shapes[pair.first].body, table.shapes[pair.second].body)
        return [slots[body] for body in bodies if body >= 0]

    by_pair = [answering(ends(pair)) for pair in table.pairs]
    every = sum(pair.points * count for pair, count in zip(table.pairs, by_pair, strict=True))
    stops = sum(2 * answering([slot]) for slot in range(links, len(blocks)))
    return min(table.room * max(by_pair), every) + stops


def _turning(body: Body) -> Iterator[str]:
    """v_flat += dt c: what turning axes add to the velocity that is advanced along resting ones."""
    k = body.v_start
    if body.nv and body.joint.kind == "free":
        for i in range(3):
            j, m = (i + 1) % 3, (i + 2) % 3
            yield f"v_flat[{k + i}] += dt*(v[{k + 3 + j}]*v[{k + m}] - v[{k + 3 + m}]*v[{k + j}]);"
    if body.nv and body.joint.kind == "planar":
        yield f"v_flat[{k}] -= dt*v[{k + 2}]*v[{k + 1}];"
        yield f"v_flat[{k + 1}] += dt*v[{k + 2}]*v[{k}];"
