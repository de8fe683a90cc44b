"""Sources -> folder of a compiled model, from the cache where it stands there already.

Compilers need not wait for the last file to be printed: what includes nothing that is still to come is compiled.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

import cffi
import numpy as np

from kinegen.codegen.printing.library import includes, library_of
from kinegen.codegen.printing.sources import Sources, write_texts
from kinegen.codegen.printing.text.dialects import NUMBERS, Numbers
from kinegen.runtime.errors import BuildError, InternalError, KinegenError
from kinegen.runtime.record import MANIFEST_FILE, RECORD_FILE, BuildRecord, digest, is_file_name

from .cache import entry_path, intact, open_cache, seal_folder
from .library import begun_early, calls_commands, calls_texts, linked_objects
from .objects import WRAPPER_FLAGS, Compilers, compile_module, object_commands, object_flags
from .run import FullError
from .toolchain import Toolchain, find_toolchain
from .trial import try_module
from .upkeep import evict, size_limit
from .work import Busy, keep_failed, publish, workshop, writing


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
    with Site(toolchain, open_cache(cache)) as site:
        return site.finish(sources, progress)


class Site:
    """A model under way: of what is printed file by file, C is compiled as soon as all that it includes is there.

    `key`: of what is asked for; no other process builds the same meanwhile. Without one, nothing is begun before all is
    there. It is used by `with`; who leaves takes compilers and files along.
    """

    def __init__(self, toolchain: Toolchain, directory: Path, key: str | None = None) -> None:
        self._toolchain, self._directory, self._key = toolchain, directory, key
        self._stack = ExitStack()
        self._bench: _Bench | None = None
        self._early = key
        self._taken: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._alike: list[Mapping[str, str]] | None = None

    def begin(self, numbers: Numbers, shapes: bool) -> None:
        """Compile what no model changes, with `shapes` what looks for contact too, while the first file is made."""
        self._stack.enter_context(begun_early(shapes, numbers, self._toolchain, self._directory))

    def take(self, name: str, text: str, flags: tuple[str, ...] = ()) -> None:
        """A file of the mechanism, and the extra compiler flags it wants.

        Nothing is begun as long as it may all be in the cache, or while others are at it: `finish` will tell.
        """
        if self._early is None:
            return
        self._taken[name] = text, flags
        if self._bench is None and self._known(name, text):
            return
        try:
            bench = self._bench or self._open(self._early, waiting=False)
        except Busy:
            self._early = None
            return
        with writing(self._directory):
            while self._taken:
                name = next(iter(self._taken))
                bench.put(name, *self._taken.pop(name))

    def finish(self, sources: Sources, progress: bool = False) -> Path:
        """The folder of the model."""
        _check_names(sources)
        directory, key = self._directory, content_key(sources, self._toolchain)
        entry = entry_path(directory, sources.manifest.prefix, key)
        if intact(entry, key):
            return entry
        limit = size_limit(os.environ)
        bench = self._bench or self._open(self._key or key)
        if intact(entry, key):
            return entry
        with writing(directory):
            try:
                _make(sources, self._toolchain, key, bench, directory, progress)
            except FullError:  # the C is not to blame, and would take what room there is
                raise
            except BuildError as error:
                bench.compilers.stop()
                kept = keep_failed(bench.folder, directory, entry.name)
                raise BuildError(f"{error}\nThe C is kept in {kept}") from error
        publish(bench.folder, entry, lambda: intact(entry, key))
        evict(directory, limit)
        return entry

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _open(self, key: str, *, waiting: bool = True) -> _Bench:
        folder = self._stack.enter_context(workshop(self._directory, key, waiting=waiting))
        compilers = self._stack.enter_context(Compilers(self._toolchain, folder))
        self._bench = _Bench(folder, compilers, self._toolchain)
        return self._bench

    def _known(self, name: str, text: str) -> bool:
        """Whether all files that came so far are those of one model in the cache."""
        found = _models(self._directory, name, self._toolchain) if self._alike is None else self._alike
        self._alike = [digests for digests in found if digests.get(name) == digest(text.encode())]
        return bool(self._alike)


class _Bench:
    """A folder with files of a model, and the compilers that are at them."""

    def __init__(self, folder: Path, compilers: Compilers, toolchain: Toolchain) -> None:
        self.folder, self.compilers, self._toolchain = folder, compilers, toolchain
        self._texts: dict[str, str] = {}
        self._needs: dict[str, list[str]] = {}
        self._commands: dict[str, list[str]] = {}

    def put(self, name: str, text: str, flags: tuple[str, ...]) -> None:
        """A file with what it includes of the library; what has all that it includes is compiled."""
        self.write({**library_of([text]), name: text})
        self._needs[name] = includes(text)
        if name.endswith(".c"):
            self._commands[name] = object_flags(flags, self._toolchain)
        self.compilers.add({name: own for name, own in self._commands.items() if self._whole(name)})

    def write(self, texts: Mapping[str, str]) -> None:
        """What is there already is being read."""
        if changed := sorted(name for name, text in texts.items() if self._texts.get(name, text) != text):
            raise InternalError(f"files were printed twice: {', '.join(changed)}")
        write_texts({name: text for name, text in texts.items() if name not in self._texts}, self.folder)
        self._texts |= texts

    def _whole(self, name: str) -> bool:
        return name in self._texts and all(map(self._whole, self._needs.get(name, ())))


def _models(directory: Path, name: str, toolchain: Toolchain) -> list[Mapping[str, str]]:
    """Digests of the files of each model in the cache to which a file of that name may belong."""
    found: list[Mapping[str, str]] = []
    with suppress(OSError):
        for entry in (directory / "models").iterdir():
            if name.startswith(entry.name.rpartition("-")[0]):
                with suppress(KinegenError):
                    record = BuildRecord.read(entry)
                    made = record.compiler, record.target, record.tag
                    found += [record.digests] if made == (toolchain.name, toolchain.target, toolchain.tag) else []
    return found


def content_key(sources: Sources, toolchain: Toolchain) -> str:
    """SHA-256 of everything that decides the result: texts, flags, compiler, processor, Python, cffi."""
    calls = calls_commands(toolchain, NUMBERS[sources.manifest.dtype])
    parts = {
        "files": {name: digest(text.encode()) for name, text in sources.files.items()},
        "manifest": sources.manifest.to_json(),
        "cdef": sources.cdef,
        "commands": object_commands(sources, toolchain),
        "compiler": [toolchain.name, toolchain.identity],
        "python": [toolchain.tag, toolchain.include, cffi.__version__, *WRAPPER_FLAGS],
        "calls": [np.__version__, calls_texts(), calls] if calls else [],
    }
    return digest(json.dumps(parts, sort_keys=True).encode())


def _make(sources: Sources, toolchain: Toolchain, key: str, bench: _Bench, directory: Path, progress: bool) -> None:
    """Write the texts, compile and try them, and leave manifest and record beside the module."""
    work = bench.folder
    with linked_objects(sources, toolchain, directory) as library:
        bench.write(sources.files)
        (work / MANIFEST_FILE).write_bytes(sources.manifest.to_json().encode())
        module, plain = compile_module(sources, toolchain, work, library, bench.compilers, progress)
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
