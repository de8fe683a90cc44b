"""Gyroscopic forces of bodies that fly by themselves, in the middle of a semi-implicit step (§10, §14)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arguments import Array
from ...errors import ModelError
from ...kinds import KINDS
from ...model.model import Model
from ..passive import WEIGHTS

SLOW = 1e-5
"""Turn [rad] of a step below which a body's spin is not looked after."""


class Spin:
    """What spin adds to the forces f of a step of dt at v; nothing where no body flies by itself."""

    def __init__(self, model: Model, dt: float) -> None:
        self._model, self._dt, self._ffi = model, dt, model.module.ffi
        self._call: Any = getattr(model.module.lib, f"{model.manifest.prefix}_spin", None)
        self._free = [j for j in model.manifest.joints if KINDS[j.kind].group == "se3"] if self._call else []

    def added(self, v: Array, f: Array, values: Array | None = None) -> Array:
        """(nv), with the values of the model's parameters or others."""
        if not self._call:
            return np.zeros(len(f))
        p = self._model.parameter_values() if values is None else values
        found, speed = f.copy(), np.ascontiguousarray(v)
        doubles = self._ffi.typeof("double[]")
        given = [self._ffi.from_buffer(doubles, x) for x in (p, speed, found)]
        first = given[:1] if self._model.manifest.parameters else []
        self._call(*first, self._dt, *given[1:])
        change: Array = found - f
        return change

    def rates(self, v: Array, f: Array) -> tuple[Array, Array]:
        """(nv, nv) each: of what is added, per v and per f. ModelError where a body just begins to be looked after."""
        nv = self._model.nv
        by_v, by_f = np.zeros((nv, nv)), np.zeros((nv, nv))
        for joint in self._free:
            s, speed = joint.v_start, float(np.linalg.norm(v[joint.v_start + 3 : joint.v_start + 6]))
            away = abs(speed - SLOW / self._dt)
            if away * self._dt < 1e-6 * SLOW:
                raise ModelError(
                    f"joint '{joint.name}' turns by 1e-5 rad in this step, from where on its spin is looked after: "
                    "there the step has a kink"
                )
            h, size = min(away / 5.0, 1e-2 / self._dt), 1.0 + float(np.abs(f[s : s + 6]).max())
            for i in range(s, s + 6):
                unit = np.eye(nv)[i]
                for k, weight in enumerate(WEIGHTS, 1):
                    for sign in (1, -1):
                        by_v[:, i] += sign * weight / h * self.added(v + sign * k * h * unit, f)
                        step = 1e-2 * size
                        by_f[:, i] += sign * weight / step * self.added(v, f + sign * k * step * unit)
        return by_v, by_f
