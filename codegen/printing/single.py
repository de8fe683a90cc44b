"""What there is of a mechanism in floats: straight-line code of an open tree, and its coordinates."""

from __future__ import annotations

from collections.abc import Sequence

from kinegen.runtime.errors import ModelError

from ..mechanism.mechanism import Mechanism
from .tree.table import Row

FILES = ("dynamics", "forward", "kinematics", "frames", "centroidal", "packed")
"""Files of the tree that have it; loops over paths, and what steps, compute with doubles."""

STEP_ONLY = ("forward_dynamics_damped",)
"""Straight-line, but called by the time step alone."""


def in_single(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows of a tree's table that can be had."""
    found = (row for row in rows if row.file in FILES and row.public and row.derive)
    return tuple(row for row in found if row.name not in STEP_ONLY)


def require_open(mechanism: Mechanism) -> None:
    """ModelError for closed loops, whose partition is judged in doubles."""
    if loops := [virtual.joint.name for virtual in mechanism.virtual_links]:
        raise ModelError(
            f"dtype 'float32': '{mechanism.name}' closes a loop by joint '{loops[0]}', and float32 models are of open "
            "trees; compile without dtype"
        )
