"""What one thread at a time may work with: C holds its arrays while it runs without the GIL."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Concatenate, ParamSpec, TypeVar

from ..errors import ModelError


class OfOneThread:
    """Something that moves: whoever makes it move holds `in_use`."""

    def __init__(self) -> None:
        self.in_use = RLock()


Own = TypeVar("Own", bound=OfOneThread)
P = ParamSpec("P")
R = TypeVar("R")


def by_one_thread(method: Callable[Concatenate[Own, P], R]) -> Callable[Concatenate[Own, P], R]:
    """A method that is refused while another thread makes steps of its object, or is within such a method."""

    @wraps(method)
    def guarded(own: Own, /, *args: P.args, **options: P.kwargs) -> R:
        if not own.in_use.acquire(blocking=False):
            raise ModelError(
                "another thread makes steps of this simulator or changes it: wait for it, or let what is asked in its "
                "steps change it (a function that gives tau, sim.at or sim.when of a library)"
            )
        try:
            return method(own, *args, **options)
        finally:
            own.in_use.release()

    return guarded
