"""The C of contact by itself: strict C99, clean under the sanitizers while every pair of shapes falls on another."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from sympy import Symbol

from kinegen.codegen.analysis.contact_rules import ContactRules
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.codegen.pipeline import compile_mechanism, generate
from kinegen.runtime import Model, Simulator
from kinegen.runtime.topology.conditions import KINDS
from support.c_driver import SANITIZE, STRICT
from support.catching import catcher
from support.contact_scenes import shapes, solid

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
    heap_contact_room *room = calloc(1, sizeof *room);
    heap_contact *log = malloc(sizeof *log*sizeof contacts->points/sizeof *contacts->points*40);
    long count[40], most = 0;
    for (int i = 0; i < heap_NQ; i++)
        if (scanf("%lf", q + i) != 1)
            return 1;
    for (int k = 0; k < 20; k++) {
        if (heap_simulate_contact(p, 2, 40, 2e-3, q, v, tau, 0, 0, 0, 0, &options, contacts, room, 1, log, count) != 40)
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


def heap() -> Mechanism:
    """Every kind of shape, an arm with stops and dampers that may touch itself, a mass left open."""
    things = [
        shapes.sphere(0.1, restitution=0.5),
        shapes.capsule(0.08, 0.2),
        shapes.box((0.2, 0.3, 0.15)),
        shapes.box((0.3, 0.1, 0.1), restitution=0.3),
        shapes.capsule(0.05, 0.3),
        shapes.sphere(0.07),
        shapes.cylinder(0.1, 0.1),
        shapes.convex([[0.1, 0, 0], [-0.1, 0.05, 0], [0, -0.1, 0.05], [0.03, 0.1, 0], [0, 0, 0.15], [0, 0, -0.1]]),
        shapes.convex([[x, y, z] for x in (-0.1, 0.1) for y in (-0.06, 0.06) for z in (-0.05, 0.05)]),
    ]
    bodies = [solid(f"b{i}", shape) for i, shape in enumerate(things)]
    arm = [
        Link("upper", Symbol("m"), (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01)),
        Link("lower", 0.5, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01), shapes=[shapes.capsule(0.04, 0.2)]),
        Link("tip", 0.2, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01), shapes=[shapes.sphere(0.05)]),
    ]
    joints = [
        *(Joint(f"f{i}", "free", "world", f"b{i}") for i in range(len(things))),
        Joint("shoulder", "revolute", "world", "upper", Pose((0, 0, 0.6)), axis=(0, 1, 0), limits=(-1, 1), damping=0.1),
        Joint("elbow", "revolute", "upper", "lower", Pose((0.2, 0, 0)), axis=(0, 1, 0), limits=(-0.5, 2), friction=0.1),
        Joint("wrist", "planar", "lower", "tip", Pose((0.2, 0, 0))),
    ]
    bumps = shapes.height_field([[0, 0.02, 0], [0.02, 0.05, 0.02], [0, 0.02, 0]], (2, 2), pose=Pose((0.1, 0.2, 0.03)))
    floor = [bumps, shapes.plane(), shapes.box((0.4, 0.4, 0.2), pose=Pose((0, 0, 0.1))), shapes.cylinder(0.2, 1.0)]
    return Mechanism("heap", [*bodies, *arm], joints, shapes=floor)


def start(model: Model) -> np.ndarray:
    q = model.random(np.random.default_rng(3))
    for i in range(9):
        q[7 * i : 7 * i + 3] = [0.1 * np.cos(2 * i), 0.1 * np.sin(2 * i), 0.5 + 0.25 * i]
    q[-6:] = [0.2, 0.1, 0.0, 0.0, 1.0, 0.0]
    return q


@pytest.mark.filterwarnings("ignore::kinegen.runtime.errors.ContactWarning")
def test_contact_is_strict_c_and_clean_under_the_sanitizers(tmp_path: Path) -> None:
    rules = ContactRules(within=True)
    sources = generate(heap(), contacts=rules)
    sizes = {"heap_NQ": sources.manifest.nq, "heap_NV": sources.manifest.nv}
    for name, text in sources.files.items():
        (tmp_path / name).write_text(text)
    main = MAIN
    for name, size in sizes.items():
        main = main.replace(name, str(size))
    (tmp_path / "main.c").write_text(main)
    files = [name for name in sources.files if name.endswith(".c")]
    for file in ("heap_contact.c", "heap_terms.c", "heap_motion.c"):
        subprocess.run(["cc", *STRICT, "-c", file, "-o", "checked.o"], cwd=tmp_path, check=True)
    command = ["cc", "-std=c99", *SANITIZE, "main.c", *files, "-lm", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    model = Model.load(compile_mechanism(heap(), contacts=rules)).with_parameters(m=0.7)
    q = start(model)
    text = " ".join(map(repr, q.tolist()))
    done = subprocess.run(["./main"], cwd=tmp_path, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    *moved, most = map(float, done.stdout.split())
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
    double impulse[6*%(loops)d], gap, part, watch[15] = {%(contact)d, 1, 100, 1, 0, 0, 0, -2, 0, 0, 0, 0, 1, 0, 0};
    const catcher_contact_options options = {1e-5, 1e-4, 0.2, 0.5, 0.05, 120};
    catcher_contacts *contacts = calloc(1, sizeof *contacts);
    catcher_contact_room *room = calloc(1, sizeof *room);
    catcher_contact *log = malloc(sizeof *log*sizeof contacts->points/sizeof *contacts->points*40);
    long count[40], fired = 0;
    static catcher_memory memory;
    catcher_begin(p, q, 0, &memory);
    for (int round = 0; round < 30; round++) {
        for (int l = 0; l < %(loops)d; l++) {
            wanted[l] = (round + l) %% 4 == 0;
            taken[l] = 1.0;
        }
        if (catcher_restructure(p, wanted, taken, 1e-3, q, v, impulse, &gap, &memory))
            return 2;
        const long done = catcher_simulate_watched(p, 2 + round %% 2, 40, 1e-3, q, v, tau, 0, 0, 0, 0, &memory,
            1, watch, &part, &options, contacts, room, 1, log, count);
        if (part < 0.0 && done != 40)
            return 3;
        fired += part >= 0.0;
    }
    printf("%%ld %%g\\n", fired, memory.gap);
    free(contacts);
    free(room);
    free(log);
    return memory.gap < 1e-10 ? 0 : 4;
}
"""


def test_contact_of_a_library_is_strict_c_and_clean_under_the_sanitizers(tmp_path: Path) -> None:
    """A hand falls on a bar and the ground while both are held and let go; a condition on its contact is watched."""
    lib = catcher()
    sources = generate(lib.topologies.mechanism, switches=lib.topologies.switches)
    manifest = sources.manifest
    q = lib.state({"fly": [0.005, 0, 0.1, 0, 0, 0, 1], "pendulum": 0.8})[0]
    numbers = {
        "p": ", ".join(repr(spec.default or 0.0) for spec in manifest.parameters),
        "q": ", ".join(map(repr, q.tolist())),
        "nv": manifest.nv,
        "width": manifest.nv + sum(joint.nv for joint in manifest.loops),
        "loops": len(manifest.loops),
        "contact": KINDS.index("contact_force"),
    }
    for name, text in sources.files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "main.c").write_text(LIBRARY % numbers)
    for file in ("catcher_contact.c", "catcher_closed.c", "catcher_terms.c", "catcher_motion.c"):
        subprocess.run(["cc", *STRICT, "-O0", "-c", file, "-o", "checked.o"], cwd=tmp_path, check=True)
        assert "alloc(" not in (tmp_path / file).read_text()
    files = [name for name in sources.files if name.endswith(".c")]
    subprocess.run(["cc", "-std=c99", *SANITIZE, "main.c", *files, "-lm", "-o", "main"], cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout.split()[0]) >= 1
