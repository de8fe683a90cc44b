"""What moves in a simulation: the state, its time, what steps it and what drives it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_count
from ..errors import MissingError, ModelError, SimulationError, shown
from ..events.agenda import Agenda, Past
from ..events.conditions import Condition, Conditions
from ..model.closed.judged import hardly_inert
from ..model.model import Model
from ..module.one_thread import OfOneThread, by_one_thread
from ..names.lookup import looked_up, own_parameters, own_values
from ..stepping.clock import Clock, Timekeeper
from ..stepping.closing import closing
from ..stepping.given.drive import Controller, Drive, Torques
from ..stepping.given.driven import Course, Driven
from ..stepping.given.loads import Loads, WrenchController, Wrenches
from ..stepping.given.servos import Servo, Servos
from ..stepping.settings import Settings
from ..stepping.stepper import Advance, Stepper
from ..topology.extension import moved_state, moved_turns
from ..topology.library import Library
from ..topology.structure import Impact, Structure, Transition
from ..typed import typed
from .beginning import configuration, of_one_structure, velocity
from .drives import Drives, require_apart, require_not_driven
from .locks import diverged
from .moment import moment_of
from .recorder import Sink, Start, record
from .sealed import Given, State, seal


@dataclass(frozen=True)
class Call:
    """Steps that were made under what does not change by itself: what else the same call depends on."""

    steps: int
    stepper: Stepper
    filled: int
    wrenches: Loads
    q: Array
    v: Array


class Motion(OfOneThread):
    """q (nq), v (nv) of `model`, in its layout and with the parameters of the description as they are now; `structure`
    tells what of a library is connected, None of a model."""

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
        super().__init__()
        self.settings = settings
        if settings.work and isinstance(model, Library):
            raise ModelError("work: it is summed up for a model of one structure; connections take and give energy too")
        self.structure = Structure(model, settings) if isinstance(model, Library) else None
        self.model = model.model if isinstance(model, Library) else of_one_structure(model, active)
        self.stepper: Stepper = (
            self.structure.stepper if self.structure else settings.stepper(self.model, closing(self.model))
        )
        self._time = Timekeeper(Clock(settings.dt))
        self.q = configuration(self.model, self.model.q0 if q is None else q)
        self.v = velocity(self.model, np.zeros(self.model.nv) if v is None else v)
        self.drives = Drives(
            Drive(self.model, tau, 0),
            Loads(self.model, wrenches, 0),
            self._driven(self.model, driven, 0),
            Servos(self.model, servos, 0),
        )
        self.drives.driven.put(0.0, self.q, self.v)
        self.stepper.drive(self.drives.driven)
        if self.structure:
            self.structure.switches.begin(self.structure.initial(active), self.q)
        self.stepper.place(self.q, self.v)
        self.stepper.hold(self.drives.servos)
        self.exerted, self.served = np.zeros(0), np.zeros(0)
        """By driven entries and by servos, in the last step; the next one may write here."""
        self._unforeseen: tuple[str, ...] = ()
        self._last: Call | None = None
        self._fresh = self.stepper.save()

    @property
    def clock(self) -> Clock:
        """The moment that q and v are of."""
        return self._time.clock

    def restart(self, q: ArrayLike, v: ArrayLike, tau: Any, wrenches: Any) -> None:
        """At t = 0 in another state, under other torques and wrenches: what a new motion of this model would be."""
        drives = self.drives
        self._time.set(Clock(self.settings.dt))
        self.q, self.v = configuration(self.model, q), velocity(self.model, v)
        drives.driven.put(0.0, self.q, self.v)
        self.stepper.restart(self._fresh)
        self.stepper.hold(drives.servos)
        self.stepper.place(self.q, self.v)
        require_not_driven(tau, drives.driven)
        drives.tau, drives.wrenches = drives.tau.by(tau, 0), drives.wrenches.by(wrenches)
        self.exerted, self.served = np.zeros(0), np.zeros(0)

    @by_one_thread
    def place(self, q: ArrayLike | None = None, v: ArrayLike | None = None) -> None:
        """Another q or v, put where driven joints are and on the closure. Where it raises, nothing has changed.

        Turns of joints that close loops are counted on, anew in another q.
        """
        memory, before, turns = self.stepper.save(), (self.q, self.v), self.stepper.turns
        at = self.q.copy() if q is None else configuration(self.model, q)
        rate = self.v.copy() if v is None else velocity(self.model, v)
        try:
            self.q, self.v = at, rate
            self.drives.driven.put(self.clock.t, at, rate)
            self.stepper.place(at, rate)
            if q is None:
                self.stepper.count_from(turns)
        except BaseException:
            self.q, self.v = before
            self.stepper.restore(memory)
            raise
        self.drives.tau.forget()

    @by_one_thread
    def drive_by(self, tau: Torques | Controller | None, first: int | None = None) -> None:
        """Other torques from here on; rows count from step `first`, by default from the present one."""
        drives = self.drives
        require_not_driven(tau, drives.driven)
        drives.tau = drives.tau.by(tau, self.clock.steps if first is None else first)

    @by_one_thread
    def load_by(self, wrenches: Wrenches | WrenchController | None, first: int | None = None) -> None:
        """Other external wrenches from here on, likewise."""
        self.drives.wrenches = Loads(self.model, wrenches, self.clock.steps if first is None else first)

    @by_one_thread
    def serve_by(self, servos: Mapping[str, Servo] | None, first: int | None = None) -> None:
        """Other servos from here on, likewise. ModelError: nothing has changed."""
        new = self.drives.servos
        if not new.are(servos):
            new = Servos(self.model, servos, self.clock.steps if first is None else first)
        require_apart(new, self.drives.driven)
        self.drives.servos, self.served = new, np.zeros(0)
        self.stepper.hold(new)

    @by_one_thread
    def move_by(self, driven: Mapping[str, Course] | None) -> None:
        """Other motions that are given from here on; the state goes where they are. Where it raises, nothing has
        changed."""
        self.drives.require_unasked("driven")
        new = self._driven(self.model, driven, self.clock.steps)
        with self.all_or_nothing():
            self.drives, self.exerted = replace(self.drives, driven=new), np.zeros(0)
            self.stepper.drive(new)
            self.place()

    @typed
    @by_one_thread
    def set_values(self, values: Mapping[str, float]) -> None:
        """Run-time parameters of the description from here on; loops are closed by the new ones, and driven joints are
        where they are to be.

        What contacts remember of the last step is forgotten. Where it raises, nothing has changed.
        """
        self.drives.require_unasked("set_parameters")
        own = own_parameters(self.model.manifest)
        for name in values:
            looked_up(name, own, f"model '{self.model.name}' has no parameter")
        model = self.model.with_parameters(values)
        with self.all_or_nothing():
            self._describe(model)
            self.place()

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """State, parameters and what drives become what they were before the block where it raises."""
        before = self.model, self.structure, self.stepper, replace(self.drives), self.q, self.v
        asked, memory = (self.exerted, self.served), self.stepper.save()
        try:
            yield
        except BaseException:
            self.model, self.structure, self.stepper, self.drives, self.q, self.v = before
            self.exerted, self.served = asked
            self._equip()
            self.stepper.restore(memory)
            raise

    def take(self, given: Given) -> None:
        """Driven as another motion, in the state in which that was."""
        if not isinstance(given.first, tuple) or len(given.first) != 4:
            raise ModelError(f"state: expected the first steps of four drives, got {shown(given.first)}")
        drive, load, move, serve = (as_count("state: first", first, least=0) for first in given.first)
        self.drives.driven = self._driven(self.model, given.driven, move)
        self.stepper.drive(self.drives.driven)
        self.drive_by(given.tau, drive)
        self.load_by(given.wrenches, load)
        self.serve_by(given.servos, serve)

    def march(self, n: int, every: int, moment: float, table: Conditions, recorder: Sink | None, log: bool) -> bool:
        """Up to n steps in one C call; fewer up to `moment` [s], or where a condition in `table` comes true.

        With `log` the recorder gets each `every`-th of the states that they start from. False if it cannot go on.
        An exception that arrives while they are made leaves state, time and records where they are after them.
        """
        clock, stepper = self.clock, self.stepper
        start = None
        n, length = clock.span(n, moment)
        tau, n = self.drives.hand(stepper, clock, n, length, self.q, self.v)
        if recorder and log:
            start = Start(clock.steps, self.q.copy(), self.v.copy(), stepper.work, clock.within)
        every_logged = every if recorder and n > every else 0
        told = self._time.call(length)
        note = partial(self._note, recorder, start, tau, length, every if length == clock.dt else None)
        try:
            made = stepper.advance(self.q, self.v, tau, n, every_logged, length, table, told, clock.within)
            note(made)
        except BaseException:
            if told:
                note(stepper.made(told, every_logged))
            raise
        finally:
            self._time.set(self.clock)
        alone = self.drives.constant and not (len(table) or self.settings.work or every_logged)
        alone = alone and made.done == n and length == clock.dt
        self._last = Call(n, stepper, stepper.filled, self.drives.wrenches, self.q, self.v) if alone else None
        return made.done == n or made.part >= 0.0

    def _note(
        self, recorder: Sink | None, start: Start | None, tau: Array, length: float, every: int | None, made: Advance
    ) -> None:
        """What was exerted in the steps made, and the states that they started from; said twice, it is noted once."""
        stepper = self.stepper
        if not made.begun:
            return
        at = made.begun - 1
        self.exerted, self.served = stepper.driving_torques[at], stepper.servo_torques[at]
        if recorder:
            record(recorder, start, made, length, every, partial(self.drives.exerted, stepper, tau), stepper)

    def repeat(self, n: int) -> bool:
        """n steps by the call that made the last n, if it would be the same but for constant torques; else none, False.

        SimulationError where it cannot go on.
        """
        last, tau = self._last, self.drives.tau.constant
        if last is None or tau is None or last.steps != n or last.stepper is not self.stepper:
            return False
        if last.filled != last.stepper.filled or last.wrenches is not self.drives.wrenches:
            return False
        if last.q is not self.q or last.v is not self.v:
            return False
        told = self._time.calls()
        if told is None:
            return False
        count = self.stepper.again(tau, told)  # what servos exert goes where it went the last time
        if count < n:
            self.served = self.stepper.servo_torques[count - 1] if count else self.served
            raise self.failure()
        return True

    def failure(self) -> SimulationError:
        """Why fewer steps were made than asked for."""
        manifest = self.model.manifest
        return self.stepper.failure() or diverged(
            manifest, self.clock.t, self.clock.dt, self.v, hardly_inert(manifest, self.model.mass_matrix, self.q)
        )

    @by_one_thread
    def carry_out(self, transition: Transition) -> Impact:
        """A change of structure at once. ModelError, and nothing has changed, if it cannot be made."""
        return self.structure_for("switch").carry_out(transition, self.clock.t, self.q, self.v)

    def wrench(self, name: str) -> Array:
        """(6) [force; moment] through a connection, with the torques of the present step. ModelError where a function
        is asked for what drives it."""
        structure = self.structure_for("wrench", [name])
        if self.drives.asking:
            raise ModelError(
                f"wrench: what '{name}' carries depends on what your function is asked for just now; let it use what "
                "sim.wrench(...) gave before this step, between two calls of step or in an event"
            )
        tau = self.drives.hand_now(self.stepper, self.clock, self.q, self.v)
        return structure.wrench(name, self.q, self.v, tau[0].copy() if tau.ndim == 2 else tau)

    @by_one_thread
    def extend(self, connections: list[Any], cuts: list[str]) -> None:
        """A library with these as well; the state goes over by name. ModelError where nothing can be built."""
        self.drives.require_unasked("connect" if connections else "cut")
        structure = self.structure_for("connect").extended(connections, cuts)
        model = structure.library.model
        model = model.with_parameters(own_values(model.manifest, structure.switches.values))
        q, v = moved_state(self.model, model, self.q, self.v)
        drives = self.drives.moved(model, self.clock.steps)
        structure.stepper.drive(drives.driven)
        structure.stepper.hold(drives.servos)
        structure.stepper.place(q, v)
        fresh = structure.stepper.turns
        structure.stepper.count_from(moved_turns(self.model, model, self.q, self.stepper.turns, fresh))
        self.drives, self.structure, self.stepper = drives, structure, structure.stepper
        self.model, self.q, self.v = model, q, v
        self._unforeseen += (*(connection.name for connection in connections), *cuts)

    def require_watchable(self, condition: Condition) -> None:
        """ModelError for names that the model does not have, and for forces of contact where nothing touches."""
        condition.row(self.model.manifest)
        if condition.quantity.kind == "contact_force":
            self.stepper.contacts()

    def structure_for(self, what: str, names: Collection[Any] = ()) -> Structure:
        """The structure; MissingError that names `what` asked for one in a model that has none."""
        if self.structure is None:
            got = f", got {', '.join(map(shown, names))}" if names else ""
            raise MissingError(
                f"{what}: model '{self.model.name}' has no connections{got}; simulate a TopologyLibrary(mechanism, "
                "connections=[...], cuts=[...]) of what is to change"
            )
        return self.structure

    @by_one_thread
    def save(self, agenda: Agenda, past: Past) -> State:
        """The present moment, with what is still to happen and what happened."""
        clock, memory = self.clock, seal(self.model.manifest, self.stepper.save())
        q, v = self.q.copy(), self.v.copy()
        return State(clock.t, clock.steps, q, v, memory, clock.within, agenda.copy(), past.events, past.forgotten)

    @by_one_thread
    def restore(self, state: State) -> tuple[Agenda, Past]:
        """Back to a moment, with what is to happen and what happened. ModelError if it is damaged or belongs to another
        model; nothing has changed then.
        """
        self.drives.require_unasked("restore")
        known = self.structure.library.switch if self.structure else self.structure_for
        then = moment_of(state, self.model, self.clock, known, self.require_watchable, self._unforeseen)
        self._recall(then.memory)
        self.q, self.v = then.q, then.v
        self._time.set(then.clock)
        self.drives.tau.forget()
        return then.agenda, then.past

    def _describe(self, model: Model) -> None:
        """From here on by `model`, this one with other parameters, and by what follows from them. ModelError where it
        cannot drive: nothing has changed."""
        self.drives = self.drives.described(model)
        self.model = model
        if self.structure:
            self.structure.switches.describe(model)
        else:
            before, self.stepper = self.stepper, self.settings.stepper(model, closing(model))
            self.stepper.go_on_from(before)
        self._equip()

    def _recall(self, memory: bytes) -> None:
        """Parameters and all else that `stepper.save` gave. ModelError, and nothing has changed, if it is of another
        model or if its parameters cannot drive."""
        then = own_values(self.model.manifest, self.stepper.values_in(memory))
        if then != own_values(self.model.manifest, self.stepper.values):
            self._describe(self.model.with_parameters(then))
        self.stepper.restore(memory)

    def _equip(self) -> None:
        """What the stepper needs to know of what drives; a state must be placed or restored after it."""
        self.stepper.drive(self.drives.driven)
        self.stepper.hold(self.drives.servos)

    def _driven(self, model: Model, given: Mapping[str, Course] | None, first: int) -> Driven:
        """Motions that are given, and those of the model itself."""
        return Driven(model, given, first, self.clock.dt, self.settings.limits)
