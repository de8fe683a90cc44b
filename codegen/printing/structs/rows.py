"""Structs of constraint rows: what touches, what a block of rows is, how rows are solved (§11)."""

from __future__ import annotations

from collections.abc import Iterator

from kinegen.runtime.structs import CONTACT, OPTION_NUMBERS, Field, Struct, UsualOptions

from ...analysis.sizes import RowSizes, Sizes
from .workspace import workspace

USUAL = UsualOptions()

_ABOUT_OPTIONS = {
    "tolerance": "a sweep that changes no velocity by more ends the solution [m/s]",
    "depth": "that stays [m]",
    "recovery": "part of the depth beyond that which a step removes",
    "recovery_speed": "at most so fast [m/s]",
    "bounce": "approach speed above which restitution acts [m/s]",
    "sweeps": "at most so many, at least 1",
}

OPTIONS = Struct(
    "contact_options",
    "How rows are solved, in Python kg.ContactOptions with the same names; in brackets the usual values.",
    (
        *(
            Field("long" if name == "sweeps" else "double", name, f"({getattr(USUAL, name):g}) {_ABOUT_OPTIONS[name]}")
            for name in OPTION_NUMBERS
        ),
        Field(
            "double (*)(long count, contact_workspace *workspace)",
            "solve",
            "(null) what takes the place of sweeps: it gives the impulses of `count` blocks to contact_solution and "
            "returns its residual [m/s]",
        ),
    ),
)


def row_structs(sizes: Sizes, rows: RowSizes) -> Iterator[Struct]:
    """In the order of their declaration."""
    yield CONTACT
    yield _contacts(rows)
    yield _row(rows)
    if sizes.beside:
        yield _begun(sizes, rows)
    yield workspace(sizes, rows)
    yield OPTIONS


def _contacts(rows: RowSizes) -> Struct:
    left = "velocity of each point at the end of the step, world axes [m/s], and 1 if it pressed before"
    return Struct(
        "contacts",
        "Rows of the last step.",
        (
            Field("long", "count", "entries of `points`"),
            Field("long", "found", f"points that there were: more than {rows.capacity} stop the motion"),
            Field("long", "sweeps", "that it took to solve them"),
            Field("long", "open", "0, or 1 + the number of a locked row that does not hold, which stops the motion"),
            Field("double", "residual", "what the last sweep changed [m/s]"),
            Field("contact", "points", "in the order of the pairs", (rows.capacity,)),
            *((Field("double", "left", left, (rows.capacity, 4)),) if rows.rims else ()),
        ),
    )


def _row(rows: RowSizes) -> Struct:
    """Gaps between its members fill whole lines of the cache."""
    held = rows.locks + rows.stictions > 0
    other = "of a point: the block of its moments; of moments: that of their point; -1: none"
    rims = (
        Field("double", "lead", "velocities that the point is to be left with, where it moves along a rim", (3,)),
        Field("long", "steady", "1: it pressed in the last step too"),
    )
    lock = (
        Field("double", "inverse", "of K of the block, its rows that are held", (6,)),
        Field("double", "aim", "velocities that they are to have", (3,)),
    )
    return Struct(
        "contact_row",
        "A block of three rows: a normal and two tangents, a moment about each, or what a joint holds.",
        (
            Field("double", "row", "entries of the wrenches of unit impulses along the rows, on both links", (2, 6, 4)),
            Field("double", "response", "the twists that these give both links", (2, 3, 8)),
            Field("double", "k", "K of the block: 00, 01, 02, 11, 12, 22", (6,)),
            Field("double", "iK", "1 over k[0]; 0: the row moves nothing"),
            Field("double", "reach", "1 over the larger eigenvalue of K of both tangents"),
            Field("double", "friction", "coefficient of friction"),
            Field("double", "target", "least velocity along the normal"),
            Field("double", "rest", "inverse of K of both tangents", (3,)),
            Field("double", "follow", "that times what the normal impulse adds along them", (2,)),
            Field("double", "impulse", "along the rows", (3,)),
            *((Field("double", "torsion", "length of torsional friction [m]"),) if rows.turning else ()),
            *(rims if rows.rims else ()),
            *(lock if held else ()),
            Field("int", "a", "link, or bounded coordinate, that the impulse pushes back; -1: the world"),
            Field("int", "b", "the one that it pushes"),
            Field("int", "apart", "not used: the next block begins with a line of the cache", (10,)),
            *((Field("int", "other", other),) if rows.turning else ()),
            *((Field("double", "scale", "of each row, by its largest entry", (3,)),) if held else ()),
            *((Field("int", "fill", "not used: as `apart`", (8,)),) if held else ()),
        ),
    )


def _begun(sizes: Sizes, rows: RowSizes) -> Struct:
    return Struct(
        "begun",
        "What a step of a tree begins with. M = L'DL, with d on its diagonal.",
        (
            Field("double", "f", "forces of joints", (sizes.nv,)),
            Field("double", "d", "added to the diagonal of M", (sizes.nv,)),
            Field("double", "z", "L'^-1 (f - h)", (sizes.nv,)),
            Field("double", "iD", "D^-1", (sizes.nv,)),
            Field("double", "L", "its entries below the diagonal that are not zero", (rows.entries or 1,)),
            Field("double", "poses", "of the links that may touch: R | p, row by row", (12 * rows.links,)),
            Field("double", "axes", "their motion axes: [linear; angular], world axes", (rows.axes, 8)),
            Field("double", "origins", "places that twists of these links are about", (rows.links, 3)),
        ),
    )
