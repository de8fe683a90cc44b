"""A C program around generated kernels: it calls each with arrays of exactly the right size, on the heap."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinegen.codegen.build import find_toolchain
from kinegen.codegen.mechanism import Mechanism
from kinegen.runtime.abi import ArraySpec, KernelSpec, Manifest
from support.oracles.mechanisms import Array, random_state
from support.oracles.numeric import Reference

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wdouble-promotion", "-Werror")
UNUSED = "-fno-sanitize=null,alignment,object-size,pointer-overflow"
"""What the addresses tell as well is left to tests/memory.py: it takes half of the compiler's time."""
SANITIZE = ("-g", "-O0", "-fsanitize=address,undefined", UNUSED, "-fno-sanitize-recover=all")
PLAIN = ("-O0",)
BATCH = 3


@dataclass(frozen=True)
class Driver:
    """The C text, and the value of every kernel's outputs that an oracle knows."""

    text: str
    expected: dict[str, Array]


def driver(mechanism: Mechanism, manifest: Manifest, header: str, parameters: Array) -> Driver:
    """A main() that prints `KERNEL value value ...` for every kernel, alone and in batches, then for simulations."""
    rng = np.random.default_rng(2)
    q, v, a, tau = random_state(mechanism, rng)
    other = random_state(mechanism, rng)[0]
    values = {"q": q, "q0": q, "q1": other, "v": v, "v_dt": 0.1 * v, "a": a, "tau": tau, "d": np.abs(a)}
    values["weights"] = tau
    values |= {"f": rng.normal(size=6 * len(manifest.loops)), "dq": 0.1 * v, "dv": a, "eq": 0.2 * a, "ev": v}
    values["frame"] = np.array([len(manifest.links) - 1, 0.1, -0.2, 0.3])
    values["placed"] = np.array([*values["frame"], 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    p = "p, " if len(manifest.parameters) else ""
    body = [_array("p", parameters)] if p else []
    body += [line for kernel in manifest.kernels for line in _calls(kernel, values, p)]
    body += _simulation(manifest, q, v, tau, p)
    body += ["free(p);"] if p else []
    text = _FRAME.replace("@HEADER@", header).replace("@BODY@", "\n".join(f"  {line}" for line in body))
    reference = Reference(mechanism, q, v)
    expected = {
        "inverse_dynamics": reference.inverse_dynamics(a),
        "mass_matrix": reference.mass_matrix().ravel(),
        "forward_dynamics": reference.forward_dynamics(tau),
        "link_poses": reference.link_poses().ravel(),
        "com": reference.com(),
    }
    if manifest.closed:  # that oracle knows no loops
        del expected["forward_dynamics"]
    return Driver(text, expected)


def sanitized(folder: Path, files: list[str], given: str = "") -> str:
    """What the program prints: with the sanitizers, which find nothing, byte for byte what it prints without them."""
    found, plain = (printed(folder, files, given, flags) for flags in (SANITIZE, PLAIN))
    assert found == plain != ""
    return found


def printed(folder: Path, files: list[str], given: str = "", flags: tuple[str, ...] = PLAIN) -> str:
    """What the program prints, compiled with these flags."""
    command = [*find_toolchain().command, "-std=c99", *flags, *files, "-lm", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True)
    done = subprocess.run(["./main"], cwd=folder, input=given, capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stdout[-500:], done.stderr[-2000:])
    return done.stdout


def results(output: str) -> dict[str, Array]:
    rows = [line.split() for line in output.splitlines()]
    return {name: np.array(numbers, dtype=float) for name, *numbers in rows}


def _size(array: ArraySpec) -> int:
    return int(np.prod(array.shape, dtype=int))


def _array(name: str, values: Array) -> str:
    """A heap copy, so that one step beyond its end is an error."""
    numbers = ", ".join(repr(float(x)) for x in values) or "0.0"
    return f"static const double {name}_[] = {{{numbers}}}; double *{name} = copy({name}_, {len(values)});"


def _calls(kernel: KernelSpec, values: dict[str, Array], p: str) -> list[str]:
    lines = ["{"]
    names = [array.name for array in kernel.inputs]
    for array in kernel.inputs:
        assert len(values[array.name]) == _size(array), f"{kernel.name}: {array}"
        lines.append(_array(array.name, values[array.name]))
    outputs = [(f"out{i}", _size(array)) for i, array in enumerate(kernel.outputs)]
    for count in (1, BATCH):
        batch = count > 1
        lines += [f"{'' if batch else 'double *'}{name} = take({count * size});" for name, size in outputs]
        inputs = [f"{name}, 0" if batch else name for name in names]
        listed = ", ".join([*inputs, *(name for name, _ in outputs)])
        lines.append(f"{kernel.function}_batch({count}, {p}{listed});" if batch else f"{kernel.function}({p}{listed});")
        label = f"{kernel.name}{'.batch' if batch else ''}"
        lines += [f'print("{label}", {name}, {count * size}); free({name});' for name, size in outputs]
    return [*lines, *(f"free({name});" for name in names), "}"]


def _simulation(manifest: Manifest, q: Array, v: Array, tau: Array, p: str) -> list[str]:
    lines = []
    for integrator, name in enumerate(manifest.integrators):
        torques = [0.0] * (len(tau) + sum(joint.nv for joint in manifest.loops))
        lines += ["{", _array("q", q), _array("v", v), _array("tau", torques)]
        lines.append(f"double *ql = take({10 * manifest.nq}), *vl = take({10 * manifest.nv});")
        lines += _closing(manifest, p) if manifest.closed else []
        memory = ", .memory = &memory" if manifest.closed else ""
        given = ".p = p, " if p else ""
        lines.append(
            f"{manifest.prefix}_simulation motion = {{{given}.integrator = {integrator}, .steps = 100, .dt = 1e-4, "
            f".q = q, .v = v, .tau = tau, .every = 10, .q_log = ql, .v_log = vl{memory}}};"
        )
        lines.append(f"if ({manifest.prefix}_simulate(&motion) != 100) return 1;")
        lines.append(f'print("simulate.{name}", ql, {10 * manifest.nq});')
        lines += [f"free({x});" for x in ("q", "v", "tau", "ql", "vl")]
        lines.append("}")
    return lines


def _closing(manifest: Manifest, p: str) -> list[str]:
    """q, v put on the closure, and a memory for the motion."""
    name, given = manifest.prefix, p or "0, "
    return [
        f"{name}_partition held; {name}_memory memory;",
        "held.rank = -1;",
        f"if (!({name}_assemble({given}q, 0) <= 1e-10)) return 2;",
        f"if (!({name}_project({given}q, v, 0, &held) <= 1e-10)) return 3;",
        f"{name}_begin({given}q, 0, &memory);",
    ]


_FRAME = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "@HEADER@"

static double *take(size_t n) {
  double *p = malloc(n * sizeof *p);
  if (p == NULL && n > 0) abort();
  return p;
}

static double *copy(const double *from, size_t n) {
  double *p = take(n);
  if (n > 0) memcpy(p, from, n * sizeof *p);
  return p;
}

static void print(const char *name, const double *x, int n) {
  printf("%s", name);
  for (int i = 0; i < n; ++i) printf(" %.17g", x[i]);
  printf("\\n");
}

int main(void) {
@BODY@
  return 0;
}
"""
