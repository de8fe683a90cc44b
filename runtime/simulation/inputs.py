"""What drives a simulation, as its properties: torques, external wrenches, joints whose motion is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arguments import Array
from .given.drive import Controller, Torques
from .given.driven import Course
from .given.loads import WrenchController, Wrenches
from .given.servos import Servo
from .motion import Motion


class Inputs:
    """Each may be assigned while a motion rests; rows then count from the present step."""

    _motion: Motion

    @property
    def tau(self) -> Any:
        """What drives the joints; may be assigned, rows then count from the present step."""
        return self._motion.drive.given

    @tau.setter
    def tau(self, value: Torques | Controller | None) -> None:
        self._motion.drive_by(value)

    @property
    def wrenches(self) -> Any:
        """External wrenches on links; may be assigned, rows then count from the present step."""
        return self._motion.loads.given

    @wrenches.setter
    def wrenches(self, value: Wrenches | WrenchController | None) -> None:
        self._motion.load_by(value)

    @property
    def driven(self) -> Mapping[str, Course]:
        """Joints whose motion is given; may be assigned, the state then goes to where they are to be."""
        return self._motion.driven.given

    @driven.setter
    def driven(self, value: Mapping[str, Course] | None) -> None:
        self._motion.move_by(value)

    @property
    def servos(self) -> Mapping[str, Servo]:
        """Servos of joints; may be assigned, rows then count from the present step."""
        return self._motion.servos.given

    @servos.setter
    def servos(self, value: Mapping[str, Servo] | None) -> None:
        self._motion.serve_by(value)

    @property
    def serving(self) -> Mapping[str, Array]:
        """(nv_j) torques [N m, N] that servos exerted in the last step, by joint; empty before it."""
        served = self._motion.served
        return self._motion.servos.torques(served) if served.size else {}

    @property
    def driving(self) -> Mapping[str, Array]:
        """(nv_j) torques [N m, N] with which the driven joints moved in the last step, by joint; empty before it."""
        exerted = self._motion.exerted
        return self._motion.driven.torques(exerted) if exerted.size else {}
