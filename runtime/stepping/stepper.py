"""Time steps of a compiled model: many in one call of the C function `simulate`, whose arguments are one struct."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ..arguments import Array
from ..contact.contacts import Contacts, Counts, Records
from ..contact.rows import RowForce
from ..contact.state import ContactState
from ..errors import MissingError, ModelError, SimulationError, about, shown
from ..events.conditions import Conditions
from ..model.bounds import has_limits
from ..model.model import Model
from ..structs import SOURCES
from .clock import Told
from .closing import Closing
from .given.driven import Driven
from .given.loads import Acting
from .given.servos import Servos


class Advance(NamedTuple):
    """Whole steps done, states (k, nq), (k, nv) logged, and how far into the next step a condition came true, or -1;
    work (k, 7, nv) of the states, where it is asked for."""

    done: int
    q_log: Array
    v_log: Array
    part: float
    work_log: Array | None = None

    @property
    def begun(self) -> int:
        """Steps done or begun."""
        return self.done + (self.part > 0.0)


@about("integrator")
def _number_of(integrator: Any, known: Sequence[str]) -> int:
    if not isinstance(integrator, str) or integrator not in known:
        raise ModelError(f"integrator: unknown {shown(integrator)}; known: {', '.join(known)}")
    return known.index(integrator)


class Stepper:
    """Advances q, v in place by steps of dt [s].

    `state`: constraint rows, None for a model without; `closing`: loops, None for a tree; `structure`: parameters that
    tell what is connected and change between calls, None for a model of one structure; `work`: it is summed up.
    """

    def __init__(
        self,
        model: Model,
        integrator: str,
        dt: float,
        limits: bool = False,
        state: ContactState | None = None,
        closing: Closing | None = None,
        structure: Array | None = None,
        work: bool = False,
    ) -> None:
        number = _number_of(integrator, model.manifest.integrators)
        ffi, prefix = model.module.ffi, model.manifest.prefix
        self._ffi, self._model, self._state = ffi, model, state
        self._doubles, self._from_buffer = ffi.typeof("double[]"), ffi.from_buffer
        self.limits = limits and has_limits(model.manifest)
        """Joints stop at theirs."""
        self._simulate: Any = getattr(model.module.lib, f"{prefix}_simulate")
        self._closing = closing
        self.values: Array = model.parameter_values() if structure is None else structure
        """(P) parameters of the C."""
        self._simulation = ffi.new(f"{prefix}_simulation *")
        self._simulations = (self._simulation,)
        self._simulation.p = self._pointer(self.values) if model.manifest.parameters else ffi.NULL
        self._simulation.integrator = number
        self._simulation.dt = self.dt = dt
        if closing:
            self._simulation.memory = closing.memory
        self._condition = ffi.typeof(f"{prefix}_condition[]") if model.manifest.switches else None
        if self._condition:
            self._simulation.whole = dt
        self._external, self._driving = ffi.new(f"{prefix}_external *"), ffi.new(f"{prefix}_driving *")
        self._servos = ffi.new(f"{prefix}_servos *")
        self._ledger = ffi.new(f"{prefix}_ledger *") if work else ffi.NULL
        self._simulation.ledger = self._ledger
        self.driving_torques: Array = np.zeros((0, 0))
        """(steps, driven entries) torques of driven joints in the steps of the last call."""
        self.servo_torques: Array = np.zeros((0, 0))
        """(steps, entries with a servo) what servos exerted, likewise."""
        self.filled = 0
        """How often something was written into what the C function is given."""
        self._tau: Array = np.zeros(0)

    def drive(self, driven: Driven) -> None:
        """Joints whose motion is given from here on; a new state must be placed after it."""
        self.filled += 1
        d = self._driving
        self._entries = driven.place, driven.dof  # the pointers below do not own them
        d.count, d.stuck = driven.width, 0
        d.place, d.dof = (self._ffi.from_buffer("int[]", entries) for entries in self._entries)
        self._simulation.driving = d if driven.width else self._ffi.NULL
        if self._closing:
            self._closing.drive(driven)

    def hold(self, servos: Servos) -> None:
        """Servos from here on."""
        self.filled += 1
        s, self._kept, manifest = self._servos, servos, self._model.manifest
        self._asked, self._mode = np.zeros(servos.width), np.zeros(servos.width, dtype=np.intc)
        s.count, s.cut = servos.width, servos.cut
        s.place, s.dof = (self._ffi.from_buffer("int[]", entries) for entries in (servos.place, servos.dof))
        s.kp, s.kd, s.limit = (self._pointer(x) for x in (servos.kp, servos.kd, servos.limit))
        s.asked, s.mode = self._pointer(self._asked), self._ffi.from_buffer("int[]", self._mode)
        self._off = np.zeros(2 * sum(joint.nv for joint in (*manifest.joints, *manifest.loops)))
        s.off = self._pointer(self._off) if servos.grouped else self._ffi.NULL
        self._simulation.servos = s if servos.width else self._ffi.NULL

    def aim(self, targets: Array, steps: int) -> None:
        """Where the servos go in the next call of so many steps: a row of targets, or one per step."""
        self.filled += 1
        s, self._targets = self._servos, np.ascontiguousarray(targets)
        self.servo_torques = np.zeros((steps, s.count))
        if s.count:
            s.rows, s.torque = self._pointer(self._targets), self._pointer(self.servo_torques)
            s.stride = targets.shape[-1] if targets.ndim == 2 else 0
            s.row, s.out = s.rows, s.torque

    def act(self, acting: Acting | None, motion: Array, span: float) -> None:
        """What the next call needs besides torques: external wrenches, and where driven joints are.

        `motion`: (steps + 1, 3, driven entries) q, v, a, `span` [s] apart.
        """
        self.filled += 1
        s, e, d = self._simulation, self._external, self._driving
        self._acting, self._motion = acting, np.ascontiguousarray(motion)
        s.external = e if acting and acting.count else self._ffi.NULL
        if acting and acting.count:
            e.count, e.place, e.rows = acting.count, self._pointer(acting.place), self._pointer(acting.rows)
            e.stride = acting.rows.shape[-1] if acting.rows.ndim == 2 else 0
            e.row = e.rows
        self.driving_torques = np.zeros((len(motion) - 1, d.count))
        if d.count:
            d.stuck = 0
            d.rows, d.torque, d.span = self._pointer(self._motion), self._pointer(self.driving_torques), span
            d.row, d.out = d.rows, d.torque
            for dof, acceleration in zip(self._entries[1].tolist(), motion[0, 2].tolist(), strict=True):
                d.a[dof], d.struck[dof] = acceleration, 0.0

    def advance(
        self,
        q: Array,
        v: Array,
        tau: Array,
        n: int,
        every: int = 0,
        length: float | None = None,
        conditions: Conditions | None = None,
        told: Told | None = None,
        since: float = 0.0,
    ) -> Advance:
        """n steps of `length` [s], by default dt, from q (nq), v (nv), in place.

        They are driven by what `Drive.torques` gives, a row for all or a row per step. Fewer are done if the state
        stops being finite (q, v then hold the last finite one), if a loop cannot be closed (every state that is handed
        out is closed within 1e-10 m or rad), or if one of `conditions` (k) comes true. States are logged after each
        `every` of them, contacts likewise, the first step's too. `told`, empty, gets the steps made and the part of one
        more together with them; an exception, such as a warning that is one, leaves it to `made` to go on from there.
        `since` [s]: how much of the present step is over.
        """
        told = [] if told is None else told
        self._prepare(q, v, tau, n, every)
        s, closing = self._simulation, self._closing
        s.dt = self.dt if length is None else length
        if self._condition:
            watched = conditions is not None and len(conditions) > 0
            s.since = since
            s.watches = len(conditions) if conditions is not None else 0
            s.watch = self._from_buffer(self._condition, conditions) if watched else self._ffi.NULL
        before = closing.state() if closing else (0, 0)
        part = map(attrgetter("part"), self._simulations) if self._condition else (-1.0,)
        # one instruction of the interpreter, so that no signal is answered between the steps and their number
        told += chain(map(self._simulate, self._simulations), part)
        made = self.made(told, every)
        if closing:
            closing.tell(before)
        return made

    def made(self, told: Told, every: int) -> Advance:
        """What the last `advance` gives, or would have given, from what it `told`."""
        done, part = int(told[0]), float(told[1])
        if self._state:
            self._state.took(done + int(part > 0.0))
        rows = done // every if every else 0
        work_log = self._work_log[:rows] if self._ledger else None
        return Advance(done, self._q_log[:rows], self._v_log[:rows], part, work_log)

    def again(self, tau: Array, told: Told) -> int:
        """The call of the last `advance` once more, from where its q and v stand now, under constant torques.

        For what was neither logged nor watched, while `filled` is what it was. Gives the steps done, and adds their
        number to `told` together with them.
        """
        if tau is not self._tau:
            self._simulation.tau, self._tau = self._pointer(tau), tau
        closing = self._closing
        before = closing.state() if closing else (0, 0)
        told += map(self._simulate, self._simulations)  # one instruction, as in `advance`
        done: int = told[-1]
        if self._state:
            self._state.took(done)
        if closing:
            closing.tell(before)
        return done

    @property
    def idle(self) -> list[int]:
        """Places in torques of joints that are not connected just now, which exert none."""
        manifest, found = self._model.manifest, list[int]()
        for switch in manifest.switches:
            loop = manifest.loops[switch.loop]
            if not self.values[switch.flag]:
                found.extend(manifest.nv + loop.v_start + i for i in range(loop.nv))
        return found

    @property
    def work(self) -> Array | None:
        """(7, nv) work [J] of all sources, a copy; None where nobody asks."""
        return self._total().copy() if self._ledger else None

    def clear_work(self) -> None:
        """Nothing has done work yet."""
        if self._ledger:
            self._total()[:] = 0.0

    def go_on_from(self, other: Stepper) -> None:
        """Work and turns until now are those of another one, which is asked for work too if this one is."""
        if self._ledger:
            self._total()[:] = other._total()
        self.count_from(other.turns)

    def _total(self) -> Array:
        nv = self._model.nv
        total = np.frombuffer(self._ffi.buffer(self._ledger.total), dtype=np.float64)
        return total[: len(SOURCES) * nv].reshape(len(SOURCES), nv)

    def place(self, q: Array, v: Array) -> None:
        """What a new state needs before the first step from it: q and v on the closure, in place, no forces yet.

        Turns are counted anew.
        """
        if self._closing:
            self._closing.place(q, v)
        if self._state:
            self._state.clear()

    @property
    def turns(self) -> Array:
        """Coordinates of the joints that close loops, with the turns counted so far; none in a tree."""
        return self._closing.cut_coordinates if self._closing else np.zeros(0)

    def count_from(self, turns: Array) -> None:
        """Turns are counted on from these, as `turns` gives them."""
        if self._closing:
            self._closing.count_from(turns)

    @property
    def contact_state(self) -> ContactState | None:
        """Constraint rows; None of a model without."""
        return self._state

    @property
    def closing(self) -> Closing | None:
        """What keeps the motion closed; None of a tree."""
        return self._closing

    @property
    def gap(self) -> float:
        """Largest residual of closed loops in the states so far [m, rad]: 0 in a tree."""
        return self._closing.gap if self._closing else 0.0

    def failure(self) -> SimulationError | None:
        """Why fewer steps were done than asked for, if not for a state that was not finite: loops, too many points."""
        blocked = self._closing.failure(int(self._driving.stuck), self.dt) if self._closing else None
        return blocked or (self._state.failure() if self._state else None)

    def contacts(self) -> Contacts:
        """Contacts of the last step. MissingError where no shapes touch."""
        if not self._state or not (self._state.shapes or self._model.manifest.rows):
            raise MissingError(f"contacts: model '{self._model.name}' is simulated without contacts")
        return self._state.contacts()

    def rows(self) -> tuple[RowForce, ...]:
        """What rows beside contacts exerted in the last step: none without them."""
        return self._state.rows() if self._state else ()

    def contact_log(self) -> tuple[Records, Counts] | None:
        """Contacts (k) of the steps that `advance` logged, and their number (steps); None without contact."""
        return self._state.logged() if self._state and (self._state.shapes or self._model.manifest.rows) else None

    def prepared(self) -> Any:
        """The struct of a motion of no steps: what C needs to know of the present moment."""
        self.filled += 1
        self._simulation.dt = self.dt
        if self._state:
            self._state.prepare(self._simulation, self.limits, 0, 0)
        return self._simulation

    def save(self) -> bytes:
        """What goes along with the state besides q and v: parameters (what is connected is among them), memory of the
        loops, rows."""
        return self.values.tobytes() + b"".join(part.save() for part in (self._closing, self._state) if part)

    def restart(self, fresh: bytes) -> None:
        """As new, from what `save` gave before the first step: warnings are told again as well."""
        self.restore(fresh)
        if self._closing:
            self._closing.warn_again()

    def values_in(self, saved: bytes) -> Array:
        """(P) parameters in what `save` gave. ModelError if it is of another model."""
        end = self.values.nbytes + (self._closing.size if self._closing else 0)
        if not (self._state.fits(saved[end:]) if self._state else len(saved) == end):
            raise ModelError(f"state: it belongs to another model than '{self._model.name}'")
        return np.frombuffer(saved[: self.values.nbytes])

    def restore(self, saved: bytes) -> None:
        """Back to what `save` gave. ModelError, and nothing has changed, if it is of another model."""
        self.values[:] = self.values_in(saved)
        first = self.values.nbytes
        second = first + (self._closing.size if self._closing else 0)
        if self._closing:
            self._closing.restore(saved[first:second])
        if self._state:
            self._state.restore(saved[second:])

    def _prepare(self, q: Array, v: Array, tau: Array, n: int, every: int) -> None:
        """The struct of n steps filled in, and the arrays that it writes to made."""
        self.filled += 1
        self._tau = tau
        rows = n // every if every else 0
        self._q_log, self._v_log = np.empty((rows, q.size)), np.empty((rows, v.size))
        s = self._simulation
        s.steps, s.every = n, every
        s.q, s.v, s.tau = self._pointer(q), self._pointer(v), self._pointer(tau)
        s.tau_stride = tau.shape[-1] if tau.ndim == 2 else 0
        s.q_log = self._pointer(self._q_log) if rows else self._ffi.NULL
        s.v_log = self._pointer(self._v_log) if rows else self._ffi.NULL
        if self._ledger:
            self._work_log = np.empty((rows, len(SOURCES), v.size))
            self._ledger.log = self._pointer(self._work_log) if self._work_log.size else self._ffi.NULL
        if self._state:
            self._state.prepare(s, self.limits, n, every)

    def _pointer(self, array: Array) -> Any:
        return self._from_buffer(self._doubles, array)
