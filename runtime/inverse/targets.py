"""What inverse kinematics is asked for, and how the C is told (structs.TARGET)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..analysis.values import by_value
from ..arguments import Array, as_array
from ..errors import ModelError, shown
from ..names.lookup import near
from ..structs import TARGETS

Places = Mapping[str, tuple[Array, Array]]
"""Links and frames by name: (4) [link, offset], and (4, 4) pose in the link."""


@by_value
@dataclass(frozen=True)
class FrameTarget:
    """A link or frame is to be at `position` (..., 3) [m] in world, or turned as `rotation` (..., 3, 3), or both.

    `point` (3) [m]: which point of the frame is to be there, in its axes; by default its origin. Weights: a number, or
    (3) along the world's axes, where 0 leaves an axis out; a radian counts as a metre.
    """

    frame: str
    position: ArrayLike | None = None
    rotation: ArrayLike | None = None
    point: ArrayLike = (0.0, 0.0, 0.0)
    position_weight: ArrayLike = 1.0
    rotation_weight: ArrayLike = 1.0


@by_value
@dataclass(frozen=True)
class LookAtTarget:
    """`axis` (3) of a link or frame, from its `point` (3) [m], is to go through the world's point `at` (..., 3) [m].

    Where `point` is at `at`, to a nanometre, it looks nowhere: that counts as half a turn.
    """

    frame: str
    at: ArrayLike
    axis: ArrayLike = (1.0, 0.0, 0.0)
    point: ArrayLike = (0.0, 0.0, 0.0)
    weight: float = 1.0


@by_value
@dataclass(frozen=True)
class DirectionTarget:
    """`axis` (3) of a link or frame is to point along `direction` (..., 3) of the world; turning about it is free."""

    frame: str
    direction: ArrayLike
    axis: ArrayLike = (0.0, 0.0, 1.0)
    weight: float = 1.0


@by_value
@dataclass(frozen=True)
class ComTarget:
    """The centre of mass is to be at `position` (..., 3) [m] in world. Weight: a number, or (3) along its axes."""

    position: ArrayLike
    weight: ArrayLike = 1.0


Target = FrameTarget | LookAtTarget | DirectionTarget | ComTarget


@dataclass(frozen=True)
class Wanted:
    """One target as the C takes it, with `goal` (..., k) for each search; `name` for messages."""

    name: str
    kind: str
    place: Array
    axis: Array
    weight: Array
    goal: Array

    @property
    def unit(self) -> str:
        return "m" if self.kind in ("position", "centre") else "rad"

    @property
    def number(self) -> int:
        return list(TARGETS).index(self.kind)


def wanted(target: Target, frames: Places, model: str) -> Iterator[Wanted]:
    """What a target asks for. ModelError for an unknown frame and for numbers that make no sense."""
    match target:
        case FrameTarget():
            yield from _of_frame(target, _frame(target.frame, frames, model))
        case LookAtTarget():
            what, (place, offset) = f"look-at of '{target.frame}'", _frame(target.frame, frames, model)
            place, axis = _point(what, target.point, place, offset), offset[:3, :3] @ _unit(what, target.axis)
            goal = as_array(f"{what}: at", target.at, (3,))
            yield Wanted(what, "look_at", place, axis, _weight(what, target.weight, one=True), goal)
        case DirectionTarget():
            what, (place, offset) = f"direction of '{target.frame}'", _frame(target.frame, frames, model)
            axis, goal = offset[:3, :3] @ _unit(what, target.axis), _unit(what, target.direction, "direction", True)
            yield Wanted(what, "direction", place, axis, _weight(what, target.weight, one=True), goal)
        case ComTarget():
            what = "centre of mass"
            goal, weight = as_array(f"{what}: position", target.position, (3,)), _weight(what, target.weight)
            yield Wanted(what, "centre", np.zeros(4), np.array([1.0, 0.0, 0.0]), weight, goal)
        case _:
            raise ModelError(
                "targets: expected kg.FrameTarget, kg.LookAtTarget, kg.DirectionTarget or kg.ComTarget, got "
                f"{shown(target)}"
            )


def _of_frame(target: FrameTarget, found: tuple[Array, Array]) -> Iterator[Wanted]:
    place, offset = found
    if target.position is None and target.rotation is None:
        raise ModelError(f"target of '{target.frame}': give a position, a rotation or both")
    axis = np.array([1.0, 0.0, 0.0])
    if target.position is not None:
        what = f"position of '{target.frame}'"
        at, weight = _point(what, target.point, place, offset), _weight(what, target.position_weight)
        yield Wanted(what, "position", at, axis, weight, as_array(what, target.position, (3,)))
    if target.rotation is not None:
        what = f"rotation of '{target.frame}'"
        goal = _rotation(what, target.rotation) @ offset[:3, :3].T
        weight = _weight(what, target.rotation_weight)
        yield Wanted(what, "orientation", place, axis, weight, goal.reshape(*goal.shape[:-2], 9))


def _frame(name: object, frames: Places, model: str) -> tuple[Array, Array]:
    if not isinstance(name, str) or name not in frames:
        raise ModelError(f"targets: model '{model}' has no link or frame {shown(name)}{near(name, frames)}")
    place, offset = frames[name]
    if place[0] < 0.0:
        raise ModelError(f"targets: '{name}' is fixed to the world and cannot move; take a frame of a moving link")
    return place, offset


def _point(what: str, point: ArrayLike, place: Array, offset: Array) -> Array:
    """(4) [link, x, y, z] of a point of the frame, in the link's axes."""
    own = as_array(f"{what}: point", point, (3,), batch=False)
    return np.array([place[0], *(offset[:3, :3] @ own + offset[:3, 3])])


def _unit(what: str, value: ArrayLike, name: str = "axis", batch: bool = False) -> Array:
    array = as_array(f"{what}: {name}", value, (3,), batch=batch)
    size = np.linalg.norm(array, axis=-1, keepdims=True)
    if not (size > 1e-9).all():
        raise ModelError(f"{what}: {name} must not be zero")
    unit: Array = array / size
    return unit


def _weight(what: str, value: ArrayLike, one: bool = False) -> Array:
    """(3) not negative, and not all zero."""
    array = as_array(f"{what}: weight", value, () if one or np.ndim(value) == 0 else (3,), batch=False)
    if (array < 0.0).any() or not array.any():
        raise ModelError(f"{what}: weights must not be negative, and one must be positive, got {shown(value)}")
    return np.broadcast_to(array, (3,)).copy()


def _rotation(what: str, value: ArrayLike) -> Array:
    array = as_array(what, value, (3, 3))
    off = np.abs(array @ np.swapaxes(array, -1, -2) - np.eye(3)).max(initial=0.0)
    if off > 1e-6:
        raise ModelError(
            f"{what}: expected a rotation matrix, rows of unit length at right angles; it is off by {off:.3g}"
        )
    if (np.linalg.det(array) < 0.0).any():
        raise ModelError(f"{what}: expected a rotation matrix, got a reflection: turn one of its axes round")
    return array
