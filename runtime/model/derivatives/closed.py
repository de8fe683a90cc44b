"""Derivatives of forward dynamics of closed mechanisms, along motions that keep the loops closed (mathematics §14)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...arguments import Array, as_array
from ...errors import ModelError, in_row
from ...module.kernel import TOO_LARGE
from ..closed.closure import Split, closed_within, widest
from ..closed.judged import require_inertia, require_inertia_at
from ..closed.leaders import require_holonomic
from ..closed.loops import Loops
from ..kernels import Kernels
from .rolling import free_positions, tangent

SINGULAR = 1e-6
"""Smallest pivot of the closure over its largest below which nothing is differentiated."""

UNMET = 1e-7
"""Part by which velocities, accelerations or forces may miss the closure."""

LEFT = 1e-5
"""Part of them that rows may be missed by where the closure follows."""


class ClosedDerivatives(NamedTuple):
    """Accelerations of all velocities of the tree, per independent coordinate, velocity, and torque.

    Coordinates y (nf) near q: q moves along W dy and on as the loops demand; v = W ẏ. `da_dq`, `da_dv` (..., nv, nf): a
    per y at constant ẏ, and per ẏ; their rows `independent` (places in v) are ÿ. `da_dtau` (..., nv, nv). `W`
    (..., nv, nf): q per y on the tangent space, and v per ẏ. `dv_dq` (..., nv, nf): v per y at constant ẏ.

    Where something rolls, more positions than velocities are free: q moves along T dx, T (..., nv, np), its entries at
    `positions` are dx, and `da_dq`, `dv_dq` (..., nv, np) are per x. Elsewhere T is W, and x is y.
    """

    da_dq: Array
    da_dv: Array
    da_dtau: Array
    W: Array
    dv_dq: Array
    independent: tuple[int, ...]
    T: Array
    positions: tuple[int, ...]


def closed_derivatives(kernels: Kernels, loops: Loops, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> ClosedDerivatives:
    """At closed q and v. ModelError where they are open, and where the closure is singular."""
    nv, nf = kernels.manifest.nv, loops.nf
    given = loops.states(q, v, as_array("tau", tau, (nv,)))
    places = free_positions(kernels, loops, given[0].reshape(-1, kernels.manifest.nq))
    wide = len(places)
    shapes = (nv, wide), (nv, nf), (nv, nv), (nv, nf), (nv, wide), (nv, wide)
    da_dq, da_dv, da_dtau, W, dv_dq, T = each_state(
        given, shapes, lambda *one: linear_answer(kernels, loops, places, *one)
    )
    return ClosedDerivatives(da_dq, da_dv, da_dtau, W, dv_dq, loops.leaders, T, places)


class ClosedMotion(NamedTuple):
    """(..., nv, nf) each, per independent coordinate y or velocity ẏ: q and v per y and ẏ (`W`), v per y at constant ẏ;
    a = W ÿ + c per y and per ẏ, both at constant ÿ."""

    W: Array
    dv_dq: Array
    da_dq: Array
    da_dv: Array


def closed_motion(kernels: Kernels, loops: Loops, q: ArrayLike, v: ArrayLike, a: ArrayLike | None) -> ClosedMotion:
    """How motion that keeps the loops closed changes beside a closed state; without a, what a does rests at zero.

    ModelError as for `closed_derivatives`, and for an acceleration that is not closed.
    """
    shape = kernels.manifest.nv, loops.nf
    require_holonomic(kernels.manifest, "derivatives of motion")
    given = loops.states(q, v, *([] if a is None else [a]))
    return ClosedMotion(*each_state(given, (shape,) * 4, lambda *one: _motion_at(kernels, loops, *one)))


def each_state(
    given: Sequence[Array], shapes: Sequence[tuple[int, ...]], of: Callable[..., Sequence[Array]]
) -> list[Array]:
    """`of` at every state of a batch."""
    batch = given[0].shape[:-1]
    found = [np.empty((*batch, *shape)) for shape in shapes]
    for i in np.ndindex(batch):
        with in_row(i):
            parts = of(*(x[i] for x in given))
        for array, part in zip(found, parts, strict=True):
            array[i] = part
    return found


@dataclass(frozen=True)
class ClosedState:
    """A closed state and its motion: K (rows, nv), its split, a, and forces f along the rows with M a + h = τ + Kᵀf.
    `what`: the model by name, in words of errors."""

    what: str
    q: Array
    v: Array
    a: Array
    f: Array
    K: Array
    split: Split

    @property
    def rows(self) -> int:
        return len(self.K)

    @cached_property
    def holding(self) -> Array:
        """(rows,) which of them are of loops that are active: those of others are zero, six a loop."""
        return np.repeat(self.K.reshape(-1, 6, self.K.shape[1]).any(axis=(1, 2)), 6)

    def following(self, rows: Array) -> Array:
        """(nv, k) dependent entries x with K x = rows, the independent ones 0; rows (rows, k).

        ModelError where there are none: then not all that the velocities W ẏ promise is a motion of closed loops.
        """
        x = np.zeros((self.K.shape[1], rows.shape[1]))
        dependent = list(self.split.dependent)
        x[dependent] = np.linalg.lstsq(self.K[:, dependent], rows, rcond=None)[0]
        left = np.abs(self.K @ x - rows)[self.holding].max(initial=0.0)
        if left > LEFT * max(1.0, np.abs(rows).max(initial=0.0)):
            raise ModelError(_singular(self.what, f"loops that should follow are missed by {left:.2g}"))
        return x


def _singular(what: str, why: str) -> str:
    place = "is at a singular configuration, where accelerations have no derivatives"
    return f"{what} {place} ({why}); differentiate beside it"


def linear_answer(
    kernels: Kernels, loops: Loops, positions: tuple[int, ...], q: Array, v: Array, tau: Array
) -> tuple[Array, ...]:
    """[M Kᵀ; K 0] differentiated along the closure: δa = W δa_G + c with K c = −δ(Ka + K̇v), and
    WᵀMW δa_G = Wᵀ(δτ − δID − M c + δKᵀ f)."""
    state = forced_state(kernels, loops, q, v, tau)
    W, rows = state.split.W(), state.rows
    T = tangent(kernels.manifest, state.K, positions) if kernels.manifest.rolling else W
    dID_dq, dID_dv, M = kernels.of("inverse_derivatives")(q, v, state.a)
    still = np.zeros_like(W)
    dv_dq = state.following(-variation(kernels, state, T, np.zeros_like(T))[:rows])
    require_inertia(kernels.manifest, M, W, loops.leaders)
    answer = W @ np.linalg.solve(W.T @ M @ W, W.T)

    def accelerated(dq: Array, dv: Array) -> Array:
        change = variation(kernels, state, dq, dv)
        c = state.following(-change[rows : 2 * rows])
        moved: Array = c - answer @ (dID_dq @ dq + dID_dv @ dv + M @ c - change[2 * rows :])
        return moved

    return accelerated(T, dv_dq), accelerated(still, W), answer, W, dv_dq, T


def variation(kernels: Kernels, state: ClosedState, dq: Array, dv: Array) -> Array:
    """(2 rows + nv, k): columns of `closure_variation` along the columns of dq and dv."""
    call = kernels.of("closure_variation")
    changes: Array = call(state.q, state.v, state.a, state.f, dq.T, dv.T).T
    return changes


def _motion_at(kernels: Kernels, loops: Loops, q: Array, v: Array, a: Array | None = None) -> tuple[Array, ...]:
    """W, and what follows of K v = 0 and K a + K̇v = 0 along it."""
    state = _closed(kernels, loops, q, v)
    W, rows = state.split.W(), state.rows
    still = np.zeros_like(W)
    dv_dq = state.following(-variation(kernels, state, W, still)[:rows])
    if a is None:
        return W, dv_dq, still, still
    state = replace(state, a=a)
    _require_accelerations(kernels, state)
    by = (variation(kernels, state, dq, dv)[rows : 2 * rows] for dq, dv in ((W, dv_dq), (still, W)))
    return W, dv_dq, *(state.following(-change) for change in by)


def forced_state(kernels: Kernels, loops: Loops, q: Array, v: Array, tau: Array) -> ClosedState:
    """The motion under torques tau, and the forces that keep the loops closed."""
    state = _closed(kernels, loops, q, v)
    a = _proven(state, kernels, loops, tau)
    wanted = kernels.of("inverse_dynamics")(q, v, a) - tau
    f: Array = np.asarray(np.linalg.lstsq(state.K.T, wanted, rcond=1e-12)[0], dtype=np.float64)
    state = replace(state, a=a, f=f)
    _require_accelerations(kernels, state)
    _require("forces", kernels, state.K.T @ f - wanted, np.abs(state.K.T) @ np.abs(f) + 1.0)
    return state


def _proven(state: ClosedState, kernels: Kernels, loops: Loops, tau: Array) -> Array:
    """The acceleration of a closed state. ModelError where the inertia is singular or the loops do not hold by it."""
    try:
        return kernels.of("forward_dynamics")(state.q, state.v, tau)
    except ModelError as error:
        if max(np.abs(x).max(initial=0.0) for x in (state.v, tau)) > TOO_LARGE:
            raise
        require_inertia_at(kernels, loops, state.q)
        raise ModelError(_singular(state.what, "no acceleration keeps its loops closed")) from error


def _closed(kernels: Kernels, loops: Loops, q: Array, v: Array) -> ClosedState:
    """A state on the closure, a and f zero. ModelError where it is open or singular."""
    manifest = kernels.manifest
    gap = float(np.abs(kernels.of("closure_gap")(q)).max(initial=0.0))
    if gap > closed_within(manifest):
        loop, left = widest(manifest, kernels.of("closure_offsets")(q))
        raise ModelError(
            f"model '{manifest.name}': q misses the closure, loop '{loop}' is open by {left:.3g} m or rad: put the "
            "state on it by model.project(q, v)"
        )
    split = loops.closure.led_by(q, loops.leaders)
    if split.ratio < SINGULAR:
        loop = f"model '{manifest.name}': loop '{loops.closure.loop_name(split)}'"
        raise ModelError(_singular(loop, f"pivots {split.ratio:.1e} of the largest"))
    K = kernels.of("closure_rows")(q)
    _require("velocities v", kernels, K @ v, np.abs(K) @ np.abs(v))
    return ClosedState(f"model '{manifest.name}'", q, v, np.zeros(manifest.nv), np.zeros(len(K)), K, split)


def _require_accelerations(kernels: Kernels, state: ClosedState) -> None:
    left = state.K @ state.a + kernels.of("closure_rows_bias")(state.q, state.v)
    _require("accelerations", kernels, left, np.abs(state.K) @ np.abs(state.a) + 1.0)


def _require(what: str, kernels: Kernels, left: Array, scale: Array) -> None:
    """Whether what is left of an equation of the closure is rounding."""
    name, worst = kernels.manifest.name, float(np.abs(left).max(initial=0.0))
    if worst > UNMET * max(1.0, float(scale.max(initial=0.0))):
        raise ModelError(
            f"model '{name}': {what} miss the closure by {worst:.2g}: put the state on it by model.project(q, v), or, "
            "near a singular configuration, differentiate beside it"
        )
