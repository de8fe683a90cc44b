"""The quantities of a model that are kernels: one state or many."""

from __future__ import annotations

from functools import cached_property
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_flag
from ..errors import ModelError, shown
from ..module.states import Batch
from .kernels import Kernels, Method
from .packed import PackedPattern, pattern_of, require_packed, require_regular


class Quantities:
    """Dynamics, kinematics, energy and coordinates of a mechanism. SI units, radians, world axes unless said otherwise.

    Array arguments may carry batch axes before their own, which broadcast. Every method takes `out=`, `layout=` and
    `threads=` (see `Batch`); with layout="soa" batch axes stand behind: q (nq, ...) gives τ (nv, ...). A model that was
    compiled with `lanes` computes several states at a time.
    """

    def __init__(self, kernels: Kernels) -> None:
        self._kernels = kernels
        self._kernel = kernels.of

    def quick(self, name: str, method: Method) -> Method:
        """A method of this class by one call in C, where its arguments are those of the kernel of its name."""
        constant = name in ("total_mass", "gravity_acceleration")
        return self._kernels.answer(method) if constant else self._kernels.quick(name, method)

    # ---- Dynamics

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, method: str | None = None, **batch: Unpack[Batch]
    ) -> Array:
        """(..., nv) torques τ of all joints that give acceleration a; without springs, dampers, friction.

        Of a closed mechanism those of its tree, cut open; what its motors exert is `actuator_torques`.
        `method`: None for the recursion over links, "cog" for Gᵀ(M̂q̈ + b̂) (mathematics §3).
        """
        return self._kernel("inverse_dynamics", method, batch)(q, v, a)

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, method: str | None = None, **batch: Unpack[Batch]
    ) -> Array:
        """(..., nv) acceleration of a tree under torques τ; without springs, dampers, friction.

        `method`: "articulated", or "ltdl" where that is what takes fewer operations; None: the one that does.
        """
        return self._kernel("forward_dynamics", method, batch)(q, v, tau)

    def mass_matrix(
        self, q: ArrayLike, *, method: str | None = None, packed: bool = False, **batch: Unpack[Batch]
    ) -> Array:
        """(..., nv, nv) mass matrix, symmetric and full.

        `method`: "cog", "unit_vector" or "composite"; None: the one with the fewest operations for this topology.
        `packed`: the (..., size) entries of `mass_matrix_pattern` alone, which have one method of their own; ModelError
        if compiled without `lanes`.
        """
        if as_flag("packed", packed):
            require_packed(self._kernels.manifest)
            if method is not None:
                raise ModelError(
                    f"mass_matrix: packed=True has one method of its own; leave out method={shown(method)}"
                )
            return self._kernel("mass_matrix_packed", None, batch)(q)
        return self._kernel("mass_matrix", method, batch)(q)

    @property
    def mass_matrix_pattern(self) -> PackedPattern:
        """Where the entries of a packed mass matrix stand. ModelError if compiled without `lanes`."""
        return pattern_of(self._kernels.manifest)

    def mass_matrix_product(self, packed: ArrayLike, x: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., nv) M x of a packed mass matrix (..., size) and x (..., nv)."""
        require_packed(self._kernels.manifest)
        return self._kernel("mass_matrix_product", None, batch)(packed, x)

    def mass_matrix_solve(self, packed: ArrayLike, b: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., nv) x of M x = b, by M = LᵀDL along the tree (mathematics §7). ModelError where M is singular, as of
        closed mechanisms with links without mass."""
        require_packed(self._kernels.manifest)
        require_regular(self._kernels.manifest)
        return self._kernel("mass_matrix_solve", None, batch)(packed, b)

    def bias(self, q: ArrayLike, v: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., nv) torques of velocity and gravity: `inverse_dynamics` at a = 0."""
        return self._kernel("bias", None, batch)(q, v)

    def gravity(self, q: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., nv) torques that hold the mechanism still against gravity."""
        return self._kernel("gravity", None, batch)(q)

    def passive_forces(self, q: ArrayLike, v: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., nv) torques of springs, dampers and dry friction: add them to τ of `forward_dynamics`.

        −damping v − stiffness x − friction v/√(v² + 0.001²), with x = q − rest; of free and planar joints x is by how
        much the place differs, along the child's axes, and the turn from rest to q, of spherical ones that turn [rad].
        Joints that close loops act through the tree's. Their angles are read within half a turn of 0, while a
        simulation counts turns: past half a turn its springs pull on, and these the other way round.
        """
        return self._kernel("passive_forces", None, batch)(q, v)

    # ---- Kinematics

    def link_poses(self, q: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., N, 4, 4) pose of every link in world."""
        return self._kernel("link_poses", None, batch)(q)

    def cog_jacobian(self, q: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., 6N, nv) COG Jacobian G [S (4)]: rows [velocity of its COG; angular velocity] per link, world axes."""
        return self._kernel("cog_jacobian", None, batch)(q)

    def cog_bias(self, q: ArrayLike, v: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., 6N) Ġ v, the accelerations of `cog_jacobian`'s rows at v̇ = 0."""
        return self._kernel("cog_bias", None, batch)(q, v)

    def com(self, q: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., 3) centre of mass in world."""
        return self._kernel("com", None, batch)(q)

    def com_jacobian(self, q: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., 3, nv) velocity of the centre of mass per v."""
        return self._kernel("com_jacobian", None, batch)(q)

    # ---- Energy and momentum

    def energy(self, q: ArrayLike, v: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., 2) kinetic energy, potential energy of gravity; springs are not counted."""
        return self._kernel("energy", None, batch)(q, v)

    def momentum(self, q: ArrayLike, v: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., 6) [linear; angular about the centre of mass] momentum, world axes."""
        return self._kernel("momentum", None, batch)(q, v)

    def centroidal_momentum_matrix(self, q: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., 6, nv) `momentum` per v."""
        return self._kernel("centroidal_momentum_matrix", None, batch)(q)

    def momentum_rate(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., 6) rate of `momentum` [N; N m], world axes: gravity and all that acts from outside together."""
        return self._kernel("momentum_rate", None, batch)(q, v, a)

    def total_mass(self) -> float:
        """Mass [kg] of all links that move."""
        return self._mass

    @cached_property
    def _mass(self) -> float:
        return float(self._kernel("total_mass")(np.array(self._kernels.manifest.neutral))[0])

    def gravity_acceleration(self) -> Array:
        """(3) acceleration of gravity [m/s²], world axes."""
        return self._kernel("gravity_acceleration")(list(self._kernels.manifest.neutral))

    # ---- Coordinates

    def integrate(self, q: ArrayLike, v_dt: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., nq) q moved by v_dt (nv) = velocity × time; rotations advance by the exponential map."""
        return self._kernel("integrate", None, batch)(q, v_dt)

    def difference(self, q0: ArrayLike, q1: ArrayLike, **batch: Unpack[Batch]) -> Array:
        """(..., nv) the shortest v_dt with integrate(q0, v_dt) = q1, up to the sign of quaternions."""
        return self._kernel("difference", None, batch)(q0, q1)
