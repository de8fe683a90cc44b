"""The smallest model that can be built, compilers that tell what they do, and Python in a process of its own."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from kinegen.codegen.build import Toolchain, find_toolchain
from kinegen.codegen.build.toolchain import find_compiler
from kinegen.codegen.printing.library import library_of
from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.abi import ArraySpec, KernelSpec, Manifest
from kinegen.runtime.module.module import Module

HEADER = "void tiny_scale(const double *q, double *y);\n"
SOURCE = """#include "tiny.h"
#include <math.h>
void tiny_scale(const double *q, double *y) { y[0] = 2.0 * q[0]; y[1] = sqrt(q[1]); }
"""


def tiny(name: str = "tiny", source: str = SOURCE, flags: dict[str, tuple[str, ...]] | None = None) -> Sources:
    """A model of one kernel, written by hand."""
    kernel = KernelSpec("scale", "tiny_scale", (ArraySpec("q", (2,)),), (ArraySpec("y", (2,)),))
    manifest = Manifest(
        name=name,
        prefix="tiny",
        module="tiny",
        nq=2,
        nv=2,
        links=("a",),
        joints=(),
        frames=(),
        parameters=(),
        kernels=(kernel,),
        neutral=(0.0, 0.0),
        sources=("tiny.h", "tiny.c"),
    )
    return Sources(manifest, {"tiny.h": HEADER, "tiny.c": source}, HEADER, flags or {})


def sharing(factor: str) -> Sources:
    """A model whose kernel calls a function of the library."""
    source = SOURCE.replace("2.0", factor) + '\n#include "kinegen/geometry/geometry.h"\n'
    source += "long tiny_balls(void);\nlong tiny_balls(void)\n{\n"
    source += "    const double r = 1.0, p[3] = {0.0}, R[9] = {0.0};\n    kg_placed a = {KG_SPHERE, &r, R, p, 0, 0};\n"
    source += "    kg_touch t[KG_MOST_POINTS];\n    return kg_meet(&a, &a, 1.0, t);\n}\n"
    made, library = tiny(source=source), library_of([source])
    return replace(made, files={**made.files, **library}, cdef=f"{made.cdef}long tiny_balls(void);\n")


def scale(module: Module, *q: float) -> list[float]:
    y = module.ffi.new("double[2]")
    module.lib.tiny_scale(module.ffi.new("double[2]", q), y)
    return list(y)


def without_headers() -> Toolchain:
    return replace(find_toolchain(), include=None)


def wrapped_compiler(folder: Path, first: str) -> str:
    """A compiler that does something else `first`; zig keeps its name, by which its flags are chosen."""
    real = find_compiler(os.environ)
    script = folder / ("zig" if "ziglang" in real else "compiler")
    script.write_text(f'#!/bin/sh\n{first}\nexec {shlex.join(real)} "$@"\n')
    script.chmod(0o755)
    return str(script)


def logging_compiler(folder: Path) -> tuple[str, Path]:
    """A compiler that notes each of its calls in a file, one line a call."""
    log = folder / "calls"
    return wrapped_compiler(folder, f'echo "$@" >> {log}'), log


def python(code: str, *arguments: str | Path, **environ: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
