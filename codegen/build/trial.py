"""A compiled module on trial before anyone uses it: it is loaded and called once, and its numbers are compared.

Two routes give the same numbers: the C that the compiler made of a program, and the program evaluated by Python with a
bound on rounding. M a from the mass matrix is compared with inverse dynamics less bias where M is no program. What
computes several states at a time is compared with the same kernel for one.
"""

from __future__ import annotations

import inspect
import marshal
import math
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import _cffi_backend
import numpy as np
from numpy.typing import NDArray

from kinegen.runtime.abi import KernelSpec, Manifest
from kinegen.runtime.errors import BuildError
from kinegen.runtime.kinds import KINDS

from ..printing.sources import Arrays, Evaluation, Sources
from ..printing.text.dialects import DOUBLE, NUMBERS, Numbers
from . import first_call
from .run import Ended, run_program, time_limit

TRIAL_SECONDS = 120.0
"""A call takes microseconds, and Python starts within seconds even where much else is running."""

BUDGET = 300
"""Steps of the evaluations that are made beside the shortest one of each file, which always is."""


@dataclass(frozen=True)
class Trial:
    """A kernel to call, and to evaluate as well if that is said; `lanes`: for STATES equal states at a time."""

    kernel: KernelSpec
    evaluation: Evaluation | None
    lanes: bool = False
    numbers: Numbers = DOUBLE

    @property
    def name(self) -> str:
        return self.kernel.lanes if self.lanes else self.kernel.name

    def call(self, state: Arrays, p: Sequence[str]) -> tuple[str, list[object], list[int], list[int]]:
        """Function, what it is given, lengths of what it fills, what it is given behind."""
        inputs, sizes = [state[a.name] for a in self.kernel.inputs], [prod(a.shape) for a in self.kernel.outputs]
        first = [state[name] for name in p]
        if not self.lanes:
            return self.kernel.function, [*first, *inputs], sizes, []
        strided = [part for array in inputs for part in (array, 0, 1)]
        return self.kernel.lanes, [STATES, *first, *strided], [STATES * sizes[0]], [sizes[0], 1]


Array = NDArray[np.float64]
Filled = list[list[bytes]]
"""The arrays that each call filled."""

STATES = 17
"""More than the widest vector holds."""


def try_module(sources: Sources, folder: Path, module: str, library: str, compiler: str) -> None:
    """BuildError that names the compiler if the module in `folder` cannot be loaded, crashes, hangs or is wrong.

    `module`, `library`: names of its files as `compile_module` gives them.
    """
    state, numbers = _state(sources.manifest), NUMBERS[sources.manifest.dtype]
    trials = [*_trials(sources)]
    results = _called(sources.manifest, trials, state, folder, (module, library), compiler)
    filled = [[np.frombuffer(array, sources.manifest.dtype) for array in result] for result in results]
    found = {trial.name: result for trial, result in zip(trials, filled, strict=True)}
    wrong = next((text for trial in trials if (text := _wrong(trial, state, found[trial.name]))), "")
    by_lanes = (_wrong_lanes(trial, found) for trial in trials if trial.lanes)
    wrong = wrong or next(filter(None, by_lanes), "")
    if wrong := wrong or _unbalanced(sources.manifest, state, found, numbers):
        raise BuildError(
            f"the C compiler '{compiler}' made a module of '{sources.manifest.name}' that computes wrongly: {wrong}. "
            "It is not used; repair the compiler, choose another one by CC, or correct KINEGEN_CFLAGS"
        )


def _trials(sources: Sources) -> Iterator[Trial]:
    """The kernels that are evaluated, the shortest first and one of each file at least, then those that balance."""
    seen, numbers = set[str](), NUMBERS[sources.manifest.dtype]
    spent, done = 0, set()
    for one in sorted(sources.evaluations, key=lambda one: (one.steps, one.kernel)):
        if one.file in seen and spent + one.steps > BUDGET:
            continue
        spent += one.steps if one.file in seen else 0
        seen.add(one.file)
        done.add(one.kernel)
        yield Trial(sources.manifest.kernel(one.kernel), one, numbers=numbers)
    kernels = {kernel.name: kernel for kernel in sources.manifest.kernels if kernel.function}
    if seen and kernels.keys() >= BALANCE:
        yield from (Trial(kernels[name], None, numbers=numbers) for name in sorted(BALANCE - done))
        done |= BALANCE
    wide = {kernel.lanes: kernel for kernel in sources.manifest.kernels if kernel.lanes}
    for kernel in wide.values():
        yield from [] if kernel.name in done else [Trial(kernel, None, numbers=numbers)]
        yield Trial(kernel, None, lanes=True, numbers=numbers)


_BALANCED = ("mass_matrix", "bias", "inverse_dynamics")
BALANCE = frozenset(_BALANCED)


def _state(manifest: Manifest) -> dict[str, list[float]]:
    """Fixed values between a quarter and three quarters for all that kernels are given; rotations have norm one."""
    held = NUMBERS[manifest.dtype].kernel.held
    given = {array.name: prod(array.shape) for kernel in manifest.kernels for array in kernel.inputs}
    given["p"] = len(manifest.parameters)
    golden = (math.sqrt(5.0) - 1.0) / 2.0
    state = {
        name: [0.25 + 0.5 * ((k + 1) * golden + at / 7.0) % 0.5 for k in range(size)]
        for at, (name, size) in enumerate(sorted(given.items()))
    }
    for name in ("q", "q0", "q1"):
        for joint in manifest.joints if name in state else ():
            if part := KINDS[joint.kind].rotation:
                own = slice(joint.q_start + part.start, joint.q_start + part.stop)
                norm = math.hypot(*state[name][own])
                state[name][own] = [x / norm for x in state[name][own]]
    return {name: [float(held(x)) for x in values] for name, values in state.items()}


def _called(
    manifest: Manifest,
    trials: Sequence[Trial],
    state: Arrays,
    folder: Path,
    files: tuple[str, str],
    compiler: str,
) -> Filled:
    """What each kernel gives, called in a process of its own."""
    p = ["p"] if manifest.parameters else []
    calls = [trial.call(state, p) for trial in trials]
    module, library = files
    asked = {
        "path": str(folder / module),
        "name": module.partition(".")[0],
        "library": library and str(folder / library),
        "backend": os.path.dirname(getattr(_cffi_backend, "__file__", "")),
        "array": f"{NUMBERS[manifest.dtype].scalar}[]",
        "calls": calls,
    }
    what = f"the module of '{manifest.name}' that the C compiler '{compiler}' made"
    if not sys.executable or getattr(sys, "frozen", False):  # Python inside another program, which cannot be started
        return _called_here(asked, what)
    # no site packages and no folder of the user: it needs cffi's backend only, and starts in a tenth of the time
    python = [sys.executable, "-P", "-s", "-S", "-B", "-c", inspect.getsource(first_call)]
    try:
        done = run_program(python, min(time_limit(os.environ), TRIAL_SECONDS), data=marshal.dumps(asked))
    except TimeoutError as error:
        raise BuildError(f"{what} did not answer when it was called: it is not used") from error
    except OSError as error:
        raise BuildError(f"{what} cannot be tried, since Python cannot be started anew ({error})") from error
    return _answer(done, what)


def _called_here(asked: Mapping[str, object], what: str) -> Filled:
    try:
        results: Filled = first_call.called(asked)  # type: ignore[no-untyped-call]
        return results
    except (ImportError, OSError, AttributeError) as error:
        raise BuildError(f"{what} cannot be loaded: {error}") from error


def _answer(done: Ended, what: str) -> Filled:
    if done.code < 0:
        raise BuildError(f"{what} crashes when it is called (signal {-done.code}): it is not used")
    try:
        answer: Filled = marshal.loads(done.output)
    except (ValueError, EOFError, TypeError) as error:
        said = done.errors.decode(errors="replace").strip().splitlines()[-1:] or [f"exit code {done.code}"]
        raise BuildError(f"{what} cannot be loaded: {said[0]}") from error
    return answer


def _wrong(trial: Trial, state: Arrays, result: Sequence[Iterable[float]]) -> str:
    """The first number that is not what the program gives, in words; '' if none, or if the program gives none here."""
    if trial.evaluation is None:
        return ""
    try:
        wanted = trial.evaluation.bounds(state)
    except (ArithmeticError, ValueError):
        return ""
    for array, values in zip(trial.kernel.outputs, result, strict=True):
        for i, (value, (right, error)) in enumerate(zip(values, wanted[array.name], strict=True)):
            if math.isfinite(right) and not abs(value - right) <= error + trial.numbers.least:
                return f"{trial.kernel.name} gives {array.name}[{i}] = {value:.9g}, the program {right:.9g}"
    return ""


def _wrong_lanes(trial: Trial, found: Mapping[str, Sequence[Array]]) -> str:
    """The first number that differs from that of the kernel for one state, in words; '' if none."""
    wanted, got = found[trial.kernel.name][0].tolist(), found[trial.name][0].tolist()
    largest = max(map(abs, wanted), default=0.0)
    for i, value in enumerate(got):
        right = wanted[i % len(wanted)]
        if math.isfinite(largest) and not abs(value - right) <= trial.numbers.sums * largest:
            return f"{trial.name} gives {value:.9g} for entry {i}, {trial.kernel.name} {right:.9g}"
    return ""


def _unbalanced(manifest: Manifest, state: Arrays, found: Mapping[str, Sequence[Array]], numbers: Numbers) -> str:
    """Where M a + bias is not what inverse dynamics gives, in words; '' if it is everywhere."""
    if not found.keys() >= BALANCE:
        return ""
    (mass,), (bias,), (torque,) = ([x.astype(float, copy=False) for x in found[name]] for name in _BALANCED)
    M, a = mass.reshape(manifest.nv, manifest.nv), np.array(state["a"])
    with np.errstate(all="ignore"):
        sums = M @ a + bias
        parts = np.abs(M).max(axis=0, initial=0.0) * np.abs(a), np.abs(bias), np.abs(torque)
        largest = max(float(part.max(initial=0.0)) for part in parts)
        wrong = np.flatnonzero(~(np.abs(sums - torque) <= numbers.sums * largest))
    if math.isfinite(largest) and len(wrong):
        i = wrong[0]
        return f"mass_matrix gives {sums[i]:.9g} for entry {i} of inverse_dynamics, {torque[i]:.9g}"
    return ""
