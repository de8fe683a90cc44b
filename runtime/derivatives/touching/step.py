"""A step with contact, told as what is to be differentiated; refused by name where the map has a kink."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arguments import Array
from ...contact.cones import HELD, NORMAL, ConeProblem
from ...contact.contacts import ContactOptions
from ...errors import ModelError
from ...model.model import Model
from ...simulation.simulator import Simulator
from ..step_rows import Partitions, Rows
from .kinks import KINK, ON, Modes
from .points import Points
from .rates import Touch, Touching
from .solved import Contacts, Solved, has_rows, solved, swept


class Kink(ModelError):
    """Here the map of a step is not smooth."""


@dataclass(frozen=True)
class PointMode:
    """What a row of contact or a limit does in a step: `mode` "parts" (exerts nothing), "presses" (without friction),
    "sticks", or "slips".

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


@dataclass(frozen=True)
class Touched:
    """The simulator after the step, rows by which it may have gone, and what each point does, if any is near."""

    simulator: Simulator
    rows: tuple[Rows, ...]
    points: tuple[PointMode, ...]


Begin = Callable[[Model, Contacts, Array], Simulator]
"""A simulator before the step, of the model with other parameters, other contacts, at another q."""


def touched(model: Model, start: Begin, contacts: Contacts, places: tuple[int, ...], q: Array) -> Touched:
    """The semi-implicit step from q that `start` makes. ModelError at kinks and for what has no formulas."""

    def own(given: Contacts) -> Simulator:
        return start(model, given, q)

    before, partitions = own(contacts), Partitions(model)
    partitions.note(before)
    by_sweeps = swept(own, contacts, bool(model.manifest.touching or model.manifest.rows))
    partitions.note(by_sweeps)
    rows = tuple(Rows(model, *partition, places) for partition in partitions.found)
    if not has_rows(by_sweeps):
        return Touched(by_sweeps, rows, ())
    try:
        return _told(rows, solved(own, contacts, by_sweeps, False), start, contacts, before)
    except Kink as kink:  # of redundant points some may look as if they just touched: forces of cone programs are even
        refusal = kink
    try:
        found = solved(own, contacts, by_sweeps, True)
    except ModelError:
        raise refusal from None
    return _told(rows, found, start, contacts, before)


def _told(rows: tuple[Rows, ...], found: Solved, start: Begin, contacts: Contacts, before: Simulator) -> Touched:
    """`before`: the step."""
    model, records, problem, dt = before.model, found.records, found.problem, found.simulator.dt
    q, v = before.q, before.v
    points = Points(rows[0], records, problem, (), lambda other, at: start(other, contacts, at))
    _require_plain(model, found, points, contacts)
    modes = Modes(problem)
    if bend := modes.kink():
        raise _kink(model, f"{points.name(bend[0])} {bend[1]}")
    points = points.of(modes.live)
    J, impulse = points.here(q, dt)
    gaps, target = records["gap"], problem.target[0::3]
    speed = np.array([J[3 * e] @ v for e in range(len(points.live))])
    by_speed = _rebounds(model, found, points, contacts, speed)
    normal = problem.kind[0::3] == NORMAL
    live = points.live
    limits = records["pair"] >= len(model.manifest.touching)
    near = gaps > np.where(limits, -ON, ON)  # beyond its limit a joint is pushed back
    by_gap = np.where((normal & near)[live] & (target[live] <= 0.0), -1.0 / dt, 0.0)
    touch = Touch(
        J,
        impulse,
        _part(problem, live),
        np.ravel([problem.target[3 * i : 3 * i + 3] for i in live]),
        by_gap,
        by_speed,
        points.rates(q, rows[0].places),
        tuple(points.name(i) for i in live),
    )
    told = tuple(
        PointMode(
            points.name(i),
            mode,
            float(gaps[i]),
            dt * records[i]["force"],
            bool(normal[i] and i in live and abs(gaps[i]) <= ON),
        )
        for i, mode in enumerate(modes.told)
        if mode != "nothing"
    )
    lead = model.loops.leaders
    ways = (Touching(model, one.kept, one.follow, one.places, touch=touch, dt=dt, leaders=lead) for one in rows)
    return Touched(found.simulator, tuple(ways), told)


def _rebounds(model: Model, found: Solved, points: Points, contacts: Contacts, speed: Array) -> Array:
    """(live) rate of the velocity that a point is to be left with per the velocity `speed` (live) with which it comes:
    −e where it bounces, else 0. ModelError where it just begins to bounce."""
    options = contacts if isinstance(contacts, ContactOptions) else ContactOptions()
    records, problem, dt = found.records, found.problem, found.simulator.dt
    gaps, target = records["gap"], problem.target[0::3]
    rates = np.zeros(len(points.live))
    for e, i in enumerate(points.live):
        if problem.kind[3 * i] != NORMAL or records[i]["pair"] >= len(model.manifest.touching):
            continue
        rates[e] = target[i] / speed[e] if target[i] > 0.0 else 0.0
        if abs(speed[e] + options.bounce) <= KINK * (1.0 + abs(speed[e])) and gaps[i] + dt * speed[e] <= ON:
            raise _kink(model, f"{points.name(i)} comes as fast as from where on it would bounce")
    return rates


def _part(problem: ConeProblem, live: list[int]) -> ConeProblem:
    """The blocks `live` of it, without K and b."""
    place = {i: e for e, i in enumerate(live)}
    rows = np.ravel([[3 * i, 3 * i + 1, 3 * i + 2] for i in live]).astype(int)
    nothing = np.zeros(len(rows))
    point = np.array([place[int(k)] if k >= 0 else -1 for k in problem.point[live]], dtype=np.intc)
    kinds, bound, torsion = problem.kind[rows], problem.bound[live], problem.torsion[live]
    return ConeProblem(np.zeros((0, 0)), nothing, nothing, nothing, bound, kinds, torsion, point)


def _require_plain(model: Model, found: Solved, points: Points, contacts: Contacts) -> None:
    """ModelError for what a step does besides: pushes, rebounds made weaker, locked rows."""
    records, problem = found.records, found.problem
    if found.pushed:
        normal = [i for i in range(len(records)) if found.problem.kind[3 * i] == NORMAL]
        depth = contacts.depth if isinstance(contacts, ContactOptions) else ContactOptions().depth
        deepest = min(normal, key=lambda i: float(records[i]["gap"]))
        raise ModelError(
            f"model '{model.name}': this step has no derivatives here: {points.name(deepest)} lies "
            f"{-records[deepest]['gap']:.3g} deep, more than may stay (shapes: {depth:g} m), and is pushed out: start "
            "less deep, or allow more by ContactOptions(depth=...)"
        )
    if (problem.kind == HELD).any():
        raise ModelError(
            f"model '{model.name}': rows that lock links together have no derivatives of a step; make them joints"
        )
    if found.weakened:
        raise ModelError(
            f"model '{model.name}': this step has no derivatives here: its rebounds are made weaker, so that with "
            "friction and each other they gain no energy"
        )


def _kink(model: Model, what: str) -> Kink:
    return Kink(f"model '{model.name}': {what}: here the step has a kink and no derivatives; differentiate beside it")
