"""Time of a motion in steps of one length; between two steps only at an event."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from ..arguments import MOST_COUNTED, as_count, as_number
from ..errors import ModelError, shown
from ..thresholds import INSTANT

MANY = 32
"""Calls whose numbers of steps are added up anew whenever the time is asked for; after that once for all."""

Told = list[Any]
"""What C calls tell of the steps that they made."""


@dataclass(frozen=True)
class Clock:
    """`steps` whole steps of `dt` [s] done, and `within` [s] of the next one."""

    dt: float
    steps: int = 0
    within: float = 0.0

    @property
    def t(self) -> float:
        """Time [s]: a product, so that it does not drift."""
        return self.steps * self.dt + self.within

    def at(self, steps: Any, within: Any) -> Clock:
        """The same at another moment. ModelError if it is none."""
        inside = as_number("state: within", within)
        if not 0.0 <= inside < self.dt:
            raise ModelError(f"state: {shown(within)} s are not within a step of {self.dt:g} s")
        return Clock(self.dt, as_count("state: steps", steps, least=0), inside)

    @property
    def soon(self) -> float:
        """What is to happen until this time [s] happens now."""
        return self.t + INSTANT * self.dt

    def is_within(self, moment: float) -> bool:
        """`moment` [s] comes before the end of the present step."""
        return moment < (self.steps + 1 - INSTANT) * self.dt

    def over(self, moment: float) -> bool:
        """`moment` [s] is past."""
        return moment < self.t - INSTANT * self.dt

    def span(self, n: int, moment: float) -> tuple[int, float]:
        """(steps, length of each [s]) of the next call: up to n whole ones, less if something is to happen before."""
        if moment == inf and not self.within:
            return n, self.dt
        left = moment - self.t
        if self.within > 0.0:
            return 1, min(self.dt - self.within, left)
        if left >= self.dt * (1.0 - INSTANT):
            return int(min(n, left / self.dt + INSTANT)), self.dt
        return 1, left

    def after(self, count: int, part: float, length: float) -> Clock:
        """As `count` steps of `length` [s] were made, and `part` of one more (below 0: none)."""
        if length == self.dt and not self.within:
            steps, within = self.steps + count, max(part, 0.0) * length
        else:
            steps, within = self.steps, self.within + (length if count else max(part, 0.0) * length)
        return Clock(self.dt, steps + 1) if within >= self.dt * (1.0 - INSTANT) else Clock(self.dt, steps, within)


class Timekeeper:
    """The moment that a state is of, which C calls move on.

    Ctrl-C, or any other exception that comes from outside, may arrive between a call and what Python does after it. So
    the moment is no number that Python writes down then: it follows from what the calls themselves have told.
    """

    def __init__(self, clock: Clock) -> None:
        self._since: tuple[Clock, float | None, Told] = clock, None, []

    @property
    def clock(self) -> Clock:
        """The moment that the state is of."""
        clock, length, told = self._since
        if not told:
            return clock
        if length is None:
            return Clock(clock.dt, clock.steps + sum(told))
        count, part = told
        return clock.after(count, part, length)

    def set(self, clock: Clock) -> None:
        """It is this moment."""
        self._since = clock, None, []

    def call(self, length: float) -> Told:
        """Where a call of steps of `length` [s] is to tell how many it made, and what part of one more."""
        told: Told = []
        self._since = self.clock, length, told
        return told

    def calls(self) -> Told | None:
        """Where each call of whole steps alone is to tell how many it made; None between two steps, until `set`."""
        clock, length, told = self._since
        if length is not None or clock.within:
            return None
        if len(told) == MANY:
            self.set(self.clock)
            return self._since[2]
        return told


def steps_in(duration: float, dt: float) -> int:
    """How often dt [s] goes into `duration` [s], rounded. ModelError if it is negative or beyond what is counted."""
    length = as_number("duration", duration)
    if length < 0.0:
        raise ModelError(f"duration: expected a time of at least 0 s, got {shown(duration)}")
    if not length / dt <= MOST_COUNTED:
        raise ModelError(f"duration: {length:g} s are more steps of {dt:g} s than can be counted, {MOST_COUNTED}")
    return round(length / dt)
