"""What of a library is connected, as the parameters of its C; connections made and cut, the structure's own loops."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ..arguments import Array
from ..errors import ClosureWarning, ModelError, warn
from ..model.closed.closure import Closure, closed_within, gaps_of, widest
from ..model.model import Model
from ..names.lookup import named_values, own_parameters
from ..stepping.given.driven import Driven
from ..thresholds import NOTICED_GAP
from .library import Library


class ApartError(ModelError):
    """Frames that are too far apart to be connected: the fact, and what to do by a call."""

    def __str__(self) -> str:
        return (
            f"{self.fact}; bring the links nearer, give a larger tolerance, or connect them where they stand "
            "(pose_b='current')"
        )

    @property
    def fact(self) -> str:
        """The same without what to do."""
        return str(self.args[0])


class Switches:
    """Parameters that hold what is active and the poses at which it was connected; C reads them in every call."""

    def __init__(self, library: Library) -> None:
        self._library, self._model = library, library.model
        self.values: Array = library.model.parameter_values()
        """(P) all parameters of the C, changed in place."""
        self.closure = Closure(library.model.module, self.values, None)
        self._specs = library.model.manifest.switches
        self._flags = [spec.flag for spec in self._specs]
        self._restructure = self.closure.function("restructure")
        self._wrenches = self.closure.function("constraint_wrenches")
        loops = len(library.model.manifest.loops)
        self._wanted, self._taken, self._opening = np.zeros(loops), np.zeros(loops), np.zeros(1)
        self._fixed = [self.closure.pointer(array) for array in (self._wanted, self._taken, self._opening)]

    @property
    def active(self) -> frozenset[str]:
        """Connections, and joints that can be cut, that hold just now."""
        flags = self.values[self._flags].tolist()
        return frozenset(switch.name for switch, flag in zip(self._specs, flags, strict=True) if flag)

    def model(self) -> Model:
        """The model with what is active just now."""
        return self._model.with_parameters(named_values(self._model.manifest, self.values))

    def begin(self, active: Collection[str], q: Array) -> None:
        """Just these connections from the beginning: where the links stand at q (nq), or at declared poses."""
        self.values[:] = self._library.values_at(active, q)

    def assemble(self, q: Array, driven: Driven | None) -> None:
        """q to the nearest configuration that closes what is active, in place; driven joints stay. ModelError if there
        is none; a warning tells of a gap that was worth mentioning."""
        closure, manifest, offsets = self.closure, self._model.manifest, self._offsets(q)
        loop, gap = widest(manifest, offsets)
        moving = np.ones(self._model.nv)
        moving[driven.dof if driven else []] = 0.0
        if closure.assemble(q, moving) > closed_within(manifest):
            raise ModelError(
                f"q: '{loop}' of library '{self._model.name}' cannot be closed from here"
                f"{' with ' + ', '.join(driven.names) + ' driven' if driven else ''}: a gap of "
                f"{widest(manifest, self._offsets(q))[1]:.3g} m or rad stays; start nearer, or leave it out of active"
            )
        if gaps_of(manifest, offsets).max() > NOTICED_GAP * manifest.unit_length:
            warn(
                f"q: '{loop}' of library '{self._model.name}' was open by {gap:.3g} m or rad; the motion starts "
                "from the nearest closed configuration",
                ClosureWarning,
            )

    def _offsets(self, q: Array) -> Array:
        """(L, 2) distance [m] and angle [rad] by which what is active is open at q (nq)."""
        offsets, pointer = np.zeros((len(self._wanted), 2)), self.closure.pointer
        self.closure.function("closure_offsets")(self.closure.parameters, pointer(q), pointer(offsets))
        return offsets

    def restructure(
        self, active: Collection[str], poses: dict[str, Array], tolerance: float, q: Array, v: Array, memory: Any
    ) -> Array:
        """(L, 6) impulses on the children of new loops: what is active becomes `active`, at once; q, v in place.

        `memory` of the motion's closure goes along.

        `poses`: (4, 4) frames in link_b of new connections; those not named are made where the links stand.
        ApartError, and nothing has changed, if the frames of one are more than `tolerance` [m] or [rad] apart along the
        directions that it locks; ModelError likewise if they cannot be closed.
        """
        impulse, gap = np.zeros((len(self._wanted), 6)), self._opening
        before, held = self.values.copy() if poses else self.values, self.active
        for switch in self._specs:
            self._wanted[switch.loop] = switch.name in active
            self._taken[switch.loop] = switch.name not in poses
            if switch.name in poses:
                self.values[list(switch.pose)] = poses[switch.name][:3].ravel()
        pointer = self.closure.pointer
        wanted, taken, opening = self._fixed
        arrays = (wanted, taken, tolerance, pointer(q), pointer(v), pointer(impulse), opening)
        failed = self._restructure(self.closure.parameters, *arrays, memory)
        if failed:
            self.values[:] = before
            made = [name for name in active if name in poses and name not in held]
            raise _refusal(self._model.manifest.loops[failed - 1].name, made, float(gap[0]), tolerance)
        return impulse

    def describe(self, model: Model) -> None:
        """The description's own parameters from here on as those of `model`, the library's with other values."""
        own = list(own_parameters(model.manifest).values())
        self.values[own] = model.parameter_values()[own]

    def wrenches(self, simulation: Any, q: Array, v: Array, tau: Array) -> Array:
        """(L, 6) [force; moment] on the child of each active loop at its joint's frame, world axes.

        `simulation`: the struct of a motion at this moment.
        """
        found, pointer = np.zeros((len(self._model.manifest.loops), 6)), self.closure.pointer
        self._wrenches(simulation, pointer(q), pointer(v), pointer(tau), pointer(found))
        return found

    def take_over(self, other: Switches) -> None:
        """Parameters of the same name; what the other library does not have stays as declared."""
        values = named_values(other._model.manifest, other.values)
        for i, spec in enumerate(self._model.manifest.parameters):
            self.values[i] = values.get(spec.name, self.values[i])


def _refusal(widest: str, made: list[str], gap: float, tolerance: float) -> ModelError:
    """Why what is to be `made` cannot be: its frames are too far apart, or do not close and leave a loop the `widest`
    open."""
    if gap > tolerance:
        return ApartError(f"connection '{widest}': its frames are {gap:.3g} m or rad apart (tolerance {tolerance:g})")
    names = [widest] if widest in made else sorted(made)
    blamed = "" if widest in made else f" while '{widest}' holds"
    return ModelError(
        f"connection {', '.join(map(repr, names))}: its frames are {gap:.3g} m or rad apart (tolerance {tolerance:g}) "
        f"and cannot be closed from here{blamed}; bring the links nearer, cut what contradicts it, or connect them "
        "where they stand (pose_b='current')"
    )
