"""C of a model → a WebAssembly module that holds one motion of it, and needs nothing of who runs it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from kinegen.codegen.printing.live import live_files
from kinegen.codegen.printing.sources import write_texts
from kinegen.runtime.record import digest

from .cache import open_cache
from .kept import kept_files
from .objects import call_compiler, compile_objects, object_of
from .toolchain import Toolchain, find_wasm_toolchain
from .work import writing

FLAGS = ("-std=c99", "-O2", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-fvisibility=hidden")
STACK = 4 << 20
"""Bytes for the matrices of a step, which stand on the stack."""
LINK = ("-mexec-model=reactor", "-s", "-lm", f"-Wl,-z,stack-size={STACK}")
MODULE = "model.wasm"


def build_wasm(files: Mapping[str, str], prefix: str, *, cache: Path | None = None, progress: bool = False) -> bytes:
    """The module of a model whose C, with the step, is in `files` (path → text), made or from the cache.

    It exports what templates/step/live.c.j2 says and imports nothing. Same C, same compiler, same bytes. BuildError
    if there is no compiler for it, it fails, or the cache cannot be used.
    """
    directory = open_cache(cache)
    toolchain, texts = find_wasm_toolchain(directory), live_files(files, prefix)
    flags = [*FLAGS, *toolchain.architecture]
    commands = {name: flags for name in sorted(texts) if name.endswith(".c")}
    parts = [dict(texts), commands, LINK, toolchain.name, toolchain.identity]
    key = digest(json.dumps(parts, sort_keys=True).encode())

    def make(work: Path) -> None:
        write_texts(texts, work)
        compile_objects(commands, toolchain, work, prefix, progress)
        _link(toolchain, [object_of(name) for name in commands], work)

    with writing(directory):
        return kept_files(directory, key, [MODULE], make)[MODULE]


def _link(toolchain: Toolchain, objects: list[str], work: Path) -> None:
    call_compiler(toolchain.command, [*toolchain.architecture, *objects, *LINK], MODULE, work)
    for name in objects:
        (work / name).unlink()
