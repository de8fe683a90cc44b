"""Accelerations in a step under all that acts there, and their rates by state, torques, targets, parameters (§14)."""

from __future__ import annotations

import numpy as np

from ..arguments import Array
from ..errors import ModelError
from ..model.model import Model
from ..simulation.given.servos import Servos
from .passive import passive_derivatives
from .step_rows import Kernels, Moving, Rows
from .step_spin import Spin

AGAIN = 30
"""Passes in which servos go to their limits or come off them."""


class Law:
    """Accelerations under joint torques, springs, dampers, friction and servos, and their rates.

    Columns of rates: independent coordinates and velocities (nf each), tau (nv), servos' positions and velocities
    (k each), parameters.
    """

    def __init__(
        self, model: Model, tau: Array, servos: Servos, rows: Rows, leaders: tuple[int, ...], dt: float
    ) -> None:
        self.model, self.tau, self.servos, self.rows, self.leaders, self.dt = model, tau, servos, rows, leaders, dt
        self.spin = Spin(model, dt)
        self.columns = 2 * len(leaders) + model.nv + 2 * servos.width + len(rows.places)
        target = np.reshape(servos.targets(0, 1, 0.0), (-1,)) if servos.width else np.zeros(0)
        self.position, self.velocity = target[: servos.width], target[servos.width :]

    def start(self, q: Array, v: Array) -> Moving:
        return self.rows.begin(q, v, self.leaders, self.columns)

    def accelerated(self, x: Moving, end: float) -> tuple[Array, Array, Array]:
        """a (nv), its rates, modes of the servos; `end`: of the step at whose end dampers and servos act, or 0.

        (M + end D) a = τ + f − h with D of dampers, friction and servos, and what the loops add.
        """
        modes = np.zeros(self.servos.width)
        for _ in range(AGAIN):
            a, rates, asked = self._with(x, end, modes)
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

    def _with(self, x: Moving, end: float, modes: Array) -> tuple[Array, Array, Array]:
        """With servos at their limits as `modes` says; and what each servo asks for."""
        model, n, first = self.model, self.servos.width, 2 * len(self.leaders)
        aims = first + model.nv + np.arange(n)
        kp, kd, dof = self.servos.kp, self.servos.kd, self.servos.dof
        free = modes == 0.0
        D, dD = model.kernel("damping_terms")(x.q, x.v)
        f = self.tau + model.passive_forces(x.q, x.v)
        shift = self.position - x.q[self.servos.place] - end * x.v[dof]
        ask = kp * shift + kd * (self.velocity - x.v[dof])
        f[dof] += np.where(free, ask, modes * np.where(free, 0.0, self.servos.limit))
        d = end * D
        d[dof] += np.where(free, end * (kd + end * kp), 0.0)
        spun = self.spin.added(x.v, f) if end else np.zeros(model.nv)
        h, M = model.bias(x.q, x.v), model.mass_matrix(x.q)
        a, rates = self.rows.answer(x, M + np.diag(d), f + spun - h)
        by_q, by_v = passive_derivatives(model, x.q, x.v)
        by_q[dof, dof] -= np.where(free, kp, 0.0)
        by_v[dof, dof] -= np.where(free, kd + end * kp, 0.0)
        change = by_q @ x.dq + by_v @ x.dv
        change[:, first : first + model.nv] += np.eye(model.nv)
        change[dof, aims] += np.where(free, kp, 0.0)
        change[dof, aims + n] += np.where(free, kd, 0.0)
        other = self.columns - len(self.rows.places)
        change[:, other:] += self.rows.by_parameters(lambda kernel: kernel("passive_forces")(x.q, x.v))
        if end:
            spin_by_v, spin_by_f = self.spin.rates(x.v, f)
            change += spin_by_f @ change + spin_by_v @ x.dv
            change[:, other:] += self.rows.by_values(lambda values: self.spin.added(x.v, f, values))
        dID_dq, dID_dv, _ = model.inverse_dynamics_derivatives(x.q, x.v, a)
        change -= dID_dq @ x.dq + dID_dv @ x.dv + (end * dD * a)[:, None] * x.dv

        def left(kernel: Kernels) -> Array:
            """ID + end D a."""
            standing: Array = kernel("inverse_dynamics")(x.q, x.v, a) + end * kernel("damping_terms")(x.q, x.v)[0] * a
            return standing

        change[:, other:] -= self.rows.by_parameters(left)
        asked = ask - end * (kd + end * kp) * a[dof]
        return a, rates(change), asked
