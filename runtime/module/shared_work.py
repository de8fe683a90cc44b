"""Work on many states, shared among threads: C runs without the GIL."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from math import prod
from threading import Lock, Thread
from typing import Any

from ..abi import KernelSpec
from ..arguments import as_count
from ..record import processors

WIDEST = 16
"""States in the lanes of the widest vector: where one thread's states end, so that no vector is left half full."""

ENOUGH = 16_000_000
"""Operations, some milliseconds, below which another thread costs more than it saves."""

AT_ONCE, NUMBERS_AT_ONCE = 8 * ENOUGH, 8_000_000
"""Operations, and numbers of a result, in one C call, some 10 ms: Ctrl-C is answered after each. So many numbers are
more than C keeps in the cache (KG_PAST in lanes/blocks.h), so that they are written as those of all states would be."""

MOST_THREADS = 1024


def thread_count(threads: Any, count: int, operations: int) -> int:
    """As asked for, else one for little work and as many as there are processors for much; `operations` of a state."""
    if threads is not None:
        return as_count("threads", threads, least=1, most=MOST_THREADS)
    return min(processors(), count * operations // ENOUGH) if count > most_alone(operations) else 1


def most_alone(operations: int) -> int:
    """So many states are too little work for a second thread."""
    return (2 * ENOUGH - 1) // max(operations, 1)


def most_at_once(operations: int, results: int) -> int:
    """States in one C call, of so many operations and numbers of a result each."""
    return max(min(AT_ONCE // max(operations, 1), NUMBERS_AT_ONCE // max(results, 1)), 1)


def operations_of(spec: KernelSpec) -> int:
    """Of one state, about; numbers that are read or written count as much."""
    moved = sum(prod(array.shape) for array in (*spec.inputs, *spec.outputs))
    return moved + sum(spec.operations.values())


def shared(count: int, threads: int, most: int, work: Callable[[int, int], int]) -> int:
    """`work(start, number)` on all `count` states, by so many threads, in pieces of about `most` at most; the least
    result that is not negative, -1 if there is none."""
    if threads == 1 and 0 < count <= most:
        return work(0, count)
    rounds = -(-count // (threads * most))
    size = -(-count // (threads * rounds * WIDEST)) * WIDEST
    pieces = [(start, min(size, count - start)) for start in range(0, count, size)]
    found = [-1] * len(pieces)

    def do(piece: int, _: Callable[[], bool]) -> None:
        found[piece] = work(*pieces[piece])

    in_threads(len(pieces), threads, do)
    return min((first for first in found if first >= 0), default=-1)


def in_threads(count: int, threads: int, work: Callable[[int, Callable[[], bool]], None]) -> None:
    """`work(i, stopped)` for i = 0, ..., count - 1, begun in this order, in the caller's thread and at most threads - 1
    others.

    The error of the least i is raised after those before it; `stopped` tells those behind it to end, and all if it is
    no Exception or the caller is interrupted. No thread is left behind.
    """
    team = _Team(count, work)
    others = [Thread(target=team.go) for _ in range(min(threads, count) - 1)]
    begun = []
    try:
        for other in others:
            other.start()
            begun.append(other)
        team.go()
        for other in others:
            other.join()
    finally:
        team.stop()
        for other in begun:
            other.join()
    team.tell()


class _Team:
    """What threads that share work have in common."""

    def __init__(self, count: int, work: Callable[[int, Callable[[], bool]], None]) -> None:
        self._left, self._work = deque(range(count)), work
        self._last, self._lock = count, Lock()
        self._error: BaseException | None = None

    def stop(self) -> None:
        """Ends all that is left."""
        self._last = -1

    def go(self) -> None:
        """Takes work until none is left."""
        while True:
            try:
                at = self._left.popleft()
            except IndexError:
                return
            if self._stopped(at):
                return
            try:
                self._work(at, partial(self._stopped, at))
            except BaseException as error:
                self._fail(at if isinstance(error, Exception) else -1, error)

    def tell(self) -> None:
        """Raises the error, if there was one, and keeps no hold of it."""
        error, self._error = self._error, None
        try:
            if error:
                raise error
        finally:
            del error

    def _stopped(self, at: int) -> bool:
        return at > self._last

    def _fail(self, at: int, error: BaseException) -> None:
        with self._lock:
            if at < self._last:
                self._last, self._error = at, error
