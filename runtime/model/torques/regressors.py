"""What a model answers about its inertial parameters."""

from __future__ import annotations

from typing import Unpack

from numpy.typing import ArrayLike

from ...abi import INERTIAL, Manifest
from ...arguments import Array
from ...module.states import Batch
from ..kernels import Kernels


def parameter_labels(manifest: Manifest) -> tuple[str, ...]:
    """("m_LINK", "mx_LINK", ...): names of the columns of regressors."""
    return tuple(f"{what}_{link}" for link in manifest.links for what in INERTIAL)


class Regressors:
    """Torques and energies as linear functions of the inertial parameters π, by the kernels of a model.

    π (10N): of each link in the order of `link_names` m, m c (x y z), I (xx xy yy xz yz zz) about the origin of its
    frame, in its axes, as Pinocchio's `toDynamicParameters`.
    """

    def __init__(self, kernels: Kernels) -> None:
        self._kernels = kernels

    def torque_regressor(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., nv, 10N) Y with inverse_dynamics(q, v, a) = Y π + rotor_inertias a: see `inertial_parameters`.

        Of closed mechanisms: that of the tree (§16).
        """
        return self._kernels.of("torque_regressor", None, batch)(q, v, a)

    def energy_regressor(self, q: ArrayLike, v: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., 2, 10N) Y with energy(q, v) = Y π, but for what rotors have: + ½ Σ rotor_inertias v²."""
        return self._kernels.of("energy_regressor", None, batch)(q, v)

    def inertial_parameters(self) -> Array:
        """(10N) π of the description: of each link m, m c (x y z), I (xx xy yy xz yz zz) about its frame's origin."""
        return self._kernels.of("inertial_parameters")(self._neutral())

    def rotor_inertias(self) -> Array:
        """(nv) armatures, those of followers with their leaders."""
        return self._kernels.of("rotor_inertias")(self._neutral())

    @property
    def inertial_labels(self) -> tuple[str, ...]:
        """Names of the columns of regressors: ("m_LINK", "mx_LINK", ..., "Izz_LINK") of each link."""
        return parameter_labels(self._kernels.manifest)

    def _neutral(self) -> list[float]:
        return list(self._kernels.manifest.neutral)
