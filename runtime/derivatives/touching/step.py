"""A step with contact, told as what is to be differentiated; refused by name where the map has a kink."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ModelError
from ...simulation.simulator import Simulator
from ..rows import Partitions, Rows
from .kinks import Kink, Modes
from .phases import meetings, phases
from .rates import Touching
from .seen import PointMode, Seen, Step
from .solved import Solved, has_rows, solved, swept, weakened
from .stages import Stages


@dataclass(frozen=True)
class Touched:
    """The simulator after the step, rows by which it may have gone, and what each point does, if any is near."""

    simulator: Simulator
    rows: tuple[Rows, ...]
    points: tuple[PointMode, ...]


def touched(step: Step, staged: bool) -> Touched:
    """What there is to differentiate of a step; `staged`: by Runge-Kutta. ModelError at kinks and for what has no
    formulas."""
    model, partitions = step.model, Partitions()
    partitions.note(before := step.own(step.contacts))
    by_sweeps = swept(step.own, step.contacts)
    partitions.note(by_sweeps)
    closings = (False, True) if staged and model.manifest.closed else (False,)
    rows = tuple(Rows(model, *one, step.places, closing) for closing in closings for one in partitions.found)
    if not has_rows(by_sweeps):
        return Touched(by_sweeps, rows, ())
    strip = step.options.tolerance if staged else None

    def told(found: Solved) -> Touched:
        seen = Seen(step, rows[0], found, before.v)
        return _of_stages(seen, rows, found) if staged else _of_one(seen, rows, found)

    try:
        return told(solved(step.own, step.contacts, by_sweeps, False, strip))
    except Kink as kink:  # of redundant points some may look as if they just touched: forces of cone programs are even
        refusal = kink
    try:
        found = solved(step.own, step.contacts, by_sweeps, True, strip)
    except ModelError:
        raise refusal from None
    return told(found)


def _of_one(seen: Seen, rows: tuple[Rows, ...], found: Solved) -> Touched:
    """A semi-implicit step, in which one problem is solved."""
    seen.require_plain(found.pushed, weakened([x.problem for x in found.posed]))
    modes = Modes(found.problem)
    for i, word in modes.kinks():
        raise seen.kink(i, word)
    seen.look(modes.live)
    touch = seen.touch(found.problem, modes)
    ways = (Touching(one.model, one.kept, one.follow, one.places, touch=touch, dt=seen.dt) for one in rows)
    return Touched(found.simulator, tuple(ways), seen.told(modes.told))


def _of_stages(seen: Seen, rows: tuple[Rows, ...], found: Solved) -> Touched:
    """A Runge-Kutta step, in which up to four are."""
    met, modes = meetings(seen, phases(seen, found.posed))
    ways = (Stages(one.model, one.kept, one.follow, one.places, one.closing, meetings=met, dt=seen.dt) for one in rows)
    return Touched(found.simulator, tuple(ways), seen.told(modes))
