"""What moves in a simulation: the state, its time, what steps it and what drives it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array, as_count, as_number
from ..errors import ModelError, shown, wrong_model
from ..model.model import Model
from ..module.kernel import require_unit
from ..topology.conditions import Conditions
from ..topology.events import Agenda, Past
from ..topology.extension import moved_state
from ..topology.library import Library
from ..topology.saved import agenda_of, past_of
from ..topology.structure import Impact, Structure, Transition
from .clock import Clock
from .closing import closing
from .given.drive import Controller, Drive, Torques, torque_rows
from .given.driven import Course, Driven
from .given.loads import Loads, WrenchController, Wrenches
from .given.servos import Servo, Servos
from .recorder import Sink
from .sealed import Given, State, seal, unseal
from .settings import Settings
from .stepper import Stepper
from .trajectory import SimulationError

_NONE = np.zeros(0)


@dataclass(frozen=True)
class Call:
    """Steps that were made under what does not change by itself: what else the same call depends on."""

    steps: int
    stepper: Stepper
    filled: int
    loads: Loads
    q: Array
    v: Array


class Motion:
    """q (nq), v (nv) of `model`, in its layout; `structure` tells what of a library is connected, None of a model."""

    def __init__(
        self,
        model: Model | Library,
        settings: Settings,
        q: ArrayLike | None,
        v: ArrayLike | None,
        tau: Torques | Controller | None,
        active: Collection[str] | None,
        wrenches: Wrenches | WrenchController | None = None,
        driven: Mapping[str, Course] | None = None,
        servos: Mapping[str, Servo] | None = None,
    ) -> None:
        self.settings = settings
        if settings.work and isinstance(model, Library):
            raise ModelError("work: it is summed up for a model of one structure; connections take and give energy too")
        self.structure = Structure(model, settings) if isinstance(model, Library) else None
        self.model = model.model if isinstance(model, Library) else _of_one_structure(model, active)
        self.stepper: Stepper = (
            self.structure.stepper if self.structure else settings.stepper(self.model, closing(self.model))
        )
        self.clock = Clock(settings.dt)
        self.q = self._checked_q(self.model.q0 if q is None else q)
        self.v = self._checked_v(np.zeros(self.model.nv) if v is None else v)
        self.driven = self._driven(self.model, driven, 0)
        self.driven.put(0.0, self.q, self.v)
        self.stepper.drive(self.driven)
        if self.structure:
            self.structure.switches.begin(self.structure.initial(active), self.q)
        self.stepper.place(self.q, self.v)
        self.drive = _driving(self.model, tau, 0, self.driven)
        self.loads = Loads(self.model, wrenches, 0)
        self.exerted = np.zeros(0)  # by driven entries, in the last step
        self._last: Call | None = None
        self.serve_by(servos)
        self._fresh = self.stepper.save()

    def restart(self, q: ArrayLike, v: ArrayLike, tau: Any, wrenches: Any) -> None:
        """At t = 0 in another state, under other torques and wrenches: what a new motion of this model would be."""
        self.clock = Clock(self.settings.dt)
        self.q, self.v = self._checked_q(q), self._checked_v(v)
        self.driven.put(0.0, self.q, self.v)
        self.stepper.restart(self._fresh)
        self.stepper.hold(self.servos)
        self.stepper.place(self.q, self.v)
        _require_not_driven(tau, self.driven)
        self.drive, self.loads = self.drive.by(tau, 0), self.loads.by(wrenches)
        self.exerted, self.served = np.zeros(0), np.zeros(0)

    def place(self, q: ArrayLike | None = None, v: ArrayLike | None = None) -> None:
        """Another q or v, put where driven joints are and on the closure."""
        self.q = self.q if q is None else self._checked_q(q)
        self.v = self.v if v is None else self._checked_v(v)
        self.driven.put(self.clock.t, self.q, self.v)
        self.stepper.place(self.q, self.v)
        self.drive.forget()

    def drive_by(self, tau: Torques | Controller | None, first: int | None = None) -> None:
        """Other torques from here on; rows count from step `first`, by default from the present one."""
        _require_not_driven(tau, self.driven)
        self.drive = self.drive.by(tau, self.clock.steps if first is None else first)

    def load_by(self, wrenches: Wrenches | WrenchController | None, first: int | None = None) -> None:
        """Other external wrenches from here on, likewise."""
        self.loads = Loads(self.model, wrenches, self.clock.steps if first is None else first)

    def serve_by(self, servos: Mapping[str, Servo] | None, first: int | None = None) -> None:
        """Other servos from here on, likewise. ModelError: nothing has changed."""
        new = Servos(self.model, servos, self.clock.steps if first is None else first)
        _require_apart(new, self.driven)
        self.servos, self.served = new, np.zeros(0)
        self.stepper.hold(new)

    def move_by(self, driven: Mapping[str, Course] | None) -> None:
        """Other motions that are given from here on; the state goes where they are. ModelError: nothing has changed."""
        before, state = self.driven, (self.q, self.v)
        new = self._driven(self.model, driven, self.clock.steps)
        _driving(self.model, self.drive.given, self.drive.first, new)
        _require_apart(self.servos, new)
        try:
            self.driven, self.q, self.v = new, self.q.copy(), self.v.copy()
            self.exerted = np.zeros(0)
            self.stepper.drive(new)
            self.place()
        except ModelError:
            self.driven, (self.q, self.v) = before, state
            self.stepper.drive(before)
            self.stepper.place(self.q, self.v)
            raise

    def set_parameters(self, values: Mapping[str, float]) -> None:
        """Run-time parameters of a library from here on; where a motion depends on them, the state goes there."""
        self.structure_for("set_parameters").switches.set_parameters(values)
        if not self.model.manifest.moved:
            return
        before, t = self.driven, self.clock.t
        self.driven = self._driven(self.model, before.given, before.first)
        self.stepper.drive(self.driven)
        if not np.array_equal(before.state(t), self.driven.state(t)):
            self.place()

    def set_values(self, values: Mapping[str, float]) -> None:
        """Run-time parameters of a library or of a model from here on; loops are closed by the new ones.

        What contacts remember of the last step is forgotten. ModelError: nothing has changed.
        """
        if self.structure:
            self.set_parameters(values)
            return
        before = (self.model, self.stepper, self.q, self.v)
        model = self.model.with_parameters(values)
        try:
            self.model, self.stepper = model, self.settings.stepper(model, closing(model))
            self.stepper.drive(self.driven)
            self.stepper.hold(self.servos)
            self.q, self.v = self.q.copy(), self.v.copy()
            self.place()
        except ModelError:
            self.model, self.stepper, self.q, self.v = before
            raise

    @property
    def asks(self) -> bool:
        """A function of Python is asked before every step; torques themselves tell for how many they are."""
        return self.loads.asks or self.servos.asks

    def given(self) -> Given:
        """What drives it."""
        drive, loads, driven, servos = self.drive, self.loads, self.driven, self.servos
        first = (drive.first, loads.first, driven.first, servos.first)
        return Given(drive.given, loads.given, driven.given, servos.given, first)

    def take(self, given: Given) -> None:
        """Driven as another motion, in the state in which that was."""
        if not isinstance(given.first, tuple) or len(given.first) != 4:
            raise ModelError(f"state: expected the first steps of four drives, got {shown(given.first)}")
        drive, load, move, serve = (as_count("state: first", first, least=0) for first in given.first)
        self.driven = self._driven(self.model, given.driven, move)
        self.drive_by(given.tau, drive)
        self.load_by(given.wrenches, load)
        self.serve_by(given.servos, serve)

    def march(self, n: int, every: int, moment: float, table: Conditions, recorder: Sink | None, log: bool) -> bool:
        """Up to n steps in one C call; fewer up to `moment` [s], or where a condition in `table` comes true.

        With `log` the recorder gets each `every`-th of the states that they start from. False if it cannot go on.
        """
        clock = self.clock
        first, begun = clock.steps, clock.within
        n, length = clock.span(n, moment)
        n = int(max(min(n, self.driven.steps_left(first), self.servos.steps_left(first)), 1))
        tau = self._torques(first, n)
        n = len(tau) if tau.ndim == 2 else n
        acting = self.loads.acting(first, n, clock.t, self.q, self.v)
        if acting and acting.rows.ndim == 2 and len(acting.rows) < n:
            n = len(acting.rows)
            tau = tau[:n] if tau.ndim == 2 else tau
        self.stepper.act(acting, self._given_motion(n, length), length)
        self.stepper.aim(self.servos.targets(first, n, clock.t), n)
        q, v = (self.q.copy(), self.v.copy()) if log else (self.q, self.v)
        work = self.stepper.work
        every_logged = every if recorder and n > every else 0
        count, q_log, v_log, part, work_log = self.stepper.advance(self.q, self.v, tau, n, every_logged, length, table)
        clock.advance(count, part, length)
        if count or part > 0.0:
            last = max(count - 1 + (part > 0.0), 0)
            self.exerted, self.served = (
                torques[last].copy() for torques in (self.stepper.driving_torques, self.stepper.servo_torques)
            )
        if recorder and (count or part > 0.0):
            if recorder.torques:
                recorder.last_tau = self._exerted(tau, np.array([max(count - 1, 0)]))
            if log and not begun:
                at = np.arange(0, count + (part > 0.0) if length == clock.dt else 1, every)
                t = np.asarray((first + at) * clock.dt, dtype=np.float64)
                states = np.vstack([q, q_log])[: at.size], np.vstack([v, v_log])[: at.size]
                rows = self._exerted(tau, np.minimum(at, n - 1) if part > 0.0 else at) if recorder.torques else _NONE
                done = None if work is None or work_log is None else np.concatenate([work[None], work_log])[: at.size]
                recorder.add(t, *states, rows, self.stepper.structure, done)
                recorder.add_contacts(self.stepper.contact_log())
        constant = not (self.driven.width or len(table)) and self.loads.constant and self.servos.constant
        alone = constant and work is None and not every_logged and count == n and length == clock.dt
        self._last = Call(n, self.stepper, self.stepper.filled, self.loads, self.q, self.v) if alone else None
        return count == n or part >= 0.0

    def repeat(self, n: int) -> bool:
        """n steps by the call that made the last n, if it would be the same but for constant torques; else none, False.

        SimulationError where it cannot go on.
        """
        last, tau = self._last, self.drive.constant
        if last is None or tau is None or last.steps != n or last.stepper is not self.stepper or self.clock.within:
            return False
        if last.filled != last.stepper.filled or last.loads is not self.loads:
            return False
        if last.q is not self.q or last.v is not self.v:
            return False
        count = self.stepper.again(tau)
        self.clock.steps += count
        if self.servos.width and count:
            self.served = self.stepper.servo_torques[count - 1].copy()
        if count < n:
            raise self.failure()
        return True

    def failure(self) -> SimulationError:
        """Why fewer steps were made than asked for."""
        return self.stepper.failure() or self._diverged()

    def carry_out(self, transition: Transition) -> Impact:
        """A change of structure at once. ModelError, and nothing has changed, if it cannot be made."""
        return self.structure_for("switch").carry_out(transition, self.clock.t, self.q, self.v)

    def wrench(self, name: str) -> Array:
        """(6) [force; moment] through a connection, with the torques of the present step."""
        structure = self.structure_for("wrench", [name])
        step, t = self.clock.steps, self.clock.t
        tau = self._torques(step, 1)
        now = np.repeat(self.driven.rows([t]), 2, axis=0)
        self.stepper.act(self.loads.acting(step, 1, t, self.q, self.v), now, self.clock.dt)
        self.stepper.aim(self.servos.targets(step, 1, t), 1)
        return structure.wrench(name, self.q, self.v, tau[0].copy() if tau.ndim == 2 else tau)

    def extend(self, connections: list[Any], cuts: list[str]) -> None:
        """A library with these as well; the state goes over by name. ModelError where nothing can be built."""
        structure = self.structure_for("connect").extended(connections, cuts)
        model, clock = structure.library.model, self.clock
        q, v = moved_state(self.model, model, self.q, self.v)
        driven = self._driven(model, self.driven.given, self.driven.first)
        servos = Servos(model, self.servos.given, self.servos.first)
        structure.stepper.drive(driven)
        structure.stepper.hold(servos)
        structure.stepper.place(q, v)
        self.drive, self.loads = self.drive.moved(model, clock.steps), self.loads.moved(model, clock.steps)
        self.driven, self.servos = driven, servos
        self.structure, self.stepper, self.model, self.q, self.v = structure, structure.stepper, model, q, v

    def structure_for(self, what: str, names: Collection[Any] = ()) -> Structure:
        """The structure; ModelError that names `what` asked for one in a model that has none."""
        if self.structure is None:
            got = f", got {', '.join(map(shown, names))}" if names else ""
            raise ModelError(
                f"{what}: model '{self.model.name}' has no connections{got}; simulate a TopologyLibrary(mechanism, "
                "connections=[...], cuts=[...]) of what is to change"
            )
        return self.structure

    def save(self, agenda: Agenda, past: Past) -> State:
        """The present moment, with what is still to happen and what happened."""
        clock, memory = self.clock, seal(self.model.manifest, self.stepper.save())
        q, v = self.q.copy(), self.v.copy()
        return State(clock.t, clock.steps, q, v, memory, clock.within, agenda.copy(), past.events, past.forgotten)

    def restore(self, state: State) -> tuple[Agenda, Past]:
        """Back to a moment, with what is to happen and what happened. ModelError if it is damaged or belongs to another
        model; nothing has changed then.
        """
        if not isinstance(state, State):
            raise ModelError(f"state: expected what `save` gave, got {type(state).__name__}")
        q, v = self._checked_q(state.q), self._checked_v(state.v)
        within = as_number("state: within", state.within)
        if not 0.0 <= within < self.clock.dt:
            raise ModelError(f"state: {shown(state.within)} s are not within a step of {self.clock.dt:g} s")
        clock = Clock(self.clock.dt, as_count("state: steps", state.steps, least=0), within)
        known = self.structure.library.switch if self.structure else self.structure_for
        agenda = agenda_of(state.agenda, self.model.manifest, known)
        past = past_of(state.events, state.forgotten)
        self.stepper.restore(unseal(self.model.manifest, state.loops))
        self.q, self.v, self.clock = q, v, clock
        self.drive.forget()
        return agenda, past

    def _driven(self, model: Model, given: Mapping[str, Course] | None, first: int) -> Driven:
        """Motions that are given, those of the model itself with the parameters that a library has now."""
        if self.structure and model.manifest.moved:
            model = model.with_parameters(self.structure.switches.parameters)
        return Driven(model, given, first, self.clock.dt, self.settings.limits)

    def _torques(self, step: int, n: int) -> Array:
        """(width) or (k, width) of k <= n steps from now on, 0 for driven joints."""
        tau = self.drive.torques(step, n, self.clock.t, self.q, self.v)
        if self.driven.width:
            tau = tau.copy()
            tau[..., self.driven.dof] = 0.0
        return tau

    def _given_motion(self, n: int, length: float) -> Array:
        """(n + 1, 3, driven entries) q, v, a at the ends of n steps of `length` [s] from now on."""
        if not self.driven.width:
            return np.zeros((n + 1, 3, 0))
        clock = self.clock
        if length == clock.dt and not clock.within:
            return self.driven.rows([(clock.steps + i) * clock.dt for i in range(n + 1)])
        return self.driven.rows([clock.t, clock.t + length])

    def _exerted(self, tau: Array, at: Any) -> Array:
        """(k, width) torques in the steps `at` of the last call, those of driven joints included."""
        rows = torque_rows(tau, at)
        if self.driven.width or self.servos.width:
            rows = rows.copy()
            rows[:, self.driven.dof] = self.stepper.driving_torques[at]
            rows[:, self.servos.dof] += self.stepper.servo_torques[at]
        return rows

    def _checked_q(self, value: Any) -> Array:
        q = as_array("q", value, (self.model.nq,), batch=False).copy()
        require_unit(self.model.module, "q", q)
        return q

    def _checked_v(self, value: Any) -> Array:
        return as_array("v", value, (self.model.nv,), batch=False).copy()

    def _diverged(self) -> SimulationError:
        joint = max(
            (j for j in self.model.manifest.joints if j.nv),
            key=lambda j: float(np.abs(self.v[j.v_start : j.v_start + j.nv]).max()),
        )
        speed = float(np.abs(self.v[joint.v_start : joint.v_start + joint.nv]).max())
        clock = self.clock
        return SimulationError(
            f"the state stops being finite in the step from t = {clock.t:g} s; fastest is joint '{joint.name}' with "
            f"{speed:.3g} rad/s or m/s: take a smaller dt (now {clock.dt:g} s) or check torques, stiffness and inertias"
        )


def _driving(model: Model, tau: Any, first: int, driven: Driven) -> Drive:
    """Torques; ModelError where they are told by name for a joint whose motion is given."""
    _require_not_driven(tau, driven)
    return Drive(model, tau, first)


def _require_not_driven(tau: Any, driven: Driven) -> None:
    for name in driven.names if driven.width and isinstance(tau, Mapping) else ():
        if name in tau:
            raise ModelError(f"tau: joint '{name}' is driven: its torque follows from its motion; leave it out here")


def _require_apart(servos: Servos, driven: Driven) -> None:
    for name in servos.given:
        if name in driven.names:
            raise ModelError(f"servos: joint '{name}' is driven: its motion is given; leave it out of one of both")


def _of_one_structure(model: object, active: Collection[str] | None) -> Model:
    """A compiled model, of which nothing can be active."""
    if not isinstance(model, Model):
        raise wrong_model(model, "a compiled Model")
    if active is not None and not (isinstance(active, Collection) and len(active) == 0):
        raise ModelError(f"active: model '{model.name}' has no connections, got {shown(active)}; leave active=None")
    return model
