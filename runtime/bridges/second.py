"""Second rates of smooth functions: exact ones, or by differences of the analytic first ones that leave rounding."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..abi import CONFIGURATIONS
from ..arguments import Array
from ..derivatives.differences import WEIGHTS
from ..kinds import KINDS
from .coordinates import motion_of_joint, motion_of_q, plain
from .smooth import Smooth

SHIFT = 1e-2
"""Way along a number: dynamics is polynomial in velocities and forces, and in sines and cosines of angles."""

PART, LEAST = 0.1, 1e-7
"""Of the way to where a function jumps, that is gone at most (a rotation turns by up to 8 of its number's), and the way
from which on differences tell something."""


def second_rates(function: Smooth, *arrays: Array) -> Array:
    """(..., *output, width, width): rates per number as `Smooth.rates`, then per number that moves.

    Exact where `Smooth.curve` is there; else central differences of order eight, all in one batch, good to about 1e-11
    of the rates; near a jump of the function steps are shorter and rounding counts more, upon it rates are NaN.
    """
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
    whole = np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays], axis=-1)
    if function.curve:
        return _per_number(function, whole, function.curve(*_parts(function, whole)))
    way = np.full(batch, SHIFT)
    if function.room:
        way = np.minimum(way, PART * function.room(*_parts(function, whole)))
    found = _moved(lambda at: _unit_rates(function, at), whole, np.maximum(way, LEAST))
    found[way < LEAST] = np.nan
    return found


def _per_number(function: Smooth, whole: Array, curve: Array) -> Array:
    """With motion B dx per numbers x of q, the first argument, and rates f, f' by motion: Bᵀ f' B + f ∂B/∂x."""
    manifest = function.model.manifest
    if plain(manifest):
        return curve
    nv, q = manifest.nv, whole[..., : manifest.nq]
    B = motion_of_q(manifest, q)[..., None, :, :]
    curve = np.concatenate([curve[..., :nv] @ B, curve[..., nv:]], axis=-1)
    curve = np.concatenate([np.swapaxes(B, -1, -2) @ curve[..., :nv, :], curve[..., nv:, :]], axis=-2)
    rates = function.tangent(*_parts(function, whole))[0]
    for joint in manifest.joints:
        if joint.nv and KINDS[joint.kind].rotation:
            numbers = slice(joint.q_start, joint.q_start + joint.nq)
            bent = _moved(partial(motion_of_joint, joint), q[..., numbers], np.full(q.shape[:-1], SHIFT))
            own = rates[..., joint.v_start : joint.v_start + joint.nv]
            curve[..., numbers, numbers] += np.einsum("...ij,...jkl->...ikl", own, bent)
    return curve


def _moved(of: Callable[[Array], Array], whole: Array, way: Array) -> Array:
    """(..., width): rates of an array (..., *any) of all numbers (..., width), per number, by steps of `way` (...)."""
    width, batch = whole.shape[-1], whole.shape[:-1]
    ways = np.eye(width).reshape(width, *(1,) * len(batch), width) * way[..., None]
    terms = (sign * weight * of(whole + sign * k * ways) for k, weight in enumerate(WEIGHTS, 1) for sign in (1, -1))
    total = next(terms)
    for term in terms:
        total += term
    total = total / way.reshape(*batch, *(1,) * (total.ndim - 1 - len(batch)))
    return np.moveaxis(total, 0, -1)


def _parts(function: Smooth, whole: Array) -> list[Array]:
    return np.split(whole, np.cumsum([size for _, size in function.inputs])[:-1], axis=-1)


def _unit_rates(function: Smooth, whole: Array) -> Array:
    """Rates where numbers of q need not be of unit norm: of the function after they are brought to it."""
    parts = _parts(function, whole)
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
