"""In which axes and about which point the six numbers of a frame's motion are told: Pinocchio's reference frames.

"local_world_aligned": of the frame's origin, in world axes. "local": the same in the frame's own axes. "world": of the
point of the body that is at the world's origin, in world axes. An acceleration is the rate of the six numbers of the
velocity: that of the origin itself in the first, the spatial acceleration in the others.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from ..arguments import Array
from ..errors import ModelError, shown

Reference = Literal["local_world_aligned", "local", "world"]


_NAMES = get_args(Reference)


def require_reference(value: Any) -> None:
    """ModelError for another name."""
    if not isinstance(value, str) or value not in _NAMES:
        raise ModelError(f"reference: expected one of {', '.join(_NAMES)}, got {shown(value)}")


def crossed(x: Array, columns: Array) -> Array:
    """(..., 3, k) x × each column, or of each column of x where it has several."""
    found: Array = np.cross(x, columns, axis=-2)
    return found


def _stacked(linear: Array, angular: Array) -> Array:
    found: Array = np.concatenate([linear, angular], axis=-2)
    return found


def expressed(reference: Reference, pose: Array, twists: Array) -> Array:
    """(..., 6, k) columns [linear; angular] of the frame's origin in world axes, told in `reference`; pose (..., 4, 4).

    Of accelerations: spatial ones (see `spatial`).
    """
    if reference == "local_world_aligned":
        return twists
    linear, angular = twists[..., :3, :], twists[..., 3:, :]
    if reference == "world":
        return _stacked(linear + crossed(pose[..., :3, 3:], angular), angular)
    turn = np.swapaxes(pose[..., :3, :3], -1, -2)
    return _stacked(turn @ linear, turn @ angular)


def spatial(reference: Reference, velocity: Array, acceleration: Array) -> Array:
    """(..., 6, 1) [a − ω × u; ω̇] of the velocity [u; ω] and acceleration [a; ω̇] of the frame's origin, if wanted."""
    if reference == "local_world_aligned":
        return acceleration
    swept = crossed(velocity[..., 3:, :], velocity[..., :3, :])
    return acceleration - _stacked(swept, np.zeros_like(swept))


def spatial_rates(reference: Reference, velocity: Array, moved: Array, rates: Array) -> Array:
    """(..., 6, k) rates of `spatial` as the velocity (..., 6, 1) has rates `moved` and the acceleration `rates`."""
    if reference == "local_world_aligned":
        return rates
    u, w = velocity[..., :3, :], velocity[..., 3:, :]
    swept = crossed(moved[..., 3:, :], u) + crossed(w, moved[..., :3, :])
    return rates - _stacked(swept, np.zeros_like(swept))


def expressed_rates(reference: Reference, pose: Array, jacobian: Array, told: Array, rates: Array) -> Array:
    """(..., 6, k) rates of `expressed` twists `told` (..., 6, 1), as the frame moves by the columns of its Jacobian."""
    linear, angular = told[..., :3, :], told[..., 3:, :]
    if reference == "local":  # Rᵀ x: the axes turn as well
        z = jacobian[..., 3:, :]
        rates = rates - _stacked(crossed(z, linear), crossed(z, angular))
    found = expressed(reference, pose, rates)
    if reference == "world":  # p × ω: so does the origin move
        swept = crossed(jacobian[..., :3, :], angular)
        found = found + _stacked(swept, np.zeros_like(swept))
    return found
