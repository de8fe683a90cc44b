"""Sources -> folder of a compiled model, from the cache where it stands there already."""

from __future__ import annotations

import json
import re
from pathlib import Path

import cffi

from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.errors import BuildError, InternalError
from kinegen.runtime.record import MANIFEST_FILE, RECORD_FILE, BuildRecord, digest

from .cache import entry_path, intact, keep_failed, open_cache, publish, workshop
from .objects import compile_module, object_commands
from .toolchain import Toolchain, find_toolchain


def build(sources: Sources, *, target: str = "native", cache: Path | None = None, progress: bool = False) -> Path:
    """Compile `sources` for the processor `target` ("native" or a value of -march); gives the folder of the model.

    The folder lies in the cache (`cache`, else $KINEGEN_CACHE, else the user's) under the digest of all that the
    result depends on; a whole entry is used as it is, a damaged one is made again. `progress` shows a bar at a
    terminal if it takes over a second. BuildError if there is no compiler, it fails, or the cache cannot be used.
    """
    directory = open_cache(cache)
    return build_with(sources, find_toolchain(target, directory / "compilers"), cache=directory, progress=progress)


def build_with(sources: Sources, toolchain: Toolchain, *, cache: Path | None = None, progress: bool = False) -> Path:
    """As `build`, with a toolchain at hand."""
    _check_names(sources)
    directory = open_cache(cache)
    key = content_key(sources, toolchain)
    entry = entry_path(directory, sources.manifest.prefix, key)
    if intact(entry, key):
        return entry
    with workshop(directory, key) as work:
        if not intact(entry, key):
            try:
                _make(sources, toolchain, key, work, progress)
            except BuildError as error:
                kept = keep_failed(work, directory, entry.name)
                raise BuildError(f"{error}\nThe C is kept in {kept}") from error
            except OSError as error:
                raise BuildError(f"cannot write to the cache folder {directory} ({error.strerror})") from error
            publish(work, entry, key)
    return entry


def content_key(sources: Sources, toolchain: Toolchain) -> str:
    """SHA-256 of everything that decides the result: texts, flags, compiler, processor, Python, cffi."""
    parts = {
        "files": {name: digest(text.encode()) for name, text in sources.files.items()},
        "manifest": sources.manifest.to_json(),
        "cdef": sources.cdef,
        "commands": object_commands(sources, toolchain),
        "compiler": [toolchain.name, toolchain.identity],
        "python": [toolchain.tag, toolchain.include, cffi.__version__],
    }
    return digest(json.dumps(parts, sort_keys=True).encode())


def _make(sources: Sources, toolchain: Toolchain, key: str, work: Path, progress: bool) -> None:
    """Write the texts, compile them, and leave manifest and record beside the module."""
    texts = {**sources.files, MANIFEST_FILE: sources.manifest.to_json()}
    for name, text in texts.items():
        (work / name).write_bytes(text.encode())
    module, library = compile_module(sources, toolchain, work, progress)
    digests = {path.name: digest(path.read_bytes()) for path in sorted(work.iterdir())}
    record = BuildRecord(
        key, toolchain.tag, module, library, toolchain.requires, toolchain.name, toolchain.target, digests
    )
    (work / RECORD_FILE).write_text(record.to_json(), encoding="utf-8")


def _check_names(sources: Sources) -> None:
    """Names become files and C identifiers; what could leave the folder was let through by an earlier stage."""
    for name in (sources.manifest.module, sources.manifest.prefix):
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise InternalError(f"'{name}' cannot name a module")
    for name in sources.files:
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name) or name in (MANIFEST_FILE, RECORD_FILE):
            raise InternalError(f"'{name}' cannot name a file of a model")
    if unknown := sorted(set(sources.flags) - set(sources.files)):
        raise InternalError(f"flags for files that are not there: {', '.join(unknown)}")
