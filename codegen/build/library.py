"""Objects of what no model changes: compiled once, kept in the cache, linked into every model.

That is the C library, and the checked calls of kernels for Python (runtime/module/calls.c) where headers are there.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from kinegen.codegen.printing.library import FOLDER, compiled_library, included, library_flags
from kinegen.codegen.printing.sources import Sources, write_texts
from kinegen.codegen.printing.text.dialects import NUMBERS, SINGLE, Numbers
from kinegen.runtime.errors import BuildError, KinegenError
from kinegen.runtime.record import digest

from .kept import kept_entry, kept_files
from .objects import Commands, compile_objects, object_flags, object_of
from .toolchain import FLAGS, Toolchain
from .work import Busy, remove

CALLS = "calls.python.c"
"""What it is called beside the files of a model, which have no such point in their names."""

CALLS_FILES = ("calls.c", "answer.h", "arguments.h", "call.h", "parts.h", "states.h")
"""The C of the checked calls, in runtime/module."""


@dataclass(frozen=True)
class _Shared:
    """C files that are the same for many models, with all that decides what comes of them."""

    commands: Commands
    texts: Mapping[str, str]
    toolchain: Toolchain
    others: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        parts = [dict(self.texts), self.commands, self.toolchain.name, self.toolchain.identity, *self.others]
        return digest(json.dumps(parts, sort_keys=True).encode())

    def objects(self, directory: Path, beside: threading.Event | None = None) -> dict[str, bytes]:
        """By the files that they are made of, from the cache in `directory` if there; `beside` as for
        `compile_objects`: Busy if others make them."""

        def make(work: Path) -> None:
            write_texts(self.texts, work)
            compile_objects(self.commands, self.toolchain, work, FOLDER, False, beside)

        names = [object_of(name) for name in self.commands]
        found = kept_files(directory, self.key, names, make, waiting=beside is None) if names else {}
        return {name: found[object_of(name)] for name in self.commands}

    @contextmanager
    def trusted(self, directory: Path) -> Iterator[dict[str, bytes]]:
        """The objects; if no good module comes of them (BuildError), they may be to blame, and the entry is removed."""
        found = self.objects(directory)
        try:
            yield found
        except BuildError:
            remove(kept_entry(directory, self.key))
            raise


@contextmanager
def linked_objects(sources: Sources, toolchain: Toolchain, directory: Path) -> Iterator[dict[str, bytes]]:
    """Those of the library that `sources` make use of, and the checked calls, as `library_objects` gives them."""
    calls = _calls(toolchain, NUMBERS[sources.manifest.dtype])
    with library_objects(sources, toolchain, directory) as library, ExitStack() as stack:
        try:
            own = stack.enter_context(calls.trusted(directory))
        except BuildError:  # a compiler that does not understand these headers, as tcc: models do without
            own = {}
        yield library | own


@contextmanager
def library_objects(sources: Sources, toolchain: Toolchain, directory: Path) -> Iterator[dict[str, bytes]]:
    """Path of each C file of the library in `sources` → its object, from the cache in `directory` if there.

    The entry stands under the digest of all that the objects depend on. If no good module comes of them (BuildError),
    they may be to blame, and the entry is removed.
    """
    with _library(sources.files, toolchain).trusted(directory) as found:
        yield found


@contextmanager
def begun_early(shapes: bool, numbers: Numbers, toolchain: Toolchain, directory: Path) -> Iterator[None]:
    """Meanwhile what no model changes is compiled beside, where the cache has it not; with `shapes` what looks for
    contact too. Who needs it waits for it, or makes it again: failures are told there."""
    wanted = [_library(compiled_library(), toolchain)] if shapes else []
    ended = threading.Event()

    def make() -> None:
        for shared in (*wanted, _calls(toolchain, numbers)):
            with suppress(KinegenError, OSError, Busy):
                shared.objects(directory, ended)

    thread = threading.Thread(target=make)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _calls(toolchain: Toolchain, numbers: Numbers) -> _Shared:
    return _Shared(calls_commands(toolchain, numbers), calls_texts(), toolchain, (toolchain.tag, np.__version__))


def _library(files: Mapping[str, str], toolchain: Toolchain) -> _Shared:
    """The C files of the library among these."""
    flags = library_flags(name for name in sorted(files) if name.startswith(f"{FOLDER}/"))
    commands = {name: object_flags(own, toolchain, hidden=True) for name, own in flags.items()}
    return _Shared(commands, included(files, commands), toolchain)


def calls_texts() -> dict[str, str]:
    """The C of the checked calls, which is no part of what users are given: it is for this Python alone."""
    module = files("kinegen.runtime") / "module"
    texts = {name: (module / name).read_text(encoding="utf-8") for name in CALLS_FILES}
    return {CALLS if name == "calls.c" else name: text for name, text in texts.items()}


def calls_commands(toolchain: Toolchain, numbers: Numbers) -> Commands:
    """How the checked calls of kernels with such numbers are compiled; empty where there are no headers of Python
    or numpy, or for other Pythons."""
    header = Path(np.get_include()) / "numpy" / "arrayobject.h"
    if toolchain.include is None or sys.implementation.name != "cpython" or not header.is_file():
        return {}
    folders = ["-I", toolchain.include, "-I", np.get_include(), *(["-DKINEGEN_SINGLE"] if numbers is SINGLE else [])]
    return {CALLS: ["-std=c11", *toolchain.architecture, *FLAGS, *folders, *toolchain.tuning, "-fvisibility=hidden"]}
