"""All that drives a motion, together: what a call of many steps is given of it, and what it exerted in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arguments import Array
from ...errors import ModelError
from ...model.model import Model
from ..clock import Clock
from ..sealed import Given
from ..stepper import Stepper
from .drive import Drive, torque_rows
from .driven import Driven
from .loads import Loads
from .servos import Servos


@dataclass
class Drives:
    """Torques, external wrenches, joints whose motion is given, servos; ModelError where two are told of one joint."""

    tau: Drive
    wrenches: Loads
    driven: Driven
    servos: Servos

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

    def moved(self, model: Model, step: int, driven: Driven) -> Drives:
        """The same, by name, from `step` on in a model that has these joints in other places; `driven` is of it."""
        servos = Servos(model, self.servos.given, self.servos.first)
        return Drives(self.tau.moved(model, step, driven.names), self.wrenches.moved(model), driven, servos)

    def hand(self, stepper: Stepper, clock: Clock, n: int, length: float, q: Array, v: Array) -> tuple[Array, int]:
        """Hands the stepper what drives its next call, of up to n steps of `length` [s].

        Gives (width) or (k, width) torques, and the steps that all is known for, at least one.
        """
        step, t = clock.steps, clock.t
        n = int(max(min(n, self.driven.steps_left(step), self.servos.steps_left(step)), 1))
        tau = self.torques(step, n, t, q, v)
        n = len(tau) if tau.ndim == 2 else n
        acting = self.wrenches.acting(step, n, t, q, v)
        if acting and acting.rows.ndim == 2 and len(acting.rows) < n:
            n = len(acting.rows)
            tau = tau[:n] if tau.ndim == 2 else tau
        stepper.act(acting, self._motion(clock, n, length), length)
        stepper.aim(self.servos.targets(step, n, t), n)
        return tau, n

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


def require_not_driven(tau: Any, driven: Driven) -> None:
    """ModelError where torques are told by name for a joint whose motion is given."""
    for name in driven.names if driven.width and isinstance(tau, Mapping) else ():
        if name in tau:
            raise ModelError(f"tau: joint '{name}' is driven: its torque follows from its motion; leave it out here")


def require_apart(servos: Servos, driven: Driven) -> None:
    """ModelError where a servo is on a joint whose motion is given."""
    for name in servos.given:
        if name in driven.names:
            raise ModelError(f"servos: joint '{name}' is driven: its motion is given; leave it out of one of both")
