"""Poses and Jacobians of links and of the frames fixed to them, by name."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array
from ..lookup import frames, looked_up
from .kernels import Kernels


class Frames:
    """What may be asked of a model by the name of a link or a frame."""

    def __init__(self, kernels: Kernels) -> None:
        self._kernel, self._manifest = kernels.of, kernels.manifest
        self._known = frames(kernels.manifest)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._known)

    def frame_pose(self, q: ArrayLike, frame: str) -> Array:
        """(..., 4, 4) pose of a frame or link in world."""
        place, offset = self._found(frame)
        poses = self._kernel("link_poses")(q)
        link = int(place[0])  # -1: fixed to world
        base: Array = poses[..., link, :, :] if link >= 0 else np.broadcast_to(np.eye(4), (*poses.shape[:-3], 4, 4))
        pose: Array = np.matmul(base, offset)
        return pose

    def frame_jacobian(self, q: ArrayLike, frame: str) -> Array:
        """(..., 6, nv) rows [linear; angular] velocity of a frame or link per v: at its origin, in world axes."""
        place, _ = self._found(frame)
        if place[0] < 0.0:  # fixed to world
            nq, nv = self._manifest.nq, self._manifest.nv
            return np.zeros((*as_array("q", q, (nq,)).shape[:-1], 6, nv))
        return self._kernel("frame_jacobian")(q, place)

    def _found(self, name: str) -> tuple[Array, Array]:
        return looked_up(name, self._known, f"model '{self._manifest.name}' has no link or frame")
