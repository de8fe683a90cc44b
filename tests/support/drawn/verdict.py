"""A random closed mechanism as kinegen has it, compiled, beside what maximal coordinates say."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinegen.codegen.analysis.plan import Plan, plan
from kinegen.codegen.build import Toolchain, build_with, find_toolchain
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.selection import Selection
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.loops.left_out import TRUSTED
from kinegen.runtime import Model, Simulator
from kinegen.runtime.errors import FitWarning, KinegenError
from support.maximal.assembly import Assembly

from .truth import MOST, Truth

Array = NDArray[np.float64]

DURATION, SHORTEST = 0.1, 0.01
STEP = 1e-3
KERNELS = Selection(("simulate", "forward_dynamics", "link_poses"), False)

LOST = 1e-4
"""Singular values below this part of the largest, in maximal coordinates, may be pivots that are taken for zero."""

MOTION = 1e-7
"""Error of poses [m, 1] after DURATION, beside that of the steps: ten times the change when they are halved."""


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
            model = compiled(assembly, at, folder)
            if model.loops.misfit:  # as kg.compile tells it
                warnings.warn("its loops miss by rounding of its dimensions", FitWarning, stacklevel=1)
            wrong = list(_compared(model, truth, at))
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


def straight_line(truth: Truth, at: bool) -> Verdict:
    """What is decided before anything is compiled: freedoms, and the straight-line accelerations where they prove
    themselves. Elsewhere, and so near a singular configuration that a rank counts as lost, a simulation is to tell."""
    try:
        decided = plan(truth.assembly.mechanism, contacts=False, at=truth.assembly.start if at else None)
    except KinegenError as error:
        return Verdict("refused", (kind_of(str(error)),))
    wrong, reference = list[str](), decided.reference
    if truth.ratio < LOST or reference is None:
        return Verdict("told", ("too near a singular configuration",))
    free = len(reference.partition.independent)
    if at and not decided.misfit and free != truth.branch:
        wrong.append(f"freedoms: {free}, not {truth.branch} (ratio {truth.ratio:.1g})")
    if decided.straight.closed and decided.straight.closed.function and truth.inert:
        names = tuple(body.joint.name for body in truth.assembly.mechanism.tree.bodies if body.nv)
        v, tau = truth.of(truth.w, names), truth.torques(names)
        run = numeric(decided.straight.closed.function)
        given = {"q": truth.assembly.q.tolist(), "v": v.tolist(), "tau": tau.tolist(), "d": [0.0] * len(v), "p": []}
        try:
            found = run(given)
        except ZeroDivisionError:  # a pivot is zero: in C the quality is, and the code does not prove itself
            return Verdict("told", ("too near a singular configuration",))
        error = truth.misses(found["a"], names)
        if found["quality"][0] > TRUSTED and not error <= truth.allowed:
            wrong.append(f"accelerations off by {error:.1e} (allowed {truth.allowed:.1e}, ratio {truth.ratio:.1g})")
        error = _missed_by_dependence(decided, truth, names)
        if not error <= truth.allowed:
            wrong.append(f"what depends off by {error:.1e} (allowed {truth.allowed:.1e}, ratio {truth.ratio:.1g})")
    return Verdict("silent" if wrong else "agreed", tuple(wrong))


def _missed_by_dependence(decided: Plan, truth: Truth, names: tuple[str, ...]) -> float:
    """By how much velocities and accelerations that the straight-line code has depend on those that lead are off; 0
    where it does not prove itself."""
    if decided.straight.dependence is None or decided.straight.scales is None:
        return 0.0
    v, a = truth.of(truth.w, names), truth.of(truth.a, names)
    partition, places = decided.straight.dependence.partition, list(decided.straight.dependence.places)
    lead, follow = list(partition.independent), list(partition.dependent)
    given = np.where(np.isin(np.arange(len(v)), lead), v, np.nan)  # what follows is not looked at
    found = numeric(decided.straight.dependence.function)(
        {"q": truth.assembly.q.tolist(), "v": given.tolist(), "p": []}
    )
    H = np.zeros(len(follow) * len(lead))
    H[places] = found["H"]
    H = H.reshape(len(follow), len(lead))
    missed = [0.0]
    if found["quality"][0] > decided.straight.scales.trusted:
        missed.append(np.abs(H @ v[lead] - v[follow]).max() / max(1.0, np.abs(v).max()))
    if found["quality"][1] > decided.straight.scales.trusted:
        missed.append(truth.misses(_completed(a, follow, H @ a[lead] + found["dHv"]), names))
    return float(np.max(missed))


def _completed(a: Array, follow: list[int], values: Array) -> Array:
    a = a.copy()
    a[follow] = values
    return a


def _compared(model: Model, truth: Truth, at: bool) -> Iterator[str]:
    q = truth.assembly.q
    names = model.joint_names
    freedoms = model.nv - model.partition(q).rank
    if freedoms != truth.freedoms:
        yield f"freedoms at q: {freedoms}, not {truth.freedoms} (ratio {truth.ratio:.1g})"
    if at and model.nf != truth.branch:
        yield f"nf: {model.nf}, not {truth.branch} (ratio {truth.ratio:.1g})"
    if not truth.inert:  # and no number may be given for its accelerations
        if np.isfinite(model.forward_dynamics(q, np.zeros(model.nv), np.zeros(model.nv))).any():
            yield "moves without inertia"
        return
    v, tau = truth.of(truth.w, names), truth.torques(names)
    for method in (None, "reduced", "unit_vector"):
        error = truth.misses(model.forward_dynamics(q, v, tau, method=method), names)
        if not error <= truth.allowed:
            which = f"accelerations ({method or 'default'})"
            yield f"{which} off by {error:.1e} (allowed {truth.allowed:.1e}, ratio {truth.ratio:.1g})"
    yield from _motion(model, truth, q, v, tau)


def _motion(model: Model, truth: Truth, q: Array, v: Array, tau: Array) -> Iterator[str]:
    ends = _ends(model, q, v, tau, DURATION)
    if truth.crossing:
        yield "motion not compared: branches cross or end"
        return
    expected, duration = truth.moved(DURATION), DURATION
    while not expected.ended and duration > SHORTEST:  # a gimbal that is turned into its lock speeds up without bound
        duration /= 5
        expected, ends = truth.moved(duration), _ends(model, q, v, tau, duration)
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


def _ends(model: Model, q: Array, v: Array, tau: Array, duration: float) -> list[Array]:
    """Poses of the links after this time, by steps of STEP and by halves of them."""
    ends = []
    for dt in (STEP, STEP / 2):
        simulator = Simulator(model, q=q, v=v, tau=tau, integrator="rk4", dt=dt)
        simulator.step(round(duration / dt))
        ends.append(model.link_poses(simulator.q))
    return ends
