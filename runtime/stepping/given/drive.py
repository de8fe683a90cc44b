"""Torques that drive a simulation: constant, a row per step, or asked from a function, for a step or for several."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...abi import Manifest
from ...arguments import Array, as_array, as_floats
from ...errors import ModelError, SimulationError, about, shown
from ...model.model import Model
from ...names.lookup import near_joint

Torques = ArrayLike | Mapping[str, ArrayLike]
"""(nv), or by joint: a number or (nv_j), cut joints and connections included; what is not named is zero."""

Controller = Callable[[float, Array, Array], Torques]
"""tau(t, q, v) -> Torques of the next step, or (k, nv) of the next k: t [s], q (nq) and v (nv) are copies."""


def torque_entries(manifest: Manifest) -> dict[str, slice]:
    """Places of all joints in what drives a step: the tree's joints as in v, then the cut ones."""
    tree = {joint.name: slice(joint.v_start, joint.v_start + joint.nv) for joint in manifest.joints}
    starts = {joint.name: manifest.nv + joint.v_start for joint in manifest.loops if joint.nv}
    return tree | {
        joint.name: slice(starts[joint.name], starts[joint.name] + joint.nv) for joint in manifest.loops if joint.nv
    }


_NONE = -1, np.zeros((0, 0))


class Drive:
    """`given`: None for no torques, Torques, a row of them per step (the first for step `first`), or a Controller."""

    @about("tau")
    def __init__(self, model: Model, given: Any, first: int, like: Drive | None = None) -> None:
        self._model = model
        self._entries: Mapping[str, slice] = like._entries if like else torque_entries(model.manifest)
        self._width: int = like._width if like else max((part.stop for part in self._entries.values()), default=0)
        self.first = first
        self.asks = callable(given)
        self._fixed = np.zeros(0) if self.asks else self._rows(given)
        by_joint = not isinstance(given, np.ndarray) and isinstance(given, Mapping)
        self._given: Any = dict(given) if by_joint else given
        self._answer = _NONE  # rows of the steps that follow, from which step on

    def by(self, given: Any, first: int) -> Drive:
        """The same joints under other torques."""
        return Drive(self._model, given, first, self)

    @property
    def constant(self) -> Array | None:
        """(width) torques that stay what they are; None of rows and functions."""
        return self._fixed if self._fixed.ndim == 1 and not self.asks else None

    @property
    def given(self) -> Any:
        """As it was given; (nv) or (n, nv) as a copy."""
        return (
            self._given if self.asks or isinstance(self._given, Mapping) else self._fixed[..., : self._model.nv].copy()
        )

    def torques(self, step: int, n: int, t: float, q: Array, v: Array) -> Array:
        """(width) or (k, width) torques of k <= n steps from `step`, k > 0; a function is asked once, at t, q, v, if no
        rows of its last answer are left.

        width: nv, and after them the velocities of the cut joints.
        """
        if self.asks:
            return self._answered(step, n, t, q, v)
        if self._fixed.ndim == 1:
            return self._fixed
        start = step - self.first
        rows: Array = self._fixed[start : start + n]
        if not len(rows):
            raise SimulationError(
                f"tau: its {len(self._fixed)} rows, one per step, end at t = {t:g} s; give more rows or one vector"
            )
        return rows

    def forget(self) -> None:
        """Before a state that does not follow from the last one: a function is asked anew."""
        self._answer = _NONE

    def moved(self, model: Model, step: int, driven: Collection[str]) -> Drive:
        """The same torques, by joint, from `step` on in a model that has these joints in other places: of the joints
        that were told one, those whose motion is given left out."""
        if self.asks or self._given is None:
            return Drive(model, self._given, step)
        rows = self._fixed[step - self.first :] if self._fixed.ndim == 2 else self._fixed
        told = self._given if isinstance(self._given, Mapping) else self._entries
        kept = [name for name in told if name in torque_entries(model.manifest) and name not in driven]
        return Drive(model, {name: rows[..., self._entries[name]] for name in kept}, step)

    def _rows(self, given: Any) -> Array:
        """(width) or (n, width)."""
        nv = self._model.nv
        if not isinstance(given, np.ndarray) and isinstance(given, Mapping):
            return self._placed("tau", {name: as_array(f"tau of joint '{name}'", x, ()) for name, x in given.items()})
        array = as_array("tau", np.zeros(nv) if given is None else given, (nv,))
        if array.ndim > 2:
            raise ModelError(f"tau: expected shape ({nv},) or (steps, {nv}), got {array.shape}")
        return self.widened(array.copy())

    def widened(self, tau: Array) -> Array:
        """(..., width) from (..., nv); the same array where they are as many."""
        if self._width == tau.shape[-1]:
            return tau
        wide = np.zeros((*tau.shape[:-1], self._width))
        wide[..., : tau.shape[-1]] = tau
        return wide

    def _placed(self, what: str, given: Mapping[str, Array]) -> Array:
        """(width) or (n, width) from numbers, (nv_j) or (n, nv_j) by joint; (n) for a joint with one entry."""
        parts: dict[str, Array] = {}
        for name, value in given.items():
            if name not in self._entries:
                known = near_joint(self._model.manifest, name, self._entries)
                raise ModelError(f"{what}: model '{self._model.name}' has no joint {shown(name)} to drive{known}")
            size = self._entries[name].stop - self._entries[name].start
            rows = value[:, None] if size == 1 and value.ndim == 1 and value.size != 1 else value
            if rows.ndim > 2 or (rows.ndim == 0 and size != 1) or (rows.ndim and rows.shape[-1] != size):
                raise ModelError(
                    f"{what} of joint '{name}': expected shape ({size},) or (steps, {size}), got {value.shape}"
                )
            parts[name] = rows
        counts = {len(rows) for rows in parts.values() if rows.ndim == 2}
        if len(counts) > 1:
            raise ModelError(
                f"{what}: all rows must be as many, got {', '.join(map(str, sorted(counts)))} of different joints"
            )
        tau = np.zeros((*counts, self._width))
        for name, rows in parts.items():
            tau[..., self._entries[name]] = rows
        return tau

    def _answered(self, step: int, n: int, t: float, q: Array, v: Array) -> Array:
        """(k, width) rows of a function's answer; one for a step alone is not kept."""
        first, rows = self._answer
        if first <= step < first + len(rows):
            return rows[step - first : step - first + n]
        asked = self._asked(self._given(t, q.copy(), v.copy()), t)
        if asked.ndim == 1:
            return asked[None]
        self._answer = step, asked
        return asked[:n]

    def _asked(self, value: Any, t: float) -> Array:
        """(width) or (k, width) of what a function gave, or an error that names t and the joint."""
        nv = self._model.nv
        what = f"tau(t, q, v) at t = {t:g} s"
        try:
            if isinstance(value, Mapping):
                tau = self._placed(what, {name: as_floats(f"{what}: joint '{name}'", x) for name, x in value.items()})
            else:
                tau = as_floats(what, value, f"({nv},) or (steps, {nv})")
        except ModelError as error:
            raise SimulationError(str(error)) from error
        width = self._width if isinstance(value, Mapping) else nv
        if tau.shape[-1:] != (width,) or tau.ndim > 2 or (tau.ndim == 2 and not len(tau)):
            raise SimulationError(f"{what}: expected shape ({nv},) or (steps, {nv}), got {tau.shape}")
        if not np.isfinite(tau).all():
            wrong = np.argwhere(~np.isfinite(tau))
            at = int(wrong[0][-1])
            row = f"row {wrong[0][0]}, " if tau.ndim == 2 else ""
            joint = next(name for name, part in self._entries.items() if part.start <= at < part.stop)
            raise SimulationError(
                f"{what}: {row}entry {at}, joint '{joint}', is {tau[tuple(wrong[0])]}, expected a number"
            )
        return self.widened(tau.copy())


def torque_rows(tau: Array, at: Any) -> Array:
    """(k, width) torques of the steps `at`, from one vector or a row per step."""
    return tau[at] if tau.ndim == 2 else np.tile(tau, (at.size, 1))
