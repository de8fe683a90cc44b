"""What was measured of a mechanism that moved: states, accelerations, torques."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..analysis.smoothing import Smoothing, derivatives, sample_rate
from ..analysis.values import by_value
from ..arguments import Array, as_array
from ..errors import ModelError, shown
from ..model.model import Model
from ..simulation.trajectory import Trajectory


@by_value
@dataclass(frozen=True)
class TorqueRecord:
    """Samples in the model's layout: `q` (n, nq), `v`, `a` (n, nv), and what the motors exerted, `tau`.

    Springs that the model has act beside them, and what else `identify` does not look for. tau (n, nv) of a tree, what
    pushes it from outside as Σ J_hᵀ f added; (n, N_A) of a closed mechanism's actuators.
    """

    q: ArrayLike
    v: ArrayLike
    a: ArrayLike
    tau: ArrayLike


UNTOLD = 0.05
"""Part of the forces of gravity and inertia from which something else than the joints must have moved a mechanism."""

Records = TorqueRecord | Trajectory | Sequence[TorqueRecord | Trajectory]


@dataclass(frozen=True)
class Samples:
    """All records together: (n, nq), (n, nv), (n, nv) and (n, rows) torques in the equations' coordinates."""

    q: Array
    v: Array
    a: Array
    tau: Array


def samples_of(model: Model, records: Records, smoothing: Smoothing | None = None) -> Samples:
    """The samples of one record or several. ModelError for wrong shapes and for none at all."""
    listed = [records] if isinstance(records, (TorqueRecord, Trajectory)) else records
    if isinstance(listed, (str, bytes)) or not isinstance(listed, Sequence) or not len(listed):
        raise ModelError(f"records: expected TorqueRecord or Trajectory, one or several, got {shown(records)}")
    parts = [_samples(model, record, k, smoothing or Smoothing.none()) for k, record in enumerate(listed)]
    q, v, a, tau = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Samples(q, v, a, tau)


def _require_told(sought: Model, record: Trajectory, a: Array, what: str) -> None:
    """ModelError where torques and joints do not make the motion of the trajectory's own model, if it has one, or where
    that has other loops than what is sought.

    It is measured by gravity and inertia each, which in a free swing cancel, of closed mechanisms in their independent
    coordinates. The middle of all samples counts, for derivatives are poor where torques jump.
    """
    if record.model is None:
        return
    norms = np.zeros((4, *record.t.shape))
    for states, model in record.by_structure("identify"):
        if other := _loops(model) ^ _loops(sought):
            names = ", ".join(sorted(other))
            raise ModelError(
                f"{what}: it moved with other loops than the model has that is identified ({names}): give "
                "parts of the trajectory between connections and cuts, with the simulator's model of then"
            )
        q, v = record.q[states], record.v[states]
        needed, still = (model.inverse_dynamics(q, v, x) for x in (a[states], np.zeros_like(v)))
        gravity = model.gravity(q)
        own = np.stack([needed - model.passive_forces(q, v), needed - still, still - gravity, gravity])
        own = np.einsum("nvf,knv->knf", model.W(q), own)
        own[0] -= _along_motion(model, record, states)
        norms[:, states] = np.linalg.norm(own, axis=-1)
    sizes = [float(np.median(x)) for x in (norms[0], norms[1:].max(axis=0))]
    if sizes[0] > UNTOLD * sizes[1]:
        raise ModelError(
            f"{what}: by the trajectory's own model its joints alone do not make this motion ({sizes[0]:.3g} N m or N "
            f"of {sizes[1]:.3g} are missing). Of wrenches, contacts and limits a Trajectory holds no torques: give "
            "TorqueRecord(q, v, a, tau + Jᵀ f), f the wrenches and J their frame_jacobian. Where another model "
            "moved, load the trajectory without it; where states are too far apart, record more often"
        )


def _loops(model: Model) -> set[str]:
    """Names of the joints that close loops just now."""
    manifest = model.manifest
    idle = {switch.name for switch in manifest.switches if not model.parameters[manifest.parameters[switch.flag].name]}
    return {joint.name for joint in manifest.loops} - idle


def _along_motion(model: Model, record: Trajectory, states: Any = slice(None)) -> Array:
    """(n, nf) what all joints exert, those of the tree and cut ones, along the velocities that lead the model."""
    q = record.q[states]
    exerted: Array = np.einsum("nvf,nv->nf", model.W(q), record.tau[states])
    if record.cut_tau is None:
        return exerted
    moved = (record.model or model).manifest.loops
    own = {joint.name: slice(joint.v_start, joint.v_start + joint.nv) for joint in moved}
    tau = as_array("cut_tau", record.cut_tau, (len(record), sum(joint.nv for joint in moved)), batch=False)[states]
    rows = model.H(q)[:, model.nv - model.nf :]
    for joint in model.manifest.loops:
        part = rows[:, joint.v_start : joint.v_start + joint.nv]
        exerted += np.einsum("ncf,nc->nf", part, tau[:, own[joint.name]]) if joint.name in own else 0.0
    return exerted


def _samples(model: Model, record: object, k: int, smoothing: Smoothing) -> tuple[Array, Array, Array, Array]:
    what, closed, run = f"record {k}", model.manifest.closed, record
    if isinstance(record, Trajectory):
        rate = sample_rate(record.t, f"{what}: t")
        a = derivatives(record.v, rate, smoothing)[0]
        _require_told(model, record, a, what)
        record = TorqueRecord(record.q, record.v, a, record.tau)
    if not isinstance(record, TorqueRecord):
        raise ModelError(f"{what}: expected a TorqueRecord or a Trajectory, got {shown(record)}")
    q = as_array(f"{what}: q", record.q, (model.nq,))
    if q.ndim != 2:
        raise ModelError(f"{what}: q: expected a row per sample, (n, {model.nq}), got shape {q.shape}")
    n = len(q)
    v, a = (
        as_array(f"{what}: {name}", x, (n, model.nv), batch=False) for name, x in (("v", record.v), ("a", record.a))
    )
    if closed and isinstance(run, Trajectory):
        return q, v, a, _along_motion(model, run)
    tau = as_array(f"{what}: tau", record.tau, (n, model.nu if closed else model.nv), batch=False)
    return q, v, a, np.einsum("naf,na->nf", model.S(q), tau) if closed else tau
