"""Structs of constraint rows: what touches, how rows are solved, room to work in (§11)."""

from __future__ import annotations

from collections.abc import Iterator

from kinegen.runtime.structs import CONTACT, OPTION_NUMBERS, Field, Struct, UsualOptions

from ...analysis.sizes import KEPT, WITHIN_ROWS, RowSizes, Sizes

USUAL = UsualOptions()

OPTIONS = Struct(
    "contact_options",
    "How rows are solved, in Python kg.ContactOptions with the same names; in brackets the usual values. "
    f"tolerance ({USUAL.tolerance:g}): change of velocity in a sweep [m/s] below which it ends; sweeps "
    f"({USUAL.sweeps}): at most so many, at least 1; depth ({USUAL.depth:g}) [m] that stays; recovery "
    f"({USUAL.recovery:g}): part of the depth beyond that a step removes, at recovery_speed "
    f"({USUAL.recovery_speed:g}) [m/s] at most; bounce ({USUAL.bounce:g}): approach speed [m/s] above which "
    "restitution acts; solve (0): what takes the place of sweeps: it gives the impulses of `count` blocks to "
    "contact_solution and returns its residual [m/s].",
    (
        *(Field("long" if name == "sweeps" else "double", name) for name in OPTION_NUMBERS),
        Field("double (*)(long count, contact_workspace *workspace)", "solve"),
    ),
)


def row_structs(sizes: Sizes, rows: RowSizes) -> Iterator[Struct]:
    """In the order of their declaration."""
    yield CONTACT
    yield _contacts(rows)
    yield _row(rows)
    if sizes.beside:
        yield _begun(sizes, rows)
    yield _workspace(sizes, rows)
    yield OPTIONS


def _contacts(rows: RowSizes) -> Struct:
    rims = (
        "; left: velocity [m/s] of each point at its end, world axes, and 1 if it pressed before" if rows.rims else ""
    )
    return Struct(
        "contacts",
        f"Rows of the last step: `points` have `count` entries; more `found` than {rows.capacity} stop the motion, so "
        f"does a locked row that does not hold: `open` is 1 + its number, else 0{rims}.",
        (
            *(Field("long", name) for name in ("count", "found", "sweeps", "open")),
            Field("double", "residual"),
            Field("contact", "points", (rows.capacity,)),
            *((Field("double", "left", (rows.capacity, 4)),) if rows.rims else ()),
        ),
    )


def _row(rows: RowSizes) -> Struct:
    held = rows.locks + rows.stictions > 0
    return Struct(
        "contact_row",
        "A block of three rows: entries of the wrenches of unit impulses along them on both links, the velocities that "
        "these give them, K of the block, the inverse of its part along both tangents (`rest`), that times what the "
        "normal impulse adds along them (`follow`), impulses"
        f"{'; other: of a point its moments, of moments their point, -1: none' if rows.turning else ''}.",
        (
            Field("double", "row", (2, 6, 4)),
            Field("double", "response", (2, 3, 8)),
            Field("double", "k", (6,)),
            *(Field("double", name) for name in ("iK", "reach", "friction", "target")),
            Field("double", "rest", (3,)),
            Field("double", "follow", (2,)),
            Field("double", "impulse", (3,)),
            *((Field("double", "torsion"),) if rows.turning else ()),
            *((Field("double", "lead", (3,)), Field("long", "steady")) if rows.rims else ()),
            *((Field("double", "inverse", (6,)), Field("double", "aim", (3,))) if held else ()),
            *(Field("int", name) for name in ("a", "b")),
            Field("int", "apart", (10,)),  # from the next, by whole lines of the cache
            *((Field("int", "other"),) if rows.turning else ()),
            *((Field("double", "scale", (3,)), Field("int", "fill", (8,))) if held else ()),  # to whole lines
        ),
    )


def _begun(sizes: Sizes, rows: RowSizes) -> Struct:
    return Struct(
        "begun",
        "What a step begins with: forces f of joints and what is added to the diagonal of M, then what the links that "
        "may touch share.",
        (
            *(Field("double", name, (sizes.nv,)) for name in ("f", "d", "z", "iD")),
            Field("double", "L", (rows.entries or 1,)),
            Field("double", "poses", (12 * rows.links,)),
            Field("double", "axes", (rows.axes, 8)),
            Field("double", "origins", (rows.links, 3)),
        ),
    )


def _workspace(sizes: Sizes, rows: RowSizes) -> Struct:
    room, slots, held = rows.capacity, rows.slots, rows.locks + rows.stictions
    fields = [
        Field("double", "y", (slots, sizes.nv, 8)),
        Field("double", "mobility", (rows.blocks, 6, 8)),
        Field("double", "axes", (rows.axes + 1, 8)),
        Field("double", "origins", (rows.links or 1, 3)),
        Field("double", "speed", (rows.links or 1, 8)),
        Field("double", "twist", (slots, 8)),
        Field("double", "free_twist", (slots, 8)),
        Field("double", "wrench", (slots, 8)),
        Field("double", "waiting", (slots, 6, 4)),
        Field("contact_row", "at", (room + 1,)),  # and the mean of a patch
        Field("int", "bears", (room,)),
        Field("double", "past_twist", (KEPT, slots, 8)),
        Field("double", "past", (KEPT, 3 * room)),
        Field("double", "change", (KEPT, 3 * room)),
        Field("double", "start", (3 * room,)),
        Field("double", "iD", (sizes.nv,)),
        Field("double", "poses", (12 * slots,)),
    ]
    if sizes.loops:
        fields += [Field("double", "C", (sizes.loops.cut_v * sizes.nv,))] if sizes.cut_limits else []
        fields += [Field("const double *", "H"), Field("const double *", "A"), Field("int", "free")]
        fields += [Field("int", "leads", (sizes.nv,)), Field("double", "on_closure", (sizes.nv,))]
        fields += [Field("int", "place", (sizes.nv,)), Field("int", "from", (slots,)), Field("int", "until", (slots,))]
    else:
        fields += [Field("double", "z", (sizes.nv,)), Field("double", "L", (rows.entries or 1,))]
    if sizes.switched:
        fields += [Field("int", "idle", (rows.pairs + rows.limits,))]
    fields += [Field("double", "shape_R", (rows.shapes or 1, 9)), Field("double", "shape_p", (rows.shapes or 1, 3))]
    fields += [Field("double", "impact", (room, 3))]
    fields += [Field("double", name, (rows.limits or 1,)) for name in ("bounded", "bounded_speed")]
    if held:
        fields += [Field("double", "way", (held, 3, 3)), Field("double", "off", (held, 3))]
        fields += [Field("double", "carried", (rows.links or 1, 8)), Field("long", "cones")]
    fields += [Field("int", "links"), Field("int", "touching", (slots,)), Field("int", "list", (slots,))]
    fields += [Field("int", "neighbours", (slots,)), Field("int", "first_neighbour", (slots,))]
    fields += [Field("int", "neighbour", (rows.blocks,)), Field("int", "present", (2,))]
    fields += [Field("long", "known"), Field("contact", "before", (room,)), Field("contact", "aside", (room,))]
    fields += _by_kinds(sizes, rows)
    fields += [Field("contacts", name) for name in ("kept", "began", "now")] if sizes.switched else []
    fields += [Field("const begun *", "begun")] if sizes.beside else []
    return Struct(
        "contact_workspace",
        "Room to work in, zero before the first call; nothing that matters in it outlives a step. Fastest where "
        "it starts at a multiple of 64 bytes: what stands in eights then fills whole lines of the cache.",
        tuple(fields),
    )


def _by_kinds(sizes: Sizes, rows: RowSizes) -> list[Field]:
    """What kinds of rows, or ways to solve them, need for themselves."""
    room, slots, fields = rows.capacity, rows.slots, list[Field]()
    if rows.few_points and not sizes.loops:
        fields += [Field("int", "answered")]
    if rows.turning:
        fields += [Field("long", "turning")]
    if rows.open_frictions:
        fields += [Field("double", "open_friction", (rows.open_frictions,))]
    if rows.rims:
        fields += [Field("double", "left_before", (room, 4)), Field("long", "was", (room,)), Field("long", "leading")]
    if rows.islands:
        fields += _islands(room, slots)
    if rows.newton_groups:
        fields += [Field("double", "block", (rows.newton_blocks, 6, 8)), Field("double", "slope", (room, 3, 4))]
        parts = rows.newton_parts
        fields += [Field("double", "columns", (parts, 6, 4)), Field("double", "weighed", (parts, 3, 8))]
        fields += [Field("int", "part_group", (parts,)), Field("int", "first_part", (room + 1,))]
        fields += [Field("int", "dof_seat", (sizes.nv,)), Field("double", "best", (3 * room,))]
        fields += [Field("double", "within", ((room + 7) // 8, WITHIN_ROWS, 8))]
        held = rows.locks + rows.stictions
        fields += [Field("double", "held_iK", (held, 3))] if held else []
        fields += [Field("double", "lean", (room, 3)), Field("long", "entry", (room,))] if rows.turning else []
    if rows.locks:
        fields += [Field("double", "lock_factor", (9 * rows.locks**2,)), Field("int", "lock_order", (3 * rows.locks,))]
        fields += [Field("int", "lock_rank", (slots,)), Field("int", "lock_before", (slots,))]
    if rows.bounded:
        fields += [Field("int", "sweep_axis"), Field("int", "order", (rows.bounded,))]
        fields += [Field("unsigned long long", "near", (rows.pairs // 64 + 1,))]
    return fields


def _islands(room: int, slots: int) -> list[Field]:
    """Which links and rows belong together, and what an island's solution begins with."""
    return [
        Field("int", "root", (slots,)),
        Field("int", "island", (slots,)),
        Field("long", "island_row", (room,)),
        Field("int", "island_link", (slots,)),
        Field("long", "row_start", (slots + 1,)),
        Field("int", "link_start", (slots + 1,)),
        Field("double", "bounce", (room,)),
        Field("double", "before_step", (3 * room,)),
        Field("int", "struck", (room,)),
        Field("int", "islands"),
    ]
