"""What is to be told of simulations, by their rows, whatever thread made them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import gathered, row_text, warn


class RowWarnings:
    """Gathered from any thread; nothing is told before `give`."""

    def __init__(self) -> None:
        self._told: list[tuple[int, str, type[Warning]]] = []

    @contextmanager
    def of(self, row: int) -> Iterator[None]:
        """What comes up in this thread is about that simulation."""
        with gathered() as told:
            try:
                yield
            finally:
                self._told.extend((row, *each) for each in told)

    def give(self) -> None:
        """A warning of each, with its row, and once what is the same of several: of the first of them."""
        first: dict[tuple[str, type[Warning]], int] = {}
        for row, text, category in sorted(self._told, key=lambda told: told[:2]):
            first.setdefault((text, category), row)
        for (text, category), row in first.items():
            warn(f"rollout: {row_text((row,))}{text}", category)
