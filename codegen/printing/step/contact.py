"""Constraint rows as C99 text: shapes, pairs, rows and paths as tables around runtime/c/contact (§11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from ...analysis.constraint_rows import Lock
from ...analysis.contact.paths import Paths
from ...analysis.contact.plan import ContactPlan, Switching
from ...analysis.contact.runs import Surface
from ...analysis.contact.shapes import Geometry
from ...analysis.limits import Limit
from ...analysis.sizes import RowSizes
from ...mechanism.elements.parameter import value_of
from ..kernels import CFile, Context, internal_declarations, kernels_text, printed
from ..motion.statements import parameter_printer
from ..structs.rows import OPTIONS, USUAL
from ..text.environment import render, starts


@dataclass(frozen=True)
class SlottedLock:
    """A block of rows between the links of slots a and b, -1 for the world."""

    lock: Lock
    a: int
    b: int

    @property
    def label(self) -> str:
        return f"{'turns' if self.lock.turns else 'axes'} of {self.lock.name}"


@dataclass(frozen=True)
class Table:
    """Rows of different lengths, one after the other: where each starts, and their entries."""

    starts: tuple[int, ...]
    entries: tuple[int, ...]

    @staticmethod
    def of(rows: Iterable[Sequence[int]]) -> Table:
        rows = tuple(rows)
        return Table(tuple(starts(rows)), tuple(x for row in rows for x in row) or (0,))


@dataclass(frozen=True)
class PathTables:
    """Motion of the slots: axes and dofs of their paths; of a tree also rows of L, dofs where y is not zero, shared;
    the tree of each, its place there and its answers to the slots of it, and all of them tree by tree."""

    axes: Table
    dofs: Table
    turns: tuple[int, ...]
    rows: Table
    support: Table
    seats: tuple[int, ...]
    blocks: Table
    shared: Table
    trees: tuple[int, ...]
    by_tree: tuple[int, ...]

    @staticmethod
    def of(paths: Paths) -> PathTables:
        return PathTables(
            Table.of([axis for axis, _ in own] for own in paths.columns),
            Table.of([dof for _, dof in own] for own in paths.columns),
            paths.turns or (0,),
            Table.of(paths.pattern),
            Table.of(paths.support),
            paths.seats,
            Table.of(paths.blocks),
            Table.of(paths.shared),
            paths.trees,
            tuple(sorted(range(len(paths.trees)), key=paths.trees.__getitem__)),
        )


@dataclass(frozen=True)
class ContactTables:
    """What `contact.c.j2` shows. `closed`: there are loops; `switched`: they come and go; `frictions` of joints
    [N m, N]; `surfaces` of pairs; `pairs`: two shapes and a surface each, if they are listed;
    `open_frictions` of pairs, of the parameters p, and which of them each surface has, -1: a number; `mass` [kg] of
    everything, as far as it is told; `usual`: options."""

    title: str
    prefix: str
    closed: bool
    switched: bool
    sizes: RowSizes
    geometry: Geometry
    surfaces: tuple[Surface, ...]
    pairs: tuple[tuple[int, int, int], ...]
    switching: Switching
    limits: tuple[Limit, ...]
    locks: tuple[SlottedLock, ...]
    frictions: tuple[float, ...]
    open_frictions: tuple[str, ...]
    opened: tuple[int, ...]
    rims: tuple[tuple[int, int, int], ...]
    paths: PathTables
    mass: float
    usual: tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class ContactDeclarations:
    """What `contact.h.j2` shows; `terms`: M of a tree is factored by straight-line code."""

    prefix: str
    closed: bool
    switched: bool
    terms: bool
    rims: int


def contact_files(context: Context, plan: ContactPlan) -> tuple[CFile, ...]:
    """PREFIX_terms.c with what a step shares, if anything, and PREFIX_contact.c with the rows."""
    closed, switched = bool(context.mechanism.virtual_links), bool(context.switches)
    pieces = [printed(context, name, function) for name, function in plan.functions]
    shared = kernels_text(context, "what a step with rows shares", pieces, batches=False) if pieces else ""
    declared = ContactDeclarations(context.prefix, closed, switched, plan.sizes.terms, plan.sizes.rims)
    return (
        *([CFile(f"{context.prefix}_terms.c", shared, (), {})] if pieces else []),
        CFile(
            f"{context.prefix}_contact.c",
            render("step/contact.c.j2", contact=_tables(context, plan)),
            (),
            {},
            ("-O3",) if plan.sizes.links else (),
            internal_declarations(context, pieces) + render("step/contact.h.j2", contact=declared),
        ),
    )


def _tables(context: Context, plan: ContactPlan) -> ContactTables:
    held, surfaces, open_frictions = plan.table.held, plan.geometry.pairs.surfaces, plan.table.open_frictions
    number = parameter_printer(context.mechanism.parameters)
    return ContactTables(
        context.mechanism.name,
        context.prefix,
        bool(context.mechanism.virtual_links),
        bool(context.switches),
        plan.sizes,
        plan.geometry,
        surfaces,
        tuple(_listed(plan)) if plan.sizes.listed else (),
        plan.switching,
        plan.limits,
        tuple(_slotted(lock, plan.ends) for lock in held.locks),
        tuple(stiction.force for stiction in held.stictions),
        tuple(number(friction) for friction in open_frictions),
        tuple(open_frictions.index(friction) if friction in open_frictions else -1 for friction, *_ in surfaces),
        plan.rims,
        PathTables.of(plan.paths),
        fsum(value_of(link.mass) or 0.0 for link in context.mechanism.links) or 1.0,
        tuple((option.name, getattr(USUAL, option.name)) for option in OPTIONS.fields if option.name != "solve"),
    )


def _listed(plan: ContactPlan) -> Iterator[tuple[int, int, int]]:
    """Shapes and surface of every pair."""
    for run in plan.geometry.pairs.runs:
        for pair in plan.table.pairs[run.start : run.start + run.count]:
            yield pair.first, pair.second, run.surface


def _slotted(lock: Lock, ends: Mapping[str, int]) -> SlottedLock:
    return SlottedLock(lock, ends.get(lock.parent, -1), ends.get(lock.child, -1))
