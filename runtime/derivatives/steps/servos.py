"""Forces of servos in a step, and their rates by the state and by their targets (mathematics §13, §14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...abi import JointSpec
from ...arguments import Array
from ...errors import ModelError
from ...kinds import KINDS
from ...model.model import Model
from ...simulation.given.servos import Servos
from ..linear import resting, skew
from .cut import Joints

ROWS = {"so3": (3, 4, 5), "se2": (0, 1, 5), "se3": (0, 1, 2, 3, 4, 5)}
"""Which of [place; turn] the velocities of a group are."""

HALF_TURN = np.pi - 1e-6
"""From where on the turn to a target may just as well go the other way."""


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
                by_q[own, dofs], by_position[np.ix_(own, own)] = _rates(part.spec, ROWS[group], off[own])
        return off, by_q, by_position

    def _offset(self, q: Array, n: int) -> Array:
        """(n) of joints whose coordinates do not add."""
        module, nq, nv, found = self._model.module, self._model.nq, self._model.nv, np.zeros(n)
        parts = {"offset": (slice(nq), slice(nv)), "cut_offset": (slice(nq, None), slice(nv, None))}
        for name, (place, entries) in parts.items():
            call: Any = getattr(module.lib, f"{module.manifest.prefix}_{name}", None)
            if call and found[entries].size:
                given = (np.ascontiguousarray(x[place]) for x in (q, self._goal))
                call(*(module.ffi.from_buffer("double[]", x) for x in (*given, found[entries])))
        return found


def _rates(spec: JointSpec, rows: tuple[int, ...], off: Array) -> tuple[Array, Array]:
    """Of e = [d; w], place and turn, by q and by the target:

    δd = d × δθ − δp + exp(w) δp*,    δw = J⁻¹(w)ᵀ δθ* − J⁻¹(w) δθ,    J⁻¹(w) = 1 − ½ [w] + c [w]²
    """
    d, w = np.zeros(3), np.zeros(3)
    for x, row in zip(off, rows, strict=True):
        (d if row < 3 else w)[row % 3] = x
    t = float(np.linalg.norm(w))
    if t > HALF_TURN:
        raise ModelError(f"the servo of joint '{spec.name}' is half a turn off its target: there the step has a kink")
    W = skew(w)
    c = 1.0 / 12.0 + t * t / 720.0 if t < 1e-3 else (1.0 - 0.5 * t / np.tan(0.5 * t)) / t**2
    inverse = np.eye(3) - 0.5 * W + c * W @ W
    turned = np.eye(3) + np.sinc(t / np.pi) * W + 0.5 * np.sinc(0.5 * t / np.pi) ** 2 * W @ W
    still = np.zeros((3, 3))
    by_q, by_target = (
        np.block([[-np.eye(3), skew(d)], [still, -inverse]]),
        np.block([[turned, still], [still, inverse.T]]),
    )
    return by_q[np.ix_(rows, rows)], by_target[np.ix_(rows, rows)]
