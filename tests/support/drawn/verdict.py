"""A random closed mechanism as kinegen has it, compiled, beside what maximal coordinates say."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinegen.codegen.build import Toolchain, build_with, find_toolchain
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import Selection
from kinegen.runtime import Model, Simulator
from kinegen.runtime.errors import KinegenError
from support.maximal.assembly import Assembly

from .truth import Truth

Array = NDArray[np.float64]

DURATION = 0.1
STEP = 1e-3
KERNELS = Selection(("simulate", "forward_dynamics", "link_poses"), False)

ACCELERATION = 1e-8
"""Relative error of accelerations where the closure is well conditioned."""

DOUBTED = 1e3
"""Times what stable doubles miss by, which is what rounding of the configuration makes of it near singularities."""

MOTION = 1e-7
"""Error of poses [m, 1] after DURATION, beside that of the steps: ten times the change when they are halved."""

MOST = 1e-3
"""What no conditioning and no step excuses."""


@dataclass(frozen=True)
class Verdict:
    """`outcome`: agreed, told (a warning came with what does not agree), refused or silent; `what`: in words."""

    outcome: str
    what: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()


def judged(assembly: Assembly, truth: Truth, at: bool, folder: Path) -> Verdict:
    """Compiled with the start given or without; `folder`: cache of what is compiled."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            wrong = list(_compared(compiled(assembly, at, folder), truth, at))
        except KinegenError as error:
            return Verdict("refused", (kind_of(str(error)),))
    told = tuple(sorted({kind_of(str(w.message)) for w in caught if issubclass(w.category, UserWarning)}))
    if not wrong:
        return Verdict("agreed", warned=told)
    return Verdict("told" if told else "silent", tuple(wrong), told)


def compiled(assembly: Assembly, at: bool, folder: Path) -> Model:
    """Kernels of the step and the forward dynamics, as a plain library without optimisation: in a third of the time."""
    sources = generate(assembly.mechanism, contacts=False, at=assembly.start if at else None, selection=KERNELS)
    return Model.load(build_with(sources, toolchain(), cache=folder))


@cache
def toolchain() -> Toolchain:
    found = find_toolchain()
    return replace(found, tuning=(*found.tuning, "-O0"), include=None)


def kind_of(message: str) -> str:
    """A message without names and numbers."""
    plain = re.sub(r"'[^']*'", "'...'", message)
    plain = re.sub(r"[-+]?\d+\.?\d*(e[-+]?\d+)?", "#", plain)
    return re.sub(r"('\.\.\.', )+'\.\.\.'", "'...'", plain)


def _compared(model: Model, truth: Truth, at: bool):  # type: ignore[no-untyped-def]
    q = truth.assembly.q
    names = model.joint_names
    freedoms = model.nv - model.partition(q).rank
    if freedoms != truth.freedoms:
        yield f"freedoms at q: {freedoms}, not {truth.freedoms} (ratio {truth.ratio:.1g})"
    if at and model.nf != truth.branch:
        yield f"nf: {model.nf}, not {truth.branch} (ratio {truth.ratio:.1g})"
    if not truth.inert:
        yield "moves without inertia"
        return
    v, tau = truth.of(truth.w, names), np.zeros(model.nv)
    for name, values in truth.tau.items():
        tau[model.v_slice(name)] = values
    expected = truth.of(truth.a, names)
    size = max(1.0, float(np.abs(truth.a).max()))
    allowed = min(ACCELERATION + DOUBTED * truth.doubt, MOST)
    for method in (None, "reduced", "unit_vector"):
        found = model.forward_dynamics(q, v, tau, method=method)
        error = float(np.abs(found - expected).max(initial=0.0)) / size
        if not error <= allowed:
            yield f"accelerations ({method}) off by {error:.1e} (allowed {allowed:.1e}, ratio {truth.ratio:.1g})"
    yield from _motion(model, truth, q, v, tau)


def _motion(model: Model, truth: Truth, q: Array, v: Array, tau: Array):  # type: ignore[no-untyped-def]
    ends = []
    for dt in (STEP, STEP / 2):
        simulator = Simulator(model, q=q, v=v, tau=tau, integrator="rk4", dt=dt)
        simulator.step(round(DURATION / dt))
        ends.append(model.link_poses(simulator.q))
    if truth.crossing:
        yield "motion not compared: branches cross"
        return
    expected = truth.moved(DURATION)
    if not expected.ended:
        yield f"motion not compared: too fast (ratio {expected.ratio:.1g})"
        return
    names = [body.name for body in truth.assembly.bodies]
    poses = np.array([expected.poses[names.index(name)] for name in model.link_names if name in names])
    own = [i for i, name in enumerate(model.link_names) if name in names]
    error = float(np.abs(ends[1][own] - poses).max(initial=0.0))
    change = float(np.abs(ends[1] - ends[0]).max())
    if not error <= min(MOTION + 10 * change, MOST):
        yield f"motion off by {error:.1e} (halving the step {change:.1e}, ratio {expected.ratio:.1g})"
