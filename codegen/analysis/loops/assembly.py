"""Loops as numbers: gaps and rows of a mechanism, and the way to its closed configurations (§8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS

from ...mechanism.elements.joint import Joint
from ...mechanism.mechanism import Mechanism
from ...mechanism.types import NEUTRAL, ROTATION_PART
from ...program.evaluate import numeric
from ...symbolic.derivatives.closure import derive_coordinate_rates
from ...symbolic.functions import derive
from ..sparsity import damped_step
from .lengths import is_closed, unit_length

Array = npt.NDArray[np.float64]

TRIES = 12  # reference configurations looked at before the best one is taken
PATIENCE = 80  # configurations looked at before a loop is said to be open


class Assembly:
    """Gap and rows of a mechanism as numbers, and Newton's way to a closed configuration.

    Lengths of gaps, rows, screws and steps are in units of `length` [m] (`unit_length`), coordinates q in metres.
    """

    def __init__(self, mechanism: Mechanism, values: Sequence[float]) -> None:
        self.mechanism, self.values, self.length = mechanism, list(values), unit_length(mechanism)
        linear = [x for body in mechanism.tree.bodies if body.nv for x in KINDS[body.joint.kind].linear]
        self.units = np.where(linear, self.length, 1.0)
        """(nv) [m] or [rad] of a step of one."""
        gap, rows = self._kernel("closure_residual", "gap"), self._kernel("closure_rows", "K")
        self._gap: Callable[[Array], Array] = lambda q: self._by_length(gap(q))
        self._rows: Callable[[Array], Array] = lambda q: self._by_length(rows(q)) * self.units

    def _kernel(self, name: str, output: str) -> Callable[[Array], Array]:
        call = numeric(derive(self.mechanism, name))

        def at(q: Array) -> Array:
            try:
                return call({"q": q.tolist(), "p": self.values})[output]
            except ZeroDivisionError as error:  # lengths in the plane of a wheel
                rolling = [repr(loop.joint.name) for loop in self.mechanism.virtual_links if loop.joint.wheel]
                raise ModelError(
                    f"mechanism '{self.mechanism.name}': where it starts a wheel lies flat on what it rolls on, and "
                    f"touches it at no one point ({', '.join(rolling)}); give its joints another start=, or compile "
                    "with at={joint: ...}"
                ) from error

        return at

    def told(self, gap: Array) -> float:
        """The largest entry of a gap in metres or radians."""
        return float(np.abs(gap.reshape(-1, 2, 3) * ((self.length,), (1.0,))).max())

    def rows(self, q: Array) -> Array:
        return self._rows(q)

    def gap(self, q: Array) -> Array:
        return self._gap(q)

    def screws(self, q: Array) -> Array:
        """(6L, N_J) J_C: columns of the tree, then of the cut joints."""
        return self._screws(q)

    @cached_property
    def _screws(self) -> Callable[[Array], Array]:
        screws = self._kernel("closure_jacobian", "J_C")
        return lambda q: self._by_length(screws(q))

    def _by_length(self, rows: Array) -> Array:
        """Six rows a loop, the linear ones in units of `length`."""
        sizes = np.tile(np.repeat((self.length, 1.0), 3), len(rows) // 6)
        measured: Array = rows / (sizes if rows.ndim == 1 else sizes[:, None])
        return measured

    def links(self) -> list[tuple[str, str]]:
        """The two links of the joint of every column of `screws`."""
        tree = [body.joint for body in self.mechanism.tree.bodies for _ in range(body.nv)]
        cut = [loop.joint for loop in self.mechanism.virtual_links for _ in range(loop.joint.nv)]
        return [(joint.parent, joint.child) for joint in (*tree, *cut)]

    def of_first(self, loops: int) -> Assembly:
        """The same with the first loops only."""
        part, gap, rows = copy(self), self._gap, self._rows
        part._gap, part._rows = lambda q: gap(q)[: 6 * loops], lambda q: rows(q)[: 6 * loops]
        return part

    def of_moving(self, moving: Array) -> Assembly:
        """The same where only velocities with 1 in `moving` (nv) move."""
        part, rows = copy(self), self._rows
        part._rows = lambda q: rows(q) * moving
        return part

    def given(self, at: Mapping[str, Sequence[float]]) -> tuple[Array, Array]:
        """(q, moving): the start with these coordinates of joints, and 0 at their velocities."""
        q, moving = self.start(np.random.default_rng(0), 0.0), np.ones(self.mechanism.tree.nv)
        bodies = {body.joint.name: body for body in self.mechanism.tree.bodies if body.nv}
        for name, values in at.items():
            body = bodies[name]
            q[body.q_start : body.q_start + body.nq] = values
            moving[body.v_start : body.v_start + body.nv] = 0.0
        return q, moving

    def tries(self) -> Iterator[tuple[Array, Array]]:
        """(q, gap) of assembling from the neutral configuration and from others ever further away.

        Goes on beyond TRIES while none is closed.
        """
        rng = np.random.default_rng(0)
        found = False
        for attempt in range(PATIENCE):
            if found and attempt >= TRIES:
                return
            q, gap = self.assembled(self.start(rng, 0.0 if attempt == 0 else 0.15 * min(attempt, TRIES)))
            found = found or is_closed(gap)
            yield q, gap

    def start(self, rng: np.random.Generator, spread: float) -> Array:
        bodies = [body for body in self.mechanism.tree.bodies if body.nv]
        q = np.concatenate([np.array(b.joint.begin or _resting(b.joint)) for b in bodies])
        return self.moved(q, spread * rng.normal(size=self.mechanism.tree.nv))

    def away(self, asked: Array, q: Array, moving: Array) -> float:
        """The largest change of a coordinate whose velocity has 0 in `moving` (nv), in units; of rotations by the
        chord."""
        largest = 0.0
        for body in self.mechanism.tree.bodies:
            own = slice(body.v_start, body.v_start + body.nv)
            if not body.nv or moving[own].any():
                continue
            before, after = (x[body.q_start : body.q_start + body.nq] for x in (asked, q))
            change, turned = after - before, ROTATION_PART.get(body.joint.kind)
            if turned is None:
                change /= self.units[own]
            else:
                change[turned] = min(after[turned] - before[turned], after[turned] + before[turned], key=np.linalg.norm)
                change[: turned.start] /= self.length
            largest = max(largest, float(np.abs(change).max()))
        return largest

    def assembled(self, q: Array, longest: float = np.inf) -> tuple[Array, Array]:
        """Levenberg–Marquardt by steps of which no entry is beyond `longest`: (q, gap)."""
        gap, damping = self._gap(q), 1e-3
        for _ in range(200):
            if np.abs(gap).max() < 1e-13:
                break
            K = self._rows(q)
            try:
                step = damped_step(K, gap, damping)
            except np.linalg.LinAlgError:  # so little damping is rounding beside KᵀK
                damping *= 10.0
                continue
            tried = self.moved(q, step / max(1.0, float(np.abs(step).max(initial=0.0)) / longest))
            tried_gap = self._gap(tried)
            if tried_gap @ tried_gap < gap @ gap:
                q, gap, damping = tried, tried_gap, max(damping * 0.1, 1e-15)
            elif damping > 1e6:
                break
            else:
                damping *= 10.0
        return q, gap

    def moved(self, q: Array, step: Array) -> Array:
        """q moved by a small step; rotations by first order and normalised."""
        rate = self._rates({"q": q.tolist(), "v": (step * self.units).tolist()})["qd"]
        moved: Array = q + rate
        for body in self.mechanism.tree.bodies:
            if body.nv and body.joint.kind in ROTATION_PART:
                rotation = moved[body.q_start : body.q_start + body.nq][ROTATION_PART[body.joint.kind]]
                rotation /= np.linalg.norm(rotation)
        return moved

    @cached_property
    def _rates(self) -> Callable[[Mapping[str, Sequence[float]]], dict[str, Array]]:
        return numeric(derive_coordinate_rates(self.mechanism))


def _resting(joint: Joint) -> tuple[float, ...]:
    """(nq) where the joint's spring is slack, neutral where that is a symbol."""
    known = tuple(float(x) for x in joint.rest if isinstance(x, (int, float)))
    return known if len(known) == joint.nq else NEUTRAL[joint.kind]
