"""Structs of a motion: what drives it, what loops remember, the arguments of `simulate` (§8, §10, §13)."""

from __future__ import annotations

from kinegen.runtime.abi import INTEGRATORS
from kinegen.runtime.structs import MOST_CONDITIONS, SOURCES, Field, Struct, numbered

from ...analysis.sizes import LAGS, LoopSizes, Sizes

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
    "Joint servos: `count` entries, of q at place[k], of v at dof[k], with gains and largest force; entries of joints "
    "that close loops stand behind those of the tree, from nq and nv on, cut: 1 if there are any; rows: positions, "
    "then velocities that they go to, 2 count numbers for step i at rows + i*stride; torque: what they exert, `count` "
    "numbers a step. off: 0, or room for two numbers for each velocity where servos act on joints whose "
    "coordinates do not add: their place[k] is -1, and every row ends with coordinates of all joints, where they go. "
    "asked, mode: room for `count` entries each, of the present step: what the gains ask for; 1, -1 at a limit; row, "
    "out: its row and torques, which the step sets.",
    (
        Field("long", "count"),
        Field("long", "cut"),
        Field("const int *", "place"),
        Field("const int *", "dof"),
        Field("const double *", "kp"),
        Field("const double *", "kd"),
        Field("const double *", "limit"),
        Field("const double *", "rows"),
        Field("long", "stride"),
        Field("double *", "torque"),
        Field("double *", "off"),
        Field("const double *", "row"),
        Field("double *", "out"),
        Field("double *", "asked"),
        Field("int *", "mode"),
    ),
)


def _of_one(sizes: Sizes) -> str:
    """Fields of `simulation` that ask for what is told of one alone."""
    return " or ".join(["ledger", *(["log_every"] if sizes.rows else []), *(["watches"] if sizes.switched else [])])


def simulations(sizes: Sizes) -> Struct:
    p = "const double *p, " if sizes.parametric else ""
    given = "".join(f"const double *{name}, long {name}_state, long {name}_entry, " for name in ("q", "v", "tau", "d"))
    terms = f"long (*)(long n, {p}{given}double *terms, long terms_state, long terms_entry)"
    beside = (Field(terms, "terms"), Field("begun *", "begun"), Field("contacts *", "contacts"))
    return Struct(
        "simulations",
        "Several simulations: `count` of them, of which a struct simulation tells the first. States stand one after "
        "the other, q_log and v_log with room for `logs` states of each; p, tau, wrenches: how many numbers from those "
        "of one to the next one's, 0: the same; gains, targets: likewise of kp, kd and limits of the servos, from "
        "`gain` on, and of their rows, from `target` on, 0: as they are; fresh: 1: none has contacts of a step before; "
        + (
            "2: nor that, and where each starts, on the closure, goes in front of its q_log and v_log, as one of "
            "`logs` states; "
            if sizes.loops
            else ""
        )
        + "done: steps that each has made, read and written: to be set before the call, 0 for one that starts; one "
        "that is less than 0 or more than steps makes no step and is then -1"
        + (", as is one of which there is something to tell of where it starts." if sizes.loops else ".")
        + f" With count > 1 none is made where {_of_one(sizes)} of `simulation` asks for what is told of one alone; "
        "the torques that driving and servos tell are those of the last."
        + (
            " terms: null, or what finds by lanes what steps begin with: all have the same parameters then, and make "
            "semi-implicit steps; begun, contacts: of eight of them, which have made as many steps (others: -1)."
            if sizes.beside
            else ""
        ),
        (
            *(Field("long", name) for name in ("count", "p", "tau", "wrenches", "gains", "targets", "logs", "fresh")),
            Field("const double *", "gain"),
            Field("const double *", "target"),
            Field("long *", "done"),
            *(beside if sizes.beside else ()),
        ),
    )


def partition(sizes: Sizes, loops: LoopSizes) -> Struct:
    room = sizes.rank_room
    return Struct(
        "partition",
        "Partition of the tree's velocities on the closure K v = 0: rank m, pivot rows of K, entries of v "
        "(dependent (m), then independent (nv - m)), smallest pivot over largest, now and when the partition was "
        "chosen, and where that stood, H (m, nv - m). inverted: 1 if inverse (m, m) is that of the pivot rows and "
        "columns at a q nearby; known: 1 if it and H are those at q; sparse: 1 if H is zero where the "
        "straight-line code's is, in whose order the velocities are; columns of H from `first` until `until` are not "
        "all zero. laid: 1 if H and inverse are zero outside of "
        "the blocks that stand here: so many, rows and columns of each, their pivots, velocities and places in H, "
        "columns filled up to eights.",
        (
            *(Field("int", name) for name in ("rank", "weak_row", "weak_column", "inverted", "known", "sparse")),
            Field("int", "first"),
            Field("int", "until"),
            Field("int", "rows", (room,)),
            Field("int", "columns", (sizes.nv,)),
            Field("int", "laid"),
            Field("int", "blocks"),
            Field("int", "block_rows", (loops.loops,)),
            Field("int", "block_columns", (loops.loops,)),
            Field("int", "block_pivot", (room,)),
            Field("int", "block_column", (loops.block_room,)),
            Field("int", "block_place", (loops.block_room,)),
            Field("double", "ratio"),
            Field("double", "chosen"),
            Field("double", "H", (room * sizes.nv,)),
            Field("double", "inverse", (room * room,)),
            Field("double", "q", (sizes.nq,)),
        ),
    )


def memory(sizes: Sizes, loops: LoopSizes) -> Struct:
    looks: tuple[Field, ...] = ()
    if sizes.going_on:
        looked_q, seen = Field("double", "looked_q", (sizes.nq,)), Field("double", "seen", (sizes.seen,))
        looks = (Field("int", "looked"), looked_q, seen)
    parts: tuple[Field, ...] = ()
    if sizes.switched:
        passed = Field("double", "passed", (sizes.nv + loops.cut_v,))
        parts = (passed, Field("double", "earlier"), Field("double", "share"))
    return Struct(
        "memory",
        "What the motion of a closed mechanism carries from step to step: the partition in use, readiness of the "
        "velocities to be dependent, coordinates of the cut joints with all their turns, forces of contact and "
        "limits in the last step, or part of one, as joint torques; loaded: 0 if there was no step in this structure "
        "yet, 1 if none of them acted in the last one, else 2; lag: by what the last steps, of lag_dt (0: not known) "
        "and by one partition, were put back on the closure, its differences (of the dependent velocities), `lags` of "
        "them known, and what the last one left; geared: gearing from which on another partition is looked for; and "
        "what it has to tell: new partitions, steps near a singularity, the worst ratio and where, the largest gap "
        "left [m, rad], 1 if a loop could not be closed, and by how much it was missed."
        + (" seen: what the look at looked_q hands over to forward dynamics; looked: 1 if it is." if looks else "")
        + (
            " Of a step that events divide: share: of its last part in the whole, earlier: of those before, and what "
            "these add to the mean of load, and of the forces of stops of cut joints, passed."
            if parts
            else ""
        ),
        (
            Field("partition", "partition"),
            Field("double", "ready", (sizes.nv,)),
            Field("double", "cut_q", (loops.cut_q + 1,)),
            Field("double", "load", (sizes.nv,)),
            *(Field("long", name) for name in ("pivotings", "singular_steps", "worst_step", "lag_pivotings")),
            Field("double", "lag", (LAGS * sizes.rank_room,)),
            Field("double", "left", (sizes.rank_room,)),
            *(Field("double", name) for name in ("lag_dt", "geared", "worst", "gap", "missed")),
            *(Field("int", name) for name in ("weak_row", "weak_column", "last_row", "last_column", "lags")),
            *(Field("int", name) for name in ("full_rank", "blocked", "open", "loaded")),
            *looks,
            *parts,
        ),
    )


def driving(sizes: Sizes) -> Struct:
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


def ledger(sizes: Sizes) -> Struct:
    sums = (len(SOURCES) * max(1, sizes.nv),)
    names = ", ".join(SOURCES)
    return Struct(
        "ledger",
        f"Work [J] of each source on each velocity ({len(SOURCES)}, nv), source after source: {names}. total: since it "
        "was zero; log: dense rows of total, for the states that are logged, from the first step on; 0: none. Of the "
        "present step: step, stages.",
        (
            Field("double", "total", sums),
            Field("double *", "log"),
            Field("double", "step", sums),
            Field("double", "stages", sums),
        ),
    )


def _torques(sizes: Sizes) -> str:
    """Where the torques of a step stand, and how many they are."""
    cut = sizes.loops.cut_v if sizes.loops else 0
    told = "those of v, then one for each velocity of the cut joints" if cut else "those of v"
    return f"the {sizes.nv + cut} numbers at tau + i*tau_stride, {told}"


def simulation(sizes: Sizes) -> Struct:
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
        Field("ledger *", "ledger"),
    ]
    text = (
        "A motion to be made: p: run-time parameters, 0 where there are none; integrator: "
        f"{numbered(INTEGRATORS.values())}; steps of dt [s] from q, v, in place, step i driven by "
        f"{_torques(sizes)}; with every > 0 the states after every, 2 every, ... steps go to the dense "
        "arrays q_log, v_log. external: wrenches on links, driving: joints whose motion is given, servos, ledger: work "
        "that is asked for; 0: none."
    )
    if sizes.loops:
        fields.append(Field("memory *", "memory"))
        text += "\nmemory: of the motion, never 0; begin sets it, and it goes along from call to call."
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
            "touch; options: null for the usual; contacts: needed where there is a workspace, zero before the first "
            "call, what they hold starts the next step; every log_every-th step, the first included, appends its "
            "contacts to contact_log and their number to contact_count "
            f"(log_every 0: none), {sizes.rows.capacity} contacts at most."
        )
    if sizes.switched:
        fields += [Field("long", "watches"), Field("condition *", "watch"), Field("double", "part")]
        fields += [Field("double", "whole"), Field("double", "since")]
        text += (
            f"\nwatch: so many conditions as watches tells, {MOST_CONDITIONS} at most; part: -1, or how much of a step "
            "the motion is into as one came true. whole [s]: of the step of which one of dt is a part, since [s]: what "
            "of it is over; 0: each is a whole one."
        )
    return Struct("simulation", text, tuple(fields))
