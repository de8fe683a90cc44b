"""Makes the steps of a motion, and what is to happen between them: changes of structure, actions, records."""

from __future__ import annotations

from collections.abc import Collection
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError, SimulationError, TopologyWarning, warn
from ..events.agenda import Agenda, Alteration, Change, Due, Past, Watch
from ..progress import Report
from ..topology.structure import TOLERANCE, Impact, Transition, named
from ..topology.switches import ApartError
from .motion import Motion
from .recorder import Block, Recorder
from .trajectory import Trajectory
from .turns import ASSIGNED

CHUNK, MOST_STEPS = 256, 16_384
"""Steps in a C call, at first and where they are cheap; no more than CHUNK states are recorded in one."""

BRIEF = 1e-3
"""A C call [s] after which one of twice as many steps still answers Ctrl-C at once."""

ROUNDS = 1000
"""How often events may bring about others at the time at which they happen."""


def next_chunk(done: int, every: int, most: int) -> int:
    """Steps of the next C call, at most `most`, after so many: whole intervals between records, or the rest of one."""
    left = every - done % every
    return most - most % every if left == every <= most else min(most, left)


def _apart(due: Due, connect: Collection[str], cut: Collection[str]) -> bool:
    """It neither cuts what is connected nor connects what is cut."""
    return not (set(due.change.cut) & set(connect) or set(due.change.connect) & set(cut))


class Running:
    """What one motion goes through; `simulator` in its methods is what functions of the user are given."""

    def __init__(self, motion: Motion) -> None:
        self._motion = motion
        self.agenda, self.past = Agenda(), Past()
        self._recorder: Recorder | None = None  # of the run that goes on
        self._most = CHUNK
        self._busy = False  # in the middle of steps

    def advance(self, simulator: Any, steps: int, every: int, recorder: Recorder | None, report: Report | None) -> None:
        """`steps` steps in chunks that end where something is to happen; each `every`-th state is recorded."""
        if self._busy:
            raise self._refused()
        with self._motion.in_use:  # which an interrupt leaves open, wherever it arrives
            try:
                self._busy, self._recorder = True, recorder
                if not (recorder is None and self.agenda.empty and self._motion.repeat(steps)):
                    self._go_on(simulator, steps, every, report)
            except Exception as error:
                self._tell_when(error)
                raise
            finally:
                self._busy, self._recorder = False, None

    def _refused(self) -> ModelError:
        """Why no steps are made while others are: a function that these call asks for them, or another thread."""
        if not self._motion.in_use.acquire(blocking=False):
            return ModelError("a simulator makes one motion at a time: step a copy (copy.copy) in another thread")
        self._motion.in_use.release()
        return ModelError(
            "a simulator makes one motion at a time: a function of yours that it calls in a step or between two steps "
            "(tau, driven, progress, at, when, ...) cannot make more of them; there step a copy (copy.copy)"
        )

    def forget(self, change: Change) -> bool:
        """This very change does not happen; False if it was not to happen any more."""
        return self.agenda.forget(change)

    def _go_on(self, simulator: Any, steps: int, every: int, report: Report | None) -> None:
        motion, first, done, still = self._motion, self._motion.clock.steps, 0, 0
        while steps:
            if not self.agenda.empty:
                self._happen_now(simulator)
                done = motion.clock.steps - first
            if done >= steps:
                return
            begun, before = perf_counter(), motion.clock
            self._march(simulator, done, min(self._chunk(done, every), steps - done), every)
            still = still + 1 if motion.clock == before else 0
            if still >= ROUNDS:
                raise self._endless()
            self._pace(motion.clock.steps - before.steps, perf_counter() - begun)
            done = motion.clock.steps - first
            if report:
                report(done / steps)

    def _happen_now(self, simulator: Any) -> None:
        """What is due or true now, then what functions planned for now. SimulationError where that has no end."""
        for _ in range(ROUNDS):
            self._happen(simulator)
            self.agenda.take_due(self._motion.clock.soon)
            self._happen(simulator)
            self.agenda.take_true(simulator)
            self._happen(simulator)
            if not self.agenda.is_due(self._motion.clock.soon):
                return
        raise self._endless()

    def _endless(self) -> SimulationError:
        """Events of this moment bring about others without end."""
        return SimulationError(
            f"t = {self._motion.clock.t:g} s: events plan others for the same time or make conditions true, {ROUNDS} "
            "times by now; plan a later time, and conditions that what they do does not make true again"
        )

    def _march(self, simulator: Any, done: int, n: int, every: int) -> None:
        """The next C call, and what came true in it."""
        agenda, motion, recorder = self.agenda, self._motion, self._recorder
        log = recorder is not None and done % every == 0
        watched = agenda.in_c()
        table = agenda.table(watched, motion.model.manifest)
        went_on = motion.march(n, every, agenda.next_time(), table, recorder, log)
        agenda.take_fired(watched, table)
        if not went_on:
            raise motion.failure()
        if agenda.now:
            self._happen(simulator)

    def _chunk(self, done: int, every: int) -> int:
        """Steps of the next C call."""
        if self._motion.drives.asks or self.agenda.asks_python:
            return 1
        return next_chunk(done, every, min(self._most, CHUNK * every) if self._recorder else self._most)

    def _pace(self, made: int, spent: float) -> None:
        """Calls become longer where one that made all it might was brief, and shorter again where one was not."""
        if made >= self._most and spent < BRIEF:
            self._most = min(2 * self._most, MOST_STEPS)
        elif spent > 4 * BRIEF:
            self._most = max(self._most // 2, CHUNK)

    def _happen(self, simulator: Any) -> None:
        """All that is to happen now at once, functions last. What cannot happen, and what would come after it, waits
        on; a function that was called does not, even if it raised, nor does what another one took back. One that goes
        back to a saved moment ends this one."""
        agenda = self.agenda
        try:
            self._switch(agenda.now)
            while agenda.now and agenda is self.agenda:
                due = agenda.now[0]
                action = due.change.action
                if isinstance(action, Alteration):
                    self._alter(simulator, action, due)
                agenda.now.remove(due)
                if action and not isinstance(action, Alteration):
                    self._note(getattr(action, "__name__", "action"), due.why)
                    action(simulator)
        finally:
            agenda.wait_again()

    def _switch(self, left: list[Due]) -> None:
        """Connections and cuts among what is left, which are taken out of it; what is already so stays. A name that is
        connected and cut is so in their order, one after the other."""
        waiting = [due for due in left if due.change.connect or due.change.cut]
        while waiting:
            structure, connect, cut = self._motion.structure_for("switch"), dict[str, None](), dict[str, None]()
            together: list[Due] = []
            while waiting and _apart(waiting[0], connect, cut):
                together.append(waiting.pop(0))
                change = together[-1].change
                connect |= dict.fromkeys(name for name in change.connect if name not in structure.active)
                cut |= dict.fromkeys(name for name in change.cut if name in structure.active)
            if connect or cut:
                try:
                    self.carry_out(structure.switching(connect, cut, TOLERANCE))
                except ApartError as error:
                    names, when = ", ".join(map(repr, connect)), self._when(together)
                    raise SimulationError(
                        f"{when}: to connect {names} was asked for, but {error.fact}; bring the links nearer, or "
                        "connect them by sim.connect(..., tolerance=..., or pose_b='current'); the event waits"
                    ) from error
                except ModelError as error:
                    raise SimulationError(f"{self._when(together)}: {error}; the event waits") from error
            for due in together:
                if due.change.action is None:
                    left.remove(due)

    def _alter(self, simulator: Any, alteration: Alteration, due: Due) -> None:
        """What an event of a scene tells, all of it, or nothing, and nothing is noted."""
        self._note(alteration.called, due.why)
        try:
            with self._motion.all_or_nothing():
                alteration(simulator)
        except ModelError as error:
            self.past.take_back()
            if self._recorder:
                self._recorder.events.pop()
            fact = str(error)
            if isinstance(error, ApartError):
                fact = (
                    f"{error.fact}; bring the links nearer, or give the event a larger tolerance; a connection without "
                    "pose_b is made where the links stand"
                )
            raise SimulationError(f"{alteration.called}, {self._when([due])}: {fact}") from error

    def _when(self, dues: Collection[Due]) -> str:
        """Now, and the conditions that came true."""
        why = dict.fromkeys(due.why for due in dues if isinstance(due.waited, Watch))
        return ", ".join([f"t = {self._motion.clock.t:g} s", *why])

    def _tell_when(self, error: Exception) -> None:
        """In what a function of the user raised: the time, and in a run its motion so far."""
        if isinstance(error, SimulationError):
            return  # `run` gives it the motion
        error.add_note(f"raised in a simulation at t = {self._motion.clock.t:g} s")
        if self._recorder:
            vars(error)["trajectory"] = self.recorded(self._recorder)

    def place(self, q: ArrayLike) -> None:
        """Another q; in a run that is noted, because turns are counted anew there."""
        self._motion.place(q=q)
        if self._recorder:
            self._note(*ASSIGNED)

    def carry_out(self, transition: Transition) -> Impact:
        """A change of structure, noted as what happened."""
        impact = self._motion.carry_out(transition)
        for name in transition.cut:
            self._note("cut", name)
        for name in transition.connect:
            self._note("connect", name)
        return impact

    def _note(self, what: str, to: str) -> None:
        """An event of now, and of the run that goes on."""
        event = self._motion.clock.t, what, to
        self.past.note(event)
        if self._recorder:
            self._recorder.events.append(event)

    def named(self, given: Collection[Any], what: str) -> tuple[str, ...]:
        """Names, after building what was not foreseen."""
        library = self._motion.structure_for(what, given).library
        names, objects = named(given, what)
        new = library.missing(objects)
        lost = library.unforeseen(names) if what == "cut" else []
        if new or lost:
            self._motion.extend(new, lost)
            warn(
                f"{', '.join([*(item.name for item in new), *lost])}: not foreseen in library '{library.name}', which "
                "is built anew while the motion waits; declare it in the TopologyLibrary",
                TopologyWarning,
            )
            if self._recorder:
                self._recorder.move(self._motion.model)
        return tuple(self._motion.structure_for(what).library.switch(name).name for name in names)

    def recorded(self, recorder: Recorder) -> Trajectory:
        """What was recorded, with the present state at its end."""
        motion, tau = self._motion, recorder.last_tau.copy()
        tau[:, motion.stepper.idle] = 0.0
        now = np.array([motion.clock.t]), motion.q[None].copy(), motion.v[None].copy(), tau
        work = motion.stepper.work
        recorder.add(Block(*now, motion.stepper.values.tobytes(), None if work is None else work[None]))
        return recorder.trajectory()
