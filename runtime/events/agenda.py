"""What is to happen while a mechanism moves: at a time, or when a condition comes true."""

from __future__ import annotations

import heapq
import inspect
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..abi import Manifest
from ..errors import ModelError, shown
from ..structs import CONDITION, MOST_CONDITIONS
from .conditions import Condition, Conditions

Action = Callable[[Any], object]
"""What an event may do besides connecting and cutting: a function of the simulator."""

Test = Callable[[Any], bool]
"""A condition in Python, a function of the simulator that is asked after every step."""

Event = tuple[float, str, str]
"""Time [s], what happened, to what."""

KEPT = 10_000
"""Events that a simulator remembers, some megabyte of them, so that its memory is bounded however long it goes on."""

NOTHING: Conditions = np.empty(0, dtype=CONDITION.dtype)


@dataclass(frozen=True)
class Change:
    """Connections to make and to cut, or something else to do."""

    connect: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    action: Action | None = None


@dataclass(frozen=True)
class Alteration:
    """An action told by data alone: parameters take `values`, joints their `servos` in place of those they have, then
    all cuts and connections are made in one instant.

    What is already so stays; `tolerance` [m, rad] as in `Simulator.switch`. `called`: its name in what happened.
    """

    connect: tuple[str, ...]
    cut: tuple[str, ...]
    values: Mapping[str, float]
    tolerance: float
    servos: Mapping[str, Any] = field(default_factory=dict)
    called: str = "happen"

    def __call__(self, simulator: Any) -> None:
        if self.values:
            simulator.set_parameters(self.values)
        if self.servos:
            simulator.servos = {**simulator.servos, **self.servos}
        connect = [name for name in self.connect if name not in simulator.active]
        cut = [name for name in self.cut if name in simulator.active]
        if connect or cut:
            simulator.switch(connect, cut, self.tolerance)

    @property
    def __name__(self) -> str:
        return self.called


def planned(
    what: str | Action, names: tuple[str, ...], known: Callable[[tuple[str, ...], str], tuple[str, ...]]
) -> Change:
    """What "connect" or "cut" and names, or a function, ask for. ModelError for another word, as `known` for names."""
    if callable(what):
        if names:
            raise ModelError(f"a function takes no names, got {', '.join(map(shown, names))}")
        require_taker(what)
        return Change(action=what)
    if not isinstance(what, str) or what not in ("connect", "cut"):
        raise ModelError(f"expected 'connect', 'cut' or a function, got {shown(what)}")
    return Change(connect=known(names, what)) if what == "connect" else Change(cut=known(names, what))


def require_taker(function: Callable[..., object]) -> None:
    """ModelError for a function that cannot be called with the simulator alone."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions of C do not tell
        return
    try:
        signature.bind(None)
    except TypeError as error:
        name = getattr(function, "__name__", type(function).__name__)
        told = f"{name}{signature} cannot be called with the simulator alone: {error}"
        raise ModelError(f"{told}; write it as lambda sim: ...") from None


@dataclass
class Watch:
    """A change for when a condition comes true; `repeat`: every time it does, not only the first.

    `passed`: what earlier parts of the present step add to the mean force of contact that it asks for [N].
    """

    condition: Condition | Test
    change: Change
    repeat: bool
    armed: bool = True
    passed: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Due:
    """A change whose moment has come: why, and where it waited, by its time and number or by its condition."""

    why: str
    change: Change
    waited: tuple[float, int] | Watch


@dataclass(frozen=True, eq=False)
class PlannedEvent:
    """What `Simulator.at` and `when` planned."""

    _change: Change
    _forget: Callable[[Change], bool]

    def cancel(self) -> bool:
        """Take it back: it does not happen, or not again. False if it was not to happen any more.

        A `restore` to a moment at which it was planned brings it back; copies of the simulator keep it. What is copied
        (`copy.deepcopy`, `pickle`) together with its simulator takes it back in the copy.
        """
        return self._forget(self._change)

    def __deepcopy__(self, memo: dict[int, Any]) -> PlannedEvent:
        return PlannedEvent(self._change, deepcopy(self._forget, memo))  # a copy waits for this very change


class Past:
    """What happened: the latest KEPT events, and how many there were before these."""

    def __init__(self, events: Iterable[Event] = (), forgotten: int = 0) -> None:
        self._kept: deque[Event] = deque(maxlen=KEPT)
        self.forgotten = forgotten
        for event in events:
            self.note(event)

    def note(self, event: Event) -> None:
        self.forgotten += len(self._kept) == KEPT
        self._kept.append(event)

    def take_back(self) -> None:
        """The latest did not happen."""
        self._kept.pop()

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(self._kept)


@dataclass
class Agenda:
    """All that is still to happen. Of one time, what was given first comes first.

    `now`: what was taken out because its moment has come, and has not happened yet.
    """

    watches: list[Watch] = field(default_factory=list)
    timed: list[tuple[float, int, Change]] = field(default_factory=list)  # a heap by (t, number of the change)
    given: int = 0
    now: list[Due] = field(default_factory=list)

    def add(self, t: float, change: Change) -> None:
        heapq.heappush(self.timed, (t, self.given, change))
        self.given += 1

    def forget(self, change: Change) -> bool:
        """Takes this very change out; False if it does not wait."""
        timed = [entry for entry in self.timed if entry[2] is not change]
        watches = [watch for watch in self.watches if watch.change is not change]
        now = [due for due in self.now if due.change is not change]
        found = len(timed) + len(watches) + len(now) < len(self.timed) + len(self.watches) + len(self.now)
        heapq.heapify(timed)
        self.timed, self.watches, self.now = timed, watches, now
        return found

    def next_time(self) -> float:
        return self.timed[0][0] if self.timed else np.inf

    def is_due(self, t: float) -> bool:
        return bool(self.now) or self.next_time() <= t

    def take_due(self, t: float) -> None:
        """What is due at t is to happen now."""
        while self.timed and self.timed[0][0] <= t:
            moment, number, change = heapq.heappop(self.timed)
            self.now.append(Due("at", change, (moment, number)))

    def wait_again(self) -> None:
        """What was taken out and did not happen is put back, and comes up again at once when the motion goes on."""
        those, self.now = self.now, []
        for due in those:
            if not isinstance(due.waited, Watch):
                heapq.heappush(self.timed, (*due.waited, due.change))
                continue
            due.waited.armed = True
            if not self._waits(due.waited):
                self.watches.append(due.waited)

    @property
    def empty(self) -> bool:
        return not (self.watches or self.timed or self.now)

    @property
    def asks_python(self) -> bool:
        return bool(self.watches) and any(not isinstance(watch.condition, Condition) for watch in self.watches)

    def in_c(self) -> Sequence[Watch]:
        """Those whose conditions are watched in C."""
        return [watch for watch in self.watches if isinstance(watch.condition, Condition)]

    def table(self, watched: Sequence[Watch], manifest: Manifest) -> Conditions:
        """(k) the conditions for C."""
        if not watched:
            return NOTHING
        rows = []
        for watch in watched:
            row = watch.condition.row(manifest)  # type: ignore[union-attr]  # a Condition
            row["armed"], row["passed"] = watch.armed, watch.passed
            rows.append(row)
        if len(rows) > MOST_CONDITIONS:
            raise ModelError(
                f"at most {MOST_CONDITIONS} conditions can be watched at once, got {len(rows)}; drop old ones"
            )
        return np.array(rows, dtype=CONDITION.dtype)

    def take_fired(self, watched: Sequence[Watch], table: Conditions) -> None:
        """Changes whose conditions came true in C, of those that still wait, are to happen now; those that do not
        repeat are taken out."""
        for watch, row in zip(watched, table, strict=True):
            watch.armed, watch.passed = bool(row["armed"]), tuple(row["passed"].tolist())
            if row["fired"] and self._waits(watch):
                self.now.append(Due(str(watch.condition), watch.change, watch))
                self._disarm(watch)

    def take_true(self, simulator: object) -> None:
        """The same for conditions that are Python functions; where one of them raises, all wait on."""
        asked = [watch for watch in self.watches if not isinstance(watch.condition, Condition)]
        for watch, holds in [(w, bool(w.condition(simulator))) for w in asked]:  # type: ignore[operator]  # Tests
            if holds and watch.armed and self._waits(watch):
                self.now.append(Due(getattr(watch.condition, "__name__", "condition"), watch.change, watch))
                self._disarm(watch)
            elif not holds:
                watch.armed = True

    def copy(self) -> Agenda:
        twins = {id(watch): replace(watch) for watch in (*self.watches, *self._taken_out())}
        watches = [twins[id(watch)] for watch in self.watches]
        now = [replace(due, waited=twins.get(id(due.waited), due.waited)) for due in self.now]
        return Agenda(watches, list(self.timed), self.given, now)

    def _taken_out(self) -> list[Watch]:
        """Those whose moment has come."""
        return [due.waited for due in self.now if isinstance(due.waited, Watch)]

    def _waits(self, watch: Watch) -> bool:
        return any(one is watch for one in self.watches)

    def _disarm(self, watch: Watch) -> None:
        watch.armed = False
        if not watch.repeat:
            self.watches = [one for one in self.watches if one is not watch]
