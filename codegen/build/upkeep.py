"""What the cache holds, how much of it is kept, and getting rid of it: only ever of what kinegen put there."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kinegen.runtime.errors import BuildError
from kinegen.runtime.trust.private import content, opened, opened_file, own_folder
from kinegen.runtime.trust.seal import SEAL_FILE

from .cache import ROOMS, cache_path, make_room, require_ours
from .notes import read_note
from .work import is_free, remove, sweep

LIMIT = 2 * 10**9
GRACE_SECONDS = 60.0
"""What was used so shortly ago is kept even above the limit: somebody may be about to load it."""

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_WEIGHED = ("models", "objects", "failed")


@dataclass(frozen=True)
class CacheEntry:
    """Something compiled: its name, folder, size in bytes, and when it was compiled and last used [s since 1970].

    `room`: "models", "objects" of the C library that models share, or "failed" for C that did not compile.
    """

    name: str
    path: Path
    size: int
    time: float
    used: float
    room: str = "models"


def cache_entries(cache: Path | None = None) -> list[CacheEntry]:
    """The compiled models in the cache, newest first; empty if there is no cache yet."""
    found = (entry for entry in everything(cache_path(cache)) if entry.room == "models")
    return sorted(found, key=lambda entry: (-entry.time, entry.path.name))


def everything(directory: Path) -> Iterator[CacheEntry]:
    """All that takes space in the cache."""
    for room in _WEIGHED:
        for path in _ours(directory, room):
            with suppress(OSError):
                name = path.name.rpartition("-")[0] or path.name
                size, used = _weight(path)
                yield CacheEntry(name, path, size, path.stat().st_mtime, used, room)


def clear_cache(cache: Path | None = None) -> int:
    """Remove everything that kinegen put into the cache, and nothing else; gives the bytes freed.

    Models in use stay open, builds under way are left alone. BuildError if the folder is no cache of kinegen, or if
    something could not be removed, which tells what was freed all the same.
    """
    directory, freed = cache_path(cache), 0
    kept: OSError | None = None
    if not directory.is_dir():
        return 0
    with own_folder(directory) as at:
        require_ours(at, directory)
    before = _size(directory / "work")
    sweep(directory / "work")
    freed += before - _size(directory / "work")
    for room in (*_WEIGHED, "fronts", "compilers"):
        for path in _ours(directory, room):
            try:
                freed += discard(directory, path)
            except OSError as error:
                kept = error
    _drop_locks(directory)
    if kept:
        said = f"cannot remove {kept.filename} ({kept.strerror})"
        raise BuildError(f"{said}; freed {freed / 1e6:.1f} MB of the cache {directory}")
    return freed


def size_limit(environ: Mapping[str, str]) -> int:
    """The size in bytes that the cache may grow to: $KINEGEN_CACHE_LIMIT, such as 500MB or 10 GB, else 2 GB."""
    given = environ.get("KINEGEN_CACHE_LIMIT", "").strip()
    if not given:
        return LIMIT
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", given.lower())
    if not found:
        raise BuildError(
            f"KINEGEN_CACHE_LIMIT is '{given}', expected a size such as 500MB or 10GB: correct or unset it"
        )
    return int(float(found[1]) * _UNITS[found[2]])


def evict(directory: Path, limit: int) -> None:
    """Remove what was not used for the longest time until the cache is within the limit, as far as that can be done.

    Models that are loaded go on: the system keeps their code until their processes end.
    """
    entries = sorted(everything(directory), key=lambda entry: entry.used)
    size, gone = sum(entry.size for entry in entries), set()
    for entry in entries:
        if size <= limit or time.time() - entry.used < GRACE_SECONDS:
            break
        with suppress(OSError):
            size -= discard(directory, entry.path)
            gone.add(entry.path.name)
    for path in _ours(directory, "fronts") if gone else ():
        note = read_note(directory, "fronts", path.stem)
        if not isinstance(note, dict) or note.get("entry") in gone:
            remove(path)
    if gone:
        _drop_locks(directory)


def discard(directory: Path, path: Path) -> int:
    """Take something out of the cache at once, and remove it; gives the bytes freed. OSError if it cannot be taken."""
    size, aside = _size(path), make_room(directory, "work") / secrets.token_hex(8)
    path.rename(aside)
    remove(aside)
    return size - _size(aside)


def _drop_locks(directory: Path) -> None:
    """Remove the locks of builds that nobody holds: there is one for each key that was ever built."""
    for path in _ours(directory, "locks"):
        with suppress(OSError):
            is_free(path, path)


def _ours(directory: Path, room: str) -> list[Path]:
    """What kinegen put into a folder of the cache."""
    path = directory / room
    try:
        names = sorted(os.listdir(path)) if not path.is_symlink() else []
    except OSError:
        return []
    return [path / name for name in names if re.fullmatch(ROOMS[room], name)]


def _weight(path: Path) -> tuple[int, float]:
    """Size and time of the last use: those of the seal, where there is one, which spares looking at every file."""
    try:
        with opened(path) as at, opened_file(at, SEAL_FILE) as seal:
            status = os.fstat(seal)
            return int(content(seal).split()[1]) + status.st_size, status.st_mtime
    except (OSError, ValueError, IndexError):
        return _size(path), path.stat().st_mtime


def _size(path: Path) -> int:
    """Bytes of a file or of all files in a folder; 0 if it is not there."""
    total = 0
    with suppress(OSError):
        total += os.lstat(path).st_size if not path.is_dir() else 0
    for folder, _, files in os.walk(path):
        for name in files:
            with suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size
    return total
