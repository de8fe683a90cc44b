"""What is seen of a step with contact: rows that exert something, and what they are left with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...analysis.values import by_value
from ...arguments import Array
from ...contact.cones import HELD, NORMAL, ConeProblem
from ...contact.contacts import ContactOptions
from ...errors import ModelError
from ...model.model import Model
from ...simulation.simulator import Simulator
from ..rows import Rows
from .kinks import KINK, ON, Modes, kink
from .points import Points
from .rates import Touch
from .solved import Contacts, Solved


@by_value
@dataclass(frozen=True)
class PointMode:
    """What a row of contact or a limit does in a step: `mode` "parts" (exerts nothing), "presses" (without friction),
    "sticks", or "slips"; by Runge-Kutta in its impact, and where there is none, where the step ends.

    `name`: as messages name it; `gap` [m, rad] before the step, negative where it overlaps; `impulse` (3) [N s] in
    world axes on the second link (of a limit along its coordinate alone). `bends`: the gap is zero, on either side of
    which the map has another derivative; the one given is that of points that lie in the surface, and of joints that
    come to their limit.
    """

    name: str
    mode: str
    gap: float
    impulse: Array
    bends: bool


Begin = Callable[[Model, Contacts, Array], Simulator]
"""A simulator before the step, of the model with other parameters, other contacts, at another q."""


@dataclass(frozen=True)
class Step:
    """A step that `start` makes from q; `places`: of parameters by which is differentiated."""

    model: Model
    start: Begin
    contacts: Contacts
    places: tuple[int, ...]
    q: Array

    @property
    def options(self) -> ContactOptions:
        return self.contacts if isinstance(self.contacts, ContactOptions) else ContactOptions()

    def own(self, contacts: Contacts) -> Simulator:
        """Before the step, with these contacts."""
        return self.start(self.model, contacts, self.q)


class Seen:
    """The rows of a step that was made; of them `live` are differentiated."""

    def __init__(self, step: Step, held: Rows, found: Solved, v: Array) -> None:
        self.step, self.v, self.dt = step, v, found.simulator.dt
        self._records, self._problem = found.records, found.posed[0].problem
        self.normal = self._problem.kind[0::3] == NORMAL
        self.contact = self._records["pair"] < len(step.model.manifest.touching)
        self.gaps: Array = np.asarray(self._records["gap"])
        self.points = Points(
            held, self._records, self._problem, (), lambda other, at: step.start(other, step.contacts, at)
        )
        self._pull = self._J = np.zeros((0, step.model.nv))
        self._rates = self.points.rates(step.q, ())

    def look(self, live: Sequence[int]) -> None:
        """At these rows, how they move. ModelError where they come, go or jump beside the step."""
        self.points = self.points.of(live)
        self._pull, self._J = self.points.here(self.step.q)
        self._rates = self.points.rates(self.step.q, self.step.places)

    def speeds(self) -> Array:
        """(count) velocities along the rows that are normals, before the step; 0 of others."""
        found, rows = np.zeros(len(self.normal)), np.flatnonzero(self.normal).tolist()
        found[rows] = self.points.of(rows).here(self.step.q)[1][0::3] @ self.v
        return found

    def touch(self, problem: ConeProblem, modes: Modes, *, aimed: bool = True, bounces: bool = True) -> Touch:
        """A problem of the live rows; `aimed`: they may use up their gaps; `bounces`: or are left with a rebound."""
        live, count = self.points.live, len(self.points.live)
        target = problem.target[0::3]
        near = self.gaps > np.where(self.contact, ON, -ON)  # beyond its limit a joint is pushed back
        closing = (self.normal & near & (target <= 0.0))[live] if aimed else np.zeros(count, dtype=bool)
        return Touch(
            self._J,
            self._pull,
            self.points.impulses(problem.f),
            _part(problem, live, set(modes.live)),
            np.ravel([problem.target[3 * i : 3 * i + 3] for i in live]),
            np.where(closing, -1.0 / self.dt, 0.0),
            self._rebounds(target) if bounces else np.zeros(count),
            self._rates,
            tuple(self.points.name(i) for i in live),
        )

    def told(self, modes: Sequence[str]) -> tuple[PointMode, ...]:
        """What each of all rows does."""
        return tuple(
            PointMode(
                self.points.name(i),
                mode,
                float(self.gaps[i]),
                self.dt * self._records[i]["force"],
                self._bends(i),
            )
            for i, mode in enumerate(modes)
            if mode != "nothing"
        )

    def _bends(self, i: int) -> bool:
        """A limit pushes back what is beyond it; what parts from a shape does so as well from below its surface."""
        here = self.normal[i] and abs(self.gaps[i]) <= ON
        return bool(here and (i in self.points.live or not self.contact[i]))

    def _rebounds(self, target: Array) -> Array:
        """(live) rate of the velocity that a point is to be left with per the velocity with which it comes: −e where it
        bounces, else 0. ModelError where it just begins to bounce."""
        options, rates, speed = self.step.options, np.zeros(len(self.points.live)), self._J[0::3] @ self.v
        for e, i in enumerate(self.points.live):
            if not (self.normal[i] and self.contact[i]):
                continue
            rates[e] = target[i] / speed[e] if target[i] > 0.0 else 0.0
            near = abs(speed[e] + options.bounce) <= KINK * (1.0 + abs(speed[e]))
            if near and self.gaps[i] + self.dt * speed[e] <= ON:
                raise self.kink(i, "comes as fast as from where on it would bounce")
        return rates

    def require_plain(self, pushed: bool, weakened: bool) -> None:
        """ModelError for what a step does besides: pushes, rebounds made weaker, locked rows."""
        name = self.step.model.name
        if pushed:
            raise ModelError(f"model '{name}': this step has no derivatives here: {self._too_deep()}")
        if (self._problem.kind == HELD).any():
            raise ModelError(
                f"model '{name}': rows that lock links together have no derivatives of a step; make them joints"
            )
        if weakened:
            raise ModelError(
                f"model '{name}': this step has no derivatives here: its rebounds are made weaker, so that with "
                "friction and each other they gain no energy"
            )

    def _too_deep(self) -> str:
        """What is pushed out, or back within its limit, by how much too far it is, and what helps."""
        allowed = self.step.options.depth
        beyond = np.where(self.normal, -self.gaps - np.where(self.contact, allowed, 0.0), -np.inf)
        most = int(np.argmax(beyond))
        name, depth = self.points.name(most), -self.gaps[most]
        if self.contact[most]:
            return (
                f"{name} lies {depth:.3g} deep, more than may stay (shapes: {allowed:g} m), and is pushed out: start "
                "less deep, or allow more by ContactOptions(depth=...)"
            )
        return (
            f"{name} is exceeded by {depth:.3g} (rad or m), and is pushed back: start within the limits of the "
            "joint, or give limits=False"
        )

    def kink(self, i: int, what: str) -> ModelError:
        """The error where this happens to row i."""
        return kink(self.step.model.name, f"{self.points.name(i)} {what}")


def _part(problem: ConeProblem, live: Sequence[int], acting: set[int]) -> ConeProblem:
    """The blocks `live` of it, without K and b; those that are not `acting` exert nothing."""
    place = {i: e for e, i in enumerate(live)}
    rows = np.ravel([[3 * i, 3 * i + 1, 3 * i + 2] for i in live]).astype(int)
    nothing = np.zeros(len(rows))
    point = np.array([place[int(k)] if k >= 0 else -1 for k in problem.point[live]], dtype=np.intc)
    kinds = np.where(np.repeat([i in acting for i in live], 3).astype(bool), problem.kind[rows], 0).astype(np.intc)
    bound, torsion = problem.bound[live], problem.torsion[live]
    return ConeProblem(np.zeros((0, 0)), nothing, nothing, nothing, bound, kinds, torsion, point)
