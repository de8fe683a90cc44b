"""The integrators of a step, with the rates of all that they compute."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arguments import Array
from ...kinds import KINDS
from ...model.model import Model
from ...rotations import rotated, skew
from ..linear import bracket, held, turned
from ..rows import Moving, Way
from .law import Law


@dataclass(frozen=True)
class Ends(Moving):
    """State after the step; `modes` (k): 1 or -1 for servos at their limits."""

    modes: Array


def semi_implicit(law: Law, q: Array, v: Array) -> Ends:
    """v' = v + dt a, q' = q ⊕ dt v'; where an origin moves with turning axes, v is advanced along resting ones."""
    model, dt, x = law.model, law.dt, law.start(q, v)
    given, rates, modes = law.accelerated(x, dt)
    a, da = law.centred(x, given, rates)
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
    return _settled(law, Moving(rest, end, moved, dend), modes)


def _settled(law: Law, x: Moving, modes: Array) -> Ends:
    back = law.rows.end(x)
    return Ends(back.q, back.v, back.dq, back.dv, modes)


def _flight(x: Moving, part: slice, a: Array, da: Array, dt: float) -> tuple[Array, ...]:
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
    E, by_turn, _ = held(-dt * skew(w), np.eye(3), np.zeros(3), 1.0)
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
        found[:3] = q[:3] + rotated(q[3:], way)
    return found


def runge_kutta(law: Law, q: Array, v: Array) -> Ends:
    """The classical method in the coordinates u of the motion from q: its stages, their rates, and their sum."""
    model, dt, still = law.model, law.dt, np.zeros(law.model.nv)
    x, acting = law.rows.act(law, law.start(q, v))
    begin = Way(still, x.v, np.zeros_like(x.dq), x.dv)
    a, da, modes = law.accelerated(x, 0.0, acting.load(begin, x))
    k, dk = x.v, x.dv
    sums = [k.copy(), dk.copy(), a.copy(), da.copy()]
    for n in range(1, 4):
        weight, step = (2.0, 0.5 * dt) if n < 3 else (1.0, dt)
        u, du = step * k, step * dk
        carried, by_u = turned(model, u)
        way = Way(u, x.v + step * a, du, x.dv + step * da)
        at = law.rows.stage(Moving(model.integrate(q, u), way.v, carried @ x.dq + by_u @ du, way.dv))
        a, da, more = law.accelerated(at, 0.0, acting.load(way, at))
        modes = np.where(modes == 0.0, more, modes)
        k, dk = _rate(model, u, du, at.v, at.dv)
        for total, part in zip(sums, (k, dk, a, da), strict=True):
            total += weight * part
    u, du, gained, dgained = (dt / 6.0 * total for total in sums)
    way = acting.meet(law, Way(u, x.v + gained, du, x.dv + dgained))
    carried, by_u = turned(model, way.u)
    end = Moving(model.integrate(q, way.u), way.v, carried @ x.dq + by_u @ way.du, way.dv)
    return _settled(law, end, modes)


def _rate(model: Model, u: Array, du: Array, v: Array, dv: Array) -> tuple[Array, Array]:
    """k = v + ½ [u, v] + 1/12 [u, [u, v]] and its rates."""
    ad = bracket(model, u)
    x = ad @ v
    dx = ad @ dv - bracket(model, v) @ du
    dy = ad @ dx - bracket(model, x) @ du
    return v + 0.5 * x + ad @ x / 12.0, dv + 0.5 * dx + dy / 12.0
