"""Torques that drive a simulation: constant, a row per step, or asked from a function before every step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arguments import Array, as_array, as_floats
from .errors import ModelError
from .model import Model
from .trajectory import SimulationError

Controller = Callable[[float, Array, Array], ArrayLike]
"""tau(t, q, v) -> (nv): t [s], q (nq) and v (nv) are copies."""


class Drive:
    """`given`: None for no torques, (nv), (n, nv) with the first row for step `first`, or a Controller."""

    def __init__(self, model: Model, given: Any, first: int) -> None:
        self._model = model
        self.first = first
        self.asks = callable(given)
        self.given: Any = given if self.asks else self._fixed(given)

    def torques(self, step: int, n: int, t: float, q: Array, v: Array) -> Array:
        """(nv) or (k, nv) torques of k <= n steps from `step`, k > 0; a function is asked once, at t, q, v."""
        if self.asks:
            return self._checked(self.given(t, q.copy(), v.copy()), t)
        if self.given.ndim == 1:
            array: Array = self.given
            return array
        start = step - self.first
        rows: Array = self.given[start : start + n]
        if not len(rows):
            raise SimulationError(
                f"tau: its {len(self.given)} rows, one per step, end at t = {t:g} s; give more rows or one vector"
            )
        return rows

    def _fixed(self, given: Any) -> Array:
        nv = self._model.nv
        array = as_array("tau", np.zeros(nv) if given is None else given, (nv,)).copy()
        if array.ndim > 2:
            raise ModelError(f"tau: expected shape ({nv},) or (steps, {nv}), got {array.shape}")
        return array

    def _checked(self, value: Any, t: float) -> Array:
        """What a function gave, or an error that names t and the joint."""
        nv = self._model.nv
        what = f"tau(t, q, v) at t = {t:g} s"
        try:
            tau = as_floats(what, value, f"({nv},)")
        except ModelError as error:
            raise SimulationError(str(error)) from error
        if tau.shape != (nv,):
            raise SimulationError(f"{what}: expected shape ({nv},), got {tau.shape}")
        wrong = np.flatnonzero(~np.isfinite(tau))
        if wrong.size:
            at = int(wrong[0])
            joint = next(j for j in self._model.manifest.joints if j.v_start <= at < j.v_start + j.nv)
            raise SimulationError(f"{what}: entry {at}, joint '{joint.name}', is {tau[at]}, expected a number")
        return tau
