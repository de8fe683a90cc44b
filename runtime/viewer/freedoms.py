"""Numbers that pose a model: those that all others follow, with their names and ranges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..abi import JointSpec
from ..arguments import Array
from ..kinds import KINDS
from ..model.model import Model


@dataclass(frozen=True)
class Freedom:
    """Entry `entry` of v, which its joint has as number `i`, called `name`.

    `place`: its coordinate in q where coordinates add; None where they do not (balls, free joints), of which the
    rotation vector or displacement from q0 is told instead.
    """

    entry: int
    i: int
    joint: JointSpec
    name: str
    linear: bool
    place: int | None

    @property
    def free(self) -> bool:
        """It belongs to a joint that lets everything free."""
        return KINDS[self.joint.kind].free

    def value(self, model: Model, q: Array) -> float:
        """What it is at in q [rad, m]."""
        if self.place is not None:
            return float(q[self.place])
        return float(model.difference(model.q0, q)[self.entry])

    def reach(self, q: Array, turn: float, slide: float) -> tuple[float, float]:
        """(<= 0, >= 0) how far it goes either way from q: to its limits, no further than half a turn; without limits
        by `turn` [rad] or `slide` [m].
        """
        far = slide if self.linear else turn
        if self.place is None:
            return -far, far
        at, most = float(q[self.place]), float("inf") if self.linear else np.pi
        low, high = self.joint.lower[self.i] - at, self.joint.upper[self.i] - at
        return (max(low, -most) if np.isfinite(low) else -far), (min(high, most) if np.isfinite(high) else far)


def freedoms(model: Model) -> tuple[Freedom, ...]:
    """In the order of v; of closed mechanisms the independent ones."""
    joints = {joint.v_start + i: (joint, i) for joint in model.manifest.joints for i in range(joint.nv)}
    return tuple(_freedom(entry, *joints[entry]) for entry in sorted(model.loops.leaders))


def _freedom(entry: int, joint: JointSpec, i: int) -> Freedom:
    kind = KINDS[joint.kind]
    name = joint.name if joint.nv == 1 else f"{joint.name} {kind.entries(1)[i]}"
    place = joint.q_start + i if kind.nq == kind.nv else None
    return Freedom(entry, i, joint, name, kind.linear[i], place)
