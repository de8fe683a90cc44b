"""Motion over time of a compiled model: n steps in one C call, results as a `Trajectory`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array, as_count, as_number
from ..contact.contacts import ContactOptions, Contacts
from ..contact.rows import RowForce
from ..contact.state import contact_state
from ..errors import ModelError
from ..model.model import Model
from ..module.kernel import require_unit
from ..progress import Report, reporter
from .closed_stepper import ClosedStepper
from .contact_stepper import ContactStepper
from .drive import Controller, Drive, Torques
from .recorder import Recorder
from .stepper import Stepper
from .trajectory import SimulationError, Trajectory

CHUNK = 256
"""Steps in one C call: few enough to answer Ctrl-C at once, many enough that the call costs nothing."""


@dataclass(frozen=True)
class State:
    """A moment to return to: t [s], steps done, q (nq), v (nv), and what closed loops remember.

    In a mechanism whose structure changes also the time into the step [s], and what is still to happen.
    """

    t: float
    steps: int
    q: Array
    v: Array
    loops: bytes = b""
    within: float = 0.0
    agenda: Any = None


class Simulator:
    """Steps a model from q, v at t = 0 with a fixed `dt` [s].

    `integrator`: "semi_implicit" (Euler; dampers and friction implicit, stable at any damping) or "rk4" (Runge-Kutta 4;
    everything explicit, smooth friction wants steps well below 0.001 (rad/s or m/s) inertia / friction).
    `q` (nq) defaults to `model.q0`, `v` (nv) to rest; layouts as in `Model`, quaternions [x y z w].
    `tau`: torques of all joints (nv), or a row per step (n, nv), or by joint {"knee": 3.0} with a number, (nv_j) or a
    row per step for each, which is how cut joints are driven; or a function tau(t, q, v) that gives (nv) or torques by
    joint, asked before every step and held through it. Springs, dampers and friction of the joints are added.
    `limits`: joints with one axis or two stop at their limits, without bouncing, cut joints and connections too (while
    they are active); a coordinate beyond one comes back at most at 1 rad/s or m/s.
    Closed loops: q is assembled (with a warning if it was open), the dependent entries of v follow; every state stays
    closed within 1e-10 m or rad. `ClosureWarning` names loop and joint near a singular configuration.
    `contacts`: shapes touch (rigid contact, Coulomb friction) by default where the model was
    compiled with shapes that may; False leaves contact out, `ContactOptions` tune it.
    """

    def __init__(
        self,
        model: Model,
        *,
        dt: float = 1e-3,
        integrator: str = "semi_implicit",
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        tau: Torques | Controller | None = None,
        contacts: bool | ContactOptions | None = None,
        active: Collection[str] | None = None,
        limits: bool = True,
    ) -> None:
        if not isinstance(model, Model):
            raise ModelError(
                f"model: expected a compiled Model, got {type(model).__name__}; compile the mechanism first"
            )
        if active:
            raise ModelError(
                f"active: model '{model.name}' has no connections, got {sorted(active)}; leave active=None"
            )
        self._model = model
        self._dt = as_number("dt", dt, positive=True)
        self._stepper = _stepper(model, integrator, self._dt, limits, contacts)
        self._q = self._checked_q(model.q0 if q is None else q)
        self._v = as_array("v", np.zeros(model.nv) if v is None else v, (model.nv,), batch=False).copy()
        self._stepper.place(self._q, self._v)
        self._t0, self._steps = 0.0, 0
        self._drive = Drive(model, tau, 0)

    @property
    def model(self) -> Model:
        return self._model

    @property
    def dt(self) -> float:
        """Length of a step [s]."""
        return self._dt

    @property
    def t(self) -> float:
        """Time [s]: steps × dt, so that it does not drift."""
        return self._t0 + self._steps * self._dt

    @property
    def q(self) -> Array:
        """(nq) configuration, a copy; may be assigned."""
        return self._q.copy()

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self._q = self._checked_q(value)
        self._stepper.place(self._q, self._v)

    @property
    def v(self) -> Array:
        """(nv) velocity, a copy; may be assigned."""
        return self._v.copy()

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._v = as_array("v", value, (self._model.nv,), batch=False).copy()
        self._stepper.place(self._q, self._v)

    @property
    def tau(self) -> Any:
        """What drives the joints; may be assigned, rows then count from the present step."""
        return self._drive.given

    @tau.setter
    def tau(self, value: Torques | Controller | None) -> None:
        self._drive = Drive(self._model, value, self._steps)

    @property
    def contacts(self) -> Contacts:
        """Contacts of the last step: points, normals, forces, links."""
        return self._stepper.contacts()

    @property
    def gap(self) -> float:
        """Largest residual of the loops, and of what else was connected, in any state since q was set [m, rad].

        0 in a tree.
        """
        return self._stepper.gap

    @property
    def rows(self) -> tuple[RowForce, ...]:
        """What the rows of the model exerted in the last step, in the order loops, `between`, friction."""
        return self._stepper.rows()

    def step(self, n: int = 1) -> None:
        """n steps. SimulationError if the state stops being finite; it then holds the last finite one."""
        self._advance(as_count("n", n, least=0), 1, None, None)

    def run(self, duration: float, progress: bool | Callable[[float], None] = False, every: int = 1) -> Trajectory:
        """Move on by `duration` [s], rounded to whole steps, and record every `every`-th state, the first and the last.

        `progress`: True for a bar at a terminal (needs rich), or a function that is told the fraction done. Errors are
        those of `step`, with the trajectory so far in their `trajectory`.
        """
        length = as_number("duration", duration)
        if length < 0.0:
            raise ModelError(f"duration: expected a time of at least 0 s, got {duration!r}")
        steps, every = round(length / self._dt), as_count("every", every, least=1)
        recorder = Recorder(self._model)
        with reporter(progress) as report:
            try:
                self._advance(steps, every, recorder, report)
            except SimulationError as error:
                error.trajectory = self._recorded(recorder)
                raise
        return self._recorded(recorder)

    def save(self) -> State:
        """The present moment; `restore` returns to it."""
        return State(self._t0, self._steps, self.q, self.v, self._stepper.save())

    def restore(self, state: State) -> None:
        """Back to a moment that `save` gave."""
        self._q = self._checked_q(state.q)
        self._v = as_array("v", state.v, (self._model.nv,), batch=False).copy()
        self._stepper.restore(state.loops)
        self._t0, self._steps = state.t, state.steps

    def connect(self, *connections: Any, **options: Any) -> Any:
        """Refused: only a TopologyLibrary has connections."""
        raise ModelError(
            f"connect: model '{self._model.name}' has no connections, got {_list(connections)}; simulate a "
            "TopologyLibrary"
        )

    def cut(self, *names: str) -> None:
        """Refused: only a TopologyLibrary has connections."""
        raise ModelError(
            f"cut: model '{self._model.name}' has no connections, got {_list(names)}; simulate a TopologyLibrary"
        )

    def __repr__(self) -> str:
        return f"Simulator({self._model.name!r}, t={self.t:g} s, dt={self._dt:g} s)"

    def _advance(self, steps: int, every: int, recorder: Recorder | None, report: Report | None) -> None:
        """`steps` steps in chunks; of the states they start from, each `every`-th goes to the recorder."""
        done = 0
        while done < steps:
            n = min(self._chunk(done, every), steps - done)
            tau = self._drive.torques(self._steps, n, self.t, self._q, self._v)
            n = len(tau) if tau.ndim == 2 else n
            q, v = self._q.copy(), self._v.copy()
            count, q_log, v_log = self._stepper.advance(self._q, self._v, tau, n, every if n > every else 0)
            if recorder and done % every == 0:
                at = np.arange(0, count, every)
                t = np.asarray(self._t0 + (self._steps + at) * self._dt, dtype=np.float64)
                states = np.vstack([q, q_log])[: at.size], np.vstack([v, v_log])[: at.size]
                recorder.add(t, *states, torque_rows(tau, at))
                recorder.add_contacts(self._stepper.contact_log())
            self._steps += count
            done += count
            if recorder and count:
                recorder.last_tau = torque_rows(tau, np.array([count - 1]))
            if count < n:
                raise self._stepper.failure() or self._diverged()
            if report:
                report(done / steps)

    def _chunk(self, done: int, every: int) -> int:
        """Steps of the next C call: whole intervals between records, or a part of one."""
        if self._drive.asks:
            return 1
        return CHUNK - CHUNK % every if every <= CHUNK else min(CHUNK, every - done % every)

    def _diverged(self) -> SimulationError:
        joint = max(
            (j for j in self._model.manifest.joints if j.nv),
            key=lambda j: float(np.abs(self._v[j.v_start : j.v_start + j.nv]).max()),
        )
        speed = float(np.abs(self._v[joint.v_start : joint.v_start + joint.nv]).max())
        return SimulationError(
            f"the state stops being finite in the step from t = {self.t:g} s; fastest is joint '{joint.name}' with "
            f"{speed:.3g} rad/s or m/s: take a smaller dt (now {self._dt:g} s) or check torques, stiffness and inertias"
        )

    def _recorded(self, recorder: Recorder) -> Trajectory:
        """What was recorded, with the present state at its end."""
        now = np.array([self.t]), self._q[None].copy(), self._v[None].copy(), recorder.last_tau
        recorder.add(*now, self._stepper.structure)
        return recorder.trajectory()

    def _checked_q(self, value: Any) -> Array:
        q = as_array("q", value, (self._model.nq,), batch=False).copy()
        require_unit(self._model.module, "q", q)
        return q


def _stepper(model: Model, integrator: str, dt: float, limits: bool, contacts: bool | ContactOptions | None) -> Stepper:
    state = contact_state(model, contacts)
    if model.manifest.closed:
        return ClosedStepper(model, integrator, dt, limits, state)
    if state is None:
        return Stepper(model, integrator, dt, limits)
    return ContactStepper(model, integrator, dt, limits, state)


def _list(items: Any) -> str:
    return ", ".join(repr(item) for item in items)


def torque_rows(tau: Array, at: Any) -> Array:
    """(k, width) torques of the steps `at`, from one vector or a row per step."""
    return tau[at] if tau.ndim == 2 else np.tile(tau, (at.size, 1))
