"""Simulations that need nothing of Python between their steps: many of them in one C call."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress

import numpy as np

from ..arguments import Array
from ..contact.contacts import ContactOptions
from ..simulation.motion import Motion
from ..stepping.given.loads import Acting
from ..structs import LANE_RUNS
from .beside import Beside, beside
from .lanes import WIDEST, lanes_of
from .row_warnings import RowWarnings
from .states import Numbers, States

MOST_STEPS = 16_384
"""Steps of all simulations in one C call: after each it is looked whether to go on."""

SHARES = 4
"""Into so many calls for each thread simulations are shared out, so that none waits long for another."""


def needs_python(motion: Motion, steps: int) -> bool:
    """Something is asked of Python between the steps, or told to it. Else `steps` steps like those of this motion can
    be made by `Together`."""
    options, servos, drive = motion.settings.contacts, motion.drives.servos, motion.drives.tau
    exact = isinstance(options, ContactOptions) and options.solver == "exact"
    if not motion.model.nv or motion.drives.driven.width or exact or not steps:
        return True
    if motion.drives.asks or drive.asks or servos.steps_left(0) < steps:
        return True
    given = motion.q, motion.v
    rows = [drive.torques(0, steps, 0.0, *given)]
    if (acting := motion.drives.wrenches.acting(0, steps, 0.0, *given)) is not None:
        rows.append(acting.rows)
    return any(array.ndim == 2 and len(array) < steps for array in rows)


def numbers_of(
    motion: Motion,
    steps: int,
    tau: Array | None,
    wrenches: Array | None,
    p: Array | None,
    aims: Mapping[tuple[str, str], Array],
) -> Numbers:
    """As they are given; those that are not, from a motion of which all are alike."""
    given = motion.q, motion.v
    acting = motion.drives.wrenches.acting(0, steps, 0.0, *given) or Acting(np.zeros((0, 5)), np.zeros(0))
    drive, servos = motion.drives.tau, motion.drives.servos
    return Numbers(
        np.ascontiguousarray(drive.torques(0, steps, 0.0, *given)[None] if tau is None else drive.widened(tau)),
        acting.place,
        np.ascontiguousarray(acting.rows[None] if wrenches is None else wrenches),
        np.ascontiguousarray(motion.model.parameter_values()[None] if p is None else p),
        np.zeros((0, 0)) if p is None or not servos.named else servos.gains_with(p),
        servos.targets_with(aims, steps) if aims else np.zeros((0, 0, 0)),
    )


class Together:
    """`steps` steps of all `states`, in threads: the first has `motion`, one of row 0, `begun` gives others.

    `lanes`: what touches the world goes side by side too, or nothing goes by lanes. Those of loops of whose start there
    is something to tell are left to who makes them alone.
    """

    def __init__(
        self,
        motion: Motion,
        begun: Callable[[], Motion],
        numbers: Numbers,
        states: States,
        steps: int,
        every: int,
        lanes: bool | None,
        told: RowWarnings,
    ) -> None:
        self._begun, self._numbers, self._states, self._told = begun, numbers, states, told
        self._steps, self._every = steps, every
        self._lanes = None if lanes is False else lanes_of(motion, numbers, states, steps, every)
        self._beside = beside(motion, numbers) if lanes and not self._lanes else None
        self._motions, self._idle = deque([motion]), deque[_Caller]()
        states.q_log[:, 0], states.v_log[:, 0] = states.q, states.v

    @property
    def by_lanes(self) -> bool:
        """Lanes make their steps, as far as they come."""
        return self._lanes is not None

    def blocks(self, threads: int) -> list[range]:
        """The rows of each C call, where so many threads share them; one row may take several."""
        count = len(self._states.q)
        if self._lanes:
            size = min(-(-count // (threads * WIDEST)) * WIDEST, LANE_RUNS)
        else:
            size = max(1, min(MOST_STEPS // max(self._steps, 1), -(-count // (SHARES * threads))))
            size = -(-size // WIDEST) * WIDEST if self._beside else size
        return [range(first, min(first + size, count)) for first in range(0, count, size)]

    def go(self, rows: range, stopped: Callable[[], bool]) -> list[int]:
        """These simulations, from any thread; gives those that could not go on: what follows them is not written."""
        states, ended = self._states, list(rows)
        if self._lanes:
            self._lanes.go(rows, stopped)
            ended = self._left(rows)
        if ended:
            caller = self._caller()
            for some in [range(row, row + 1) for row in ended] if self._lanes else [rows]:
                self._one_by_one(caller, some, stopped)
            self._idle.append(caller)
            ended = self._left(rows)
        whole = sorted(set(rows).difference(ended)) if ended else slice(rows.start, rows.stop)
        states.q_log[whole, -1], states.v_log[whole, -1] = states.q[whole], states.v[whole]
        return [] if stopped() else ended

    def unused(self) -> Motion | None:
        """The motion it was made with, if lanes made all steps."""
        return self._motions[0] if self._motions else None

    def _left(self, rows: range) -> list[int]:
        """Those that have not made all their steps."""
        made = self._states.made[rows.start : rows.stop]
        return [int(row) for row in rows.start + np.flatnonzero(made < self._steps)]

    def _one_by_one(self, caller: _Caller, rows: range, stopped: Callable[[], bool]) -> None:
        """Their steps that are left, one simulation after the other."""
        states, fresh = self._states, True
        made = int(states.made[rows.start])
        while made < self._steps and not stopped():
            made = min(made + MOST_STEPS, self._steps) if len(rows) == 1 else self._steps
            caller.call(states, rows, made, fresh)
            if states.made[rows.start : rows.stop].max() < made:
                break
            fresh = False

    def _caller(self) -> _Caller:
        """One that no other thread uses."""
        with suppress(IndexError):
            return self._idle.pop()
        with suppress(IndexError):
            return _Caller(self._motions.pop(), self._numbers, self._steps, self._every, self._beside, self._told)
        return _Caller(self._begun(), self._numbers, self._steps, self._every, self._beside, self._told)


class _Caller:
    """What one thread hands to the C function `simulate_all`: the structs of a motion, which no others share."""

    def __init__(
        self, motion: Motion, numbers: Numbers, steps: int, every: int, beside: Beside | None, told: RowWarnings
    ) -> None:
        self._told = told
        module, prefix = motion.model.module, motion.model.manifest.prefix
        self._ffi, self._motion, self._numbers = module.ffi, motion, numbers
        self._function = getattr(module.lib, f"{prefix}_simulate_all")
        stepper = motion.stepper
        stepper.act(Acting(numbers.place, numbers.wrenches[0]), np.zeros((1, 3, 0)), motion.clock.dt)
        stepper.aim(motion.drives.servos.targets(0, steps, 0.0), steps)
        self._simulation = s = stepper.prepared()
        self._all = self._ffi.new(f"{prefix}_simulations *")
        self._kept = beside.take_part(self._all) if beside else ()
        s.every, s.tau_stride = every, numbers.tau.shape[-1] if numbers.tau.ndim == 3 else 0
        for name in ("tau", "wrenches", "p"):
            rows = getattr(numbers, name)
            setattr(self._all, name, rows[0].size if len(rows) > 1 else 0)

    def call(self, states: States, rows: range, steps: int, fresh: bool) -> None:
        """These rows up to step number `steps`; `fresh`: from their first step on. Warnings tell of loops."""
        closing = self._motion.stepper.closing
        while rows:
            before = closing.before(fresh) if closing else None
            count = self._call(states, rows, steps, fresh)
            if closing and before and states.made[rows[count - 1]] == steps:
                with self._told.of(rows[count - 1]):
                    closing.tell(before)
            rows = rows[count:]

    def _call(self, states: States, rows: range, steps: int, fresh: bool) -> int:
        """How many of them C has made."""
        s, many, numbers, first = self._simulation, self._all, self._numbers, rows.start
        place = slice(first, rows.stop)
        s.steps, s.q, s.v = steps, self._pointer(states.q[place]), self._pointer(states.v[place])
        s.tau = self._pointer(numbers.tau[first % len(numbers.tau) :])
        if s.p != self._ffi.NULL:
            s.p = self._pointer(numbers.p[first % len(numbers.p) :])
        if s.external != self._ffi.NULL:
            s.external.rows = self._pointer(numbers.wrenches[first % len(numbers.wrenches) :])
        if numbers.targets.size:
            many.targets = numbers.targets[0].size if len(numbers.targets) > 1 else 0
            many.target = self._pointer(numbers.targets[first % len(numbers.targets) :])
            s.servos.rows = many.target
        if numbers.gains.size:
            many.gains, many.gain = numbers.gains.shape[1], self._pointer(numbers.gains[first:])
        s.q_log, s.v_log = (self._pointer(x[place].reshape(-1)[x.shape[2] :]) for x in (states.q_log, states.v_log))
        many.count, many.logs, many.fresh = len(rows), states.q_log.shape[1], 2 * fresh  # 2: starts are logged
        many.done = self._ffi.from_buffer("long[]", states.made[place])
        return int(self._function(s, many))

    def _pointer(self, array: Array) -> object:
        return self._ffi.from_buffer("double[]", array)
