"""Files that several builds share: made once, kept in the cache under the digest of all that they depend on."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from pathlib import Path

from kinegen.runtime.errors import ForeignError, KinegenError
from kinegen.runtime.record import digest
from kinegen.runtime.trust.private import read_file
from kinegen.runtime.trust.seal import sealed_entry

from .cache import mark_used, seal_folder
from .work import publish, workshop

ROOM = "objects"
RECORD = "objects.json"

Files = dict[str, bytes]


def kept_entry(directory: Path, key: str) -> Path:
    """Where the files of that key stand in the cache, or will."""
    return directory / ROOM / key[:32]


def kept_files(
    directory: Path, key: str, names: Collection[str], make: Callable[[Path], None], *, waiting: bool = True
) -> Files:
    """The content of the files `names`, which `make` writes into a folder if the cache has them not, or not whole.

    `key`: the digest of all that they depend on. What is given is what was checked: bytes. Who is not `waiting` is told
    by Busy that others make them.
    """
    entry = kept_entry(directory, key)
    if found := _whole(entry, key, names):
        return found
    with workshop(directory, key, waiting=waiting) as work:
        if found := _whole(entry, key, names):
            return found
        make(work)
        found = {name: (work / name).read_bytes() for name in names}
        record = {"key": key, "digests": {name: digest(code) for name, code in found.items()}}
        (work / RECORD).write_text(json.dumps(record, indent=1, sort_keys=True), encoding="utf-8")
        seal_folder(directory, work, ROOM, RECORD)
        publish(work, entry, lambda: bool(_whole(entry, key, names)))
    return found


def _whole(entry: Path, key: str, names: Collection[str]) -> Files:
    """The files in the entry, each with its recorded digest; none if one is not there or not as it was."""
    try:
        with sealed_entry(entry, RECORD) as (at, text):
            found = {name: read_file(at, name, own=True) for name in names}
            wanted = {name: digest(code) for name, code in found.items()}
            if json.loads(text) != {"key": key, "digests": wanted}:
                return {}
            mark_used(at)
            return found
    except ForeignError:
        raise
    except (KinegenError, OSError, ValueError):
        return {}
