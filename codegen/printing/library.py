"""The part of the C library (runtime/c) that a text includes: what does not depend on the mechanism."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from kinegen.runtime.errors import InternalError

FOLDER = "kinegen"  # where the library stands beside the files of a model
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def includes(text: str) -> list[str]:
    """What a text includes of the files of a model and of the library."""
    return _INCLUDE.findall(text)


def included_by(path: str, text: str) -> tuple[str, ...]:
    """The paths of what the text of a file includes, which it tells from its folder."""
    return tuple(posixpath.normpath(posixpath.join(posixpath.dirname(path), other)) for other in includes(text))


_included_by = lru_cache(512)(included_by)  # for the library, whose texts every model asks for


def library_of(texts: Iterable[str]) -> dict[str, str]:
    """Path → text of all library files that the texts need, in the order of their paths.

    These are the headers that they include, the headers that those include, and the C files of the folders where such
    headers stand.
    """
    library = whole_library()
    roots = [name for text in texts for name in includes(text) if name.startswith(f"{FOLDER}/")]
    found = included(library, roots)
    folders = {posixpath.dirname(name) for name in found}
    compiled = [name for name in library if name.endswith(".c") and posixpath.dirname(name) in folders]
    return included(library, [*roots, *compiled])


def compiled_library() -> dict[str, str]:
    """Path → text of all C files of the library, with the headers that they include."""
    library = whole_library()
    return included(library, [name for name in library if name.endswith(".c")])


def included(library: Mapping[str, str], roots: Iterable[str]) -> dict[str, str]:
    """Path → text of the roots and of all that they include, in the order of their paths."""
    found: dict[str, str] = {}
    wanted = list(roots)
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        if name not in library:
            raise InternalError(f"there is no {name} in the C library")
        found[name] = library[name]
        wanted += _included_by(name, library[name])
    return dict(sorted(found.items()))


def library_flags(library: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Compiler flags that the C files of the library want."""
    return {name: ("-O3",) for name in library if name.endswith(".c")}


@cache
def whole_library() -> dict[str, str]:
    """All of it, as installed."""
    return dict(sorted(_texts(files("kinegen.runtime") / "c", FOLDER)))


def _texts(folder: Traversable, path: str) -> Iterable[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _texts(entry, f"{path}/{entry.name}")
        elif entry.name.endswith((".c", ".h")):
            yield f"{path}/{entry.name}", entry.read_text(encoding="utf-8")
