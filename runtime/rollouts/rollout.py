"""Many simulations of one model at once: each with its own state, torques, parameters and end, shared among threads."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..analysis.values import by_value
from ..arguments import Array, as_count, as_flag, as_number, require_memory
from ..contact.contacts import ContactOptions
from ..errors import ModelError, SimulationError
from ..events.agenda import NOTHING
from ..model.model import Model
from ..module.shared_work import in_threads, thread_count
from ..progress import Report, reporter
from ..simulation.locks import warn_of_locks
from ..simulation.motion import Motion
from ..simulation.recorder import Block
from ..simulation.running import next_chunk
from ..stepping.given.drive import Controller, Torques
from ..stepping.given.loads import WrenchController, Wrenches
from ..stepping.given.servos import Servo
from ..stepping.settings import Settings
from ..topology.library import Library
from .row_warnings import RowWarnings
from .starts import Starts, starts_of
from .states import States
from .together import Together, needs_python, numbers_of

CHUNK = 1024
"""Most steps in one C call: after each it is looked whether to go on."""

OPERATIONS = 300
"""Of a step, about, for each of its nv: by lanes, where several simulations share them; alone it takes four times as
long."""


@by_value
@dataclass(frozen=True)
class Rollouts:
    """States of B simulations at T moments; T are each `every`-th step, the first state and the last.

    `t` (T) [s], `q` (B, T, nq), `v` (B, T, nv); `steps` (B): steps made, fewer than asked for where a simulation could
    not go on: then `errors` tells by its row why, and its states are not numbers from there on.
    """

    t: Array
    q: Array
    v: Array
    steps: NDArray[np.int64]
    errors: Mapping[int, SimulationError]

    def __len__(self) -> int:
        return len(self.q)


def rollout(
    model: Model | Library,
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    *,
    steps: int,
    dt: float = 1e-3,
    tau: Torques | Controller | Sequence[Controller] | None = None,
    servos: Mapping[str, Servo] | None = None,
    wrenches: Wrenches | WrenchController | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    integrator: str = "semi_implicit",
    contacts: bool | ContactOptions | None = None,
    active: Collection[str] | None = None,
    limits: bool = True,
    every: int = 1,
    lanes: bool | None = None,
    threads: int | None = None,
    progress: bool | Callable[[float], None] = False,
) -> Rollouts:
    """`steps` steps of `dt` [s] from each of B states: bit for bit what a `Simulator` of each makes (what steps by
    lanes to rounding, if compiled by Clang, with limbs that are alike, fast turns of what floats, or servos and no
    dampers: see the guide on batches).

    `q0` (nq) or (B, nq), `v0` (nv) or (B, nv), by default at rest. `tau`: torques (nv), a row for each simulation
    (B, nv), or one for each of its steps (B, steps, nv), where B may be 1; or by joint, or a function tau(t, q, v), as
    for `Simulator`, the same for all; or a list of B such functions, which may have a memory of their own. Several
    threads call functions, each under the GIL. `servos`: as for `Simulator`; gains may be parameters, and positions and
    velocities with three axes, (B, 1, n) or (B, steps, n), are those of each simulation. `wrenches` by link or frame:
    (6), (B, 6) or (B, steps, 6); else, as for `Simulator`, the same for all.
    `parameters`: run-time parameters of a model by name, friction of shapes among them, a number or one for each
    simulation (B). The rest is as for `Simulator`; every state `every` steps is recorded.
    `lanes`: by default what moves smoothly steps several at a time in the lanes of vectors, where that is worth it;
    with True robots that touch the world go side by side too (semi-implicit, of a model that was compiled with lanes),
    equal to what `Simulator` makes within the tolerance of the contact solver; with False nothing does.
    `threads`: by default one for little work and as many as there are processors for much; no result depends on it.
    A simulation that cannot go on ends alone: see `Rollouts`. A StepWarning is that of `Simulator.run`, for the row
    whose axes turn furthest; a ClosureWarning names the first row that it holds of. ModelError names a wrong argument,
    and the row of a state that cannot be begun from. What a function of yours raises comes out as it is, with its row
    and time in a note.
    """
    settings = Settings(as_number("dt", dt, positive=True), integrator, as_flag("limits", limits), contacts)
    steps, every = as_count("steps", steps, least=0), as_count("every", every, least=1)
    starts = starts_of(model, q0, v0, tau, wrenches, servos, parameters, steps)
    moments = len(range(0, steps, every)) + 1
    manifest = starts.model.manifest
    require_memory("rollout", starts.count * moments * (manifest.nq + manifest.nv), "record fewer (every=...)")
    by_lanes = None if lanes is None else as_flag("lanes", lanes)
    rows = _Rows(model, settings, starts, active, steps, every, moments, by_lanes)
    try:
        with reporter(progress) as report:
            rows.run(threads, report)
    finally:
        rows.told.give()
    result = rows.result()
    warn_of_locks(manifest.joints, result.t, result.v, settings.dt)
    return result


class _Sink:
    """Takes the place of a recorder: writes states into the rows of one simulation."""

    torques = False

    def __init__(self, q: Array, v: Array) -> None:
        self._q, self._v, self._at = q, v, 0
        self.last_tau: Array = np.zeros((1, 0))
        self.parameters = b""

    def add(self, block: Block) -> None:
        """Torques, work and contacts are not kept."""
        end = self._at + len(block.t)
        self._q[self._at : end], self._v[self._at : end] = block.q, block.v
        self._at = end

    def end(self) -> None:
        """No states follow; the first one is there in any case."""
        at = max(self._at, 1)
        self._q[at:], self._v[at:] = np.nan, np.nan


class _Rows:
    """The simulations, and where their states go."""

    def __init__(
        self,
        model: Model | Library,
        settings: Settings,
        starts: Starts,
        active: Collection[str] | None,
        steps: int,
        every: int,
        moments: int,
        lanes: bool | None,
    ) -> None:
        self._model, self._settings, self._starts, self._active, self._lanes = model, settings, starts, active, lanes
        self._steps, self._every = steps, every
        self._q = np.empty((starts.count, moments, starts.model.nq))
        self._v = np.empty((starts.count, moments, starts.model.nv))
        self._made = np.zeros(starts.count, dtype=np.int64)
        self._errors: dict[int, SimulationError] = {}
        self._ended: deque[Motion] = deque()  # those of one model that came to their end, which may start anew
        self._plain = not (active is not None or starts.own_models or isinstance(model, Library))
        self.told = RowWarnings()
        self._spare: Motion | None = None
        with suppress(IndexError):
            spare = starts.model.spare.pop()
            self._spare = spare if self._plain and spare.settings == settings else None
        self._lock, self._done = threading.Lock(), 0

    def run(self, threads: int | None, report: Report | None) -> None:
        together = self._together()
        threads = self._thread_count(threads, bool(together and together.by_lanes))
        blocks = together.blocks(threads) if together else [range(row, row + 1) for row in range(self._starts.count)]

        def make(at: int, stopped: Callable[[], bool]) -> None:
            block = blocks[at]
            rows: Iterable[int] = together.go(block, stopped) if together else block
            for row in rows:
                with self.told.of(row):
                    self._simulate(row, stopped)
            if report:
                with self._lock:
                    for _ in block:
                        self._done += 1
                        report(self._done / self._starts.count)

        in_threads(len(blocks), threads, make)
        if self._plain and together and (unused := together.unused()):
            unused.drive_by(None)  # nor are arrays and functions of this rollout kept alive
            unused.load_by(None)
            self._starts.model.spare.append(unused)

    def _thread_count(self, threads: int | None, by_lanes: bool) -> int:
        operations = OPERATIONS * self._starts.model.nv * (1 if by_lanes else 4)
        return thread_count(threads, self._starts.count * self._steps, operations)

    def result(self) -> Rollouts:
        at: Sequence[int] = [*range(0, self._steps, self._every), self._steps]
        t = np.asarray(np.array(at) * self._settings.dt, dtype=np.float64)
        return Rollouts(t, self._q, self._v, self._made, dict(sorted(self._errors.items())))

    def _together(self) -> Together | None:
        """What makes many simulations in one C call; None where Python has its say."""
        starts, steps = self._starts, self._steps
        motion = self._begun(0)
        given = (starts.tau, starts.wrenches)
        shared = all(part.rows is not None or set(part.counts.values()) <= {1} for part in given)
        if needs_python(motion, steps) or not shared:
            return None
        p = self._parameters()
        states = States(np.array(starts.q, order="C"), np.array(starts.v, order="C"), self._made, self._q, self._v)
        numbers = numbers_of(motion, steps, starts.tau.rows, starts.wrenches.rows, p, starts.servos.tables)
        return Together(motion, lambda: self._begun(0), numbers, states, steps, self._every, self._lanes, self.told)

    def _parameters(self) -> Array | None:
        """(B, P) of all simulations, where they differ."""
        starts, library = self._starts, self._model
        if isinstance(library, Library):
            return library.values_at(library.initial if self._active is None else self._active, starts.q)
        return starts.p

    def _simulate(self, row: int, stopped: Callable[[], bool]) -> None:
        """One simulation for itself, until its end or until it cannot go on, which is told."""
        motion = self._begun(row)
        sink = _Sink(self._q[row], self._v[row])
        self._q[row, 0], self._v[row, 0] = motion.q, motion.v
        while (done := motion.clock.steps) < self._steps and not stopped():
            try:
                log = done % self._every == 0
                most = 1 if motion.drives.asks else next_chunk(done, self._every, CHUNK)
                went_on = motion.march(min(most, self._steps - done), self._every, inf, NOTHING, sink, log)
                if not went_on:
                    raise motion.failure()
            except SimulationError as error:
                self._errors[row] = error
                sink.end()
                at, within = divmod(motion.clock.steps, self._every)
                if not within:
                    self._q[row, at], self._v[row, at] = motion.q, motion.v
                break
            except Exception as error:
                error.add_note(f"raised in row {row} of a rollout at t = {motion.clock.t:g} s")
                raise
        self._made[row] = motion.clock.steps
        if motion.clock.steps == self._steps:
            self._q[row, -1], self._v[row, -1] = motion.q, motion.v
            if not (self._starts.own_models or isinstance(self._model, Library)):
                self._ended.append(motion)

    def _begun(self, row: int) -> Motion:
        """A new motion, or one that has ended and starts anew."""
        try:
            with self.told.of(row):
                return self._begun_at(row)
        except ModelError as error:
            where = "rollout" if self._is_shared(error.argument) else f"rollout: row {row}"
            raise ModelError(f"{where}: {error}") from error

    def _begun_at(self, row: int) -> Motion:
        starts = self._starts
        model = self._model if isinstance(self._model, Library) else starts.of(row)
        spare, self._spare = self._spare, None
        with suppress(IndexError):
            motion = spare or self._ended.pop()
            motion.restart(starts.q[row], starts.v[row], starts.tau.of(row), starts.wrenches.of(row))
            if spare or starts.servos.tables:
                motion.serve_by(starts.servos.of(row))
            return motion
        return Motion(
            model,
            self._settings,
            starts.q[row],
            starts.v[row],
            starts.tau.of(row),
            self._active,
            starts.wrenches.of(row),
            servos=starts.servos.of(row),
        )

    def _is_shared(self, argument: str) -> bool:
        """All simulations have the same of it."""
        starts = self._starts
        given = {"tau": starts.tau.counts, "wrenches": starts.wrenches.counts, "servos": starts.servos.counts}
        shared = {name for name, counts in given.items() if set(counts.values()) <= {1}}
        if starts.own_models and starts.servos.by_parameters:
            shared.discard("servos")
        return argument in (*shared, "integrator", "contacts", "active")
