"""What drives a simulation: torques, external wrenches, joints whose motion is given."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np

from ..arguments import Array
from ..stepping.given.drive import Controller, Torques
from ..stepping.given.driven import Course
from ..stepping.given.loads import WrenchController, Wrenches
from ..stepping.given.servos import Servo
from .motion import Motion

_Told = TypeVar("_Told")


def unchangeable(told: _Told) -> _Told:
    """A mapping, or an array that nobody else has, that refuses to be written into: no simulation would notice."""
    if isinstance(told, np.ndarray):
        told.flags.writeable = False
    return cast(_Told, MappingProxyType(told)) if isinstance(told, Mapping) else told


class Inputs:
    """What drives one motion; each may be assigned while it rests, not written into; rows then count from the present
    step."""

    def __init__(self, motion: Motion) -> None:
        self._motion = motion

    @property
    def tau(self) -> Any:
        """What drives the joints; may be assigned, rows then count from the present step."""
        return unchangeable(self._motion.drives.tau.given)

    @tau.setter
    def tau(self, value: Torques | Controller | None) -> None:
        self._motion.drive_by(value)

    @property
    def wrenches(self) -> Any:
        """External wrenches on links; may be assigned, rows then count from the present step."""
        return unchangeable(self._motion.drives.wrenches.given)

    @wrenches.setter
    def wrenches(self, value: Wrenches | WrenchController | None) -> None:
        self._motion.load_by(value)

    @property
    def driven(self) -> Mapping[str, Course]:
        """Joints whose motion is given; may be assigned, the state then goes to where they are to be."""
        return unchangeable(self._motion.drives.driven.given)

    @driven.setter
    def driven(self, value: Mapping[str, Course] | None) -> None:
        self._motion.move_by(value)

    @property
    def servos(self) -> Mapping[str, Servo]:
        """Servos of joints; may be assigned, rows then count from the present step."""
        return unchangeable(self._motion.drives.servos.given)

    @servos.setter
    def servos(self, value: Mapping[str, Servo] | None) -> None:
        self._motion.serve_by(value)

    @property
    def serving(self) -> Mapping[str, Array]:
        """(nv_j) torques [N m, N] that servos exerted in the last step, by joint; empty before it."""
        served = self._motion.served.copy()
        return self._motion.drives.servos.torques(served) if served.size else {}

    @property
    def driving(self) -> Mapping[str, Array]:
        """(nv_j) torques [N m, N] with which the driven joints moved in the last step, by joint; empty before it."""
        exerted = self._motion.exerted.copy()
        return self._motion.drives.driven.torques(exerted) if exerted.size else {}
