"""Derivatives of one step of a simulation on the tangent space: the chain rule through what it computes (§14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array, as_number
from ..contact.contacts import ContactOptions
from ..errors import ModelError, shown
from ..kinds import KINDS
from ..lookup import near
from ..model.model import Model
from ..module.kernel import Kernel
from ..simulation.given.servos import Servo, Servos
from ..simulation.simulator import Simulator
from ..typed import typed
from .linear import bracket, held, turned
from .passive import WEIGHTS, passive_derivatives

SAME = 1e-9
"""Part by which the formulas and the step itself may differ."""

REASONS = {
    "semi_implicit": "a joint is at its limit (limits=False leaves limits out), has dry friction that sticks or a "
    "given motion; or links turn by more than 0.03 rad in it, or a link flies by itself: take a shorter dt, or rk4",
    "rk4": "a joint is at its limit (limits=False leaves limits out), has dry friction that sticks or a given motion",
}
"""What a step may consist of besides, by integrator."""

AGAIN = 30
"""Passes in which servos go to their limits or come off them."""


@dataclass(frozen=True)
class StepDerivatives:
    """State after one step, per what it began with; n = 2 nv: [q; v], q on the tangent space at either end.

    `A` (n, n) by the state; `B` (n, nv) by the torques tau; `targets` (n, 2 k) by positions, then velocities that the
    servos go for; `by_parameter` (n, number) by run-time parameters. `q` (nq), `v` (nv): the state after the step.
    `at_limit`: joints whose servos give their limit, and so do not feel small changes.
    """

    A: Array
    B: Array
    targets: Array
    by_parameter: Array
    q: Array
    v: Array
    at_limit: tuple[str, ...]


@typed
def step_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    *,
    dt: float = 1e-3,
    integrator: str = "semi_implicit",
    servos: Mapping[str, Servo] | None = None,
    parameters: Sequence[str] = (),
    contacts: bool | ContactOptions | None = None,
    limits: bool = True,
) -> StepDerivatives:
    """Of the step that `Simulator(model, dt=..., q=q, v=v, tau=tau, servos=servos, ...)` makes first, at t = 0.

    q (nq), v (nv), tau (nv; zero if not given). Springs, dampers, friction and servos act as they do in the step: by
    semi-implicit Euler dampers and servos at its end. A column of q' or q: the rate along `integrate`.

    ModelError, with the reason, where the step is more than these smooth parts: where something touches or a joint is
    at its limit, in mechanisms with loops, for joints whose motion is given, for links that turn by more than 0.03 rad
    in a semi-implicit step or that fly by themselves; and where a servo just reaches its limit, where the step has a
    kink.
    """
    start = (
        as_array("q", q, (model.nq,), batch=False),
        as_array("v", v, (model.nv,), batch=False),
        np.zeros(model.nv) if tau is None else as_array("tau", tau, (model.nv,), batch=False),
    )
    if model.manifest.loops:
        raise ModelError(
            f"model '{model.name}' has loops: derivatives of a step are there for trees; "
            "kg.linearize(model, ..., dt=dt) is the linear model over a step in independent coordinates"
        )
    step = as_number("dt", dt, positive=True)
    real = Simulator(
        model,
        dt=step,
        integrator=integrator,
        q=start[0],
        v=start[1],
        tau=start[2],
        servos=servos,
        contacts=contacts,
        limits=limits,
    )
    law = _Law(model, start[2], Servos(model, servos, 0), _places(model, servos, parameters), step)
    found = (_semi_implicit if integrator == "semi_implicit" else _runge_kutta)(law, start[0], start[1])
    real.step()
    _require_same(model, real, found, integrator, contacts is not False)
    by, nv, width = np.vstack([found.dq, found.dv]), model.nv, 2 * law.servos.width
    A, B, targets, by_parameter = np.split(by, np.cumsum([2 * nv, nv, width]), axis=1)
    names = [part.spec.name for part in law.servos.parts for _ in range(part.spec.nv)]
    at_limit = dict.fromkeys(name for name, mode in zip(names, found.modes, strict=True) if mode)
    return StepDerivatives(A, B, targets, by_parameter, found.q, found.v, tuple(at_limit))


def _places(model: Model, servos: Mapping[str, Servo] | None, names: Sequence[str]) -> tuple[int, ...]:
    """Of parameters among the model's. ModelError for one that there is not, and for one that is a servo's gain."""
    known = list(model.parameters)
    for name in names:
        if name not in known:
            raise ModelError(f"parameters: model '{model.name}' has no parameter {shown(name)}{near(name, known)}")
        if any(name in (servo.kp, servo.kd, servo.limit) for servo in (servos or {}).values()):
            raise ModelError(
                f"parameters: {shown(name)} is a servo's gain or limit, by which nothing is differentiated"
            )
    return tuple(known.index(name) for name in names)


def _require_same(model: Model, real: Simulator, found: _Ends, integrator: str, touching: bool) -> None:
    """ModelError, with the reason, where the step was not what was differentiated."""
    rows = len(real.contacts) if touching and model.manifest.touching else 0
    missed = max(
        np.abs(model.difference(real.q, found.q)).max(initial=0.0),
        np.abs(real.v - found.v).max(initial=0.0) / (1.0 + np.abs(found.v).max(initial=0.0)),
    )
    if not rows and missed <= SAME:
        return
    why = f"{rows} points touch in it (contacts=False leaves them out)" if rows else REASONS[integrator]
    raise ModelError(f"model '{model.name}': this step has no derivatives here: {why}")


@dataclass(frozen=True)
class _Moving:
    """A state (or an acceleration) with its rates by all that is asked for: dq on the tangent space at q."""

    q: Array
    v: Array
    dq: Array
    dv: Array


@dataclass(frozen=True)
class _Ends(_Moving):
    """State after the step; `modes` (k): 1 or -1 for servos at their limits."""

    modes: Array


class _Law:
    """Accelerations under joint torques, springs, dampers, friction and servos, and their rates.

    Columns of rates: q (nv), v (nv), tau (nv), servos' positions and velocities (k each), parameters.
    """

    def __init__(self, model: Model, tau: Array, servos: Servos, places: tuple[int, ...], dt: float) -> None:
        self.model, self.tau, self.servos, self.places, self.dt = model, tau, servos, places, dt
        self.columns = 3 * model.nv + 2 * servos.width + len(places)
        target = np.reshape(servos.targets(0, 1, 0.0), (-1,)) if servos.width else np.zeros(0)
        self.position, self.velocity = target[: servos.width], target[servos.width :]

    def start(self, q: Array, v: Array) -> _Moving:
        still, nv = np.zeros((self.model.nv, self.columns)), self.model.nv
        dq, dv = still.copy(), still.copy()
        dq[:, :nv] = dv[:, nv : 2 * nv] = np.eye(nv)
        return _Moving(q, v, dq, dv)

    def accelerated(self, x: _Moving, end: float) -> tuple[Array, Array, Array]:
        """a (nv), its rates, modes of the servos; `end`: of the step at whose end dampers and servos act, or 0.

        (M + end D) a = τ + f − h with D of dampers, friction and servos.
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

    def _with(self, x: _Moving, end: float, modes: Array) -> tuple[Array, Array, Array]:
        """With servos at their limits as `modes` says; and what each servo asks for."""
        model, nv, n = self.model, self.model.nv, self.servos.width
        kp, kd, dof = self.servos.kp, self.servos.kd, self.servos.dof
        free = modes == 0.0
        D, dD = model.kernel("damping_terms")(x.q, x.v)
        f = self.tau + model.passive_forces(x.q, x.v)
        shift = self.position - x.q[self.servos.place] - end * x.v[dof]
        ask = kp * shift + kd * (self.velocity - x.v[dof])
        f[dof] += np.where(free, ask, modes * np.where(free, 0.0, self.servos.limit))
        d = end * D
        d[dof] += np.where(free, end * (kd + end * kp), 0.0)
        h, M = model.bias(x.q, x.v), model.mass_matrix(x.q)
        Y = np.linalg.inv(M + np.diag(d))
        a = Y @ (f - h)
        dID_dq, dID_dv, _ = model.inverse_dynamics_derivatives(x.q, x.v, a)
        by_q, by_v = passive_derivatives(model, x.q, x.v)
        by_q, by_v = by_q - dID_dq, by_v - dID_dv - np.diag(end * dD * a)
        by_q[dof, dof] -= np.where(free, kp, 0.0)
        by_v[dof, dof] -= np.where(free, kd + end * kp, 0.0)
        change = by_q @ x.dq + by_v @ x.dv
        change[:, 2 * nv : 3 * nv] += np.eye(nv)
        change[dof, 3 * nv + np.arange(n)] += np.where(free, kp, 0.0)
        change[dof, 3 * nv + n + np.arange(n)] += np.where(free, kd, 0.0)
        for column, place in enumerate(self.places, 3 * nv + 2 * n):
            change[:, column] -= self._by_parameter(place, x, a, end)
        asked = ask - end * (kd + end * kp) * a[dof]
        return a, Y @ change, asked

    def _by_parameter(self, place: int, x: _Moving, a: Array, end: float) -> Array:
        """(nv) of what stands left of τ: differences of order eight leave rounding, as in `passive_derivatives`."""
        values = self.model.parameter_values()
        h = 1e-2 * max(abs(values[place]), 1e-2)
        total = np.zeros(self.model.nv)
        for k, weight in enumerate(WEIGHTS, 1):
            for sign in (1, -1):
                moved = values.copy()
                moved[place] += sign * k * h
                total += sign * weight / h * self._left(moved, x, a, end)
        return total

    def _left(self, values: Array, x: _Moving, a: Array, end: float) -> Array:
        """ID − f + end D a with these parameters."""

        def kernel(name: str) -> Kernel:
            module = self.model.module.having(name)
            return Kernel(module, module.manifest.kernel(name), values)

        passive = kernel("passive_forces")(x.q, x.v)
        left: Array = kernel("inverse_dynamics")(x.q, x.v, a) - passive + end * kernel("damping_terms")(x.q, x.v)[0] * a
        return left


def _semi_implicit(law: _Law, q: Array, v: Array) -> _Ends:
    """v' = v + dt a, q' = q ⊕ dt v'; where an origin moves with turning axes, v is advanced along resting ones."""
    model, dt, x = law.model, law.dt, law.start(q, v)
    a, da, modes = law.accelerated(x, dt)
    speed, dspeed = v + dt * a, x.dv + dt * da
    carried, by_u = turned(model, dt * speed)
    moved, end, dend = carried @ x.dq + by_u @ (dt * dspeed), speed.copy(), dspeed.copy()
    rest = model.integrate(q, dt * speed)
    for joint in model.manifest.joints:
        part = slice(joint.v_start, joint.v_start + joint.nv)
        if joint.nv and KINDS[joint.kind].group in ("se2", "se3"):
            flight = _flight(x, part, a[part], da[part], dt)
            _, flown, end[part], moved[part], dend[part] = flight
            at = slice(joint.q_start, joint.q_start + joint.nq)
            rest[at] = _placed(joint.kind, q[at], rest[at], flown)
    return _Ends(rest, end, moved, dend, modes)


def _flight(x: _Moving, part: slice, a: Array, da: Array, dt: float) -> tuple[Array, ...]:
    """A free or planar joint: how it turns (3), its way in axes of q (3), v' and the rates of q' and v'.

    u = v + dt (a + ω × v), p' = p + dt R u, R' = R exp(dt ω'), v' = R'ᵀ R u.
    """
    flat = part.stop - part.start == 3
    rows = [0, 1, 5] if flat else list(range(6))

    def whole(values: Array) -> Array:
        found = np.zeros((6, *values.shape[1:]))
        found[rows] = values
        return found

    V, A, dV, dA, dq = whole(x.v[part]), whole(a), whole(x.dv[part]), whole(da), whole(x.dq[part])
    u, w = V[:3] + dt * (A[:3] + np.cross(V[3:], V[:3])), V[3:] + dt * A[3:]
    turning = np.cross(dV[3:], V[:3, None], axis=0) + np.cross(V[3:, None], dV[:3], axis=0)
    du, dw = dV[:3] + dt * (dA[:3] + turning), dV[3:] + dt * dA[3:]
    E, by_turn, _ = held(-dt * _cross(w), np.eye(3), np.zeros(3), 1.0)
    turned = by_turn @ (dt * dw)
    speed = E @ u
    moved = np.vstack([E @ (dq[:3] + dt * (np.cross(dq[3:], u[:, None], axis=0) + du)), E @ dq[3:] + turned])
    faster = np.vstack([E @ du + np.cross(speed[:, None], turned, axis=0), dw])
    return dt * w, dt * u, np.concatenate([speed, w])[rows], moved[rows], faster[rows]


def _placed(kind: str, q: Array, moved: Array, way: Array) -> Array:
    """q' of a free or planar joint: turned as `moved`, its origin gone by `way` in the axes of q."""
    found = moved.copy()
    if KINDS[kind].group == "se2":
        found[:2] = q[:2] + np.array([[q[2], -q[3]], [q[3], q[2]]]) @ way[:2]
    else:
        e, w = q[3:6], q[6]
        found[:3] = q[:3] + way + 2.0 * np.cross(e, np.cross(e, way) + w * way)
    return found


def _cross(w: Array) -> Array:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def _runge_kutta(law: _Law, q: Array, v: Array) -> _Ends:
    """The classical method in the coordinates u of the motion from q: its stages, their rates, and their sum."""
    model, dt, x = law.model, law.dt, law.start(q, v)
    a, da, modes = law.accelerated(x, 0.0)
    k, dk = v, x.dv
    sums = [k.copy(), dk.copy(), a.copy(), da.copy()]
    for n in range(1, 4):
        weight, step = (2.0, 0.5 * dt) if n < 3 else (1.0, dt)
        u, du = step * k, step * dk
        carried, by_u = turned(model, u)
        at = _Moving(model.integrate(q, u), v + step * a, carried @ x.dq + by_u @ du, x.dv + step * da)
        a, da, more = law.accelerated(at, 0.0)
        modes = np.where(modes == 0.0, more, modes)
        k, dk = _rate(model, u, du, at.v, at.dv)
        for total, part in zip(sums, (k, dk, a, da), strict=True):
            total += weight * part
    u, du, gained, dgained = (dt / 6.0 * total for total in sums)
    carried, by_u = turned(model, u)
    end = replace(x, q=model.integrate(q, u), v=v + gained, dq=carried @ x.dq + by_u @ du, dv=x.dv + dgained)
    return _Ends(end.q, end.v, end.dq, end.dv, modes)


def _rate(model: Model, u: Array, du: Array, v: Array, dv: Array) -> tuple[Array, Array]:
    """k = v + ½ [u, v] + 1/12 [u, [u, v]] and its rates."""
    ad = bracket(model, u)
    x = ad @ v
    dx = ad @ dv - bracket(model, v) @ du
    dy = ad @ dx - bracket(model, x) @ du
    return v + 0.5 * x + ad @ x / 12.0, dv + 0.5 * dx + dy / 12.0
