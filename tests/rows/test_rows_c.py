"""The C of rows by itself: strict C99, clean under the sanitizers, with shapes and without."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from support.c_driver import SANITIZE, STRICT

MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "held.h"
int main(void)
{
    static double q[@NQ@], v[@NV@], tau[@NV@];
    const held_contact_options options = {1e-5, 1e-4, 0.2, 0.5, 0.05, 120};
    held_contacts *contacts = calloc(1, sizeof *contacts);
    held_contact_workspace *room = calloc(1, sizeof *room);
    for (int i = 0; i < @NQ@; i++)
        if (scanf("%lf", q + i) != 1)
            return 1;
    held_simulation motion = {.steps = 300, .dt = 1e-3, .q = q, .v = v, .tau = tau, .limits = 1, .shapes = 1,
        .options = &options, .contacts = contacts, .workspace = room};
    if (held_simulate(&motion) != 300)
        return 2;
    for (int i = 0; i < @NQ@; i++)
        printf("%.17g ", q[i]);
    free(contacts);
    free(room);
    return 0;
}
"""


def held(shapes: bool) -> kg.Mechanism:
    """Balls tied to each other and to an arm in every way, over a floor or over nothing."""
    ball = (kg.sphere(0.1),) if shapes else ()
    inertia = kg.inertia.sphere(1.0, 0.1)
    links = [kg.Link(name, 1.0, (0, 0, 0), inertia, shapes=ball) for name in "abcd"]
    links += [kg.Link("arm", 1.0, (0.2, 0, 0), kg.inertia.rod(1.0, 0.4))]
    joints = [kg.Joint(f"f{name}", "free", "world", name) for name in "abcd"]
    joints += [
        kg.Joint(
            "hinge", "revolute", "world", "arm", kg.Pose((0, 0, 0.5)), axis=(0, 1, 0), limits=(-1, 1), friction=0.3
        )
    ]
    return kg.Mechanism("held", links, joints, shapes=[kg.plane()] if shapes else [])


def rules() -> kg.RowRules:
    ties = [
        kg.Rows("all", "arm", "a", axes="xyz", turns="xyz", origin=kg.Pose((0.4, 0, 0))),
        kg.Rows("rail", "world", "b", axes="xy", origin=kg.Pose((0.9, 0, 0), (0.1, 0.2, 0.3))),
        kg.Rows("axis", "b", "c", axes="xyz", turns="xz", origin=kg.Pose((0.3, 0, 0))),
        kg.Rows("cross", "c", "d", axes="z", turns="y", child_origin=kg.Pose((0.3, 0, 0))),
    ]
    return kg.RowRules(friction=True, between=ties)


@pytest.mark.parametrize("shapes", [True, False])
def test_rows_are_strict_c_and_clean_under_the_sanitizers(tmp_path: Path, shapes: bool) -> None:
    sources = kg.generate(held(shapes), rows=rules())
    sources.write(tmp_path)
    main = MAIN.replace("@NQ@", str(sources.manifest.nq)).replace("@NV@", str(sources.manifest.nv))
    (tmp_path / "main.c").write_text(main)
    subprocess.run(["cc", *STRICT, "-c", "held_contact.c", "-o", "checked.o"], cwd=tmp_path, check=True)
    files = [name for name in sources.files if name.endswith(".c")]
    subprocess.run(["cc", "-std=c99", *SANITIZE, "main.c", *files, "-lm", "-o", "main"], cwd=tmp_path, check=True)
    model = kg.compile(held(shapes), rows=rules())
    q = model.neutral()
    for i, x in enumerate((0.4, 0.9, 1.2, 1.5)):
        q[7 * i : 7 * i + 3] = [x, 0, 0.5]
    done = subprocess.run(
        ["./main"], cwd=tmp_path, input=" ".join(map(repr, q.tolist())), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    sim = kg.Simulator(model, q=q)
    sim.step(300)
    np.testing.assert_allclose(np.array(done.stdout.split(), dtype=float), sim.q, atol=1e-3)
    assert len(sim.rows) == 8
    assert max(row.off for row in sim.rows) < 1e-3
