"""When which foot is where: phases of support, paths of both soles, where the floor shall press."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np

from kinegen.runtime.arguments import Array, as_number
from kinegen.runtime.errors import ModelError

from .biped import Biped
from .footsteps import Footstep

MOST = 1_000_000
"""Samples of a pattern."""


@dataclass(frozen=True)
class StepTiming:
    """Seconds on one foot (`single`) and on both (`double`) in a step, on both feet first and last (`stand`); height
    `lift` [m] of a swinging sole.
    """

    single: float = 0.65
    double: float = 0.2
    stand: float = 1.8
    lift: float = 0.05

    def __post_init__(self) -> None:
        for part in fields(self):
            number = as_number(f"StepTiming: {part.name}", getattr(self, part.name), positive=True)
            object.__setattr__(self, part.name, number)


@dataclass(frozen=True)
class Phase:
    """Samples [`first`, `last`) on both feet, or while `swings` (0 left, 1 right) goes to its step; `number` of the
    step that follows or is made, from 1; `begin`, `end`: where both soles are before and after.
    """

    first: int
    last: int
    number: int
    swings: int | None
    begin: tuple[Footstep, Footstep]
    end: tuple[Footstep, Footstep]


def phases(steps: Sequence[Footstep], timing: StepTiming, dt: float) -> tuple[Phase, ...]:
    """Both feet, one foot, both feet, ... as the steps follow each other."""
    return tuple(_phases(steps, timing, dt))


def _phases(steps: Sequence[Footstep], timing: StepTiming, dt: float) -> Iterator[Phase]:
    feet = steps[0], steps[1]
    now = timing.stand
    first, last = 0, round((now + timing.double) / dt)
    for number, step in enumerate(steps[2:], start=1):
        yield Phase(first, last, number, None, feet, feet)
        after = (step, feet[1]) if step.side == 0 else (feet[0], step)
        now += timing.double + timing.single
        first, last = last, round(now / dt)
        yield Phase(first, last, number, step.side, feet, after)
        feet, first, last = after, last, round((now + timing.double) / dt)
    yield Phase(first, round((now + timing.double + timing.stand) / dt) + 1, len(steps) - 2, None, feet, feet)


@dataclass(frozen=True)
class Plan:
    """Over samples (n): `soles` (n, 2, 4) x, y, z [m] and yaw [rad] of both, `zmp` (n, 2) [m] that is wanted, `corners`
    (n, k, 3) [m] of the soles on the floor, NaN for those in the air.
    """

    soles: Array
    zmp: Array
    corners: Array
    phases: tuple[Phase, ...]
    dt: float

    def when(self, sample: int) -> str:
        """For messages."""
        return f"step {self.phase(sample).number}, t = {sample * self.dt:.3f} s"

    def phase(self, sample: int) -> Phase:
        """The one that a sample belongs to."""
        return next(phase for phase in self.phases if phase.first <= sample < phase.last)


def plan(robot: Biped, steps: Sequence[Footstep], timing: StepTiming, dt: float) -> Plan:
    """Soles swing by polynomials of fifth order, up and down by one of sixth; the ZMP rests below the foot that
    stands, and goes from foot to foot while both do."""
    lasts = 2.0 * timing.stand + (len(steps) - 2) * (timing.single + timing.double) + timing.double
    if not lasts < MOST * dt:
        raise ModelError(f"walking pattern: more than {MOST} samples of {dt:g} s; take a longer dt or fewer steps")
    parts = phases(steps, timing, dt)
    if any(phase.last - phase.first < 2 for phase in parts):
        raise ModelError(
            f"walking pattern: dt = {dt:g} s is longer than half a phase of the timing; take a shorter one"
        )
    n = parts[-1].last
    soles = np.empty((n, 2, 4))
    counts = [len(sole.corners) for sole in robot.soles]
    corners = np.full((n, sum(counts), 3), np.nan)
    marks: list[tuple[int, Array]] = []
    for phase in parts:
        rows = slice(phase.first, phase.last)
        s = (np.arange(phase.last - phase.first) / (phase.last - phase.first))[:, None]
        for side, sole in enumerate(robot.soles):
            begin, end = _place(phase.begin[side]), _place(phase.end[side])
            soles[rows, side] = begin + (end - begin) * s**3 * (10 - 15 * s + 6 * s**2)
            if phase.swings == side:
                soles[rows, side, 2] = timing.lift * 64.0 * (s**3 * (1.0 - s) ** 3)[:, 0]
            else:
                own = slice(side * counts[0], side * counts[0] + counts[side])
                corners[rows, own] = sole.on(phase.begin[side])
        if phase.swings is not None:
            stands = _place(phase.begin[1 - phase.swings])[:2]
            marks += [(phase.first, stands), (phase.last, stands)]
    begin, end = (_middle(feet) for feet in (parts[0].begin, parts[-1].end))
    marks = [(marks[0][0] - round(timing.double / dt), begin), *marks, (marks[-1][0] + round(timing.double / dt), end)]
    at, places = np.array([sample for sample, _ in marks]), np.array([place for _, place in marks])
    zmp = np.stack([np.interp(np.arange(n), at, places[:, i]) for i in range(2)], axis=1)
    return Plan(soles, zmp, corners, parts, dt)


def _place(step: Footstep) -> Array:
    return np.array([step.x, step.y, 0.0, step.yaw])


def _middle(feet: Sequence[Footstep]) -> Array:
    return np.asarray(np.mean([_place(foot)[:2] for foot in feet], axis=0))
