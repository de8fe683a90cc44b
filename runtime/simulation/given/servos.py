"""Joint servos of a simulation: gains, limits and targets that are constant, a row per step, or functions of time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...abi import JointSpec
from ...arguments import Array, as_array, as_floats, as_number
from ...errors import ModelError, shown
from ...kinds import KINDS
from ...lookup import near
from ...model.model import Model
from ..trajectory import SimulationError

Aim = ArrayLike | Callable[[float], ArrayLike]
"""A number or (nv_j), held; a row per step, (n) or (n, nv_j); or a function of t [s], asked before every step."""


@dataclass(frozen=True)
class Servo:
    """τ = kp (position − q) + kd (velocity − v), at most `limit` either way; kp = 0: a velocity servo.

    `kp` [N m/rad, N/m], `kd` [N m s/rad, N s/m] and `limit` [N m, N]: a number, (nv_j), or the name of a run-time
    parameter of the model, whose value is taken. `position`, `velocity`: see `Aim`; held through a step.
    """

    kp: ArrayLike | str = 0.0
    kd: ArrayLike | str = 0.0
    position: Any = 0.0
    velocity: Any = 0.0
    limit: ArrayLike | str = math.inf


@dataclass(frozen=True)
class Part:
    """A servo of one joint, and the columns of its entries."""

    spec: JointSpec
    columns: slice
    aims: tuple[Any, Any]  # functions or (nv_j) or (n, nv_j), for position and velocity


class Servos:
    """`given`: None, or servos by joint; rows of their targets count from step `first`."""

    def __init__(self, model: Model, given: Mapping[str, Servo] | None, first: int) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise ModelError(f"servos: expected {{joint: kg.Servo(...)}}, got {shown(given)}")
        self.given: Mapping[str, Servo] = dict(given or {})
        self.first = first
        self.parts: list[Part] = []
        gains: list[Array] = []
        width = 0
        for name, servo in self.given.items():
            spec = _servo_joint(model, name)
            if not isinstance(servo, Servo):
                raise ModelError(f"servos: joint '{name}': expected kg.Servo(kp=..., kd=...), got {shown(servo)}")
            aims = _aim(spec, "position", servo.position), _aim(spec, "velocity", servo.velocity)
            self.parts.append(Part(spec, slice(width, width + spec.nv), aims))
            gains.append(np.array([_gain(model, spec, part, getattr(servo, part)) for part in ("kp", "kd", "limit")]))
            width += spec.nv
        self.width = width
        self.kp, self.kd, self.limit = (x.copy() for x in (np.hstack(gains) if gains else np.zeros((3, 0))))
        specs = [part.spec for part in self.parts]
        self.dof = np.array([j.v_start + i for j in specs for i in range(j.nv)], dtype=np.intc)
        self.place = np.array([j.q_start + i for j in specs for i in range(j.nv)], dtype=np.intc)
        self._rows = [len(aim) for part in self.parts for aim in part.aims if not callable(aim) and aim.ndim == 2]
        self.asks = any(callable(aim) for part in self.parts for aim in part.aims)
        self._fixed: Array | None = None if self.asks or self._rows else self._targets(0, 1, 0.0)[0]
        self._table = np.zeros((0, 0)) if self.asks or not self._rows else self._targets(0, min(self._rows), 0.0)

    @property
    def constant(self) -> bool:
        """Their targets stay what they are."""
        return self._fixed is not None

    def targets(self, step: int, n: int, t: float) -> Array:
        """(2 width) or (k, 2 width) positions and velocities in up to n > 0 steps from `step`, at t [s]."""
        if self._fixed is not None:
            return self._fixed
        row = step - self.first
        return self._table[row : row + n] if 0 <= row < len(self._table) else self._targets(row, n, t)

    def steps_left(self, step: int) -> float:
        """Steps from `step` on for which there are targets; one at a time where a function is asked."""
        if self.asks:
            return 1
        return float(min(self._rows) - (step - self.first)) if self._rows else math.inf

    def torques(self, exerted: Array) -> dict[str, Array]:
        """By joint, from those of all entries."""
        return {part.spec.name: exerted[part.columns].copy() for part in self.parts}

    def _targets(self, row: int, n: int, t: float) -> Array:
        for part in self.parts:
            for aim in part.aims:
                if not callable(aim) and aim.ndim == 2 and not 0 <= row < len(aim):
                    raise SimulationError(
                        f"servos: joint '{part.spec.name}': its {len(aim)} rows, one per step, end at t = {t:g} s; "
                        "give more rows or one target"
                    )
        n = (
            1
            if self.asks
            else min([n, *(len(aim) - row for part in self.parts for aim in part.aims if _is_table(aim))])
        )
        found = np.zeros((n, 2 * self.width))
        for part in self.parts:
            for k, aim in enumerate(part.aims):
                columns = slice(k * self.width + part.columns.start, k * self.width + part.columns.stop)
                if callable(aim):
                    found[:, columns] = _asked(part.spec, ("position", "velocity")[k], aim, t)
                else:
                    found[:, columns] = aim[row : row + n] if aim.ndim == 2 else aim
        return found


def _is_table(aim: Any) -> bool:
    return not callable(aim) and aim.ndim == 2


def _servo_joint(model: Model, name: Any) -> JointSpec:
    """The joint of the tree. ModelError if no servo can act on it."""
    specs = {joint.name: joint for joint in model.manifest.joints}
    if name in {loop.name for loop in model.manifest.loops}:
        raise ModelError(
            f"servos: joint '{name}' closes a loop or can be cut, so that q does not hold it; cut the loop elsewhere "
            "(cut=True on another joint), or give its torque by tau={...}"
        )
    if name not in specs:
        raise ModelError(f"servos: model '{model.name}' has no joint {shown(name)}{near(name, specs)}")
    spec = specs[name]
    if not spec.nv:
        raise ModelError(f"servos: joint '{name}' does not move by itself; put the servo on the joint that it follows")
    if KINDS[spec.kind].group:
        raise ModelError(
            f"servos: joint '{name}' ({spec.kind}) has no coordinates that add; make it of joints that have, such as "
            "kg.gimbal() and kg.cartesian(), or drive it by tau"
        )
    return spec


def _gain(model: Model, spec: JointSpec, what: str, given: Any) -> Array:
    """(nv_j), not negative; infinite limits are none."""
    name = f"servos: joint '{spec.name}': {what}"
    if isinstance(given, str):
        if given not in model.parameters:
            raise ModelError(
                f"{name}: model '{model.name}' has no parameter {shown(given)}{near(given, model.parameters)}"
            )
        given = dict(zip(model.parameters, model.parameter_values().tolist(), strict=True))[given]
    if what == "limit" and np.ndim(given) == 0 and isinstance(given, float) and given == math.inf:
        return np.full(spec.nv, math.inf)
    array = as_array(name, given, () if np.ndim(given) == 0 else (spec.nv,), batch=False)
    if (array < 0.0).any():
        raise ModelError(f"{name} must not be negative, got {shown(given)}")
    return np.broadcast_to(array, (spec.nv,)).copy()


def _aim(spec: JointSpec, what: str, given: Any) -> Any:
    """A function, (nv_j), or (n, nv_j)."""
    if callable(given):
        return given
    name = f"servos: joint '{spec.name}': {what}"
    array = as_floats(name, given)
    if array.ndim == 0:
        return np.full(spec.nv, as_number(name, given))
    if array.ndim == 1 and spec.nv == 1 and array.size > 1:
        array = array[:, None]
    if array.ndim > 2 or array.shape[-1] != spec.nv or not len(array):
        raise ModelError(f"{name}: expected ({spec.nv},) or a row per step (n, {spec.nv}), got {array.shape}")
    return as_array(name, array, (spec.nv,)).copy()


def _asked(spec: JointSpec, what: str, aim: Any, t: float) -> Array:
    name = f"servos: {what} of joint '{spec.name}' at t = {t:g} s"
    try:
        value: Sequence[float] | Array = np.reshape(as_floats(name, aim(t)), (-1,))
        return as_array(name, value, (spec.nv,), batch=False)
    except ModelError as error:
        raise SimulationError(str(error)) from error
