"""Time steps of a tree with contact: whole steps, and many of them, in one C call."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arguments import Array
from .contact import RECORD, ContactOptions, Contacts, Counts, Records, contacts_of
from .errors import ModelError
from .model import Model
from .stepper import Stepper
from .trajectory import SimulationError

LINE = 64
"""Bytes of a line of the processor's cache."""


class ContactStepper(Stepper):
    """Advances q, v in place by the C function `simulate_contact`; the contacts of a step start the next one."""

    def __init__(self, model: Model, integrator: str, dt: float, limits: bool, options: ContactOptions) -> None:
        super().__init__(model, integrator, dt, limits)
        if integrator != "semi_implicit":
            raise ModelError(
                f"integrator: contact is solved with 'semi_implicit' steps, got {integrator!r}; take that one, or "
                "contacts=False"
            )
        prefix, ffi = model.manifest.prefix, self._ffi
        self._simulate = getattr(model.module.lib, f"{prefix}_simulate_contact")
        self._contacts = ffi.new(f"{prefix}_contacts *")
        self._buffer, self._room = self._aligned(f"{prefix}_contact_room")
        self._options = ffi.new(
            f"{prefix}_contact_options *",
            {
                "tolerance": options.tolerance,
                "allowed": options.depth,
                "recovery": options.recovery,
                "recovery_speed": options.recovery_speed,
                "bounce": options.bounce,
                "sweeps": options.sweeps,
            },
        )
        self._record = f"{prefix}_contact[]"
        self._pairs = model.manifest.touching
        self._log: list[Any] = []
        self._logged = self._none_logged()

    def advance(self, q: Array, v: Array, tau: Array, n: int, every: int = 0) -> tuple[int, Array, Array]:
        """As for trees; the contacts of the first step and of each `every`-th after it are logged."""
        interval = every or max(n, 1)
        steps = -(-n // interval)
        records = np.empty(steps * self._model.manifest.contact_room, dtype=RECORD)
        counts = np.zeros(steps, dtype=np.int64)
        ffi = self._ffi
        log = ffi.from_buffer(self._record, records) if steps else self._none
        count = ffi.from_buffer("long[]", counts) if steps else self._none
        self._log = [self._options, self._contacts, self._room, interval, log, count]
        result = super().advance(q, v, tau, n, every)
        self._logged = self._shapes_only(records, counts[: -(-result[0] // interval)])
        return result

    def failure(self) -> SimulationError | None:
        """Too many points for the room there is."""
        room = self._model.manifest.contact_room
        if self._contacts.found <= room:
            return None
        return SimulationError(
            f"the shapes of model '{self._model.name}' meet in {self._contacts.found} points in the next step, but "
            f"there is room for {room}: exclude pairs of links, or give them simpler shapes"
        )

    def contacts(self) -> Contacts:
        """Contacts of the last step."""
        c = self._contacts
        buffer = self._ffi.buffer(c.points, c.count * RECORD.itemsize) if c.count else b""
        records, _ = self._shapes_only(np.frombuffer(buffer, dtype=RECORD), np.array([c.count]))
        return contacts_of(records, self._pairs, c.sweeps, c.residual)

    def contact_log(self) -> tuple[Records, Counts] | None:
        """(records, number of them a step) of the steps that the last `advance` logged."""
        return self._logged

    def place(self, q: Array, v: Array) -> None:
        """The forces of the last step say nothing about another state."""
        self._contacts.count = self._contacts.found = 0

    def save(self) -> bytes:
        """The contacts, for `restore`."""
        return bytes(self._ffi.buffer(self._contacts))

    def restore(self, saved: bytes) -> None:
        if len(saved) != self._ffi.sizeof(self._contacts[0]):
            raise ModelError(f"state: it belongs to another model than '{self._model.name}'")
        self._ffi.buffer(self._contacts)[:] = saved

    def _extra(self) -> list[object]:
        return self._log

    def _aligned(self, name: str) -> tuple[Any, Any]:
        """Zeroed memory, and a pointer to a struct in it that starts with a line of the cache."""
        ffi = self._ffi
        buffer = ffi.new("char[]", ffi.sizeof(name) + LINE)
        address = int(ffi.cast("intptr_t", buffer))
        return buffer, ffi.cast(f"{name} *", address + -address % LINE)

    def _shapes_only(self, records: Records, counts: Counts) -> tuple[Records, Counts]:
        """Without the joints at their limits, which are solved along with the contacts."""
        records = records[: int(counts.sum())]
        own = records["pair"] < len(self._pairs)
        steps = np.repeat(np.arange(counts.size), counts)
        return records[own], np.bincount(steps[own], minlength=counts.size)

    @staticmethod
    def _none_logged() -> tuple[Records, Counts]:
        return np.empty(0, dtype=RECORD), np.empty(0, dtype=np.int64)
