"""The C of a library by itself: strict C99, no allocation, clean under the sanitizers while its structure changes."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace

import pytest

import kinegen as kg
from kinegen.codegen.build.toolchain import find_compiler
from kinegen.codegen.mechanism.structure.topology import topologies
from kinegen.codegen.pipeline import generate
from kinegen.runtime.topology.conditions import KINDS
from support.c_driver import SANITIZE, STRICT
from support.dropped import drop

MAIN = """
#include <stdio.h>
#include <string.h>
#include "drop.h"

int main(void)
{
    double p[] = {%(p)s}, q[] = {%(q)s}, v[%(nv)d], tau[] = {%(tau)s}, wanted[%(loops)d], taken[%(loops)d];
    double impulse[6*%(loops)d], gap, part, watch[15] = {%(force)d, 1, 1e9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0};
    static drop_memory memory;
    for (int i = 0; i < %(nv)d; i++)
        v[i] = 0.1*i;
    q[2] = 1.0;
    drop_begin(p, q, 0, &memory);
    for (int round = 0; round < 2*%(loops)d; round++) {
        for (int l = 0; l < %(loops)d; l++) {
            wanted[l] = (round + l) %% 3 != 0;
            taken[l] = 1.0;
        }
        if (drop_restructure(p, wanted, taken, 1e-3, q, v, impulse, &gap, &memory))
            return 2;
        const long method = %(hold)d + round %% 2;
        if (drop_simulate_watched(p, method, 20, 1e-3, q, v, tau, 0, 0, 0, 0, &memory, 1, watch, &part) != 20)
            return 3;
    }
    printf("%%g\\n", memory.gap);
    return memory.gap < 1e-10 ? 0 : 4;
}
"""


def limited():
    """The same with limits and dampers of the joint that can be cut and of connections."""
    mechanism = drop().mechanism
    joints = [replace(j, limits=((-0.1, 2.0),)) if j.name == "pivot" else j for j in mechanism.joints]
    cross = kg.universal(axis=(1, 0, 0), axis2=(0, 1, 0), limits=((-0.2, 0.2), (-9.0, 0.3)), damping=0.1)
    connections = [*drop().connections, kg.Connection("cross", "b", "world", cross)]
    return topologies(replace(mechanism, joints=tuple(joints)), connections, ["pivot"])


@pytest.fixture(scope="module", params=["drop", "limited"])
def folder(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("drop")
    expanded = drop().topologies if request.param == "drop" else limited()
    sources = generate(expanded.mechanism, switches=expanded.switches)
    for name, text in sources.files.items():
        (place / name).write_text(text, encoding="utf-8")
    manifest = sources.manifest
    numbers = {
        "p": ", ".join(repr(spec.default or 0.0) for spec in manifest.parameters),
        "q": ", ".join(repr(float(x)) for x in manifest.neutral),
        "nv": manifest.nv,
        "tau": ", ".join(["0.0"] * manifest.nv + ["0.5"] * sum(joint.nv for joint in manifest.loops)),
        "hold": 2 if request.param == "limited" else 0,
        "loops": len(manifest.loops),
        "force": KINDS.index("force"),
    }
    (place / "main.c").write_text(MAIN % numbers, encoding="utf-8")
    return place


def test_it_is_strict_c_and_allocates_nothing(folder):
    for file in sorted(folder.glob("drop*.c")):
        subprocess.run([*find_compiler(os.environ), *STRICT, "-O0", "-c", file, "-o", "out.o"], cwd=folder, check=True)
        assert "alloc(" not in file.read_text(encoding="utf-8")


def test_it_is_clean_under_the_sanitizers(folder):
    files = [file.name for file in sorted(folder.glob("*.c"))]
    command = [*find_compiler(os.environ), "-std=c99", *SANITIZE, *files, "-lm", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True)
    subprocess.run([folder / "main"], check=True)
