"""Structs of a motion: what drives it, and the arguments of `simulate` and `simulate_all` (§8, §10, §13)."""

from __future__ import annotations

from collections.abc import Iterator

from kinegen.runtime.abi import INTEGRATORS
from kinegen.runtime.structs import MOST_CONDITIONS, SOURCES, Field, Struct, numbered

from ...analysis.sizes import RowSizes, Sizes

EXTERNAL = Struct(
    "external",
    "External wrenches on links.",
    (
        Field("long", "count", "wrenches"),
        Field(
            "const double *",
            "place",
            "(count, 5) [link, x, y, z, rests] of each. rests 0: it acts at x, y, z in the link's axes, 1: its moment "
            "is that about the origin of the world",
        ),
        Field("const double *", "rows", "6 count numbers [force; moment], world axes, for step i at rows + i*stride"),
        Field("long", "stride", "numbers from step to step; 0: the same in all"),
        Field("const double *", "row", "set by a step: those of the present one"),
    ),
)

SERVOS = Struct(
    "servos",
    "Joint servos. Their entries are those of the tree's joints, then, from nq and nv on, those of cut joints.",
    (
        Field("long", "count", "entries"),
        Field("long", "cut", "1: there are some of cut joints"),
        Field("const int *", "place", "of each in q; -1: of a joint whose coordinates do not add"),
        Field("const int *", "dof", "of each in v"),
        Field("const double *", "kp", "stiffness of each"),
        Field("const double *", "kd", "damping of each"),
        Field("const double *", "limit", "largest force of each"),
        Field(
            "const double *",
            "rows",
            "where they go: count positions, then count velocities, then, where `off` is there, coordinates of all "
            "joints; for step i at rows + i*stride",
        ),
        Field("long", "stride", "numbers from step to step; 0: the same in all"),
        Field("double *", "torque", "told: what they exert, count numbers a step"),
        Field("double *", "off", "null, or where a place is -1 room for two numbers for each velocity"),
        Field("const double *", "row", "set by a step: its row"),
        Field("double *", "out", "set by a step: its torques"),
        Field("double *", "asked", "room (count): what the gains ask for in the present step"),
        Field("int *", "mode", "room (count): 1, -1: at its limit"),
    ),
)


def driving(sizes: Sizes) -> Struct:
    return Struct(
        "driving",
        "Joints whose motion is given.",
        (
            Field("long", "count", "entries"),
            Field("const int *", "place", "of each in q"),
            Field("const int *", "dof", "of each in v"),
            Field(
                "const double *",
                "rows",
                "q, v, a of all (3 count) where the first step begins and where each ends",
            ),
            Field("double", "span", "time from row to row [s]"),
            Field("double *", "torque", "told: what the joints exert, count numbers a step"),
            Field("long", "stuck", "told: 0, or 1 + an entry that loops keep from its motion"),
            Field("const double *", "row", "set by a step: its rows"),
            Field("double *", "out", "set by a step: its torques"),
            Field("double", "since", "how much of the present step is over [s]"),
            Field("double", "a", "accelerations in the present step", (max(1, sizes.nv),)),
            Field("double", "struck", "torques against impacts in the present step", (max(1, sizes.nv),)),
        ),
    )


def ledger(sizes: Sizes) -> Struct:
    sums = (len(SOURCES) * max(1, sizes.nv),)
    return Struct(
        "ledger",
        f"Work [J] of each source on each velocity: ({len(SOURCES)}, nv). Sources: {', '.join(SOURCES)}.",
        (
            Field("double", "total", "since it was zero", sums),
            Field("double *", "log", "null, or dense rows of `total` for the states that are logged"),
            Field("double", "step", "of the present step", sums),
            Field("double", "stages", "of what the integrator asked for in it", sums),
        ),
    )


def simulation(sizes: Sizes) -> Struct:
    return Struct(
        "simulation",
        "A motion to be made. Pointers that are null leave out what they are about.",
        (
            Field("const double *", "p", "run-time parameters; null: there are none"),
            Field("long", "integrator", numbered(INTEGRATORS.values())),
            Field("long", "steps", "how many"),
            Field("double", "dt", "length of a step [s]"),
            Field("double *", "q", "(nq) where it starts, then where it ends"),
            Field("double *", "v", "(nv) velocities there"),
            Field("const double *", "tau", f"step i is driven by {_torques(sizes)}"),
            Field("long", "tau_stride", "numbers from step to step; 0: the same in all"),
            Field(
                "long",
                "every",
                "with every > 0 the states after every, 2 every, ... steps go to the dense arrays q_log, v_log",
            ),
            Field("double *", "q_log", "(steps / every, nq)"),
            Field("double *", "v_log", "(steps / every, nv)"),
            Field("external *", "external", "wrenches on links"),
            Field("driving *", "driving", "joints whose motion is given"),
            Field("servos *", "servos", "joint servos"),
            Field("ledger *", "ledger", "work that is asked for"),
            *_of_loops(sizes),
            *(_of_rows(sizes.rows) if sizes.rows else ()),
            *_of_events(sizes),
        ),
    )


def _torques(sizes: Sizes) -> str:
    """Where the torques of a step stand, and how many they are."""
    cut = sizes.loops.cut_v if sizes.loops else 0
    told = "those of v, then one for each velocity of the cut joints" if cut else "those of v"
    return f"the {sizes.nv + cut} numbers at tau + i*tau_stride, {told}"


def _of_loops(sizes: Sizes) -> Iterator[Field]:
    if sizes.loops:
        yield Field("memory *", "memory", "of the motion, never null; begin sets it, it goes along from call to call")


def _of_rows(rows: RowSizes) -> Iterator[Field]:
    yield Field("long", "limits", "1: joints stop at their limits")
    yield Field("long", "shapes", "1: shapes touch")
    yield Field("const contact_options *", "options", "null: the usual ones")
    yield Field(
        "contacts *",
        "contacts",
        "needed where there is a workspace; zero before the first call, what they hold starts the next step",
    )
    yield Field("contact_workspace *", "workspace", "null: neither limits nor contact")
    yield Field("long", "log_every", "every so many steps, the first included, contacts are logged; 0: never")
    yield Field(
        "contact *", "contact_log", f"contacts of these steps one after the other, {rows.capacity} a step at most"
    )
    yield Field("long *", "contact_count", "their number in each of these steps")


def _of_events(sizes: Sizes) -> Iterator[Field]:
    if sizes.switched:
        yield Field("long", "watches", f"conditions that are watched, {MOST_CONDITIONS} at most")
        yield Field("condition *", "watch", "these (watches)")
        yield Field("double", "part", "told: -1, or how much of a step the motion is into as one came true")
        yield Field("double", "whole", "length of the step of which one of dt is a part [s]; 0: each is a whole one")
        yield Field("double", "since", "what of that is over [s]")


def simulations(sizes: Sizes) -> Struct:
    done = (
        "(count) steps that each has made, read and written: 0 for one that starts. One that is less than 0 or more "
        "than steps makes no step and is then -1"
    )
    return Struct(
        "simulations",
        "Several simulations, of which a struct simulation tells the first. States stand one after the other. With "
        f"count > 1 none is made where {_of_one(sizes)} of `simulation` asks for what is told of one alone; the "
        "torques that driving and servos tell are those of the last.",
        (
            Field("long", "count", "how many"),
            Field("long", "p", "numbers from the parameters of one to those of the next; 0: the same"),
            Field("long", "tau", "likewise of torques"),
            Field("long", "wrenches", "likewise of external wrenches"),
            Field(
                "long", "gains", "likewise of kp, kd and limits of the servos, which stand at `gain`; 0: as they are"
            ),
            Field("long", "targets", "likewise of the rows of the servos, which stand at `target`; 0: as they are"),
            Field("long", "logs", "states of each that q_log and v_log have room for"),
            Field("long", "fresh", f"1: none has contacts of a step before{_starts(sizes)}"),
            Field("const double *", "gain", "gains of all: kp, kd, limits, one simulation after the other"),
            Field("const double *", "target", "targets of all"),
            Field("long *", "done", done + _told_at_start(sizes)),
            *_of_lanes(sizes),
        ),
    )


def _of_one(sizes: Sizes) -> str:
    """Members of `simulation` that ask for what is told of one alone."""
    return " or ".join(["ledger", *(["log_every"] if sizes.rows else []), *(["watches"] if sizes.switched else [])])


def _starts(sizes: Sizes) -> str:
    goes = (
        "; 2: nor that, and where each starts, on the closure, goes in front of its q_log and v_log, as one of `logs` "
        "states"
    )
    return goes if sizes.loops else ""


def _told_at_start(sizes: Sizes) -> str:
    return ", as is one of which there is something to tell of where it starts" if sizes.loops else ""


def _of_lanes(sizes: Sizes) -> Iterator[Field]:
    if not sizes.beside:
        return
    p = "const double *p, " if sizes.parametric else ""
    given = "".join(f"const double *{name}, long {name}_state, long {name}_entry, " for name in ("q", "v", "tau", "d"))
    yield Field(
        f"long (*)(long n, {p}{given}double *terms, long terms_state, long terms_entry)",
        "terms",
        "null, or what finds by lanes what steps begin with: all have the same parameters then, and make "
        "semi-implicit steps",
    )
    yield Field("begun *", "begun", "room for what `terms` finds, of eight that have made as many steps")
    yield Field("contacts *", "contacts", "of eight simulations")
