"""Where feet are put."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from kinegen.runtime.arguments import Array, as_array, as_count, as_floats, as_number, require_memory
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.typed import typed

SIDES = ("left", "right")
SIZE = 60
"""Doubles that take as much memory as a footstep."""


@dataclass(frozen=True)
class Footstep:
    """The centre of a sole at (x, y) [m] of the floor, turned by `yaw` [rad] to the left. `side`: 0 left, 1 right.

    Whole turns of yaw do not matter: a walk turns the shorter way from each step to the next.
    """

    side: int
    x: float
    y: float
    yaw: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.side, bool) or not isinstance(self.side, int | np.integer) or self.side not in (0, 1):
            raise ModelError(f"Footstep: side must be 0 (left) or 1 (right), got {shown(self.side)}")
        for part in ("x", "y", "yaw"):
            object.__setattr__(self, part, as_number(f"Footstep: {part}", getattr(self, part)))


@typed
def footsteps(
    count: int,
    *,
    length: ArrayLike = 0.2,
    width: float,
    turn: ArrayLike = 0.0,
    first: str = "right",
) -> tuple[Footstep, ...]:
    """Both feet at the start, side by side about the origin, then `count` steps from foot to foot.

    Before each step the middle of the path turns by `turn` [rad] to the left and goes on by `length` [m], forwards or,
    if negative, back: numbers, or one for each step. Feet are put `width` [m] apart, `first` ("left" or "right") goes
    first. The last step brings the foot beside the other one where `length` and `turn` are single numbers. ModelError
    for numbers that make no sense.
    """
    n, apart = as_count("count", count, least=1), as_number("width", width, positive=True)
    require_memory("footsteps", SIZE * n, "take fewer steps")
    if first not in SIDES:
        raise ModelError(f'first: expected "left" or "right", got {shown(first)}')
    forwards, turns = _each("length", length, n), _each("turn", turn, n)
    x = y = yaw = 0.0
    steps = [_beside(side, x, y, yaw, apart) for side in (0, 1)]
    for k in range(n):
        yaw += turns[k]
        x, y = x + forwards[k] * math.cos(yaw), y + forwards[k] * math.sin(yaw)
        steps.append(_beside((SIDES.index(first) + k) % 2, x, y, yaw, apart))
    return tuple(steps)


def checked(steps: Sequence[Footstep]) -> tuple[Footstep, ...]:
    """The steps, each yaw within half a turn of the one before: soles and trunk go from number to number.

    ModelError unless they begin with the left and the right foot and have one step more.
    """
    if isinstance(steps, Set):
        raise ModelError("steps: expected them in their order, got a set; write a list, [...]")
    if not all(isinstance(step, Footstep) for step in steps) or [step.side for step in steps[:2]] != [0, 1]:
        raise ModelError("steps: expected the left foot and the right foot at the start, then steps; see footsteps()")
    if len(steps) < 3:
        raise ModelError("steps: there is no step after the start")
    yaws = np.unwrap([step.yaw for step in steps])
    return tuple(replace(step, yaw=float(yaw)) for step, yaw in zip(steps, yaws, strict=True))


def _beside(side: int, x: float, y: float, yaw: float, width: float) -> Footstep:
    out = (0.5 - side) * width
    return Footstep(side, x - out * math.sin(yaw), y + out * math.cos(yaw), yaw)


def _each(what: str, given: ArrayLike, count: int) -> Array:
    """(count), a single number for all but the last step."""
    if as_floats(what, given).ndim:
        return as_array(what, given, (count,), batch=False)
    values = np.full(count, as_number(what, given))
    values[-1] = 0.0
    return values
