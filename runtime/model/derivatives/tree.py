"""First and second derivatives of the dynamics of a tree on the tangent space (mathematics §14)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...arguments import Array, as_array
from ...errors import in_row
from ..closed.judged import is_huge, require_inertia_of_tree
from ..kernels import Kernels


class InverseDynamicsDerivatives(NamedTuple):
    """(..., nv, nv) each: τ of the tree per motion of q, per v, and per a, which is M.

    Column j of `dtau_dq`: the rate of τ along integrate(q, s e_j) at s = 0, with v and a as they are.
    """

    dtau_dq: Array
    dtau_dv: Array
    M: Array


class ForwardDynamicsDerivatives(NamedTuple):
    """(..., nv, nv) each: acceleration per motion of q (columns as of dtau_dq above), per v, per τ, which is M⁻¹."""

    da_dq: Array
    da_dv: Array
    da_dtau: Array


class InverseDynamicsSecondDerivatives(NamedTuple):
    """(..., nv, nv, nv) each, entry [i, j, k] of τ_i; with weights w (..., nv, nv) each, entry [j, k] of wᵀτ.

    k is what is differentiated by last: by motion of q, along integrate(q, s e_k) of the rate along e_j. Rates of two
    axes of one spherical, planar or free joint depend on their order. By a and a, and by a and v, there are none.
    """

    d2tau_dqdq: Array
    d2tau_dqdv: Array
    d2tau_dvdv: Array
    d2tau_dadq: Array
    """∂M_ij/∂q_k."""


class ForwardDynamicsSecondDerivatives(NamedTuple):
    """(..., nv, nv, nv) each, entry [i, j, k] of a_i; with weights w (..., nv, nv) each, entry [j, k] of wᵀa.

    Order as above. By τ and τ, and by τ and v, there are none.
    """

    d2a_dqdq: Array
    d2a_dqdv: Array
    d2a_dvdv: Array
    d2a_dtaudq: Array


def inverse_dynamics_derivatives(
    kernels: Kernels, q: ArrayLike, v: ArrayLike, a: ArrayLike
) -> InverseDynamicsDerivatives:
    return kernels.parts(InverseDynamicsDerivatives, kernels.of("inverse_derivatives")(q, v, a), (0, 1, 2))


def tree_derivatives(kernels: Kernels, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> ForwardDynamicsDerivatives:
    """Of forward dynamics of an open tree. ModelError where its inertia is singular."""
    found = kernels.parts(ForwardDynamicsDerivatives, kernels.of("forward_derivatives")(q, v, tau), (0, 1, 2))
    if is_huge(found.da_dtau) and "mass_matrix" in kernels.manifest.routes:
        M = np.broadcast_to(kernels.of("mass_matrix")(q), found.da_dtau.shape)
        for row in np.ndindex(M.shape[:-2]):
            with in_row(row):
                require_inertia_of_tree(kernels.manifest, M[row])
    return found


def inverse_second(
    kernels: Kernels, q: ArrayLike, v: ArrayLike, a: ArrayLike, weights: ArrayLike | None
) -> InverseDynamicsSecondDerivatives:
    if weights is None:
        whole, axes = kernels.of("inverse_second_derivatives")(q, v, a), 3
    else:
        whole, axes = kernels.of("inverse_weighed_derivatives")(q, v, a, weights), 2
    return kernels.parts(InverseDynamicsSecondDerivatives, whole, (0, 1, 2, 3), axes)


def forward_second(
    kernels: Kernels, q: ArrayLike, v: ArrayLike, tau: ArrayLike, weights: ArrayLike | None
) -> ForwardDynamicsSecondDerivatives:
    """wᵀ a by those of (M⁻¹ w)ᵀ τ: with X = ∂²/∂q∂a, −(∂²/∂q² + X a_q + (X a_q)ᵀ) and so on; each a_i by w = e_i."""
    manifest = kernels.manifest
    q, v, tau = as_array("q", q, (manifest.nq,)), as_array("v", v, (manifest.nv,)), as_array("tau", tau, (manifest.nv,))
    if weights is None:
        q, v, tau, weights = q[..., None, :], v[..., None, :], tau[..., None, :], np.eye(manifest.nv)
    da_dq, da_dv, inverse = tree_derivatives(kernels, q, v, tau)
    along = (inverse @ as_array("weights", weights, (manifest.nv,))[..., None])[..., 0]
    by_q_q, by_q_v, by_v_v, by_a_q = _weighed(kernels, q, v, kernels.of("forward_dynamics")(q, v, tau), along)
    X = np.swapaxes(by_a_q, -1, -2)
    moved = X @ da_dq
    return ForwardDynamicsSecondDerivatives(
        -(by_q_q + moved + np.swapaxes(moved, -1, -2)), -(by_q_v + X @ da_dv), -by_v_v, -(inverse @ by_a_q)
    )


def _weighed(kernels: Kernels, q: ArrayLike, v: ArrayLike, a: ArrayLike, weights: ArrayLike) -> Array:
    """(4, ..., nv, nv): by q and q, by q and v, by v and v, by a and q."""
    return np.moveaxis(kernels.of("inverse_weighed_derivatives")(q, v, a, weights), -3, 0)
