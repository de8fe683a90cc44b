"""What is looked at in a browser: the server, and the thread that moves what it shows."""

from __future__ import annotations

import html
import queue
import threading
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from ..errors import KinegenError
from .server import close_server, open_server

if TYPE_CHECKING:
    from viser import ViserServer

RATE = 60.0
"""Most moments a second."""

Post = Callable[[Callable[[], None]], None]
"""Has something done by the thread that moves the scene, in order; what happens in the browser is told in others."""


class Show(Protocol):
    """What a viewer shows."""

    def advance(self, seconds: float) -> None:
        """Go on by so much real time."""

    def fail(self, error: Exception) -> None:
        """Stop, and say why."""

    def release(self) -> None:
        """Give back what was borrowed, before the end."""


class Viewer:
    """A mechanism in the browser, at `url`, until it is closed; what `kg.view` returns.

    A context manager; in a notebook it displays itself. It moves in a thread of its own: a simulator that is looked at
    is stepped by it and by nobody else meanwhile.
    """

    def __init__(self, make: Callable[[ViserServer, Post], Show], name: str, host: str, port: int) -> None:
        self._name, self._host = name, host
        self._posted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._server = open_server(name, host, port)
        try:
            self._show = make(self._server, self._posted.put)
        except BaseException:
            close_server(self._server)
            raise
        self._thread = threading.Thread(target=self._go, name=f"kinegen view {name}", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.get_port()

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        host = "127.0.0.1" if self._host in ("0.0.0.0", "::", "") else self._host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def closed(self) -> bool:
        """Nothing is served any more."""
        return self._closed.is_set()

    def wait(self) -> None:
        """Until it is closed, or Ctrl-C is pressed, which closes it."""
        try:
            while not self._closed.wait(0.2):
                pass
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """End the server and its threads. A simulator stays at the moment where it is."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._thread.join()
        self._show.release()
        close_server(self._server)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Viewer({self._name!r}, {'closed' if self.closed else self.url})"

    def _repr_html_(self) -> str | None:
        if self.closed:
            return None
        return f'<iframe src="{html.escape(self.url)}" style="width: 100%; height: 560px; border: 0"></iframe>'

    def _go(self) -> None:
        before = time.perf_counter()
        while not self._closed.is_set():
            now = time.perf_counter()
            self._tick(now - before)
            before = now
            self._closed.wait(max(0.0, 1.0 / RATE - (time.perf_counter() - now)))

    def _tick(self, seconds: float) -> None:
        """What was posted, then what moves by itself."""
        try:
            while not self._posted.empty():
                self._posted.get()()
            self._show.advance(seconds)
        except Exception as error:  # a controller of the user may raise anything; the viewer goes on, and says so
            if not isinstance(error, KinegenError):
                traceback.print_exception(error)
            self._show.fail(error)
