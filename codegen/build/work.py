"""Builds under way: a private folder for each, that others leave alone while its builder lives, and its way out."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from kinegen.runtime.errors import BuildError, reason

from .cache import make_room

LOCK_SECONDS = 300.0
STARTING_SECONDS = 60.0
ABANDONED_SECONDS = 24 * 3600.0


class Busy(Exception):
    """Another process builds the same."""


@contextmanager
def workshop(directory: Path, key: str, *, waiting: bool = True) -> Iterator[Path]:
    """A private folder inside the cache for one build, gone afterwards, while no other process builds the same.

    Locks are the kernel's and die with their process. That of the key only saves work, so it waits for a bounded time,
    and is done without where the file system has none: `publish` keeps racing builds apart anyway. Who is not `waiting`
    is told that there is another by Busy.
    """
    with ExitStack() as stack:
        with writing(directory):
            for room in ("models", "objects", "locks", "work"):
                make_room(directory, room)
            sweep(directory / "work")
            work = directory / "work" / secrets.token_hex(8)
            stack.enter_context(_held(_beside(work), STARTING_SECONDS))  # first: a folder without it is abandoned
            stack.callback(_leave, work)
            work.mkdir(mode=0o700)
        lock = _held(directory / "locks" / f"{key[:32]}.lock", LOCK_SECONDS if waiting else 0.0)
        if not stack.enter_context(lock) and not waiting:
            raise Busy
        yield work


@contextmanager
def writing(directory: Path) -> Iterator[None]:
    """BuildError with the remedy where the cache cannot be written."""
    try:
        yield
    except OSError as error:
        raise BuildError(
            f"cannot write to the cache folder {directory} ({reason(error)}): set KINEGEN_CACHE to a folder you can "
            "write to"
        ) from error


def _leave(work: Path) -> None:
    shutil.rmtree(work, ignore_errors=True)
    with suppress(OSError):
        _beside(work).unlink()


def publish(work: Path, entry: Path, whole: Callable[[], bool]) -> None:
    """Put a finished build in its place at once; if another process was first and its copy is whole, keep that one."""
    for _ in range(10):
        with suppress(OSError):
            work.rename(entry)
            return
        if whole():
            return
        aside = work.with_name(secrets.token_hex(8))
        with suppress(OSError):
            entry.rename(aside)
        remove(aside)
    raise BuildError(f"cannot put the compiled model into {entry}: `kinegen cache clear`, or set KINEGEN_CACHE")


def keep_failed(work: Path, directory: Path, name: str) -> Path:
    """Move the C that did not compile to where it can be read; gives the folder."""
    kept = directory / "failed" / name
    with suppress(OSError):
        make_room(directory, "failed")
        remove(kept)
        work.rename(kept)
    return kept


def sweep(work: Path) -> None:
    """Remove what builds left behind whose process is gone, however it ended. `work`: the folder of the builds."""
    for path in list(work.iterdir()) if work.is_dir() else ():
        with suppress(OSError):
            if path.suffix != ".lock":
                if is_free(_beside(path), path):
                    remove(path)
            elif not path.with_suffix("").exists() and _age(path) > STARTING_SECONDS:
                is_free(path, path)


def is_free(lock: Path, held: Path) -> bool:
    """Whether nobody holds a lock; a free one is removed. Where the system cannot tell: whether `held` is a day old."""
    import filelock

    if not lock.exists():
        return True
    attempt = filelock.FileLock(lock, timeout=0)
    try:
        attempt.acquire()
    except filelock.Timeout:
        return False
    except (OSError, NotImplementedError):
        return _age(held) > ABANDONED_SECONDS
    try:
        lock.unlink(missing_ok=True)
    finally:
        attempt.release()
    return True


def remove(path: Path) -> None:
    """Remove a file or a folder with all in it, as far as that can be done."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _beside(work: Path) -> Path:
    return work.with_name(f"{work.name}.lock")


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


@contextmanager
def _held(path: Path, seconds: float) -> Iterator[bool]:
    """While a lock is held, unless others had it all of this time; its file is there in any case, where it can be."""
    import filelock

    lock, free = filelock.FileLock(path, timeout=seconds), True
    try:
        lock.acquire()
    except filelock.Timeout:
        free = False
    except (OSError, NotImplementedError):
        path.touch()
    try:
        yield free
    finally:
        lock.release()
