"""Work of all sources along a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import Array, as_count, as_floats
from ..errors import ModelError
from ..structs import SOURCES
from .values import by_value


@by_value
@dataclass(frozen=True)
class Work:
    """(n, nv) work [J] on each velocity since the run began, by source.

    `torques`: those given, `servos`, `springs` of the joints, `dampers` with dry friction, `wrenches`: external ones,
    `motions`: of driven joints, `rows`: contacts, limits, locks and friction rows, impacts among them. Forces of cut
    joints stand where they act on the tree's velocities. The sum of all is the energy that the mechanism gains.
    """

    torques: Array
    servos: Array
    springs: Array
    dampers: Array
    wrenches: Array
    motions: Array
    rows: Array

    @property
    def motors(self) -> Array:
        """(n, nv) of torques, servos and motions."""
        return self.torques + self.servos + self.motions

    @property
    def total(self) -> Array:
        """(n) of all sources, on all velocities."""
        return np.asarray(self.table().sum(axis=(1, 2)))

    def table(self) -> Array:
        """(n, 7, nv) of all sources, in the order of the fields."""
        return np.stack([getattr(self, name) for name in SOURCES], axis=1)

    def __len__(self) -> int:
        return len(self.torques)

    @staticmethod
    def of_table(table: Any, n: int, nv: int) -> Work:
        """Inverse of `table`. ModelError for another shape than (n, 7, nv)."""
        n, nv = as_count("n", n, least=0), as_count("nv", nv, least=0)
        rows = as_floats("work", table, "(n, 7, nv)")
        if rows.shape != (n, len(SOURCES), nv):
            raise ModelError(f"work: expected shape {(n, len(SOURCES), nv)}, got {rows.shape}")
        return Work(*(rows[:, k] for k in range(len(SOURCES))))
