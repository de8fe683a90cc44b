"""Time steps of a closed mechanism: states put on the closure, many steps in one C call, warnings with names."""

from __future__ import annotations

import warnings

import numpy as np

from ..arguments import Array
from ..contact.contacts import Contacts, Counts, Records
from ..contact.state import ContactState
from ..errors import ClosureWarning, ModelError
from ..model.closure import CLOSED, dof_names
from ..model.model import Model
from .stepper import Stepper
from .trajectory import SimulationError

NOTICED = 1e-6
"""Gap [m, rad] of a given q above which closing it is worth a word: rounded numbers pass silently."""


class ClosedStepper(Stepper):
    """Advances q, v in place by the C function `simulate_closed`; its memory goes along from call to call.

    `state`: contact, None for none.
    """

    def __init__(
        self, model: Model, integrator: str, dt: float, limits: bool = False, state: ContactState | None = None
    ) -> None:
        super().__init__(model, integrator, dt, limits)
        self._state = state
        self._arguments = self._contact_arguments(0, 0)
        self._closure = model.closure
        self._simulate = self._closure.function("simulate_closed")
        self._memory = self._closure.new("memory")
        self._limit_dt = dt if limits else 0.0
        self._warned = False

    def place(self, q: Array, v: Array) -> None:
        """q to the nearest closed configuration, v to a velocity on the closure, in place; the memory starts anew.

        ModelError if q cannot be closed; a warning tells of a gap that was worth mentioning.
        """
        given = np.abs(self._model.closure_residual(q)).reshape(-1, 6).max(axis=1)
        q[:] = self._model.assemble(q)
        if given.max() > NOTICED:
            loop = self._model.manifest.loops[int(given.argmax())].name
            warnings.warn(
                f"q: loop '{loop}' of model '{self._model.name}' was open by {given.max():.3g} m or rad; the motion "
                "starts from the nearest closed configuration, as model.assemble(q) gives it",
                ClosureWarning,
                stacklevel=4,
            )
        self._begin(q, v)

    def advance(self, q: Array, v: Array, tau: Array, n: int, every: int = 0) -> tuple[int, Array, Array]:
        """As for trees; every state that is handed out is closed within 1e-10 m or rad."""
        before = self._memory.singular_steps
        self._arguments = self._contact_arguments(n, every)
        result = super().advance(q, v, tau, n, every)
        if self._state:
            self._state.took(result[0])
        if self._memory.singular_steps > before and not self._warned:
            self._warned = True
            warnings.warn(self._singular(), ClosureWarning, stacklevel=5)
        return result

    @property
    def gap(self) -> float:
        return float(self._memory.gap)

    def failure(self) -> SimulationError | None:
        """Why fewer steps were done than asked for, if a loop or the number of contacts is to blame."""
        if not self._memory.open:
            return self._state.failure() if self._state else None
        return SimulationError(
            f"loop '{self._loop()}' cannot be closed in the next step: a gap of {self._memory.gap:.3g} m or rad stays; "
            f"take a smaller dt (now {self._dt:g} s) or check torques and speeds"
        )

    def contacts(self) -> Contacts:
        """Contacts of the last step. ModelError where there is no contact."""
        return self._state.contacts() if self._state else super().contacts()

    def contact_log(self) -> tuple[Records, Counts] | None:
        """(records, number of them a step) of the steps that were logged last; None without contact."""
        return self._state.logged() if self._state else None

    def save(self) -> bytes:
        """The memory and the contacts, for `restore`."""
        return bytes(self._ffi.buffer(self._memory)) + (self._state.save() if self._state else b"")

    def restore(self, saved: bytes) -> None:
        size = self._ffi.sizeof(self._memory[0])
        if len(saved) != size + (self._state.size if self._state else 0):
            raise ModelError(f"state: it belongs to another model than '{self._model.name}'")
        self._ffi.buffer(self._memory)[:] = saved[:size]
        if self._state:
            self._state.restore(saved[size:])

    def _begin(self, q: Array, v: Array) -> None:
        """v onto the closure, in place; memory and contacts start anew."""
        closure = self._closure
        closure.project(q, v)
        closure.function("begin")(*closure.leading, closure.pointer(q), closure.ready_pointer, self._memory)
        self._memory.limit_dt = self._limit_dt
        if self._state:
            self._state.clear()

    def _contact_arguments(self, n: int, every: int) -> list[object]:
        """Last arguments of the C functions, none where it was compiled without contact."""
        if self._state:
            return self._state.arguments(n, every)
        return [*[self._none] * 3, 0, *[self._none] * 2] if self._model.manifest.touching else []

    def _extra(self) -> list[object]:
        return [self._memory, *self._arguments]

    def _loop(self) -> str:
        return self._model.manifest.loops[int(self._memory.weak_row) // 6].name

    def _singular(self) -> str:
        names = dof_names(self._model.manifest)
        return (
            f"model '{self._model.name}' is near a singular configuration: loop '{self._loop()}' loses its hold on "
            f"joint '{names[self._memory.weak_column]}' (smallest over largest pivot {self._memory.worst:.2g}); it "
            f"stays closed within {CLOSED:g} m or rad, but may go on either way"
        )
