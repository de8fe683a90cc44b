"""Accelerations in a step under all that acts there, and their rates by state, torques, targets, parameters (§14)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arguments import Array
from ...errors import ModelError
from ...model.model import Model
from ...stepping.given.servos import Servos
from ..cut import CutJoints, Joints, Kernels
from ..passive import Passive
from ..rows import Load, Moving, Rows
from .servos import Asked, Pull
from .spin import Spin

AGAIN = 30
"""Passes in which servos go to their limits or come off them."""


@dataclass(frozen=True)
class Late:
    """What acts along the velocities w of all n joints' entries at the end of a step: `force` (n) less `rate` (n) times
    their accelerations; `slope` (n): of `rate` by w."""

    force: Array
    rate: Array
    slope: Array

    def rates(self, joints: Joints, x: Moving, a: Array) -> Array:
        """(nv, columns) of alongᵀ (force − rate ∘ along a), as joints that close loops turn and `rate` follows w."""
        if not len(joints.turn):
            return np.zeros_like(x.dq)
        faster, sway = joints.along @ a, joints.turning(x.v) @ x.dq + joints.along @ x.dv
        pushed = (self.slope * faster)[:, None] * sway + self.rate[:, None] * (joints.turning(a) @ x.dq)
        change: Array = joints.pulling(self.force - self.rate * faster) @ x.dq - joints.along.T @ pushed
        return change


class Law:
    """Accelerations under joint torques, springs, dampers, friction and servos, and their rates.

    Columns of rates: independent coordinates and velocities (nf each), tau (nv), servos' positions and velocities
    (k each), parameters. `near`: coordinates of joints that close loops, with their turns.
    """

    def __init__(
        self, model: Model, tau: Array, servos: Servos, rows: Rows, leaders: tuple[int, ...], dt: float, near: Array
    ) -> None:
        self.model, self.tau, self.servos, self.rows, self.leaders, self.dt = model, tau, servos, rows, leaders, dt
        self.spin = Spin(model, dt)
        self.columns = 2 * len(leaders) + model.nv + 2 * servos.width + len(rows.places)
        self.cut, self.passive = CutJoints(model, near), Passive(model)
        self.pull = Pull(model, servos, self.cut.active)

    def start(self, q: Array, v: Array) -> Moving:
        return self.rows.begin(q, v, self.leaders, self.columns)

    def accelerated(self, x: Moving, end: float, load: Load | None = None) -> tuple[Array, Array, Array]:
        """a (nv), its rates, modes of the servos; `end`: of the step at whose end dampers and servos act, or 0; `load`:
        what acts besides.

        (M + end D) a = τ + f − h with D of dampers, friction and servos, and what the loops add.
        """
        modes = np.zeros(self.servos.width)
        for _ in range(AGAIN):
            a, rates, asked = self._with(x, end, modes, load)
            limit = self.servos.limit
            wanted = np.where(asked > limit, 1.0, np.where(asked < -limit, -1.0, 0.0))
            if np.array_equal(wanted, modes):
                self._require_smooth(asked)
                return a, rates, modes
            modes = wanted
        raise ModelError(f"model '{self.model.name}': servos go to their limits and come off them in turn in this step")

    def _require_smooth(self, asked: Array) -> None:
        limit = self.servos.limit
        finite = np.isfinite(limit)
        close = finite & (np.abs(np.abs(asked) - np.where(finite, limit, 0.0)) <= 1e-9 * np.where(finite, limit, 1.0))
        if close.any():
            names = [part.spec.name for part in self.servos.parts for _ in range(part.spec.nv)]
            name = names[int(np.argmax(close))]
            raise ModelError(f"the servo of joint '{name}' just reaches its limit: there the step has a kink")

    def _with(self, x: Moving, end: float, modes: Array, load: Load | None) -> tuple[Array, Array, Array]:
        """With servos at their limits as `modes` says; and what each servo asks for."""
        model, free, joints = self.model, modes == 0.0, self.cut.at(x.q)
        pull = self.pull.at(joints, x.v, end)
        D, dD = model.kernel("damping_terms")(x.q, x.v)
        f = self.tau + joints.along.T @ self.passive.force(joints.q, joints.along @ x.v)
        spun = self.spin.added(x.v, f) if end else np.zeros(model.nv)
        change = self._given_rates(joints, x, f, end)
        late = self._late(joints, x.v, end, modes, pull)
        f += joints.along.T @ late.force
        if load:
            f, change = f + load.force, change + load.rate
        added = np.diag(end * D) + joints.along.T @ (late.rate[:, None] * joints.along)
        h, M = model.bias(x.q, x.v), model.mass_matrix(x.q)
        a, rates = self.rows.answer(x, M + added, f + spun - h)
        change += late.rates(joints, x, a)
        change += joints.along[self.servos.dof].T @ np.where(free[:, None], self._servo_rates(x, pull), 0.0)
        dID_dq, dID_dv, _ = model.inverse_dynamics_derivatives(x.q, x.v, a)
        change -= dID_dq @ x.dq + dID_dv @ x.dv + (end * dD * a)[:, None] * x.dv

        def left(kernel: Kernels) -> Array:
            """ID + end D a."""
            standing: Array = kernel("inverse_dynamics")(x.q, x.v, a) + end * kernel("damping_terms")(x.q, x.v)[0] * a
            return standing

        change[:, self._other :] -= self.rows.by_parameters(left)
        if len(joints.turn):
            change[:, self._other :] += self.rows.by_values(lambda values: self._standing(x, end, modes, a, values))
        return a, rates(change), pull.force - pull.rate * (joints.along @ a)[self.servos.dof]

    def _late(
        self, joints: Joints, v: Array, end: float, modes: Array, pull: Asked, values: Array | None = None
    ) -> Late:
        """What servos exert and, of joints that close loops, dampers and friction add to M where they act at the end of
        a step."""
        count, dof, free = len(joints.along), self.servos.dof, modes == 0.0
        force, rate, slope = np.zeros(count), np.zeros(count), np.zeros(count)
        force[dof] = np.where(free, pull.force, modes * np.where(free, 0.0, self.servos.limit))
        rate[dof] = np.where(free, pull.rate, 0.0)
        if end and len(joints.C):
            nv, w = self.model.nv, joints.along @ v
            rate[nv:] += end * self.passive.damping(w, values)[nv:]
            slope[nv:] = end * self.passive.slopes(w)[0][nv:] if values is None else 0.0
        return Late(force, rate, slope)

    def _standing(self, x: Moving, end: float, modes: Array, a: Array, values: Array) -> Array:
        """(nv) the same as torques under acceleration a, with other parameters."""
        joints = self._resting(x.q, values)
        late = self._late(joints, x.v, end, modes, self.pull.at(joints, x.v, end), values)
        standing: Array = joints.along.T @ (late.force - late.rate * (joints.along @ a))
        return standing

    def _passive(self, x: Moving, values: Array) -> Array:
        """(nv) springs, dampers and friction, with other parameters."""
        joints = self._resting(x.q, values)
        found: Array = joints.along.T @ self.passive.force(joints.q, joints.along @ x.v, values)
        return found

    def _resting(self, q: Array, values: Array) -> Joints:
        """All joints at q, with other parameters, and no rates."""
        if len(self.cut.active) == self.model.nv:
            return Joints(q, np.eye(self.model.nv), np.zeros((0, 0, 0)), np.zeros((0, 0)))
        return self.cut.resting(q, self.rows.kernels(values), np.zeros((0, 0, 0)), np.zeros((0, 0)))

    def centred(self, x: Moving, a: Array, da: Array) -> tuple[Array, Array]:
        """The acceleration a of a semi-implicit step, with its rates, so that mass centres of bodies that fly by
        themselves move as they were given."""
        change = self.spin.centred_rates(x, a, da)
        change[:, self._other :] += self.rows.by_values(lambda values: self.spin.centred(x.v, a, values))
        return self.spin.centred(x.v, a), change

    def jump(self, x: Moving, impulse: Load) -> tuple[Array, Array]:
        """u (nv) with M u = impulse + Kᵀλ and K u = 0, by which an impulse changes the velocity, and its rates."""
        still = np.zeros(self.model.nv)
        at = Moving(x.q, still, x.dq, np.zeros_like(x.dq))
        u, rates = Rows.answer(self.rows, at, self.model.mass_matrix(x.q), impulse.force)

        def left(kernel: Kernels) -> Array:
            standing: Array = kernel("inverse_dynamics")(x.q, still, u) - kernel("inverse_dynamics")(x.q, still, still)
            return standing

        by_q, weighed = (self.model.inverse_dynamics_derivatives(x.q, still, a).dtau_dq for a in (u, still))
        change = impulse.rate - (by_q - weighed) @ x.dq
        change[:, self._other :] -= self.rows.by_parameters(left)
        return u, rates(change)

    @property
    def _other(self) -> int:
        """The first column of parameters."""
        return self.columns - len(self.rows.places)

    def _given_rates(self, joints: Joints, x: Moving, f: Array, end: float) -> Array:
        """(nv, columns) of torques, springs, dampers and friction, f, and what spin adds to them."""
        model, first = self.model, 2 * len(self.leaders)
        by_q, by_v = self.passive.rates(joints, x.v)
        change = by_q @ x.dq + by_v @ x.dv
        change[:, first : first + model.nv] += np.eye(model.nv)
        change[:, self._other :] += self.rows.by_values(lambda values: self._passive(x, values))
        if end:
            spin_by_v, spin_by_f = self.spin.rates(x.v, f)
            change += spin_by_f @ change + spin_by_v @ x.dv
            change[:, self._other :] += self.rows.by_values(lambda values: self.spin.added(x.v, f, values))
        return change

    def _servo_rates(self, x: Moving, pull: Asked) -> Array:
        """(k, columns) of what servos ask for."""
        n, first = self.servos.width, 2 * len(self.leaders) + self.model.nv
        change: Array = pull.by_q @ x.dq + pull.by_v @ x.dv
        change[:, first : first + n] += pull.by_position
        change[:, first + n : first + 2 * n] += np.diag(self.pull.gains[1])
        return change
