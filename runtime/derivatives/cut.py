"""Joints that close loops: their coordinates, velocities C v, and how both follow q (mathematics §8, §14)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arguments import Array
from ..errors import ModelError
from ..kinds import KINDS
from ..model.model import Model
from ..module.kernel import Kernel
from .differences import SHIFT, differences
from .pieces import fill

Kernels = Callable[[str], Kernel]
"""By their names, with the values of some parameters."""

ROUGH = 1e-9  # of the rates of C, which differences leave to 1e-13 where nothing is singular


@dataclass(frozen=True)
class Joints:
    """Entries of all joints, n of them: those of joints that close loops (k) stand behind the tree's.

    `q`: coordinates; `along` (n, nv): velocities per v, the unit matrix above C; `turn` (k, nv, nv): rates of C by q;
    `moved` (k, nv): how coordinates of joints that close loops move with q, which is C where the loops are closed.
    """

    q: Array
    along: Array
    turn: Array
    moved: Array

    @property
    def C(self) -> Array:
        """(k, nv)"""
        return self.along[self.along.shape[1] :]

    @property
    def displaced(self) -> Array:
        """(n, nv) how all coordinates move with q."""
        return np.vstack([np.eye(self.along.shape[1]), self.moved])

    def turning(self, x: Array) -> Array:
        """(n, nv) rates by q of along @ x, for a constant x (nv)."""
        return np.vstack([np.zeros((self.along.shape[1],) * 2), np.einsum("kij,i->kj", self.turn, x)])

    def pulling(self, force: Array) -> Array:
        """(nv, nv) rates by q of alongᵀ force, for constant forces (n)."""
        found: Array = np.einsum("kij,k->ij", self.turn, force[self.along.shape[1] :])
        return found


class CutJoints:
    """Where joints that close loops are; `near`: their coordinates in a state nearby, with turns counted."""

    def __init__(self, model: Model, near: Array) -> None:
        self._model, self._near, manifest = model, near, model.manifest
        flags = {switch.loop: switch.flag for switch in manifest.switches}
        values = model.parameter_values() if flags else np.zeros(0)
        holds = [i not in flags or values[flags[i]] != 0.0 for i in range(len(manifest.loops))]
        closing = [hold for hold, loop in zip(holds, manifest.loops, strict=True) for _ in range(loop.nv)]
        self.active = np.array([*[True] * model.nv, *closing])
        """(n) False of joints that are not connected."""
        own = [j for j in manifest.loops if j.nv]
        self._winding = [j.q_start + i for j in own for i in KINDS[j.kind].winding]
        added = [(j.v_start + i, j.q_start + i) for j in own if not KINDS[j.kind].group for i in range(j.nv)]
        self._added = np.array(added, dtype=int).reshape(-1, 2).T  # entries of v and q where coordinates add
        self._grouped = len(added) < len(closing)

    def at(self, q: Array, acting: Array | None = None) -> Joints:
        """All joints at q; `acting` (k): those alone whose rates matter, others count as unmoved."""
        nv, kernel, k = self._model.nv, self._model.kernel, len(self.active) - self._model.nv
        minds = np.ones(k, dtype=bool) if acting is None else acting
        turn, moved = np.zeros((k, nv, nv)), np.zeros((k, nv))
        if minds.any():
            found = self._rates(q, minds)
            turn, moved = found[:, :-1] * minds[:, None, None], found[:, -1] * minds[:, None]
        return self.resting(q, kernel, turn, moved) if k else Joints(q, np.eye(nv), turn, moved)

    def _rates(self, q: Array, minds: Array) -> Array:
        """(k, nv + 1, nv) rates of C and, last, of the coordinates. ModelError where two steps of different lengths
        do not tell the same of joints that it `minds` about."""
        model, k = self._model, len(minds)
        kernel, here = model.kernel, model.kernel("loop_coordinates")(q)

        def shifted(u: Array) -> Array:
            beside = model.integrate(q, u)
            rows = [kernel("loop_jacobian")(beside), self._gone(here, kernel("loop_coordinates")(beside))[:, :, None]]
            return np.concatenate(rows, axis=2).reshape(model.nv, -1)

        found, closer = (
            differences(shifted, model.nv, h).reshape(k, model.nv + 1, model.nv) for h in (SHIFT, 0.5 * SHIFT)
        )
        apart = np.where(minds, np.abs(found - closer).max(axis=(1, 2), initial=0.0), 0.0)
        worst = int(apart.argmax())
        if not apart[worst] <= ROUGH * max(1.0, float(np.abs(closer[minds]).max(initial=0.0))):
            loop = next(j for j in model.manifest.loops if j.v_start <= worst < j.v_start + j.nv)
            raise ModelError(
                f"joint '{loop.name}' closes a loop and is too near to where its velocities grow without bound, as "
                "those of a gimbal whose axes lie in one plane: their rates are not known; cut the loop elsewhere"
            )
        return found

    def _gone(self, here: Array, there: Array) -> Array:
        """(nv, k) by what joints have moved from `here` to each of `there`, angles by less than half a turn."""
        way = there - here
        way[:, self._winding] -= 2 * np.pi * np.rint(way[:, self._winding] / (2 * np.pi))
        found = np.zeros((len(there), len(self.active) - self._model.nv))
        if self._grouped:
            for row, end in zip(found, there, strict=True):
                fill(self._model, "cut_offset", [here, end], [row], parametric=False)
        entries, places = self._added
        found[:, entries] = way[:, places]
        return found

    def resting(self, q: Array, kernel: Kernels, turn: Array, moved: Array) -> Joints:
        """The same by kernels of any parameters, C turning by `turn`."""
        cut = kernel("loop_coordinates")(q)
        cut[self._winding] += 2 * np.pi * np.rint((self._near - cut)[self._winding] / (2 * np.pi))
        along = np.vstack([np.eye(self._model.nv), kernel("loop_jacobian")(q)])
        return Joints(np.concatenate([q, cut]), along, turn, moved)
