"""Structs and enums of a model as C: those that Python shares (runtime.structs), and those of a size of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from kinegen.runtime.structs import CONDITION, CONTACT, QUANTITIES, TARGET, Field, Struct

from ..analysis.sizes import KEPT, LoopSizes, RowSizes, Sizes

WIDTH = 116

OPTIONS = Struct(
    "contact_options",
    "How rows are solved. tolerance: change of velocity in a sweep [m/s] below which it ends; sweeps: at most so "
    "many; allowed: depth [m] that stays; recovery: part of the depth beyond that a step removes, at "
    "recovery_speed [m/s] at most; bounce: approach speed [m/s] above which restitution acts; solve: 0, or what "
    "takes the place of sweeps: it gives the impulses of `count` blocks to contact_solution and returns its "
    "residual [m/s].",
    (
        *(Field("double", name) for name in ("tolerance", "allowed", "recovery", "recovery_speed", "bounce")),
        Field("long", "sweeps"),
        Field("double (*)(long count, contact_workspace *workspace)", "solve"),
    ),
)


EXTERNAL = Struct(
    "external",
    "External wrenches on links: `count` of them. place: [link, x, y, z, rests] of each: rests 0: it acts at x, y, z "
    "in the link's axes, 1: its moment is that about the origin of the world; rows: 6 count numbers [force; moment], "
    "world axes, for step i at rows + i*stride; row: those of the present step.",
    (
        Field("long", "count"),
        Field("const double *", "place"),
        Field("const double *", "rows"),
        Field("long", "stride"),
        Field("const double *", "row"),
    ),
)


SERVOS = Struct(
    "servos",
    "Joint servos: `count` entries, of q at place[k], of v at dof[k], with gains and largest force; rows: positions, "
    "then velocities that they go to, 2 count numbers for step i at rows + i*stride; torque: what they exert, `count` "
    "numbers a step. Of the present step: its row, its torques, what the gains ask for, mode: 1, -1 at a limit.",
    (
        Field("long", "count"),
        Field("const int *", "place"),
        Field("const int *", "dof"),
        Field("const double *", "kp"),
        Field("const double *", "kd"),
        Field("const double *", "limit"),
        Field("const double *", "rows"),
        Field("long", "stride"),
        Field("double *", "torque"),
        Field("const double *", "row"),
        Field("double *", "out"),
        Field("double *", "asked"),
        Field("int *", "mode"),
    ),
)


IK = Struct(
    "ik",
    "Inverse kinematics: `rows` searches in place from q, each for its row of goals (9 a target: a point, a unit "
    "vector or a rotation of the link), follow: 1 if each starts where the one before ended. Limits and places (in q, "
    "or in the cut coordinates) of every velocity, then of those of cut joints; turns: 1 for an angle; moves (nv): 0 "
    "holds a velocity; ready (nv): as for partition_closure. tolerance [m, rad] of each target, passes at most; what "
    "limits and loops may be missed by; centre: 1 if a target needs the centre of mass; work: 6 numbers a target. Of "
    "each row: size of each target's residual, passes taken, how it ended: 0 reached, 1 nothing better near, 2 out of "
    "passes, 3 out of limits.",
    (
        Field("const double *", "p"),
        Field("long", "rows"),
        Field("long", "follow"),
        Field("double *", "q"),
        Field("long", "count"),
        Field("const target *", "targets"),
        Field("const double *", "goals"),
        Field("const double *", "lower"),
        Field("const double *", "upper"),
        Field("const int *", "entry"),
        Field("const int *", "turns"),
        Field("const double *", "moves"),
        Field("const double *", "ready"),
        Field("double", "tolerance"),
        Field("double", "slack"),
        Field("double", "closed"),
        Field("long", "passes"),
        Field("long", "centre"),
        Field("double *", "work"),
        Field("double *", "size"),
        Field("long *", "taken"),
        Field("long *", "ended"),
    ),
)


def declarations(sizes: Sizes, prefix: str) -> str:
    """All structs of a model, each before those that hold it, as cffi and C read them."""
    text = []
    if sizes.switched:
        names = ", ".join(f"{prefix}_{name.upper()}" for name in QUANTITIES)
        text.append(f"/* What the value of a condition is. */\nenum {{ {names} }};\n")
    return "\n".join([*text, *(_declared(struct, prefix) for struct in structs(sizes))])


def structs(sizes: Sizes) -> Iterator[Struct]:
    """In the order of their declaration."""
    rows, loops = sizes.rows, sizes.loops
    if loops:
        yield _partition(sizes)
        yield _memory(sizes, loops)
    if rows:
        yield CONTACT
        yield _contacts(rows)
        yield _row(rows)
        yield _workspace(sizes, rows)
        yield OPTIONS
    if sizes.switched:
        yield CONDITION
    yield EXTERNAL
    yield _driving(sizes)
    yield SERVOS
    yield _simulation(sizes)
    yield TARGET
    yield IK


def _partition(sizes: Sizes) -> Struct:
    room = sizes.rank_room
    return Struct(
        "partition",
        "Partition of the tree's velocities on the closure K v = 0: rank m, pivot rows of K, entries of v "
        "(dependent (m), then independent (nv - m)), smallest pivot over largest, now and when the partition was "
        "chosen, and where that stood, H (m, nv - m). inverted: 1 if inverse (m, m) is that of the pivot rows and "
        "columns at a q nearby; known: 1 if it and H are those at q.",
        (
            *(Field("int", name) for name in ("rank", "weak_row", "weak_column", "inverted", "known")),
            Field("int", "rows", (room,)),
            Field("int", "columns", (sizes.nv,)),
            Field("double", "ratio"),
            Field("double", "chosen"),
            Field("double", "H", (room * sizes.nv,)),
            Field("double", "inverse", (room * room,)),
            Field("double", "q", (sizes.nq,)),
        ),
    )


def _memory(sizes: Sizes, loops: LoopSizes) -> Struct:
    return Struct(
        "memory",
        "What the motion of a closed mechanism carries from step to step: the partition in use, readiness of the "
        "velocities to be dependent, coordinates of the cut joints with all their turns, forces of contact and "
        "limits in the last step as joint torques; and what it has to tell: new partitions, steps near a "
        "singularity, the worst ratio and where, the largest gap left [m, rad], 1 if a loop could not be closed.",
        (
            Field("partition", "partition"),
            Field("double", "ready", (sizes.nv,)),
            Field("double", "cut_q", (loops.cut_q + 1,)),
            Field("double", "load", (sizes.nv,)),
            *(Field("long", name) for name in ("pivotings", "singular_steps", "worst_step")),
            *(Field("double", name) for name in ("worst", "gap")),
            *(Field("int", name) for name in ("weak_row", "weak_column", "last_row", "last_column")),
            *(Field("int", name) for name in ("full_rank", "blocked", "open", "loaded")),
        ),
    )


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
        "A block of three rows: what unit impulses along them are on both links, K of the block, impulses"
        f"{'; other: of a point its moments, of moments their point, -1: none' if rows.turning else ''}.",
        (
            Field("double", "column", (2, 3, 8)),
            Field("double", "row", (2, 6, 4)),
            Field("double", "k", (6,)),
            *(Field("double", name) for name in ("iK", "det", "reach", "friction", "target")),
            Field("double", "impulse", (3,)),
            *((Field("double", "torsion"),) if rows.turning else ()),
            *((Field("double", "lead", (3,)), Field("long", "steady")) if rows.rims else ()),
            *((Field("double", "inverse", (6,)), Field("double", "aim", (3,))) if held else ()),
            *(Field("int", name) for name in ("a", "b", "responses", "first")),
            *((Field("int", "other"),) if rows.turning else ()),
            *((Field("double", "scale", (3,)), Field("int", "fill", (8,))) if held else ()),  # to whole lines
        ),
    )


def _workspace(sizes: Sizes, rows: RowSizes) -> Struct:
    room, slots, held = rows.capacity, rows.slots, rows.locks + rows.stictions
    fields = [
        Field("double", "y", (slots, sizes.nv, 8)),
        Field("double", "mobility", (rows.blocks, 6, 8)),
        Field("double", "axes", (rows.axes + 1, 8)),
        Field("double", "speed", (rows.links or 1, 8)),
        Field("double", "twist", (slots, 8)),
        Field("double", "wrench", (slots, 8)),
        Field("double", "response", (rows.responses, 3, 8)),
        Field("contact_row", "at", (room,)),
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
        fields += [Field("int", "place", (sizes.nv,)), Field("int", "from", (slots,)), Field("int", "until", (slots,))]
    else:
        fields += [Field("double", "z", (sizes.nv,)), Field("double", "L", (rows.entries or 1,))]
    if sizes.switched:
        fields += [Field("int", "idle", (rows.pairs + rows.limits,))]
    fields += [Field("double", "shape_R", (rows.shapes or 1, 9)), Field("double", "shape_p", (rows.shapes or 1, 3))]
    fields += [Field("double", "impact", (room, 3))]
    fields += [Field("double", "M", (sizes.nv**2,))] if sizes.loops else []
    if held:
        fields += [Field("double", "way", (held, 3, 3)), Field("double", "off", (held, 3))]
        fields += [Field("double", "carried", (rows.links or 1, 8)), Field("long", "cones")]
    fields += [Field("int", "links"), Field("int", "touching", (slots,)), Field("int", "list", (slots,))]
    fields += [Field("int", "to", (rows.responses,)), Field("contact", "before", (room,))]
    if rows.turning:
        fields += [Field("long", "turning")]
    if rows.rims:
        fields += [Field("double", "left_before", (room, 4)), Field("long", "was", (room,)), Field("long", "leading")]
    if rows.islands:
        fields += _islands(room, slots)
    if rows.locks:
        fields += [Field("double", "lock_factor", (9 * rows.locks**2,)), Field("int", "lock_order", (3 * rows.locks,))]
        fields += [Field("int", "lock_rank", (slots,)), Field("int", "lock_before", (slots,))]
    if rows.bounded:
        fields += [Field("int", "sweep_axis"), Field("int", "order", (rows.bounded,))]
        fields += [Field("unsigned long long", "near", (rows.pairs // 64 + 1,))]
    fields += [Field("long", "known")] if sizes.loops else []
    fields += [Field("contacts", "kept")] if sizes.switched else []
    return Struct(
        "contact_workspace",
        "Room to work in, zero before the first call; nothing that matters in it outlives a step. Fastest where "
        "it starts at a multiple of 64 bytes: what stands in eights then fills whole lines of the cache.",
        tuple(fields),
    )


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


def _driving(sizes: Sizes) -> Struct:
    return Struct(
        "driving",
        "Motion that is given: `count` entries, of q at place[k], of v at dof[k]; rows: q, v, a of all (3 count) at "
        "the beginning of the first step and at the end of each, `span` [s] apart; torque: what the joints exert, "
        "`count` numbers a step; stuck: 0, or 1 + an entry that loops keep from its motion. Of the present step: its "
        "rows, its torques, how much of it [s] is over, accelerations (nv), torques against impacts.",
        (
            Field("long", "count"),
            Field("const int *", "place"),
            Field("const int *", "dof"),
            Field("const double *", "rows"),
            Field("double", "span"),
            Field("double *", "torque"),
            Field("long", "stuck"),
            Field("const double *", "row"),
            Field("double *", "out"),
            Field("double", "since"),
            Field("double", "a", (max(1, sizes.nv),)),
            Field("double", "struck", (max(1, sizes.nv),)),
        ),
    )


def _simulation(sizes: Sizes) -> Struct:
    fields = [
        Field("const double *", "p"),
        Field("long", "integrator"),
        Field("long", "steps"),
        Field("double", "dt"),
        Field("double *", "q"),
        Field("double *", "v"),
        Field("const double *", "tau"),
        Field("long", "tau_stride"),
        Field("long", "every"),
        Field("double *", "q_log"),
        Field("double *", "v_log"),
        Field("external *", "external"),
        Field("driving *", "driving"),
        Field("servos *", "servos"),
    ]
    text = (
        "A motion to be made: p: run-time parameters, 0 where there are none; integrator: 0 semi-implicit Euler, "
        "1 Runge-Kutta 4; steps of dt [s] from q, v, in place, step i driven by tau + i*tau_stride; with every > "
        "0 each every-th state goes to the dense arrays q_log, v_log. external: wrenches on links, driving: joints "
        "whose motion is given, servos; 0: none."
    )
    if sizes.loops:
        fields.append(Field("memory *", "memory"))
        text += "\nmemory: see begin; it belongs to the motion and goes along from call to call."
    if sizes.rows:
        fields += [Field("long", "limits"), Field("long", "shapes"), Field("const contact_options *", "options")]
        fields += [
            Field("contacts *", "contacts"),
            Field("contact_workspace *", "workspace"),
            Field("long", "log_every"),
        ]
        fields += [Field("contact *", "contact_log"), Field("long *", "contact_count")]
        text += (
            " workspace: 0, and rows are left out; limits, shapes: 1 if joints stop at their limits, if shapes "
            "touch; contacts: zero before the first call, what they hold starts the next step; every log_every-th"
            " step, the first included, appends its contacts to contact_log and their number to contact_count "
            "(log_every 0: none)."
        )
    if sizes.switched:
        fields += [Field("long", "watches"), Field("condition *", "watch"), Field("double", "part")]
        text += "\nwatch: so many conditions; part: -1, or how much of a step the motion is into as one came true."
    return Struct("simulation", text, tuple(fields))


def _declared(struct: Struct, prefix: str) -> str:
    head = "/* " + "\n * ".join(textwrap.wrap(struct.text, WIDTH, break_on_hyphens=False)) + " */"
    body = "\n".join(f"    {_member(field, prefix)};" for field in struct.fields)
    return f"{head}\ntypedef struct {{\n{body}\n}} {prefix}_{struct.name};\n"


_OWN = (
    "partition",
    "memory",
    "contact",
    "contacts",
    "contact_row",
    "contact_workspace",
    "contact_options",
    "condition",
    "external",
    "driving",
    "servos",
    "target",
)


def _member(field: Field, prefix: str) -> str:
    if "(*)" in field.type:
        result, _, arguments = field.type.partition("(*)")
        return f"{result}(*{field.name}){_prefixed(arguments, prefix)}"
    kind = _prefixed(field.type, prefix)
    return f"{kind}{'' if kind.endswith('*') else ' '}{field.name}{''.join(f'[{n}]' for n in field.shape)}"


def _prefixed(text: str, prefix: str) -> str:
    """Names of structs with the model's prefix."""
    words = text.replace("(", "( ").split(" ")
    return " ".join(f"{prefix}_{word}" if word in _OWN else word for word in words).replace("( ", "(")
