"""Numbers by which Python and C judge loops alike: the C of a model is told those in `LOOPS` under these names."""

from __future__ import annotations

LEADING = 1e-6
"""Readiness to be dependent of a velocity that must be independent."""

PINNED = 1e-5
"""Readiness below which a velocity counts as one that must be independent."""

RATHER_LEADING = 0.3
"""The same of one that should rather be independent than others: of an actuated joint, or where others are asked to
lead of those that usually do."""

LOOPS = {"PINNED": PINNED}


def written(number: float) -> str:
    """As C and a comment have it: 1e-6."""
    return repr(number).replace("e-0", "e-")
