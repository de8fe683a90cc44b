"""Joint servos of a simulation: gains, limits and targets that are constant, a row per step, or functions of time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...abi import JointSpec, Manifest
from ...analysis.values import by_value
from ...arguments import Array, as_array, as_floats, as_number, require_memory
from ...errors import ModelError, SimulationError, about, shown
from ...kinds import KINDS
from ...model.model import Model
from ...names.lookup import near, near_joint
from .aims import Aim, aim_of, asked, has_group, is_table


@by_value
@dataclass(frozen=True)
class Servo:
    """τ = kp (position − q) + kd (velocity − v), at most `limit` either way; kp = 0: a velocity servo.

    q and v of a joint that closes a loop are those of `model.loop_joint`; its turns are counted while it has a servo, a
    limit, a spring, a damper or friction, from within half a turn of 0, or from within its limits. A joint that is not
    connected just now is not served.

    Of spherical, planar and free joints position − q is the place of the target along the child's axes and the turn to
    it, by at most π: the rotation vector of q⁻¹ q*, as `model.difference` gives it of spherical ones. Their torques,
    gains and velocities are those of v, in the child frame.

    `kp` [N m/rad, N/m], `kd` [N m s/rad, N s/m] and `limit` [N m, N]: a number, (nv_j), or the name of a run-time
    parameter of the model, whose value is taken. `position`: (nq_j) as in q: [qx qy qz qw] of a spherical joint, of
    unit norm (−q* is the same target), [x y cos sin] of a planar, [x y z qx qy qz qw] of a free one; a number where
    coordinates add; where they are neutral if it is left out. `velocity`: a number or (nv_j). Both: held all the time,
    a row per step (n, ...), or a function of t [s] that is asked before every step; held through a step; in a rollout
    with three axes, (B, 1 or steps, n), those of each simulation. ModelError for a negative gain or limit; by the
    simulator for another shape or norm and what is not finite; SimulationError for such an answer of a function.
    """

    kp: ArrayLike | str = 0.0
    kd: ArrayLike | str = 0.0
    position: Aim | None = None
    velocity: Aim = 0.0
    limit: ArrayLike | str = math.inf

    def __post_init__(self) -> None:
        for what in ("kp", "kd", "limit"):
            given = getattr(self, what)
            if not isinstance(given, str) and _is_negative(given):
                raise ModelError(f"servo: {what} must not be negative, got {shown(given)}")


@dataclass(frozen=True)
class Part:
    """A servo of one joint: the columns of its entries, and of a row of targets those of position and velocity."""

    spec: JointSpec
    columns: slice
    targets: tuple[slice, slice]
    aims: tuple[Any, Any]  # functions or arrays: (nq_j) or (n, nq_j) for position, (nv_j) or (n, nv_j) for velocity

    def __iter__(self) -> Iterator[tuple[str, slice, Any]]:
        """Both targets: what each is, its columns, the aim."""
        yield from zip(("position", "velocity"), self.targets, self.aims, strict=True)


class Servos:
    """`given`: None, or servos by joint; rows of their targets count from step `first`.

    A row of targets: positions, velocities (`width` each) and, if a joint has a group, coordinates of all joints with
    the positions of such: a configuration (nq), then those of joints that close loops. Their entries stand likewise
    behind those of the tree, from nq and nv on.
    """

    @about("servos")
    def __init__(self, model: Model, given: Mapping[str, Servo] | None, first: int) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise ModelError(f"servos: expected {{joint: kg.Servo(...)}}, got {shown(given)}")
        self.given: Mapping[str, Servo] = dict(given or {})
        self.first = first
        known = joints_by_name(model.manifest) if self.given else {}
        specs = [_servo_joint(model, known, name) for name in self.given]
        self.width = sum(spec.nv for spec in specs)
        self.grouped = any(has_group(spec) for spec in specs)
        """Servos act on joints whose coordinates do not add."""
        self.cut = any(spec.v_start >= model.nv for spec in specs)
        """Servos act on joints that close loops."""
        behind = (KINDS[joint.kind].neutral for joint in model.manifest.loops)
        still = np.concatenate([model.manifest.neutral, *behind]) if self.grouped else ()
        self._blank = np.concatenate([np.zeros(2 * self.width), still])
        self.parts: list[Part] = []
        gains: tuple[list[float], ...] = ([], [], [])
        self._named: list[tuple[slice, int, str]] = []  # of kp, kd and limits side by side: where, which, what
        for (name, servo), spec in zip(self.given.items(), specs, strict=True):
            if not isinstance(servo, Servo):
                raise ModelError(f"servos: joint '{name}': expected kg.Servo(kp=..., kd=...), got {shown(servo)}")
            self.parts.append(self._part(spec, servo))
            for k, (entries, what) in enumerate(zip(gains, ("kp", "kd", "limit"), strict=True)):
                given_gain = getattr(servo, what)
                found = _gain(model, spec, what, given_gain)
                if isinstance(given_gain, str):
                    at, number = k * self.width + len(entries), list(model.parameters).index(given_gain)
                    self._named.append((slice(at, at + spec.nv), number, f"joint '{name}': {what}"))
                entries.extend([found] * spec.nv if isinstance(found, float) else found)
        self.kp, self.kd, self.limit = (np.array(entries, dtype=np.float64) for entries in gains)
        self.dof = np.array([j.v_start + i for j in specs for i in range(j.nv)], dtype=np.intc)
        self.place = np.array(
            [-1 if has_group(j) else j.q_start + i for j in specs for i in range(j.nv)], dtype=np.intc
        )
        """Places in q of entries whose coordinates add, −1 of others."""
        aims = [aim for part in self.parts for aim in part.aims]
        self._rows = [len(aim) for aim in aims if is_table(aim)]
        self.asks = any(callable(aim) for aim in aims)
        self._fixed: Array | None = None if self.asks or self._rows else self._targets(0, 1, 0.0)[0]
        told = 0 if self.asks else min(self._rows, default=0)
        self._table = self._targets(0, told, 0.0) if told else np.zeros((0, 0))

    def _part(self, spec: JointSpec, servo: Servo) -> Part:
        start = self.parts[-1].columns.stop if self.parts else 0
        columns = slice(start, start + spec.nv)
        at = 2 * self.width + spec.q_start if has_group(spec) else start
        targets = slice(at, at + spec.nq), slice(self.width + start, self.width + columns.stop)
        aims = _kept(aim_of(spec, "position", servo.position)), _kept(aim_of(spec, "velocity", servo.velocity))
        return Part(spec, columns, targets, aims)

    @property
    def constant(self) -> bool:
        """Their targets stay what they are."""
        return self._fixed is not None

    def are(self, given: Mapping[str, Servo] | None) -> bool:
        """What another reading of `given` would give, from any step on: plain numbers, equal to those of these."""
        if not self.constant or not isinstance(given, Mapping) or list(given) != list(self.given) or not self._plain:
            return False
        return all(
            given[name] is servo or (_is_plain(given[name]) and given[name] == servo)
            for name, servo in self.given.items()
        )

    @cached_property
    def _plain(self) -> bool:
        return all(map(_is_plain, self.given.values()))

    def targets(self, step: int, n: int, t: float) -> Array:
        """A row of targets, or k rows for up to n > 0 steps from `step`, at t [s]."""
        if self._fixed is not None:
            return self._fixed
        row = step - self.first
        return self._table[row : row + n] if 0 <= row < len(self._table) else self._targets(row, n, t)

    def steps_left(self, step: int) -> float:
        """Steps from `step` on for which there are targets; one at a time where a function is asked."""
        if self.asks:
            return 1
        return float(min(self._rows) - (step - self.first)) if self._rows else math.inf

    @property
    def named(self) -> bool:
        """Gains are parameters of the model."""
        return bool(self._named)

    def gains_with(self, parameters: Array) -> Array:
        """(rows, 3 width) kp, kd and limits with these parameters (rows, P). ModelError names the row of a negative
        one."""
        found = np.tile(np.concatenate([self.kp, self.kd, self.limit]), (len(parameters), 1))
        for entries, number, what in self._named:
            column = parameters[:, number]
            if (column < 0.0).any():
                row = int(np.argmax(column < 0.0))
                raise ModelError(f"row {row}: servos: {what} must not be negative, got {column[row]:g}")
            found[:, entries] = column[:, None]
        return found

    def targets_with(self, aims: Mapping[tuple[str, str], Array], steps: int) -> Array:
        """(rows, 1 or steps, ...) targets with these aims (rows, 1 or steps, n) by joint and what they are."""
        own, rows = np.atleast_2d(self.targets(0, steps, 0.0)), max(map(len, aims.values()))
        require_memory("servos: targets of all simulations", rows * own.size, "fewer rows or steps at once")
        found = own[None].repeat(rows, axis=0)
        for part in self.parts:
            for what, columns, _ in part:
                if (part.spec.name, what) in aims:
                    found[:, :, columns] = aim_of(part.spec, what, aims[part.spec.name, what], 3)
        return found

    def torques(self, exerted: Array) -> dict[str, Array]:
        """By joint, from those of all entries."""
        return {part.spec.name: exerted[part.columns].copy() for part in self.parts}

    def _targets(self, row: int, n: int, t: float) -> Array:
        for part in self.parts if self._rows else ():
            for aim in part.aims:
                if is_table(aim) and not 0 <= row < len(aim):
                    raise SimulationError(
                        f"servos: joint '{part.spec.name}': its {len(aim)} rows, one per step, end at t = {t:g} s; "
                        "give more rows or one target"
                    )
        n = 1 if self.asks else min([n, *(rows - row for rows in self._rows)])
        found = self._blank[None].repeat(n, axis=0)
        for part in self.parts:
            for what, columns, aim in part:
                if callable(aim):
                    found[:, columns] = asked(part.spec, what, aim, t)
                else:
                    found[:, columns] = aim[row : row + n] if aim.ndim == 2 else aim
        return found


def _kept(aim: Any) -> Any:
    """A function, or an array that nobody else writes."""
    return aim if callable(aim) else aim.copy()


def _is_plain(servo: Any) -> bool:
    """Each of its entries is a float or left out."""
    return type(servo) is Servo and all(
        type(x) is float or x is None for x in (servo.kp, servo.kd, servo.position, servo.velocity, servo.limit)
    )


def joints_by_name(manifest: Manifest) -> dict[str, JointSpec]:
    """All joints by name, those that close loops behind the tree's."""
    behind = (
        replace(joint, q_start=manifest.nq + joint.q_start, v_start=manifest.nv + joint.v_start)
        for joint in manifest.loops
    )
    return {joint.name: joint for joint in (*manifest.joints, *behind)}


def _servo_joint(model: Model, specs: Mapping[str, JointSpec], name: Any) -> JointSpec:
    """One of these joints. ModelError if no servo can act on it."""
    if name not in specs:
        known = near_joint(model.manifest, name, specs)
        raise ModelError(f"servos: model '{model.name}' has no joint {shown(name)}{known}")
    spec = specs[name]
    return spec


def _is_negative(given: Any) -> bool:
    """Whether these are numbers of which one is; of what is none the simulator tells, which knows the joint."""
    try:
        return bool((np.asarray(given, dtype=np.float64) < 0.0).any())
    except (TypeError, ValueError, OverflowError):
        return False


def _gain(model: Model, spec: JointSpec, what: str, given: Any) -> Array | float:
    """(nv_j) or one for all, not negative; infinite limits are none."""
    if isinstance(given, float) and given >= 0.0 and (given < math.inf or what == "limit"):
        return float(given)
    name = f"servos: joint '{spec.name}': {what}"
    if isinstance(given, str):
        if given not in model.parameters:
            raise ModelError(
                f"{name}: model '{model.name}' has no parameter {shown(given)}{near(given, model.parameters)}"
            )
        given = dict(zip(model.parameters, model.parameter_values().tolist(), strict=True))[given]
    if np.ndim(given) == 0:
        found: Array | float = as_number(name, given)
        negative = found < 0.0
    else:
        none = what == "limit" and np.isposinf(as_floats(name, given))
        found = as_array(name, np.where(none, 0.0, given) if np.any(none) else given, (spec.nv,), batch=False)
        found, negative = np.where(none, math.inf, found), bool((found < 0.0).any())
    if negative:
        raise ModelError(f"{name} must not be negative, got {shown(given)}")
    return found
