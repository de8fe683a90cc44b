"""Compiled model in a folder -> functions that can be called. Needs cffi's backend only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from ..abi import Manifest
from ..errors import BuildError, ModelError
from ..record import MANIFEST_FILE, RECORD_FILE, BuildRecord, not_a_model
from ..structs import check_structs
from ..trust.private import content, lasting_name, opened, opened_file, read_file
from ..trust.seal import sealed_entry
from ..visual.look import Looking


@dataclass(frozen=True)
class Module:
    """An open compiled model: cffi's `ffi` and `lib`, the manifest, and the folder it came from.

    `sealed`: the folder is an entry of a cache, and was proved to be ours. `look`: what the mechanism looks like,
    handed over by who compiled it; None for what was loaded. `further`: where kernels come from that it has not.
    `calls`: the module of calls that was compiled with it (calls.c); None where that could not be.
    """

    ffi: Any
    lib: Any
    manifest: Manifest
    folder: Path
    sealed: bool = False
    look: Looking | None = field(default=None, compare=False, repr=False)
    further: Further = field(default_factory=lambda: Further(), compare=False, repr=False)
    calls: Any = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        further = {group: str(folder) for group, folder in self.further.folders.items()}
        return _reopened, (str(self.folder), self.sealed, further)

    def having(self, kernel: str) -> Module:
        """The module that has a kernel: this one, or that of its group, compiled if it was never asked for.

        ModelError if there is no such kernel, or if nobody is here who can compile it.
        """
        group = self.manifest.further.get(kernel)
        return self if group is None else self.further.module(group, kernel, self.manifest)

    def text(self, name: str) -> str:
        """The text of a file beside the module. BuildError if it is not there any more."""
        try:
            with opened(self.folder) as at:
                return read_file(at, name).decode("utf-8")
        except (OSError, ValueError) as error:
            raise BuildError(
                f"the text of model '{self.manifest.name}' cannot be read from {self.folder / name} ({error}): compile "
                "it again if the cache was cleared; the model itself runs on"
            ) from error


class Further:
    """The groups of kernels that a model can get, by the folders they were compiled into; a group is opened once.

    `compiled` gives the folder of a group that has none yet; None where nobody can compile it.
    """

    def __init__(
        self, compiled: Callable[[str], Path] | None = None, folders: Mapping[str, Path] | None = None
    ) -> None:
        self._compiled = compiled
        self.folders = dict(folders or {})
        self._open: dict[str, Module] = {}

    def module(self, group: str, kernel: str, of: Manifest) -> Module:
        """The open module of a group; `kernel`: what was asked for, `of`: the model that wants it."""
        if group not in self._open:
            self._open[group] = self._opened(group, kernel, of)
        return self._open[group]

    def _opened(self, group: str, kernel: str, of: Manifest) -> Module:
        if group not in self.folders:
            if self._compiled is None:
                raise ModelError(
                    f"model '{of.name}' was compiled without '{kernel}', and what was loaded compiles nothing: compile "
                    "it with kg.compile(mechanism, complete=True), or by kinegen generate --compile"
                )
            self.folders[group] = self._compiled(group)
        module = load_module(self.folders[group], sealed=True)
        found = module.manifest
        if (found.nq, found.nv, found.parameters, found.dtype) != (of.nq, of.nv, of.parameters, of.dtype):
            raise BuildError(f"'{kernel}' was compiled of another mechanism than model '{of.name}': compile both again")
        return module


def _reopened(folder: str, sealed: bool, further: dict[str, str]) -> Module:
    known = Further(folders={group: Path(place) for group, place in further.items()})
    return replace(load_module(folder, sealed=sealed), further=known)


def load_module(folder: str | Path, *, sealed: bool = False) -> Module:
    """Open the compiled model in `folder`; nothing is compiled and neither SymPy nor a C parser is imported.

    That runs the code in it. `sealed`: it is an entry of a cache, which must be ours: nothing on the way from the cache
    to the file that is loaded may be writable for others, and its record has the cache's seal. Raises ModelError if the
    folder holds no compiled model or one of another ABI, BuildError if its files are damaged or were compiled for
    another Python, platform or processor.
    """
    try:
        folder = Path(folder).absolute()
    except OSError as error:
        raise ModelError(f"{folder}: no compiled model, for the working directory is not there") from error
    with ExitStack() as stack:
        record, files = _checked(folder, sealed, stack)
        manifest = Manifest.from_json(content(files[MANIFEST_FILE]).decode("utf-8", "replace"))
        try:
            ffi, lib, calls = _open(folder, record, files, sealed)
        except (ImportError, OSError) as error:
            raise BuildError(f"cannot load the compiled model {folder}: {error}; compile the model again") from error
    shared = {"contact": manifest.contact_capacity > 0, "conditions": bool(manifest.switches and manifest.integrators)}
    check_structs(ffi, manifest.prefix, **shared)
    return Module(ffi, lib, manifest, folder, sealed, calls=calls)


def _checked(folder: Path, sealed: bool, stack: ExitStack) -> tuple[BuildRecord, dict[str, int]]:
    """The record, and descriptors of the files to load, each of the content recorded; `stack` closes them."""
    try:
        at, text = stack.enter_context(sealed_entry(folder, RECORD_FILE) if sealed else _plain(folder))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ModelError(not_a_model(folder)) from error
    except OSError as error:
        raise BuildError(f"cannot load the compiled model {folder}: {error.strerror}") from error
    except ValueError as error:
        raise ModelError(f"{str(folder)!r} names no folder: {error}") from error
    record = BuildRecord.from_json(text, folder)
    wrong, files = record.misfit(), {}
    try:
        for name in record.loaded_files():
            files[name] = stack.enter_context(opened_file(at, name, own=sealed))
            wrong = wrong or record.mismatch(name, content(files[name]))
    except OSError as error:
        wrong = wrong or f"{name} cannot be read ({error.strerror})"
    if wrong:
        raise BuildError(f"cannot load the compiled model {folder}: {wrong}; compile the model again")
    return record, files


@contextmanager
def _plain(folder: Path) -> Iterator[tuple[int, bytes]]:
    """Descriptor of a folder and the content of its record, as they are."""
    with opened(folder) as at:
        yield at, read_file(at, RECORD_FILE)


def _open(folder: Path, record: BuildRecord, files: dict[str, int], sealed: bool) -> tuple[Any, Any, Any]:
    """cffi's `ffi`, `lib`, and the module of calls or None; in a sealed folder of the very files that were checked."""
    name = record.library or record.module
    path = lasting_name(files[name], folder / name) if sealed else str(folder / name)
    if record.library:
        return *_open_library(content(files[record.module]), folder / record.module, path), None
    module = _open_extension(record.module.partition(".")[0], path)
    try:
        calls = _open_extension("kinegen_calls", path)
    except (ImportError, RuntimeError):  # not compiled with it, or for a numpy whose arrays are laid out in another way
        calls = None
    return module.ffi, module.lib, calls


def _open_extension(name: str, path: str) -> Any:
    """One of the modules in a shared library. Its init puts it and its `lib` among the imported modules, where those of
    other names of Python's own may stand (`_socket`): what stood there stands there afterwards."""
    spec = spec_from_file_location(name, path, loader=ExtensionFileLoader(name, path))
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no extension module")
    before = {entry: sys.modules.get(entry) for entry in (name, f"{name}.lib")}
    try:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for entry, there in before.items():
            if there is not None:
                sys.modules[entry] = there
            else:
                sys.modules.pop(entry, None)
    return module


def _open_library(text: bytes, path: Path, library: str) -> tuple[Any, Any]:
    # exec and not import: an import would write __pycache__ into the folder
    names: dict[str, Any] = {"__name__": path.stem}
    exec(compile(text, path, "exec"), names)
    ffi = names["ffi"]
    return ffi, ffi.dlopen(library)
