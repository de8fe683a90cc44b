"""Functions of a model with their rates per number of each argument: what every bridge offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..abi import CONFIGURATIONS
from ..arguments import Array
from ..derivatives.linear import turned
from ..derivatives.steps.step import step_derivatives
from ..errors import ModelError, in_row
from ..kinds import KINDS
from ..model.derivatives.closed import ClosedDerivatives
from ..model.derivatives.closed_second import ClosedSecondDerivatives
from ..model.model import Model
from ..names.lookup import frames, looked_up, require_placed
from .coordinates import motion_of_q, plain, rates_of_q


@dataclass(frozen=True)
class Smooth:
    """A function of arrays (..., size) by name, and its result (..., *output).

    `value(*arrays)`; `tangent(*arrays)` gives for each argument (..., *output, n): its rate per motion of q on the
    tangent space (n = nv), else per number. `to_q`: the result begins with numbers of q (nq), whose rates
    `tangent` gives on the tangent space there (nv). `twice`: it has second rates, which are defined beside a state too.
    `curve(*arrays)`: (..., *output, N, N), exact second rates by all motions that `tangent` tells of, one after the
    other: first along that of the row, then along that of the column.
    """

    model: Model
    name: str
    inputs: tuple[tuple[str, int], ...]
    output: tuple[int, ...]
    value: Callable[..., Array]
    tangent: Callable[..., tuple[Array, ...]]
    to_q: bool = False
    twice: bool = True
    curve: Callable[..., Array] | None = None
    room: Callable[..., Array] | None = None

    @property
    def width(self) -> int:
        """Numbers of all arguments together."""
        return sum(size for _, size in self.inputs)

    def rates(self, *arrays: Array) -> Array:
        """(..., *output, width): per number of the arguments, one after the other.

        Per number of a quaternion, or of [cos sin]: of the function after they are brought to unit norm.
        """
        manifest = self.model.manifest
        parts = list(self.tangent(*arrays))
        if not plain(manifest):
            if self.to_q:
                parts = [self._in_numbers(part, self.value(*arrays)) for part in parts]
            for i, (name, _) in enumerate(self.inputs):
                if name in CONFIGURATIONS:
                    back = motion_of_q(manifest, arrays[i])
                    parts[i] = parts[i] @ back[(..., *(None,) * (len(self.output) - 1), slice(None), slice(None))]
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
        sizes = (*batch, *self.output)
        return np.concatenate([np.broadcast_to(part, (*sizes, part.shape[-1])) for part in parts], axis=-1)

    def _in_numbers(self, part: Array, result: Array) -> Array:
        """(..., nq + more, n) of rates whose first nv rows are motion of q."""
        nq, nv = self.model.nq, self.model.nv
        q = rates_of_q(self.model.manifest, result[..., :nq]) @ part[..., :nv, :]
        rest = part[..., nv:, :]
        return np.concatenate([q, np.broadcast_to(rest, (*q.shape[:-2], *rest.shape[-2:]))], axis=-2)


def inverse_dynamics(model: Model) -> Smooth:
    def tangent(q: Array, v: Array, a: Array) -> tuple[Array, ...]:
        return tuple(model.inverse_dynamics_derivatives(q, v, a))

    def curve(q: Array, v: Array, a: Array) -> Array:
        return _curve(*model.inverse_dynamics_second_derivatives(q, v, a))

    inputs = _state(model, "a")
    return Smooth(model, "inverse_dynamics", inputs, (model.nv,), model.inverse_dynamics, tangent, curve=curve)


def forward_dynamics(model: Model) -> Smooth:
    def tangent(q: Array, v: Array, tau: Array) -> tuple[Array, ...]:
        found = model.forward_dynamics_derivatives(q, v, tau)
        if not isinstance(found, ClosedDerivatives):
            return tuple(found)
        by_q, by_v = np.zeros_like(found.da_dtau), np.zeros_like(found.da_dtau)
        by_q[..., list(found.positions)] = found.da_dq
        by_v[..., list(found.independent)] = found.da_dv
        return by_q, by_v, found.da_dtau

    def curve(q: Array, v: Array, tau: Array) -> Array:
        found = model.forward_dynamics_second_derivatives(q, v, tau)
        if not isinstance(found, ClosedSecondDerivatives):
            return _curve(*found)
        own = np.eye(model.nv)[list(found.independent)]
        by_q_q, by_q_v, by_v_v = (own.T @ part @ own for part in found[:3])
        return _curve(by_q_q, by_q_v, by_v_v, found.d2a_dtaudq @ own)

    inputs, twice = _state(model, "tau"), _twice_along_loops(model)
    return Smooth(
        model,
        "forward_dynamics",
        inputs,
        (model.nv,),
        model.forward_dynamics,
        tangent,
        twice=twice,
        curve=curve if twice else None,
    )


def bias(model: Model) -> Smooth:
    def tangent(q: Array, v: Array) -> tuple[Array, ...]:
        return tuple(model.inverse_dynamics_derivatives(q, v, np.zeros(model.nv))[:2])

    def curve(q: Array, v: Array) -> Array:
        found = model.inverse_dynamics_second_derivatives(q, v, np.zeros(model.nv))
        return _curve(*found)[..., : 2 * model.nv, : 2 * model.nv]

    return Smooth(model, "bias", _state(model), (model.nv,), model.bias, tangent, curve=curve)


def gravity(model: Model) -> Smooth:
    def tangent(q: Array) -> tuple[Array, ...]:
        still = np.zeros(model.nv)
        return (model.inverse_dynamics_derivatives(q, still, still).dtau_dq,)

    def curve(q: Array) -> Array:
        still = np.zeros(model.nv)
        return model.inverse_dynamics_second_derivatives(q, still, still).d2tau_dqdq

    return Smooth(model, "gravity", _state(model)[:1], (model.nv,), model.gravity, tangent, curve=curve)


def mass_matrix(model: Model) -> Smooth:
    def tangent(q: Array) -> tuple[Array, ...]:
        """∂(M e_k)/∂q is what ∂τ/∂q gains by a = e_k; (..., k, i, j) -> (..., i, k, j)."""
        still, unit = np.zeros(model.nv), np.eye(model.nv)
        rest = model.inverse_dynamics_derivatives(q, still, still).dtau_dq
        moved = model.inverse_dynamics_derivatives(q[..., None, :], still, unit).dtau_dq
        return (np.swapaxes(moved - rest[..., None, :, :], -3, -2),)

    return Smooth(model, "mass_matrix", _state(model)[:1], (model.nv,) * 2, model.mass_matrix, tangent)


def energy(model: Model) -> Smooth:
    def tangent(q: Array, v: Array) -> tuple[Array, ...]:
        """∂(½ vᵀM v): ½ vᵀ ∂(M v)/∂q and M v; of gravity's energy g(q)."""
        still = np.zeros(model.nv)
        rest = model.inverse_dynamics_derivatives(q, still, still)
        moved = model.inverse_dynamics_derivatives(q, still, v)
        kinetic = 0.5 * (v[..., None, :] @ (moved.dtau_dq - rest.dtau_dq))
        momentum = (rest.M @ v[..., :, None])[..., 0]
        potential = np.broadcast_to(model.gravity(q)[..., None, :], kinetic.shape)
        return np.concatenate([kinetic, potential], axis=-2), np.stack([momentum, np.zeros_like(momentum)], axis=-2)

    return Smooth(model, "energy", _state(model), (2,), model.energy, tangent)


def com(model: Model) -> Smooth:
    return Smooth(model, "com", _state(model)[:1], (3,), model.com, lambda q: (model.com_jacobian(q),))


def frame_pose(model: Model, frame: str) -> Smooth:
    def tangent(q: Array) -> tuple[Array, ...]:
        """ṗ = J_linear v, Ṙ = ω × R."""
        J, pose = model.frame_jacobian(q, frame), model.frame_pose(q, frame)
        found = np.zeros((*J.shape[:-2], 4, 4, model.nv))
        found[..., :3, 3, :] = J[..., :3, :]
        turning = np.cross(J[..., 3:, None, :], pose[..., :3, :3, None], axis=-3)
        found[..., :3, :3, :] = turning
        return (found,)

    require_placed(model.manifest, frame)
    looked_up(frame, frames(model.manifest), f"model '{model.name}' has no frame")
    return Smooth(
        model, "frame_pose", _state(model)[:1], (4, 4), lambda q: model.frame_pose(q, frame), tangent
    )  # fmt: skip


def frame_velocity(model: Model, frame: str) -> Smooth:
    if model.manifest.closed:
        raise ModelError(
            f"frame_velocity: model '{model.name}' has loops, along which velocities follow; take frame_pose, or "
            "model.frame_velocity_derivatives in independent coordinates"
        )
    require_placed(model.manifest, frame)
    looked_up(frame, frames(model.manifest), f"model '{model.name}' has no frame")
    return Smooth(
        model,
        "frame_velocity",
        _state(model),
        (6,),
        lambda q, v: model.frame_velocity(q, v, frame),
        lambda q, v: tuple(model.frame_velocity_derivatives(q, v, frame)),
    )


def integrate(model: Model) -> Smooth:
    def tangent(q: Array, v_dt: Array) -> tuple[Array, ...]:
        carried, by_u = _turned(model, v_dt)
        return carried, by_u

    inputs = (("q", model.nq), ("v_dt", model.nv))
    return Smooth(model, "integrate", inputs, (model.nq,), model.integrate, tangent, to_q=True)


def difference(model: Model) -> Smooth:
    def tangent(q0: Array, q1: Array) -> tuple[Array, ...]:
        """q1 = q0 ⊕ u: δq1 = carried δq0 + by_u δu."""
        carried, by_u = _turned(model, model.difference(q0, q1))
        back: Array = np.asarray(np.linalg.inv(by_u), dtype=np.float64)
        return -back @ carried, back

    def room(q0: Array, q1: Array) -> Array:
        """Turns of joints with a group are counted up to half a turn."""
        u = model.difference(q0, q1)
        turns = [np.zeros(u.shape[:-1])]
        for joint in model.manifest.joints:
            kind = KINDS[joint.kind]
            if kind.group:
                own = u[..., joint.v_start : joint.v_start + joint.nv]
                turns.append(np.linalg.norm(own[..., ~np.array(kind.linear)], axis=-1))
        return np.asarray(np.pi - np.max(turns, axis=0))

    inputs = (("q0", model.nq), ("q1", model.nq))
    return Smooth(model, "difference", inputs, (model.nv,), model.difference, tangent, room=room)


def step(model: Model, dt: float, integrator: str) -> Smooth:
    """[q; v] after one step of `kg.Simulator` without contacts and limits, as `kg.step_derivatives`; of closed
    mechanisms the rates stand at the independent entries of q and v."""

    def each(*arrays: Array) -> tuple[Array, ...]:
        batch = _batch(arrays)
        q, v, tau = (np.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays)
        found = tuple(np.empty((*batch, *shape)) for shape in ((width,), *((2 * model.nv, model.nv),) * 3))
        for i in np.ndindex(batch):
            with in_row(i):
                parts = one(q[i], v[i], tau[i])
            for whole, part in zip(found, parts, strict=True):
                whole[i] = part
        return found

    def one(q: Array, v: Array, tau: Array) -> tuple[Array, ...]:
        found = step_derivatives(model, q, v, tau, dt=dt, integrator=integrator, contacts=False, limits=False)
        lead, n = list(found.independent), len(found.independent)
        by_q, by_v = np.zeros((2, 2 * model.nv, model.nv))
        by_q[:, lead], by_v[:, lead] = np.hsplit(found.tree @ found.A, [n])
        return np.concatenate([found.q, found.v]), by_q, by_v, found.tree @ found.B

    inputs, width = _state(model, "tau"), model.nq + model.nv
    return Smooth(
        model,
        "step",
        inputs,
        (width,),
        lambda *x: each(*x)[0],
        lambda *x: each(*x)[1:],
        to_q=True,
        twice=False,
    )


def _state(model: Model, *more: str) -> tuple[tuple[str, int], ...]:
    return (("q", model.nq), ("v", model.nv), *((name, model.nv) for name in more))


def _curve(by_q_q: Array, by_q_v: Array, by_v_v: Array, by_force_q: Array) -> Array:
    """(..., nv, 3 nv, 3 nv) of a function of q, v and a force or acceleration in which it is linear."""
    none, across = np.zeros_like(by_q_q), partial(np.swapaxes, axis1=-1, axis2=-2)
    rows = (
        (by_q_q, by_q_v, across(by_force_q)),
        (across(by_q_v), by_v_v, none),
        (by_force_q, none, none),
    )
    return np.concatenate([np.concatenate(row, axis=-1) for row in rows], axis=-2)


def _twice_along_loops(model: Model) -> bool:
    """Whether forward dynamics has second rates per number of q: nothing rolls, and of a joint that has a quaternion or
    [cos sin] all velocities are independent or none, since else its other numbers follow."""
    manifest = model.manifest
    if not manifest.closed or manifest.rolling:
        return not manifest.closed
    own = set(model.loops.leaders)
    turning = (set(range(j.v_start, j.v_start + j.nv)) for j in manifest.joints if j.nv and KINDS[j.kind].rotation)
    return all(turn <= own or not turn & own for turn in turning)


def _batch(arrays: tuple[Array, ...]) -> tuple[int, ...]:
    return np.broadcast_shapes(*(x.shape[:-1] for x in arrays))


def _turned(model: Model, u: Array) -> tuple[Array, Array]:
    """(..., nv, nv) each of `turned`."""
    shape = (*u.shape[:-1], model.nv, model.nv)
    if plain(model.manifest):
        eye = np.broadcast_to(np.eye(model.nv), shape)
        return eye, eye
    carried, by_u = np.empty(shape), np.empty(shape)
    for i in np.ndindex(u.shape[:-1]):
        carried[i], by_u[i] = turned(model, u[i])
    return carried, by_u
