"""Motions that a scene gives to joints: held, turned at a constant rate, shaken by a sine."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.runtime.abi import JointSpec
from kinegen.runtime.arguments import Array
from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.stepping.given.driven import Course
from kinegen.runtime.thresholds import ROUNDED

from .toml_table import Table

TERMS = ("at", "rate", "amplitude", "frequency", "phase")


@dataclass(frozen=True)
class Given:
    """The motion at + rate t + amplitude sin(2π frequency t + phase) of a joint, in m or rad, s and Hz; a number for
    each of its coordinates, or one for all. `at` None: 0, or neutral where coordinates do not add."""

    at: tuple[float, ...] | None = None
    rate: tuple[float, ...] = (0.0,)
    amplitude: tuple[float, ...] = (0.0,)
    frequency: tuple[float, ...] = (0.0,)
    phase: tuple[float, ...] = (0.0,)

    @property
    def rests(self) -> bool:
        return not any((*self.rate, *self.amplitude))

    def course(self, size: int) -> Callable[[float], tuple[Array, Array, Array]]:
        """(q, v, a) (size each) at time t [s]. ModelError if the numbers are not that many."""
        at, rate, amplitude, frequency, phase = (self._numbers(term, size) for term in TERMS)
        speed = 2.0 * np.pi * frequency

        def motion(t: float) -> tuple[Array, Array, Array]:
            sine, cosine = amplitude * np.sin(speed * t + phase), amplitude * np.cos(speed * t + phase)
            return at + rate * t + sine, rate + speed * cosine, -(speed**2) * sine

        return motion

    def _numbers(self, term: str, size: int) -> Array:
        values: tuple[float, ...] = getattr(self, term) or (0.0,)
        if len(values) not in (1, size):
            raise ModelError(f"{term}: expected {size} number{'s' * (size != 1)}, got {len(values)}")
        return np.broadcast_to(np.array(values), (size,))


def expect(joint: str, numbers: Sequence[float] | Array, size: int, what: str) -> None:
    """ModelError unless there are so many."""
    if len(numbers) != size:
        raise ModelError(f"{what} of joint '{joint}': expected {size} number{'s' * (size != 1)}, got {len(numbers)}")


def coordinates(joint: JointSpec, numbers: Sequence[float] | Array) -> Array:
    """(nq_j); rotations that were rounded are made unit again. ModelError for another number of them, and for
    rotations that are further off."""
    expect(joint.name, numbers, joint.nq, "q")
    entries, kind = np.array(numbers), KINDS[joint.kind]
    if kind.rotation is None:
        return entries
    norm = math.hypot(*entries[kind.rotation])
    if abs(norm - 1.0) > ROUNDED:
        names = " ".join(kind.entries(0)[kind.rotation])
        raise ModelError(f"q of joint '{joint.name}': [{names}] has norm {norm:.9g}, expected 1; divide it by its norm")
    entries[kind.rotation] /= norm
    return entries


def read_given(table: Table) -> dict[str, Given]:
    """By joint: a number or list at which it is held, or a table with the terms of its motion."""
    found = {}
    for joint in table.unread():
        if not table.is_table(joint):
            found[joint] = Given(table.numbers(joint))
            continue
        one = table.table(joint)
        found[joint] = read_terms(one)
        one.done()
    return found


def read_terms(table: Table) -> Given:
    """The terms of a motion that a table has."""
    terms = {term: values for term in TERMS if (values := table.optional_numbers(term)) is not None}
    return Given(**terms)


def courses(given: Mapping[str, Given], sizes: Mapping[str, int]) -> dict[str, Course] | None:
    """What `Simulator(driven=)` takes; `sizes`: velocities of each joint. None if nothing is given."""
    found: dict[str, Course] = {}
    for joint, motion in given.items():
        try:
            found[joint] = motion.course(sizes.get(joint, 1))  # joints that are not known are told by the simulator
        except ModelError as error:
            raise ModelError(f"driven: joint '{joint}': {error}") from error
    return found or None
