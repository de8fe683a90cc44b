"""Motion of a mechanism whose structure changes: connections made and cut at once, with the right impulse [N98 §4]."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arguments import Array, as_array, as_number
from .conditions import Condition
from .drive import Controller, Drive
from .errors import ModelError
from .events import Action, Agenda, Change, Test, Watch
from .extension import moved_state, moved_torques
from .joint_motion import matrix
from .library import Library, TopologyWarning
from .model import Model
from .progress import Report
from .recorder import Recorder
from .simulator import Simulator, State, torque_rows
from .switched_stepper import SwitchedStepper
from .trajectory import Event

TOLERANCE = 1e-3
"""Gap [m, rad] at a declared pose that is closed without a word."""

INSTANT = 1e-9
"""Part of a step within which two moments are the same."""


@dataclass(frozen=True)
class Impact:
    """What making connections did: time [s], impulses by name, jump of v (nv).

    An impulse (6) is [force; moment] times time on link_b at the joint's frame, world axes; link_a gets the opposite.
    """

    t: float
    impulses: Mapping[str, Array]
    delta_v: Array

    @property
    def impulse(self) -> Array:
        """(6) of the only connection. ModelError if several were made at once."""
        if len(self.impulses) != 1:
            raise ModelError(f"impulse: {len(self.impulses)} connections were made at once; see impulses")
        return next(iter(self.impulses.values()))


class TopologySimulator(Simulator):
    """Steps a library. `active`: what is connected from the beginning; by default the joints that can be cut.

    Without a declared pose a connection is made where the links stand at `q`. Everything else as in `Simulator`.
    """

    def __init__(
        self,
        library: Library,
        *,
        dt: float = 1e-3,
        integrator: str = "semi_implicit",
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        tau: ArrayLike | Controller | None = None,
        contacts: bool | None = None,
        active: Collection[str] | None = None,
        limits: bool = True,
    ) -> None:
        model = library.model
        if contacts:
            raise ModelError(f"contacts: library '{library.name}' was compiled without contacts; leave contacts=None")
        self._library = library
        self._integrator, self._limits = integrator, limits
        self._dt = as_number("dt", dt, positive=True)
        self._model = model
        self._q = self._checked_q(model.q0 if q is None else q)
        self._v = as_array("v", np.zeros(model.nv) if v is None else v, (model.nv,), batch=False).copy()
        self._switching = self._stepper = SwitchedStepper(library, integrator, self._dt, limits)
        names = library.initial if active is None else library.checked(active)
        self._switching.begin(names, self._q, self._v)
        self._t0, self._steps, self._within = 0.0, 0, 0.0
        self._drive = Drive(model, tau, 0)
        self._agenda = Agenda()
        self._events: list[Event] = []
        self._recording: Recorder | None = None

    # ---- Structure

    @property
    def library(self) -> Library:
        return self._library

    @property
    def active(self) -> frozenset[str]:
        """Connections, and joints that can be cut, that hold just now."""
        return self._switching.active

    @property
    def model(self) -> Model:
        """The model of the present structure: H, W, forward dynamics and so on."""
        return self._switching.model()

    @property
    def t(self) -> float:
        """Time [s]; between two steps only right at an event."""
        return self._t0 + self._steps * self._dt + self._within

    @property
    def gap(self) -> float:
        """Largest residual of what was active in the states so far [m, rad]."""
        return self._switching.gap

    @property
    def events(self) -> tuple[Event, ...]:
        """(t, what, to what) of all that happened."""
        return tuple(self._events)

    def connect(self, *connections: Any, pose_b: Any = None, tolerance: float = TOLERANCE) -> Impact:
        """Make connections, all at once, with the velocity boundary condition [N98 (20)-(33)].

        Names, or new Connections (which are built first, with a warning). `pose_b`: a Pose or (4, 4) where the joint's
        frame stands in link_b, or "current" for where the links stand; by default what was declared, else "current".
        A pose must be at most `tolerance` [m, rad] away and is then closed exactly. ModelError names what is not
        there, active already or too far apart; nothing has changed then.
        """
        names = self._named(connections, "connect")
        for name in names:
            if name in self.active:
                raise ModelError(f"connect: '{name}' is connected already; cut it first")
        poses = {name: self._wanted_pose(name, pose_b) for name in names}
        known = {name: pose for name, pose in poses.items() if pose is not None}
        return self._change(names, (), known, as_number("tolerance", tolerance))

    def cut(self, *names: str) -> None:
        """Let go of connections or cut joints, all at once; v stays. ModelError names what is not connected.

        A joint of the tree that was not declared in `cuts` is made one that can be cut first, with a warning: q and v
        then get entries for its free subtree.
        """
        cut = self._named(names, "cut")
        for name in cut:
            if name not in self.active:
                active = ", ".join(sorted(self.active)) or "nothing"
                raise ModelError(f"cut: '{name}' is not connected; active: {active}")
        self._change((), cut, {}, TOLERANCE)

    def switch(self, connect: Collection[str] = (), cut: Collection[str] = (), tolerance: float = TOLERANCE) -> Impact:
        """Cut some and make others in the same instant: first all cuts, then all connections together."""
        poses = {name: self._wanted_pose(name, None) for name in self._library.checked(connect)}
        known = {k: x for k, x in poses.items() if x is not None}
        return self._change(tuple(connect), tuple(self._library.checked(cut)), known, tolerance)

    def set_parameters(self, values: Mapping[str, float]) -> None:
        """Run-time parameters from here on, by name; not those of connections. ModelError for an unknown one."""
        self._switching.set_parameters(values)

    def wrench(self, name: str) -> Array:
        """(6) [force; moment] that link_b gets through an active connection at its frame, world axes."""
        spec = self._library.switch(name)
        tau = self._drive.torques(self._steps, 1, self.t, self._q, self._v)
        found = self._switching.wrenches(self._q, self._v, tau[0].copy() if tau.ndim == 2 else tau)
        wrench: Array = found[spec.loop] * (-1.0 if spec.turned else 1.0)
        return wrench

    # ---- Events

    def at(self, t: float, what: str | Action, *names: str) -> None:
        """At time t [s]: "connect" or "cut" these, or call a function with the simulator."""
        moment = as_number("t", t)
        if moment < self.t - INSTANT * self._dt:
            raise ModelError(f"at: t = {moment:g} s is over, it is {self.t:g} s")
        self._agenda.timed.append((moment, self._planned(what, names)))

    def when(self, condition: Condition | Test, what: str | Action, *names: str, repeat: bool = False) -> None:
        """As soon as the condition holds: "connect" or "cut" these, or call a function with the simulator.

        A Condition (`distance(a, b) < x`, `force(name) > x`) is watched in C and located within the step; a Python
        function of the simulator is asked after every step. Once, or with `repeat` each time that it comes true anew.
        """
        if not isinstance(condition, Condition) and not callable(condition):
            raise ModelError(f"when: expected a condition such as distance('a', 'b') < 0.1, got {condition!r}")
        if isinstance(condition, Condition):
            condition.row(self._library.model.manifest)
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
                self._happen([("at", change) for _, change in self._agenda.due(self.t + INSTANT * self._dt)])
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
        q, v, t = self._q.copy(), self._v.copy(), self.t
        table = self._agenda.table(self._library.model.manifest)
        moved = self._switching.watched(self._q, self._v, tau, n, length, every if n > every else 0, table)
        whole = length == self._dt and start == 0.0
        states = moved.count + (moved.part > 0.0) if whole else int(start == 0.0 and (moved.count or moved.part > 0.0))
        if recorder and done % every == 0 and states:
            at = np.arange(0, states, every)
            rows = torque_rows(tau, np.minimum(at, n - 1))
            logs = np.vstack([q, moved.q_log])[: at.size], np.vstack([v, moved.v_log])[: at.size]
            recorder.add(np.asarray(t + at * self._dt, dtype=np.float64), *logs, rows)
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

    # ---- For these methods

    def _change(
        self, connect: Collection[str], cut: Collection[str], poses: dict[str, Array], tolerance: float
    ) -> Impact:
        before = self._v.copy()
        wanted = (self.active - frozenset(cut)) | frozenset(connect)
        impulses = self._switching.restructure(wanted, poses, tolerance, self._q, self._v)
        self._events += [(self.t, "cut", name) for name in cut] + [(self.t, "connect", name) for name in connect]
        specs = [self._library.switch(name) for name in connect]
        made = {spec.name: impulses[spec.loop] * (-1.0 if spec.turned else 1.0) for spec in specs}
        return Impact(self.t, made, self._v - before)

    def _wanted_pose(self, name: str, pose_b: Any) -> Array | None:
        """(4, 4) frame in link_b, None for where the links stand; in the C's own terms."""
        spec = self._library.switch(name)
        if pose_b is None:
            pose = matrix(spec.given) if spec.given else None
        elif isinstance(pose_b, str):
            if pose_b != "current":
                raise ModelError(f"pose_b: expected a Pose, a (4, 4) array or 'current', got {pose_b!r}")
            pose = None
        elif hasattr(pose_b, "rotation"):
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = np.array(pose_b.rotation, dtype=float), np.array(pose_b.xyz, dtype=float)
        else:
            pose = as_array("pose_b", pose_b, (4, 4), batch=False)
        return pose

    def _named(self, given: Collection[Any], what: str) -> tuple[str, ...]:
        """Names, after building what was not foreseen."""
        if not given:
            raise ModelError(f"{what}: expected a name")
        new = [item for item in given if not isinstance(item, str)]
        names = tuple(item if isinstance(item, str) else getattr(item, "name", "") for item in given)
        tree = {joint.name for joint in self._library.model.manifest.joints}
        lost = [name for name in names if what == "cut" and name not in self._library.names and name in tree]
        if new or lost:
            self._extend(new, lost)
        return tuple(self._library.switch(name).name for name in names)

    def _extend(self, connections: list[Any], cuts: list[str]) -> None:
        """Another library with these as well; the state goes over by name."""
        what = ", ".join([*(getattr(c, "name", "?") for c in connections), *cuts])
        if cuts and self._recording:
            raise ModelError(f"cut: joint {what} was not foreseen: declare it in cuts, or cut it between two runs")
        old, before = self._library, self._switching
        self._library = old.extended(connections, cuts)
        warnings.warn(
            f"{what}: not foreseen in library '{old.name}', which is built anew while the motion waits; declare it in "
            "the TopologyLibrary",
            TopologyWarning,
            stacklevel=4,
        )
        model = self._library.model
        q, v = moved_state(old.model, model, self._q, self._v)
        tau = moved_torques(old.model, model, self._drive.given, self._steps - self._drive.first)
        stepper = SwitchedStepper(self._library, self._integrator, self._dt, self._limits)
        stepper.take_over(before)
        stepper.place(q, v)
        self._model, self._q, self._v = model, q, v
        self._switching = self._stepper = stepper
        self._drive = Drive(model, tau, self._steps)
