"""The workspace of constraint rows: memory that every part of contact shares through one step (§11)."""

from __future__ import annotations

from collections.abc import Iterator

from kinegen.runtime.structs import Field, Struct

from ...analysis.sizes import KEPT, WITHIN_ROWS, RowSizes, Sizes


def workspace(sizes: Sizes, rows: RowSizes) -> Struct:
    return Struct(
        "contact_workspace",
        "Room to work in, zero before the first call; nothing that matters in it outlives a step. Slots are the links "
        "that may be pushed, then the bounded coordinates; twists and wrenches of slots are [linear; angular] about "
        "their origins, world axes, filled up to eights; a coordinate uses the first number. Fastest where the room "
        "starts at a multiple of 64 bytes: what stands in eights then fills whole lines of the cache.",
        (
            *_answers(sizes, rows),
            *_blocks(sizes, rows),
            *(_closed(sizes, rows) if sizes.loops else _tree(sizes, rows)),
            *_found(sizes, rows),
            *(_held(rows) if rows.locks + rows.stictions else ()),
            *_touching(rows),
            *_last_step(rows),
            *_kinds(sizes, rows),
            *(_islands(rows) if rows.islands else ()),
            *(_newton(sizes, rows) if rows.newton_groups else ()),
            *(_locks(rows) if rows.locks else ()),
            *(_broad_phase(rows) if rows.bounded else ()),
            *_events(sizes),
            *((Field("const begun *", "begun", "null, or what this step begins with"),) if sizes.beside else ()),
        ),
    )


def _answers(sizes: Sizes, rows: RowSizes) -> Iterator[Field]:
    """How slots move, and how they answer impulses."""
    yield Field("double", "y", "L'^-1 J' of each slot; see M = L'DL", (rows.slots, sizes.nv, 8))
    yield Field("double", "mobility", "twist of one slot by a unit wrench on another: J M^-1 J'", (rows.blocks, 6, 8))
    yield Field("double", "axes", "motion axes of the links", (rows.axes + 1, 8))
    yield Field("double", "origins", "places that twists and wrenches of the links are about", (rows.links or 1, 3))
    yield Field("double", "speed", "twists before the step", (rows.links or 1, 8))
    yield Field("double", "twist", "twists under the impulses so far", (rows.slots, 8))
    yield Field("double", "free_twist", "twists at the end of a step without rows", (rows.slots, 8))
    yield Field("double", "wrench", "sums of the impulses", (rows.slots, 8))
    yield Field("double", "waiting", "impulses that other slots have not answered yet", (rows.slots, 6, 4))


def _blocks(sizes: Sizes, rows: RowSizes) -> Iterator[Field]:
    """Blocks of rows, and what a solver by sweeps remembers of earlier sweeps."""
    room = rows.capacity
    yield Field("contact_row", "at", "blocks of rows, and the mean of points between two links", (room + 1,))
    yield Field("int", "bears", "1: a point that counts in that mean", (room,))
    yield Field("double", "past_twist", "twists after earlier sweeps", (KEPT, rows.slots, 8))
    yield Field("double", "past", "impulses after earlier sweeps", (KEPT, 3 * room))
    yield Field("double", "change", "what these sweeps changed", (KEPT, 3 * room))
    yield Field("double", "start", "impulses before a sweep", (3 * room,))


def _tree(sizes: Sizes, rows: RowSizes) -> Iterator[Field]:
    yield Field("double", "iD", "D^-1", (sizes.nv,))
    yield Field("double", "poses", "of the slots' links: R | p, row by row", (12 * rows.slots,))
    yield Field("double", "z", "L'^-1 (f - h)", (sizes.nv,))
    yield Field("double", "L", "entries below its diagonal that are not zero", (rows.entries or 1,))


def _closed(sizes: Sizes, rows: RowSizes) -> Iterator[Field]:
    """Of independent velocities: A = W'MW = L'DL."""
    assert sizes.loops
    yield Field("double", "iD", "D^-1", (sizes.nv,))
    yield Field("double", "poses", "of the slots' links: R | p, row by row", (12 * rows.slots,))
    if sizes.cut_limits:
        per = "velocities of cut joints per velocity of the tree"
        yield Field("double", "C", per, (sizes.loops.cut_v * sizes.nv,))
    yield Field("const double *", "H", "dependent velocities per independent one")
    yield Field("const double *", "A", "factor L of W'MW")
    yield Field("int", "free", "independent velocities")
    yield Field("int", "leads", "their places in v", (sizes.nv,))
    yield Field("double", "on_closure", "velocities at the end of a step without rows", (sizes.nv,))
    yield Field("int", "place", "of each velocity: dependent ones, then independent ones", (sizes.nv,))
    yield Field("int", "from", "independent velocities that move a slot: from this one", (rows.slots,))
    yield Field("int", "until", "to the one before this", (rows.slots,))


def _found(sizes: Sizes, rows: RowSizes) -> Iterator[Field]:
    """What is near."""
    if sizes.switched:
        yield Field("int", "idle", "1: a pair or limit that is left out in this structure", (rows.pairs + rows.limits,))
    yield Field("double", "shape_R", "rotations of the shapes", (rows.shapes or 1, 9))
    yield Field("double", "shape_p", "places of the shapes", (rows.shapes or 1, 3))
    yield Field("double", "impact", "forces of the impacts with which the step begins", (rows.capacity, 3))
    yield Field("double", "bounded", "coordinates that have limits", (rows.limits or 1,))
    yield Field("double", "bounded_speed", "how fast they have been in this step", (rows.limits or 1,))


def _held(rows: RowSizes) -> Iterator[Field]:
    """Locked directions of joints, and dry friction."""
    held = rows.locks + rows.stictions
    yield Field("double", "way", "world directions of the rows of locks and of dry friction", (held, 3, 3))
    yield Field("double", "off", "how far they are off along these", (held, 3))
    yield Field("double", "carried", "accelerations of links at zero joint accelerations", (rows.links or 1, 8))
    yield Field("long", "cones", "blocks before these: points, limits, moments")


def _touching(rows: RowSizes) -> Iterator[Field]:
    """Slots that rows push in this step."""
    yield Field("int", "links", "slots that rows push in this step")
    yield Field("int", "touching", "1: a slot that is one of these", (rows.slots,))
    yield Field("int", "list", "these slots (links)", (rows.slots,))
    yield Field("int", "neighbours", "how many others answer each", (rows.slots,))
    yield Field("int", "first_neighbour", "place of the first of these in `neighbour`", (rows.slots,))
    yield Field("int", "neighbour", "slots that answer", (rows.blocks,))
    yield Field("int", "present", "slots of the block that is visited, whose impulses may be waiting", (2,))


def _last_step(rows: RowSizes) -> Iterator[Field]:
    yield Field("long", "known", "points of the last step: how many")
    yield Field("contact", "before", "points of the last step (known)", (rows.capacity,))
    yield Field("contact", "aside", "all points, while stops that did not push are left out", (rows.capacity,))


def _kinds(sizes: Sizes, rows: RowSizes) -> Iterator[Field]:
    """What kinds of rows need for themselves."""
    if rows.few_points and not sizes.loops:
        yield Field("int", "answered", "1: `mobility` is there")
    if rows.turning:
        yield Field("long", "turning", "the first block of moments")
    if rows.open_frictions:
        yield Field("double", "open_friction", "coefficients that depend on parameters", (rows.open_frictions,))
    if rows.rims:
        yield Field("double", "left_before", "`left` of the last step", (rows.capacity, 4))
        yield Field("long", "was", "number of each point in the last step; -1: it is new", (rows.capacity,))
        yield Field("long", "leading", "1: points of rims are left with a velocity (semi-implicit Euler)")


def _islands(rows: RowSizes) -> Iterator[Field]:
    """Which slots and rows belong together, and what an island's solution begins with."""
    room, slots = rows.capacity, rows.slots
    yield Field("int", "root", "of each slot in the forest of its island", (slots,))
    yield Field("int", "island", "number of a root's island", (slots,))
    yield Field("long", "island_row", "blocks, island after island", (room,))
    yield Field("int", "island_link", "slots, island after island", (slots,))
    yield Field("long", "row_start", "first of these blocks of each", (slots + 1,))
    yield Field("int", "link_start", "first of these slots of each", (slots + 1,))
    yield Field("double", "bounce", "velocity that each point is to leave with", (room,))
    yield Field("double", "before_step", "velocities along the rows before the step", (3 * room,))
    yield Field("int", "struck", "1: a point that strikes in this step", (room,))
    yield Field("int", "islands", "how many")


def _newton(sizes: Sizes, rows: RowSizes) -> Iterator[Field]:
    """Newton's and the interior point method: velocities in groups of six, parts of blocks that move a group."""
    parts, room, held = rows.newton_parts, rows.capacity, rows.locks + rows.stictions
    yield Field("double", "block", "blocks of the equations, columns one after another", (rows.newton_blocks, 6, 8))
    yield Field("double", "slope", "of each block's impulses in its velocities", (room, 3, 4))
    yield Field("double", "columns", "rows of each part: velocities that they move", (parts, 6, 4))
    yield Field("double", "weighed", "columns times D^-1", (parts, 3, 8))
    yield Field("int", "part_group", "group of each part", (parts,))
    yield Field("int", "first_part", "of each block", (room + 1,))
    yield Field("int", "dof_seat", "place of each velocity in its group: 8 groups + place", (sizes.nv,))
    yield Field("double", "best", "impulses with the least residual so far", (3 * room,))
    yield Field(
        "double", "within", "variables of the interior point method, points in lanes", (_eights(room), WITHIN_ROWS, 8)
    )
    if held:
        yield Field("double", "held_iK", "1 over K of locked and dry rows", (held, 3))
    if rows.turning:
        yield Field("double", "lean", "slope of moments in the normal impulse of their point", (room, 3))
        yield Field("long", "entry", "place of each block in its island", (room,))


def _eights(count: int) -> int:
    return (count + 7) // 8


def _locks(rows: RowSizes) -> Iterator[Field]:
    """Locked rows of an island, solved as one."""
    yield Field("double", "lock_factor", "factors of K of locked rows", (9 * rows.locks**2,))
    yield Field("int", "lock_order", "order of their elimination", (3 * rows.locks,))
    yield Field("int", "lock_rank", "rank of each island's", (rows.slots,))
    yield Field("int", "lock_before", "locks of the islands before", (rows.slots,))


def _broad_phase(rows: RowSizes) -> Iterator[Field]:
    yield Field("int", "sweep_axis", "axis along which shapes are sorted")
    yield Field("int", "order", "shapes along it", (rows.bounded,))
    yield Field("unsigned long long", "near", "a bit for each pair that may meet", (rows.pairs // 64 + 1,))


def _events(sizes: Sizes) -> Iterator[Field]:
    """Contacts of steps that are made again, as events divide them."""
    if sizes.switched:
        yield Field("contacts", "kept", "where the step may end")
        yield Field("contacts", "began", "before the step")
        yield Field("contacts", "now", "for forces asked for between steps")
