"""The step that is differentiated: the simulator's, its constraint rows solved to rounding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arguments import Array
from ...contact.cones import NORMAL, ConeProblem
from ...contact.contacts import ContactOptions, Records
from ...contact.exact import solve_exactly
from ...contact.exact_step import SolverCall
from ...contact.newton import polish, settled, units
from ...errors import ModelError
from ...simulation.simulator import Simulator, motion_of

Contacts = bool | ContactOptions | None
Start = Callable[[Contacts], Simulator]
"""A simulator before the step, by its contacts."""

ROUNDING = 1e-9
"""Residual [m/s] of what counts as solved exactly, over 1 + its fastest row."""

APART = 1e-6
"""Velocities after the step that differ by this part are two solutions of Coulomb's law."""


@dataclass(frozen=True)
class Posed:
    """A problem with the impulses `f` that were found; `fresh`: the search began with none."""

    problem: ConeProblem
    fresh: bool


@dataclass(frozen=True)
class Solved:
    """A step that was made: all its rows, k blocks of three, and the problems that were solved in it, one by one."""

    simulator: Simulator
    records: Records
    posed: tuple[Posed, ...]

    @property
    def problem(self) -> ConeProblem:
        """The last one."""
        return self.posed[-1].problem

    @property
    def pushed(self) -> bool:
        """Of a semi-implicit step: something was pushed out of a depth."""
        last, records = self.problem, self.records
        normal = last.kind[0::3] == NORMAL
        pressing = np.einsum("ij,ij->i", records["force"], records["normal"])[normal] * self.simulator.dt
        least = ROUNDING * (1.0 + np.abs(pressing).max(initial=0.0))
        return bool(np.abs(pressing - last.f[0::3][normal]).max(initial=0.0) > least)


def weakened(problems: Sequence[ConeProblem]) -> bool:
    """Of problems that differ in what points are left with: rebounds were made weaker, so that they gain no energy."""
    last = problems[-1].target
    most = np.max([x.target for x in problems if len(x.target) == len(last)], axis=0)
    return bool((most - last)[0::3].max(initial=0.0) > 1e-12)


class _Exact:
    """A solver for the C: Newton's method from the impulses of converged sweeps, or cone programs; keeps problems."""

    def __init__(self, start: Array | None) -> None:
        self.start, self.posed = start, list[Posed]()

    def __call__(self, problem: ConeProblem) -> Array:
        self.posed.append(Posed(replace(problem, f=self._found(problem)), not problem.f.any()))
        return self.posed[-1].problem.f

    def _found(self, problem: ConeProblem) -> Array:
        if self.start is None:
            return solve_exactly(problem)
        f = polish(problem, self.start if len(self.start) == len(problem.b) else problem.f)
        if problem.residual(f) > _rounding(problem) and problem.f.any():
            f = polish(problem, problem.f)
        if problem.residual(f) > _rounding(problem):
            return _programmed(problem, f)
        even = settled(problem, _evened(problem, f))
        return even if problem.residual(even) <= problem.residual(f) + 1e-15 else f


def _evened(problem: ConeProblem, f: Array) -> Array:
    """The least of the impulses that give the same velocities, in units of 1/√K: redundant points at rest share loads
    evenly, where sweeps may leave one of them with nothing, as if it only just touched."""
    unit = units(problem)
    K = unit[:, None] * problem.K * unit
    found: Array = unit * np.linalg.lstsq(K, K @ (f / unit), rcond=1e-12)[0]
    return found


def _rounding(problem: ConeProblem) -> float:
    return ROUNDING * (1.0 + float(np.abs(problem.b - problem.target).max(initial=0.0)))


def _programmed(problem: ConeProblem, otherwise: Array) -> Array:
    try:
        return solve_exactly(problem)
    except ModelError:
        return otherwise


def swept(start: Start, contacts: Contacts) -> Simulator:
    """After the step by sweeps that go on until nothing changes."""
    if contacts is not False:
        options = contacts if isinstance(contacts, ContactOptions) else ContactOptions()
        contacts = replace(options, tolerance=1e-14, sweeps=max(options.sweeps, 2000), solver="sweeps")
    made = start(contacts)
    made.step()
    return made


def has_rows(simulator: Simulator) -> bool:
    """Rows may have acted in its last step."""
    state = motion_of(simulator).stepper.contact_state
    return state is not None and len(state.records()) > 0


def solved(start: Start, contacts: Contacts, swept: Simulator, programmed: bool, strip: float | None = None) -> Solved:
    """The step again, exactly; `programmed`: by cone programs alone, whose forces of redundant points are even;
    `strip`: of a Runge-Kutta step the velocity [m/s] up to which nothing strikes, which the sweeps did not look at.

    ModelError where no exact solution is found, and where Coulomb's law has several.
    """
    beginning = motion_of(swept).stepper.contact_state
    solver = _Exact(None if programmed or beginning is None else beginning.problem().f)
    made = start(contacts)
    state = motion_of(made).stepper.contact_state
    if state is None:
        raise ModelError("contacts: there are no rows to solve")
    state.solve_by(SolverCall(made.model, solver))
    made.step()
    found = Solved(made, state.records(), tuple(solver.posed))
    if strip is not None or not found.pushed:
        _require_one(found, swept, APART + 10.0 * (strip or 0.0))
    return found


def _require_one(found: Solved, swept: Simulator, apart: float) -> None:
    """ModelError where the rows are not solved exactly, or where the sweeps go another way: velocities that differ by
    the part `apart`."""
    name = found.simulator.model.name
    residual, over = max((x.problem.residual(x.problem.f), _rounding(x.problem)) for x in found.posed)
    if residual > over:
        raise ModelError(
            f"model '{name}': the contact of this step is not solved exactly (residual {residual:.1e} m/s); "
            "pip install 'kinegen[exact]' if it is not there, or take a shorter dt"
        )
    state, scale = motion_of(swept).stepper.contact_state, 1.0 + float(np.abs(found.simulator.v).max(initial=0.0))
    settled = state is not None and state.contacts().residual <= ROUNDING
    if settled and np.abs(swept.v - found.simulator.v).max(initial=0.0) > apart * scale:
        raise ModelError(
            f"model '{name}': Coulomb's law has several solutions in this step, and so no derivatives here: friction "
            "is so large that what touches may stick, or slip, or part"
        )
