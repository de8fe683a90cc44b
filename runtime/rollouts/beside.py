"""Simulations with rows side by side: what their steps begin with is found by lanes."""

from __future__ import annotations

from typing import Any

from ..abi import SEMI_IMPLICIT
from ..errors import BuildError, ModelError
from ..simulation.motion import Motion
from . import lanes
from .states import Numbers

KERNEL = "contact_terms_lanes"


class Beside:
    """A C function that finds by lanes what steps begin with."""

    def __init__(self, motion: Motion, function: Any) -> None:
        self._ffi, self._prefix = motion.model.module.ffi, motion.model.manifest.prefix
        field = dict(self._ffi.typeof(f"{self._prefix}_simulations").fields)["terms"]
        self._terms = self._ffi.cast(field.type, function)

    def take_part(self, many: Any) -> tuple[Any, ...]:
        """The C struct `many` tells of it, as long as what this gives is there."""
        kept = (
            self._ffi.new(f"{self._prefix}_begun[]", lanes.WIDEST),
            self._ffi.new(f"{self._prefix}_contacts[]", lanes.WIDEST),
        )
        many.terms, many.begun, many.contacts = self._terms, *kept
        return kept


def beside(motion: Motion, numbers: Numbers) -> Beside | None:
    """None where the model was compiled without lanes or nobody is here who can compile these, and where parameters
    differ or a step asks for them several times. However few there are: no result depends on how many."""
    manifest, state = motion.model.manifest, motion.stepper.contact_state
    alike = len(numbers.p) == 1 and motion.settings.integrator == SEMI_IMPLICIT
    touching = state is not None and (state.shapes or manifest.rows)
    if not (alike and touching and KERNEL in manifest.further):
        return None
    try:
        module = motion.model.module.having(KERNEL)
    except (BuildError, ModelError):
        return None
    return Beside(motion, int(module.ffi.cast("uintptr_t", getattr(module.lib, f"{manifest.prefix}_{KERNEL}"))))
