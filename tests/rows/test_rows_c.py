"""The C of rows by itself: clean under the sanitizers, with shapes and without."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.pipeline import generate
from support.c.c_driver import sanitized
from support.c.c_scenes import STEPS
from support.contact.touching_samples import held, ties

MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "mechanism_held.h"
int main(void)
{
    static double q[@NQ@], v[@NV@], tau[@NV@];
    const mechanism_held_contact_options options = {1e-5, 1e-4, 0.2, 0.5, 0.05, 120};
    mechanism_held_contacts *contacts = calloc(1, sizeof *contacts);
    mechanism_held_contact_workspace *room = calloc(1, sizeof *room);
    for (int i = 0; i < @NQ@; i++)
        if (scanf("%lf", q + i) != 1)
            return 1;
    mechanism_held_simulation motion = {.steps = 300, .dt = 1e-3, .q = q, .v = v, .tau = tau, .limits = 1, .shapes = 1,
        .options = &options, .contacts = contacts, .workspace = room};
    if (mechanism_held_simulate(&motion) != 300)
        return 2;
    for (int i = 0; i < @NQ@; i++)
        printf("%.17g ", q[i]);
    free(contacts);
    free(room);
    return 0;
}
"""


@pytest.mark.parametrize("shapes", [True, pytest.param(False, marks=pytest.mark.sweep)])
def test_rows_are_clean_under_the_sanitizers(tmp_path: Path, shapes: bool) -> None:
    sources = generate(held(shapes), rows=ties(), selection=STEPS)
    sources.write(tmp_path)
    main = MAIN.replace("@NQ@", str(sources.manifest.nq)).replace("@NV@", str(sources.manifest.nv))
    (tmp_path / "main.c").write_text(main)
    files = [name for name in sources.files if name.endswith(".c")]
    model = kg.compile(held(shapes), rows=ties())
    q = model.neutral()
    for i, x in enumerate((0.4, 0.9, 1.2, 1.5)):
        q[7 * i : 7 * i + 3] = [x, 0, 0.5]
    moved = sanitized(tmp_path, ["main.c", *files], " ".join(map(repr, q.tolist())))
    sim = kg.Simulator(model, q=q)
    sim.step(300)
    np.testing.assert_allclose(np.array(moved.split(), dtype=float), sim.q, atol=1e-3)
    assert len(sim.rows) == 8
    assert max(row.off for row in sim.rows) < 1e-3
