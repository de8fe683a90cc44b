"""Zero-moment point of forces and of motions, capture point (§17)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array
from ..errors import ModelError
from ..model.batch_axes import tells_batches
from ..model.model import Model
from ..typed import typed
from .plane import Plane, plane_of


@typed
def zero_moment_point(wrench: ArrayLike, point: ArrayLike = (0, 0, 0), normal: ArrayLike = (0, 0, 1)) -> Array:
    """(..., 3) point of a plane about which a wrench has no moment but along the normal [Sardain04]; world axes.

    `wrench` (..., 6) [force; moment about the world's origin]: what acts on the robot, such as
    `-trajectory.contacts.wrench("world")` or `external_wrench`. The plane goes through `point` (3), `normal` (3) leads
    away from the ground. Where all contacts are in this plane it is their centre of pressure. NaN where nothing
    presses, which is n·f <= 0.
    """
    plane = plane_of(point, normal)
    given = as_array("wrench", wrench, (6,))
    force, n = given[..., :3], plane.normal
    moment = given[..., 3:] - np.cross(plane.point, force)
    pressed = force @ n
    with np.errstate(divide="ignore", invalid="ignore"):
        arm = np.where(pressed[..., None] > 0.0, np.cross(n, moment) / pressed[..., None], np.nan)
    found: Array = plane.point + arm
    return found


@typed
def external_wrench(model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """(..., 6) [force; moment about the world's origin] of all that must act from outside, but for gravity.

    [Ṗ − m g; L̇ + c × (Ṗ − m g)] of q (..., nq), v (..., nv), a (..., nv): what the floor gives in this motion, if
    nothing else touches. World axes.
    """
    rate, center = model.momentum_rate(q, v, a), model.com(q)
    force = rate[..., :3] - model.total_mass() * model.gravity_acceleration()
    return np.concatenate([force, rate[..., 3:] + np.cross(center, force)], axis=-1)


@typed
def pendulum_rate(model: Model, q: ArrayLike, point: ArrayLike = (0, 0, 0), normal: ArrayLike = (0, 0, 1)) -> Array:
    """(...) ω = √(g/h) [1/s] of the linear inverted pendulum, h the height of the mass centre over the plane.

    h is measured along gravity, so that this holds for mass centres that move along a sloping plane too [Kajita01].
    ModelError without gravity, for a plane along it, and for a mass centre that is not above the plane.
    """
    return _pendulum(model, model.com(q), plane_of(point, normal))[0]


@typed
@tells_batches("q", "v")
def capture_point(
    model: Model, q: ArrayLike, v: ArrayLike, point: ArrayLike = (0, 0, 0), normal: ArrayLike = (0, 0, 1)
) -> Array:
    """(..., 3) the instantaneous capture point [Pratt06]: standing there, a linear inverted pendulum comes to rest.

    c + ċ/ω, brought to the plane along gravity; ω as `pendulum_rate`, errors as well.
    """
    center, plane = model.com(q), plane_of(point, normal)
    rate, down = _pendulum(model, center, plane)
    speed = np.einsum("...ij,...j->...i", model.com_jacobian(q), as_array("v", v, (model.nv,)))
    ahead = center + speed / rate[..., None]
    found: Array = ahead + _fall(ahead, plane, down)[..., None] * down
    return found


def _pendulum(model: Model, center: Array, plane: Plane) -> tuple[Array, Array]:
    """(...) ω, (3) unit vector of gravity."""
    gravity = model.gravity_acceleration()
    size = float(np.linalg.norm(gravity))
    if not size > 0.0:
        raise ModelError(f"model '{model.name}' has no gravity, and so no pendulum; load it with gravity=(0, 0, -9.81)")
    down = gravity / size
    if abs(down @ plane.normal) < 1e-6:
        raise ModelError(f"normal: a plane with normal {plane.normal} stands along gravity {gravity} and bears nothing")
    height = _fall(center, plane, down)
    if not (height > 0.0).all():
        raise ModelError(f"the mass centre is {-height.min():g} m below the plane; it must be above, or give `point`")
    rate: Array = np.sqrt(size / height)
    return rate, down


def _fall(points: Array, plane: Plane, down: Array) -> Array:
    """(...) how far points (..., 3) are above the plane along gravity."""
    height: Array = (plane.point - points) @ plane.normal / (down @ plane.normal)
    return height
