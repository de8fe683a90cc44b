"""The cache: a private folder of compiled models, each under the digest of what it was compiled from.

CACHEDIR.TAG  marks the folder as ours, and as a cache for programs that make backups
secret        the key of all seals, see kinegen.runtime.trust.seal
models        compiled models, PREFIX-KEY; objects: those of the C library, WebAssembly; failed: C that did not compile
fronts        notes that lead from descriptions to models; compilers: what compilers say of themselves
work          builds under way, each with a lock beside it; locks: one for each key that is being built
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

import platformdirs

from kinegen.runtime.errors import BuildError, ForeignError, KinegenError
from kinegen.runtime.record import RECORD_FILE, BuildRecord
from kinegen.runtime.trust.private import own_folder, read_file
from kinegen.runtime.trust.seal import SEAL_FILE, SECRET_BYTES, SECRET_FILE, cache_secret, seal_of, sealed_entry

ROOMS = {
    "models": r".+-[0-9a-f]{32}",
    "objects": r"[0-9a-f]{32}",
    "failed": r".+-[0-9a-f]{32}",
    "fronts": r"\.?[0-9a-f]{32}(\.json)?",
    "compilers": r"\.?[0-9a-f]{32}(\.json)?",
    "locks": r"[0-9a-f]{32}\.lock",
    "work": r"[0-9a-f]{16}(\.lock)?",
}
"""The folders of a cache; what is called like that in them is ours."""

TAG_FILE = "CACHEDIR.TAG"
TAG = """Signature: 8a477f597d28d172789f06886806bc55
# Models compiled by kinegen, which can be made again at any time: `kinegen cache clear`.
# What this file is for: https://bford.info/cachedir/
"""


def cache_path(cache: Path | None = None) -> Path:
    """The cache folder: the argument, else $KINEGEN_CACHE, else the user's cache folder. Need not exist."""
    chosen = cache or os.environ.get("KINEGEN_CACHE") or platformdirs.user_cache_dir("kinegen")
    try:
        return Path(chosen).expanduser().absolute()
    except RuntimeError as error:
        raise BuildError(f"no folder for the cache ({error}): set KINEGEN_CACHE to a folder of your own") from error
    except OSError as error:
        raise BuildError(
            f"no folder for the cache, {os.fspath(chosen)!r} in the working directory, which is not there "
            f"({error.strerror}): set KINEGEN_CACHE to the whole path of a folder of your own"
        ) from error


def open_cache(cache: Path | None = None) -> Path:
    """The cache folder, made with mode 0700 if it is not there.

    BuildError if it cannot be made or holds something else, ForeignError if others could plant code in it.
    """
    path = cache_path(cache)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with own_folder(path) as at:
            require_ours(at, path)
            with suppress(OSError):  # a cache that cannot be written still serves
                _put(at, TAG_FILE, TAG.encode())
                _put(at, SECRET_FILE, secrets.token_bytes(SECRET_BYTES))
    except OSError as error:
        raise BuildError(
            f"cannot make the cache folder {path} ({error.strerror}): set KINEGEN_CACHE to a folder of your own"
        ) from error
    except ValueError as error:  # NUL, or half of a character
        raise BuildError(
            f"cannot make the cache folder {os.fspath(path)!r}: no folder has such a name; set KINEGEN_CACHE to a "
            "folder of your own"
        ) from error
    return path


def require_ours(at: int, path: Path) -> None:
    """BuildError if the open folder `at` holds things that are not of a cache, and has no tag that says it is one."""
    try:
        if b"kinegen" in read_file(at, TAG_FILE, own=True):
            return
    except OSError:
        pass
    known = (*ROOMS, TAG_FILE)
    if others := sorted(name for name in os.listdir(at) if name not in known and not name.startswith(SECRET_FILE)):
        raise BuildError(
            f"{path} is no cache of kinegen, it holds '{others[0]}': set KINEGEN_CACHE to a folder of its own, such as "
            f"{path / 'kinegen'}"
        )


def make_room(directory: Path, room: str) -> Path:
    """A folder of the cache, made if it is not there. OSError if it cannot be, ForeignError if it is not ours alone."""
    path = directory / room
    path.mkdir(mode=0o700, exist_ok=True)
    with own_folder(directory, room):
        return path


def entry_path(directory: Path, prefix: str, key: str) -> Path:
    """Where the model of that key stands, or will."""
    return directory / "models" / f"{prefix[:60]}-{key[:32]}"


def intact(entry: Path, key: str) -> bool:
    """Whether `entry` holds the whole model of that key, sealed, each file with its digest, fit for this machine.

    It counts as used then. ForeignError if it, or what it is in, is not ours alone.
    """
    try:
        with sealed_entry(entry, RECORD_FILE) as (at, text):
            record = BuildRecord.from_json(text, entry)
            files = sorted({*record.digests, *record.loaded_files()})
            whole = record.key == key and not record.misfit() and not record.damage(at, files, own=True)
            if whole:
                mark_used(at)
            return whole
    except ForeignError:
        raise
    except (KinegenError, OSError):
        return False


def seal_folder(directory: Path, work: Path, room: str, record: str) -> None:
    """Make a finished entry for `room` one of the cache: sealed, and writable for its owner alone."""
    paths = list(work.rglob("*"))
    for path in (work, *paths):
        path.chmod(path.stat().st_mode & 0o755)
    size = sum(path.stat().st_size for path in paths if path.is_file())
    secret = cache_secret(directory)
    with open(os.open(work / SEAL_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(f"{seal_of(secret, room, (work / record).read_bytes())} {size}\n")


def mark_used(at: int) -> None:
    """Note that the entry in the open folder `at` is used now, if that can be written."""
    with suppress(OSError):
        os.utime(SEAL_FILE, dir_fd=at)


def _put(at: int, name: str, data: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all, unless there is one."""
    with suppress(FileNotFoundError):
        os.stat(name, dir_fd=at, follow_symlinks=False)
        return
    draft = f"{SECRET_FILE}-{secrets.token_hex(8)}"
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=at), "wb") as file:
            file.write(data)
        try:
            os.link(draft, name, src_dir_fd=at, dst_dir_fd=at)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            os.rename(draft, name, src_dir_fd=at, dst_dir_fd=at)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=at)
