"""All that drives a motion, together: what a call of many steps is given of it, and what it exerted in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..arguments import Array
from ..errors import ModelError, about
from ..model.model import Model
from ..stepping.clock import Clock
from ..stepping.given.drive import Drive, torque_rows
from ..stepping.given.driven import Driven
from ..stepping.given.loads import Loads
from ..stepping.given.servos import Servos
from ..stepping.stepper import Stepper
from .sealed import Given


@dataclass
class Drives:
    """Torques, external wrenches, joints whose motion is given, servos; ModelError where two are told of one joint."""

    tau: Drive
    wrenches: Loads
    driven: Driven
    servos: Servos

    _asking: bool = field(default=False, init=False)  # functions are asked what drives the next step

    def __post_init__(self) -> None:
        require_not_driven(self.tau.given, self.driven)
        require_apart(self.servos, self.driven)

    @property
    def asks(self) -> bool:
        """A function of Python is asked before every step; torques themselves tell for how many they are."""
        return self.wrenches.asks or self.servos.asks

    @property
    def constant(self) -> bool:
        """All but the torques stay what they are."""
        return not self.driven.width and self.wrenches.constant and self.servos.constant

    def given(self) -> Given:
        """As they were given."""
        tau, wrenches, driven, servos = self.tau, self.wrenches, self.driven, self.servos
        first = (tau.first, wrenches.first, driven.first, servos.first)
        return Given(tau.given, wrenches.given, driven.given, servos.given, first)

    def described(self, model: Model) -> Drives:
        """The same motions and servos by name in `model`: this one with other parameters, or a larger one."""
        driven, servos = self.driven.described(model), Servos(model, self.servos.given, self.servos.first)
        return replace(self, driven=driven, servos=servos)

    def moved(self, model: Model, step: int) -> Drives:
        """The same, by name, from `step` on in a model that has these joints in other places."""
        made = self.described(model)
        tau, wrenches = self.tau.moved(model, step, made.driven.names), self.wrenches.moved(model)
        return replace(made, tau=tau, wrenches=wrenches)

    def hand(self, stepper: Stepper, clock: Clock, n: int, length: float, q: Array, v: Array) -> tuple[Array, int]:
        """Hands the stepper what drives its next call, of up to n steps of `length` [s].

        Gives (width) or (k, width) torques, and the steps that all is known for, at least one.
        """
        n = int(max(min(n, self.driven.steps_left(clock.steps), self.servos.steps_left(clock.steps)), 1))
        return self._hand(stepper, clock, n, length, q, v, lambda n: self._motion(clock, n, length))

    def hand_now(self, stepper: Stepper, clock: Clock, q: Array, v: Array) -> Array:
        """Hands the stepper what drives at this moment, to look at it without a step: (width) or (1, width) torques."""
        return self._hand(stepper, clock, 1, clock.dt, q, v, lambda _: self.driven.rows([clock.t]).repeat(2, axis=0))[0]

    def _hand(
        self, stepper: Stepper, clock: Clock, n: int, length: float, q: Array, v: Array, motion: Callable[[int], Array]
    ) -> tuple[Array, int]:
        """`motion`: q, v, a of driven entries in n steps."""
        step, t = clock.steps, clock.t
        before, self._asking = self._asking, True
        try:
            tau = self.torques(step, n, t, q, v)
            n = 1 if self.asks else len(tau) if tau.ndim == 2 else n
            acting = self.wrenches.acting(step, n, t, q, v)
            n = min(n, len(acting.rows)) if acting and acting.rows.ndim == 2 else n
            rows, targets = motion(n), self._targets(step, n, t)
            n = min(n, len(targets)) if targets.ndim == 2 else n  # of servos that a function gave just now
        finally:
            self._asking = before
        stepper.act(acting, rows[: n + 1], length)
        stepper.aim(targets, n)
        return tau[:n] if tau.ndim == 2 else tau, n

    @property
    def asking(self) -> bool:
        """Functions are asked just now."""
        return self._asking

    def require_unasked(self, what: str) -> None:
        """ModelError in the middle of a step, where a function is asked: `what` would change what it is asked for."""
        if self._asking:
            raise _refused(what)

    def _targets(self, step: int, n: int, t: float) -> Array:
        """Of the servos that there are when all is asked: a function of one may give others, theirs may not."""
        for _ in range(2):
            servos = self.servos
            targets = servos.targets(step, n, t)
            if servos is self.servos:
                return targets
        raise _refused("servos")

    def torques(self, step: int, n: int, t: float, q: Array, v: Array) -> Array:
        """(width) or (k, width) of k <= n steps from `step`, 0 for driven joints."""
        tau = self.tau.torques(step, n, t, q, v)
        if self.driven.width:
            tau = tau.copy()
            tau[..., self.driven.dof] = 0.0
        return tau

    def _motion(self, clock: Clock, n: int, length: float) -> Array:
        """(n + 1, 3, driven entries) q, v, a at the ends of n steps of `length` [s] from now on."""
        if not self.driven.width:
            return np.zeros((n + 1, 3, 0))
        if length == clock.dt and not clock.within:
            return self.driven.rows([(clock.steps + i) * clock.dt for i in range(n + 1)])
        return self.driven.rows([clock.t, clock.t + length])

    def exerted(self, stepper: Stepper, tau: Array, at: Any) -> Array:
        """(k, width) torques in the steps `at` of the last call, those of driven joints and of servos included; joints
        that were not connected in it exerted none."""
        rows, idle = torque_rows(tau, at), stepper.idle
        if self.driven.width or self.servos.width or idle:
            rows = rows.copy()
            rows[:, self.driven.dof] = stepper.driving_torques[at]
            rows[:, self.servos.dof] += stepper.servo_torques[at]
            rows[:, idle] = 0.0
        return rows


@about("tau")
def require_not_driven(tau: Any, driven: Driven) -> None:
    """ModelError where torques are told by name for a joint whose motion is given."""
    for name in driven.names if driven.width and isinstance(tau, Mapping) else ():
        if name in tau:
            raise ModelError(f"tau: joint '{name}' is driven: its torque follows from its motion; leave it out here")


@about("servos")
def require_apart(servos: Servos, driven: Driven) -> None:
    """ModelError where a servo is on a joint whose motion is given."""
    for name in servos.given:
        if name in driven.names:
            raise ModelError(f"servos: joint '{name}' is driven: its motion is given; leave it out of one of both")


def _refused(what: str) -> ModelError:
    return ModelError(
        f"{what}: not while a function of yours is asked what drives a step; do it between two calls of step or run, "
        "in the function of `progress`, or by `at` or `when` of a library"
    )
