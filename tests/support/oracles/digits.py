"""Derivatives of a program by central differences at fifty digits, along the tangent of the coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from kinegen.codegen.mechanism import KINDS, Mechanism
from kinegen.codegen.program.evaluate import evaluated
from kinegen.codegen.program.types import Function

Array = NDArray[np.float64]
DIGITS, STEP = 50, -16
"""Digits of the arithmetic, and the power of ten by which arguments move: differences are good to thirty digits."""

Arrays = Mapping[str, Sequence[Any]]


def _scope() -> dict[str, object]:
    names = ("sin", "cos", "sqrt", "tan", "exp", "log", "atan2", "atan")
    return {name: getattr(mpmath, name) for name in names} | {
        "copysign": lambda size, sign: abs(size) if sign >= 0 else -abs(size)
    }


def many_digits(function: Function) -> Callable[[Arrays], dict[str, list[Any]]]:
    """The function with numbers of mpmath."""
    return evaluated(function, _scope())


def unit_rotations(mechanism: Mechanism, q: Array) -> list[Any]:
    """q with rotations of unit norm to fifty digits."""
    found = [mpmath.mpf(float(x)) for x in q]
    for body in mechanism.tree.bodies:
        part = KINDS[body.joint.kind].rotation
        if body.nv and part:
            at = slice(body.q_start + part.start, body.q_start + part.stop)
            norm = mpmath.sqrt(sum(x * x for x in found[at]))
            found[at] = [x / norm for x in found[at]]
    return found


def tangent(mechanism: Mechanism, q: Sequence[Any], dof: int) -> list[Any]:
    """(nq) q̇ of unit velocity of one entry of v, from the definition of the coordinates (§1)."""
    rate = [mpmath.mpf(0)] * len(q)
    for body in mechanism.tree.bodies:
        for step in KINDS[body.joint.kind].steps if body.nv else ():
            place, k = body.q_start + step.q, dof - body.v_start - step.v
            if 0 <= k < step.motion.nv:
                moved = _moved(step.motion.name, q[place : place + step.motion.nq], k)
                rate[place : place + step.motion.nq] = moved
    return rate


def _moved(motion: str, q: Sequence[Any], k: int) -> list[Any]:
    if motion == "plane":
        cos, sin = q[2:]
        return [[cos, sin, 0, 0], [-sin, cos, 0, 0], [0, 0, -sin, cos]][k]
    if motion == "ball":
        x, y, z, w = q
        return [e / 2 for e in ((w, z, -y, -x), (-z, w, x, -y), (y, -x, w, -z))[k]]
    if motion == "flight" and k < 3:
        x, y, z, w = q[3:]
        columns = (
            (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
            (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
            (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)),
        )
        return [*columns[k], 0, 0, 0, 0]
    if motion == "flight":
        return [0, 0, 0, *_moved("ball", q[3:], k - 3)]
    return [mpmath.mpf(1)]


def differences(function: Function, given: Mapping[str, Sequence[Any]], rates: Arrays) -> list[Any]:
    """The rate of the function's one output as its arguments move at these rates."""
    run, (output,) = many_digits(function), function.outputs
    ends = []
    for sign in (1, -1):
        step = sign * mpmath.mpf(10) ** STEP
        moved = {name: [x + step * r for x, r in zip(values, rates.get(name, [0] * len(values)), strict=True)]
                 for name, values in given.items()}  # fmt: skip
        ends.append(run(moved)[output.name])
    return [(high - low) / (2 * mpmath.mpf(10) ** STEP) for high, low in zip(*ends, strict=True)]
