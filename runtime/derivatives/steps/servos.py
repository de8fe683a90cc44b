"""Forces of servos in a step, and their rates by the state and by their targets (mathematics §13, §14)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arguments import Array
from ...kinds import KINDS
from ...model.model import Model
from ...stepping.given.servos import Servos
from ..cut import Joints
from ..linear import resting
from ..offsets import offset_rates
from ..pieces import fill


@dataclass(frozen=True)
class Asked:
    """What each of k servos asks for without its limit (k), less `rate` (k) times the acceleration of its entry; rates
    by q and v (k, nv), and by the targets' positions on their tangent space (k, k). Zero of what is not connected."""

    force: Array
    rate: Array
    by_q: Array
    by_v: Array
    by_position: Array


class Pull:
    """The law kp e + kd (v* − v) of all servos at their first targets."""

    def __init__(self, model: Model, servos: Servos, active: Array) -> None:
        self._model, self._servos, self._on = model, servos, active[servos.dof].astype(np.float64)
        n = servos.width
        target = np.reshape(servos.targets(0, 1, 0.0), (-1,)) if n else np.zeros(0)
        self._position, self._velocity, self._goal = target[:n], target[n : 2 * n], target[2 * n :]

    @property
    def gains(self) -> tuple[Array, Array]:
        """(k) each: kp and kd, 0 of what is not connected."""
        return self._on * self._servos.kp, self._on * self._servos.kd

    def at(self, joints: Joints, v: Array, end: float) -> Asked:
        """There and at v, or at the end of a step of `end` [s] from there. ModelError half a turn off a target."""
        dof, (kp, kd) = self._servos.dof, self.gains
        u, by_v = resting(self._model, end, v)
        u, by_v = np.concatenate([u, joints.C @ v])[dof], np.vstack([by_v, joints.C])[dof]
        off, by_motion, by_position = self._off(joints.q, len(joints.along))
        rate = kd + end * kp
        by_q = kp[:, None] * (by_motion @ joints.along)
        if len(joints.turn):
            by_q -= rate[:, None] * joints.turning(v)[dof]
        return Asked(
            kp * (off - end * u) + kd * (self._velocity - u),
            end * rate,
            by_q,
            -rate[:, None] * by_v,
            kp[:, None] * by_position,
        )

    def _off(self, q: Array, n: int) -> tuple[Array, Array, Array]:
        """(k) by what joints are off their targets, and its rates by motions of all entries (k, n) and by the targets
        (k, k)."""
        servos, k = self._servos, self._servos.width
        off, by_q, by_position = self._position - q[servos.place], np.zeros((k, n)), np.eye(k)
        by_q[range(k), servos.dof] = -1.0
        if not servos.grouped:
            return off, by_q, by_position
        place_and_turn = self._offset(q, n)
        for part in servos.parts:
            group = KINDS[part.spec.kind].group
            if group:
                own = list(range(part.columns.start, part.columns.stop))
                dofs = slice(part.spec.v_start, part.spec.v_start + part.spec.nv)
                off[own] = place_and_turn[dofs]
                half = f"the servo of joint '{part.spec.name}' is half a turn off its target: there the step has a kink"
                by_q[own, dofs], by_position[np.ix_(own, own)] = offset_rates(group, off[own], half)
        return off, by_q, by_position

    def _offset(self, q: Array, n: int) -> Array:
        """(n) of joints whose coordinates do not add."""
        model, nq, nv, found = self._model, self._model.nq, self._model.nv, np.zeros(n)
        fill(model, "offset", [q[:nq], self._goal[:nq]], [found[:nv]], parametric=False)
        if n > nv:
            fill(model, "cut_offset", [q[nq:], self._goal[nq:]], [found[nv:]], parametric=False)
        return found
