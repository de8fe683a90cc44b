"""Time of a motion in steps of one length; between two steps only at an event."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from ..arguments import MOST, as_count, as_number
from ..errors import ModelError, shown

INSTANT = 1e-9
"""Part of a step within which two moments are the same."""


@dataclass
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

    def advance(self, count: int, part: float, length: float) -> None:
        """`count` steps of `length` [s] were made, and `part` of one more (below 0: none)."""
        if length == self.dt and not self.within:
            self.steps += count
            self.within = max(part, 0.0) * length
        else:
            self.within += length if count else max(part, 0.0) * length
        if self.within >= self.dt * (1.0 - INSTANT):
            self.steps, self.within = self.steps + 1, 0.0


def steps_in(duration: float, dt: float) -> int:
    """How often dt [s] goes into `duration` [s], rounded. ModelError if it is negative or beyond what is counted."""
    length = as_number("duration", duration)
    if length < 0.0:
        raise ModelError(f"duration: expected a time of at least 0 s, got {shown(duration)}")
    if not length / dt <= MOST:
        raise ModelError(f"duration: {length:g} s are more steps of {dt:g} s than can be counted, {MOST}")
    return round(length / dt)
