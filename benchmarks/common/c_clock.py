"""Kernels of a compiled model timed by a loop in C, and Pinocchio's C++ that gives the same."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import kinegen as kg
from common import peer
from common.ours import STATES
from kinegen.codegen.build.toolchain import find_toolchain
from kinegen.runtime.arguments import Array

SECONDS = 0.02
"""Of one repetition, about."""
NAMES: Mapping[str, tuple[str, ...]] = {
    "inverse_dynamics_derivatives": ("inverse_derivatives",),
    "forward_dynamics_derivatives": ("forward_derivatives",),
    "inverse_dynamics_second_derivatives": ("inverse_second_derivatives",),
    "com_velocity_derivatives": ("com_velocity_derivative", "com_jacobian"),
    "frame_bias": ("frame_motion",),
    "frame_velocity_derivatives": ("frame_derivatives",),
    "frame_acceleration_derivatives": ("frame_derivatives",),
    "neutral": (),
    "random": (),
    "forward_dynamics_second_derivatives": (),
}
"""Kernels of methods that are kernels of another name, or several; none where C alone does not answer."""

_CLOCK = """#define _POSIX_C_SOURCE 199309L
#include <time.h>
typedef const double *in;
static void call(void (*f)(void), int inputs, in *x, double *y)
{
  switch (inputs) {
  case 0: ((void (*)(double *))f)(y); break;
  case 1: ((void (*)(in, double *))f)(x[0], y); break;
  case 2: ((void (*)(in, in, double *))f)(x[0], x[1], y); break;
  case 3: ((void (*)(in, in, in, double *))f)(x[0], x[1], x[2], y); break;
  default: ((void (*)(in, in, in, in, double *))f)(x[0], x[1], x[2], x[3], y);
  }
}
double best(void (*f)(void), int inputs, long states, const long *stride, in *first, long calls, double *y)
{
  double least = 1e9;
  for (int repetition = 0; repetition < 7; repetition++) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long k = 0, state = 0; k < calls; k++, state = state + 1 < states ? state + 1 : 0) {
      in x[4];
      for (int i = 0; i < inputs; i++)
        x[i] = first[i] + state * stride[i];
      call(f, inputs, x, y);
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    const double spent = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    least = spent < least ? spent : least;
  }
  return least / calls * 1e6;
}
"""


@cache
def clock() -> Any:
    """The timing loop, compiled into out/."""
    peer.OUT.mkdir(exist_ok=True)
    source, library = peer.OUT / "clock.c", peer.OUT / "clock.so"
    source.write_text(_CLOCK)
    command = [*find_toolchain().command, "-O2", "-std=c99", "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    best = ctypes.CDLL(str(library)).best
    best.restype = ctypes.c_double
    pointer, count = ctypes.c_void_p, ctypes.c_long
    best.argtypes = [pointer, ctypes.c_int, count, pointer, pointer, count, pointer]
    return best


def microseconds(model: kg.Model, kernel: str, arrays: Sequence[Array]) -> float:
    """Of one call in C of a kernel without run-time parameters; arrays (states, size), or (size) for all states."""
    module = model.module.having(kernel)
    spec, timer = module.manifest.kernel(kernel), clock()
    address = int(module.ffi.cast("uintptr_t", module.ffi.addressof(module.lib, spec.function)))
    states = max(len(x) if x.ndim == 2 else 1 for x in arrays)
    strides = np.array([x.shape[1] if x.ndim == 2 else 0 for x in arrays], dtype=ctypes.c_long)
    firsts = np.array([x.ctypes.data for x in arrays], dtype=np.uintp)
    out = np.empty(spec.outputs[0].shape)

    def measure(calls: int) -> float:
        given = strides.ctypes.data, firsts.ctypes.data, calls, out.ctypes.data
        return float(timer(address, len(arrays), states, *given))

    return measure(max(20, int(SECONDS * 1e6 / measure(20))))


def kernel_times(model: kg.Model, methods: Sequence[str], frame: str) -> dict[str, float | None]:
    """Microseconds of the kernels of each method, over STATES random states; None where there are none."""
    rng = np.random.default_rng(0)
    q, (v, a) = model.random(rng, size=STATES), rng.uniform(-1, 1, (2, STATES, model.nv))
    place, offset = model._frames.found(frame)
    given = {"q": q, "q0": q, "q1": np.roll(q, 1, axis=0), "v": v, "v_dt": v, "x": v, "b": v, "a": a, "tau": a}
    given |= {"frame": place, "placed": np.append(place, offset[:3, :3]), "M": model.mass_matrix(q, packed=True)}

    def spent(kernel: str) -> float:
        inputs = model.module.having(kernel).manifest.kernel(kernel).inputs
        return microseconds(model, kernel, [given[x.name] for x in inputs])

    chosen = [kernel.name for kernel in model.manifest.kernels if kernel.frame == frame]
    known = {**NAMES, **{f"frame_{name.partition('_of_')[0]} alone": (name,) for name in chosen}}
    names = {method: known.get(method, (method,)) for method in methods}
    return {method: sum(map(spent, kernels)) if kernels else None for method, kernels in names.items()}


def pinocchio_times(urdf: Path, floating: bool, frame: str) -> dict[str, float]:
    """Microseconds of Pinocchio's C++ by method, over as many."""
    model = pin.buildModelFromUrdf(str(urdf), *([pin.JointModelFreeFlyer()] if floating else []))
    asked = model.frames[model.getFrameId(frame)]
    place = [asked.parentJoint, *asked.placement.rotation.ravel(), *asked.placement.translation]
    command = [str(peer.build("pinocchio_calls")), str(peer.dump(urdf, floating)), *map(str, place)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return {name: float(value) for name, value in map(str.split, done.stdout.splitlines())}
