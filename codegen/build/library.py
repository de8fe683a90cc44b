"""Objects of what no model changes: compiled once, kept in the cache, linked into every model.

That is the C library, and the checked calls of kernels for Python (runtime/module/calls.c) where headers are there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.resources import files
from pathlib import Path

import numpy as np

from kinegen.codegen.printing.library import FOLDER, included
from kinegen.codegen.printing.sources import Sources, write_texts
from kinegen.codegen.printing.text.dialects import NUMBERS, SINGLE, Numbers
from kinegen.runtime.errors import BuildError
from kinegen.runtime.record import digest

from .kept import kept_entry, kept_files
from .objects import Commands, compile_objects, object_commands, object_of
from .toolchain import FLAGS, Toolchain
from .work import remove

CALLS = "calls.python.c"
"""What it is called beside the files of a model, which have no such point in their names."""


@contextmanager
def linked_objects(sources: Sources, toolchain: Toolchain, directory: Path) -> Iterator[dict[str, bytes]]:
    """Those of the library that `sources` make use of, and the checked calls, as `library_objects` gives them."""
    commands, texts = calls_commands(toolchain, NUMBERS[sources.manifest.dtype]), calls_texts()

    def make(work: Path) -> None:
        write_texts(texts, work)
        compile_objects(commands, toolchain, work, FOLDER, False)

    parts = [texts, commands, toolchain.name, toolchain.identity, toolchain.tag, np.__version__]
    with library_objects(sources, toolchain, directory) as library, ExitStack() as stack:
        try:
            calls = stack.enter_context(_kept(commands, parts, directory, make))
        except BuildError:  # a compiler that does not understand these headers, as tcc: models do without
            calls = {}
        yield library | calls


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
    texts = included(sources.files, commands)

    def make(work: Path) -> None:
        write_texts(texts, work)
        compile_objects(commands, toolchain, work, FOLDER, False)

    with _kept(commands, [texts, commands, toolchain.name, toolchain.identity], directory, make) as found:
        yield found


@contextmanager
def _kept(
    commands: Commands, parts: list[object], directory: Path, make: Callable[[Path], None]
) -> Iterator[dict[str, bytes]]:
    """What `make` writes for the commands, by the files they compile; removed if no good module comes of it."""
    if not commands:
        yield {}
        return
    key = digest(json.dumps(parts, sort_keys=True).encode())
    found = kept_files(directory, key, [object_of(name) for name in commands], make)
    try:
        yield {name: found[object_of(name)] for name in commands}
    except BuildError:
        remove(kept_entry(directory, key))
        raise


def calls_texts() -> dict[str, str]:
    """The C of the checked calls, which is no part of what users are given: it is for this Python alone."""
    module = files("kinegen.runtime") / "module"
    headers = ("answer.h", "arguments.h", "call.h", "states.h")
    named = {CALLS: "calls.c", **{name: name for name in headers}}
    return {name: (module / file).read_text(encoding="utf-8") for name, file in named.items()}


def calls_commands(toolchain: Toolchain, numbers: Numbers) -> Commands:
    """How the checked calls of kernels with such numbers are compiled; empty where there are no headers of Python
    or numpy, or for other Pythons."""
    header = Path(np.get_include()) / "numpy" / "arrayobject.h"
    if toolchain.include is None or sys.implementation.name != "cpython" or not header.is_file():
        return {}
    folders = ["-I", toolchain.include, "-I", np.get_include(), *(["-DKINEGEN_SINGLE"] if numbers is SINGLE else [])]
    return {CALLS: ["-std=c11", *toolchain.architecture, *FLAGS, *folders, *toolchain.tuning, "-fvisibility=hidden"]}
