"""Which velocities of a closed mechanism lead and which follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array
from ..errors import InternalError, ModelError
from ..module.kernel import require_unit
from ..module.module import Module
from .closure import CLOSED, LEADING, Closure, Partition, Split, cut_dof_names, dof_names, dofs_named
from .configuration import random_configuration

if TYPE_CHECKING:
    from ..abi import Manifest


REFERENCES = 10
"""Closed configurations looked at before it is said which velocities lead."""


class ModelLeaders:
    """The part of `Model` that knows independent and dependent velocities [N98 §2.2]."""

    _module: Module
    _pins: tuple[int, ...]

    if TYPE_CHECKING:

        @property
        def manifest(self) -> Manifest: ...

        def parameter_values(self) -> Array: ...

        def _kernel(self, quantity: str, method: str | None = None) -> Callable[..., Array]: ...

        def _pinned(self, pins: tuple[int, ...]) -> Self: ...

    @cached_property
    def closure(self) -> Closure:
        """The loops' C functions."""
        ready = None
        if self._pins:
            ready = self._readiness()
        return Closure(self._module, self.parameter_values(), ready)

    @property
    def independent(self) -> tuple[str, ...]:
        """Velocities θ_G (nf) that give all others, ascending; columns of H, W and S. "ball[2]": one entry of three."""
        names = dof_names(self.manifest)
        return tuple(names[i] for i in self._leaders)

    @property
    def dependent(self) -> tuple[str, ...]:
        """Velocities θ_S that follow: those of the tree ascending, then those of the cut joints; rows of H."""
        names, leaders = dof_names(self.manifest), self._leaders
        tree = tuple(name for i, name in enumerate(names) if i not in leaders)
        return (*tree, *cut_dof_names(self.manifest))

    @property
    def nf(self) -> int:
        """Degrees of freedom of the closed mechanism."""
        return len(self._leaders)

    @property
    def actuators(self) -> tuple[str, ...]:
        """Velocities θ_A of the actuated joints: those of the tree, then of the cut joints; rows of S."""
        tree = [(j, dof_names(self.manifest)) for j in self.manifest.joints if j.actuated]
        cut = [(j, cut_dof_names(self.manifest)) for j in self.manifest.loops if j.actuated]
        return tuple(name for j, names in (*tree, *cut) for name in names[j.v_start : j.v_start + j.nv])

    def with_independent(self, names: Sequence[str]) -> Self:
        """The same model led by these joints (or entries, "ball[2]"); fewer than nf are filled up.

        ModelError for unknown joints and for pins that contradict each other.
        """
        pins = dofs_named(self.manifest, names)
        model = self._pinned(pins)
        _ = model._leaders
        return model

    def partition(self, q: ArrayLike) -> Partition:
        """Rank, and the independent and dependent velocities that pivoting finds best at q (nq); pins are kept."""
        split = self.closure.split(self._one_q(q))
        names = dof_names(self.manifest)
        return Partition(
            len(split.dependent),
            tuple(names[i] for i in split.independent),
            tuple(names[i] for i in split.dependent),
            1.0 / split.ratio if split.ratio > 0.0 else np.inf,
        )

    @cached_property
    def _leaders(self) -> tuple[int, ...]:
        manifest = self.manifest
        if not manifest.closed:
            return tuple(range(manifest.nv))
        if manifest.independent and not self._pins:
            return manifest.independent
        names = dof_names(manifest)
        q, split = self._reference()
        free = self.closure.split(q, np.ones(manifest.nv))
        lost = [names[i] for i in self._pins if i not in split.independent]
        if lost:
            raise ModelError(
                f"model '{manifest.name}': {', '.join(names[i] for i in self._pins)} cannot all be independent: the "
                f"loops leave {len(free.independent)} degrees of freedom and {', '.join(lost)} follows from the others "
                f"(loop '{self.closure.loop_name(split)}'); pin fewer joints or others, for instance "
                f"{', '.join(names[i] for i in free.independent)}"
            )
        return split.independent

    def _reference(self) -> tuple[Array, Split]:
        """The best held of several closed configurations, the same ones in every call, and the split there."""
        manifest, rng = self.manifest, np.random.default_rng(0)
        best: tuple[int, float, Array, Split] | None = None
        gap, q = np.inf, np.array(manifest.neutral)
        for attempt in range(REFERENCES):
            q = random_configuration(manifest, rng, ()) if attempt else q
            gap = self.closure.assemble(q)
            if gap > CLOSED:
                continue
            split = self.closure.split(q)
            found = (len(split.dependent), split.ratio, q.copy(), split)
            if best is None or found[:2] > best[:2]:
                best = found
        if best is None:
            self._require_closed(q, gap)
            raise InternalError(f"model '{manifest.name}': no closed configuration, and no gap")
        return best[2:]

    def _readiness(self) -> Array:
        """The usual preferences with the pins on top: what leads in the manifest rather leads."""
        ready = np.ones(self.manifest.nv)
        ready[list(self.manifest.independent)] = 0.3
        ready[list(self._pins)] = LEADING
        return ready

    def _require_closed(self, q: Array, gap: float, moving: Array | None = None) -> None:
        if gap <= CLOSED:
            return
        residual = np.abs(self._kernel("closure_gap")(q)).reshape(-1, 6)
        worst = int(residual.max(axis=1).argmax())
        held = [] if moving is None else [n for n, m in zip(dof_names(self.manifest), moving, strict=True) if not m]
        raise ModelError(
            f"model '{self.manifest.name}': loop '{self.manifest.loops[worst].name}' cannot be closed from here"
            f"{' with ' + ', '.join(held) + ' held' if held else ''}: a gap of {gap:.3g} m or rad stays; start nearer "
            "to a closed configuration or check lengths and origins"
        )

    def _one_q(self, q: ArrayLike) -> Array:
        array = as_array("q", q, (self.manifest.nq,), batch=False)
        require_unit(self._module, "q", array)
        return array
