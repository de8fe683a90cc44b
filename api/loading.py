"""What was just compiled into the cache, loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kinegen.runtime.errors import KinegenError
from kinegen.runtime.model.model import Model
from kinegen.runtime.module.module import load_module


def loaded(compiled: Callable[[], Path]) -> Model:
    """The model in the folder of the cache that `compiled` gives, which must be ours (see `load_module`).

    If the cache was cleared in between, it is compiled once more.
    """
    folder = compiled()
    try:
        return Model(load_module(folder, sealed=True))
    except KinegenError:
        if folder.exists():
            raise
    return Model(load_module(compiled(), sealed=True))
