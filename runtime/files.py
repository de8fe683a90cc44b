"""Files from strangers: only what is a file is opened, no more of it is read than was agreed on. Files for others."""

from __future__ import annotations

import codecs
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedReader
from os import PathLike
from pathlib import Path

from .errors import ModelError, of_file

LARGEST = 1 << 28
"""Bytes of a file that are read unless told otherwise."""

WIDE = {codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF32_BE: "UTF-32", codecs.BOM_UTF16_LE: "UTF-16"}
WIDE |= {codecs.BOM_UTF16_BE: "UTF-16"}
"""How files of other encodings begin; the longer marks first, since one begins as another does."""


def open_file(path: str | PathLike[str]) -> BufferedReader:
    """A regular file, open to be read.

    ModelError names the path where there is nothing, where it is a folder, a pipe or a device, and where it may not be
    read; nothing is waited for.
    """
    try:
        # without O_NONBLOCK a pipe keeps whoever opens it waiting for somebody who writes to it
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise of_file(path, f"cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise of_file(path, "cannot be read: no file has such a name", repr(os.fspath(path))) from None
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return open(handle, "rb")
    os.close(handle)
    what = "Is a directory" if stat.S_ISDIR(mode) else "it is no regular file"
    raise of_file(path, f"cannot be read: {what}")


@contextmanager
def in_file(path: str | PathLike[str]) -> Iterator[None]:
    """A ModelError about what a file holds begins with its name, once."""
    try:
        yield
    except ModelError as error:
        if error.file == str(path):
            raise
        raise of_file(path, str(error)) from error


@contextmanager
def writing(path: str | PathLike[str]) -> Iterator[None]:
    """What fails in it is a ModelError that names the path: no such folder, no room, no right, no name of a file."""
    try:
        yield
    except ModelError:
        raise
    except OSError as error:
        raise ModelError(f"{path}: cannot be written: {error.strerror or error}") from None
    except ValueError:
        if _is_a_name(path):
            raise
        raise ModelError(f"{os.fspath(path)!r}: cannot be written: no file has such a name") from None


def _is_a_name(path: str | PathLike[str]) -> bool:
    """A file may have it: no NUL, no half of a character."""
    try:
        return b"\0" not in os.fsencode(path)
    except ValueError:
        return False


def make_folder(path: str | PathLike[str]) -> None:
    """The folder, with those above it. ModelError where it cannot be made, or is a file."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ModelError(f"{path}: is a file, and files are to be written into a folder: give another name") from None
    except OSError as error:
        why = error.strerror or error
        raise ModelError(f"{path}: this folder cannot be made: {why}; give one in a folder of your own") from None
    except ValueError:  # NUL, or half of a character
        raise ModelError(f"{os.fspath(path)!r}: no folder has such a name; give another") from None


def check_folder(path: str | PathLike[str]) -> None:
    """ModelError where `make_folder` would raise it: the folder is made, and what is new of it goes again."""
    new = [folder for folder in (Path(path), *Path(path).parents) if not os.path.exists(folder)]
    try:
        make_folder(path)
    finally:
        for folder in new:
            with suppress(OSError, ValueError):  # what was not made, or is used meanwhile
                folder.rmdir()


def page_path(path: str | PathLike[str], what: str) -> Path:
    """Where a page, such as "a report", is to be written. ModelError if the name does not end as those of pages do."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ModelError(f"{target}: {what} is a page; end its name with .html")
    return target


@contextmanager
def written(path: str | PathLike[str]) -> Iterator[Path]:
    """The file to write into: one beside `path`, which takes its place at the end if all went well, and goes otherwise.

    What was there before stays as it was for those who have it open, such as a process that has loaded a library. A
    link stays one, a file keeps its permissions. What is no regular file, and what this process prints into, is
    written itself. ModelError as `writing`.
    """
    with writing(path):
        home, there = Path(os.path.realpath(path)), _there(path)
        if not _replaceable(home, there):
            yield Path(path)
            return
        draft = home.with_name(f".{secrets.token_hex(8)}{Path(path).suffix}")
        try:
            yield draft
            _settle(draft, home, there)
        finally:
            draft.unlink(missing_ok=True)


def write_together(folder: Path, contents: Mapping[str, bytes | Path]) -> None:
    """Files by their paths in `folder`, of bytes or as copies: put in place when all are written, or none of them."""
    with ExitStack() as drafts:
        for name, content in contents.items():
            make_folder((folder / name).parent)
            draft = drafts.enter_context(written(folder / name))
            if isinstance(content, Path):
                shutil.copy2(content, draft)
            else:
                draft.write_bytes(content)


def _there(path: str | PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _replaceable(home: Path, there: os.stat_result | None) -> bool:
    """Whether another file may take the place of this one. OSError if it must not be written."""
    if there is not None:
        if not stat.S_ISREG(there.st_mode):
            return False
        os.close(os.open(home, os.O_WRONLY | os.O_CLOEXEC))
        for output in (1, 2):
            with suppress(OSError):  # it is closed
                if os.path.samestat(there, os.fstat(output)):
                    return False
    return os.access(home.parent, os.W_OK)


def _settle(draft: Path, home: Path, there: os.stat_result | None) -> None:
    try:
        if there is not None:
            os.chown(draft, there.st_uid, there.st_gid)
            draft.chmod(stat.S_IMODE(there.st_mode))
        draft.replace(home)
    except OSError:  # somebody else's in a folder of all, or a mount of its own: only what is in it can change
        shutil.copyfile(draft, home)


def length(file: BufferedReader) -> int:
    """Bytes of an open file."""
    return os.fstat(file.fileno()).st_size


def read_bytes(path: str | PathLike[str], largest: int = LARGEST) -> bytes:
    """All of a file. ModelError as `open_file`, and where it holds more than `largest` bytes."""
    with open_file(path) as file:
        size = length(file)
        try:
            data = file.read(largest + 1) if size <= largest else b""  # some files are longer than they say
        except OSError as error:
            raise of_file(path, f"cannot be read: {error.strerror or error}") from None
    if max(size, len(data)) > largest:
        raise of_file(path, f"has {max(size, len(data)):,} bytes; at most {largest:,} are read")
    return data


def read_text(path: str | PathLike[str], errors: str = "strict") -> str:
    """All of a file of UTF-8, `errors` as of `bytes.decode`. ModelError as `read_bytes`, and for other encodings."""
    data = read_bytes(path)
    wide = next((name for mark, name in WIDE.items() if data.startswith(mark)), "UTF-16" if 0 in data[:2] else "")
    if wide:
        raise of_file(path, f"is not UTF-8 text but {wide}; save it as UTF-8")
    try:
        return data.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        where = f"byte {error.start} is {data[error.start]:#04x}"
        raise of_file(path, f"is not UTF-8 text: {where}; save it as UTF-8") from None


def number_in(text: str) -> float:
    """The number that a text of a file is. ValueError for what is none, also where Python's float takes it: 1_000, and
    digits of other scripts."""
    word = text.strip()
    if "_" in word or not word.isascii():
        raise ValueError(f"no number: {word!r}")
    return float(word)
