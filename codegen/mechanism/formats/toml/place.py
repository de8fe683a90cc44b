"""Where a table of a TOML file stands, for messages, and what is read from its keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from kinegen.runtime.errors import ModelError, of_file

from ... import checks
from ...elements.parameter import Parameter
from ..expression import expression

T = TypeVar("T")
Table = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """Where a table stands: the words for it in messages, how to find its line, and parameters that have values."""

    file: Path
    text: str
    what: str
    name: str = ""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def inside(self, what: str, name: str | None = None) -> Place:
        return replace(self, what=f"{self.what}{what}", name=self.name if name is None else name)

    def error(self, message: str, key: str = "") -> ModelError:
        said = message.startswith(self.what.removesuffix(": "))  # the message names its place already
        return of_file(self.file, f"{'' if said else self.what}{message}", f"{self.file}{self._line(key)}")

    def _line(self, key: str) -> str:
        """`:LINE` of the key, or of the table, as far as a search through the text finds them."""
        lines = self.text.splitlines()
        named = re.compile(rf"""\bname\s*=\s*["']{re.escape(self.name)}["']""")
        keyed = re.compile(rf"""(^|[\s{{,.\[])["']?{re.escape(key)}["']?\s*(=|\.|\])""")
        start = next((i for i, line in enumerate(lines) if self.name and named.search(line)), None)
        order = range(len(lines)) if start is None else (*range(start, len(lines)), *range(start - 1, -1, -1))
        found = next((i for i in order if key and keyed.search(lines[i])), start)
        return "" if found is None else f":{found + 1}"


def tables(data: Table, key: str, at: Place) -> list[tuple[Table, Place]]:
    """The tables of an array, each with its place."""
    values = data.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise at.error(f"'{key}' must be tables, written [[{key}]] or {key} = [{{...}}, ...]", key)
    result = []
    for i, value in enumerate(values):
        name = value.get("name")
        shown = f"{key} {name!r}: " if isinstance(name, str) else f"{key} {i + 1}: "
        result.append((value, at.inside(shown, name if isinstance(name, str) else "")))
    return result


def require_known(table: Mapping[str, Any], keys: tuple[str, ...], at: Place) -> None:
    """ModelError, with the nearest one that is known, for a key that the table may not have."""
    for key in table:
        if key not in keys:
            raise at.error(f"unknown key {key!r}{checks.nearest(key, keys)}", key)


def needed(table: Table, key: str, at: Place) -> Any:
    """What stands at a key; ModelError where it is missing."""
    if key not in table:
        raise at.error(f"the key '{key}' is missing")
    return table[key]


def made(at: Place, make: Callable[[], T], key: str = "") -> T:
    """What `make` makes; a ModelError gets its place in front."""
    try:
        return make()
    except ModelError as error:
        raise error if error.file == str(at.file) else at.error(str(error), key) from None


def number(value: Any, at: Place, key: str) -> Any:
    """Numbers as they are, texts as expressions, arrays entry by entry."""
    if isinstance(value, list):
        return [number(part, at, key) for part in value]
    if isinstance(value, str):
        try:
            return expression(value, at.parameters)
        except ModelError as error:
            raise at.error(f"{key}: {error}", key) from None
    return value
