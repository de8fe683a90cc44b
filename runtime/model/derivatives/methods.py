"""What a model answers about derivatives."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..batch_axes import tells_batches
from ..closed.loops import Loops
from ..kernels import Kernels
from .closed import ClosedDerivatives, closed_derivatives
from .closed_second import ClosedSecondDerivatives, closed_second
from .tree import (
    ForwardDynamicsDerivatives,
    ForwardDynamicsSecondDerivatives,
    InverseDynamicsDerivatives,
    InverseDynamicsSecondDerivatives,
    forward_second,
    inverse_dynamics_derivatives,
    inverse_second,
    tree_derivatives,
)


class DynamicsDerivatives:
    """Derivatives of the dynamics, by the kernels and loops of a model."""

    def __init__(self, kernels: Kernels, loops: Loops) -> None:
        self._kernels = kernels
        self._loops = loops

    @tells_batches("q", "v", "a")
    def inverse_dynamics_derivatives(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> InverseDynamicsDerivatives:
        """∂τ/∂q, ∂τ/∂v, M (..., nv, nv each) of `inverse_dynamics`, q moved as `integrate` moves it: see its fields.

        By recursion over the tree [SRW22], mathematics §14. Of closed mechanisms: those of the tree.
        """
        return inverse_dynamics_derivatives(self._kernels, q, v, a)

    @tells_batches("q", "v", "tau")
    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike
    ) -> ForwardDynamicsDerivatives | ClosedDerivatives:
        """∂a/∂q, ∂a/∂v, ∂a/∂τ of `forward_dynamics`; without springs, dampers, friction.

        Of a tree (..., nv, nv) each. Of a closed mechanism the first two are (..., nv, nf): along motions that keep the
        loops closed, per `independent` velocity; q and v must be closed. ModelError at a singular configuration and
        where the inertia is singular.
        """
        if self._kernels.manifest.closed:
            return closed_derivatives(self._kernels, self._loops, q, v, tau)
        return tree_derivatives(self._kernels, q, v, tau)

    @tells_batches("q", "v", "a", "weights")
    def inverse_dynamics_second_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, weights: ArrayLike | None = None
    ) -> InverseDynamicsSecondDerivatives:
        """∂²τ/∂q∂q, ∂²τ/∂q∂v, ∂²τ/∂v∂v, ∂²τ/∂a∂q = ∂M/∂q of `inverse_dynamics`, (..., nv, nv, nv) each: see its fields.

        `weights` (..., nv): those of weightsᵀτ alone, (..., nv, nv) each, for little more than the first derivatives
        cost. By recursion over the tree, mathematics §14. Of closed mechanisms: those of the tree. ModelError for a
        wrong shape and what is not finite.
        """
        return inverse_second(self._kernels, q, v, a, weights)

    @tells_batches("q", "v", "tau", "weights")
    def forward_dynamics_second_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, weights: ArrayLike | None = None
    ) -> ForwardDynamicsSecondDerivatives | ClosedSecondDerivatives:
        """∂²a/∂q∂q, ∂²a/∂q∂v, ∂²a/∂v∂v, ∂²a/∂τ∂q of `forward_dynamics`, (..., nv, nv, nv) each: see its fields.

        `weights` (..., nv): those of weightsᵀa alone, (..., nv, nv) each. Without springs, dampers, friction.
        Mathematics §14. Of a closed mechanism per independent coordinate and velocity, as the first derivatives: q and
        v must be closed. ModelError at a singular configuration, where something rolls, for a wrong shape and what is
        not finite.
        """
        if self._kernels.manifest.closed:
            return closed_second(self._kernels, self._loops, q, v, tau, weights)
        return forward_second(self._kernels, q, v, tau, weights)
