"""Where servos go: constant, a row per step, or functions of time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...abi import PRECISIONS, JointSpec
from ...arguments import Array, as_array, as_floats, as_number
from ...errors import ModelError, SimulationError, shown
from ...kinds import KINDS

Aim = ArrayLike | Callable[[float], ArrayLike]
"""What is held, a row per step (n, ...), or a function of t [s], asked before every step."""


def is_table(aim: Any) -> bool:
    """A row per step."""
    return not callable(aim) and bool(aim.ndim == 2)


def has_group(spec: JointSpec) -> bool:
    """Its coordinates do not add."""
    return bool(KINDS[spec.kind].group)


def aim_of(spec: JointSpec, what: str, given: Any, most: int = 2) -> Any:
    """A function, or an array: (nq_j) or (n, nq_j) for positions, (nv_j) or (n, nv_j) for velocities, at `most` so many
    axes; what was given, where it is such an array."""
    if callable(given):
        return given
    if what == "position" and given is None:
        return np.array(KINDS[spec.kind].neutral)
    size, one = _size(spec, what), what == "velocity" or not has_group(spec)
    if one and type(given) is float and math.isfinite(given):
        return np.array([given] * size)
    name = f"servos: joint '{spec.name}': {what}"
    array = as_floats(name, given)
    if one and array.ndim == 0:
        return np.full(size, as_number(name, given))
    if array.ndim == 1 and size == 1 and array.size > 1:
        array = array[:, None]
    if not 1 <= array.ndim <= most or array.shape[-1] != size:
        raise ModelError(
            f"{name}: expected ({size},){_layout(spec, what)} or a row per step (n, {size}), got "
            f"{shown(given) if array.ndim == 0 else array.shape}"
        )
    array = as_array(name, array, (size,))
    _require_unit(name, spec, what, array)
    return array


def _size(spec: JointSpec, what: str) -> int:
    return spec.nq if what == "position" else spec.nv


def _layout(spec: JointSpec, what: str) -> str:
    """The entries of a position by name, where there are more of them than velocities."""
    return f" [{' '.join(KINDS[spec.kind].entries(0))}]" if what == "position" and has_group(spec) else ""


def _require_unit(name: str, spec: JointSpec, what: str, array: Array) -> None:
    """ModelError if a rotation in positions (..., nq_j) is off unit norm."""
    part = KINDS[spec.kind].rotation
    if what != "position" or part is None:
        return
    norms = np.linalg.norm(array[..., part], axis=-1)
    off = np.abs(norms - 1.0) > PRECISIONS["float64"].unit
    if off.any():
        at = tuple(int(i) for i in np.argwhere(off)[0])
        entries = " ".join(KINDS[spec.kind].entries(0)[part])
        raise ModelError(
            f"{name}{f', row {at if len(at) > 1 else at[0]}' if at else ''}: [{entries}] has norm {norms[at]:.9g}, "
            "expected 1; divide it by its norm"
        )


def asked(spec: JointSpec, what: str, aim: Any, t: float) -> Array:
    """(nq_j) or (nv_j): what the function `aim` says at t [s]. SimulationError where that cannot be."""
    name = f"servos: {what} of joint '{spec.name}' at t = {t:g} s"
    try:
        value = np.reshape(as_floats(name, aim(t)), (-1,))
        if value.shape != (_size(spec, what),):
            raise ModelError(f"{name}: expected ({_size(spec, what)},){_layout(spec, what)}, got {value.shape}")
        value = as_array(name, value, value.shape, batch=False)
        _require_unit(name, spec, what, value)
        return value
    except ModelError as error:
        raise SimulationError(str(error)) from error
