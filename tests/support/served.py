"""Shows of a viewer on a server, without the thread that moves them: a test does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from kinegen.runtime.viewer.server import close_server, open_server

S = TypeVar("S")


@contextmanager
def served(make: Callable[..., S], subject: Any) -> Iterator[S]:
    """The show of a subject; what is posted is done at once."""
    server = open_server("test", "127.0.0.1", 0)
    try:
        yield make(server, lambda act: act(), subject)
    finally:
        close_server(server)
