"""The mouse pulls a link: a spring and a damper between the point that was grasped and the cursor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import Array
from ..errors import ModelError
from ..model.model import Model
from ..model.torques.causes import Wrench
from ..names.lookup import frames

STIFF = 2.0 * np.pi * 3.0
"""How fast a grasped point follows [rad/s], by the inertia that is felt at it."""


@dataclass
class Pull:
    """Of `local` (3) [m] on `link` towards `goal` (3) [m] in world; `mass` [kg] is felt there; `stiff` [rad/s]."""

    link: str
    local: Array
    goal: Array
    mass: float
    stiff: float = STIFF

    def point(self, model: Model, q: Array) -> Array:
        """(3) [m] in world, where the grasped point is."""
        pose = model.frame_pose(q, self.link)
        return np.asarray(pose[:3, :3] @ self.local + pose[:3, 3])

    def wrench(self, model: Model, q: Array, v: Array) -> Wrench:
        """Force m ω² (goal − x) − 2 m ω ẋ at the grasped point x."""
        point = self.point(model, q)
        speed = point_jacobian(model, q, self.link, self.local) @ v
        force = self.mass * self.stiff * (self.stiff * (self.goal - point) - 2.0 * speed)
        return Wrench("mouse", self.link, force=force, point=point)


def point_jacobian(model: Model, q: Array, link: str, local: Array) -> Array:
    """(3, nv) of a point [m] on a link: J_v − [r]× J_ω, world axes."""
    J, arm = model.frame_jacobian(q, link), model.frame_pose(q, link)[:3, :3] @ local
    return np.asarray(J[:3] + np.cross(J[3:], arm, axis=0))


def felt_mass(model: Model, q: Array, link: str, local: Array) -> float:
    """Inertia [kg] at a point of a link along the axis of world on which it is least; 0 where no force moves it.

    1 / max_k eₖᵀ Jₚ (∂a/∂τ) Jₚᵀ eₖ, loops included.
    """
    J, still = point_jacobian(model, q, link, local), np.zeros(model.nv)
    rest = model.forward_dynamics(q, still, still)
    moved = [float(J[k] @ (model.forward_dynamics(q, still, J[k]) - rest)) for k in range(3)]
    most = max(moved)
    return 1.0 / most if most > 1e-9 else 0.0


def as_wrenches(given: Any, model: Model, t: float, q: Array, v: Array) -> list[Wrench]:
    """What else acts, as `Simulator(wrenches=)` was given it, at a state. ModelError for rows per step, which end."""
    if given is None:
        return []
    if callable(given):
        return as_wrenches(given(t, q, v), model, t, q, v)
    if not isinstance(given, Mapping):
        rows = [wrench for wrench in given if np.ndim(wrench.force) > 1 or np.ndim(wrench.moment) > 1]
        parts = list(given)
    else:
        rows = [value for value in given.values() if np.ndim(value) > 1]
        parts = [] if rows else [_at_frame(name, value, model, q) for name, value in given.items()]
    if rows:
        raise ModelError("nothing can be pulled while wrenches are told in a row per step")
    return parts


def _at_frame(name: str, value: Any, model: Model, q: Array) -> Wrench:
    link = model.link_names[int(frames(model.manifest)[name][0][0])]
    force, moment = np.split(np.asarray(value, dtype=np.float64), 2)
    return Wrench(name, link, force=force, point=model.frame_pose(q, name)[:3, 3], moment=moment)
