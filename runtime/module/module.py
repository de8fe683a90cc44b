"""Compiled model in a folder -> functions that can be called. Needs cffi's backend only."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from ..abi import Manifest
from ..errors import BuildError
from ..record import MANIFEST_FILE, BuildRecord


@dataclass(frozen=True)
class Module:
    """An open compiled model: cffi's `ffi` and `lib`, the manifest, and the folder it came from."""

    ffi: Any
    lib: Any
    manifest: Manifest
    folder: Path


def load_module(folder: str | Path) -> Module:
    """Open the compiled model in `folder`; nothing is compiled and neither SymPy nor a C parser is imported.

    Raises ModelError if the folder holds no compiled model or one of another ABI, BuildError if its files are damaged
    or were compiled for another Python, platform or processor.
    """
    folder = Path(folder).absolute()
    record = BuildRecord.read(folder)
    for wrong in (record.misfit(), record.damage(folder, record.loaded_files())):
        if wrong:
            raise BuildError(f"cannot load the compiled model {folder}: {wrong}; compile the model again")
    manifest = Manifest.from_json((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    try:
        opened = _open_library(folder, record) if record.library else _open_extension(folder, record)
    except (ImportError, OSError) as error:
        raise BuildError(f"cannot load the compiled model {folder}: {error}; compile the model again") from error
    return Module(*opened, manifest, folder)


def _open_extension(folder: Path, record: BuildRecord) -> tuple[Any, Any]:
    path = folder / record.module
    name = record.module.partition(".")[0]
    spec = spec_from_file_location(name, path, loader=ExtensionFileLoader(name, str(path)))
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is no extension module")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ffi, module.lib


def _open_library(folder: Path, record: BuildRecord) -> tuple[Any, Any]:
    # exec and not import: an import would write __pycache__ into the folder
    path = folder / record.module
    names: dict[str, Any] = {"__name__": path.stem}
    exec(compile(path.read_bytes(), path, "exec"), names)
    ffi = names["ffi"]
    return ffi, ffi.dlopen(str(folder / record.library))
