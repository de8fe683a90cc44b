"""Work that threads share: who does it, which error is told, and that nothing is left running."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from kinegen.runtime.module.shared_work import in_threads

Stopped = Callable[[], bool]


def begun_and_waited(count: int, threads: int, work: Callable[[int, Stopped], None]) -> list[int]:
    """The order in which pieces were begun."""
    begun: list[int] = []

    def do(at: int, stopped: Stopped) -> None:
        begun.append(at)
        work(at, stopped)

    before = threading.active_count()
    try:
        in_threads(count, threads, do)
    finally:
        assert threading.active_count() == before
    return begun


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_piece_is_done_once_and_in_order(threads: int) -> None:
    names: set[str] = set()
    begun = begun_and_waited(20, threads, lambda at, stopped: names.add(threading.current_thread().name))
    assert sorted(begun) == list(range(20))
    if threads == 1:
        assert names == {threading.current_thread().name} and begun == list(range(20))


def test_the_caller_takes_its_share() -> None:
    both = threading.Barrier(2, timeout=60.0)
    seen: list[str] = []

    def meet(at: int, stopped: Stopped) -> None:
        seen.append(threading.current_thread().name)
        both.wait()

    begun_and_waited(2, 2, meet)
    assert threading.current_thread().name in seen and len(set(seen)) == 2


def test_the_error_of_the_least_piece_is_told_and_those_before_it_are_done() -> None:
    later, done = threading.Event(), []

    def fail(at: int, stopped: Stopped) -> None:
        if at == 2:
            later.set()
            raise ValueError("piece 2")
        if at == 0:
            later.wait(60.0)  # the other thread has failed already
            assert not stopped()
            done.append(at)
        if at == 1:
            raise ValueError("piece 1") if later.wait(0.01) else RuntimeError("piece 1, before piece 2")

    with pytest.raises((ValueError, RuntimeError), match="piece 1"):
        begun_and_waited(50, 3, fail)
    assert done == [0]


def test_pieces_behind_an_error_end_and_are_not_begun() -> None:
    running = threading.Event()

    def fail(at: int, stopped: Stopped) -> None:
        if at == 0:
            running.wait(60.0)
            raise ValueError("piece 0")
        running.set()
        while not stopped():
            running.wait(0.01)

    begun: list[int] = []
    with pytest.raises(ValueError, match="piece 0"):
        in_threads(50, 2, lambda at, stopped: (begun.append(at), fail(at, stopped))[1])
    assert begun == [0, 1]


@pytest.mark.parametrize("interrupted", [0, 1])
def test_an_interruption_ends_all(interrupted: int) -> None:
    running = threading.Barrier(2, timeout=60.0)

    def go_on(at: int, stopped: Stopped) -> None:
        running.wait()
        if at == interrupted:
            raise KeyboardInterrupt
        while not stopped():
            pass

    with pytest.raises(KeyboardInterrupt):
        begun_and_waited(50, 2, go_on)
