"""Work on many states, shared among threads: C runs without the GIL."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import prod
from typing import Any

from ..abi import KernelSpec
from ..arguments import as_count

WIDEST = 16
"""States in the lanes of the widest vector: where one thread's states end, so that no vector is left half full."""

ENOUGH = 16_000_000
"""Operations, some milliseconds, below which another thread costs more than it saves."""

MOST_THREADS = 1024


def thread_count(threads: Any, count: int, spec: KernelSpec) -> int:
    """As asked for, else one for little work and as many as there are processors for much."""
    if threads is not None:
        return as_count("threads", threads, least=1, most=MOST_THREADS)
    return max(1, min(processors(), count * _operations(spec) // ENOUGH))


def _operations(spec: KernelSpec) -> int:
    """Of one state, about; numbers that are read or written count as much."""
    moved = sum(prod(array.shape) for array in (*spec.inputs, *spec.outputs))
    return moved + sum(spec.operations.values())


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shared(count: int, threads: int, work: Callable[[int, int], int]) -> int:
    """`work(start, number)` on all `count` states, in at most so many pieces at once; the least result that is not
    negative, -1 if there is none."""
    size = -(-count // (threads * WIDEST)) * WIDEST
    pieces = [(start, min(size, count - start)) for start in range(0, count, size)]
    if len(pieces) == 1:
        return work(*pieces[0])
    with ThreadPoolExecutor(len(pieces)) as pool:
        found = list(pool.map(lambda piece: work(*piece), pieces))
    return min((first for first in found if first >= 0), default=-1)
