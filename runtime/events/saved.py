"""What a saved moment says is still to happen and has happened, looked at before it is believed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..errors import ModelError
from .agenda import Agenda, Change, Due, Past, Watch
from .conditions import Condition, Quantity

Known = Callable[[str], object]
"""ModelError for a name of no connection."""

Watchable = Callable[[Condition], object]
"""ModelError for a condition that cannot be watched."""


def agenda_of(saved: Any, known: Known, watchable: Watchable) -> Agenda:
    """A copy of a saved agenda, an empty one for None. ModelError if it is damaged or of another library."""
    if saved is None:
        return Agenda()
    if not isinstance(saved, Agenda):
        raise _damaged("agenda")
    try:
        agenda = saved.copy()
        for watch in agenda.watches:
            _look_at_watch(watch, watchable)
            _look_at(watch.change, known)
        for t, number, change in agenda.timed:
            _look_at_time(t, number)
            _look_at(change, known)
        for due in agenda.now:
            _look_at_due(due, known, watchable)
    except (TypeError, ValueError, AttributeError) as error:
        raise error if isinstance(error, ModelError) else _damaged("agenda") from error
    return agenda


def past_of(saved: Any, forgotten: Any) -> Past:
    """The events of a saved moment, (t, what, to what), and the number of those before them."""
    if type(forgotten) is not int or forgotten < 0:
        raise _damaged("number of forgotten events")
    events = list(saved) if isinstance(saved, tuple | list) else [saved]
    for event in events:
        if not (isinstance(event, tuple) and len(event) == 3 and isinstance(event[0], float | int)):
            raise _damaged("events")
        if not all(isinstance(text, str) for text in event[1:]):
            raise _damaged("events")
    return Past(events, forgotten)


def _look_at_watch(watch: Watch, watchable: Watchable) -> None:
    if not (isinstance(watch.armed, bool) and isinstance(watch.repeat, bool)):
        raise _damaged("condition")
    if not (isinstance(watch.passed, tuple) and len(watch.passed) == 3 and all(map(_is_number, watch.passed))):
        raise _damaged("condition")
    if isinstance(watch.condition, Condition):
        if not isinstance(watch.condition.quantity, Quantity):
            raise _damaged("condition")
        watchable(watch.condition)
    elif not callable(watch.condition):
        raise _damaged("condition")


def _look_at_due(due: Due, known: Known, watchable: Watchable) -> None:
    if not isinstance(due.why, str):
        raise _damaged("agenda")
    _look_at(due.change, known)
    if isinstance(due.waited, Watch):
        _look_at_watch(due.waited, watchable)
        _look_at(due.waited.change, known)
    else:
        _look_at_time(*due.waited)


def _look_at_time(t: Any, number: Any) -> None:
    if not (_is_number(t) and isinstance(number, int)):
        raise _damaged("time in its agenda")


def _is_number(given: Any) -> bool:
    return isinstance(given, float | int) and abs(given) <= sys.float_info.max


def _look_at(change: Change, known: Known) -> None:
    if not isinstance(change, Change) or not (change.action is None or callable(change.action)):
        raise _damaged("change")
    for name in (*change.connect, *change.cut):
        known(name)


def _damaged(what: str) -> ModelError:
    return ModelError(f"state: its {what} is damaged; restore what `save` gave")
