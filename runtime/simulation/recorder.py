"""States of a run, collected in blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..arguments import Array, require_memory
from ..contact.contacts import ContactHistory, Counts, Records
from ..model.model import Model
from ..structs import SOURCES
from ..topology.events import Event
from ..topology.extension import moved_parameters, moved_state, moved_torques
from .stepper import Advance, Stepper
from .trajectory import Trajectory


class Sink(Protocol):
    """What takes the states of a motion: (k) times, (k, nq), (k, nv) states, (k, width) torques of their steps if it
    keeps `torques`, else none (0), and work (k, 7, nv) until then."""

    torques: bool
    last_tau: Array

    def add(
        self, t: Array, q: Array, v: Array, tau: Array, structure: Array | None = None, work: Array | None = None
    ) -> None: ...

    def add_contacts(self, logged: tuple[Records, Counts] | None) -> None: ...


@dataclass(frozen=True)
class Start:
    """Where a call of many steps begins that are recorded: whole steps done, copies of q and v, the work until then."""

    step: int
    q: Array
    v: Array
    work: Array | None


def record(
    sink: Sink, start: Start | None, made: Advance, every: int | None, exerted: Callable[[Any], Array], by: Stepper
) -> None:
    """The states from which the steps of the last call went, each `every`-th; None: one part of a step was made.

    `exerted`: (k, width) torques in steps of it; no states without a start.
    """
    if sink.torques:
        sink.last_tau = exerted(np.array([max(made.done - 1, 0)]))
    if start is None:
        return
    at = np.arange(0, made.begun, every) if every else np.zeros(1, dtype=np.intp)
    t = np.asarray((start.step + at) * by.dt, dtype=np.float64)
    states = np.vstack([start.q, made.q_log])[: at.size], np.vstack([start.v, made.v_log])[: at.size]
    tau = exerted(at) if sink.torques else np.zeros(0)
    work = None
    if start.work is not None and made.work_log is not None:
        work = np.concatenate([start.work[None], made.work_log])[: at.size]
    sink.add(t, *states, tau, by.structure, work)
    sink.add_contacts(by.contact_log())


class Recorder:
    """Collects (k) times, (k, nq) and (k, nv) states, (k, width) torques of the steps that start there."""

    torques = True

    def __init__(self, model: Model) -> None:
        self._model = model
        self._blocks: list[tuple[Array, Array, Array, Array]] = []
        self.last_tau: Array = np.zeros((1, model.nv + sum(joint.nv for joint in model.manifest.loops)))
        self.events: list[Event] = []  # of this run
        self._contacts: list[tuple[Records, Counts]] = []
        self._pairs, self._first_pair = model.manifest.touching, 0
        self._structures: list[Array] = []  # parameters, each other than the one before it
        self._lengths: list[int] = []
        self._work: list[Array] = []

    def require_room(self, states: int, work: bool = False) -> None:
        """ModelError if so many states, which are put together at the end, do not fit into this machine."""
        width = 1 + self._model.nq + self._model.nv * (1 + work * len(SOURCES)) + self.last_tau.shape[1]
        require_memory(f"a recording of {states:,} states", 2 * states * width, "record fewer (every=...)")

    def add(
        self, t: Array, q: Array, v: Array, tau: Array, structure: Array | None = None, work: Array | None = None
    ) -> None:
        """`structure`: the parameters that tell what is connected in these states, where that changes; `work`: where it
        is summed up."""
        self._blocks.append((t, q, v, tau))
        if work is not None:
            self._work.append(work)
        if structure is None:
            return
        if not self._structures or not np.array_equal(self._structures[-1], structure):
            self._structures.append(structure.copy())
            self._lengths.append(0)
        self._lengths[-1] += len(t)

    def move(self, model: Model) -> None:
        """What was recorded as states of a larger model, as if it had been there from the beginning."""
        old, self._model = self._model, model
        if self._blocks:
            t, q, v, tau = (np.concatenate(column) for column in zip(*self._blocks, strict=True))
            self._blocks = [(t, *moved_state(old, model, q, v), moved_torques(old, model, tau))]
        self._structures = [moved_parameters(old, model, values) for values in self._structures]
        self.last_tau = moved_torques(old, model, self.last_tau)
        self._pairs, self._first_pair = self._pairs + model.manifest.touching, len(self._pairs)

    def add_contacts(self, logged: tuple[Records, Counts] | None) -> None:
        """Records and their number for each of the states added last; None without contact."""
        if logged is not None:
            records, counts = logged
            if self._first_pair:
                records["pair"] += self._first_pair
            self._contacts.append((records, counts))

    def trajectory(self) -> Trajectory:
        t, q, v, tau = (np.concatenate(column) for column in zip(*self._blocks, strict=True))
        model = self._model
        joints = model.manifest.joints
        own, cut = tau[:, : model.nv], tau[:, model.nv :]
        return Trajectory(
            t,
            q,
            v,
            own,
            name=model.name,
            joints=joints,
            events=self.events,
            model=model,
            contacts=self._history(len(t)),
            cut_tau=cut if cut.shape[1] else None,
            structures=np.array(self._structures) if self._structures else None,
            work=np.concatenate(self._work) if self._work else None,
            structure_of=np.repeat(np.arange(len(self._lengths)), self._lengths) if self._structures else None,
        )

    def _history(self, states: int) -> ContactHistory | None:
        """The contacts of the last state are not known: they belong to a step that was not made."""
        if not self._pairs or not self._contacts:
            return None
        counts = np.zeros(states, dtype=np.int64)
        known = np.concatenate([count for _, count in self._contacts])
        counts[: known.size] = known
        starts = np.concatenate([[0], np.cumsum(counts)])
        records = np.concatenate([records for records, _ in self._contacts])
        return ContactHistory(starts, records, self._pairs)
