"""What was just compiled into the cache, loaded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from kinegen.codegen.printing.selection import CORE, Selection
from kinegen.runtime.errors import FitWarning, KinegenError, ModelError, warn
from kinegen.runtime.model.base import KernelModel
from kinegen.runtime.model.model import Model
from kinegen.runtime.module.module import Further, load_module
from kinegen.runtime.visual.look import Looking

WEAK = 300.0
"""Largest over smallest pivot of the closure, above which what the smallest holds is told."""

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


def tell_fit(model: Model) -> None:
    """A FitWarning where the loops of a model just compiled close by their rounding alone, or hold a motion weakly."""
    if model.loops.misfit:
        _tell_misfit(model)
    elif model.manifest.closed:
        _tell_weak_hold(model)


def _tell_misfit(model: Model) -> None:
    warn(
        f"model '{model.name}': its loops miss by up to {model.loops.misfit:.3g} m or rad, which counts as rounding of "
        "its dimensions: redundant directions stay open by that much; give dimensions with more digits, or compile "
        "with fit=0 to have it refused",
        FitWarning,
    )


def _tell_weak_hold(model: Model) -> None:
    """Of loops that close where they were assembled, but nearly lose a row there, as rounded or singular ones do."""
    condition = 1.0
    with suppress(ModelError):  # parameters without values, or with some by which the loops do not close
        condition = model.partition(model.q0).condition
    if WEAK < condition < np.inf:
        warn(
            f"model '{model.name}': where its loops close they hold one motion by {1.0 / condition:.1g} of the others "
            f"alone, and leave {model.nf} degrees of freedom; if it is to move further, as linkages whose dimensions "
            "must fit each other do, give these with more digits, else begin elsewhere (at=...)",
            FitWarning,
        )
