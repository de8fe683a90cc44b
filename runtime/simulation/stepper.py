"""Time steps of a compiled model: many in one C call."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..abi import Manifest
from ..arguments import Array
from ..contact.contacts import Contacts, Counts, Records
from ..contact.rows import RowForce
from ..errors import ModelError
from ..model.model import Model
from .trajectory import SimulationError

HOLD = 2
"""What is added to the number of an integrator where joints stop at their limits."""


def has_limits(manifest: Manifest) -> bool:
    """A joint has bounds that its coordinates can meet."""
    bounds = (x for j in (*manifest.joints, *manifest.loops) if j.nq == j.nv for x in (*j.lower, *j.upper))
    return any(math.isfinite(x) for x in bounds)


class Stepper:
    """Advances q, v in place by the C function `simulate` with a fixed dt [s] and integrator."""

    def __init__(self, model: Model, integrator: str, dt: float, limits: bool = False) -> None:
        known = model.manifest.integrators
        if integrator not in known:
            raise ModelError(f"integrator: unknown {integrator!r}; known: {', '.join(known)}")
        ffi = self._ffi = model.module.ffi
        self._model = model
        self._doubles = ffi.typeof("double[]")
        self._from_buffer = ffi.from_buffer
        self._none = ffi.NULL
        self._simulate: Any = getattr(model.module.lib, f"{model.manifest.prefix}_simulate", None)
        values = model.parameter_values()
        self._leading: list[Any] = [ffi.from_buffer(self._doubles, values)] if model.manifest.parameters else []
        self._leading.append(known.index(integrator) + HOLD * (limits and has_limits(model.manifest)))
        self._dt = dt

    def advance(self, q: Array, v: Array, tau: Array, n: int, every: int = 0) -> tuple[int, Array, Array]:
        """n steps from q (nq), v (nv), in place, driven by what `Drive.torques` gives, a row for all or a row per step.

        Gives the steps done, fewer than n if the state stopped being finite (q, v then hold the last finite one), and
        the states after each `every` of them, (k, nq) and (k, nv).
        """
        rows = n // every if every else 0
        q_log, v_log = np.empty((rows, q.size)), np.empty((rows, v.size))
        done = self._simulate(
            *self._leading,
            n,
            self._dt,
            self._pointer(q),
            self._pointer(v),
            self._pointer(tau),
            tau.shape[-1] if tau.ndim == 2 else 0,
            every,
            self._pointer(q_log) if rows else self._none,
            self._pointer(v_log) if rows else self._none,
            *self._extra(),
        )
        rows = done // every if every else 0
        return done, q_log[:rows], v_log[:rows]

    def place(self, q: Array, v: Array) -> None:
        """What a new state needs before the first step from it: nothing in a tree."""

    @property
    def structure(self) -> Array | None:
        """The parameters that tell what is connected just now; None where that does not change."""
        return None

    @property
    def gap(self) -> float:
        """Largest residual of closed loops in the states so far [m, rad]: 0 in a tree."""
        return 0.0

    def failure(self) -> SimulationError | None:
        """Why fewer steps were done than asked for, if not for a state that was not finite."""
        return None

    def contacts(self) -> Contacts:
        """Contacts of the last step. ModelError where there is no contact."""
        raise ModelError(f"contacts: model '{self._model.name}' is simulated without contacts")

    def rows(self) -> tuple[RowForce, ...]:
        """What rows beside contacts exerted in the last step: none without them."""
        return ()

    def contact_log(self) -> tuple[Records, Counts] | None:
        """Contacts (k) of the steps that `advance` logged, and their number (steps); None without contact."""
        return None

    def save(self) -> bytes:
        """What goes along with the state besides q and v: nothing in a tree."""
        return b""

    def restore(self, saved: bytes) -> None:
        """Back to what `save` gave."""

    def _extra(self) -> list[object]:
        """Further arguments of the C function."""
        return []

    def _pointer(self, array: Array) -> Any:
        return self._from_buffer(self._doubles, array)
