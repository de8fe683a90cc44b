"""Linear models of a mechanism about a state: ẋ = A x + B u, y = C x + D u (mathematics §14)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..analysis.values import by_value
from ..arguments import Array, as_array, as_number
from ..errors import ModelError
from ..kinds import KINDS
from ..model.closed.closure import dof_names
from ..model.closed.judged import require_inertia_of_tree
from ..model.closed.leaders import actuated_joints
from ..model.derivatives.closed import ClosedDerivatives
from ..model.model import Model
from ..rotations import skew
from ..typed import typed
from .passive import passive_derivatives

RATE = "d "
"""What stands before a coordinate's name in that of its velocity."""


@by_value
@dataclass(frozen=True)
class Mode:
    """A pole of a continuous model [1/s]; its frequency |s|/2π [Hz], damping ratio, and shape: the part of the
    coordinates in its eigenvector (np), its largest entry 1."""

    pole: complex
    frequency: float
    damping: float
    shape: np.ndarray[tuple[int, ...], np.dtype[np.complex128]]


@by_value
@dataclass(frozen=True)
class Linearization:
    """ẋ = A x + B u + drift, y = C x + D u about (q, v, tau); with `dt` x⁺ = A x + B u + drift instead.

    x = [δy; δẏ]: what the independent coordinates (on the tangent space, moved as `integrate` moves them) and
    velocities are beyond q and v as given, where something rolls with coordinates beyond those that have a velocity of
    their own (n = np + nf); u: torques of the actuators beyond tau. `drift` (n): ẋ at x = 0, velocities and
    accelerations, zero at an equilibrium; with `dt` the x to which they lead in a step. Balls and free bodies that turn
    with v are after a time t at (q ⊕ v t) ⊕ (δy − v t), so that what lies between two motions near (q, v) has ẋ = A x.
    `poles` tell whether they part where A stays the same along the motion, as `linearize` at a later state of a
    simulation shows. It does not for a wheel that rolls upright on a free joint, whose axes go round with it: there let
    the spin be an angle of its own, as the last axis of a gimbal.
    `states`, `inputs`, `outputs` name rows and columns.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    drift: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    q: Array
    v: Array
    tau: Array
    dt: float | None = None

    @property
    def poles(self) -> np.ndarray[tuple[int, ...], np.dtype[np.complex128]]:
        """(n) eigenvalues of A, ascending in size: s [1/s], or z of a discrete model."""
        found = np.linalg.eigvals(self.A).astype(np.complex128)
        return found[np.lexsort((found.imag, found.real, np.abs(found).round(9)))]

    def modes(self) -> tuple[Mode, ...]:
        """One for each pole with imaginary part from 0 on, ascending in frequency; of a continuous model."""
        values, vectors = np.linalg.eig(self.A)
        if self.dt is not None:
            values = np.log(values.astype(np.complex128)) / self.dt
        kept = sorted((k for k in range(values.size) if values[k].imag >= 0.0), key=lambda k: abs(values[k]))
        positions = self.C.shape[1] - sum(name.startswith(RATE) for name in self.states)
        return tuple(_mode(complex(values[k]), vectors[:positions, k].astype(np.complex128)) for k in kept)


def _mode(pole: complex, shape: np.ndarray[tuple[int, ...], np.dtype[np.complex128]]) -> Mode:
    size = abs(pole)
    largest = shape[np.abs(shape).argmax()] if shape.size else 1.0
    return Mode(pole, size / (2 * np.pi), -pole.real / size if size else 0.0, shape / (largest or 1.0))


@typed
def linearize(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    dt: float | None = None,
    passive: bool = True,
    frames: Sequence[str] = (),
) -> Linearization:
    """The linear model about q (nq), v (nv; at rest if not given) and torques tau (nv) of the tree (zero if not given).

    Away from an equilibrium it is about a state that moves on, as `drift` tells: `tau=kg.equilibrium(model, q).tau` is
    what holds one at rest, under which `Equations.linearize` is unless told otherwise.
    Open or closed: closed mechanisms in their independent coordinates, at a state that is on the closure. `passive`:
    with springs, dampers and friction of the joints. `dt` [s]: with u held over a step, exactly. `frames`: outputs are
    the displacements [linear; angular] of these frames in world axes, and by default all coordinates. ModelError for a
    state off the closure, at a singular configuration or inertia, half a turn off the rest of a spring that turns a
    pose, and for a dt in which what is unstable leads beyond all numbers.
    Angles of joints that close loops are within half a turn of 0, as in `passive_forces`, where a simulation counts
    their turns; at ±π that side of the jump counts on which they are read.
    """
    at = as_array("q", q, (model.nq,), batch=False)
    rate = np.zeros(model.nv) if v is None else as_array("v", v, (model.nv,), batch=False)
    torque = np.zeros(model.nv) if tau is None else as_array("tau", tau, (model.nv,), batch=False)
    force = torque + model.passive_forces(at, rate) if passive else torque
    found = derivatives_in_coordinates(model, at, rate, force)
    leaders, W, da_dq, da_dv = list(found.independent), found.W, found.da_dq, found.da_dv
    if passive:
        by_q, by_v = passive_derivatives(model, at, rate)
        da_dq = da_dq + found.da_dtau @ (by_q @ found.T + by_v @ found.dv_dq)
        da_dv = da_dv + found.da_dtau @ by_v @ W
    places, n = list(found.positions), len(found.positions)
    turning = (found.dv_dq - bracket(model, rate) @ found.T)[places]
    A = np.block([[turning, W[places]], [da_dq[leaders], da_dv[leaders]]])
    B = np.vstack([np.zeros((n, model.nu)), (found.da_dtau @ actuation(model, at))[leaders]])
    rows = [model.frame_jacobian(at, name) @ found.T for name in frames]
    C = np.vstack(rows) if rows else np.eye(n)
    C = np.hstack([C, np.zeros((len(C), len(leaders)))])
    drift = np.concatenate([rate[places], model.forward_dynamics(at, rate, force)[leaders]])
    names = _names(model, found.positions, tuple(frames))
    step = None if dt is None else as_number("dt", dt, positive=True)
    if step is not None:
        A, B, drift = _discrete(model, A, B, drift, step)
    return Linearization(A, B, C, np.zeros((len(C), model.nu)), drift, *names, at, rate, torque, step)


def _discrete(model: Model, A: Array, B: Array, drift: Array, dt: float) -> tuple[Array, Array, Array]:
    """`held`. ModelError where it leads beyond all numbers."""
    with np.errstate(over="ignore", invalid="ignore"), suppress(OverflowError):
        found = held(A, B, drift, dt)
        if all(np.isfinite(part).all() for part in found):
            return found
    raise ModelError(
        f"model '{model.name}': dt is too long: in a step of {dt:.3g} s what grows here leads beyond all numbers; take "
        "a smaller dt"
    )


def derivatives_in_coordinates(model: Model, q: Array, v: Array, tau: Array) -> ClosedDerivatives:
    """Of a tree too: all its velocities lead."""
    if not model.manifest.closed:
        require_inertia_of_tree(model.manifest, model.mass_matrix(q))
    found = model.forward_dynamics_derivatives(q, v, tau)
    if isinstance(found, ClosedDerivatives):
        return found
    nv = model.nv
    everything = tuple(range(nv))
    return ClosedDerivatives(*found, np.eye(nv), np.zeros((nv, nv)), everything, np.eye(nv), everything)


def actuation(model: Model, q: Array) -> Array:
    """(nv, N_A) forces of the tree's joints per torque of `model.actuators`."""
    tree, cut = actuated_joints(model.manifest, model.parameters)
    columns = [np.eye(model.nv)[:, j.v_start : j.v_start + j.nv] for j in tree]
    if cut:
        C = model.kernel("loop_jacobian")(q)
        columns += [C[j.v_start : j.v_start + j.nv].T for j in cut]
    return np.hstack([np.zeros((model.nv, 0)), *columns])


def bracket(model: Model, v: Array) -> Array:
    """(nv, nv) ad_v: a displacement δ on the tangent space that goes with q has the rate δv − ad_v δ."""
    found = np.zeros((model.nv, model.nv))
    for joint in model.manifest.joints:
        part = slice(joint.v_start, joint.v_start + joint.nv)
        own = v[part]
        match KINDS[joint.kind].group if joint.nv else "":
            case "so3":
                found[part, part] = skew(own)
            case "se3":
                found[part, part] = np.block([[skew(own[3:]), skew(own[:3])], [np.zeros((3, 3)), skew(own[3:])]])
            case "se2":
                x, y, w = own
                found[part, part] = [[0.0, -w, y], [w, 0.0, -x], [0.0, 0.0, 0.0]]
    return found


def held(A: Array, B: Array, drift: Array, dt: float) -> tuple[Array, Array, Array]:
    """The exponential of [A B drift; 0] dt, by a series after halving and squaring: u and drift rest over the step.

    What it is beyond 1 is squared, (1 + R)² − 1 = 2 R + R²: beside 1 rounding would take of what is slow."""
    n, m = B.shape
    whole = np.zeros((n + m + 1, n + m + 1))
    whole[:n] = np.column_stack([A, B, drift])
    whole *= dt
    halvings = max(0, int(np.ceil(np.log2(max(float(np.abs(whole).sum(axis=1).max()), 1e-300)))) + 2)
    small = whole / 2.0**halvings
    term = beyond = small
    for k in range(2, 15):
        term = term @ small / k
        beyond = beyond + term
    for _ in range(halvings):
        beyond = 2.0 * beyond + beyond @ beyond
    result = np.eye(n + m + 1) + beyond
    return result[:n, :n], result[:n, n : n + m], result[:n, -1]


def turned(model: Model, u: Array) -> tuple[Array, Array]:
    """(nv, nv) each: the motion of q ⊕ u per motion of q, and per change of u."""
    eye = np.eye(model.nv)
    carried, by_u, _ = held(-bracket(model, u), eye, np.zeros(model.nv), 1.0)
    return carried, by_u


def resting(model: Model, dt: float, v: Array) -> tuple[Array, Array]:
    """(nv) v along axes that rest (v + dt ω × v where an origin moves with turning axes), and (nv, nv) its rates."""
    found, by_v = v.copy(), np.eye(model.nv)
    for joint in model.manifest.joints:
        group, s = KINDS[joint.kind].group if joint.nv else "", joint.v_start
        if group == "se3":
            V, w = skew(v[s : s + 3]), skew(v[s + 3 : s + 6])
            found[s : s + 3] += dt * w @ v[s : s + 3]
            by_v[s : s + 3, s : s + 3] += dt * w
            by_v[s : s + 3, s + 3 : s + 6] -= dt * V
        elif group == "se2":
            x, y, turn = v[s : s + 3]
            found[s : s + 2] += dt * turn * np.array([-y, x])
            by_v[s : s + 2, s : s + 3] += dt * np.array([[0.0, -turn, -y], [turn, 0.0, x]])
    return found, by_v


def crossed(model: Model, turn: Array, x: Array) -> Array:
    """(nv, ...) ω × x of each of the vectors of joints whose axes turn, ω the turning part of `turn` (nv, ...)."""
    found = np.zeros(np.broadcast_shapes(turn.shape, x.shape))
    for joint in model.manifest.joints:
        group, s = KINDS[joint.kind].group if joint.nv else "", joint.v_start
        if group in ("so3", "se3"):
            end = s + joint.nv
            for i in range(s, end, 3):
                found[i : i + 3] = np.cross(turn[end - 3 : end], x[i : i + 3], axis=0)
        elif group == "se2":
            found[s], found[s + 1] = -turn[s + 2] * x[s + 1], turn[s + 2] * x[s]
    return found


def axes(model: Model, u: Array) -> Array:
    """(nv, nv) T: vectors along the axes of q, by what they are along those of q ⊕ u."""
    eye = np.eye(model.nv)
    return held(crossed(model, u[:, None], eye), eye, np.zeros(model.nv), 1.0)[0]


def _names(
    model: Model, positions: Sequence[int], frames: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    entries = dof_names(model.manifest)
    coordinates = tuple(entries[i] for i in positions)
    axes = ("x", "y", "z", "rx", "ry", "rz")
    outputs = tuple(f"{frame}.{axis}" for frame in frames for axis in axes) if frames else coordinates
    return (*coordinates, *(f"{RATE}{name}" for name in model.independent)), model.actuators, outputs
