"""Poses, motion and Jacobians of links and of the frames fixed to them, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array
from ..names.lookup import frames, looked_up, require_placed
from .batch_axes import tells_batches
from .kernels import Kernels, Method
from .reference import Reference, expressed, require_reference, spatial


class Frames:
    """What may be asked of a model by the name of a link or a frame.

    `reference`, as in Pinocchio: "local_world_aligned", motion of the frame's origin in world axes; "local", the same
    in the frame's axes; "world", of the point of the body that is at the world's origin. A frame that the model was
    compiled with kernels of its own for is asked of those.
    """

    def __init__(self, kernels: Kernels) -> None:
        self._kernels, self._kernel, self._manifest = kernels, kernels.of, kernels.manifest
        self._known = frames(kernels.manifest)
        own = [kernel for kernel in kernels.manifest.kernels if kernel.frame]
        self._own = {(kernel.name.partition("_of_")[0], kernel.frame): kernel.name for kernel in own}
        """(quantity, frame) → kernel."""

    def quick(self, name: str, method: Method) -> Method:
        """A method of this class by one call in C, where the kernel of its name takes frames that move."""
        if name == "frame_bias":
            return method
        own = {frame: kernel for (quantity, frame), kernel in self._own.items() if name == f"frame_{quantity}"}
        return self._kernels.quick(name, method, self._placed if name == "frame_pose" else self.places, own)

    @cached_property
    def places(self) -> dict[str, Array]:
        """(4) of every link and frame that is not fixed to world."""
        return {name: place for name, (place, _) in self._known.items() if place[0] >= 0.0}

    @cached_property
    def _placed(self) -> dict[str, Array]:
        """(13) [link, offset, rotation] of the same."""
        return {name: np.append(place, self._known[name][1][:3, :3]) for name, place in self.places.items()}

    @cached_property
    def _acceleration(self) -> Callable[..., Array]:
        return self.quick("frame_acceleration", self.frame_acceleration)

    @cached_property
    def _still(self) -> Array:
        return np.zeros(self._manifest.nv)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self._known, *(frame for _, frame in self._own)]))

    def _alone(self, quantity: str, frame: str) -> Callable[..., Array] | None:
        """The kernel of one frame, if there is one."""
        name = self._own.get((quantity, frame)) if isinstance(frame, str) else None
        return self._kernel(name) if name else None

    def frame_pose(self, q: ArrayLike, frame: str) -> Array:
        """(..., 4, 4) pose of a frame or link in world."""
        if alone := self._alone("pose", frame):
            return alone(q)
        place, offset = self.found(frame)
        if place[0] < 0.0 or not self._manifest.has("frame_pose"):  # fixed to world, or in C of chosen kernels
            states, poses = as_array("q", q, (self._manifest.nq,)), self._kernel("link_poses")
            base = poses(q)[..., int(place[0]), :, :] if place[0] >= 0.0 else np.eye(4)
            return np.broadcast_to(base @ offset, (*states.shape[:-1], 4, 4)).copy()
        return self._kernel("frame_pose")(q, self._placed[frame])

    def frame_jacobian(self, q: ArrayLike, frame: str, *, reference: Reference = "local_world_aligned") -> Array:
        """(..., 6, nv) rows [linear; angular] velocity of a frame or link per v.

        At its origin in world axes, or as `reference` says: "local", "world".
        """
        require_reference(reference)
        J = self._jacobian(q, frame)
        return J if reference == "local_world_aligned" else expressed(reference, self.frame_pose(q, frame), J)

    def _jacobian(self, q: ArrayLike, frame: str) -> Array:
        if alone := self._alone("jacobian", frame):
            return alone(q)
        place, _ = self.found(frame)
        if place[0] < 0.0:  # fixed to world
            nq, nv = self._manifest.nq, self._manifest.nv
            return np.zeros((*as_array("q", q, (nq,)).shape[:-1], 6, nv))
        return self._kernel("frame_jacobian")(q, place)

    @tells_batches("q", "v")
    def frame_velocity(
        self, q: ArrayLike, v: ArrayLike, frame: str, *, reference: Reference = "local_world_aligned"
    ) -> Array:
        """(..., 6) [linear; angular] velocity of a frame or link: `frame_jacobian` times v.

        At its origin in world axes, or as `reference` says: "local", "world".
        """
        require_reference(reference)
        if reference == "local_world_aligned" and (alone := self._alone("velocity", frame)):
            return alone(q, v)
        return self._told(q, v, self._still, frame, reference)[..., 0, :]

    @tells_batches("q", "v", "a")
    def frame_acceleration(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, *, reference: Reference = "local_world_aligned"
    ) -> Array:
        """(..., 6) [linear; angular] rate of the six numbers of `frame_velocity`: J a + J̇ v, without gravity.

        By default the acceleration of the frame's origin in world axes (Pinocchio's classical one); in "local" and
        "world" this is its spatial acceleration.
        """
        require_reference(reference)
        if reference == "local_world_aligned" and (alone := self._alone("acceleration", frame)):
            return alone(q, v, a)
        return self._told(q, v, a, frame, reference)[..., 1, :]

    @tells_batches("q", "v")
    def frame_bias(
        self, q: ArrayLike, v: ArrayLike, frame: str, *, reference: Reference = "local_world_aligned"
    ) -> Array:
        """(..., 6) J̇ v of `frame_jacobian` in the same `reference`: `frame_acceleration` at a = 0."""
        require_reference(reference)
        if reference == "local_world_aligned":
            if alone := self._alone("bias", frame):
                return alone(q, v)
            return self._acceleration(q, v, self._still, frame)
        return self.frame_acceleration(q, v, self._still, frame, reference=reference)

    def motion(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str) -> Array:
        """(..., 2, 6) velocity and acceleration of the frame's origin, world axes."""
        if (velocity := self._alone("velocity", frame)) and (acceleration := self._alone("acceleration", frame)):
            return np.stack(np.broadcast_arrays(velocity(q, v), acceleration(q, v, a)), axis=-2)
        place, _ = self.found(frame)
        nq, nv = self._manifest.nq, self._manifest.nv
        if place[0] >= 0.0 and nv:
            return self._kernel("frame_motion")(q, v, a, place)
        given = as_array("q", q, (nq,)), as_array("v", v, (nv,)), as_array("a", a, (nv,))
        return np.zeros((*np.broadcast_shapes(*(x.shape[:-1] for x in given)), 2, 6))

    def found(self, name: str) -> tuple[Array, Array]:
        """(4) [link, offset] and (4, 4) pose in the link; link -1: fixed to world. ModelError for an unknown name."""
        if not isinstance(name, str) or name not in self._known:
            require_placed(self._manifest, name)
        return looked_up(name, self._known, f"model '{self._manifest.name}' has no link or frame")

    def _told(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, reference: Reference) -> Array:
        require_reference(reference)
        motion = self.motion(q, v, a, frame)
        if reference == "local_world_aligned":
            return motion
        velocity, acceleration = motion[..., 0, :, None], motion[..., 1, :, None]
        columns = np.concatenate([velocity, spatial(reference, velocity, acceleration)], axis=-1)
        told: Array = np.swapaxes(expressed(reference, self.frame_pose(q, frame), columns), -1, -2)
        return told
