"""Tables of a TOML file taken apart key by key, with errors that name file, table, key and what would be right."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kinegen.codegen.mechanism.checks import nearest
from kinegen.runtime.arguments import as_count
from kinegen.runtime.errors import ModelError, like, shown
from kinegen.runtime.files import read_text

INF = math.inf


def read_toml(file: Path) -> Table:
    """The whole file as a table. ModelError says what is wrong and in which line."""
    text = read_text(file)
    try:
        return Table(file, "", tomllib.loads(text))
    except RecursionError:
        raise ModelError(f"{file}: not valid TOML: nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, or Python's own of a number with thousands of digits
        raise ModelError(f"{file}: not valid TOML: {error}") from error


class Table:
    """Keys are taken; `done` complains of what is left."""

    def __init__(self, file: Path, name: str, values: Mapping[str, Any]) -> None:
        self.file = file
        self.name = name
        self._left = dict(values)
        self._known: dict[str, None] = {}  # keys that were asked for, each once, in their order

    def error(self, key: str, complaint: str) -> ModelError:
        """An error about a key of this table."""
        return ModelError(f"{self._place(key)}: {complaint}")

    def _place(self, key: str) -> str:
        return f"{self.file}: [{self.name}] {key}" if self.name else f"{self.file}: {key}"

    def number(self, key: str, default: float | None = None, *, above: float = -INF, least: float = -INF) -> float:
        """A finite number, greater than `above` and at least `least`; required if there is no default."""
        value = self._take(key, default)
        if not _is_number(value) or not _is_finite(value) or value <= above or value < least:
            bound = f" above {above:g}" if above > -INF else f" of at least {least:g}" if least > -INF else ""
            kind = "a finite number" if _is_number(value) and not _is_finite(value) else "a number"
            raise self.error(key, f"expected {kind}{bound}, got {shown(value)}")
        return float(value)

    def count(self, key: str, default: int) -> int:
        """A whole number of at least 1 that can be counted."""
        return as_count(self._place(key), self._take(key, default), least=1)

    def text(self, key: str, default: str | None = None, *, among: Sequence[str] = ()) -> str:
        """A text, one of `among` if any are given; required if there is no default."""
        value = self._take(key, default)
        if not isinstance(value, str) or not value:
            raise self.error(key, f"expected a text, got {shown(value)}")
        if among and value not in among:
            raise self.error(key, f"unknown {shown(value)}{nearest(value, among)}")
        return value

    def numbers(
        self, key: str, size: int | None = None, *, least: float = -INF, endless: bool = False
    ) -> tuple[float, ...]:
        """A number or a list of them, of this size if one is given, at least `least`, `endless`: or inf; required."""
        value = self._take(key, None)
        values = value if isinstance(value, list) else [value]
        right = values and all(_is_number(x) for x in values) and size in (None, len(values))
        if not right:
            wanted = {None: "a number or a list of numbers", 1: "a number"}.get(size, f"{size} numbers")
            raise self.error(key, f"expected {wanted}, got {shown(value)}")
        kind = "a number" if len(values) == 1 else "numbers"
        if not all(_is_finite(x) or (endless and x == INF) for x in values):
            finite = kind.replace("number", "finite number")
            raise self.error(key, f"expected {finite}, got {shown(value)}")
        if min(values) < least:
            raise self.error(key, f"expected {kind} of at least {least:g}, got {shown(value)}")
        return tuple(float(x) for x in values)

    def optional_numbers(
        self, key: str, size: int | None = None, *, least: float = -INF, endless: bool = False
    ) -> tuple[float, ...] | None:
        """As `numbers`, None if the key is not there."""
        self._known[key] = None
        return self.numbers(key, size, least=least, endless=endless) if key in self._left else None

    def optional_text(self, key: str) -> str | None:
        """As `text`, None if the key is not there."""
        self._known[key] = None
        return self.text(key) if key in self._left else None

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, empty if it is not there."""
        self._known[key] = None
        value = self._left.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(x, str) and x for x in value):
            raise self.error(key, f"expected a list of names, got {shown(value)}")
        return tuple(value)

    def flag(self, key: str) -> bool:
        """true or false, false if it is not there."""
        self._known[key] = None
        value = self._left.pop(key, False)
        if not isinstance(value, bool):
            raise self.error(key, f"expected true or false, got {shown(value)}")
        return value

    def tables(self, key: str) -> list[Table]:
        """Tables of a list, none if it is not there."""
        self._known[key] = None
        value = self._left.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(x, dict) for x in value):
            raise self.error(key, f"expected tables, written [[{key}]]")
        return [Table(self.file, f"{key} {i + 1}", x) for i, x in enumerate(value)]

    def table(self, key: str) -> Table:
        """A table inside this one, empty if it is not there."""
        self._known[key] = None
        value = self._left.pop(key, {})
        if not isinstance(value, dict):
            raise self.error(key, f"expected a table, got {shown(value)}")
        return Table(self.file, f"{self.name}.{key}" if self.name else key, value)

    def is_table(self, key: str) -> bool:
        """Whether a table stands there."""
        return isinstance(self._left.get(key), dict)

    def unread(self) -> list[str]:
        """What is left to be taken."""
        return list(self._left)

    def done(self) -> None:
        """ModelError names a key that nobody has asked for, and the nearest one that somebody has."""
        for key in self._left:
            raise self.error(key, f"unknown key{nearest(key, [*self._known])}")

    def _take(self, key: str, default: Any) -> Any:
        self._known[key] = None
        if key in self._left:
            return self._left.pop(key)
        if default is None:
            near = like(key, self._left, 1)
            raise self.error(key, "is missing" + (f"; is '{near[0]}' meant to be it?" if near else ""))
        return default


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_finite(value: float) -> bool:
    """Whether a double holds it, which it does not of integers of hundreds of digits."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
