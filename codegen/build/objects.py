"""C files -> objects, in parallel -> one shared module."""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import lru_cache
from pathlib import Path
from queue import PriorityQueue
from typing import Any, Self

import cffi
from cffi import recompiler

from kinegen.codegen.printing.library import included_by
from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.errors import BuildError
from kinegen.runtime.record import PLATFORM_TAG, PYTHON_TAG, processors

from .run import run_compiler
from .toolchain import FLAGS, Toolchain

PATIENCE_SECONDS = 1.0

WRAPPER_FLAGS = ("-O0", "-fPIC")
"""Of cffi's C, which only passes arguments on: it takes half the time, and calls take no longer."""

Commands = dict[str, list[str]]


class Compilers:
    """C files in a folder → objects beside them, as many at a time as there are processors.

    Of the files that wait the longest with all that it includes is the first. One processor is left to who adds files,
    until `finish`; `stop`, or leaving a `with`, ends what is running. `beside`: told when other work is over, to which
    one processor is left to the end; then, and not before, what is running ends.
    """

    def __init__(self, toolchain: Toolchain, folder: Path, beside: threading.Event | None = None) -> None:
        self._command, self._folder = toolchain.command, folder
        self._pool = ThreadPoolExecutor(processors())
        self._free = threading.Semaphore(max(1, processors() - 1))
        self._beside = beside is not None
        self._stop, self._failed = beside or threading.Event(), threading.Event()
        self._waiting: PriorityQueue[tuple[int, str, list[str]]] = PriorityQueue()
        self._jobs: dict[str, Future[None]] = {}
        self._read: dict[str, tuple[int, tuple[str, ...]]] = {}

    def add(self, commands: Commands) -> None:
        """Files that are there with all that they include; those that were added before are left out."""
        new = sorted(commands.keys() - self._jobs.keys())
        for name in new:
            self._waiting.put((-self._length(name), name, commands[name]))
        self._jobs |= {name: self._pool.submit(self._next) for name in new}

    def finish(self, title: str, progress: bool) -> None:
        """Wait for all. BuildError of the first that fails, after which none is begun."""
        if not self._beside:
            self._free.release()
        _wait([*self._jobs.values()], title, progress)

    def stop(self) -> None:
        if not self._beside:
            self._stop.set()
        self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _length(self, name: str) -> int:
        """Characters of a file with all that it includes of the folder."""
        found: dict[str, int] = {}
        waiting = [name]
        while waiting:
            name = waiting.pop()
            if name not in found and (self._folder / name).is_file():
                if name not in self._read:
                    text = (self._folder / name).read_text(encoding="utf-8")
                    self._read[name] = len(text), included_by(name, text)
                found[name], others = self._read[name]
                waiting += others
        return sum(found.values())

    def _next(self) -> None:
        with self._free:
            _, name, flags = self._waiting.get_nowait()
            if self._failed.is_set() or self._stop.is_set():
                return
            try:
                call_compiler(self._command, [*flags, "-c", name], object_of(name), self._folder, self._stop)
            except BaseException:
                self._failed.set()
                raise


def compile_module(
    sources: Sources,
    toolchain: Toolchain,
    folder: Path,
    library: Mapping[str, bytes],
    compilers: Compilers,
    progress: bool,
) -> tuple[str, str]:
    """Compile the texts in `folder`; gives the names of the Python module and of the plain library, '' if none.

    With Python's headers that is one extension module of cffi's API mode; without them a Python text of cffi's
    out-of-line ABI mode, and the plain shared library that it opens. `compilers` may be at some of the texts already;
    `library`: objects of what no model changes, by the paths of their C files.
    """
    module = sources.manifest.module
    commands = {name: flags for name, flags in object_commands(sources, toolchain).items() if name not in library}
    if toolchain.include is None:
        made, plain = f"{module}.py", f"{module}.{PLATFORM_TAG}.so"
        recompiler.make_py_source(_declarations(sources.cdef), module, str(folder / made))
        _make(commands, library, toolchain, folder, plain, compilers, progress)
        return made, plain
    made = f"{module}.{PYTHON_TAG}.so"
    wrapper = f"{module}.cffi.c"
    recompiler.make_c_source(_declarations(sources.cdef), module, sources.cdef, str(folder / wrapper))
    commands[wrapper] = [*WRAPPER_FLAGS, "-I", toolchain.include]
    _make(commands, library, toolchain, folder, made, compilers, progress)
    (folder / wrapper).unlink()  # who compiles all C of the folder may have no Python.h
    return made, ""


def object_commands(sources: Sources, toolchain: Toolchain) -> Commands:
    """The compiler's flags for each C file, in sorted order of the files."""
    names = sorted(name for name in sources.files if name.endswith(".c"))
    return {name: object_flags(sources.flags.get(name, ()), toolchain) for name in names}


def object_flags(own: Iterable[str], toolchain: Toolchain, *, hidden: bool = False) -> list[str]:
    """The compiler's flags for a C file that wants `own`; `hidden`: its functions are for other C alone, so that plain
    libraries do not show them either, of which Python calls what they show."""
    unseen = ("-fvisibility=hidden",) if hidden or toolchain.include else ()
    return ["-std=c99", *toolchain.architecture, *FLAGS, *own, *toolchain.tuning, *unseen]


@lru_cache(32)
def _declarations(text: str) -> Any:
    """Declarations as cffi understands them: variants of a mechanism often have the same, whose reading takes long."""
    ffi = cffi.FFI()
    ffi.cdef(text)
    return ffi


def object_of(name: str) -> str:
    """Where the object of a C file stands."""
    return f"{name.removesuffix('.c')}.o"


def _make(
    commands: Commands,
    library: Mapping[str, bytes],
    toolchain: Toolchain,
    folder: Path,
    made: str,
    compilers: Compilers,
    progress: bool,
) -> None:
    """Every file to its object, then the link, also of the objects that are there."""
    compilers.add(commands)
    compilers.finish(made.partition(".")[0], progress)
    for name, code in library.items():
        (folder / object_of(name)).write_bytes(code)
    objects = [object_of(name) for name in sorted({*commands, *library})]
    shared = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    call_compiler(toolchain.command, [*shared, *objects, "-lm"], made, folder)
    for name in objects:
        (folder / name).unlink()


def compile_objects(
    commands: Commands,
    toolchain: Toolchain,
    folder: Path,
    title: str,
    progress: bool,
    beside: threading.Event | None = None,
) -> None:
    """Every file to its object; the first failure, or an interruption, ends the others too. `beside` as for
    `Compilers`."""
    with Compilers(toolchain, folder, beside) as compilers:
        compilers.add(commands)
        compilers.finish(title, progress)


def call_compiler(
    compiler: tuple[str, ...], arguments: list[str], made: str, folder: Path, stop: threading.Event | None = None
) -> None:
    """Make one file in `folder`; BuildError too if the compiler says that all is well and has made nothing."""
    run_compiler(compiler, [*arguments, "-o", made], folder, stop)
    if not (folder / made).is_file():
        raise BuildError(f"the C compiler '{shlex.join(compiler)}' reported no error, but made no {made}")


def _wait(jobs: list[Future[None]], title: str, progress: bool) -> None:
    """Wait for all, or for the first that fails; a bar appears if that takes over a second at a terminal."""
    pending = _finish(jobs, PATIENCE_SECONDS)
    if not (progress and pending and sys.stderr.isatty()):
        while pending:
            pending = _finish(pending, None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("compiling {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=len(jobs), completed=len(jobs) - len(pending))
        while pending:
            pending = _finish(pending, None)
            bar.update(task, completed=len(jobs) - len(pending))


def _finish(jobs: list[Future[None]], seconds: float | None) -> list[Future[None]]:
    done, pending = wait(jobs, timeout=seconds, return_when=FIRST_COMPLETED if seconds is None else "FIRST_EXCEPTION")
    for job in done:
        job.result()
    return [job for job in jobs if job in pending]
