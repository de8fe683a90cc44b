"""CasADi's C of the equations of motion, timed in C: the same expressions, printed and ordered by another generator."""

from __future__ import annotations

import subprocess
from contextlib import chdir
from pathlib import Path

import kinegen as kg
from common.ours import KERNELS, STATES, Program
from common.peer import OUT
from kinegen.codegen.build.toolchain import FLAGS, find_toolchain

TIMED = KERNELS[:3]
_DRIVER = """#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>

enum { STATES = @STATES@, CALLS = 20000, REPETITIONS = 7, NQ = @NQ@, NV = @NV@ };
static double q[STATES][NQ], v[STATES][NV], t[STATES][NV], out[NV * NV], w[@WORK@];
static long long iw[@WORK@];
@DECLARED@
static double now(void) {
  struct timespec s;
  clock_gettime(CLOCK_MONOTONIC, &s);
  return (double)s.tv_sec + 1e-9 * (double)s.tv_nsec;
}

int main(int count, char **argument) {
  FILE *file = count == 2 ? fopen(argument[1], "rb") : NULL;
  if (!file || fread(q, sizeof q, 1, file) != 1 || fread(v, sizeof v, 1, file) != 1 || fread(t, sizeof t, 1, file) != 1)
    return 1;
@TIMED@
  return 0;
}
"""
_TIMED = """  {
    double best = 1e9;
    for (int r = 0; r < REPETITIONS; ++r) {
      const double start = now();
      for (int k = 0; k < CALLS; ++k) {
        const int i = k % STATES;
        const double *given[16] = {@GIVEN@};
        double *found[16] = {out};
        @NAME@(given, found, iw, w, 0);
      }
      const double spent = now() - start;
      if (spent < best) best = spent;
    }
    printf("%.5f ", best / CALLS * 1e6);
  }
"""


def build(mechanism: kg.Mechanism, states: Path) -> Program:
    """Compiles CasADi's C of `TIMED` with our flags into out/, over the states that ours is timed over."""
    equations, toolchain = kg.derive(mechanism), find_toolchain()
    functions = [equations.program(name).casadi() for name in TIMED]
    folder = OUT / f"casadi_{mechanism.name}"
    folder.mkdir(parents=True, exist_ok=True)
    names = {"q": "q[i]", "v": "v[i]", "a": "t[i]", "tau": "t[i]"}
    declared, timed, texts = "", "", ["driver.c"]
    for name, function in zip(TIMED, functions, strict=True):
        given = ", ".join(names[function.name_in(k)] for k in range(function.n_in()))
        declared += f"int {function.name()}(const double **, double **, long long *, double *, int);\n"
        timed += _TIMED.replace("@GIVEN@", given).replace("@NAME@", function.name())
        with chdir(folder):
            function.generate(f"{name}.c")
        texts.append(f"{name}.c")
    work = max(1, *(max(f.sz_w(), f.sz_iw()) for f in functions))
    driver = _DRIVER.replace("@STATES@", str(STATES)).replace("@WORK@", str(work)).replace("@DECLARED@", declared)
    driver = (
        driver.replace("@NQ@", str(len(equations.q))).replace("@NV@", str(len(equations.v))).replace("@TIMED@", timed)
    )
    (folder / "driver.c").write_text(driver)
    command = [*toolchain.command, *toolchain.architecture, *FLAGS, *toolchain.tuning]
    subprocess.run([*command, *texts, "-lm", "-o", "timing"], cwd=folder, check=True)
    return Program(folder / "timing", states)
