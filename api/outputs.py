"""The files that a command writes: each its own, of its kind, none that the command reads; folders are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from kinegen.runtime.errors import ModelError
from kinegen.runtime.files import writing
from kinegen.runtime.plotting.figures import check_picture

SUFFIXES = {"trajectory": (".npz",), "html": (".html", ".htm")}
"""How names of files end, by what is in them."""

PICTURES = ("plot", "pictures")
"""Whose endings matplotlib knows."""


def check_outputs(inputs: Iterable[str | Path], outputs: Mapping[str, Path]) -> None:
    """ModelError for an output, what → file, that is an input or another output's, or whose name ends otherwise."""
    read, taken = list(inputs), dict[Path, str]()
    for what, path in outputs.items():
        other = taken.setdefault(path.resolve(), what)
        if other != what:
            raise ModelError(f"{path}: both {other} and {what} would be written there: give one another file")
        if any(_same(path, file) for file in read):
            raise ModelError(f"{path}: is read here, and {what} would be written over it: give another file")
        ends = SUFFIXES.get(what, ())
        if ends and path.suffix.lower() not in ends:
            raise ModelError(f"{path}: {what} goes to a file of its kind; end its name with {ends[0]}")
        if what in PICTURES:
            check_picture(path)


def make_folder_of(path: Path) -> None:
    """The folder in which an output is to stand. ModelError where it cannot be made."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)


def _same(path: Path, file: str | Path) -> bool:
    """The two names lead to one file, by links too."""
    try:
        return path.samefile(file)
    except (OSError, ValueError):  # there is none, or no file has such a name
        return False
