"""Derivatives of the motion of frames and of the centre of mass (mathematics §14)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...arguments import Array
from ..batch_axes import tells_batches
from ..closed.loops import Loops
from ..frames import Frames
from ..kernels import Kernels
from ..reference import Reference, expressed, expressed_rates, require_reference, spatial, spatial_rates
from .closed import closed_motion


class FrameVelocityDerivatives(NamedTuple):
    """(..., 6, nv) each: `frame_velocity` per motion of q and per v, which is the Jacobian; of closed mechanisms
    (..., 6, nf), per independent coordinate and velocity."""

    dv_dq: Array
    dv_dv: Array


class FrameAccelerationDerivatives(NamedTuple):
    """(..., 6, nv) each: `frame_velocity` per motion of q; `frame_acceleration` per motion of q, per v, and per a,
    which is the Jacobian; of closed mechanisms (..., 6, nf)."""

    dv_dq: Array
    da_dq: Array
    da_dv: Array
    da_da: Array


class MotionDerivatives:
    """Derivatives of `Frames` and of the centre of mass, by the kernels and loops of a model."""

    def __init__(self, kernels: Kernels, loops: Loops, frames: Frames) -> None:
        self._kernels, self._loops, self._frames = kernels, loops, frames

    @tells_batches("q", "v")
    def frame_velocity_derivatives(
        self, q: ArrayLike, v: ArrayLike, frame: str, *, reference: Reference = "local_world_aligned"
    ) -> FrameVelocityDerivatives:
        """∂/∂q on the tangent space and ∂/∂v of `frame_velocity`, all of the numbers that it gives in `reference`.

        In "local" and "world" as Pinocchio; by default the derivatives of the numbers in world axes, where Pinocchio
        turns those of "local". Of closed mechanisms along motions that keep the loops closed, as in
        `forward_dynamics_derivatives`; q and v must be closed, and a `ModelError` says so else.
        """
        require_reference(reference)
        if reference == "local_world_aligned":
            told = self._kernels.parts(FrameVelocityDerivatives, self._tree(q, v, self._still, frame), (0, 3))
        else:
            dv_dq, _, _, J = self._parts(q, v, self._still, frame, reference)
            told = FrameVelocityDerivatives(dv_dq, J)
        return self._of_velocity(q, v, told)

    @tells_batches("q", "v", "a")
    def frame_acceleration_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, *, reference: Reference = "local_world_aligned"
    ) -> FrameAccelerationDerivatives:
        """∂/∂q, ∂/∂v, ∂/∂a of `frame_acceleration`, and ∂/∂q of `frame_velocity`, in the order of Pinocchio.

        `reference` and closed mechanisms as in `frame_velocity_derivatives`; a must be closed too: K a + K̇ v = 0.
        """
        of_tree = self._parts(q, v, a, frame, reference)
        if not self._kernels.manifest.closed:
            return of_tree
        dv_dq, da_dq, da_dv, J = of_tree
        W, dv, a_by_q, a_by_v = closed_motion(self._kernels, self._loops, q, v, a)
        by_q = da_dq @ W + da_dv @ dv + J @ a_by_q
        return FrameAccelerationDerivatives(dv_dq @ W + J @ dv, by_q, da_dv @ W + J @ a_by_v, J @ W)

    @tells_batches("q", "v")
    def com_velocity_derivatives(self, q: ArrayLike, v: ArrayLike) -> FrameVelocityDerivatives:
        """(..., 3, nv) each: the velocity of the centre of mass per motion of q, and per v, which is `com_jacobian`.

        Of closed mechanisms as in `frame_velocity_derivatives`.
        """
        dv_dq, J = self._kernels.of("com_velocity_derivative")(q, v), self._kernels.of("com_jacobian")(q)
        whole = np.broadcast_to(J, dv_dq.shape).copy()  # J does not depend on v
        return self._of_velocity(q, v, FrameVelocityDerivatives(dv_dq, whole))

    @cached_property
    def _tree(self) -> Callable[..., Array]:
        """`_of_tree`, by one call in C for the usual arguments."""
        places = self._frames.places
        return self._kernels.kernel("frame_derivatives").quick(self._of_tree, places) if places else self._of_tree

    @cached_property
    def _still(self) -> Array:
        return np.zeros(self._kernels.manifest.nv)

    def _of_velocity(self, q: ArrayLike, v: ArrayLike, of_tree: FrameVelocityDerivatives) -> FrameVelocityDerivatives:
        if not self._kernels.manifest.closed:
            return of_tree
        dv_dq, J = of_tree
        moved = closed_motion(self._kernels, self._loops, q, v, None)
        return FrameVelocityDerivatives(dv_dq @ moved.W + J @ moved.dv_dq, J @ moved.W)

    def _parts(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, reference: Reference
    ) -> FrameAccelerationDerivatives:
        """Along the tree."""
        require_reference(reference)
        of_tree = self._kernels.parts(FrameAccelerationDerivatives, self._tree(q, v, a, frame), (0, 1, 2, 3))
        if reference == "local_world_aligned":
            return of_tree
        dv_dq, da_dq, da_dv, J = of_tree
        motion = self._frames.motion(q, v, a, frame)
        pose, velocity = self._frames.frame_pose(q, frame), motion[..., 0, :, None]
        acceleration = spatial(reference, velocity, motion[..., 1, :, None])
        by_q = spatial_rates(reference, velocity, dv_dq, da_dq)
        return FrameAccelerationDerivatives(
            expressed_rates(reference, pose, J, velocity, dv_dq),
            expressed_rates(reference, pose, J, acceleration, by_q),
            expressed(reference, pose, spatial_rates(reference, velocity, J, da_dv)),
            expressed(reference, pose, J),
        )

    def _of_tree(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str) -> Array:
        """(..., 4, 6, nv) the same four in world axes."""
        place, _ = self._frames.found(frame)
        if place[0] < 0.0:  # fixed to world
            return np.zeros((*self._frames.motion(q, v, a, frame).shape[:-2], 4, 6, self._kernels.manifest.nv))
        return self._kernels.of("frame_derivatives")(q, v, a, place)
