"""The cache: a private folder of compiled models, each under the digest of what it was compiled from."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from kinegen.runtime.errors import BuildError, KinegenError
from kinegen.runtime.record import BuildRecord

LOCK_SECONDS = 300.0
ABANDONED_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class CacheEntry:
    """A compiled model in the cache: its name, folder, size in bytes, and time of compilation (seconds since 1970)."""

    name: str
    path: Path
    size: int
    time: float


def cache_path(cache: Path | None = None) -> Path:
    """The cache folder: the argument, else $KINEGEN_CACHE, else the user's cache folder. Need not exist."""
    chosen = cache or os.environ.get("KINEGEN_CACHE") or platformdirs.user_cache_dir("kinegen")
    try:
        return Path(chosen).expanduser().absolute()
    except RuntimeError as error:
        raise BuildError(f"no folder for the cache ({error}): set KINEGEN_CACHE to a folder of your own") from error


def open_cache(cache: Path | None = None) -> Path:
    """The cache folder, made with mode 0700 if it is not there; BuildError if others could plant code in it."""
    path = cache_path(cache)
    remedy = "set KINEGEN_CACHE to a folder of your own"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
    except OSError as error:
        raise BuildError(f"cannot make the cache folder {path} ({error.strerror}): {remedy}") from error
    if status.st_uid != os.geteuid():
        raise BuildError(f"the cache folder {path} belongs to another user (uid {status.st_uid}): {remedy}")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise BuildError(f"others can write to the cache folder {path}: `chmod go-w '{path}'`, or {remedy}")
    return path


def entry_path(directory: Path, prefix: str, key: str) -> Path:
    """Where the model of that key stands, or will."""
    return directory / "models" / f"{prefix[:60]}-{key[:32]}"


def intact(entry: Path, key: str) -> bool:
    """Whether `entry` holds the whole model of that key, each file with its recorded digest, fit for this machine."""
    try:
        record = BuildRecord.read(entry)
    except KinegenError:
        return False
    files = {*record.digests, *record.loaded_files()}
    return record.key == key and not record.misfit() and not record.damage(entry, sorted(files))


@contextmanager
def workshop(directory: Path, key: str) -> Iterator[Path]:
    """A private folder inside the cache for one build, gone afterwards, while no other process builds the same.

    The lock only saves work, so it is a kernel lock that dies with its process, waits for a bounded time, and is done
    without where the file system has none: `publish` keeps racing builds apart anyway.
    """
    import filelock

    try:
        for part in ("models", "objects", "locks", "work"):
            (directory / part).mkdir(mode=0o700, exist_ok=True)
        _sweep(directory / "work")
        work = Path(tempfile.mkdtemp(dir=directory / "work"))
    except OSError as error:
        raise BuildError(
            f"cannot write to the cache folder {directory} ({error.strerror}): "
            "set KINEGEN_CACHE to a folder you can write to"
        ) from error
    lock = filelock.FileLock(directory / "locks" / f"{key[:32]}.lock", timeout=LOCK_SECONDS)
    try:
        with suppress(filelock.Timeout, OSError, NotImplementedError):
            lock.acquire()
        yield work
    finally:
        lock.release()
        shutil.rmtree(work, ignore_errors=True)


def publish(work: Path, entry: Path, whole: Callable[[], bool]) -> None:
    """Put a finished build in its place at once; if another process was first and its copy is whole, keep that one."""
    for _ in range(10):
        with suppress(OSError):
            work.rename(entry)
            return
        if whole():
            return
        aside = Path(tempfile.mkdtemp(dir=work.parent))
        with suppress(OSError):
            entry.rename(aside / "damaged")
        shutil.rmtree(aside, ignore_errors=True)
    raise BuildError(f"cannot put the compiled model into {entry}: `kinegen cache clear`, or set KINEGEN_CACHE")


def keep_failed(work: Path, directory: Path, name: str) -> Path:
    """Move the C that did not compile to where it can be read; gives the folder."""
    kept = directory / "failed" / name
    with suppress(OSError):
        kept.parent.mkdir(mode=0o700, exist_ok=True)
        shutil.rmtree(kept, ignore_errors=True)
        work.rename(kept)
    return kept


def cache_entries(cache: Path | None = None) -> list[CacheEntry]:
    """The compiled models in the cache, newest first; empty if there is no cache yet."""
    models = cache_path(cache) / "models"
    found = []
    for path in models.iterdir() if models.is_dir() else ():
        with suppress(OSError):
            name = path.name.rpartition("-")[0] or path.name
            found.append(CacheEntry(name, path, _size(path), path.stat().st_mtime))
    return sorted(found, key=lambda entry: (-entry.time, entry.path.name))


def clear_cache(cache: Path | None = None) -> int:
    """Remove everything that kinegen put into the cache, and nothing else; gives the bytes freed.

    Models in use stay open, builds under way are left alone.
    """
    directory = cache_path(cache)
    if not directory.is_dir():
        return 0
    freed = 0
    for path in (directory / part for part in ("models", "objects", "failed", "compilers", "fronts")):
        freed += _size(path)
        shutil.rmtree(path, ignore_errors=True)
    return freed + _sweep(directory / "work")


def _sweep(work: Path) -> int:
    """Remove what builds that were killed left behind; gives the bytes freed."""
    freed = 0
    for path in work.iterdir() if work.is_dir() else ():
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
                freed += _size(path)
                shutil.rmtree(path, ignore_errors=True)
    return freed


def _size(path: Path) -> int:
    total = 0
    for folder, _, files in os.walk(path):
        for name in files:
            with suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size
    return total
