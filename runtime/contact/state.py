"""What the C of contact keeps from step to step and writes down on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ModelError, SimulationError, about, shown
from ..model.model import Model
from ..structs import OPTION_NUMBERS
from .cones import ConeProblem
from .contacts import RECORD, ContactOptions, Contacts, Counts, Records, contacts_of
from .exact import require_clarabel, solve_exactly
from .exact_step import SolverCall
from .rows import RowForce, row_forces

DEFAULT = ContactOptions()

LINE = 64
"""Bytes of a line of the processor's cache."""


@about("contacts")
def contact_state(model: Model, given: bool | ContactOptions | None) -> ContactState | None:
    """The constraint rows of a simulator: shapes that touch, by default where they may, joint limits, held rows.

    None where the model has none. ModelError where shapes are asked for but none were compiled, where options are given
    but no row is solved, or where shapes are to be left out but held rows are not.
    """
    manifest = model.manifest
    if not isinstance(given, bool | ContactOptions | None):
        raise ModelError(f"contacts: expected True, False or ContactOptions, got {shown(given)}")
    solved = manifest.contact_capacity if isinstance(given, ContactOptions) else manifest.touching or manifest.rows
    if given and not solved:
        beside = ", limits or rows, which options are for" if isinstance(given, ContactOptions) else ""
        raise ModelError(f"contacts: model '{model.name}' was compiled without contacts{beside}; leave contacts=None")
    if given is False and manifest.touching and manifest.rows:
        raise ModelError(f"contacts: model '{model.name}' holds rows in that solver; compile it with contacts=False")
    if not manifest.contact_capacity:
        return None
    shapes = given is not False and bool(manifest.touching)
    return ContactState(model, given if isinstance(given, ContactOptions) else DEFAULT, shapes)


class ContactState:
    """Options, rows of the last step, which start the next one, a workspace, and a log; `shapes`: they touch."""

    def __init__(self, model: Model, options: ContactOptions, shapes: bool = True) -> None:
        prefix, ffi = model.manifest.prefix, model.module.ffi
        self.options, self.shapes, self._model = options, shapes, model
        self._name, self._manifest, self._ffi = model.name, model.manifest, ffi
        self._contacts = ffi.new(f"{prefix}_contacts *")
        arrays = {name: field for name, field in ffi.typeof(self._contacts[0]).fields if field.type.kind == "array"}
        self._head = min(field.offset for field in arrays.values())
        self._arrays = [(name, ffi.sizeof(field.type.item)) for name, field in arrays.items()]
        self._entry = sum(size for _, size in self._arrays)
        self._buffer, self._workspace = self._aligned(f"{prefix}_contact_workspace")
        self._options = ffi.new(
            f"{prefix}_contact_options *", {name: getattr(options, name) for name in OPTION_NUMBERS}
        )
        self._call: SolverCall | None = None
        if options.solver == "exact":
            require_clarabel()
            self.solve_by(SolverCall(model, solve_exactly))
        self._record = f"{prefix}_contact[]"
        self._records, self._counts, self._interval = np.empty(0, dtype=RECORD), np.zeros(0, dtype=np.int64), 1
        self._logged: tuple[Records, Counts] = (self._records, self._counts)

    def solve_by(self, call: SolverCall) -> None:
        """From here on, each step's problem is solved by this."""
        self._call, self._options.solve = call, call.pointer

    def problem(self) -> ConeProblem:
        """What the last step solved, if it pushed nothing out of a depth: K, b, and the impulses found."""
        call = self._call or SolverCall(self._model, solve_exactly)
        return call.problem(self._contacts.count, self._workspace)

    def prepare(self, simulation: Any, limits: bool, n: int, every: int) -> None:
        """The struct of n steps told of the rows; contacts of the first step and each `every`-th after are logged."""
        simulation.limits, simulation.shapes = limits, self.shapes
        if not (limits or self.shapes or self._manifest.rows):
            simulation.workspace = self._ffi.NULL
            return
        simulation.options, simulation.contacts, simulation.workspace = self._options, self._contacts, self._workspace
        self._interval = every or max(n, 1)
        steps = -(-n // self._interval) if self.shapes or self._manifest.rows else 0
        self._records = np.empty(steps * self._manifest.contact_capacity, dtype=RECORD)
        self._counts = np.zeros(steps, dtype=np.int64)
        ffi = self._ffi
        simulation.log_every = self._interval if steps else 0
        simulation.contact_log = ffi.from_buffer(self._record, self._records) if steps else ffi.NULL
        simulation.contact_count = ffi.from_buffer("long[]", self._counts) if steps else ffi.NULL

    def took(self, steps: int) -> None:
        """So many steps were begun: what the log holds of them is `logged`."""
        self._logged = self._records, self._counts[: -(-steps // self._interval)]

    def logged(self) -> tuple[Records, Counts]:
        """(records, number of them a step) of the steps that the last call logged."""
        return self._shapes_only(*self._logged)

    def failure(self) -> SimulationError | None:
        """Too many points for the room there is, a locked row that does not hold, or a solver that failed."""
        if self._call and self._call.error:
            return SimulationError(str(self._call.error))
        if self._contacts.open:
            row = self._manifest.rows[self._contacts.open - 1]
            return SimulationError(
                f"the rows of '{row.name}' ({row.kind} between '{row.parent}' and '{row.child}') do not hold in the "
                "next step: more than 1e-2 m or rad off and going further; take a smaller dt, start closed, or check "
                "that the loop's links fit each other"
            )
        room = self._manifest.contact_capacity
        if self._contacts.found <= room:
            return None
        return SimulationError(
            f"the shapes of model '{self._name}' meet in {self._contacts.found} points in the next step, but "
            f"there is room for {room}: exclude pairs of links, or give them simpler shapes"
        )

    def records(self) -> Records:
        """All rows of the last step, a copy: points, limits, moments, then rows that always hold."""
        c = self._contacts
        buffer = self._ffi.buffer(c.points, c.count * RECORD.itemsize) if c.count else b""
        return np.frombuffer(buffer, dtype=RECORD).copy()

    def contacts(self) -> Contacts:
        """Contacts of the last step."""
        c, records = self._contacts, self.records()
        return contacts_of(records[self._of_shapes(records)], self._manifest.touching, c.sweeps, c.residual)

    def rows(self) -> tuple[RowForce, ...]:
        """What rows beside contacts exerted in the last step."""
        return row_forces(self.records(), self._manifest.rows)

    def clear(self) -> None:
        """The forces of the last step say nothing about another state."""
        self._contacts.count = self._contacts.found = self._contacts.open = 0

    def save(self) -> bytes:
        """The contacts, for `restore`: `count` and the like (`_head` bytes), then so many entries of each array."""
        return b"".join(bytes(part) for part in self._parts(self._contacts.count))

    def fits(self, saved: bytes) -> bool:
        """`save` may have given this, of any motion of the model."""
        if len(saved) < self._head:
            return False
        count = int(self._ffi.from_buffer("long[]", saved[: self._ffi.sizeof("long")])[0])
        return 0 <= count <= self._manifest.contact_capacity and len(saved) == self._head + count * self._entry

    def restore(self, saved: bytes) -> None:
        """Back to what `save` gave."""
        self._ffi.buffer(self._contacts, self._head)[:] = saved[: self._head]
        start = self._head
        for part in self._parts(self._contacts.count)[1:]:
            part[:] = saved[start : start + len(part)]
            start += len(part)

    def _parts(self, count: int) -> list[Any]:
        """What the struct begins with (`count` first of all), and `count` entries of each of its arrays."""
        c, ffi = self._contacts, self._ffi
        return [ffi.buffer(c, self._head), *(ffi.buffer(getattr(c, name), count * size) for name, size in self._arrays)]

    def _aligned(self, name: str) -> tuple[Any, Any]:
        """Zeroed memory, and a pointer to a struct in it that starts with a line of the cache."""
        ffi = self._ffi
        buffer = ffi.new("char[]", ffi.sizeof(name) + LINE)
        address = int(ffi.cast("intptr_t", buffer))
        return buffer, ffi.cast(f"{name} *", address + -address % LINE)

    def _shapes_only(self, records: Records, counts: Counts) -> tuple[Records, Counts]:
        """Without the joints at their limits, which are solved along with the contacts."""
        records = records[: int(counts.sum())]
        own = self._of_shapes(records)
        steps = np.repeat(np.arange(counts.size), counts)
        return records[own], np.bincount(steps[own], minlength=counts.size)

    def _of_shapes(self, records: Records) -> npt.NDArray[np.bool_]:
        """(k) which of them are contacts of shapes; they have the first numbers."""
        chosen: npt.NDArray[np.bool_] = records["pair"] < len(self._manifest.touching)
        return chosen
