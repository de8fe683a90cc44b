"""Objects of the C library that no model changes: compiled once, kept in the cache, linked into every model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kinegen.codegen.printing.library import FOLDER, included
from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.errors import BuildError, ForeignError, KinegenError
from kinegen.runtime.private import read_file
from kinegen.runtime.record import digest
from kinegen.runtime.seal import sealed_entry

from .cache import mark_used, seal_folder
from .objects import Commands, compile_objects, object_commands, object_of
from .toolchain import Toolchain
from .work import publish, remove, workshop

RECORD = "objects.json"


@contextmanager
def library_objects(sources: Sources, toolchain: Toolchain, directory: Path) -> Iterator[dict[str, bytes]]:
    """Path of each C file of the library in `sources` → its object, from the cache in `directory` if there.

    The entry stands under the digest of all that the objects depend on. What is linked is what was checked: bytes. If
    no good module comes of them (BuildError), they may be to blame, and the entry is removed.
    """
    commands = {
        name: [*flags, "-fvisibility=hidden"]
        for name, flags in object_commands(sources, toolchain).items()
        if name.startswith(f"{FOLDER}/")
    }
    if not commands:
        yield {}
        return
    texts = included(sources.files, commands)
    parts = [texts, commands, toolchain.name, toolchain.identity]
    key = digest(json.dumps(parts, sort_keys=True).encode())
    entry = directory / "objects" / key[:32]
    if not (found := _whole(entry, key, commands)):
        with workshop(directory, key) as work:
            if not (found := _whole(entry, key, commands)):
                found = _compiled(texts, commands, toolchain, work, key)
                seal_folder(directory, work, "objects", RECORD)
                publish(work, entry, lambda: bool(_whole(entry, key, commands)))
    try:
        yield found
    except BuildError:
        remove(entry)
        raise


def _compiled(
    texts: dict[str, str], commands: Commands, toolchain: Toolchain, work: Path, key: str
) -> dict[str, bytes]:
    """The objects, which with their record are left in `work`."""
    for name, text in texts.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    compile_objects(commands, toolchain, work, FOLDER, False)
    objects = {name: (work / object_of(name)).read_bytes() for name in commands}
    record = {"key": key, "digests": {name: digest(code) for name, code in objects.items()}}
    (work / RECORD).write_text(json.dumps(record, indent=1, sort_keys=True), encoding="utf-8")
    return objects


def _whole(entry: Path, key: str, commands: Commands) -> dict[str, bytes]:
    """The objects in the entry, each with its recorded digest; none if one is not there or not as it was."""
    try:
        with sealed_entry(entry, RECORD) as (at, text):
            objects = {name: read_file(at, object_of(name), own=True) for name in commands}
            wanted = {name: digest(code) for name, code in objects.items()}
            if json.loads(text) != {"key": key, "digests": wanted}:
                return {}
            mark_used(at)
            return objects
    except ForeignError:
        raise
    except (KinegenError, OSError, ValueError):
        return {}
