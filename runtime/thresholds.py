"""Numbers that Python and C share: of them those in `STEPS`, and of loops those in `LOOPS`, the C of a model is told
under these names."""

from __future__ import annotations

LEADING = 1e-6
"""Readiness to be dependent of a velocity that must be independent."""

PINNED = 1e-5
"""Readiness below which a velocity counts as one that must be independent."""

RATHER_LEADING = 0.3
"""The same of one that should rather be independent than others: of an actuated joint, or where others are asked to
lead of those that usually do."""

RANK_TOLERANCE = 1e-5
"""Part of the largest entry below which what elimination leaves is zero: a gap of 1e-12 hides so much."""

SINGULAR = 1e-3
"""Smallest pivot over largest below which a partition is near where it does not serve."""

TIED = 1.0 + 1e-6
"""Entries whose sizes differ by less are as large."""

KEPT_RATIO, KEPT_RATIO_MISFIT = 1e-2, 0.2
"""Pivot ratio above which the velocities that lead do so well enough, and that of loops that miss."""

CLOSED_GAP = 1e-10
"""Gap up to which a loop counts as closed, in units of length of the model (metres but for tiny and huge loops)."""

MARGIN = 20.0
"""Times the misfit found at generation: what loops with rounded dimensions may be open by."""

NOTICED_GAP = 1e-6
"""Gap of a given q, in units of length of the model, above which closing it is worth a word: rounded numbers pass
silently."""

SLIP_SPEED = 1e-3
"""Speed [rad/s, m/s] around which dry friction passes smoothly through zero."""

INERT = 1e-12
"""Smallest eigenvalue of A, scaled to ones on its diagonal, that counts as inertia, and so its pivots."""

INSTANT = 1e-9
"""Part of a step within which two moments are the same."""

ROUNDED = 0.01
"""How far the norm of a given rotation may be off 1 to be taken for a rounded one."""

STEPS = {"SAME_MOMENT": INSTANT}

LOOPS = {
    "PINNED": PINNED,
    "RANK_TOLERANCE": RANK_TOLERANCE,
    "SINGULAR": SINGULAR,
    "TIED": TIED,
    "KEPT_RATIO": KEPT_RATIO,
    "KEPT_RATIO_MISFIT": KEPT_RATIO_MISFIT,
    "CLOSED_GAP": CLOSED_GAP,
    "MARGIN": MARGIN,
    "NOTICED_GAP": NOTICED_GAP,
    "INERT": INERT,
}


def written(number: float) -> str:
    """As C and a comment have it: 1e-6."""
    return repr(number).replace("e-0", "e-")
