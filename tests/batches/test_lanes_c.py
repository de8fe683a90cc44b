"""C of lanes: strict for two compilers with every width, and clean under the sanitizers with every remainder."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from math import prod
from pathlib import Path

import pytest
import sympy
import ziglang

from kinegen.codegen.mechanism import Joint, Mechanism
from kinegen.codegen.mechanism.geometry import shapes
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import LANE_STEPS, LANE_TERMS, Selection
from kinegen.codegen.printing.sources import Sources
from support.c.c_driver import STRICT, sanitized
from support.c.c_library import ROOT
from support.c.generated_samples import MECHANISMS, parametric
from support.contact.contact_scenes import solid
from support.processors import targets

INCLUDE = Path(ziglang.__file__).parent / "lib" / "include"
COMPILERS = {"gcc": ("gcc",), "clang": (sys.executable, "-m", "ziglang", "clang", "-isystem", str(INCLUDE))}


def sources(name: str, dtype: str) -> Sources:
    made = parametric() if name == "parameters" else MECHANISMS[name]()
    return generate(made, selection=Selection(lanes=True, dtype=dtype))


CASES = [
    ("four-bar", "float64"),
    *(pytest.param(name, "float64", marks=pytest.mark.sweep) for name in ("mimics", "parameters")),
    pytest.param("every_kind", "float32", marks=pytest.mark.sweep),
    ("parameters", "float32"),
]


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_strict_c99(name: str, dtype: str, tmp_path: Path) -> None:
    """No float becomes a double on the way: -Wdouble-promotion is among the warnings, which are errors."""
    made = sources(name, dtype)
    made.write(tmp_path)
    single = dtype == "float32"
    files = sorted(file for file in made.files if file.endswith(".c" if single else "_packed.c") or "_lanes_" in file)
    assert all(re.search(r"\bdouble\b", made.files[file]) is None for file in files if single)
    assert len(files) >= 4
    for compiler, target in (("gcc", "x86-64-v4"), ("gcc", "x86-64"), ("clang", "x86-64-v3")):
        command = [*COMPILERS[compiler], *STRICT, f"-march={target}", "-fsyntax-only", *files]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, (compiler, target, done.stderr[:3000])
    plain = [*COMPILERS["gcc"], *STRICT, "-DKG_WIDTH=1", "-fsyntax-only", *files]
    subprocess.run(plain, cwd=tmp_path, check=True)


def crate() -> Mechanism:
    """What touches the ground, under a gravity that is a parameter."""
    joint = Joint("flight", "free", "world", "crate")
    links, ground = [solid("crate", shapes.box((0.2, 0.2, 0.1)))], [shapes.plane(friction=0.5)]
    return Mechanism("crate", links, [joint], gravity=(0.0, 0.0, sympy.Symbol("g")), shapes=ground)


@pytest.mark.parametrize(
    ("make", "group"),
    [
        (MECHANISMS["every_kind"], LANE_STEPS),
        (parametric, LANE_STEPS),
        (crate, LANE_TERMS),
    ],
)
def test_steps_are_strict_c99(make: Callable[[], Mechanism], group: str, tmp_path: Path) -> None:
    made = generate(make(), selection=Selection(further=(group,)))
    made.write(tmp_path)
    (file,) = (file for file in made.files if file.endswith(f"_{group}.c"))
    for compiler, *flags in (
        ("gcc", "-march=x86-64-v4"),
        ("gcc", "-march=x86-64"),
        ("gcc", "-DKG_WIDTH=1"),
        ("clang", "-march=x86-64-v3"),
    ):
        command = [*COMPILERS[compiler], *STRICT, *flags, "-fsyntax-only", file]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, (compiler, flags, done.stderr[:3000])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_nothing_is_touched_beyond_the_arrays(dtype: str, tmp_path: Path) -> None:
    """Every kernel, layout and remainder with arrays of exactly the right size on the heap."""
    made = sources("parameters", dtype)
    made.write(tmp_path)
    body = []
    for kernel in made.manifest.kernels:
        for layout in ("aos", "soa") if kernel.lanes else ():
            arrays = [(a.name, prod(a.shape)) for a in kernel.inputs]
            arrays += [(a.name, prod(a.shape)) for a in kernel.outputs]
            body += ["for (long n = 1; n <= 2*KG_WIDTH + 1; n++) {", "  real *p = filled(4);"]
            body += [f"  real *{name}_ = filled({size}*n);" for name, size in arrays]
            strides = "{0}_, {1}, 1" if layout == "aos" else "{0}_, 1, n"
            passed = ", ".join(strides.format(name, size) for name, size in arrays)
            last, count = arrays[-1]
            body.append(f"  if ({kernel.lanes}(n, p, {passed}) >= 0) return 1;")
            body.append(f"  print({count}*n, {last}_);")
            body += ["  free(p);", *(f"  free({name}_);" for name, _ in arrays), "}"]
    scalar, define = made.manifest.precision.scalar, "#define KG_SINGLE" if dtype == "float32" else ""
    text = (
        _MAIN.replace("@DEFINE@", define)
        .replace("@REAL@", scalar)
        .replace("@HEADER@", f"{made.manifest.prefix}.h")
        .replace("@BODY@", "\n".join(body))
    )
    (tmp_path / "main.c").write_text(text)
    files = [name for name in made.files if name.endswith(".c")]
    assert sanitized(tmp_path, ["main.c", *files]).count("\n") > 1000


@pytest.mark.parametrize("define", ["-DKG_DOUBLE", "-DKG_SINGLE"])
def test_blocks_hold_arrays_of_any_size_and_place(define: str, tmp_path: Path) -> None:
    """Filled from an array and emptied into another, by every width, with and without a map; nothing else moves."""
    (tmp_path / "main.c").write_text(_BLOCKS)
    for target, _ in targets():
        flags = ["-O2", "-Wall", "-Wextra", "-Werror", define, f"-march={target}", f"-I{ROOT}"]
        subprocess.run(["gcc", *flags, "main.c", "-o", "main", "-lm"], cwd=tmp_path, check=True)
        done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
        assert done.stdout == "as given\n", (target, done.stdout)


_BLOCKS = """#include <stdio.h>
#include "lanes/blocks.h"

enum { SIZE = 6*KG_WIDTH + 3, MANY = 16*KG_WIDTH + 8*(KG_WIDTH < 8), ROOM = 4*(SIZE + 8)*MANY };
static kg_real from[ROOM], to[ROOM];
enum { TOGETHER = KG_TOGETHER(3*SIZE, 1) };
static kg_wide many[TOGETHER*SIZE];
static int turned[SIZE];

/* Where entry k of state i stands in arrays of `size` entries. */
static long place(int soa, long n, long row, long i, int k) { return soa ? k*n + i : i*row + k; }

static int wrong(int size, long n, int soa, int most, long beyond, int offset, const int *map)
{
    const long row = size + beyond, state = soa ? 1 : row, entry = soa ? n : 1;
    for (long i = 0; i < ROOM; i++)
        to[i] = -1;
    const long lead = most > 1 ? kg_lead(n, to + offset, state, entry) : 0;
    const int past = most > 1 && (soa ? n >= 16*KG_WIDTH && n % KG_WIDTH == 0 : size >= 5*KG_WIDTH);
    for (long i = 0, states; i < n; i += states) {
        states = kg_least_of(n - i, i < lead ? lead : most*KG_WIDTH);
        kg_fill_blocks(size, states, from + i*state, state, entry, many);
        kg_empty_blocks(size, states, map, many, size, to + offset + i*state, state, entry, past);
    }
    kg_end_past(past);
    long written = 0;
    for (long i = 0; i < ROOM; i++)
        written += to[i] != -1;
    int bad = written != size*n;
    for (long i = 0; i < n; i++)
        for (int k = 0; k < size; k++)
            bad |= to[offset + place(soa, n, row, i, k)] != from[place(soa, n, row, i, map ? map[k] : k)];
    return bad;
}

int main(void)
{
    for (long i = 0; i < ROOM; i++)
        from[i] = (kg_real)i;
    for (int size = 1; size <= SIZE; size += 1 + (size > 2*KG_WIDTH)*3) {
        for (int k = 0; k < size; k++)
            turned[k] = size - 1 - k;
        for (long n = 1; n <= MANY; n += n <= KG_WIDTH ? 1 : 13)
            for (int kind = 0; kind < 8; kind++)
                for (int offset = 0; offset < KG_WIDTH; offset += 1 + (kind & 1)*2)
                    if (wrong(size, n, kind & 1, 1, kind >> 2, offset, kind & 2 ? turned : 0)
                        || wrong(size, n, kind & 1, TOGETHER, kind >> 2, offset, kind & 2 ? turned : 0)) {
                        printf("%d %ld %d %d\\n", size, n, kind, offset);
                        return 0;
                    }
    }
    puts("as given");
    return 0;
}
"""

_MAIN = """#include <stdio.h>
#include <stdlib.h>
@DEFINE@
#include "@HEADER@"
#include "kinegen/lanes/wide.h"

typedef @REAL@ real;

static real *filled(long n)
{
    real *x = malloc((size_t)n*sizeof *x);
    for (long i = 0; i < n; i++)
        x[i] = (real)(0.3 + 0.01*(double)(i % 37));
    return x;
}

static void print(long n, const real *x)
{
    for (long i = 0; i < n; i++)
        printf("%.17g\\n", (double)x[i]);
}

int main(void)
{
@BODY@
    return 0;
}
"""
