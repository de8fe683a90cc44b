"""What was just compiled into the cache, loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kinegen.runtime.animation.look import Looking
from kinegen.runtime.errors import KinegenError
from kinegen.runtime.model.model import Model
from kinegen.runtime.module.module import load_module


def loaded(compiled: Callable[[], Path], look: Looking | None = None) -> Model:
    """The model in the folder of the cache that `compiled` gives, which must be ours (see `load_module`), and its look.

    If the cache was cleared in between, it is compiled once more.
    """
    folder = compiled()
    try:
        return Model(replace(load_module(folder, sealed=True), look=look))
    except KinegenError:
        if folder.exists():
            raise
    return Model(replace(load_module(compiled(), sealed=True), look=look))
