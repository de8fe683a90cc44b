"""Tables over time as text: CSV with a header line, OpenSim's .mot and .sto."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from ..analysis.smoothing import sample_rate
from ..analysis.values import by_value
from ..arguments import Array
from ..errors import ModelError, shown
from ..files import number_in, read_text
from ..names.lookup import near
from ..typed import typed

SAID = {"yes": True, "y": True, "true": True, "1": True, "no": False, "n": False, "false": False, "0": False}
"""How a header says yes or no, in small letters."""


@by_value
@dataclass(frozen=True)
class Table:
    """`values` (n, columns) of a file; `header`: what stands above the columns, keys in lower case. No gaps: a missing
    number is refused when the file is read.
    """

    file: str
    columns: tuple[str, ...]
    values: Array
    header: Mapping[str, str]

    @property
    def t(self) -> Array:
        """(n) column `time` [s]."""
        return self.column("time")

    @property
    def rate(self) -> float:
        """Samples per second. ModelError names the frame where time does not go on evenly."""
        return sample_rate(self.t, f"{self.file}: column 'time'")

    @property
    def in_degrees(self) -> bool:
        """Whether the header says that angles are in degrees. ModelError where it says neither yes nor no."""
        said = self.header.get("indegrees", "no")
        if said.lower() not in SAID:
            raise ModelError(f"{self.file}: the header says inDegrees={said}, expected yes or no")
        return SAID[said.lower()]

    @typed
    def column(self, name: str) -> Array:
        """(n) numbers. ModelError names the file and what columns there are."""
        if name not in self.columns:
            raise ModelError(f"{self.file}: no column {shown(name)}{near(name, self.columns)}")
        return np.ascontiguousarray(self.values[:, self.columns.index(name)])

    @typed
    def vectors(self, names: Sequence[str]) -> Array:
        """(n, len(names)) of several columns."""
        found = [self.column(name) for name in names]
        return np.stack(found, axis=1) if found else np.zeros((len(self.values), 0))


@typed
def read_table(path: str | PathLike[str]) -> Table:
    """A .csv, .mot or .sto file. ModelError names file, line, column and frame (counted from 1) of what is wrong:
    a missing or unreadable number, a row of another length, a number of rows other than the header says.
    """
    file, lines = str(path), read_lines(path)
    header, start = ({}, 0) if Path(path).suffix.lower() == ".csv" else _opensim_header(file, lines)
    comma = Path(path).suffix.lower() == ".csv"
    columns = tuple(_cells(lines[start], comma)) if start < len(lines) else ()
    other = next((mark for mark in ";\t" if comma and len(columns) == 1 and mark in columns[0]), None)
    if other:
        raise ModelError(
            f"{file}: line 1 parts its columns by {other!r}; a .csv has them parted by ',', and points in its numbers"
        )
    if "time" not in columns:
        raise ModelError(
            f"{file}: line {start + 1} should name the columns, 'time' among them, and reads {_brief(lines, start)}"
        )
    for name in columns:
        if columns.count(name) > 1:
            raise ModelError(f"{file}: two columns are called {name!r}")
    rows = [
        _numbers(file, number, frame, _cells(line, comma), columns)
        for frame, (number, line) in enumerate(_filled(lines, start + 1), 1)
    ]
    if not rows:
        raise ModelError(f"{file}: there are no rows below the columns' names")
    for key, found in (("nrows", len(rows)), ("ncolumns", len(columns))):
        said = said_whole(header.get(key))
        if said not in (None, found):
            raise ModelError(f"{file}: the header says {key} = {said}, the file has {found}; is it cut off?")
    return Table(file, columns, np.array(rows), header)


def read_lines(path: str | PathLike[str]) -> list[str]:
    """Lines of a text file. ModelError if it cannot be read."""
    return read_text(path, errors="replace").splitlines()


def said_whole(text: str | None) -> int | None:
    """The whole number that a header gives; None if it gives none that could be right."""
    return int(text) if text is not None and text.isdecimal() and len(text) < 19 else None


def number_of_cell(file: str, line: int, frame: int, column: str, text: str) -> float:
    """A finite number. ModelError names where it should stand."""
    place = f"{file}: line {line}, frame {frame}, column {column!r}"
    if not text.strip():
        raise ModelError(f"{place} is empty: a gap; fill it or cut the record there")
    try:
        value = number_in(text)
    except ValueError as error:
        raise ModelError(f"{place} is {text.strip()!r}, expected a number") from error
    if not np.isfinite(value):
        raise ModelError(f"{place} is {text.strip()}: a gap; fill it or cut the record there")
    return value


def _numbers(file: str, line: int, frame: int, cells: list[str], columns: tuple[str, ...]) -> list[float]:
    if len(cells) != len(columns):
        raise ModelError(f"{file}: line {line}, frame {frame} has {len(cells)} entries for {len(columns)} columns")
    return [number_of_cell(file, line, frame, name, text) for name, text in zip(columns, cells, strict=True)]


def _opensim_header(file: str, lines: list[str]) -> tuple[dict[str, str], int]:
    header: dict[str, str] = {}
    for k, line in enumerate(lines):
        if line.strip().lower() == "endheader":
            start = next((i for i in range(k + 1, len(lines)) if lines[i].strip()), len(lines))
            return header, start
        key, equals, value = line.partition("=")
        if equals:
            header[key.strip().lower()] = value.strip()
    raise ModelError(f"{file}: no line 'endheader': not a .mot or .sto file of OpenSim")


def _cells(line: str, comma: bool) -> list[str]:
    if comma:
        return [cell.strip().strip('"') for cell in line.split(",")]
    return line.rstrip("\r\n").strip().split("\t") if "\t" in line.strip() else line.split()


def _filled(lines: list[str], start: int) -> list[tuple[int, str]]:
    return [(k + 1, lines[k]) for k in range(start, len(lines)) if lines[k].strip()]


def _brief(lines: list[str], k: int) -> str:
    return repr(lines[k][:60]) if k < len(lines) else "nothing: the file ends"
