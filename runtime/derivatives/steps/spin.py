"""Gyroscopic forces of bodies that fly by themselves, in the middle of a semi-implicit step (§10, §14)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arguments import Array
from ...errors import ModelError
from ...kinds import KINDS
from ...model.model import Model
from ..differences import WEIGHTS
from ..rows import Moving

SLOW = 1e-5
"""Turn [rad] of a step below which a body's spin is not looked after."""


class Spin:
    """What spin adds to the forces f of a step of dt at v, and how mass centres move in it; nothing where no body flies
    by itself."""

    def __init__(self, model: Model, dt: float) -> None:
        self._model, self._dt, self._ffi = model, dt, model.module.ffi
        free = [j for j in model.manifest.joints if KINDS[j.kind].group == "se3"]
        self._free = free if self._function("spin") else []

    def added(self, v: Array, f: Array, values: Array | None = None) -> Array:
        """(nv), with the values of the model's parameters or others."""
        return self._changed("spin", v, f, values) - f

    def centred(self, v: Array, a: Array, values: Array | None = None) -> Array:
        """(nv) the acceleration a of the step so that mass centres move as they were given."""
        return self._changed("centre", v, a, values)

    def centred_rates(self, x: Moving, a: Array, da: Array) -> Array:
        """(nv, columns) of that by state and acceleration, by the rates dv and da."""
        found = da.copy()
        for joint in self._free:
            turn = slice(joint.v_start + 3, joint.v_start + 6)
            end, step = x.dv[turn] + self._dt * da[turn], 1e-2 / self._dt
            for i, change in enumerate(end):
                unit = np.eye(self._model.nv)[turn.start + i]
                for k, weight in enumerate(WEIGHTS, 1):
                    way = k * step * unit
                    ahead, behind = (self._changed("centre", x.v + sign * way, a, None) for sign in (1, -1))
                    found += weight / step * np.outer(ahead - behind, change)
        return found

    def _function(self, name: str) -> Any:
        return getattr(self._model.module.lib, f"{self._model.manifest.prefix}_{name}", None)

    def _changed(self, name: str, v: Array, x: Array, values: Array | None) -> Array:
        """x (nv) changed by a function of the C from velocities v."""
        found, call = x.copy(), self._function(name)
        if call:
            p = self._model.parameter_values() if values is None else values
            doubles = self._ffi.typeof("double[]")
            given = [self._ffi.from_buffer(doubles, array) for array in (p, np.ascontiguousarray(v), found)]
            first = given[:1] if self._model.manifest.parameters else []
            call(*first, self._dt, *given[1:])
        return found

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
