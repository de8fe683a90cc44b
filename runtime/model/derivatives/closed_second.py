"""Second derivatives of forward dynamics of closed mechanisms, by the adjoint of [M −Kᵀ; K 0] (mathematics §14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...arguments import Array, as_array
from ..closed.leaders import require_holonomic
from ..closed.loops import Loops
from ..kernels import Kernels
from .closed import each_state, forced_state, linear_answer, variation


class ClosedSecondDerivatives(NamedTuple):
    """(..., nv, nf, nf), the last (..., nv, nv, nf): entry [i, j, k] of a_i; with weights w without i, of wᵀa.

    Rates of `forward_dynamics_derivatives`: of da_dq per y and per ẏ, of da_dv per ẏ, of da_dtau per y, with q moving
    along W dy. k is what is differentiated by last. By τ and τ, and by τ and ẏ, there are none.
    """

    d2a_dqdq: Array
    d2a_dqdv: Array
    d2a_dvdv: Array
    d2a_dtaudq: Array
    independent: tuple[int, ...]


def closed_second(
    kernels: Kernels, loops: Loops, q: ArrayLike, v: ArrayLike, tau: ArrayLike, weights: ArrayLike | None
) -> ClosedSecondDerivatives:
    """At closed q and v. ModelError where they are open, and where the closure is singular."""
    require_holonomic(kernels.manifest, "second derivatives")
    nv, nf = kernels.manifest.nv, loops.nf
    given = [*loops.states(q, v, as_array("tau", tau, (nv,)))]
    if weights is not None:
        w = as_array("weights", weights, (nv,))
        batch = np.broadcast_shapes(given[0].shape[:-1], w.shape[:-1])
        given = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in (*given, w)]
    first = (nv,) if weights is None else ()
    shapes = [(*first, *shape) for shape in ((nf, nf), (nf, nf), (nf, nf), (nv, nf))]

    def at(q: Array, v: Array, tau: Array, *weights: Array) -> list[Array]:
        found = _Second(kernels, loops, q, v, tau).weighed(np.array(weights) if weights else np.eye(nv))
        return [part[0] for part in found] if weights else found

    by_q_q, by_q_v, by_v_v, by_tau_q = each_state(given, shapes, at)
    return ClosedSecondDerivatives(by_q_q, by_q_v, by_v_v, by_tau_q, loops.leaders)


@dataclass(frozen=True)
class _Ways:
    """Columns by which a state moves: (nv, k) each of q, v and a, (rows, k) of the forces f."""

    q: Array
    v: Array
    a: Array
    f: Array


class _Second:
    """About one state: a and f follow y, ẏ and τ to first order, R₁ = ID − τ − Kᵀf and R₂ = K a + K̇v stay 0."""

    def __init__(self, kernels: Kernels, loops: Loops, q: Array, v: Array, tau: Array) -> None:
        self._kernels, self._state = kernels, forced_state(kernels, loops, q, v, tau)
        by_q, by_v, self._answer, self._W, dv_dq, _ = linear_answer(kernels, loops, loops.leaders, q, v, tau)
        self._inverse = kernels.of("inverse_derivatives")(q, v, self._state.a)
        still, nv = np.zeros_like(self._W), len(v)
        rest = np.zeros((nv, nv))
        self._y = self._ways(self._W, dv_dq, by_q)
        self._dy = self._ways(still, self._W, by_v)
        self._tau = self._ways(rest, rest, self._answer, np.eye(nv))

    def _ways(self, dq: Array, dv: Array, da: Array, dtau: Array | float = 0.0) -> _Ways:
        """With the forces that follow: Kᵀ δf = δID − δτ − δKᵀ f."""
        rows, (dID_dq, dID_dv, M) = self._state.rows, self._inverse
        left = dID_dq @ dq + dID_dv @ dv + M @ da - dtau - variation(self._kernels, self._state, dq, dv)[2 * rows :]
        return _Ways(dq, dv, da, np.linalg.lstsq(self._state.K.T, left, rcond=1e-12)[0])

    def weighed(self, weights: Array) -> list[Array]:
        """(n, ...) of wᵀa for each of the weights w (n, nv): by y and y, y and ẏ, ẏ and ẏ, τ and y.

        M μ + Kᵀν = w, K μ = 0: the second derivatives of μᵀR₁ + νᵀR₂ at these μ and ν, a and f moving to first order.
        """
        mu = weights @ self._answer
        nu = np.linalg.lstsq(self._state.K.T, (weights - mu @ self._inverse[2]).T, rcond=1e-12)[0].T
        pairs = ((self._y, self._y), (self._y, self._dy), (self._dy, self._dy), (self._tau, self._y))
        return [-(self._inertial(mu, *pair) + self._closing(mu, nu, *pair)) for pair in pairs]

    def _inertial(self, mu: Array, d: _Ways, e: _Ways) -> Array:
        """(n, j, k) of μᵀID."""
        state = self._state
        parts = self._kernels.of("inverse_weighed_derivatives")(state.q, state.v, state.a, mu)
        q_q, q_v, v_v, a_q = np.moveaxis(parts, -3, 0)
        mixed = d.q.T @ q_v @ e.v + d.a.T @ a_q @ e.q + d.v.T @ np.swapaxes(q_v, -1, -2) @ e.q
        found: Array = d.q.T @ q_q @ e.q + d.v.T @ v_v @ e.v + mixed + d.q.T @ np.swapaxes(a_q, -1, -2) @ e.a
        return found

    def _closing(self, mu: Array, nu: Array, d: _Ways, e: _Ways) -> Array:
        """(n, j, k) of νᵀ(K a + K̇v) − fᵀK μ, with what the turning of the ways themselves adds to μᵀR₁ + νᵀR₂."""
        second = self._second(d, e)
        turned = self._turned(d, e, second)
        rows, (dID_dq, dID_dv, _) = self._state.rows, self._inverse
        along = second + self._first(*turned)
        of_rates = along[..., rows : 2 * rows] + self._pulled(d.q, e.a) + np.swapaxes(self._pulled(e.q, d.a), 0, 1)
        of_forces = along[..., 2 * rows :] + self._pushed(d.q, e.f) + np.swapaxes(self._pushed(e.q, d.f), 0, 1)
        inertial = turned[0] @ dID_dq.T + turned[1] @ dID_dv.T
        found: Array = np.einsum("nr,jkr->njk", nu, of_rates) + np.einsum("ni,jki->njk", mu, inertial - of_forces)
        return found

    def _turned(self, d: _Ways, e: _Ways, second: Array) -> tuple[Array, Array]:
        """(j, k, nv) each: δq and δv of d as the state moves along e, K δq = 0 and K δv = −δK v hold on."""
        rows, still = self._state.rows, np.zeros(1)
        dq = self._following(np.swapaxes(self._pulled(e.q, d.q), 0, 1))
        moved = self._first(dq, still * dq)[..., :rows] + second[..., :rows]
        return dq, self._following(moved + np.swapaxes(self._pulled(e.q, d.v), 0, 1))

    def _following(self, lacks: Array) -> Array:
        """(j, k, nv) dependent entries x with K x = −lacks (j, k, rows)."""
        j, k, rows = lacks.shape
        found = self._state.following(-lacks.reshape(j * k, rows).T)
        return found.T.reshape(j, k, len(found))

    def _second(self, d: _Ways, e: _Ways) -> Array:
        """(j, k, 2 rows + nv) of `closure_second_variation`."""
        state, call = self._state, self._kernels.of("closure_second_variation")
        first = d.q.T[:, None], d.v.T[:, None]
        second: Array = call(state.q, state.v, state.a, state.f, *first, e.q.T[None], e.v.T[None])
        return second

    def _first(self, dq: Array, dv: Array) -> Array:
        """(j, k, 2 rows + nv) of `closure_variation` along (j, k, nv)."""
        state, call = self._state, self._kernels.of("closure_variation")
        first: Array = call(state.q, state.v, state.a, state.f, dq, dv)
        return first

    def _pulled(self, dq: Array, x: Array) -> Array:
        """(j, k, rows) of δK x along dq (nv, j), x (nv, k)."""
        return self._beside(dq, x, 0.0 * self._state.f)[..., : self._state.rows]

    def _pushed(self, dq: Array, f: Array) -> Array:
        """(j, k, nv) of δKᵀ f along dq (nv, j), f (rows, k)."""
        return self._beside(dq, 0.0 * self._state.v[:, None], f.T)[..., 2 * self._state.rows :]

    def _beside(self, dq: Array, v: Array, f: Array) -> Array:
        call, still = self._kernels.of("closure_variation"), np.zeros_like(self._state.v)
        found: Array = call(self._state.q, v.T, still, f, dq.T[:, None], still)
        return found
