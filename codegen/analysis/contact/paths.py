"""How the slots of constraint rows move and answer each other: motion axes, dofs, blocks (§11).

The slots are the links that rows push, then the bounded coordinates, then the joints with dry friction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.runtime.kinds import KINDS

from ...mechanism.mechanism import Mechanism
from ...program.types import Function
from ...symbolic.contact.terms import carried, contact_places, contact_terms
from ..constraint_rows import Stiction
from ..limits import Limit
from ..routes import is_written_out
from ..sparsity import factor_pattern

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Terms:
    """Straight-line functions of a step by name, and the tables that go with their arrays (see `ContactTerms`)."""

    functions: tuple[tuple[str, Function], ...]
    columns: tuple[tuple[tuple[int, int], ...], ...]
    support: Rows = ()
    pattern: Rows = ()


def terms_of(mechanism: Mechanism, bodies: Sequence[int]) -> Terms:
    """For the links that rows push; where there are none, M that is too long to be written out is factored by loops."""
    if mechanism.virtual_links:
        if not bodies:
            return Terms((), ())
        places = contact_places(mechanism, bodies)
        return Terms((("contact_places", places.places),), places.columns)
    if not bodies and not is_written_out(mechanism):
        return Terms((), (), (), factor_pattern(mechanism.tree))
    terms = contact_terms(mechanism, bodies)
    functions = ("contact_terms", terms.terms), ("contact_finish", terms.finish)
    return Terms(functions, terms.columns, terms.support, terms.pattern)


@dataclass(frozen=True)
class Paths:
    """Per slot (axis, dof) of its motion and the dofs where its y is not zero; rows of L.

    `axes`: motion axes of the links; `turns`: for each entry of the paths 0 if it is an axis of a link's frame that
    turns with the entry before it. `trees`: a number for each slot, another one where no chain of answers leads from
    slot to slot; `seats`: its place among the slots of its tree; `blocks`: numbers of its answers to these, -1 where
    there is none; `shared`: the dofs that the two of a block share; `coupled`: a dof moves a link in two ways, or y of
    a link is not zero where none moves it.
    """

    columns: tuple[tuple[tuple[int, int], ...], ...]
    support: Rows
    pattern: Rows
    axes: int
    turns: tuple[int, ...]
    trees: tuple[int, ...]
    seats: tuple[int, ...]
    blocks: Rows
    shared: Rows
    coupled: bool


def paths_of(mechanism: Mechanism, terms: Terms, limits: Sequence[Limit], stictions: Sequence[Stiction]) -> Paths:
    """A bounded coordinate moves along x of an axis of its own; the path of a bounded cut joint is not known here: it
    is a row of C."""
    nv = mechanism.tree.nv
    axes = 1 + max((axis for own in terms.columns for axis, _ in own), default=-1)
    alone = [*(limit.v for limit in limits), *(stiction.dof for stiction in stictions)]
    bounded = tuple(((axes, dof),) if dof < nv else () for dof in alone)
    columns = (*terms.columns, *bounded)
    support = (*terms.support, *(carried({dof}, terms.pattern) for dof in alone))
    turns, trees = _turns(mechanism, columns), _trees(support)
    seats = _seats(trees)
    blocks, shared = _blocks(support, trees, seats)
    return Paths(columns, support, terms.pattern, axes, turns, trees, seats, blocks, shared, _are_coupled(terms))


def _are_coupled(terms: Terms) -> bool:
    paths = (sorted(dof for _, dof in own) for own in terms.columns)
    return any(path != list(dofs) for path, dofs in zip(paths, terms.support, strict=False))  # closed: none is known


def _blocks(support: Sequence[Sequence[int]], trees: Sequence[int], seats: Sequence[int]) -> tuple[Rows, Rows]:
    together = slots_of(trees)
    blocks: list[tuple[int, ...]] = []
    shared: list[tuple[int, ...]] = []
    for own, tree in zip(support, trees, strict=True):
        answers = [-1] * len(together[tree])
        for other in together[tree]:
            if both := set(own) & set(support[other]):
                answers[seats[other]] = len(shared)
                shared.append(tuple(sorted(both)))
        blocks.append(tuple(answers))
    return tuple(blocks), tuple(shared)


def slots_of(trees: Sequence[int]) -> dict[int, list[int]]:
    """The slots of each tree."""
    found: dict[int, list[int]] = {}
    for slot, tree in enumerate(trees):
        found.setdefault(tree, []).append(slot)
    return found


def _trees(support: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Slots share dofs, at least by others between them; trees in the order of their last slots."""
    tree_of_dof: dict[int, int] = {}
    together: dict[int, list[int]] = {}
    for slot, own in enumerate(support):
        alike = dict.fromkeys(tree_of_dof[dof] for dof in own if dof in tree_of_dof)
        joined = [other for tree in alike for other in together.pop(tree)]
        together[slot] = [*joined, slot]
        for dof in {dof for other in together[slot] for dof in support[other]} if joined else own:
            tree_of_dof[dof] = slot
    number = {slot: k for k, slots in enumerate(together.values()) for slot in slots}
    return tuple(number[slot] for slot in range(len(support)))


def _seats(trees: Sequence[int]) -> tuple[int, ...]:
    seats = {slot: k for slots in slots_of(trees).values() for k, slot in enumerate(slots)}
    return tuple(seats[slot] for slot in range(len(trees)))


def _turns(mechanism: Mechanism, columns: Sequence[Sequence[tuple[int, int]]]) -> tuple[int, ...]:
    together = {
        body.v_start + i for body in mechanism.tree.bodies for i in range(1, body.nv) if KINDS[body.joint.kind].group
    }
    return tuple(int(dof not in together) for own in columns for _, dof in own)
