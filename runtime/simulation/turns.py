"""Angles of cut joints over a motion, counted over turns as the simulator does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..abi import JointSpec, SwitchSpec
from ..arguments import Array
from ..events.agenda import Event
from ..kinds import KINDS

TURN = 2.0 * np.pi
ASSIGNED = "assign", "q"
"""What happened where a function assigned q in a run."""


def count_turns(joint: JointSpec, q: Array, made: NDArray[np.intp]) -> None:
    """Angles in q (n, nq_j) from state to state, anew from the first one and those in `made` on, in place."""
    for i in KINDS[joint.kind].winding:
        low, high = (joint.lower[i], joint.upper[i]) if joint.nq == joint.nv else (-np.inf, np.inf)
        for begin, end in pairwise((0, *made, len(q))):
            angles = np.unwrap(q[begin:end, i])
            if end > begin:
                angles += _within(low, high, angles[0]) - angles[0]
            q[begin:end, i] = angles


def made_at(
    switch: SwitchSpec, t: Array, structures: Array, structure_of: NDArray[np.int64], events: Sequence[Event]
) -> NDArray[np.intp]:
    """States, but the first, that are the first since a connection or cut joint was made; t (n), `structures` and
    `structure_of` as in a trajectory."""
    held = structures[structure_of, switch.flag] != 0.0
    poses = structures[:, list(switch.pose)][structure_of]
    made = ~held[:-1] | (poses[1:] != poses[:-1]).any(axis=1)
    made |= _since(t, events, ("connect", switch.name))  # after a cut since the state before, too
    return np.flatnonzero(held[1:] & made) + 1


def assigned_at(t: Array, events: Sequence[Event]) -> NDArray[np.intp]:
    """States, but the first, that are the first since q was assigned."""
    return np.flatnonzero(_since(t, events, ASSIGNED)) + 1


def _since(t: Array, events: Sequence[Event], told: tuple[str, str]) -> NDArray[np.bool_]:
    """(n - 1) whether this happened since the state before."""
    found = np.zeros(max(len(t) - 1, 0), dtype=bool)
    for moment, what, to in events:
        if (what, to) == told:
            found |= (t[:-1] < moment) & (moment <= t[1:])
    return found


def _within(low: float, high: float, angle: float) -> float:
    """The angle, moved by whole turns to within the bounds where that can be."""
    up, down = angle + TURN * np.ceil((low - angle) / TURN), angle - TURN * np.ceil((angle - high) / TURN)
    if angle < low and up <= high:
        return float(up)
    return float(down) if angle > high and down >= low else angle
