"""Generated kernels timed in C, built with the flags that `kinegen.compile` builds with."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common.peer import OUT
from kinegen.codegen.build.objects import object_commands
from kinegen.codegen.build.toolchain import find_toolchain
from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.model.configuration import random_configuration

STATES = 256
"""On which kernels are timed, one after the other."""
KERNELS = (
    "inverse_dynamics",
    "mass_matrix",
    "forward_dynamics",
    "inverse_derivatives",
    "forward_derivatives",
)

_DRIVER = """#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>
#include "@P@.h"

enum { STATES = @STATES@, CALLS = 20000, REPETITIONS = 7, NQ = @NQ@, NV = @NV@ };
static double q[STATES][NQ], v[STATES][NV], t[STATES][NV], out[3 * NV * NV];

static double now(void) {
  struct timespec s;
  clock_gettime(CLOCK_MONOTONIC, &s);
  return (double)s.tv_sec + 1e-9 * (double)s.tv_nsec;
}

#define BEST(call) do { \\
  double best = 1e9; \\
  for (int r = 0; r < REPETITIONS; ++r) { \\
    const double start = now(); \\
    for (int k = 0; k < CALLS; ++k) { const int i = k % STATES; call; } \\
    const double spent = now() - start; \\
    if (spent < best) best = spent; \\
  } \\
  printf("%.5f ", best / CALLS * 1e6); \\
} while (0)

int main(int count, char **argument) {
  FILE *file = count == 2 ? fopen(argument[1], "rb") : NULL;
  if (!file || fread(q, sizeof q, 1, file) != 1 || fread(v, sizeof v, 1, file) != 1 || fread(t, sizeof t, 1, file) != 1)
    return 1;
  BEST(@P@_inverse_dynamics(q[i], v[i], t[i], out));
  BEST(@P@_mass_matrix(q[i], out));
  BEST(@P@_forward_dynamics(q[i], v[i], t[i], out));
  BEST(@P@_inverse_derivatives(q[i], v[i], t[i], out));
  BEST(@P@_forward_derivatives(q[i], v[i], t[i], out));
  return 0;
}
"""


@dataclass(frozen=True)
class Program:
    """A timing program and its states."""

    binary: Path
    states: Path


def build(sources: Sources, driver: str = _DRIVER, states: int = STATES, name: str = "timing") -> Program:
    """Compiles the kernels and a timing program, in which @P@, @NQ@, @NV@, @STATES@ stand, into out/PREFIX/."""
    manifest, toolchain = sources.manifest, find_toolchain()
    folder = OUT / manifest.prefix
    folder.mkdir(parents=True, exist_ok=True)
    sources.write(folder)
    driver = driver.replace("@P@", manifest.prefix).replace("@STATES@", str(states))
    (folder / f"{name}.c").write_text(driver.replace("@NQ@", str(manifest.nq)).replace("@NV@", str(manifest.nv)))
    own = ["-O2", "-std=c99", *toolchain.architecture]
    commands = {**object_commands(sources, toolchain), f"{name}.c": own}
    for text, flags in commands.items():
        subprocess.run([*toolchain.command, *flags, "-c", text, "-o", f"{text[:-2]}.o"], cwd=folder, check=True)
    objects = [f"{text[:-2]}.o" for text in commands]
    subprocess.run([*toolchain.command, *objects, "-lm", "-o", name], cwd=folder, check=True)
    rng = np.random.default_rng(0)
    arrays = [random_configuration(manifest, rng, (states,)), *rng.uniform(-1, 1, (2, states, manifest.nv))]
    (folder / f"{name}.bin").write_bytes(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays))
    return Program(folder / name, folder / f"{name}.bin")


def measure(program: Program) -> tuple[float, ...]:
    """Microseconds per call of `KERNELS`, best of 7 × 20000 calls over 256 random states."""
    done = subprocess.run([program.binary, program.states], check=True, capture_output=True, text=True)
    return tuple(map(float, done.stdout.split()))


def operations(sources: Sources) -> tuple[int, ...]:
    """Multiplications, additions and divisions of `KERNELS`; the sines and cosines are not counted."""
    counts = [sources.manifest.kernel(name).operations for name in KERNELS]
    return tuple(count.get("mul", 0) + count.get("add", 0) + count.get("div", 0) for count in counts)
