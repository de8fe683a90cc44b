"""Makes the steps of a motion, and what is to happen between them: changes of structure, actions, records."""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Any

import numpy as np

from ..errors import ModelError, warn
from ..progress import Report
from ..topology.events import NOTHING, Agenda, Change, Past
from ..topology.library import TopologyWarning
from ..topology.structure import TOLERANCE, Impact, Transition, named
from .motion import Motion
from .recorder import Recorder
from .trajectory import Trajectory

CHUNK = 256
"""Steps in one C call: few enough to answer Ctrl-C at once, many enough that the call costs nothing."""


def next_chunk(done: int, every: int, most: int = CHUNK) -> int:
    """Steps of the next C call, at most `most`, after so many: whole intervals between records, or the rest of one."""
    left = every - done % every
    return most - most % every if left == every <= most else min(most, left)


class Running:
    """What one motion goes through; `simulator` in its methods is what functions of the user are given."""

    def __init__(self, motion: Motion) -> None:
        self._motion = motion
        self.agenda, self.past = Agenda(), Past()
        self._recorder: Recorder | None = None  # of the run that goes on
        self._busy = threading.Lock()

    def advance(self, simulator: Any, steps: int, every: int, recorder: Recorder | None, report: Report | None) -> None:
        """`steps` steps in chunks that end where something is to happen; each `every`-th state is recorded."""
        motion, first, done = self._motion, self._motion.clock.steps, 0
        if not self._busy.acquire(blocking=False):
            raise ModelError("a simulator makes one motion at a time: step a copy (copy.copy) in another thread")
        self._recorder = recorder
        try:
            if recorder is None and self.agenda.empty and motion.repeat(steps):
                return
            while done < steps or (steps and self.agenda.is_due(motion.clock.soon)):
                if not self.agenda.empty:
                    self._happen(simulator, [("at", change) for change in self.agenda.due(motion.clock.soon)])
                    self._happen(simulator, self.agenda.true_in_python(simulator))
                    done = motion.clock.steps - first
                if done < steps:
                    self._march(simulator, done, min(self._chunk(done, every), steps - done), every)
                    done = motion.clock.steps - first
                if report:
                    report(done / steps)
        finally:
            self._recorder = None
            self._busy.release()

    def _march(self, simulator: Any, done: int, n: int, every: int) -> None:
        """The next C call, and what came true in it."""
        agenda, motion, recorder = self.agenda, self._motion, self._recorder
        log = recorder is not None and done % every == 0
        table = agenda.table(motion.model.manifest) if agenda.watches else NOTHING
        went_on = motion.march(n, every, agenda.next_time(), table, recorder, log)
        fired = agenda.fired(table) if len(table) else ()
        if not went_on:
            raise motion.failure()
        if fired:
            self._happen(simulator, fired)

    def _chunk(self, done: int, every: int) -> int:
        """Steps of the next C call."""
        return 1 if self._motion.drives.asks or self.agenda.asks_python else next_chunk(done, every)

    def _happen(self, simulator: Any, changes: Collection[tuple[str, Change]]) -> None:
        """All of these at once, functions last; what is already so stays. A name that is connected and cut is so in
        their order, one after the other."""
        waiting = [change for _, change in changes if change.connect or change.cut]
        while waiting:
            structure, connect, cut = self._motion.structure_for("switch"), dict[str, None](), dict[str, None]()
            while waiting and connect.keys().isdisjoint(waiting[0].cut) and cut.keys().isdisjoint(waiting[0].connect):
                change = waiting.pop(0)
                connect |= dict.fromkeys(name for name in change.connect if name not in structure.active)
                cut |= dict.fromkeys(name for name in change.cut if name in structure.active)
            if connect or cut:
                self.carry_out(structure.switching(connect, cut, TOLERANCE))
        for why, change in changes:
            if change.action:
                self._note(getattr(change.action, "__name__", "action"), why)
                change.action(simulator)

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
        names, new = named(given, what)
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
        recorder.add(*now, motion.stepper.structure, None if work is None else work[None])
        return recorder.trajectory()
