"""Derivatives of forward dynamics of closed mechanisms, along motions that keep the loops closed (mathematics §14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array
from ..errors import ModelError
from ..model.closed.closure import Split
from ..model.closed.leaders import require_closed
from ..model.closed.loops import Loops
from ..model.kernels import Kernels

SINGULAR = 1e-6
"""Smallest pivot of the closure over its largest below which nothing is differentiated."""

UNMET = 1e-7
"""Part by which velocities, accelerations or forces may miss the closure."""


class ClosedDerivatives(NamedTuple):
    """Accelerations of all velocities of the tree, per independent coordinate, velocity, and torque.

    Coordinates y (nf) near q: q moves along W dy and on as the loops demand; v = W ẏ. `da_dq`, `da_dv` (..., nv, nf): a
    per y at constant ẏ, and per ẏ; their rows `independent` (places in v) are ÿ. `da_dtau` (..., nv, nv). `W`
    (..., nv, nf): q per y on the tangent space, and v per ẏ. `dv_dq` (..., nv, nf): v per y at constant ẏ.
    """

    da_dq: Array
    da_dv: Array
    da_dtau: Array
    W: Array
    dv_dq: Array
    independent: tuple[int, ...]


def closed_derivatives(kernels: Kernels, loops: Loops, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> ClosedDerivatives:
    """At closed q and v. ModelError where they are open, where the closure is singular, and for loops that switch."""
    manifest = kernels.manifest
    if manifest.switches:
        raise ModelError(
            f"model '{manifest.name}': loops that can be active or not have no derivatives; compile the topology that "
            "is meant by itself"
        )
    nv, nf = manifest.nv, loops.nf
    q_all, v_all, tau_all = loops.states(q, v, as_array("tau", tau, (nv,)))
    batch = q_all.shape[:-1]
    found = [np.empty((*batch, *shape)) for shape in ((nv, nf), (nv, nf), (nv, nv), (nv, nf), (nv, nf))]
    for i in np.ndindex(batch):
        for array, part in zip(found, _at(kernels, loops, q_all[i], v_all[i], tau_all[i]), strict=True):
            array[i] = part
    da_dq, da_dv, da_dtau, W, dv_dq = found
    return ClosedDerivatives(da_dq, da_dv, da_dtau, W, dv_dq, loops.leaders)


@dataclass(frozen=True)
class _State:
    """A closed state and its motion: K (rows, nv), its split, a, and forces f along the rows with M a + h = τ + Kᵀf."""

    q: Array
    v: Array
    a: Array
    f: Array
    K: Array
    split: Split

    def following(self, rows: Array) -> Array:
        """(nv, k) dependent entries x with K x = rows, the independent ones 0; rows (rows, k)."""
        x = np.zeros((self.K.shape[1], rows.shape[1]))
        dependent = list(self.split.dependent)
        x[dependent] = np.linalg.lstsq(self.K[:, dependent], rows, rcond=None)[0]
        return x


def _at(kernels: Kernels, loops: Loops, q: Array, v: Array, tau: Array) -> tuple[Array, ...]:
    """[M Kᵀ; K 0] differentiated along the closure: δa = W δa_G + c with K c = −δ(Ka + K̇v), and
    WᵀMW δa_G = Wᵀ(δτ − δID − M c + δKᵀ f)."""
    state = _state(kernels, loops, q, v, tau)
    W, rows = state.split.W(), len(state.K)
    dID_dq, dID_dv, M = kernels.of("inverse_derivatives")(q, v, state.a)
    still = np.zeros_like(W)
    dv_dq = state.following(-_changes(kernels, state, W, still)[:rows])
    answer = W @ np.linalg.solve(W.T @ M @ W, W.T)

    def accelerated(dq: Array, dv: Array) -> Array:
        change = _changes(kernels, state, dq, dv)
        c = state.following(-change[rows : 2 * rows])
        moved: Array = c - answer @ (dID_dq @ dq + dID_dv @ dv + M @ c - change[2 * rows :])
        return moved

    return accelerated(W, dv_dq), accelerated(still, W), answer, W, dv_dq


def _changes(kernels: Kernels, state: _State, dq: Array, dv: Array) -> Array:
    """(2 rows + nv, k): columns of `closure_variation` along the columns of dq and dv."""
    call = kernels.of("closure_variation")
    changes: Array = call(state.q, state.v, state.a, state.f, dq.T, dv.T).T
    return changes


def _state(kernels: Kernels, loops: Loops, q: Array, v: Array, tau: Array) -> _State:
    manifest = kernels.manifest
    gap = float(np.abs(kernels.of("closure_gap")(q)).max(initial=0.0))
    require_closed(manifest, kernels.of("closure_gap"), q, gap)
    split = loops.closure.led_by(q, loops.leaders)
    if split.ratio < SINGULAR:
        raise ModelError(
            f"model '{manifest.name}': loop '{loops.closure.loop_name(split)}' is at a singular configuration, where "
            f"accelerations have no derivatives (pivots {split.ratio:.1e} of the largest); differentiate beside it"
        )
    K = kernels.of("closure_rows")(q)
    a = kernels.of("forward_dynamics")(q, v, tau)
    wanted = kernels.of("inverse_dynamics")(q, v, a) - tau
    f: Array = np.asarray(np.linalg.lstsq(K.T, wanted, rcond=1e-12)[0], dtype=np.float64)
    _require("velocities v", manifest.name, K @ v, np.abs(K) @ np.abs(v))
    _require("accelerations", manifest.name, K @ a + kernels.of("closure_rows_bias")(q, v), np.abs(K) @ np.abs(a) + 1.0)
    _require("forces", manifest.name, K.T @ f - wanted, np.abs(K.T) @ np.abs(f) + 1.0)
    return _State(q, v, a, f, K, split)


def _require(what: str, name: str, left: Array, scale: Array) -> None:
    """Whether what is left of an equation of the closure is rounding."""
    worst = float(np.abs(left).max(initial=0.0))
    if worst > UNMET * max(1.0, float(scale.max(initial=0.0))):
        raise ModelError(
            f"model '{name}': {what} miss the closure by {worst:.2g}: put the state on it by model.project(q, v), or, "
            "near a singular configuration, differentiate beside it"
        )
