"""A trajectory as columns: a table of pandas, a .csv file that spreadsheets and `kinegen explain` read."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ...abi import JointSpec
from ...arguments import Array
from ...errors import ModelError
from ...files import written
from ...plotting.plot import entry_labels

UNREADABLE = (",", '"')


def columns(joints: Sequence[JointSpec], q: Array, v: Array, tau: Array) -> dict[str, Array]:
    """(n) values by name, those of `column_names`. ModelError for a name that two columns would have."""
    values = [q[:, i] for i, _ in entry_labels(joints, 0)]
    values += [x[:, i] for x in (v, tau) for i, _ in entry_labels(joints, 1)]
    return dict(zip(column_names(joints), values, strict=True))


def column_names(joints: Sequence[JointSpec]) -> tuple[str, ...]:
    """Those of q's entries, "knee", "hip qx", then "v(knee)", "v(hip wx)" of v, then "tau(knee)", ... of tau.

    ModelError for a name that two columns would have, `time` among them.
    """
    names = [name for _, name in entry_labels(joints, 0)]
    names += [f"{letter}({name})" for letter in ("v", "tau") for _, name in entry_labels(joints, 1)]
    if twice := next((name for name, count in Counter(["time", *names]).items() if count > 1), None):
        raise ModelError(f"two columns of a table would be called {twice!r}; rename a joint")
    return tuple(names)


def write_csv(path: str | PathLike[str], t: Array, named: dict[str, Array]) -> Path:
    """A line of names, `time` [s] first, then a line a state; every number reads back as the same double.

    ModelError for another suffix, for names that a table cannot hold, and if the file cannot be written.
    """
    target = Path(path)
    if target.suffix.lower() != ".csv":
        raise ModelError(f"{target}: tables are written as .csv files; choose that suffix")
    wrong = next((name for name in named if any(sign in name for sign in UNREADABLE)), None)
    if wrong is not None:
        raise ModelError(f"{target}: the name {wrong!r} has a comma or quote, which part the cells; rename it")
    with written(target) as draft, open(draft, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["time", *named])
        writer.writerows(map(repr, row) for row in np.column_stack([t, *named.values()]).tolist())
    return target


def frame(t: Array, named: dict[str, Array]) -> Any:
    """A pandas DataFrame over `time` [s]. ModelError if pandas is missing."""
    try:
        from pandas import DataFrame, Index
    except ImportError as error:
        raise ModelError("to_pandas needs the package 'pandas'; install it, or write to_csv") from error
    return DataFrame(named, index=Index(t, name="time"))
