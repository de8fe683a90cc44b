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


@dataclass(frozen=True)
class Terms:
    """Straight-line functions of a step by name, and the tables that go with their arrays (see `ContactTerms`)."""

    functions: tuple[tuple[str, Function], ...]
    columns: tuple[tuple[tuple[int, int], ...], ...]
    support: tuple[tuple[int, ...], ...] = ()
    pattern: tuple[tuple[int, ...], ...] = ()


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
    turns with the entry before it. `blocks`: number of the answer of each slot to each, -1 where there is none;
    `shared`: the dofs that the two of a block share; `trees`: a number for each slot, another one where no chain of
    answers leads from slot to slot.
    """

    columns: tuple[tuple[tuple[int, int], ...], ...]
    support: tuple[tuple[int, ...], ...]
    pattern: tuple[tuple[int, ...], ...]
    axes: int
    turns: tuple[int, ...]
    blocks: tuple[tuple[int, ...], ...]
    shared: tuple[tuple[int, ...], ...]
    trees: tuple[int, ...]


def paths_of(mechanism: Mechanism, terms: Terms, limits: Sequence[Limit], stictions: Sequence[Stiction]) -> Paths:
    """A bounded coordinate moves along x of an axis of its own; the path of a bounded cut joint is not known here: it
    is a row of C."""
    nv = mechanism.tree.nv
    axes = 1 + max((axis for own in terms.columns for axis, _ in own), default=-1)
    alone = [*(limit.v for limit in limits), *(stiction.dof for stiction in stictions)]
    bounded = tuple(((axes, dof),) if dof < nv else () for dof in alone)
    columns = (*terms.columns, *bounded)
    support = (*terms.support, *(carried({dof}, terms.pattern) for dof in alone))
    blocks, shared = _blocks(support)
    return Paths(columns, support, terms.pattern, axes, _turns(mechanism, columns), blocks, shared, _trees(support))


def _blocks(support: Sequence[Sequence[int]]) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    blocks: list[list[int]] = [[-1] * len(support) for _ in support]
    shared: list[tuple[int, ...]] = []
    for a, own in enumerate(support):
        for b, other in enumerate(support):
            if both := set(own) & set(other):
                blocks[a][b] = len(shared)
                shared.append(tuple(sorted(both)))
    return tuple(map(tuple, blocks)), tuple(shared)


def _trees(support: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Slots share dofs, at least by others between them."""
    carried: list[set[int]] = []
    for own in support:
        alike = [dofs for dofs in carried if not dofs.isdisjoint(own)]
        carried = [*(dofs for dofs in carried if dofs not in alike), set(own).union(*alike)]
    return tuple(next(k for k, dofs in enumerate(carried) if dofs.issuperset(own)) for own in support)


def _turns(mechanism: Mechanism, columns: Sequence[Sequence[tuple[int, int]]]) -> tuple[int, ...]:
    together = {
        body.v_start + i for body in mechanism.tree.bodies for i in range(1, body.nv) if KINDS[body.joint.kind].group
    }
    return tuple(int(dof not in together) for own in columns for _, dof in own)
