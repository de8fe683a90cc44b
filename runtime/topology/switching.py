"""Motion of a mechanism whose structure changes, and what is to happen on the way [N98 §4]."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import as_number
from ..errors import ModelError
from ..progress import Report
from ..simulation.recorder import Recorder
from ..simulation.simulator import State, torque_rows
from .conditions import Condition
from .events import Action, Agenda, Change, Test, Watch
from .library import Library
from .restructuring import ChangingSimulator

INSTANT = 1e-9
"""Part of a step within which two moments are the same."""


class TopologySimulator(ChangingSimulator):
    """Steps a library. `active`: what is connected from the beginning; by default the joints that can be cut.

    Without a declared pose a connection is made where the links stand at `q`. Everything else as in `Simulator`.
    """

    def __init__(self, library: Library, **options: Any) -> None:
        super().__init__(library, **options)
        self._agenda = Agenda()

    # ---- Events

    def at(self, t: float, what: str | Action, *names: str) -> None:
        """At time t [s]: "connect" or "cut" these, or call a function with the simulator."""
        moment = as_number("t", t)
        if moment < self.t - INSTANT * self._dt:
            raise ModelError(f"at: t = {moment:g} s is over, it is {self.t:g} s")
        self._agenda.add(moment, self._planned(what, names))

    def when(self, condition: Condition | Test, what: str | Action, *names: str, repeat: bool = False) -> None:
        """As soon as the condition holds: "connect" or "cut" these, or call a function with the simulator.

        A Condition (`distance(a, b) < x`, `force(name) > x`) is watched in C and located within the step; a Python
        function of the simulator is asked after every step. Once, or with `repeat` each time that it comes true anew.
        """
        if not isinstance(condition, Condition) and not callable(condition):
            raise ModelError(f"when: expected a condition such as distance('a', 'b') < 0.1, got {condition!r}")
        if isinstance(condition, Condition):
            condition.row(self._library.model.manifest)
            if condition.quantity.kind == "contact_force":
                _ = self.contacts  # refused where nothing touches
        self._agenda.watches.append(Watch(condition, self._planned(what, names), repeat))

    def _planned(self, what: str | Action, names: tuple[str, ...]) -> Change:
        if callable(what):
            if names:
                raise ModelError(f"a function takes no names, got {', '.join(names)}")
            return Change(action=what)
        if what not in ("connect", "cut"):
            raise ModelError(f"expected 'connect', 'cut' or a function, got {what!r}")
        known = self._named(names, what)
        return Change(connect=known) if what == "connect" else Change(cut=known)

    def _happen(self, changes: list[tuple[str, Change]]) -> None:
        """All of these at once; what is already so stays."""
        connect = [n for _, c in changes for n in c.connect if n not in self.active]
        cut = [n for _, c in changes for n in c.cut if n in self.active]
        if connect or cut:
            self.switch(dict.fromkeys(connect), dict.fromkeys(cut))
        for why, change in changes:
            if change.action:
                self._events.append((self.t, getattr(change.action, "__name__", "action"), why))
                change.action(self)

    # ---- Motion

    def save(self) -> State:
        """The present moment, what is active and what is still to happen; `restore` returns to it."""
        return replace(super().save(), within=self._within, agenda=self._agenda.copy())

    def restore(self, state: State) -> None:
        super().restore(state)
        self._within = state.within
        self._agenda = state.agenda.copy() if state.agenda else Agenda()

    def _advance(self, steps: int, every: int, recorder: Recorder | None, report: Report | None) -> None:
        """`steps` steps in chunks that end where something is to happen."""
        self._recording = recorder
        if recorder:
            recorder.events = self._events
        try:
            end = self._steps + steps
            first = self._steps
            while self._steps < end or (steps and self._due()):
                self._happen([("at", change) for change in self._agenda.due(self.t + INSTANT * self._dt)])
                if self._agenda.asks_python:
                    self._happen(self._agenda.true_in_python(self))
                if self._steps < end:
                    self._march(first, end, every, recorder)
                if report:
                    report((self._steps - first) / steps)
        finally:
            self._recording = None

    def _due(self) -> bool:
        return self._agenda.next_time() <= self.t + INSTANT * self._dt

    def _march(self, first: int, end: int, every: int, recorder: Recorder | None) -> None:
        """The next C call: whole steps, or the part of one up to an event or after it."""
        done, start = self._steps - first, self._within
        n, length = self._span(min(self._chunk(done, every), end - self._steps))
        tau = self._drive.torques(self._steps, n, self.t, self._q, self._v)
        n = len(tau) if tau.ndim == 2 else n
        q, v, t = (self._q.copy(), self._v.copy(), self.t) if recorder else (self._q, self._v, 0.0)
        table = self._agenda.table(self._model.manifest)
        moved = self._switching.watched(self._q, self._v, tau, n, length, every if n > every else 0, table)
        whole = length == self._dt and start == 0.0
        states = moved.count + (moved.part > 0.0) if whole else int(start == 0.0 and (moved.count or moved.part > 0.0))
        if recorder and done % every == 0 and states:
            at = np.arange(0, states, every)
            rows = torque_rows(tau, np.minimum(at, n - 1))
            logs = np.vstack([q, moved.q_log])[: at.size], np.vstack([v, moved.v_log])[: at.size]
            recorder.add(np.asarray(t + at * self._dt, dtype=np.float64), *logs, rows, self._switching.structure)
            recorder.add_contacts(self._switching.contact_log())
        if recorder and (moved.count or moved.part > 0.0):
            recorder.last_tau = torque_rows(tau, np.array([min(moved.count, n) - 1 if moved.count else 0]))
        self._pass(moved.count, moved.part, whole, length)
        fired = self._agenda.fired(table) if len(table) else []
        if moved.count < n and moved.part < 0.0:
            raise self._stepper.failure() or self._diverged()
        self._happen(fired)

    def _span(self, n: int) -> tuple[int, float]:
        """(steps, length of each) of the next call: up to n whole ones, less if something is to happen before."""
        left = self._agenda.next_time() - self.t
        if self._within > 0.0:
            return 1, min(self._dt - self._within, left)
        if left >= self._dt * (1.0 - INSTANT):
            return int(min(n, left / self._dt + INSTANT)), self._dt
        return 1, left

    def _pass(self, count: int, part: float, whole: bool, length: float) -> None:
        if whole:
            self._steps += count
            self._within = max(part, 0.0) * length
        else:
            self._within += length if count else max(part, 0.0) * length
        if self._within >= self._dt * (1.0 - INSTANT):
            self._steps, self._within = self._steps + 1, 0.0

    def _chunk(self, done: int, every: int) -> int:
        """After an event the next chunk ends at the next record, so that whole intervals follow."""
        if self._agenda.asks_python:
            return 1
        return every - done % every if done % every else super()._chunk(done, every)
