"""What rows beside contacts exert: connections of some axes, loops held by rows, joints that stick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..abi import RowSpec
from ..analysis.values import by_value
from ..arguments import Array
from .contacts import Records


@by_value
@dataclass(frozen=True)
class RowForce:
    """One block of rows in a step, in world axes.

    `kind` "axes": `force` (3) [N] on the child at `point` (3), its opposite on the parent; "turns": `force` is a moment
    [N m]; "friction": force[0] is the dry friction on entry `dof` of v of the joint `name`. `off` [m or rad]: how far
    from where it belongs the connection was before the step.
    """

    name: str
    parent: str
    child: str
    kind: str
    dof: int
    force: Array
    point: Array
    off: float


def row_forces(records: Records, rows: Sequence[RowSpec]) -> tuple[RowForce, ...]:
    """Of the records of a step, whose last are the rows'; none before the first step."""
    found = []
    for spec, record in zip(rows, records[len(records) - len(rows) :] if len(records) else (), strict=False):
        force, point = record["force"].copy(), record["point"].copy()
        off = abs(float(record["gap"]))
        found.append(RowForce(spec.name, spec.parent, spec.child, spec.kind, spec.dof, force, point, off))
    return tuple(found)
