"""States of a run, collected in blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ..arguments import Array, require_memory
from ..contact.contacts import ContactHistory, Counts, Records
from ..events.agenda import Event
from ..model.model import Model
from ..stepping.stepper import Advance, Stepper
from ..structs import SOURCES
from ..topology.extension import moved_parameters, moved_state, moved_torques
from .trajectory import Trajectory


class Sink(Protocol):
    """What takes the states of a motion, with the torques of their steps if it keeps `torques`.

    `parameters`: those of the last block, which all blocks of the same share.
    """

    torques: bool
    last_tau: Array
    parameters: bytes

    def add(self, block: Block) -> None: ...


@dataclass(frozen=True)
class Start:
    """Where a call of many steps begins that are recorded: whole steps done, copies of q and v, the work until then.

    `within` [s]: of the next step, with which the call goes on; its state is recorded already if it began in this run.
    """

    step: int
    q: Array
    v: Array
    work: Array | None
    within: float = 0.0


@dataclass(frozen=True)
class Block:
    """(k) times, (k, nq), (k, nv) states, (k, width) torques of their steps or none (0), bytes of the parameters
    (P) of all of them, those that tell what is connected too; where known, work (k, 7, nv) until then, and contacts.

    `start`: of the call that the states are of; None: they are of none. `length` [s]: of the last step or part of one
    that it made. `begun` [s]: what of the step of the last state was over where its record begins.
    """

    t: Array
    q: Array
    v: Array
    tau: Array
    parameters: bytes
    work: Array | None = None
    contacts: tuple[Records, Counts] | None = None
    start: Start | None = None
    length: float = 0.0
    begun: float = 0.0

    def begins(self) -> Block:
        """The same of a part of a step, as the first that is recorded of this step."""
        within = self.start.within if self.start else 0.0
        return replace(self, t=self.t + within, begun=within)

    def goes_on_in(self, part: Block) -> bool:
        """`part` is of the step of the last state."""
        return bool(self.t[-1] == part.t[0] + self.begun)

    def joined(self, part: Block) -> Block:
        """With one more part of the step of the last state: torques and forces are means over what was made of it.

        Contacts of all parts stand one after the other, each where it was, with its share in the mean force.
        """
        assert part.start is not None
        share = part.length / (part.start.within - self.begun + part.length)
        tau, contacts = self.tau.copy(), self.contacts
        if tau.size:
            tau[-1] += share * (part.tau[0] - tau[-1])
        if contacts is not None and part.contacts is not None:
            (records, counts), (more, added) = contacts, part.contacts
            records, counts, first = np.concatenate([records, more]), counts.copy(), len(records)
            for name in ("force", "moment"):
                records[name][first - counts[-1] : first] *= 1.0 - share
                records[name][first:] *= share
            counts[-1] += added[0]
            contacts = records, counts
        return replace(self, tau=tau, contacts=contacts, start=part.start)


def record(
    sink: Sink,
    start: Start | None,
    made: Advance,
    length: float,
    every: int | None,
    exerted: Callable[[Any], Array],
    by: Stepper,
) -> None:
    """The states from which the steps of the last call, of `length` [s] each, went, each `every`-th; None: one part of
    a step was made.

    `exerted`: (k, width) torques in steps of it; no states without a start.
    """
    at = np.arange(0, made.begun, every) if every else np.zeros(1, dtype=np.intp)
    tau = exerted(at) if sink.torques and start else np.zeros(0)
    if sink.torques:
        sink.last_tau = tau if start and made.begun == 1 else exerted(np.array([max(made.done - 1, 0)]))
    if start is None:
        return
    t = np.asarray((start.step + at) * by.dt, dtype=np.float64)
    states = start.q[None], start.v[None]
    if at.size > 1:
        states = np.vstack([start.q, made.q_log])[: at.size], np.vstack([start.v, made.v_log])[: at.size]
    work = None
    if start.work is not None and made.work_log is not None:
        work = np.concatenate([start.work[None], made.work_log])[: at.size]
    length *= made.part if made.part > 0.0 else 1.0
    if (parameters := by.values.tobytes()) != sink.parameters:
        sink.parameters = parameters
    sink.add(Block(t, *states, tau, sink.parameters, work, by.contact_log(), start, length))


class Recorder:
    """Collects states and the torques of the steps that start there."""

    torques = True
    parameters = b""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._blocks: list[Block] = []
        self.last_tau: Array = np.zeros((1, model.nv + sum(joint.nv for joint in model.manifest.loops)))
        self.events: list[Event] = []  # of this run
        self._pairs, self._first_pair = model.manifest.touching, 0

    def require_room(self, states: int, work: bool = False) -> None:
        """ModelError if so many states, which are put together at the end, do not fit into this machine."""
        width = 1 + self._model.nq + self._model.nv * (1 + work * len(SOURCES)) + self.last_tau.shape[1]
        require_memory(f"a recording of {states:,} states", 2 * states * width, "record fewer (every=...)")

    def add(self, block: Block) -> None:
        """All of it or, where an exception arrives from outside, nothing; what is known of the last call is so."""
        last = self._blocks[-1] if self._blocks else None
        if last is not None and last.start is not None and last.start is block.start:
            return
        if block.contacts is not None and self._first_pair:
            block.contacts[0]["pair"] += self._first_pair
        if block.start is not None and block.start.within:
            if last is not None and last.goes_on_in(block):
                self._blocks[-1] = last.joined(block)
                return
            block = block.begins()  # a run that begins within this step, or went back into it
        self._blocks.append(block)

    def move(self, model: Model) -> None:
        """What was recorded as states of a larger model, as if it had been there from the beginning."""
        old, self._model = self._model, model
        if self._blocks:
            self._blocks = self._moved(old, model)
        self.last_tau = moved_torques(old, model, self.last_tau)
        self._pairs, self._first_pair = self._pairs + model.manifest.touching, len(self._pairs)

    def _moved(self, old: Model, model: Model) -> list[Block]:
        """The blocks as those of a larger model; states go over together, because they go on without a jump."""
        _, q, v, tau = self._columns()
        q, v = moved_state(old, model, q, v)
        tau, ends, found = moved_torques(old, model, tau), np.cumsum([len(b.t) for b in self._blocks]), list[Block]()
        for i, (block, end) in enumerate(zip(self._blocks, ends, strict=True)):
            if not i or block.parameters != self._blocks[i - 1].parameters:
                parameters = moved_parameters(old, model, np.frombuffer(block.parameters)).tobytes()
            at = slice(end - len(block.t), end)
            found.append(replace(block, q=q[at], v=v[at], tau=tau[at], parameters=parameters))
        return found

    def _columns(self) -> tuple[Array, Array, Array, Array]:
        """All t, q, v, tau."""
        blocks = self._blocks
        t, q = np.concatenate([block.t for block in blocks]), np.concatenate([block.q for block in blocks])
        return t, q, np.concatenate([block.v for block in blocks]), np.concatenate([block.tau for block in blocks])

    def trajectory(self) -> Trajectory:
        t, q, v, tau = self._columns()
        model = self._model
        structures, structure_of = self._structures()
        work = [block.work for block in self._blocks if block.work is not None]
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
            structures=structures,
            work=np.concatenate(work) if work else None,
            structure_of=structure_of,
        )

    def _structures(self) -> tuple[Array | None, Any]:
        """Parameters, each other than those before it, and which of them each state has; None of a model of one
        structure whose parameters stayed what they were."""
        found, which = list[bytes](), list[int]()
        for block in self._blocks:
            if not (found and found[-1] == block.parameters):
                found.append(block.parameters)
            which.append(len(found) - 1)
        if len(found) == 1 and not self._model.manifest.switches:
            return None, None
        return np.array([*map(np.frombuffer, found)]), np.repeat(which, [len(block.t) for block in self._blocks])

    def _history(self, states: int) -> ContactHistory | None:
        """The contacts of the last state are not known: they belong to a step that was not made."""
        logged = [block.contacts for block in self._blocks if block.contacts is not None]
        if not self._pairs or not logged:
            return None
        counts = np.zeros(states, dtype=np.int64)
        known = np.concatenate([count for _, count in logged])
        counts[: known.size] = known
        starts = np.concatenate([[0], np.cumsum(counts)])
        records = np.concatenate([records for records, _ in logged])
        return ContactHistory(starts, records, self._pairs)
