"""Where the map of a step with contact has a kink, in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arguments import Array
from ...contact.cones import BOUNDED, NORMAL, ConeProblem
from ...contact.newton import units
from ...errors import ModelError

KINK = 1e-8
"""Velocity [m/s, rad/s], over 1 + the fastest, this near to which a row is at its kink."""

STILL = 1e-12
"""The same of what corrects a way by the mean of its velocities, often by as little as dt²: from here on it is told."""

ON = 1e-12
"""Gap [m, rad] that counts as none."""


class Kink(ModelError):
    """Here the map of a step is not smooth."""


def kink(model: str, what: str) -> Kink:
    """The error that says so, and where."""
    return Kink(f"model '{model}': {what}: here the step has a kink and no derivatives; differentiate beside it")


class Modes:
    """What each of k blocks of rows does in a step: `told` "parts", "slips" or "sticks", of a limit "parts" or
    "presses".

    By y = f − v in units of 1/√K, of which the impulses are the projection on the cones.
    """

    def __init__(self, problem: ConeProblem, near: float = KINK) -> None:
        self.problem, self._unit = problem, units(problem)
        v = problem.velocity(problem.f)
        self._y = problem.f / self._unit - self._unit * v
        speed = float(np.abs(problem.b - problem.target).max(initial=0.0))
        self._near = near * (1.0 + speed)
        self.told = [self._mode(i) for i in range(len(problem.bound))]

    @property
    def live(self) -> list[int]:
        """Blocks that may exert something."""
        return [i for i, mode in enumerate(self.told) if mode not in ("parts", "nothing")]

    def kinks(self) -> Iterator[tuple[int, str]]:
        """The blocks that are at a kink, and what is about to change there."""
        for i, mode in enumerate(self.told):
            if mode != "nothing" and (word := self._bends(i)):
                yield i, word

    def _bends(self, i: int) -> str:
        unit, normal = self._unit[3 * i], self._y[3 * i]
        kind, point = self.problem.kind[3 * i], int(self.problem.point[i])
        if point >= 0:
            if self.told[i] == "parts":
                return ""
            height = self._unit[3 * point] * self._y[3 * point]
            about, across = abs(normal) - self.problem.torsion[i] * height / unit, self._reserve(i, height / unit)
            near = (self.problem.torsion[i] > 0.0 and abs(about) <= self._near * unit) or self._is_near(across, i)
            return "just begins to turn" if near else ""
        if kind == BOUNDED:
            beyond = abs(normal) - self.problem.bound[i] / unit
            return "just begins to slip" if abs(beyond) <= self._near * unit else ""
        if abs(normal) <= self._near * unit:
            return "just touches, and neither presses nor parts"
        slips = normal > 0.0 and self._is_near(self._reserve(i, normal), i)
        return "just begins to slip" if slips else ""

    def _reserve(self, i: int, height: float) -> float:
        """How far friction is from its limit."""
        return float(np.hypot(*self._tangents(i)) - self.problem.bound[i] * height)

    def _is_near(self, beyond: float, i: int) -> bool:
        moves = bool((self.problem.kind[3 * i + 1 : 3 * i + 3] > 0).any())
        return moves and self.problem.bound[i] > 0.0 and abs(beyond) <= self._near * self._unit[3 * i]

    def _tangents(self, i: int) -> Array:
        rows = slice(3 * i + 1, 3 * i + 3)
        found: Array = np.where(self.problem.kind[rows] > 0, self._y[rows], 0.0)
        return found

    def _mode(self, i: int) -> str:
        kind, point = self.problem.kind[3 * i : 3 * i + 3], int(self.problem.point[i])
        if not kind.any():
            return "nothing"
        if point >= 0:
            height = self._y[3 * point] * self._unit[3 * point] / self._unit[3 * i]
            turns = abs(self._y[3 * i]) > self.problem.torsion[i] * height or self._reserve(i, height) > 0.0
            return "parts" if height <= 0.0 else "slips" if turns else "sticks"
        if kind[0] == BOUNDED:
            return "sticks" if abs(self._y[3 * i]) * self._unit[3 * i] <= self.problem.bound[i] else "slips"
        if kind[0] != NORMAL or self._y[3 * i] <= 0.0:
            return "parts"
        if not kind[1:].any():
            return "presses"
        return "slips" if self._reserve(i, self._y[3 * i]) > 0.0 or not self.problem.bound[i] else "sticks"
