"""What is to be told of the loops of simulations, by their rows, whatever thread made them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import ClosureWarning, row_text, warn
from ..stepping.closing import HEARD


class RowWarnings:
    """Gathered from any thread; nothing is told before `give`."""

    def __init__(self) -> None:
        self._texts: list[tuple[int, str]] = []

    @contextmanager
    def of(self, row: int) -> Iterator[None]:
        """What comes up in this thread is about that simulation."""
        heard: list[str] = []
        before = HEARD.set(heard)
        try:
            yield
        finally:
            HEARD.reset(before)
            self._texts.extend((row, text) for text in heard)

    def give(self) -> None:
        """A warning of each, with its row, and once what is the same of several: of the first of them."""
        first: dict[str, int] = {}
        for row, text in sorted(self._texts):
            first.setdefault(text, row)
        for text, row in first.items():
            warn(f"rollout: {row_text((row,))}{text}", ClosureWarning)
