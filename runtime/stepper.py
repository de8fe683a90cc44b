"""Time steps of a compiled model: many in one C call."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arguments import Array
from .errors import ModelError
from .model import Model


class Stepper:
    """Advances q, v in place by the C function `simulate` with a fixed dt [s] and integrator."""

    def __init__(self, model: Model, integrator: str, dt: float) -> None:
        known = model.manifest.integrators
        if integrator not in known:
            raise ModelError(f"integrator: unknown {integrator!r}; known: {', '.join(known)}")
        ffi = model.module.ffi
        self._model = model
        self._doubles = ffi.typeof("double[]")
        self._from_buffer = ffi.from_buffer
        self._none = ffi.NULL
        self._simulate = getattr(model.module.lib, f"{model.manifest.prefix}_simulate")
        values = model.parameter_values()
        self._leading: list[Any] = [ffi.from_buffer(self._doubles, values)] if model.manifest.parameters else []
        self._leading.append(known.index(integrator))
        self._dt = dt

    def advance(self, q: Array, v: Array, tau: Array, n: int, every: int = 0) -> tuple[int, Array, Array]:
        """n steps from q (nq), v (nv), in place, driven by tau (nv) or, a row per step, (n, nv).

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
            v.size if tau.ndim == 2 else 0,
            every,
            self._pointer(q_log) if rows else self._none,
            self._pointer(v_log) if rows else self._none,
        )
        rows = done // every if every else 0
        return done, q_log[:rows], v_log[:rows]

    def _pointer(self, array: Array) -> Any:
        return self._from_buffer(self._doubles, array)
