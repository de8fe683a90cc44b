"""Objects of the C library that no model changes: compiled once, kept in the cache, linked into every model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kinegen.codegen.printing.library import FOLDER, included
from kinegen.codegen.printing.sources import Sources, write_texts
from kinegen.runtime.errors import BuildError
from kinegen.runtime.record import digest

from .kept import kept_entry, kept_files
from .objects import compile_objects, object_commands, object_of
from .toolchain import Toolchain
from .work import remove


@contextmanager
def library_objects(sources: Sources, toolchain: Toolchain, directory: Path) -> Iterator[dict[str, bytes]]:
    """Path of each C file of the library in `sources` → its object, from the cache in `directory` if there.

    The entry stands under the digest of all that the objects depend on. If no good module comes of them (BuildError),
    they may be to blame, and the entry is removed.
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

    def make(work: Path) -> None:
        write_texts(texts, work)
        compile_objects(commands, toolchain, work, FOLDER, False)

    found = kept_files(directory, key, [object_of(name) for name in commands], make)
    try:
        yield {name: found[object_of(name)] for name in commands}
    except BuildError:
        remove(kept_entry(directory, key))
        raise
