"""The timing program of batches: a loop over states beside lanes, and the processor's floating-point peak."""

from __future__ import annotations

import subprocess

from common.ours import Program

KINDS = ("loop", "aos", "soa")
KERNELS = ("inverse_dynamics", "mass_matrix", "mass_matrix_packed", "forward_dynamics")

_TIMED = """  BEST("@K@ loop", @P@_@K@_batch(N, @LOOP@, out));
  BEST("@K@ aos", @P@_@K@_lanes(N, @AOS@, out, @SIZE@, 1));
  memcpy(other, out, sizeof out);
  @P@_@K@_batch(N, @LOOP@, out);
  if (memcmp(other, out, (size_t)N*@SIZE@*sizeof *out))
    printf("@K@ differs 1\\n");
  BEST("@K@ soa", @P@_@K@_lanes(N, @SOA@, out, 1, N));
"""

_DRIVER = """#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <string.h>
#include <time.h>
@DEFINE@#include "@P@.h"
#include "kinegen/lanes/wide.h"

enum { N = @STATES@, REPETITIONS = 200, NQ = @NQ@, NV = @NV@, CHAINS = 12 };
static kg_real q[N][NQ], v[N][NV], t[N][NV], q_soa[NQ][N], v_soa[NV][N], t_soa[NV][N], out[N*NV*NV], other[N*NV*NV];

/* The next n doubles of a file; 1 if they are there. */
static int taken(FILE *file, long n, kg_real *x) {
  double number;
  for (long i = 0; i < n; i++) {
    if (fread(&number, sizeof number, 1, file) != 1) return 0;
    x[i] = (kg_real)number;
  }
  return 1;
}

static double now(void) {
  struct timespec s;
  clock_gettime(CLOCK_MONOTONIC, &s);
  return (double)s.tv_sec + 1e-9 * (double)s.tv_nsec;
}

#define BEST(name, call) do { \\
  double best = 1e9; \\
  for (int r = 0; r < REPETITIONS; ++r) { \\
    const double start = now(); \\
    call; \\
    const double spent = now() - start; \\
    if (spent < best) best = spent; \\
  } \\
  printf("%s %.6f\\n", name, best / N * 1e6); \\
} while (0)

/* Products and sums in as many chains as hide their latency. */
static kg_wide sums(long n) {
  kg_wide x[CHAINS];
  for (int k = 0; k < CHAINS; k++) x[k] = kg_splat((kg_real)(1 + k));
  for (long i = 0; i < n; i++)
@CHAINS@
  for (int k = 1; k < CHAINS; k++) x[0] += x[k];
  return x[0];
}

int main(int count, char **argument) {
  FILE *file = count == 2 ? fopen(argument[1], "rb") : NULL;
  if (!file || !taken(file, N*NQ, *q) || !taken(file, N*NV, *v) || !taken(file, N*NV, *t))
    return 1;
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < NQ; k++) q_soa[k][i] = q[i][k];
    for (int k = 0; k < NV; k++) v_soa[k][i] = v[i][k], t_soa[k][i] = t[i][k];
  }
@TIMED@  kg_wide kept = kg_splat((kg_real)0);
  double best = 1e9;
  for (int r = 0; r < REPETITIONS; r++) {
    const double start = now();
    kept += sums(20000);
    const double spent = now() - start;
    if (spent < best) best = spent;
  }
  printf("peak %.3f\\n", 2.0 * CHAINS * KG_WIDTH * 20000 / best * 1e-9);
  return kg_lanes_of(&kept)[0] > 1e30f;
}
"""


def driver(sizes: dict[str, int], single: bool = False) -> str:
    """The C text; `sizes`: entries of each kernel's result; `single`: of floats."""
    step = "x[{0}] * KG_REAL(0.999999) + KG_REAL(1e-9)"
    chains = "".join(f"    x[{k}] = {step.format(k)}{';' if k == 11 else ','}\n" for k in range(12))
    define = "#define KG_SINGLE\n" if single else ""
    return (
        _DRIVER.replace("@CHAINS@\n", chains)
        .replace("@DEFINE@", define)
        .replace("@TIMED@", "".join(_timed(name, sizes[name]) for name in KERNELS))
    )


def _timed(kernel: str, size: int) -> str:
    names = "q" if kernel.startswith("mass_matrix") else "qvt"
    passed = {
        "LOOP": ", ".join(f"*{x}, {_size(x)}" for x in names),
        "AOS": ", ".join(f"*{x}, {_size(x)}, 1" for x in names),
        "SOA": ", ".join(f"*{x}_soa, 1, N" for x in names),
        "SIZE": str(size),
        "K": kernel,
    }
    text = _TIMED
    for mark, value in passed.items():
        text = text.replace(f"@{mark}@", value)
    return text


def _size(array: str) -> str:
    return "NQ" if array == "q" else "NV"


def measure(program: Program) -> dict[str, float]:
    """Microseconds a state by "KERNEL KIND", "peak" [Gflop/s], "KERNEL differs" if lanes and loop do."""
    done = subprocess.run([program.binary, program.states], check=True, capture_output=True, text=True)
    rows = [line.rsplit(" ", 1) for line in done.stdout.splitlines()]
    return {name: float(value) for name, value in rows}
