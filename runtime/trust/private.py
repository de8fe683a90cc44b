"""Folders and files that nobody but their owner can have written, opened so that nobody can swap them afterwards.

A path is looked up anew at every use, and who may write to a folder on the way can make it lead elsewhere between a
check and a use. What is opened here is judged and read through its descriptor, each part below the one before: the
same file is checked, read and loaded. Where only we may have written (`own`), links are not followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import ForeignError

MOST_BYTES = 1 << 30
"""No file of a compiled model comes near this; a larger one is not read."""

_PART = 1 << 22
DESCRIPTORS = "/proc/self/fd"
"""Where Linux gives every descriptor a name."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe without a writer must not block


def writable(status: os.stat_result) -> bool:
    """Whether others than the owner may write; the group's bit also stands for what access control lists grant."""
    return bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def require_own(status: os.stat_result, path: Path) -> None:
    """ForeignError with the remedy if another user may have written what has this status and stands at `path`."""
    remedy = "set KINEGEN_CACHE to a folder of your own"
    if status.st_uid != os.geteuid():
        raise ForeignError(f"{path} belongs to another user (uid {status.st_uid}): remove it, or {remedy}")
    if writable(status):
        raise ForeignError(f"others can write to {path}: `chmod go-w '{path}'`, or {remedy}")


@contextmanager
def opened(path: str | Path, at: int | None = None, *, own: bool = False) -> Iterator[int]:
    """Descriptor of a folder, in the folder `at` if that is given. OSError if there is none.

    `own`: OSError too if it is a link or others can write to it, ForeignError if it belongs to another user.
    """
    descriptor = os.open(path, _FOLDER | (os.O_NOFOLLOW if own else 0), dir_fd=at)
    try:
        _judge(os.fstat(descriptor), str(path), own)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def own_folder(top: Path, room: str = "") -> Iterator[int]:
    """Descriptor of the folder `top`, or of `room` in it. OSError if it is not there, ForeignError if not ours alone.

    `top` may be a link: what it leads to is judged.
    """
    with opened(top) as descriptor:
        require_own(os.fstat(descriptor), top)
        if not room:
            yield descriptor
            return
        path = top / room
        if stat.S_ISLNK(os.stat(room, dir_fd=descriptor, follow_symlinks=False).st_mode):
            raise ForeignError(f"{path} is a link: remove it, or set KINEGEN_CACHE to a folder of your own")
        with opened(room, descriptor) as inner:
            require_own(os.fstat(inner), path)
            yield inner


@contextmanager
def opened_file(at: int, name: str, *, own: bool = False) -> Iterator[int]:
    """Descriptor of the plain file `name`, parts separated by "/", in the folder `at`.

    `own`: see `opened`, of every part. OSError if there is no such file or it is no plain file.
    """
    folder, _, rest = name.partition("/")
    if rest:
        with opened(folder, at, own=own) as inner, opened_file(inner, rest, own=own) as descriptor:
            yield descriptor
        return
    descriptor = os.open(name, _FILE | (os.O_NOFOLLOW if own else 0), dir_fd=at)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            raise OSError(errno.EINVAL, "it is no file, or not of a size that it could have", name)
        _judge(status, name, own)
        yield descriptor
    finally:
        os.close(descriptor)


def _judge(status: os.stat_result, name: str, own: bool) -> None:
    if own and status.st_uid != os.geteuid():
        raise ForeignError(f"{name} belongs to another user (uid {status.st_uid}): remove it")
    if own and writable(status):
        raise PermissionError(errno.EPERM, "others can write to it", name)


def content(descriptor: int) -> bytes:
    """All of an open file."""
    parts: list[bytes] = []
    at = 0
    while part := os.pread(descriptor, _PART, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def read_file(at: int, name: str, *, own: bool = False) -> bytes:
    """The content of a file, see `opened_file`."""
    with opened_file(at, name, own=own) as descriptor:
        return content(descriptor)


def lasting_name(descriptor: int, path: Path) -> str:
    """A path under which the loader of the system finds the open file that was found at `path`, whatever others do.

    That is its own name, which debuggers show, if only we and the administrator can change what that leads to. If not,
    it is a name of the descriptor, where the system has such (Linux). Elsewhere (macOS) nothing is safe: ForeignError.
    """
    status = os.fstat(descriptor)
    if (real := _unchangeable(path)) and _leads_to(real, status):
        return real
    through = Path(DESCRIPTORS) / str(descriptor)
    if not _leads_to(str(through), status):
        raise ForeignError(
            f"others can rename folders above {path}: set KINEGEN_CACHE to a folder in which nobody else can write"
        )
    # the C library takes names that it knows for files that it has, but descriptors are used again: number the name
    number = "".join(".//" if bit == "1" else "./" for bit in f"{status.st_dev:b}{status.st_ino:064b}")
    return f"{through.parent}/{number}{through.name}"


def _unchangeable(path: Path) -> str:
    """The path without links, if nobody but us and the administrator can make it lead elsewhere; else ''."""
    real = Path(os.path.realpath(path))
    for folder in real.parents:
        try:
            status = os.lstat(folder)
        except OSError:
            return ""
        shared = writable(status) and not status.st_mode & stat.S_ISVTX
        if not stat.S_ISDIR(status.st_mode) or status.st_uid not in (0, os.geteuid()) or shared:
            return ""
    return str(real)


def _leads_to(path: str, status: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), status)
    except OSError:
        return False
