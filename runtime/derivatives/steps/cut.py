"""Joints that close loops, in a step: their coordinates, velocities C v, dampers and friction (mathematics §8, §14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arguments import Array
from ...errors import ModelError
from ...kinds import KINDS
from ...model.model import Model
from ..passive import SHIFT, SPEED, WEIGHTS, differences
from .rows import Kernels

ROUGH = 1e-9  # of the rates of C, which differences leave to 1e-13 where nothing is singular


@dataclass(frozen=True)
class Joints:
    """Entries of all joints, n of them: those of joints that close loops (k) stand behind the tree's.

    `q`: coordinates; `along` (n, nv): velocities per v, the unit matrix above C; `turn` (k, nv, nv): rates of C by q.
    """

    q: Array
    along: Array
    turn: Array

    @property
    def C(self) -> Array:
        """(k, nv)"""
        return self.along[self.along.shape[1] :]

    def turning(self, x: Array) -> Array:
        """(n, nv) rates by q of along @ x, for a constant x (nv)."""
        return np.vstack([np.zeros((self.along.shape[1],) * 2), np.einsum("kij,i->kj", self.turn, x)])

    def pulling(self, force: Array) -> Array:
        """(nv, nv) rates by q of alongᵀ force, for constant forces (n)."""
        found: Array = np.einsum("kij,k->ij", self.turn, force[self.along.shape[1] :])
        return found


class CutJoints:
    """What joints that close loops are and do; `near`: their coordinates in a state nearby, with turns counted."""

    def __init__(self, model: Model, near: Array) -> None:
        self._model, self._near, manifest = model, near, model.manifest
        flags = {switch.loop: switch.flag for switch in manifest.switches}
        values = model.parameter_values() if flags else np.zeros(0)
        holds = [i not in flags or values[flags[i]] != 0.0 for i in range(len(manifest.loops))]
        closing = [hold for hold, loop in zip(holds, manifest.loops, strict=True) for _ in range(loop.nv)]
        self.active = np.array([*[True] * model.nv, *closing])
        """(n) False of joints that are not connected."""
        self.angles = [j.q_start + i for j in manifest.loops if j.nv for i in KINDS[j.kind].winding]
        self._damping: Any = getattr(model.module.lib, f"{manifest.prefix}_cut_damping", None)

    @property
    def damped(self) -> bool:
        """They have dampers or friction."""
        return self._damping is not None

    def at(self, q: Array) -> Joints:
        """All joints at q."""
        nv, kernel, k = self._model.nv, self._model.kernel, len(self.active) - self._model.nv
        if not k:
            return Joints(q, np.eye(nv), np.zeros((0, nv, nv)))
        return self.resting(q, kernel, self._turn(q).reshape(k, nv, nv))

    def _turn(self, q: Array) -> Array:
        """(k nv, nv) rates of C. ModelError where two steps of different lengths do not tell the same."""
        nv, jacobian = self._model.nv, self._model.kernel("loop_jacobian")
        found, closer = (
            differences(lambda u: jacobian(self._model.integrate(q, u)).reshape(nv, -1), nv, shift)
            for shift in (SHIFT, 0.5 * SHIFT)
        )
        apart = np.abs(found - closer).max(axis=1, initial=0.0).reshape(-1, nv).max(axis=1)
        worst = int(apart.argmax())
        if not apart[worst] <= ROUGH * max(1.0, float(np.abs(closer).max(initial=0.0))):
            loop = next(j for j in self._model.manifest.loops if j.v_start <= worst < j.v_start + j.nv)
            raise ModelError(
                f"joint '{loop.name}' closes a loop and is too near to where its velocities grow without bound, as "
                "those of a gimbal whose axes lie in one plane: their rates are not known; cut the loop elsewhere"
            )
        return found

    def resting(self, q: Array, kernel: Kernels, turn: Array) -> Joints:
        """The same by kernels of any parameters, C turning by `turn`."""
        cut = kernel("loop_coordinates")(q)
        cut[self.angles] += 2 * np.pi * np.rint((self._near - cut)[self.angles] / (2 * np.pi))
        return Joints(np.concatenate([q, cut]), np.vstack([np.eye(self._model.nv), kernel("loop_jacobian")(q)]), turn)

    def damping(self, w: Array, values: Array | None = None) -> Array:
        """(k) damping + friction/√(w² + slip²) at velocities w (k), with the values of the parameters or others."""
        found = np.zeros(len(w))
        if self.damped:
            ffi = self._model.module.ffi
            p = self._model.parameter_values() if values is None else values
            given = [ffi.from_buffer("double[]", np.ascontiguousarray(x)) for x in (p, w)]
            first = given[:1] if self._model.manifest.parameters else []
            self._damping(*first, 1.0, given[1], ffi.from_buffer("double[]", found))
        return found

    def damping_slope(self, w: Array) -> Array:
        """(k) its rate by w, entry by entry: differences of order eight leave rounding."""
        total = np.zeros(len(w))
        for k, weight in enumerate(WEIGHTS, 1):
            total += weight / SPEED * (self.damping(w + k * SPEED) - self.damping(w - k * SPEED))
        return total
