"""What is to be seen at one moment, as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..animation.clip import Clip
from ..arguments import Array
from ..contact.contacts import Contacts
from ..model.model import Model
from ..visual.packing import quaternions


@dataclass(frozen=True, eq=False)
class Moment:
    """Of N links: `places` (N, 3) [m], `turns` (N, 4) unit quaternions [x y z w], in world.

    `com` (3) [m], None where the model does not know it; contact `points` (k, 3) [m] and the `forces` (k, 3) [N] on the
    second link of each pair; `active` (c): which connections hold.
    """

    places: Array
    turns: Array
    com: Array | None
    points: Array
    forces: Array
    active: NDArray[np.bool_]


def moment_of(model: Model, q: Array, contacts: Contacts | None = None, active: tuple[bool, ...] = ()) -> Moment:
    """A model at q (nq)."""
    poses = model.link_poses(q)
    known = model.manifest.has("com")
    return Moment(
        poses[:, :3, 3],
        quaternions(poses[None, :, :3, :3])[0],
        model.com(q) if known else None,
        np.zeros((0, 3)) if contacts is None else contacts.points,
        np.zeros((0, 3)) if contacts is None else contacts.forces,
        np.array(active, dtype=bool),
    )


class Moments:
    """The moments of a clip, at any time; between two frames places and turns are interpolated, for the eye alone."""

    def __init__(self, clip: Clip) -> None:
        self._clip = clip
        self._places, self._turns = clip.poses[..., :3, 3], quaternions(clip.poses[..., :3, :3])

    def at(self, t: float) -> Moment:
        """At t [s], within the ends; contacts and connections are those of the frame before."""
        clip = self._clip
        k = int(np.clip(np.searchsorted(clip.t, t, side="right") - 1, 0, len(clip.t) - 1))
        after = min(k + 1, len(clip.t) - 1)
        long = float(clip.t[after] - clip.t[k])
        part = float(np.clip((t - clip.t[k]) / long, 0.0, 1.0)) if long > 0.0 else 0.0
        turns = (1.0 - part) * self._turns[k] + part * self._turns[after]
        contacts = None if clip.contacts is None else clip.contacts[k]
        return Moment(
            (1.0 - part) * self._places[k] + part * self._places[after],
            turns / np.linalg.norm(turns, axis=-1, keepdims=True),
            None if clip.com is None else (1.0 - part) * clip.com[k] + part * clip.com[after],
            np.zeros((0, 3)) if contacts is None else contacts.points,
            np.zeros((0, 3)) if contacts is None else contacts.forces,
            clip.active[k],
        )
