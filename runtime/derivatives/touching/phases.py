"""The problems of a Runge-Kutta step with contact, told apart, and their kinks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...contact.cones import ConeProblem
from ...errors import ModelError
from .kinks import KINK, STILL, Modes
from .seen import Seen
from .solved import Posed, weakened
from .stages import Meetings

STOPPED = 1e-12
"""Velocity [m/s, rad/s] into its limit from which on a joint strikes it."""


@dataclass(frozen=True)
class Phases:
    """Impacts, what acts through the stages, and twice what the rows lack where these end; None: there is none."""

    strike: ConeProblem | None
    press: ConeProblem
    end: ConeProblem | None
    stay: ConeProblem | None

    def acting(self) -> tuple[ConeProblem, ...]:
        """Those that there are."""
        return tuple(x for x in (self.strike, self.press, self.end, self.stay) if x)


def phases(seen: Seen, posed: tuple[Posed, ...]) -> Phases:
    """Of the problems that a step solved. ModelError for pushes and rebounds made weaker, and where it is not certain
    whether something strikes."""
    starts = [i for i, x in enumerate(posed) if x.fresh]
    parts = [[x.problem for x in posed[i:j]] for i, j in zip(starts, [*starts[1:], len(posed)], strict=True)]
    strikes = parts.pop(0) if _strikes(seen) else []
    seen.require_plain(len(parts) > 1, bool(strikes) and weakened(strikes))
    press, *ends = parts[0]
    if len(ends) not in (0, 2) or (ends and np.abs(ends[0].target - press.target).max() > 0.0):
        raise ModelError(
            f"model '{seen.step.model.name}': this step has no derivatives here: something bounces in it that its "
            "impacts leave as fast as before"
        )
    return Phases(strikes[-1] if strikes else None, press, *(ends or (None, None)))


def meetings(seen: Seen, found: Phases) -> tuple[Meetings, tuple[str, ...]]:
    """What is to be differentiated, and what each row does. ModelError at kinks."""
    modes = [Modes(problem) for problem in found.acting()]
    bent = list[int]()
    for problem, one in zip(found.acting(), modes, strict=True):
        for i, word in one.kinks():
            if problem is not found.stay or "begins" not in word:
                raise seen.kink(i, word)
            bent.append(i)  # where nothing moves it from there, that is none
    live = sorted(set().union(*(one.live for one in modes)))
    seen.look(live)
    touches = [
        seen.touch(problem, one, aimed=problem is not found.stay, bounces=problem is found.strike)
        for problem, one in zip(found.acting(), modes, strict=True)
    ]
    strike = touches.pop(0) if found.strike else None
    press, end, stay = touches if found.end else (touches[0], None, None)
    struck, ended = modes[0].told, modes[-2 if found.end else -1].told
    told = tuple(now if before == "parts" else before for before, now in zip(struck, ended, strict=True))
    at = [i for i, _ in Modes(found.stay, STILL).kinks()] if found.stay else []
    near, just = (tuple(live.index(i) for i in rows if i in live) for rows in (bent, at))
    return Meetings(strike, press, end, stay, near, just, seen.points.cut()), told


def _strikes(seen: Seen) -> bool:
    """Whether rows come faster than their gaps allow. ModelError where that is not certain."""
    least = np.where(seen.gaps > 0.0, -seen.gaps / seen.dt, 0.0)
    over = np.where(seen.contact, seen.step.options.tolerance, STOPPED)
    speeds = seen.speeds()
    beyond = speeds - (least - over)
    for i in np.flatnonzero(seen.normal):
        if abs(beyond[i]) <= KINK * (1.0 + abs(speeds[i])):
            raise seen.kink(int(i), "comes as fast as from where on it strikes")
    return bool((beyond[seen.normal] < 0.0).any())
