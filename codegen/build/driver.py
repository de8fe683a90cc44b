"""Sources -> folder of a compiled model, from the cache where it stands there already."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import cffi
import numpy as np

from kinegen.codegen.printing.sources import Sources, write_texts
from kinegen.codegen.printing.text.dialects import NUMBERS
from kinegen.runtime.errors import BuildError, InternalError
from kinegen.runtime.record import MANIFEST_FILE, RECORD_FILE, BuildRecord, digest, is_file_name

from .cache import entry_path, intact, open_cache, seal_folder
from .library import calls_commands, calls_texts, linked_objects
from .objects import compile_module, object_commands
from .toolchain import Toolchain, find_toolchain
from .trial import try_module
from .upkeep import evict, size_limit
from .work import keep_failed, publish, workshop


def build(sources: Sources, *, target: str = "native", cache: Path | None = None, progress: bool = False) -> Path:
    """Compile `sources` for the processor `target` ("native" or a value of -march); gives the folder of the model.

    The folder lies in the cache (`cache`, else $KINEGEN_CACHE, else the user's) under the digest of all that the
    result depends on; a whole entry is used as it is, a damaged one is made again. `progress` shows a bar at a
    terminal if it takes over a second. BuildError if there is no compiler, it fails, or the cache cannot be used.
    """
    directory = open_cache(cache)
    return build_with(sources, find_toolchain(target, directory), cache=directory, progress=progress)


def build_with(sources: Sources, toolchain: Toolchain, *, cache: Path | None = None, progress: bool = False) -> Path:
    """As `build`, with a toolchain at hand."""
    _check_names(sources)
    directory = open_cache(cache)
    key = content_key(sources, toolchain)
    entry = entry_path(directory, sources.manifest.prefix, key)
    if intact(entry, key):
        return entry
    limit = size_limit(os.environ)
    with workshop(directory, key) as work:
        if intact(entry, key):
            return entry
        try:
            _make(sources, toolchain, key, work, directory, progress)
        except BuildError as error:
            kept = keep_failed(work, directory, entry.name)
            raise BuildError(f"{error}\nThe C is kept in {kept}") from error
        except OSError as error:
            raise BuildError(f"cannot write to the cache folder {directory} ({error.strerror})") from error
        publish(work, entry, lambda: intact(entry, key))
    evict(directory, limit)
    return entry


def content_key(sources: Sources, toolchain: Toolchain) -> str:
    """SHA-256 of everything that decides the result: texts, flags, compiler, processor, Python, cffi."""
    calls = calls_commands(toolchain, NUMBERS[sources.manifest.dtype])
    parts = {
        "files": {name: digest(text.encode()) for name, text in sources.files.items()},
        "manifest": sources.manifest.to_json(),
        "cdef": sources.cdef,
        "commands": object_commands(sources, toolchain),
        "compiler": [toolchain.name, toolchain.identity],
        "python": [toolchain.tag, toolchain.include, cffi.__version__],
        "calls": [np.__version__, calls_texts(), calls] if calls else [],
    }
    return digest(json.dumps(parts, sort_keys=True).encode())


def _make(sources: Sources, toolchain: Toolchain, key: str, work: Path, directory: Path, progress: bool) -> None:
    """Write the texts, compile and try them, and leave manifest and record beside the module."""
    with linked_objects(sources, toolchain, directory) as library:
        write_texts(sources.files, work)
        (work / MANIFEST_FILE).write_bytes(sources.manifest.to_json().encode())
        module, plain = compile_module(sources, toolchain, work, library, progress)
        made = {path.relative_to(work).as_posix(): path for path in work.rglob("*") if path.is_file()}
        digests = {name: digest(path.read_bytes()) for name, path in sorted(made.items())}
        record = BuildRecord(
            key, toolchain.tag, module, plain, toolchain.requires, toolchain.name, toolchain.target, digests
        )
        if not record.misfit():  # what this processor cannot run is tried by nobody
            try_module(sources, work, module, plain, toolchain.name)
    (work / RECORD_FILE).write_text(record.to_json(), encoding="utf-8")
    seal_folder(directory, work, "models", RECORD_FILE)


def _check_names(sources: Sources) -> None:
    """Names become files and C identifiers; what could leave the folder was let through by an earlier stage."""
    for name in (sources.manifest.module, sources.manifest.prefix):
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise InternalError(f"'{name}' cannot name a module")
    for name in sources.files:
        if not is_file_name(name) or name in (MANIFEST_FILE, RECORD_FILE):
            raise InternalError(f"'{name}' cannot name a file of a model")
    if unknown := sorted(set(sources.flags) - set(sources.files)):
        raise InternalError(f"flags for files that are not there: {', '.join(unknown)}")
