"""The C of contact by itself: clean under the sanitizers while every pair of shapes falls on another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinegen.codegen.analysis.contact.rules import ContactRules
from kinegen.codegen.pipeline import compile_mechanism, generate
from kinegen.runtime import Model, Simulator
from support.c.c_driver import sanitized
from support.contact.catching import catcher
from support.contact.touching_samples import heap, heaped

MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "heap.h"
int main(void)
{
    static double q[heap_NQ], v[heap_NV], tau[heap_NV];
    const double p[1] = {0.7};
    const heap_contact_options options = {1e-5, 1e-4, 0.2, 0.5, 0.05, 120};
    heap_contacts *contacts = calloc(1, sizeof *contacts);
    heap_contact_workspace *room = calloc(1, sizeof *room);
    heap_contact *log = malloc(sizeof *log*sizeof contacts->points/sizeof *contacts->points*40);
    long count[40], most = 0;
    for (int i = 0; i < heap_NQ; i++)
        if (scanf("%lf", q + i) != 1)
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
    for (int i = 0; i < heap_NQ; i++)
        printf("%.17g ", q[i]);
    printf("%ld", most);
    free(contacts);
    free(room);
    free(log);
    return 0;
}
"""


@pytest.mark.filterwarnings("ignore::kinegen.runtime.errors.ContactWarning")
def test_contact_is_clean_under_the_sanitizers(tmp_path: Path) -> None:
    rules = ContactRules(within=True)
    sources = generate(heap(), contacts=rules)
    sizes = {"heap_NQ": sources.manifest.nq, "heap_NV": sources.manifest.nv}
    sources.write(tmp_path)
    main = MAIN
    for name, size in sizes.items():
        main = main.replace(name, str(size))
    (tmp_path / "main.c").write_text(main)
    files = [name for name in sources.files if name.endswith(".c")]
    model = Model.load(compile_mechanism(heap(), contacts=rules)).with_parameters(m=0.7)
    q = heaped(model)
    text = " ".join(map(repr, q.tolist()))
    *moved, most = map(float, sanitized(tmp_path, ["main.c", *files], text).split())
    assert np.isfinite(moved).all() and most >= 15
    sim = Simulator(model, q=q, dt=2e-3)
    sim.step(100)
    heights = sim.q[2:63:7]
    assert (heights > 0.0).all()


LIBRARY = """
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


def test_contact_of_a_library_is_clean_under_the_sanitizers(tmp_path: Path) -> None:
    """A hand falls on a bar and the ground while both are held and let go; a condition on its contact is watched."""
    lib = catcher()
    sources = generate(lib.topologies.mechanism, switches=lib.topologies.switches)
    manifest = sources.manifest
    q = lib.state({"fly": [0.005, 0, 0.1, 0, 0, 0, 1], "pendulum": 0.8})[0]
    numbers = {
        "p": ", ".join(repr(spec.default or 0.0) for spec in manifest.parameters),
        "q": ", ".join(map(repr, q.tolist())),
        "nq": manifest.nq,
        "nv": manifest.nv,
        "width": manifest.nv + sum(joint.nv for joint in manifest.loops),
        "loops": len(manifest.loops),
    }
    sources.write(tmp_path)
    (tmp_path / "main.c").write_text(LIBRARY % numbers)
    files = [name for name in sources.files if name.endswith(".c")]
    assert not any("alloc(" in sources.files[name] for name in files)
    fired, _, *state = map(float, sanitized(tmp_path, ["main.c", *files]).split())
    assert fired >= 1
    assert len(state) == manifest.nq + manifest.nv and np.isfinite(state).all()
