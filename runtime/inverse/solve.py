"""Inverse kinematics of a compiled model: arguments for the C, more attempts, and what came of it (mathematics §15)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array, as_count, as_flag, as_number
from ..errors import ModelError
from ..kinds import KINDS
from ..model.closed.closure import closed_within, dofs_named
from ..model.closed.leaders import readiness, require_holonomic
from ..model.configuration import generator_of
from ..model.model import Model
from ..module.kernel import require_unit
from ..names.lookup import frames, require_placed
from ..structs import GOAL, TARGET
from ..thresholds import RATHER_LEADING
from ..typed import typed
from .solution import OUT_OF_BOUNDS, REACHED, IKError, IKSolution
from .targets import Target, Wanted, wanted

SLACK = 1e-9
"""By so much [m, rad] a limit may be passed: what closing a loop leaves."""


@typed
def solve_ik(
    model: Model,
    targets: Sequence[Target],
    q0: ArrayLike | None = None,
    *,
    hold: Sequence[str] = (),
    limits: bool = True,
    tolerance: float = 1e-6,
    iterations: int = 200,
    follow: bool = False,
    restarts: int = 0,
    rng: np.random.Generator | int | None = 0,
    check: bool = True,
) -> IKSolution:
    """Configurations that meet `targets`, searched from q0 (..., nq), by default `model.q0`.

    Goals may have batch axes, which broadcast with those of q0: a search for each. `follow`: the rows of the last of
    these axes follow each other, each search starts where the one before ended. Joints in `hold` (or entries,
    "gimbal[2]") stay as they are. Of a joint whose velocities are along axes that turn with the child (spherical, free,
    planar) those of all its turns, or all of its shifts, go together; where no turn moves single shifts too.
    `limits`: other coordinates stay within those of their joints, those of cut joints too; a start beyond is moved to
    them. Closed mechanisms move in their independent coordinates and stay closed.
    Damped least squares on the weighted residuals, at most `iterations` linear problems. `tolerance`: each target is
    met where its `residual` is at most this, of a position [m] and of a rotation or an axis [rad] alike: 1e-6 is 1 µm
    and 1 µrad. Weights do not count in it, but for axes whose weight is 0. What is not within it is tried again
    from up to `restarts` random configurations (`rng`: a generator or a seed).
    Raises `IKError`, a ModelError, that names the target which is missed most and by how much; with check=False the
    solution tells (`reached`, `residual`) and is the best that was found. ModelError for bad arguments.
    """
    problem = _Problem.of(model, targets, hold, limits)
    tolerance = as_number("tolerance", tolerance, positive=True)
    passes, more = as_count("iterations", iterations, least=1), as_count("restarts", restarts, least=0)
    starts = as_array("q0", model.q0 if q0 is None else q0, (model.nq,))
    require_unit(model.module, "q0", starts)
    batch = _batch(starts, problem.wanted)
    q = np.ascontiguousarray(np.broadcast_to(starts, (*batch, model.nq))).copy()
    goals = _goals(problem.wanted, batch)
    solver = _Solver(model, problem, tolerance, passes)
    chains = as_flag("follow", follow) and bool(batch)
    found = solver.run(problem.started(model, q, hold), goals, max(batch[-1], 1) if chains else 1)
    generator = generator_of(rng)
    for _ in range(more):
        missed = ~found.reached
        if not missed.any():
            break
        fresh = problem.started(model, problem.shuffled(model, q[missed], generator), hold)
        found = _better(found, solver.run(fresh, goals[missed], 1), missed)
    if check and (message := found.message()):
        raise IKError(f"model '{model.name}': solve_ik: {message}; restarts= tries other starts", found)
    return found


@dataclass(frozen=True)
class _Problem:
    """What all searches share; arrays of all velocities, then of those of cut joints."""

    wanted: tuple[Wanted, ...]
    lower: Array
    upper: Array
    entry: np.ndarray[tuple[int], np.dtype[np.intc]]
    turns: np.ndarray[tuple[int], np.dtype[np.intc]]
    moves: Array
    ready: Array | None

    @classmethod
    def of(cls, model: Model, targets: Sequence[Target], hold: Sequence[str], limits: bool) -> _Problem:
        if not model.nv:
            raise ModelError(f"model '{model.name}': nothing moves, so that nothing can be reached")
        require_holonomic(model.manifest, "solve_ik")
        if not len(targets):
            raise ModelError("targets: expected at least one, such as kg.FrameTarget('hand', position=(0.4, 0, 0.5))")
        known = frames(model.manifest)
        for target in targets:
            require_placed(model.manifest, getattr(target, "frame", None), "targets: ")
        asked = tuple(one for target in targets for one in wanted(target, known, model.name))
        lower, upper, entry, turns = _limits(model, as_flag("limits", limits))
        moves, ready = np.ones(model.nv), readiness(model.manifest, model.loops.pins)
        held = list(dofs_named(model.manifest, hold))
        _require_still(model, held)
        moves[held], lower[held], upper[held] = 0.0, -math.inf, math.inf
        if held and model.manifest.closed:
            ready = np.ones(model.nv) if ready is None else ready
            ready[list(model.loops.leaders)] = np.minimum(ready[list(model.loops.leaders)], RATHER_LEADING)
            ready[held] = 0.0
        return cls(asked, lower, upper, entry, turns, moves, ready)

    def started(self, model: Model, q: Array, hold: Sequence[str]) -> Array:
        """q (..., nq), changed in place: within the limits, or on the closure. ModelError where it cannot be closed, or
        where joints to hold contradict each other."""
        if not model.manifest.closed:
            own = [i for i in range(model.nv) if math.isfinite(self.lower[i]) or math.isfinite(self.upper[i])]
            at = self.entry[own]
            q[..., at] = np.clip(q[..., at], self.lower[own], self.upper[own])
            return q
        closed = model.assemble(q, hold=hold)
        if self.ready is not None and not self.moves.all() and q.size:
            at = closed.reshape(-1, model.nq)[0]
            if len(model.closure.split(at, self.ready).dependent) < len(model.closure.split(at).dependent):
                raise ModelError(f"hold: the loops let {', '.join(hold)} not stand still alone: hold fewer joints")
        return closed

    def shuffled(self, model: Model, q: Array, rng: np.random.Generator) -> Array:
        """(n, nq) random configurations, joints that are held as in q."""
        fresh = model.random(rng, size=len(q))
        for joint in model.manifest.joints:
            if not self.moves[joint.v_start : joint.v_start + joint.nv].all():
                part = slice(joint.q_start, joint.q_start + joint.nq)
                fresh[:, part] = q[:, part]
        return fresh


def _require_still(model: Model, held: Sequence[int]) -> None:
    """ModelError for held velocities along axes that turn with the child, so that no coordinate would stay."""
    for joint in model.manifest.joints:
        for step in KINDS[joint.kind].steps:
            if not step.motion.group:
                continue
            first = joint.v_start + step.v
            shifts, turns = (
                [first + i for i, linear in enumerate(step.motion.linear) if linear == asked] for asked in (True, False)
            )
            parts = [turns] if set(turns) <= set(held) else [turns, shifts]
            for part in parts:
                if 0 < len(set(part) & set(held)) < len(part):
                    names = [f"{joint.name}[{i - joint.v_start}]" for i in part]
                    raise ModelError(
                        f"hold: {', '.join(names)} are along axes that turn with '{joint.child}', so that some "
                        f"alone keep nothing where it is: hold all of them, or '{joint.name}'"
                    )


def _limits(model: Model, asked: bool) -> tuple[Array, Array, Any, Any]:
    """Limits of every velocity, of the tree and then of cut joints, ±inf for none; where the coordinates stand; 1 for
    an angle."""
    manifest, values = model.manifest, model.parameter_values()
    loops = manifest.loops
    width = manifest.nv + sum(joint.nv for joint in loops)
    lower, upper = np.full(width, -math.inf), np.full(width, math.inf)
    entry, turns = np.zeros(width, dtype=np.intc), np.zeros(width, dtype=np.intc)
    open_loops = {switch.loop for switch in manifest.switches if not values[switch.flag]}
    places = [(joint, 0, True) for joint in manifest.joints]
    places += [(joint, manifest.nv, i not in open_loops) for i, joint in enumerate(loops)]
    for joint, first, holds in places:
        part = slice(first + joint.v_start, first + joint.v_start + joint.nv)
        turns[part] = np.logical_not(KINDS[joint.kind].linear)
        if joint.nq != joint.nv or not joint.lower or not (asked and holds):
            continue
        lower[part], upper[part] = joint.lower, joint.upper
        entry[part] = np.arange(joint.q_start, joint.q_start + joint.nq)
    return lower, upper, entry, turns


def _batch(starts: Array, asked: Sequence[Wanted]) -> tuple[int, ...]:
    shapes = {"q0": starts.shape[:-1]} | {one.name: one.goal.shape[:-1] for one in asked}
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError as error:
        told = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ModelError(f"solve_ik: batch axes do not fit each other: {told}") from error


def _goals(asked: Sequence[Wanted], batch: tuple[int, ...]) -> Array:
    """(*batch, T, 9)."""
    goals = np.zeros((*batch, len(asked), GOAL))
    for i, one in enumerate(asked):
        goals[..., i, : one.goal.shape[-1]] = one.goal
    return goals


def _better(found: IKSolution, again: IKSolution, missed: Any) -> IKSolution:
    """Rows that were missed replaced where another attempt came nearer."""
    q, residual, reached = found.q.copy(), found.residual.copy(), found.reached.copy()
    ended, iterations = found.ended.copy(), found.iterations.copy()
    nearer = again.reached | (np.square(again.residual).sum(-1) < np.square(residual[missed]).sum(-1))
    nearer &= (again.ended != OUT_OF_BOUNDS) | (ended[missed] == OUT_OF_BOUNDS)
    for array, other in ((q, again.q), (residual, again.residual)):
        array[missed] = np.where(nearer[:, None], other, array[missed])
    for kept, fresh in ((reached, again.reached), (ended, again.ended)):
        kept[missed] = np.where(nearer, fresh, kept[missed])
    iterations[missed] += again.iterations
    return IKSolution(q, residual, found.names, found.units, reached, iterations, ended)


class _Solver:
    """The C function with what stays the same from call to call."""

    def __init__(self, model: Model, problem: _Problem, tolerance: float, passes: int) -> None:
        module, prefix = model.module.having("solve_ik"), model.manifest.prefix
        self._ffi, self._model, self._problem = module.ffi, model, problem
        name = f"{prefix}_solve_ik"
        if not hasattr(module.lib, name):
            raise ModelError(f"model '{model.name}' was generated without solve_ik: generate it with that kernel")
        TARGET.check(self._ffi, prefix)
        self._function = getattr(module.lib, name)
        self._targets = np.zeros(len(problem.wanted), dtype=TARGET.dtype)
        for row, one in zip(self._targets, problem.wanted, strict=True):
            row["kind"], row["place"], row["axis"], row["weight"] = one.number, one.place, one.axis, one.weight
        self._parameters = model.parameter_values()
        s = self._struct = self._ffi.new(f"{prefix}_ik *")
        s.p = self._doubles(self._parameters) if model.manifest.parameters else self._ffi.NULL
        s.count, s.targets = len(self._targets), self._ffi.from_buffer(f"{prefix}_target[]", self._targets)
        s.lower, s.upper, s.moves = (self._doubles(x) for x in (problem.lower, problem.upper, problem.moves))
        s.entry, s.turns = (self._ffi.from_buffer("int[]", x) for x in (problem.entry, problem.turns))
        s.ready = self._ffi.NULL if problem.ready is None else self._doubles(problem.ready)
        s.tolerance, s.slack, s.closed = tolerance, SLACK, closed_within(model.manifest)
        s.passes, s.centre = passes, int(any(one.kind == "centre" for one in problem.wanted))
        self._work = np.zeros(6 * len(self._targets))
        s.work = self._doubles(self._work)

    def run(self, q: Array, goals: Array, chain: int) -> IKSolution:
        """Searches from q (*batch, nq), each `chain` rows one after the other."""
        batch, count, s = q.shape[:-1], len(self._targets), self._struct
        q, goals = np.ascontiguousarray(q), np.ascontiguousarray(goals)
        rows = math.prod(batch)
        size, taken, ended = np.zeros((rows, count)), np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
        s.rows, s.follow = rows, 0
        s.q, s.goals, s.size = self._doubles(q), self._doubles(goals), self._doubles(size)
        s.taken, s.ended = (self._ffi.from_buffer("long[]", x) for x in (taken, ended))
        if chain <= 1:
            self._function(s)
        for first in range(0, rows if chain > 1 else 0, chain):
            s.rows, s.follow = chain, 1
            s.q, s.goals = self._doubles(q, first * q.shape[-1]), self._doubles(goals, first * count * GOAL)
            s.size = self._doubles(size, first * count)
            s.taken, s.ended = (self._ffi.from_buffer("long[]", x) + first for x in (taken, ended))
            self._function(s)
        names, units = (tuple(getattr(x, part) for x in self._problem.wanted) for part in ("name", "unit"))
        shaped = ended.reshape(batch)
        reached = np.asarray(shaped == REACHED)
        return IKSolution(q, size.reshape(*batch, count), names, units, reached, taken.reshape(batch), shaped)

    def _doubles(self, array: Array, start: int = 0) -> Any:
        return self._ffi.from_buffer("double[]", array) + start if start else self._ffi.from_buffer("double[]", array)
