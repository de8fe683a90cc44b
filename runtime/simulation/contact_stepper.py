"""Time steps of a tree with contact: whole steps, and many of them, in one C call."""

from __future__ import annotations

from typing import Any

from ..arguments import Array
from ..contact.contacts import Contacts, Counts, Records
from ..contact.rows import RowForce
from ..contact.state import ContactState
from ..model.model import Model
from .stepper import Stepper
from .trajectory import SimulationError


class ContactStepper(Stepper):
    """Advances q, v in place by the C function `simulate_contact`; the contacts of a step start the next one."""

    def __init__(self, model: Model, integrator: str, dt: float, limits: bool, state: ContactState) -> None:
        super().__init__(model, integrator, dt, limits)
        self._simulate = getattr(model.module.lib, f"{model.manifest.prefix}_simulate_contact")
        self._state = state
        self._arguments: list[Any] = []

    def advance(self, q: Array, v: Array, tau: Array, n: int, every: int = 0) -> tuple[int, Array, Array]:
        """As without contact; the contacts of the first step and of each `every`-th after it are logged."""
        self._arguments = self._state.arguments(n, every)
        result = super().advance(q, v, tau, n, every)
        self._state.took(result[0])
        return result

    def failure(self) -> SimulationError | None:
        """Too many points for the room there is."""
        return self._state.failure()

    def contacts(self) -> Contacts:
        """Contacts of the last step."""
        return self._state.contacts()

    def rows(self) -> tuple[RowForce, ...]:
        """What rows beside contacts exerted in the last step."""
        return self._state.rows()

    def contact_log(self) -> tuple[Records, Counts] | None:
        """(records, number of them a step) of the steps that the last `advance` logged."""
        return self._state.logged()

    def place(self, q: Array, v: Array) -> None:
        """The forces of the last step say nothing about another state."""
        self._state.clear()

    def save(self) -> bytes:
        """The contacts, for `restore`."""
        return self._state.save()

    def restore(self, saved: bytes) -> None:
        self._state.restore(saved)

    def _extra(self) -> list[object]:
        return self._arguments
