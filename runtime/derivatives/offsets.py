"""Place and turn from one pose of a joint to another, where coordinates do not add, and their rates (§13, §14)."""

from __future__ import annotations

import numpy as np

from ..arguments import Array
from ..errors import ModelError
from ..rotations import skew

ROWS = {"so3": (3, 4, 5), "se2": (0, 1, 5), "se3": (0, 1, 2, 3, 4, 5)}
"""Which of [place; turn] the velocities of a group are."""

HALF_TURN = np.pi - 1e-6
"""From where on the turn may just as well go the other way."""


def offset_rates(group: str, off: Array, half: str) -> tuple[Array, Array]:
    """Of e = [d; w], place of the target along the child's axes and turn to it, by q and by the target:

    δd = d × δθ − δp + exp(w) δp*,    δw = J⁻¹(w)ᵀ δθ* − J⁻¹(w) δθ,    J⁻¹(w) = 1 − ½ [w] + c [w]²

    ModelError with the text `half` at half a turn.
    """
    rows, d, w = ROWS[group], np.zeros(3), np.zeros(3)
    for x, row in zip(off, rows, strict=True):
        (d if row < 3 else w)[row % 3] = x
    t = float(np.linalg.norm(w))
    if t > HALF_TURN:
        raise ModelError(half)
    W = skew(w)
    c = 1.0 / 12.0 + t * t / 720.0 if t < 1e-3 else (1.0 - 0.5 * t / np.tan(0.5 * t)) / t**2
    inverse = np.eye(3) - 0.5 * W + c * W @ W
    turned = np.eye(3) + np.sinc(t / np.pi) * W + 0.5 * np.sinc(0.5 * t / np.pi) ** 2 * W @ W
    still = np.zeros((3, 3))
    by_q, by_target = (
        np.block([[-np.eye(3), skew(d)], [still, -inverse]]),
        np.block([[turned, still], [still, inverse.T]]),
    )
    return by_q[np.ix_(rows, rows)], by_target[np.ix_(rows, rows)]
