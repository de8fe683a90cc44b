"""The C of a library by itself: no allocation, clean under the sanitizers while its structure changes."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.codegen.pipeline import generate
from support.c.c_driver import sanitized
from support.contact.dropped import drop, limited

MAIN = """
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


@pytest.fixture(scope="module", params=["drop", "limited"])
def folder(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("drop")
    expanded = drop().topologies if request.param == "drop" else limited()
    sources = generate(expanded.mechanism, switches=expanded.switches)
    sources.write(place)
    manifest = sources.manifest
    numbers = {
        "p": ", ".join(repr(spec.default or 0.0) for spec in manifest.parameters),
        "q": ", ".join(repr(float(x)) for x in manifest.neutral),
        "nq": manifest.nq,
        "nv": manifest.nv,
        "tau": ", ".join(["0.0"] * manifest.nv + ["0.5"] * sum(joint.nv for joint in manifest.loops)),
        "rows": ROWS if request.param == "limited" else "",
        "loops": len(manifest.loops),
    }
    (place / "main.c").write_text(MAIN % numbers, encoding="utf-8")
    return place


def test_it_allocates_nothing(folder):
    files = sorted(folder.glob("drop*.c"))
    assert files and not any("alloc(" in file.read_text(encoding="utf-8") for file in files)


def test_it_is_clean_under_the_sanitizers(folder):
    _, *state = map(float, sanitized(folder, [file.name for file in sorted(folder.glob("*.c"))]).split())
    assert len(state) > 20 and np.isfinite(state).all()
