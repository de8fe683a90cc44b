"""The part of the C library (runtime/c) that a text includes: what does not depend on the mechanism."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from kinegen.runtime.errors import InternalError

FOLDER = "kinegen"  # where the library stands beside the files of a model
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def library_of(texts: Iterable[str]) -> dict[str, str]:
    """Path → text of all library files that the texts need, in the order of their paths.

    These are the headers that they include, the headers that those include, and the C files of the folders where such
    headers stand.
    """
    library = _library()
    found: dict[str, str] = {}
    wanted = [name for text in texts for name in _INCLUDE.findall(text) if name.startswith(f"{FOLDER}/")]
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        if name not in library:
            raise InternalError(f"there is no {name} in the C library")
        folder = posixpath.dirname(name)
        found[name] = library[name]
        wanted += [posixpath.normpath(f"{folder}/{other}") for other in _INCLUDE.findall(library[name])]
        wanted += [other for other in library if other.endswith(".c") and posixpath.dirname(other) == folder]
    return dict(sorted(found.items()))


@cache
def _library() -> dict[str, str]:
    """All of it, as installed."""
    return dict(sorted(_texts(files("kinegen.runtime") / "c", FOLDER)))


def _texts(folder: Traversable, path: str) -> Iterable[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _texts(entry, f"{path}/{entry.name}")
        elif entry.name.endswith((".c", ".h")):
            yield f"{path}/{entry.name}", entry.read_text(encoding="utf-8")
