"""What moves in a simulation: the state, its time, what steps it and what drives it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array, as_count
from ..errors import ModelError, shown
from ..model.model import Model
from ..module.kernel import require_unit
from ..topology.conditions import Conditions
from ..topology.events import Agenda, Event
from ..topology.extension import moved_state
from ..topology.library import Library
from ..topology.structure import Impact, Structure, Transition
from .clock import Clock
from .drive import Controller, Drive, Torques, torque_rows
from .recorder import Recorder
from .sealed import seal, unseal
from .settings import Settings
from .stepper import Stepper
from .trajectory import SimulationError


@dataclass(frozen=True)
class State:
    """A moment to return to: t [s], steps done, q (nq), v (nv), and what loops, contacts and connections remember.

    In a mechanism whose structure changes also the time into the step [s], what is still to happen, and what happened.
    """

    t: float
    steps: int
    q: Array
    v: Array
    loops: bytes = b""
    within: float = 0.0
    agenda: Agenda | None = None
    events: tuple[Event, ...] = ()


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
    ) -> None:
        self.settings = settings
        self.structure = Structure(model, settings) if isinstance(model, Library) else None
        self.model = model.model if isinstance(model, Library) else _of_one_structure(model, active)
        self.stepper: Stepper = self.structure.stepper if self.structure else settings.stepper(self.model)
        self.clock = Clock(settings.dt)
        self.q = self._checked_q(self.model.q0 if q is None else q)
        self.v = self._checked_v(np.zeros(self.model.nv) if v is None else v)
        if self.structure:
            self.structure.stepper.begin(self.structure.initial(active), self.q, self.v)
        else:
            self.stepper.place(self.q, self.v)
        self.drive = Drive(self.model, tau, 0)

    def place(self, q: ArrayLike | None = None, v: ArrayLike | None = None) -> None:
        """Another q or v, put on the closure."""
        self.q = self.q if q is None else self._checked_q(q)
        self.v = self.v if v is None else self._checked_v(v)
        self.stepper.place(self.q, self.v)

    def drive_from(self, given: Any, first: int) -> None:
        """Torques whose rows count from step `first`."""
        self.drive = Drive(self.model, given, first)

    def drive_by(self, tau: Torques | Controller | None) -> None:
        """Other torques from here on."""
        self.drive_from(tau, self.clock.steps)

    def march(self, n: int, every: int, moment: float, table: Conditions, recorder: Recorder | None, log: bool) -> bool:
        """Up to n steps in one C call; fewer up to `moment` [s], or where a condition in `table` comes true.

        With `log` the recorder gets each `every`-th of the states that they start from. False if it cannot go on.
        """
        clock = self.clock
        first, begun = clock.steps, clock.within
        n, length = clock.span(n, moment)
        tau = self.drive.torques(first, n, clock.t, self.q, self.v)
        n = len(tau) if tau.ndim == 2 else n
        q, v = (self.q.copy(), self.v.copy()) if log else (self.q, self.v)
        every_logged = every if n > every else 0
        if self.structure is None:
            count, q_log, v_log = self.stepper.advance(self.q, self.v, tau, n, every_logged)
            part = -1.0
        else:
            count, q_log, v_log, part = self.structure.advance(self.q, self.v, tau, n, length, every_logged, table)
        clock.advance(count, part, length)
        if recorder and (count or part > 0.0):
            recorder.last_tau = torque_rows(tau, np.array([max(count - 1, 0)]))
            if log and not begun:
                at = np.arange(0, count + (part > 0.0) if length == clock.dt else 1, every)
                t = np.asarray((first + at) * clock.dt, dtype=np.float64)
                states = np.vstack([q, q_log])[: at.size], np.vstack([v, v_log])[: at.size]
                rows = torque_rows(tau, np.minimum(at, n - 1) if part > 0.0 else at)
                recorder.add(t, *states, rows, self.stepper.structure)
                recorder.add_contacts(self.stepper.contact_log())
        return count == n or part >= 0.0

    def failure(self) -> SimulationError:
        """Why fewer steps were made than asked for."""
        return self.stepper.failure() or self._diverged()

    def carry_out(self, transition: Transition) -> Impact:
        """A change of structure at once. ModelError, and nothing has changed, if it cannot be made."""
        return self.structure_for("switch").carry_out(transition, self.clock.t, self.q, self.v)

    def wrench(self, name: str) -> Array:
        """(6) [force; moment] through a connection, with the torques of the present step."""
        structure = self.structure_for("wrench", [name])
        tau = self.drive.torques(self.clock.steps, 1, self.clock.t, self.q, self.v)
        return structure.wrench(name, self.q, self.v, tau[0].copy() if tau.ndim == 2 else tau)

    def extend(self, connections: list[Any], cuts: list[str]) -> None:
        """A library with these as well; the state goes over by name. ModelError where nothing can be built."""
        structure = self.structure_for("connect").extended(connections, cuts)
        model = structure.library.model
        q, v = moved_state(self.model, model, self.q, self.v)
        structure.stepper.place(q, v)
        self.drive = self.drive.moved(model, self.clock.steps)
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

    def save(self, agenda: Agenda, events: Collection[Event]) -> State:
        """The present moment, with what is still to happen and what happened."""
        clock, memory = self.clock, seal(self.model.manifest, self.stepper.save())
        q, v = self.q.copy(), self.v.copy()
        return State(clock.t, clock.steps, q, v, memory, clock.within, agenda.copy(), tuple(events))

    def restore(self, state: State) -> None:
        """Back to a moment. ModelError if it is damaged or belongs to another model; nothing has changed then."""
        if not isinstance(state, State):
            raise ModelError(f"state: expected what `save` gave, got {type(state).__name__}")
        q, v = self._checked_q(state.q), self._checked_v(state.v)
        clock = Clock(self.clock.dt, as_count("state: steps", state.steps, least=0), state.within)
        self.stepper.restore(unseal(self.model.manifest, state.loops))
        self.q, self.v, self.clock = q, v, clock

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


def _of_one_structure(model: object, active: Collection[str] | None) -> Model:
    """A compiled model, of which nothing can be active."""
    if not isinstance(model, Model):
        raise ModelError(f"model: expected a compiled Model, got {type(model).__name__}; compile the mechanism first")
    if active:
        raise ModelError(f"active: model '{model.name}' has no connections, got {sorted(active)}; leave active=None")
    return model
