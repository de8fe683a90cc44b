"""Servos that a scene gives to joints: gains, the largest force, and a motion to follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from kinegen.runtime.abi import JointSpec
from kinegen.runtime.arguments import Array
from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.stepping.given.servos import Servo

from .given import Given, coordinates, read_terms
from .toml_table import INF, Table


@dataclass(frozen=True)
class Served:
    """Gains and largest force, a number for all axes of the joint or one for each, and where it goes."""

    kp: ArrayLike
    kd: ArrayLike
    limit: ArrayLike
    motion: Given


def read_servos(table: Table) -> dict[str, Served]:
    """By joint, its table: kp, kd, limit and the terms of its motion."""
    found = {}
    for joint in table.unread():
        one = table.table(joint)
        kp, kd = (_by_axis(one.optional_numbers(gain, least=0.0) or (0.0,)) for gain in ("kp", "kd"))
        limit = _by_axis(one.optional_numbers("limit", least=0.0, endless=True) or (INF,))
        found[joint] = Served(kp, kd, limit, read_terms(one))
        one.done()
    return found


def servos(given: Mapping[str, Served], joints: Mapping[str, JointSpec]) -> dict[str, Servo] | None:
    """What `Simulator(servos=)` takes, which tells of joints that are not known. None if nothing is given."""
    found: dict[str, Servo] = {}
    for joint, one in given.items():
        spec = joints.get(joint)
        if spec and KINDS[spec.kind].group:
            if not one.motion.rests:
                raise ModelError(
                    f"servo: joint '{joint}': its coordinates do not add, so that it is held `at` a place; rate and "
                    "amplitude are for others"
                )
            found[joint] = Servo(one.kp, one.kd, _place(spec, one.motion.at), limit=one.limit)
            continue
        try:
            motion = one.motion.course(spec.nv if spec else 1)
        except ModelError as error:
            raise ModelError(f"servo: joint '{joint}': {error}") from error
        if one.motion.rests:
            found[joint] = Servo(one.kp, one.kd, motion(0.0)[0], limit=one.limit)
        else:
            found[joint] = Servo(one.kp, one.kd, _part(motion, 0), _part(motion, 1), limit=one.limit)
    return found or None


def retargeted(given: Mapping[str, Served], joint: str, target: tuple[float, ...], spec: JointSpec) -> Servo:
    """The servo of a joint with a place to be held at. ModelError where it asks for velocities alone."""
    one = given[joint]
    if not np.any(one.kp):
        raise ModelError(f"target of joint '{joint}': its servo has kp = 0, so that it goes nowhere; give it a kp")
    found = servos({joint: replace(one, motion=Given(at=target))}, {joint: spec})
    return (found or {})[joint]


def _by_axis(numbers: tuple[float, ...]) -> ArrayLike:
    """One is for all axes."""
    return numbers[0] if len(numbers) == 1 else numbers


def _place(joint: JointSpec, at: tuple[float, ...] | None) -> Array:
    """Where a joint is held whose coordinates do not add: neutral if that is not told."""
    return np.array(KINDS[joint.kind].neutral) if at is None else coordinates(joint, at)


def _part(motion: Callable[[float], tuple[Array, Array, Array]], k: int) -> Callable[[float], Array]:
    return lambda t: motion(t)[k]
