"""The front key: which entry of the cache a description leads to, known without deriving and printing it again.

The key is a digest of all that decides the C and its compilation: the description, this generator's own text, the
packages that it computes with, the toolchain. A note under it in the cache names the entry, and the warnings that
were given when the C was generated.
"""

from __future__ import annotations

import importlib.metadata
import inspect
import json
import os
import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cffi

import kinegen.codegen
import kinegen.codegen.templates
from kinegen.runtime.errors import KinegenError
from kinegen.runtime.record import BuildRecord, digest

from .cache import intact
from .library import CALLS_FILES
from .notes import read_note, write_note
from .toolchain import Toolchain

IMPORTED = time.time()
PACKAGES = ("sympy", "mpmath", "numpy", "jinja2", "scipy", "trimesh", "pycollada", "lxml", "networkx")
NOTES = "fronts"


@dataclass(frozen=True)
class Note:
    """What was made of a description: the folder of the model, the warnings that came with its C."""

    entry: Path
    warnings: tuple[str, ...]


def front_key(description: str, toolchain: Toolchain) -> str | None:
    """SHA-256 of everything that decides the C of a description and its compilation; None if that cannot be told."""
    version = generator_version()
    if version is None:
        return None
    parts = {
        "description": description,
        "generator": version,
        "compiler": [
            toolchain.name,
            toolchain.target,
            toolchain.architecture,
            toolchain.tuning,
            toolchain.identity,
            toolchain.requires,
        ],
        "python": [toolchain.tag, toolchain.include, cffi.__version__],
    }
    return digest(json.dumps(parts, sort_keys=True).encode())


@cache
def generator_version() -> str | None:
    """Digest of the generator's own text and of the versions it runs with; None if its files changed since the start.

    A process that goes on with code that is no longer on disk must not put its C under the name of the new one.
    """
    texts = {}
    try:
        for name, path in sorted(_own_files()):
            if path.stat().st_mtime > IMPORTED:
                return None
            texts[name] = digest(path.read_bytes())
    except OSError:
        return None
    versions = {name: _version(name) for name in PACKAGES}
    return digest(json.dumps([texts, versions, platform.python_version()], sort_keys=True).encode())


def recall(directory: Path, key: str) -> Note | None:
    """The note under a front key, if it and the entry that it names are whole."""
    body = read_note(directory, NOTES, key[:32])
    try:
        if not isinstance(body, dict) or body["front"] != key or Path(body["entry"]).name != body["entry"]:
            return None
        entry = directory / "models" / body["entry"]
        return Note(entry, tuple(map(str, body["warnings"]))) if intact(entry, body["key"]) else None
    except (TypeError, KeyError):
        return None


def remember(directory: Path, key: str, entry: Path, warnings: Sequence[str]) -> None:
    """Write the note of a front key; without it the model is derived again the next time."""
    with suppress(KinegenError):
        record = BuildRecord.read(entry)
        body = {"front": key, "entry": entry.name, "key": record.key, "warnings": list(warnings)}
        write_note(directory, NOTES, key[:32], body)


def _own_files() -> Iterator[tuple[str, Path]]:
    """Name and path of every file of the generator: code, templates, the contract with the runtime and its C."""
    runtime = Path(inspect.getfile(BuildRecord)).parent
    for name in (
        "abi",
        "errors",
        "files",
        "kinds",
        "names/latin",
        "pairs",
        "parts",
        "record",
        "rotations",
        "structs",
        "thresholds",
        "trust/private",
        "trust/seal",
        "typed",
    ):
        yield f"runtime/{name}.py", runtime / f"{name}.py"
    for name in CALLS_FILES:
        yield f"runtime/module/{name}", runtime / "module" / name
    roots: dict[str, Iterable[str | Path]] = {
        "codegen": kinegen.codegen.__path__,
        "templates": kinegen.codegen.templates.__path__,
        "c": [runtime / "c"],
    }
    for part, folders in roots.items():
        for root in map(Path, folders):
            for folder, _, names in os.walk(root):
                for path in (Path(folder, name) for name in names if not name.endswith(".pyc")):
                    yield f"{part}/{path.relative_to(root).as_posix()}", path


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
