"""Second rates of smooth functions: those of their analytic first ones, by differences that leave rounding."""

from __future__ import annotations

import numpy as np

from ..arguments import Array
from ..derivatives.passive import WEIGHTS
from ..kinds import KINDS
from .smooth import CONFIGURATIONS, Smooth

SHIFT = 1e-2
"""Way along a number: dynamics is polynomial in velocities and forces, and in sines and cosines of angles."""


def second_rates(function: Smooth, *arrays: Array) -> Array:
    """(..., *output, width, width): rates per number as `Smooth.rates`, then per number that moves.

    Central differences of order eight, all in one batch; good to about 1e-11 of the rates.
    """
    batch, width = np.broadcast_shapes(*(x.shape[:-1] for x in arrays)), function.width
    whole = np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays], axis=-1)
    ways = SHIFT * np.eye(width).reshape(width, *(1,) * len(batch), width)
    total = np.zeros((width, *batch, *function.output, width))
    for k, weight in enumerate(WEIGHTS, 1):
        for sign in (1.0, -1.0):
            total += sign * weight / SHIFT * _unit_rates(function, whole + sign * k * ways)
    return np.moveaxis(total, 0, -1)


def _unit_rates(function: Smooth, whole: Array) -> Array:
    """Rates where numbers of q need not be of unit norm: of the function after they are brought to it."""
    parts = np.split(whole, np.cumsum([size for _, size in function.inputs])[:-1], axis=-1)
    shrinks = [np.ones_like(part) for part in parts]
    for place, (name, _) in enumerate(function.inputs):
        for joint in function.model.manifest.joints if name in CONFIGURATIONS else ():
            rotation = KINDS[joint.kind].rotation
            if joint.nv and rotation:
                numbers = slice(joint.q_start + rotation.start, joint.q_start + rotation.stop)
                shrinks[place][..., numbers] = 1.0 / np.linalg.norm(parts[place][..., numbers], axis=-1, keepdims=True)
    rates = function.rates(*(part * shrink for part, shrink in zip(parts, shrinks, strict=True)))
    shrink = np.concatenate(shrinks, axis=-1)
    return rates * shrink.reshape(*shrink.shape[:-1], *(1,) * len(function.output), shrink.shape[-1])
