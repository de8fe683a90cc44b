"""What was just compiled into the cache, loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from kinegen.codegen.printing.selection import CORE, Selection
from kinegen.runtime.animation.look import Looking
from kinegen.runtime.errors import KinegenError
from kinegen.runtime.model.base import KernelModel
from kinegen.runtime.module.module import Further, load_module

M = TypeVar("M", bound=KernelModel)


def loaded(
    compiled: Callable[[], Path],
    kind: type[M],
    look: Looking | None = None,
    further: Callable[[str], Path] | None = None,
) -> M:
    """The model in the folder of the cache that `compiled` gives, which must be ours (see `load_module`), and its look.

    `further` compiles a group of kernels that it has not. If the cache was cleared in between, it is compiled again.
    """
    more = Further(further)
    folder = compiled()
    try:
        return kind(replace(load_module(folder, sealed=True), look=look, further=more))
    except KinegenError:
        if folder.exists():
            raise
    return kind(replace(load_module(compiled(), sealed=True), look=look, further=more))


def compiled_model(compiled: Callable[[Selection], Path], look: Looking, kind: type[M], chosen: Selection = CORE) -> M:
    """A model of which `compiled` gives the folder of a selection: what is `chosen` at once, and groups of further
    kernels when they are first asked for.
    """
    first = replace(chosen, dtype=kind.computes)
    group = replace(first, core=False, frames=())
    return loaded(lambda: compiled(first), kind, look, lambda name: compiled(replace(group, further=(name,))))
