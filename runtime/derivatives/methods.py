"""What a model answers about derivatives."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..model.kernels import Kernels
from ..model.loops import Loops
from .closed import ClosedDerivatives, closed_derivatives
from .tree import (
    ForwardDynamicsDerivatives,
    InverseDynamicsDerivatives,
    inverse_dynamics_derivatives,
    tree_derivatives,
)


class DynamicsDerivatives:
    """Methods of `Model`, by its kernels and loops."""

    _kernels: Kernels
    loops: Loops

    def inverse_dynamics_derivatives(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> InverseDynamicsDerivatives:
        """∂τ/∂q, ∂τ/∂v, M (..., nv, nv each) of `inverse_dynamics`, q moved as `integrate` moves it: see its fields.

        By recursion over the tree [SRW22], mathematics §14. Of closed mechanisms: those of the tree.
        """
        return inverse_dynamics_derivatives(self._kernels, q, v, a)

    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike
    ) -> ForwardDynamicsDerivatives | ClosedDerivatives:
        """∂a/∂q, ∂a/∂v, ∂a/∂τ of `forward_dynamics`; without springs, dampers, friction.

        Of a tree (..., nv, nv) each. Of a closed mechanism the first two are (..., nv, nf): along motions that keep the
        loops closed, per `independent` velocity; q and v must be closed. ModelError at a singular configuration.
        """
        if self._kernels.manifest.closed:
            return closed_derivatives(self._kernels, self.loops, q, v, tau)
        return tree_derivatives(self._kernels, q, v, tau)

    rnea_derivatives = inverse_dynamics_derivatives
    aba_derivatives = forward_dynamics_derivatives
