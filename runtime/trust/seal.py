"""Seals: proof that a file of the cache was written by its owner, whoever could write to the folder it lies in once.

A digest that lies beside a file can be changed together with it. A seal is a keyed digest (HMAC-SHA256, RFC 2104); its
key, the secret of the cache, lies in the cache's own folder in a file that only the owner can read.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import BuildError, ForeignError
from .private import content, opened, opened_file, own_folder, read_file

SEAL_FILE = "seal"
SECRET_FILE = "secret"
SECRET_BYTES = 32


def seal_of(secret: bytes, kind: str, data: bytes) -> str:
    """The seal of data in hexadecimal; `kind` says what it is, so that a seal of one thing is none of another."""
    return hmac.new(secret, kind.encode() + b"\0" + data, hashlib.sha256).hexdigest()


def is_seal(seal: str, secret: bytes, kind: str, data: bytes) -> bool:
    """Whether it is the seal of that data."""
    return hmac.compare_digest(seal.encode(), seal_of(secret, kind, data).encode())


def cache_secret(cache: Path) -> bytes:
    """The secret of a cache. OSError if it has none, ForeignError if others can read it or write to the cache."""
    path = cache / SECRET_FILE
    with own_folder(cache) as at, opened_file(at, SECRET_FILE, own=True) as file:
        readable, secret = os.fstat(file).st_mode & 0o077, content(file)
    if readable or len(secret) != SECRET_BYTES:
        why = "others can read it" if readable else "it is damaged"
        raise ForeignError(
            f"{path} cannot serve ({why}): remove it, and models are compiled again when they are needed"
        )
    return secret


@contextmanager
def sealed_entry(entry: Path, record: str) -> Iterator[tuple[int, bytes]]:
    """Descriptor of an entry of a cache, two folders below the cache's own, and the content of its file `record`.

    That file is proved to be ours. What else the entry holds is not looked at. OSError if something is not there,
    BuildError if the seal does not fit, ForeignError if others own, or can write to, what the entry lies in.
    """
    cache, room = entry.parents[1], entry.parent.name
    secret = cache_secret(cache)
    with own_folder(cache, room) as folder:
        try:
            with opened(entry.name, folder, own=True) as at:
                data = read_file(at, record, own=True)
                seal = read_file(at, SEAL_FILE, own=True).decode("ascii", "replace").partition(" ")[0]
                if not is_seal(seal, secret, room, data):
                    raise BuildError(f"{entry} has no seal of this cache: compile the model again")
                yield at, data
        except ForeignError as error:
            raise ForeignError(f"{entry}: {error}, or set KINEGEN_CACHE to a folder of your own") from error
