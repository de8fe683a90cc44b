"""Rows of contact where a mechanism stands, and how they move with it and with parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...abi import RowSpec
from ...arguments import Array
from ...contact.cones import BOUNDED, NORMAL, ConeProblem
from ...contact.contacts import Records
from ...contact.exact_step import SolverCall
from ...errors import ModelError
from ...model.bounds import bounded_coordinates
from ...model.model import Model
from ...rotations import skew
from ...simulation.simulator import Simulator, motion_of
from ..differences import WEIGHTS
from ..rows import Moving, Rows

STEPS = 1e-4, 1e-6
"""Ways [m, rad, or part of a parameter] apart at which points are looked at, until they move smoothly between."""

SMOOTH = 1e-7
"""Part of a step by which the eighth difference may be off zero: a kink within it leaves more."""

SIZE = 9
"""Numbers told of a row: gap, point, normal, two bounds."""


@dataclass(frozen=True)
class Rates:
    """Rates by the independent coordinates `leaders`, then by parameters (columns): `rows` (3k, nv, columns) as they
    meet velocities, `pulls` as they pull, `gaps` (k, columns), `bounds` (2, k, columns)."""

    rows: Array
    pulls: Array
    gaps: Array
    bounds: Array
    leaders: tuple[int, ...]

    def along(self, by: Array, x: Moving) -> Array:
        """Of rates by independent coordinates and parameters, to all columns of x."""
        n, count = len(self.leaders), self.gaps.shape[1] - len(self.leaders)
        found: Array = by[:, :n] @ x.dq[list(self.leaders)]
        found[:, found.shape[1] - count :] += by[:, n:]
        return found


Look = Callable[[Model, Array], Simulator]
"""A simulator before the step, of the model with other parameters, at another q."""


class Points:
    """The rows `live` of a step, by number among all of them."""

    def __init__(self, held: Rows, records: Records, problem: ConeProblem, live: Sequence[int], look: Look) -> None:
        self.model, self._held, self._records, self._problem, self._look = held.model, held, records, problem, look
        self.live, self._leaders = list(live), held.model.loops.leaders
        self._keys = [(int(records[i]["pair"]), int(records[i]["feature"])) for i in self.live]
        self._across = [_across(records[i]["normal"]) for i in self.live]
        self._pairs, self._limits = self.model.manifest.touching, bounded_coordinates(self.model.manifest)

    def name(self, i: int) -> str:
        """Of row i among all of the step, as a message tells it."""
        record, first = self._records[i], len(self._pairs)
        pair = int(record["pair"])
        if pair >= first and self._problem.kind[3 * i] == NORMAL:
            return f"the limit of joint '{self._limits[pair - first].name}'"
        if self._problem.kind[3 * i] == BOUNDED:
            return f"dry friction of joint '{self._friction(i).name}'"
        if self._problem.point[i] >= 0:
            return f"turning at {self.name(int(self._problem.point[i]))}"
        where = ", ".join(f"{x:.4g}" for x in record["point"])
        return f"the point between '{self._pairs[pair][0]}' and '{self._pairs[pair][1]}' at ({where})"

    def rows(self, q: Array, told: Array) -> Array:
        """(..., 3k, nv) velocities along the rows per v, at q (..., nq); told (..., k, SIZE) as `_told` tells."""
        batch = q.shape[:-1]
        found = np.zeros((*batch, len(self.live), 3, self.model.nv))
        for e, i in enumerate(self.live):
            pair, kind = self._keys[e][0], int(self._problem.kind[3 * i])
            if kind == BOUNDED:
                found[..., e, 0, :] = self._coordinate(q, self._friction(i).dof)
            elif pair >= len(self._pairs) and kind == NORMAL:
                way = self._records[i]["normal"][0]
                found[..., e, 0, :] = way * self._coordinate(q, self._limits[pair - len(self._pairs)].v)
            else:
                found[..., e, :, :] = self._along(e, i, q, told[..., e, :])
        return found.reshape(*batch, 3 * len(self.live), self.model.nv)

    def led(self, q: Array, rows: Array) -> Array:
        """(..., 3k, nv) rows as they meet velocities: those of points on links by independent ones alone (§11)."""
        first, found = len(self._pairs), rows.copy()
        own = [key[0] < first or self._problem.point[i] >= 0 for key, i in zip(self._keys, self.live, strict=True)]
        on_links = np.repeat(np.array(own, dtype=bool), 3)
        found[..., on_links, :] = self._held.led(q, rows[..., on_links, :])
        return found

    def here(self, q: Array) -> tuple[Array, Array]:
        """(3k, nv) rows at the start of the step, as they pull and as they meet velocities."""
        told = np.array([_numbers(self._records[i], self._problem, i) for i in self.live]).reshape(-1, SIZE)
        rows = self.rows(q, told)
        return rows, self.led(q, rows)

    def impulses(self, f: Array) -> Array:
        """(3k) along the rows here, of those of all that a problem of the step has."""
        found = np.zeros((len(self.live), 3))
        for e, i in enumerate(self.live):
            own, record = f[3 * i : 3 * i + 3], self._records[i]
            if record["pair"] < len(self._pairs) or self._problem.point[i] >= 0:
                found[e] = self._axes(e, record["normal"]) @ (own @ _frame(record["normal"]))
            else:
                found[e, 0] = own[0]
        return found.ravel()

    def cut(self) -> tuple[tuple[int, int, float], ...]:
        """Of limits of joints that close loops: place among the live ones, place among the coordinates of such joints,
        and the way along it."""
        found, first = list[tuple[int, int, float]](), len(self._pairs)
        for e, (pair, _) in enumerate(self._keys):
            if pair >= first and self._problem.kind[3 * self.live[e]] == NORMAL:
                dof = self._limits[pair - first].v - self.model.nv
                found += [(e, dof, float(self._records[self.live[e]]["normal"][0]))] if dof >= 0 else []
        return tuple(found)

    def rates(self, q: Array, places: Sequence[int]) -> Rates:
        """At the start of the step. ModelError where points come, go or jump near it."""
        n, values = len(self._leaders), self.model.parameter_values()
        names, reference = list(self.model.parameters), len(self.live)
        pulls = np.zeros((3 * reference, self.model.nv, n + len(places)))
        rows = pulls.copy()
        gaps, bounds = np.zeros((reference, n + len(places))), np.zeros((2, reference, n + len(places)))
        if not reference:
            return Rates(rows, pulls, gaps, bounds, self._leaders)
        probe = _Probe(self._look(self.model, q), self._keys)
        for column, unit in enumerate(np.eye(n)):

            def moved(s: float, unit: Array = unit) -> tuple[Array, Array | None]:
                at = self._held.beside(q, self._leaders, s * unit)
                return at, probe.told(at)

            at, told, h = self._differences(moved, 1.0)
            along = self.rows(at, told)
            pulls[:, :, column], rows[:, :, column] = _weighted(along, h), _weighted(self.led(at, along), h)
            gaps[:, column] = _weighted(told[..., 0], h)
        for column, place in enumerate(places, n):

            def other(s: float, name: str = names[place], value: float = values[place]) -> Model:
                return self.model.with_parameters({name: value + s})

            def changed(s: float, other: Callable[[float], Model] = other) -> tuple[Array, Array | None]:
                at = self._held.beside(q, self._leaders, np.zeros(n), other(s))
                return at, _Probe(self._look(other(s), at), self._keys).told(at)

            at, told, h = self._differences(changed, max(abs(values[place]), 1e-2))
            others = [self._with(other(s)) for s in _ways(h)]
            parts = [points.rows(*x) for points, *x in zip(others, at, told, strict=True)]
            led = [points.led(*x) for points, *x in zip(others, at, parts, strict=True)]
            pulls[:, :, column], rows[:, :, column] = _weighted(np.array(parts), h), _weighted(np.array(led), h)
            gaps[:, column] = _weighted(told[..., 0], h)
            bounds[:, :, column] = np.moveaxis(_weighted(told[..., 7:], h), -1, 0)
        return Rates(rows, pulls, gaps, bounds, self._leaders)

    def of(self, live: Sequence[int]) -> Points:
        """Others of the same step."""
        return Points(self._held, self._records, self._problem, live, self._look)

    def _with(self, model: Model) -> Points:
        return Points(replace(self._held, model=model), self._records, self._problem, self.live, self._look)

    def _differences(
        self, of: Callable[[float], tuple[Array, Array | None]], size: float
    ) -> tuple[Array, Array, float]:
        """(9, nq) where it was looked, (9, k, SIZE) what was seen, and how far apart."""
        for step in STEPS:
            h = step * size
            seen = [of(s) for s in _ways(h)]
            told = [part for _, part in seen if part is not None]
            if len(told) == len(seen):
                found = np.array(told)
                eighth = np.abs(np.tensordot(_EIGHTH, found, axes=1))
                if (eighth <= SMOOTH * h / size * (1.0 + np.abs(found[4]))).all():
                    return np.array([at for at, _ in seen]), found, h
        name = self._astray(seen)
        raise ModelError(
            f"model '{self.model.name}': this step has no derivatives here: {name} comes, goes or jumps to another "
            f"place of the shapes within {4e6 * STEPS[-1]:.0f} µm (a corner or an edge, a flat side that rolls over, a "
            "neighbouring facet): here the step has a kink; differentiate beside it"
        )

    def _astray(self, seen: Sequence[tuple[Array, Array | None]]) -> str:
        told = [part for _, part in seen if part is not None]
        if len(told) < len(seen):
            return f"one of {len(self.live)} points, such as {self.name(self.live[0])},"
        eighth = np.abs(np.tensordot(_EIGHTH, np.array(told), axes=1)).max(axis=1)
        return self.name(self.live[int(eighth.argmax())])

    def _axes(self, e: int, normal: Array) -> Array:
        """(..., 3, 3) normal and tangents, which go with it without turning about it."""
        first = self._across[e] - (normal @ self._across[e])[..., None] * normal
        first = first / np.linalg.norm(first, axis=-1, keepdims=True)
        return np.stack([normal, first, np.cross(normal, first)], axis=-2)

    def _along(self, e: int, i: int, q: Array, told: Array) -> Array:
        """(..., 3, nv) of a point or of its moments."""
        pair, turns = self._keys[e][0], self._problem.point[i] >= 0
        pair -= len(self._pairs) + len(self._limits) if turns else 0
        axes = self._axes(e, told[..., 4:7])
        found = np.zeros((*q.shape[:-1], 3, self.model.nv))
        for sign, link in zip((-1.0, 1.0), self._pairs[pair], strict=True):
            if link == "world":
                continue
            J, arm = self.model.frame_jacobian(q, link), told[..., 1:4] - self.model.frame_pose(q, link)[..., :3, 3]
            found += sign * axes @ (J[..., 3:, :] if turns else J[..., :3, :] - skew(arm) @ J[..., 3:, :])
        return found

    def _coordinate(self, q: Array, dof: int) -> Array:
        """(..., nv) rate of a coordinate per v; those of cut joints stand past the end of v."""
        nv = self.model.nv
        if dof < nv:
            return np.broadcast_to(np.eye(nv)[dof], (*q.shape[:-1], nv))
        found: Array = self.model.kernel("loop_jacobian")(q)[..., dof - nv, :]
        return found

    def _friction(self, i: int) -> RowSpec:
        """The row of dry friction that is block i."""
        known = [row for row in self.model.manifest.rows if row.kind == "friction"]
        return known[i - len(self._records)]


class _Probe:
    """Looks at rows without solving them."""

    def __init__(self, simulator: Simulator, keys: Sequence[tuple[int, int]]) -> None:
        self._simulator, self._keys, self._v = simulator, keys, simulator.v
        self._problems: list[ConeProblem] = []
        state = motion_of(simulator).stepper.contact_state
        assert state is not None
        self._state = state
        state.solve_by(SolverCall(simulator.model, self._leave))

    def _leave(self, problem: ConeProblem) -> Array:
        self._problems.append(problem)
        return np.zeros(len(problem.b))

    def told(self, q: Array) -> Array | None:
        """(k, SIZE) of the rows at q; None if one of them is not there."""
        self._problems.clear()
        motion_of(self._simulator).place(q, self._v)
        self._simulator.step()
        records = self._state.records()
        places = {(int(r["pair"]), int(r["feature"])): i for i, r in enumerate(records)}
        if any(key not in places for key in self._keys):
            return None
        found = [_numbers(records[places[key]], self._problems[0], places[key]) for key in self._keys]
        return np.array(found)


def _numbers(record: np.void, problem: ConeProblem, i: int) -> Array:
    """(SIZE) of row i."""
    bounds = problem.bound[i], problem.torsion[i]
    return np.concatenate([[record["gap"]], record["point"], record["normal"], bounds])


_EIGHTH = np.array([1.0, -8.0, 28.0, -56.0, 70.0, -56.0, 28.0, -8.0, 1.0])


def _ways(h: float) -> list[float]:
    return [k * h for k in range(-4, 5)]


def _weighted(values: Array, h: float) -> Array:
    """Rate of values (9, ...) that are h apart."""
    pairs = zip(WEIGHTS, range(1, 5), strict=True)
    total: Array = sum(w / h * (values[4 + k] - values[4 - k]) for w, k in pairs)
    return total


def _frame(n: Array) -> Array:
    """(3, 3) normal and tangents as problems have them [Duff17]."""
    sign = np.copysign(1.0, n[2])
    a = -1.0 / (sign + n[2])
    b = n[0] * n[1] * a
    return np.array([n, [1.0 + sign * n[0] ** 2 * a, sign * b, -sign * n[0]], [b, sign + n[1] ** 2 * a, -n[1]]])


def _across(normal: Array) -> Array:
    """(3) some unit vector across."""
    axis = np.eye(3)[int(np.abs(normal).argmin())]
    found: Array = np.cross(normal, axis)
    return found / np.linalg.norm(found)
