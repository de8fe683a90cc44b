"""Keeps a motion on the closure of its loops: states put on it, what is remembered of it, warnings with names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arguments import Array
from ..errors import ClosureWarning, ModelError, SimulationError, warn
from ..kinds import locked_rows
from ..model.closed.closure import Closure, closed_within, dof_names, gaps_of, widest
from ..model.closed.judged import is_proven, lost_hold
from ..model.model import Model
from ..thresholds import LEADING, NOTICED_GAP, RATHER_LEADING
from .given.driven import Driven

Assemble = Callable[[Array, Driven | None], None]
"""q (nq) to the nearest closed configuration, in place; driven joints stay. ModelError where it cannot be closed."""


class Closing:
    """The loops of one motion of `model`; its memory of the closure goes along from call to call."""

    def __init__(self, model: Model, closure: Closure, parameters: Array, assemble: Assemble) -> None:
        self._model, self._parameters, self._assemble = model, parameters, assemble
        self._closure = self._plain = closure
        self.memory: Any = closure.new("memory")
        """The C struct that steps read and write."""
        self._size: int = model.module.ffi.sizeof(self.memory[0])
        self._warned = self._told = False
        self._driven: Driven | None = None

    def drive(self, driven: Driven) -> None:
        """Joints whose motion is given from here on: none of them follows from others."""
        self._driven, self._closure = (driven if driven.width else None), self._plain
        if self._driven is None:
            return
        manifest, ready = self._model.manifest, np.ones(self._model.nv)
        for joint in manifest.joints:
            ready[joint.v_start : joint.v_start + joint.nv] = RATHER_LEADING if joint.actuated else 1.0
        ready[driven.dof] = 0.0
        self._ready = ready  # the pointer of the closure does not own it
        self._closure = Closure(self._model.module, self._parameters, ready)

    def place(self, q: Array, v: Array) -> None:
        """q to the nearest closed configuration, v to a velocity on the closure, in place; the memory starts anew.

        ModelError if q cannot be closed; a warning tells of a gap that was worth mentioning.
        """
        self._assemble(q, self._driven)
        closure = self._closure
        closure.project(q, v)
        closure.function("begin")(closure.parameters, closure.pointer(q), closure.ready_pointer, self.memory)
        self.require_free(q, "driven", "start")
        self._find_branch(q, v)

    @property
    def ready(self) -> Array | None:
        """(nv) how ready each velocity is to follow from others; None for the usual."""
        return self._closure.ready

    @property
    def drives(self) -> bool:
        """Joints are driven, each of which needs a motion of its own."""
        return self._driven is not None

    def require_free(self, q: Array, what: str, begin: str) -> None:
        """ModelError unless the loops leave each driven joint a motion of its own; `what` asked for it, and can
        `begin` elsewhere."""
        if self._driven is None:
            return
        ready = np.ones(self._model.nv)
        rank = len(self._closure.split(q, ready).dependent)
        if len(self._closure.split(q).dependent) == rank:
            return
        ready[self._driven.dof] = LEADING
        split, names = self._closure.split(q, ready), dof_names(self._model.manifest)
        lost = [int(i) for i in self._driven.dof if i in split.dependent]
        free = self._model.nv - rank
        raise ModelError(
            f"{what}: {', '.join(self._driven.names)} cannot move as told: at this q the loops leave {free} "
            f"degree{'s' * (free != 1)} of freedom, and {', '.join(names[i] for i in lost)} follows from the others "
            f"(loop '{self._closure.loop_name(split, lost)}'); drive fewer joints or others, or {begin} off a dead "
            "point"
        )

    def state(self) -> tuple[int, int]:
        """Singular steps so far and the rank of the branch, for `tell`."""
        return self.memory.singular_steps, self.memory.full_rank

    def before(self, fresh: bool) -> tuple[int, int]:
        """For `tell`, before C goes on with a motion; `fresh`: before it starts one of which nothing was told yet."""
        if not fresh:
            return self.state()
        self.warn_again()
        return 0, self._model.nv - len(self._model.manifest.independent)

    def held(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Rows of K (ascending) and velocities that follow, by which the last step closed the loops."""
        partition, locked = self.memory.partition, locked_rows(loop.kind for loop in self._model.manifest.loops)
        rank = partition.rank
        rows, columns = (sorted(x[i] for i in range(rank)) for x in (partition.rows, partition.columns))
        return tuple(locked[i] for i in rows), tuple(columns)

    def tell(self, before: tuple[int, int]) -> None:
        """Warnings, once each, of what came up since `state` gave `before`."""
        singular, rank = before
        if self.memory.full_rank > rank and not self._told and not self._model.manifest.switches:
            self._told = True
            warn(self._changed(rank), ClosureWarning)
        if self.memory.singular_steps > singular and not self._warned:
            self._warned = True
            warn(self._singular(), ClosureWarning)

    def warn_again(self) -> None:
        """What was told is told once more."""
        self._warned = self._told = False

    @property
    def gap(self) -> float:
        """Largest residual of the loops in the states so far [m, rad]."""
        return float(self.memory.gap)

    def failure(self, stuck: int, dt: float) -> SimulationError | None:
        """Why fewer steps of dt [s] were done than asked for, if a loop is to blame; `stuck`: driven entry, from 1."""
        if self._driven and stuck:
            return SimulationError(
                f"joint '{self._driven.owner(stuck - 1)}' cannot move as it is told in the next step: the loops do not "
                "let it; drive fewer joints, or keep the motion away from dead points"
            )
        if not self.memory.open:
            return None
        told = f", or the motion of {', '.join(self._driven.names)}, which they may not reach" if self._driven else ""
        return SimulationError(
            f"loop '{self._loop()}' cannot be closed in the next step: a gap of {self.memory.missed:.3g} m or rad "
            f"stays; take a smaller dt (now {dt:g} s) or check torques and speeds{told}"
        )

    @property
    def cut_coordinates(self) -> Array:
        """Coordinates of the joints that close loops, with their turns as of the last step that counted them."""
        return np.array([self.memory.cut_q[i] for i in range(sum(loop.nq for loop in self._model.manifest.loops))])

    def count_from(self, coordinates: Array) -> None:
        """The turns of the joints that close loops are counted on from these."""
        for i, coordinate in enumerate(coordinates):
            self.memory.cut_q[i] = coordinate

    def save(self) -> bytes:
        """The memory, for `restore`."""
        return bytes(self._model.module.ffi.buffer(self.memory))

    @property
    def size(self) -> int:
        """Bytes that `save` gives."""
        return self._size

    def restore(self, saved: bytes) -> None:
        """Back to what `save` gave, of this size."""
        self._model.module.ffi.buffer(self.memory)[:] = saved

    def _find_branch(self, q: Array, v: Array) -> None:
        """The rank that the account of the closure goes by: that of the branch on which the motion starts.

        A warning tells if it is not the branch that the model was compiled for, and if branches cross at the start.
        """
        manifest = self._model.manifest
        if not manifest.independent or manifest.switches:  # or of loops that come and go
            return
        compiled = manifest.nv - len(manifest.independent)
        if self.memory.partition.rank == compiled:
            if not self._warned and not self._holds(q, v):
                self._warned = True
                warn(self._starts_singular(q, compiled + 1), ClosureWarning)
            self._require_motion(q)
            return
        self.memory.full_rank = rank = self._closure.rank_around(q, self._model.integrate)
        if self.memory.partition.rank < rank and not self._warned:
            self._warned = True
            warn(self._starts_singular(q, rank), ClosureWarning)
        if rank != compiled and not self._told:
            self._told = True
            warn(
                f"model '{manifest.name}' starts on a branch with {manifest.nv - rank} degrees of freedom, and was "
                f"compiled for one with {len(manifest.independent)}: every result holds, but none comes from the "
                "straight-line code; compile it for this branch by kg.compile(mechanism, at={joint: coordinate})",
                ClosureWarning,
            )

    def _holds(self, q: Array, v: Array) -> bool:
        """Whether the rank at the start is that of the loops, not one that rounding hides."""
        if not self._model.manifest.has("forward_dynamics"):
            return True
        return is_proven(self._model.kernel("forward_dynamics"), q, v, np.zeros(self._model.nv))

    def _require_motion(self, q: Array) -> None:
        """ModelError if K v = 0 allows a motion for an instant only, and so beside q too: nothing says then what
        resists it. At q alone, as where links are in line, a warning tells."""
        closure, integrate, difference = self._plain, self._model.integrate, self._model.difference
        entry = closure.momentary(q)
        if entry is None:
            return
        near, joint = closure.beside(q, integrate, difference), dof_names(self._model.manifest)[entry]
        what = f"the loops of model '{self._model.name}' let joint '{joint}' move for an instant only"
        if near is not None and closure.momentary(near) is not None:
            raise ModelError(
                f"{what}, wherever they are: their rows do not hold what their shape does not let go, so that a motion "
                "would depend on dt; make one of the joints that repeat each other's freedoms 'fixed'"
            )
        if not self._told:
            self._told = True
            warn(f"{what} at this q; how the motion goes on depends on dt", ClosureWarning)

    def _starts_singular(self, q: Array, rank: int) -> str:
        """The start holds fewer directions than the branch of this rank around it."""
        K = self._model.kernel("closure_rows")(q)
        return (
            f"model '{self._model.name}' starts at a singular configuration: "
            f"{lost_hold(self._model.manifest, K, min(rank, *K.shape) - 1)}; it stays closed within "
            f"{closed_within(self._model.manifest):.3g} m or rad, but may go on either way"
        )

    def _loop(self) -> str:
        return self._model.manifest.loops[int(self.memory.weak_row) // 6].name

    def _changed(self, before: int) -> str:
        nv, now = self._model.manifest.nv, self.memory.full_rank
        return (
            f"model '{self._model.name}' left the branch on which it started: it has {nv - now} degrees of freedom "
            f"now, {nv - before} before; the motion goes on with the loops' own rank"
        )

    def _singular(self) -> str:
        names, loop = dof_names(self._model.manifest), self._loop()
        flat = "; where its wheel lies nearly flat take a smaller dt" if loop in self._model.manifest.rolling else ""
        return (
            f"model '{self._model.name}' is near a singular configuration: loop '{loop}' loses its hold on "
            f"joint '{names[self.memory.weak_column]}' (smallest over largest pivot {self.memory.worst:.2g}); it "
            f"stays closed within {closed_within(self._model.manifest):.3g} m or rad, but may go on either way{flat}"
        )


def closing(model: Model) -> Closing | None:
    """What keeps a motion of a model of one structure closed; None of a tree."""
    if not model.manifest.closed:
        return None
    return Closing(model, model.closure, model.parameter_values(), lambda q, driven: _assemble(model, q, driven))


def _assemble(model: Model, q: Array, driven: Driven | None) -> None:
    offsets = model.kernel("closure_offsets")(q)
    loop, gap = widest(model.manifest, offsets)
    q[:] = model.assemble(q, hold=driven.names if driven else ())
    noticed = max(NOTICED_GAP * model.manifest.unit_length, closed_within(model.manifest))
    if gaps_of(model.manifest, offsets).max() > noticed:
        warn(
            f"q: loop '{loop}' of model '{model.name}' was open by {gap:.3g} m or rad; the motion "
            "starts from the nearest closed configuration, as model.assemble(q) gives it",
            ClosureWarning,
        )
