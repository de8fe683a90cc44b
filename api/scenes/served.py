"""Servos that a scene gives to joints: gains, the largest force, and a motion to follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from kinegen.runtime.abi import JointSpec
from kinegen.runtime.arguments import Array
from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.simulation.given.servos import Servo

from .given import Given, coordinates, read_terms
from .toml_table import Table


@dataclass(frozen=True)
class Served:
    """Gains, largest force (None: any), and where it goes."""

    kp: float
    kd: float
    limit: float | None
    motion: Given


def read_servos(table: Table) -> dict[str, Served]:
    """By joint, its table: kp, kd, limit and the terms of its motion."""
    found = {}
    for joint in table.unread():
        one = table.table(joint)
        kp, kd = one.number("kp", 0.0, least=0.0), one.number("kd", 0.0, least=0.0)
        limits = one.optional_numbers("limit", 1)
        found[joint] = Served(kp, kd, limits[0] if limits else None, read_terms(one))
        one.done()
    return found


def servos(given: Mapping[str, Served], joints: Mapping[str, JointSpec]) -> dict[str, Servo] | None:
    """What `Simulator(servos=)` takes, which tells of joints that are not known. None if nothing is given."""
    found: dict[str, Servo] = {}
    for joint, one in given.items():
        limit = {} if one.limit is None else {"limit": one.limit}
        spec = joints.get(joint)
        if spec and KINDS[spec.kind].group:
            if not one.motion.rests:
                raise ModelError(
                    f"servo: joint '{joint}': its coordinates do not add, so that it is held `at` a place; rate and "
                    "amplitude are for others"
                )
            found[joint] = Servo(one.kp, one.kd, _place(spec, one.motion.at), **limit)
            continue
        try:
            motion = one.motion.course(spec.nv if spec else 1)
        except ModelError as error:
            raise ModelError(f"servo: joint '{joint}': {error}") from error
        if one.motion.rests:
            found[joint] = Servo(one.kp, one.kd, motion(0.0)[0], **limit)
        else:
            found[joint] = Servo(one.kp, one.kd, _part(motion, 0), _part(motion, 1), **limit)
    return found or None


def retargeted(given: Mapping[str, Served], joint: str, target: tuple[float, ...], spec: JointSpec) -> Servo:
    """The servo of a joint with a place to be held at. ModelError where it asks for velocities alone."""
    one = given[joint]
    if one.kp == 0.0:
        raise ModelError(f"target of joint '{joint}': its servo has kp = 0, so that it goes nowhere; give it a kp")
    found = servos({joint: replace(one, motion=Given(at=target))}, {joint: spec})
    return (found or {})[joint]


def _place(joint: JointSpec, at: tuple[float, ...]) -> Array:
    """Where a joint is held whose coordinates do not add: neutral if that is not told."""
    return np.array(KINDS[joint.kind].neutral) if at == Given().at else coordinates(joint, at)


def _part(motion: Callable[[float], tuple[Array, Array, Array]], k: int) -> Callable[[float], Array]:
    return lambda t: motion(t)[k]
