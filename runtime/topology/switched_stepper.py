"""Time steps and changes of structure of a mechanism whose loops come and go; conditions watched in C."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from ..arguments import Array, as_number
from ..contact.state import ContactState
from ..errors import ClosureWarning, ModelError, shown
from ..lookup import near
from ..model.closed.closure import CLOSED, Closure
from ..model.model import Model
from ..simulation.closed_stepper import NOTICED, ClosedStepper
from ..typed import typed
from .conditions import Conditions
from .library import Library


class Advance(NamedTuple):
    """Whole steps done, states logged, and how far into the next step a condition came true (-1: none did)."""

    done: int
    q_log: Array
    v_log: Array
    part: float


class SwitchedStepper(ClosedStepper):
    """Advances q, v in place; its parameters hold what is active and the poses at which it was connected."""

    def __init__(
        self, library: Library, integrator: str, dt: float, limits: bool = False, state: ContactState | None = None
    ) -> None:
        model = library.model
        super().__init__(model, integrator, dt, limits, state)
        self._library = library
        self._p = model.parameter_values()
        self._values = self._p
        self._condition = f"{model.manifest.prefix}_condition[]"
        self._closure = self._plain = Closure(model.module, self._p, None)
        self._simulation.p = self._closure.pointer(self._p)
        self._restructure = self._closure.function("restructure")
        self._wrenches = self._closure.function("constraint_wrenches")
        self._switches = model.manifest.switches
        self._first_flag = len(self._p) - len(self._switches)  # flags come last, in the order of the switches
        loops = len(model.manifest.loops)
        self._wanted, self._taken, self._opening = np.zeros(loops), np.zeros(loops), np.zeros(1)
        self._fixed = [self._closure.pointer(array) for array in (self._wanted, self._taken, self._opening)]

    @property
    def active(self) -> frozenset[str]:
        flags = self._p[self._first_flag :].tolist()
        return frozenset(switch.name for switch, flag in zip(self._switches, flags, strict=True) if flag)

    @property
    def structure(self) -> Array:
        return self._p

    def model(self) -> Model:
        """The model with what is active just now."""
        names = (spec.name for spec in self._model.manifest.parameters)
        return self._model.with_parameters(dict(zip(names, self._p.tolist(), strict=True)))

    def begin(self, active: Collection[str], q: Array, v: Array) -> None:
        """Just these connections from the beginning: where the links stand at q, or at declared poses."""
        values = self._library.with_active(active, q).parameter_values()
        self._p[:] = values
        self.place(q, v)

    def place(self, q: Array, v: Array) -> None:
        """q to the nearest configuration that closes what is active, v to a velocity on it, in place."""
        closure = self._closure
        residual = np.zeros(6 * len(self._model.manifest.loops))
        closure.function("closure_residual")(closure.parameters, closure.pointer(q), closure.pointer(residual))
        gaps = np.abs(residual).reshape(-1, 6).max(axis=1)
        loop = self._model.manifest.loops[int(gaps.argmax())].name
        moving = np.ones(self._model.nv)
        moving[self._driven.dof if self._driven else []] = 0.0
        left = closure.assemble(q, moving)
        if left > CLOSED:
            raise ModelError(
                f"q: '{loop}' of library '{self._model.name}' cannot be closed from here"
                f"{' with ' + ', '.join(self._driven.names) + ' driven' if self._driven else ''}: a gap of "
                f"{left:.3g} m or rad stays; start nearer, or leave it out of active"
            )
        if gaps.max() > NOTICED:
            warnings.warn(
                f"q: '{loop}' of library '{self._model.name}' was open by {gaps.max():.3g} m or rad; the motion starts "
                "from the nearest closed configuration",
                ClosureWarning,
                stacklevel=5,
            )
        self._begin(q, v)

    def restructure(
        self, active: Collection[str], poses: dict[str, Array], tolerance: float, q: Array, v: Array
    ) -> Array:
        """(L, 6) impulses on the children of new loops: what is active becomes `active`, at once; q, v in place.

        `poses`: (4, 4) frames in link_b of new connections; those not named are made where the links stand.
        ModelError, and nothing has changed, if one is open by more than `tolerance` or cannot be closed.
        """
        impulse, gap = np.zeros((len(self._wanted), 6)), self._opening
        before = self._p.copy() if poses else self._p
        for switch in self._switches:
            self._wanted[switch.loop] = switch.name in active
            self._taken[switch.loop] = switch.name not in poses
            if switch.name in poses:
                self._p[list(switch.pose)] = poses[switch.name][:3].ravel()
        pointer = self._closure.pointer
        wanted, taken, opening = self._fixed
        arrays = (wanted, taken, tolerance, pointer(q), pointer(v), pointer(impulse), opening)
        failed = self._restructure(self._closure.parameters, *arrays, self._memory)
        if failed:
            self._p[:] = before
            name = self._model.manifest.loops[failed - 1].name
            raise ModelError(
                f"connection '{name}': its frames are {gap[0]:.3g} m or rad apart (tolerance {tolerance:g})"
                f"{'' if gap[0] > tolerance else ' and cannot be closed from here'}; bring the links nearer, give a "
                "larger tolerance, or connect them where they stand (pose_b='current')"
            )
        return impulse

    @typed
    def set_parameters(self, values: Mapping[str, float]) -> None:
        """New values of the description's own parameters."""
        names = [spec.name for spec in self._model.manifest.parameters]
        ours = {i for switch in self._switches for i in (switch.flag, *switch.pose)}
        for name, value in values.items():
            if name not in names or names.index(name) in ours:
                own = [known for i, known in enumerate(names) if i not in ours]
                raise ModelError(f"library '{self._model.name}' has no parameter {shown(name)}{near(name, own)}")
            self._p[names.index(name)] = as_number(name, value)

    @property
    def parameters(self) -> dict[str, float]:
        """The values of the description's own parameters."""
        ours = {i for switch in self._switches for i in (switch.flag, *switch.pose)}
        specs = enumerate(self._model.manifest.parameters)
        return {spec.name: float(self._p[i]) for i, spec in specs if i not in ours}

    def wrenches(self, q: Array, v: Array, tau: Array) -> Array:
        """(L, 6) [force; moment] on the child of each active loop at its joint's frame, world axes."""
        found, pointer = np.zeros((len(self._model.manifest.loops), 6)), self._closure.pointer
        self._simulation.dt = self._dt
        if self._state:
            self._state.prepare(self._simulation, self._limits, 0, 0)
        self._wrenches(self._simulation, pointer(q), pointer(v), pointer(tau), pointer(found))
        return found

    def watched(self, q: Array, v: Array, tau: Array, n: int, length: float, every: int, table: Conditions) -> Advance:
        """n steps of `length` [s] in place, fewer if one of the conditions in `table` (k) comes true."""
        q_log, v_log = self._prepare(q, v, tau, n, every)
        s, before = self._simulation, self._memory.singular_steps
        s.dt, s.watches = length, len(table)
        s.watch = self._from_buffer(self._condition, table) if len(table) else self._ffi.NULL
        done = int(self._simulate(s))
        part = float(s.part)
        self._took(done + int(part > 0.0))
        if self._memory.singular_steps > before and not self._warned:
            self._warned = True
            warnings.warn(self._singular(), ClosureWarning, stacklevel=6)
        rows = done // every if every else 0
        return Advance(done, q_log[:rows], v_log[:rows], part)

    def take_over(self, other: SwitchedStepper) -> None:
        """Parameters of the same name; what the other library does not have stays as declared."""
        values = dict(zip((spec.name for spec in other._model.manifest.parameters), other._p.tolist(), strict=True))
        for i, spec in enumerate(self._model.manifest.parameters):
            self._p[i] = values.get(spec.name, self._p[i])

    def save(self) -> bytes:
        """Parameters and memory, for `restore`."""
        return self._p.tobytes() + super().save()

    def restore(self, saved: bytes) -> None:
        size = self._p.nbytes
        super().restore(saved[size:])
        self._p[:] = np.frombuffer(saved[:size])
