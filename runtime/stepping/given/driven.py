"""Joints whose motion is given: where they are at the ends of steps, how fast, how accelerated (mathematics §13)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...abi import JointSpec
from ...arguments import Array, as_array, as_floats
from ...errors import ModelError, SimulationError
from ...kinds import KINDS
from ...model.configuration import prescribed_motion
from ...model.model import Model
from ...names.lookup import near_joint
from .samples import Grid, Rates, smoothed, unfit

Course = ArrayLike | Callable[[float], Any] | None
"""q of a joint: a number or (nq_j) at which it is held; (n, nq_j) or (n) rows at the ends of steps, the first now;
three such arrays q, v, a; a function of t [s] that gives q or (q, v, a); or None: free of the motion that its model
gives it."""


@dataclass(frozen=True)
class _Part:
    """A driven joint, and its entries among those of all."""

    spec: JointSpec
    at: slice
    course: Any


class Driven:
    """`given`: Course by joint, instead of the motions that the model gives; time counts from step `first` for rows.
    `limits`: no motion may leave them.

    ModelError names joints that are not known, close a loop, or do not move by coordinates that add.
    """

    def __init__(self, model: Model, given: Mapping[str, Course] | None, first: int, dt: float, limits: bool) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise ModelError(f"driven: expected {{joint: motion}}, got {type(given).__name__}")
        self.given: Mapping[str, Course] = dict(given or {})
        self.first, self._dt, self._limits = first, dt, limits
        own = {name: _Own(model, name) for name in model.manifest.moved}
        courses = {name: course for name, course in {**own, **self.given}.items() if course is not None}
        specs = [_driven_joint(model, name) for name in courses]
        widths = list(accumulate((spec.nv for spec in specs), initial=0))
        self._parts = tuple(
            _Part(spec, slice(begin, begin + spec.nv), _course(spec, courses[spec.name]))
            for spec, begin in zip(specs, widths[:-1], strict=True)
        )
        self.width: int = widths[-1]
        self.place = np.array([j.q_start + i for j in specs for i in range(j.nv)], dtype=np.intc)
        self.dof = np.array([j.v_start + i for j in specs for i in range(j.nv)], dtype=np.intc)

    def described(self, model: Model) -> Driven:
        """The same by name in `model`: this one with other parameters, or a larger one."""
        return Driven(model, self.given, self.first, self._dt, self._limits)

    @property
    def names(self) -> tuple[str, ...]:
        """The driven joints, in the order of their entries."""
        return tuple(part.spec.name for part in self._parts)

    def owner(self, entry: int) -> str:
        """The joint of an entry."""
        return next(part.spec.name for part in self._parts if part.at.start <= entry < part.at.stop)

    def torques(self, values: Array) -> dict[str, Array]:
        """(nv_j) by joint from those of all entries."""
        return {part.spec.name: values[part.at].copy() for part in self._parts}

    def steps_left(self, step: int) -> float:
        """Steps from `step` on for which there are rows."""
        ends = [len(part.course[0]) - 1 for part in self._parts if isinstance(part.course, tuple)]
        return min((end - (step - self.first) for end in ends), default=np.inf)

    def rows(self, times: Sequence[float]) -> Array:
        """(times, 3, width) q, v, a at times [s]. SimulationError where a motion is none there or leaves its limits."""
        found = np.zeros((len(times), 3, self.width))
        for part in self._parts:
            values = self._states(part, np.asarray(times))
            if self._limits:
                _require_within(part.spec, values[:, 0], times)
            found[:, :, part.at] = values
        return found

    def state(self, t: float) -> Array:
        """(3, width) q, v, a at time t [s]."""
        at: Array = self.rows([t])[0]
        return at

    def put(self, t: float, q: Array, v: Array) -> None:
        """Driven entries of q and v at time t [s], in place."""
        if self.width:
            q[self.place], v[self.dof], _ = self.state(t)

    # ---- For these methods

    def _states(self, part: _Part, times: Array) -> Array:
        """(times, 3, nv_j) q, v, a. SimulationError where rates that are told do not fit."""
        if isinstance(part.course, np.ndarray):
            still = np.stack([part.course, *np.zeros((2, part.spec.nv))])
            return np.broadcast_to(still, (times.size, 3, part.spec.nv))
        if isinstance(part.course, _Own):
            grid = Grid(0.0, self._dt, None)
            values, samples = part.course.with_samples(times, grid.around(times))
            own = part.course
            _require_rate(part.spec, values, times, 0, lambda ts: own.states(ts)[:, 1], "a shorter dt follows it")
            return smoothed(grid, times, values, samples, lambda ts: own.numbers(ts)[:, 2])
        values, told = self._given_states(part, times)
        for order in (0, 1) if told else ():
            middle = partial(self._given_rate, part, order)
            _require_rate(part.spec, values, times, order, middle, "give what fits, or the coordinate alone")
        return values

    def _given_rate(self, part: _Part, order: int, times: Array) -> Array:
        """(times, nv_j) v (order 0) or a (1)."""
        rate: Array = self._given_states(part, times)[0][:, order + 1]
        return rate

    def _given_states(self, part: _Part, times: Array) -> tuple[Array, bool]:
        """(times, 3, nv_j) q, v, a of rows or of a function, and whether v and a were told."""
        begin = self.first * self._dt
        if isinstance(part.course, tuple):
            return _of_rows(part, times, Grid(begin, self._dt, len(part.course[0]))), len(part.course) == 3
        given = [_answer(part, t) for t in times.tolist()]
        if len(given[0]) == 3:
            return np.array(given), True
        grid = Grid(begin, self._dt, None)
        sampled: dict[int, Array] = {}

        def sample(k: int) -> Array:
            if k not in sampled:
                sampled[k] = _answer(part, grid.begin + k * grid.dt)[0]
            return sampled[k]

        states = [[q, *grid.derivatives(t, sample)[1:]] for (q,), t in zip(given, times.tolist(), strict=True)]
        return np.array(states), False


class _Own:
    """The motion that a model gives one of its joints."""

    def __init__(self, model: Model, name: str) -> None:
        self._name, self._model = name, model
        self._width = next(joint.nv for joint in model.manifest.joints if joint.name == name)

    def states(self, times: Array) -> Array:
        """(times, 3, nv_j) q, v, a at times [s]."""
        try:
            return prescribed_motion(self._model, times)[self._name]
        except ModelError as error:
            raise SimulationError(str(error)) from error

    def with_samples(self, times: Array, near: Array) -> tuple[Array, Array]:
        """The same, and at times `near`, at which it may be no number."""
        found = self.numbers(np.concatenate([times, near]))
        values, samples = found[: times.size], found[times.size :]
        return values if np.isfinite(values).all() else self.states(times), samples

    def numbers(self, times: Array) -> Array:
        """The same, NaN where they are no numbers."""
        try:
            return self.states(times)
        except SimulationError:
            apart = [self.numbers(times[i : i + 1]) for i in range(times.size)] if times.size > 1 else []
            return np.concatenate(apart) if apart else np.full((1, 3, self._width), np.nan)


def _of_rows(part: _Part, times: Array, grid: Grid) -> Array:
    """(times, 3, nv_j) of rows, each through the polynomial next to it."""
    q, *rates = part.course
    end = grid.begin + (len(q) - 1) * grid.dt
    if times[-1] > end + 1e-9 * grid.dt:
        raise SimulationError(
            f"driven: the {len(q)} rows of joint '{part.spec.name}', one at the end of each step, end at t = {end:g} s;"
            " give more rows or a function of t"
        )
    found = np.array([grid.derivatives(t, q.__getitem__) for t in times.tolist()])
    for order, rate in enumerate(rates, start=1):
        found[:, order] = [grid.derivatives(t, rate.__getitem__)[0] for t in times.tolist()]
    return found


def _require_rate(spec: JointSpec, values: Array, times: Array, order: int, middle: Rates, remedy: str) -> None:
    """SimulationError where v (order 0) is not the rate of q over a step, or a (1) that of v. `middle`: in mid-step."""
    mean, change, far = unfit(values[:, order], values[:, order + 1], times, middle)
    wrong = np.flatnonzero(far.any(axis=1))
    if wrong.size:
        i = int(wrong[0])
        raise SimulationError(
            f"driven: joint '{spec.name}' is told the {('velocity', 'acceleration')[order]} {mean[i].tolist()} from "
            f"t = {times[i]:g} to {times[i + 1]:g} s, where {('its coordinate', 'its velocity')[order]} changes by "
            f"{change[i].tolist()} a second; {remedy}"
        )


def _require_within(spec: JointSpec, q: Array, times: Sequence[float]) -> None:
    """SimulationError where the motion leaves the limits of the joint."""
    if not spec.lower:
        return
    out = np.flatnonzero(((q < np.array(spec.lower) - 1e-9) | (q > np.array(spec.upper) + 1e-9)).any(axis=1))
    if out.size:
        raise SimulationError(
            f"driven: joint '{spec.name}' is to be at {q[out[0]].tolist()} at t = {times[out[0]]:g} s, beyond its "
            f"limits {list(spec.lower)} to {list(spec.upper)}; change the motion, or leave them out (limits=False)"
        )


def _driven_joint(model: Model, name: str) -> JointSpec:
    """The joint of the tree. ModelError if its motion cannot be given."""
    manifest = model.manifest
    specs = {joint.name: joint for joint in manifest.joints}
    if name in {loop.name for loop in manifest.loops}:
        raise ModelError(
            f"driven: joint '{name}' closes a loop or can be cut, so that q does not hold it; drive another joint of "
            f"the loop, or cut the loop elsewhere: simulate mechanism.in_tree({name!r}), or the mechanism itself "
            "(Simulator(mechanism, driven=...))"
        )
    if name not in specs:
        raise ModelError(f"driven: model '{model.name}' has no joint {name!r}{near_joint(manifest, name, specs)}")
    spec = specs[name]
    if KINDS[spec.kind].group:
        raise ModelError(
            f"driven: joint '{name}' ({spec.kind}) has no coordinates that add; make it of joints that have, such as "
            "kg.cartesian() and kg.gimbal(), or hold it by a servo"
        )
    held = next((row for row in manifest.rows if spec.v_start <= row.dof < spec.v_start + spec.nv), None)
    if held is not None:
        raise ModelError(f"driven: the friction of joint '{name}' is a row of the solver, which drives it no further")
    return spec


def _course(spec: JointSpec, given: Any) -> Any:
    """A function; (nv_j) where it is held; or a tuple of (n, nv_j) rows: q, or q, v, a."""
    what = f"driven: joint '{spec.name}'"
    if isinstance(given, _Own) or callable(given):
        return given
    if isinstance(given, tuple) and len(given) == 3 and np.ndim(given[0]) >= 1:
        arrays = tuple(_table(what, spec, part) for part in given)
        if len({len(array) for array in arrays}) > 1:
            raise ModelError(f"{what}: q, v and a must have as many rows, got {[len(array) for array in arrays]}")
        return arrays
    array = as_floats(what, given)
    if array.shape == (() if spec.nv == 1 else (spec.nv,)):
        return as_array(what, array.reshape(spec.nv), (spec.nv,), batch=False).copy()
    return (_table(what, spec, given),)


def _table(what: str, spec: JointSpec, given: Any) -> Array:
    """(n, nv_j), n > 1."""
    array = as_floats(what, given)
    rows = array[:, None] if array.ndim == 1 and spec.nv == 1 else array
    if rows.ndim != 2 or rows.shape[1] != spec.nv or len(rows) < 2:
        shape = "(n,)" if spec.nv == 1 else f"(n, {spec.nv})"
        raise ModelError(f"{what}: expected shape {shape}, n > 1, a row at the end of each step, got {array.shape}")
    return as_array(what, rows, (spec.nv,)).copy()


def _answer(part: _Part, t: float) -> list[Array]:
    """[q] or [q, v, a] of a function at t [s], each (nv_j)."""
    what, size = f"driven: joint '{part.spec.name}' at t = {t:g} s", part.spec.nv
    value = part.course(t)
    try:
        parts = list(value) if isinstance(value, tuple) and len(value) == 3 and size != 3 else [value]
        if size == 3 and isinstance(value, tuple) and len(value) == 3 and np.ndim(value[0]) == 1:
            parts = list(value)
        return [as_array(what, np.reshape(as_floats(what, x), (-1,)), (size,), batch=False) for x in parts]
    except ModelError as error:
        raise SimulationError(str(error)) from error
