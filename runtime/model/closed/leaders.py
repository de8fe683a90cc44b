"""Which velocities of a closed mechanism lead and which follow [N98 §2.2]."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ...abi import JointSpec, Manifest
from ...arguments import Array
from ...errors import InternalError, ModelError
from ...thresholds import LEADING, RATHER_LEADING
from ..configuration import random_configuration
from .closure import Closure, Split, closed_within, cut_dof_names, dof_names, widest

REFERENCES = 10
"""Closed configurations looked at before it is said which velocities lead."""

Offsets = Callable[[Array], Array]
"""(L, 2) distance [m] and angle [rad] of every loop at q (nq), as far as it locks them."""

Values = Mapping[str, float | None]
"""Those of the run-time parameters, by name; what is switched on is among them."""


def leaders(closure: Closure, pins: tuple[int, ...], offsets: Offsets, at: Array | None = None) -> tuple[int, ...]:
    """Entries of v that lead, ascending; all of them in a tree. ModelError for `pins` that contradict each other.

    `at` (nq): the configuration at which that is judged, where it is closed; None for the model's own.
    """
    manifest = closure.manifest
    if not manifest.closed:
        return tuple(range(manifest.nv))
    if manifest.independent and not pins and at is None:
        return manifest.independent
    names = dof_names(manifest)
    q, split = _reference(closure, offsets) if at is None else _judged(closure, offsets, at)
    free = closure.split(q, np.ones(manifest.nv))
    if pins and not free.independent:
        raise ModelError(
            f"model '{manifest.name}': nothing can be independent: its loops leave 0 degrees of freedom; "
            "check lengths and axes"
            + ("" if at is not None else ", or give the q at which it moves: with_independent([...], q=q)")
        )
    lost = [i for i in pins if i not in split.independent]
    if lost:
        raise ModelError(
            f"model '{manifest.name}': {', '.join(names[i] for i in pins)} cannot all be independent: the "
            f"loops leave {len(free.independent)} degrees of freedom and {', '.join(names[i] for i in lost)} "
            f"follows from the others (loop '{closure.loop_name(split, lost)}'); pin fewer joints or others, for "
            f"instance {', '.join(names[i] for i in free.independent)}"
            + ("" if at is not None else ", or give the q at which they lead: with_independent([...], q=q)")
        )
    return split.independent


def readiness(manifest: Manifest, pins: tuple[int, ...]) -> Array | None:
    """(nv) the usual preferences with the pins on top: what leads in the manifest rather leads; None without pins."""
    if not pins:
        return None
    ready = np.ones(manifest.nv)
    ready[list(manifest.independent)] = RATHER_LEADING
    ready[list(pins)] = LEADING
    return ready


def actuated_joints(manifest: Manifest, values: Values) -> tuple[tuple[JointSpec, ...], tuple[JointSpec, ...]]:
    """Joints whose actuators act: those of the tree, and cut joints but for those that are switched off."""
    idle = {switch.name for switch in manifest.switches if not values[manifest.parameters[switch.flag].name]}
    cut = (j for j in manifest.loops if j.actuated and j.name not in idle)
    return tuple(j for j in manifest.joints if j.actuated), tuple(cut)


def actuators(manifest: Manifest, values: Values) -> dict[str, float]:
    """Velocities of these joints, those of the tree first, and the effort that each has at most."""
    tree, cut = actuated_joints(manifest, values)
    parts = [(j, dof_names(manifest)) for j in tree] + [(j, cut_dof_names(manifest)) for j in cut]
    names = (name for j, listed in parts for name in listed[j.v_start : j.v_start + j.nv])
    return dict(zip(names, (x for j in (*tree, *cut) for x in j.effort), strict=True))


def require_closed(manifest: Manifest, offsets: Offsets, q: Array, gap: float, moving: Array | None = None) -> None:
    """ModelError that names the loop if a gap was left at q; `moving` (nv): 0 where v was held."""
    if gap <= closed_within(manifest):
        return
    name, left = widest(manifest, offsets(q))
    held = [] if moving is None else [n for n, m in zip(dof_names(manifest), moving, strict=True) if not m]
    raise ModelError(
        f"model '{manifest.name}': loop '{name}' cannot be closed from here"
        f"{' with ' + ', '.join(held) + ' held' if held else ''}: a gap of {left:.3g} m or rad stays; start nearer "
        "to a closed configuration or check lengths and origins"
    )


def require_holonomic(manifest: Manifest, what: str) -> None:
    """ModelError where something rolls, for `what` knows conditions on positions only."""
    if manifest.rolling:
        raise ModelError(
            f"model '{manifest.name}': {what}: joint '{manifest.rolling[0]}' rolls, so that more positions than "
            "velocities are free, which this does not know; leave the rolling joint out for it"
        )


def _judged(closure: Closure, offsets: Offsets, at: Array) -> tuple[Array, Split]:
    """The closed configuration nearest to `at` and the split there."""
    q = np.array(at, dtype=np.float64)
    require_closed(closure.manifest, offsets, q, closure.assemble(q))
    return q, closure.split(q)


def _reference(closure: Closure, offsets: Offsets) -> tuple[Array, Split]:
    """The configuration that the model was compiled for and the split there.

    Of a model whose numbers or loops are chosen at run time that is not known: the best held of several closed
    configurations, the same ones in every call.
    """
    manifest, rng = closure.manifest, np.random.default_rng(0)
    if manifest.reference and not manifest.switches:
        return _judged(closure, offsets, np.array(manifest.reference))
    best: tuple[int, float, Array, Split] | None = None
    gap, q = np.inf, np.array(manifest.neutral)
    for attempt in range(REFERENCES):
        q = random_configuration(manifest, rng, ()) if attempt else q
        gap = closure.assemble(q)
        if gap > closed_within(manifest):
            continue
        split = closure.split(q)
        found = (len(split.dependent), split.ratio, q.copy(), split)
        if best is None or found[:2] > best[:2]:
            best = found
    if best is None:
        require_closed(manifest, offsets, q, gap)
        raise InternalError(f"model '{manifest.name}': no closed configuration, and no gap")
    return best[2:]
