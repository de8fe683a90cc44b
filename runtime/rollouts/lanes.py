"""Simulations in the lanes of vectors: those of trees that move smoothly, as long as no limit is near."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arguments import Array
from ..errors import BuildError, ModelError
from ..model.packed import has_lanes
from ..module.module import Module
from ..simulation.motion import Motion
from ..stepping.given.servos import Servos
from .states import Numbers, States

WIDEST = 8
"""Simulations in the lanes of the widest vector: blocks of rows are whole vectors."""

FEWEST, LEAST = 16, 20_000
"""Simulations, and steps of all of them, from which on steps by lanes are worth compiling; the first is enough where a
model was compiled with lanes: whoever asked for those makes many short rollouts rather than one."""

AT_ONCE = 16_384
"""Steps of all simulations in one C call."""

KERNEL = "simulate_lanes"


def lanes_of(motion: Motion, numbers: Numbers, states: States, steps: int, every: int) -> Lanes | None:
    """None where the model has no such steps or nobody is here who can compile them, where they are not worth it, and
    where rows act; limits of models with shapes are solved with what those share."""
    manifest, state = motion.model.manifest, motion.stepper.contact_state
    few = len(states.q) < FEWEST or (len(states.q) * steps < LEAST and not has_lanes(manifest))
    rows = manifest.rows or (state and (state.shapes or (manifest.touching and motion.settings.limits)))
    if few or rows or KERNEL not in manifest.further:
        return None
    try:
        module = motion.model.module.having(KERNEL)
    except (BuildError, ModelError):
        return None
    return Lanes(module, motion, numbers, states, steps, every)


class Lanes:
    """`steps` steps of all `states`, by lanes, in any thread."""

    def __init__(
        self, module: Module, motion: Motion, numbers: Numbers, states: States, steps: int, every: int
    ) -> None:
        self._module, self._numbers, self._states, self._steps = module, numbers, states, steps
        prefix = module.manifest.prefix
        self._type = f"{prefix}_lane_simulations *"
        self._function = getattr(module.lib, f"{prefix}_{KERNEL}")
        tau, p = numbers.tau, numbers.p
        self._given = {
            "integrator": motion.model.manifest.integrators.index(motion.settings.integrator),
            "dt": motion.settings.dt,
            "limits": motion.settings.limits,
            "every": every,
            "logs": states.q_log.shape[1],
            "tau_stride": tau.shape[-1] if tau.ndim == 3 else 0,
            "tau_row": tau[0].size if len(tau) > 1 else 0,
            "p_row": p[0].size if len(p) > 1 else 0,
        }
        self._gains, self._targets = _gains_and_targets(motion.drives.servos, numbers, steps)
        self._given |= self._pushed(numbers) | self._served(motion.drives.servos)

    def _pushed(self, numbers: Numbers) -> dict[str, Any]:
        """What the C struct says of wrenches."""
        place, wrenches = numbers.place, numbers.wrenches
        if not len(place):
            return {}
        return {
            "acting": len(place),
            "place": self._pointer(place),
            "wrench_stride": wrenches.shape[-1] if wrenches.ndim == 3 else 0,
            "wrench_row": wrenches[0].size if len(wrenches) > 1 else 0,
        }

    def _served(self, servos: Servos) -> dict[str, Any]:
        """What the C struct says of servos."""
        if not servos.width:
            return {}
        gains, targets = self._gains, self._targets
        return {
            "servos": servos.width,
            "servos_turn": servos.grouped,
            "gain_row": gains.shape[1] if len(gains) > 1 else 0,
            "target_row": targets[0].size if len(targets) > 1 else 0,
            "target_stride": targets.shape[2] if targets.shape[1] > 1 else 0,
            "servo_dof": self._module.ffi.from_buffer("int[]", servos.dof),
            "servo_place": self._module.ffi.from_buffer("int[]", servos.place),
        }

    def go(self, rows: range, stopped: Callable[[], bool]) -> None:
        """These simulations as far as lanes make them: `made` tells."""
        states, numbers, made = self._states, self._numbers, 0
        place = slice(rows.start, rows.stop)
        s = self._module.ffi.new(self._type, self._given)
        s.count, s.q, s.v = len(rows), self._pointer(states.q[place]), self._pointer(states.v[place])
        s.tau = self._pointer(numbers.tau[rows.start % len(numbers.tau) :])
        if len(numbers.place):
            s.wrenches = self._pointer(numbers.wrenches[rows.start % len(numbers.wrenches) :])
        if s.servos:
            gains = self._gains[rows.start % len(self._gains) :].reshape(-1)
            s.kp, s.kd, s.limit = (self._pointer(gains[k * s.servos :]) for k in range(3))
            s.target = self._pointer(self._targets[rows.start % len(self._targets) :])
        if numbers.p.size:
            s.p = self._pointer(numbers.p[rows.start % len(numbers.p) :])
        s.q_log, s.v_log = (self._pointer(x[place].reshape(-1)[x.shape[2] :]) for x in (states.q_log, states.v_log))
        s.done = self._module.ffi.from_buffer("long[]", states.made[place])
        while made < self._steps and not stopped() and states.made[place].max() == made:
            s.first, s.steps = made, min(made + max(AT_ONCE // len(rows), 1), self._steps)
            self._function(s)
            made = s.steps

    def _pointer(self, array: Array) -> Any:
        return self._module.ffi.from_buffer("double[]", array)


def _gains_and_targets(servos: Servos, numbers: Numbers, steps: int) -> tuple[Array, Array]:
    """(rows, 3 servos) and (rows, 1 or steps, ...) as in `Numbers`; one row where all simulations have the same."""
    own = np.concatenate([servos.kp, servos.kd, servos.limit])[None]
    same = np.ascontiguousarray(np.atleast_2d(servos.targets(0, steps, 0.0)))[None]
    return numbers.gains if numbers.gains.size else own, numbers.targets if numbers.targets.size else same
