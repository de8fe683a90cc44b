"""Derivatives of the dynamics on the tangent space (mathematics §14)."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from ..arguments import Array
from ..model.kernels import Kernels


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


def inverse_dynamics_derivatives(
    kernels: Kernels, q: ArrayLike, v: ArrayLike, a: ArrayLike
) -> InverseDynamicsDerivatives:
    parts = kernels.of("inverse_derivatives")(q, v, a)
    return InverseDynamicsDerivatives(parts[..., 0, :, :], parts[..., 1, :, :], parts[..., 2, :, :])


def tree_derivatives(kernels: Kernels, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> ForwardDynamicsDerivatives:
    """Of forward dynamics of an open tree."""
    parts = kernels.of("forward_derivatives")(q, v, tau)
    return ForwardDynamicsDerivatives(parts[..., 0, :, :], parts[..., 1, :, :], parts[..., 2, :, :])
