"""A cache of one model, and the code that another user puts into it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kinegen.codegen.build import build
from kinegen.runtime.module.module import Module, load_module
from kinegen.runtime.record import digest
from support.c.tiny import scale, tiny

OTHER = 54321
PLANTED = 666.0
"""What the planted code multiplies by; the model multiplies by two."""

root_only = pytest.mark.root("users")  # only root can give files away


def entry_of(cache: Path) -> Path:
    (entry,) = (cache / "models").iterdir()
    return entry


def plant(entry: Path, bomb: bytes) -> None:
    """Put other code into an entry, with a record that fits it: all that can be done without the secret."""
    record = json.loads((entry / "record.json").read_text())
    (entry / record["module"]).write_bytes(bomb)
    record["digests"][record["module"]] = digest(bomb)
    (entry / "record.json").write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")


def factor(module: Module) -> float:
    return scale(module, 1.0, 1.0)[0]


def used(cache: Path) -> float:
    """What a user gets: the model compiled or found, and loaded."""
    return factor(load_module(build(tiny(), cache=cache), sealed=True))


ROOMS: dict[str, Callable[[Path], Path]] = {"cache": lambda c: c, "models": lambda c: c / "models"}
PARTS: dict[str, Callable[[Path], Path]] = {
    "entry": entry_of,
    "record": lambda c: entry_of(c) / "record.json",
    "seal": lambda c: entry_of(c) / "seal",
    "manifest": lambda c: entry_of(c) / "manifest.json",
    "module": lambda c: next(entry_of(c).glob("tiny.*.so"), entry_of(c) / "tiny.py"),
}
