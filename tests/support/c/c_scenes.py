"""C programs around generated contact and libraries: folders that hold all that they are compiled from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import kinegen as kg
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.printing.sources import Sources
from support.contact.catching import catcher
from support.contact.dropped import drop, limited
from support.contact.touching_samples import heap, heaped

HEAP = """
#include <stdio.h>
#include <stdlib.h>
#include "heap.h"
int main(void)
{
    static double q[%(nq)d], v[%(nv)d], tau[%(nv)d];
    const double p[1] = {0.7};
    const heap_contact_options options = {1e-5, 1e-4, 0.2, 0.5, 0.05, 120};
    heap_contacts *contacts = calloc(1, sizeof *contacts);
    heap_contact_workspace *room = calloc(1, sizeof *room);
    heap_contact *log = malloc(sizeof *log*sizeof contacts->points/sizeof *contacts->points*40);
    long count[40], most = 0;
    for (int i = 0; i < %(nq)d; i++)
        if (scanf("%%lf", q + i) != 1)
            return 1;
    heap_simulation motion = {.p = p, .steps = 40, .dt = 2e-3, .q = q, .v = v, .tau = tau, .limits = 1, .shapes = 1,
        .options = &options, .contacts = contacts, .workspace = room, .log_every = 1};
    for (int k = 0; k < 20; k++) {
        motion.contact_log = log;
        motion.contact_count = count;
        if (heap_simulate(&motion) != 40)
            return 2;
        most = contacts->count > most ? contacts->count : most;
    }
    for (int i = 0; i < %(nq)d; i++)
        printf("%%.17g ", q[i]);
    printf("%%ld", most);
    free(contacts);
    free(room);
    free(log);
    return 0;
}
"""

CATCHER = """
#include <stdio.h>
#include <stdlib.h>
#include "catcher.h"
int main(void)
{
    double p[] = {%(p)s}, q[] = {%(q)s}, v[%(nv)d] = {0.0}, tau[%(width)d] = {0.0}, wanted[%(loops)d], taken[%(loops)d];
    double impulse[6*%(loops)d], gap;
    catcher_condition watch = {.kind = catcher_CONTACT_FORCE, .sign = 1.0, .threshold = 100.0, .first = 1};
    watch.second = -2;
    const catcher_contact_options options = {1e-5, 1e-4, 0.2, 0.5, 0.05, 120};
    catcher_contacts *contacts = calloc(1, sizeof *contacts);
    catcher_contact_workspace *room = calloc(1, sizeof *room);
    catcher_contact *log = malloc(sizeof *log*sizeof contacts->points/sizeof *contacts->points*40);
    long count[40], fired = 0;
    static catcher_memory memory;
    catcher_begin(p, q, 0, &memory);
    catcher_simulation motion = {.p = p, .steps = 40, .dt = 1e-3, .q = q, .v = v, .tau = tau, .memory = &memory,
        .limits = 1, .shapes = 1, .options = &options, .contacts = contacts, .workspace = room, .log_every = 1,
        .watches = 1, .watch = &watch};
    for (int round = 0; round < 30; round++) {
        for (int l = 0; l < %(loops)d; l++) {
            wanted[l] = (round + l) %% 4 == 0;
            taken[l] = 1.0;
        }
        if (catcher_restructure(p, wanted, taken, 1e-3, q, v, impulse, &gap, &memory))
            return 2;
        motion.integrator = round %% 2;
        motion.contact_log = log;
        motion.contact_count = count;
        watch.armed = 1;
        const long done = catcher_simulate(&motion);
        if (motion.part < 0.0 && done != 40)
            return 3;
        fired += motion.part >= 0.0;
    }
    printf("%%ld %%g", fired, memory.gap);
    for (int i = 0; i < %(nq)d; i++)
        printf(" %%.17g", q[i]);
    for (int i = 0; i < %(nv)d; i++)
        printf(" %%.17g", v[i]);
    free(contacts);
    free(room);
    free(log);
    return memory.gap < 1e-10 ? 0 : 4;
}
"""

DROP = """
#include <stdio.h>
#include <string.h>
#include "drop.h"

int main(void)
{
    double p[] = {%(p)s}, q[] = {%(q)s}, v[%(nv)d], tau[] = {%(tau)s}, wanted[%(loops)d], taken[%(loops)d];
    double impulse[6*%(loops)d], gap;
    drop_condition watch = {.kind = drop_FORCE, .sign = 1.0, .threshold = 1e9, .armed = 1};
    static drop_memory memory;
    for (int i = 0; i < %(nv)d; i++)
        v[i] = 0.1*i;
    q[2] = 1.0;
    drop_begin(p, q, 0, &memory);
    drop_simulation motion = {.p = p, .steps = 20, .dt = 1e-3, .q = q, .v = v, .tau = tau, .memory = &memory,
        .watches = 1, .watch = &watch};
    %(rows)s
    for (int round = 0; round < 2*%(loops)d; round++) {
        for (int l = 0; l < %(loops)d; l++) {
            wanted[l] = (round + l) %% 3 != 0;
            taken[l] = 1.0;
        }
        if (drop_restructure(p, wanted, taken, 1e-3, q, v, impulse, &gap, &memory))
            return 2;
        motion.integrator = round %% 2;
        if (drop_simulate(&motion) != 20)
            return 3;
    }
    printf("%%g", memory.gap);
    for (int i = 0; i < %(nq)d; i++)
        printf(" %%.17g", q[i]);
    for (int i = 0; i < %(nv)d; i++)
        printf(" %%.17g", v[i]);
    return memory.gap < 1e-10 ? 0 : 4;
}
"""

ROWS = """static drop_contacts contacts;
    static drop_contact_workspace workspace;
    const drop_contact_options options = {1e-5, 1e-4, 0.2, 0.5, 0.05, 120, 0};
    motion.limits = 1;
    motion.options = &options;
    motion.contacts = &contacts;
    motion.workspace = &workspace;"""


STEPS = Selection(("simulate",))


@dataclass(frozen=True)
class Program:
    """What was generated, with a main beside it, and what that reads."""

    sources: Sources
    files: list[str]
    given: str = ""


def written(sources: Sources, main: str, folder: Path, given: str = "") -> Program:
    sources.write(folder)
    (folder / "main.c").write_text(main, encoding="utf-8")
    return Program(sources, ["main.c", *(name for name in sources.files if name.endswith(".c"))], given)


def numbers(sources: Sources) -> dict[str, object]:
    """Sizes and parameters of a library."""
    manifest = sources.manifest
    return {
        "p": ", ".join(repr(spec.default or 0.0) for spec in manifest.parameters),
        "nq": manifest.nq,
        "nv": manifest.nv,
        "loops": len(manifest.loops),
    }


def heap_program(folder: Path) -> Program:
    """Every pair of shapes falls on another; 20 x 40 steps. Prints q and the most points of contact."""
    sources = generate(heap(), contacts=kg.ContactRules(within=True), selection=STEPS)
    q = heaped(sources.manifest)
    main = HEAP % {"nq": sources.manifest.nq, "nv": sources.manifest.nv}
    return written(sources, main, folder, " ".join(map(repr, q.tolist())))


def catcher_program(folder: Path) -> Program:
    """A hand falls on a bar and the ground while both are held and let go; a condition on its contact is watched.

    Prints how often it came true, the gap, q and v.
    """
    library = catcher()
    sources = generate(library.topologies.mechanism, switches=library.topologies.switches, selection=STEPS)
    q = library.state({"fly": [0.005, 0, 0.1, 0, 0, 0, 1], "pendulum": 0.8})[0]
    width = sources.manifest.nv + sum(joint.nv for joint in sources.manifest.loops)
    main = CATCHER % {**numbers(sources), "q": ", ".join(map(repr, q.tolist())), "width": width}
    return written(sources, main, folder)


def drop_program(folder: Path, *, stops: bool) -> Program:
    """Connections of balls and a pendulum that come and go, with limits if there are `stops`. Prints gap, q and v."""
    expanded = limited() if stops else drop().topologies
    sources = generate(expanded.mechanism, switches=expanded.switches, selection=STEPS)
    manifest = sources.manifest
    told = {
        "q": ", ".join(repr(float(x)) for x in manifest.neutral),
        "tau": ", ".join(["0.0"] * manifest.nv + ["0.5"] * sum(joint.nv for joint in manifest.loops)),
        "rows": ROWS if stops else "",
    }
    return written(sources, DROP % {**numbers(sources), **told}, folder)


PROGRAMS: dict[str, Callable[[Path], Program]] = {
    "contact": heap_program,
    "library with contact": catcher_program,
    "library": lambda folder: drop_program(folder, stops=False),
    "library with limits": lambda folder: drop_program(folder, stops=True),
}
