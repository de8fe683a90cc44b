"""Frames of a recorded motion: recorded states at even times, and where everything is in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arguments import Array, as_number
from ..contact.contacts import ContactHistory
from ..errors import ModelError
from ..events.agenda import Event
from ..model.model import Model
from ..visual.look import Point

MOST_FRAMES = 20_000
"""More than that no page should hold: eleven minutes at 30 frames a second."""


class Recorded(Protocol):
    """What a `Trajectory` holds of this."""

    t: Array
    q: Array
    name: str
    events: tuple[Event, ...]
    model: Model | None
    contacts: ContactHistory | None
    structures: Any
    structure_of: Any

    def by_structure(self, quantity: str) -> Iterator[tuple[Any, Model]]: ...


@dataclass(frozen=True)
class Connection:
    """What can be connected and cut: its name, and its place [m] on the link that carries it."""

    name: str
    link: str
    point: Point


@dataclass(frozen=True, eq=False)
class Clip:
    """Frames in time order, k of them: t (k) [s], `poses` (k, N, 4, 4) of `links` in world, `com` (k, 3) [m] or None.

    `contacts`: of each frame; `active` (k, c): which of the `connections` hold.
    """

    name: str
    t: Array
    links: tuple[str, ...]
    poses: Array
    com: Array | None
    contacts: ContactHistory | None
    connections: tuple[Connection, ...]
    active: NDArray[np.bool_]
    events: tuple[Event, ...]


def clip_of(motion: Recorded, fps: float) -> Clip:
    """The recorded states nearest to `fps` [1/s] even times, first and last included.

    ModelError without a model, without states, for times that run back, and for more than MOST_FRAMES frames.
    """
    chosen = frames(motion.t, as_number("fps", fps, positive=True))
    at: dict[int, int] = {int(state): k for k, state in enumerate(chosen)}
    model: Model | None = None
    poses, com = np.zeros((0, 0, 4, 4)), None
    for states, model in motion.by_structure("animation"):
        known = model.manifest.has("com")
        if not poses.size:
            poses = np.zeros((len(chosen), len(model.link_names), 4, 4))
            com = np.zeros((len(chosen), 3)) if known else None
        now = [i for i in np.arange(len(motion.t))[states].tolist() if i in at]
        where = [at[i] for i in now]
        poses[where] = model.link_poses(motion.q[now])
        if com is not None:
            com[where] = model.com(motion.q[now])
    if model is None:
        raise ModelError("animation: the trajectory has no states")
    contacts = None if motion.contacts is None else _of_states(motion.contacts, chosen)
    connections, active = _connections(model, motion, chosen)
    links = model.link_names
    return Clip(motion.name, motion.t[chosen], links, poses, com, contacts, connections, active, motion.events)


def frames(t: Array, fps: float) -> NDArray[np.int64]:
    """(k) numbers of the states nearest to even times, ascending, each once."""
    return np.unique(evenly(t, fps))


def evenly(t: Array, fps: float) -> NDArray[np.int64]:
    """(k) number of the state nearest to each of some even times, `fps` [1/s] of them, from the first to the last."""
    if not len(t):
        raise ModelError("animation: the trajectory has no states")
    if (np.diff(t) < 0.0).any():
        raise ModelError("animation: the times of the trajectory run back; give a part of it that runs forward")
    last = float(t[-1] - t[0]) * fps
    if last >= MOST_FRAMES - 0.5:
        told = f"{last + 1.0:.6g} frames are more than {MOST_FRAMES}"
        raise ModelError(f"animation: {told}; give a smaller fps, or a part of it")
    count = round(last) + 1
    wanted = np.linspace(t[0], t[-1], max(count, 2 if t[-1] > t[0] else 1))
    after = np.clip(np.searchsorted(t, wanted), 0, len(t) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(wanted - t[before] <= t[after] - wanted, before, after).astype(np.int64)


def _of_states(contacts: ContactHistory, chosen: Sequence[int] | NDArray[np.int64]) -> ContactHistory:
    """The contacts of some states."""
    parts = [contacts.records[contacts.starts[i] : contacts.starts[i + 1]] for i in chosen]
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts], dtype=np.int64)])
    return ContactHistory(starts, np.concatenate([contacts.records[:0], *parts]), contacts.pairs)


def usual_force(contacts: ContactHistory | None) -> float:
    """What one in twenty of the contact forces exceeds [N]; 1 if there is none."""
    forces = np.zeros((0, 3)) if contacts is None else contacts.records["force"]
    sizes = np.linalg.norm(forces, axis=1)
    sizes = sizes[sizes > 0.0]
    return float(np.quantile(sizes, 0.95)) if sizes.size else 1.0


def _connections(
    model: Model, motion: Recorded, chosen: NDArray[np.int64]
) -> tuple[tuple[Connection, ...], NDArray[np.bool_]]:
    """What can change, and (k, c) whether it holds in each frame."""
    switches = model.manifest.switches if motion.structures is not None else ()
    found = connections_of(model) if motion.structures is not None else ()
    if not found:
        return (), np.zeros((len(chosen), 0), dtype=bool)
    flags = np.asarray(motion.structures)[:, [switch.flag for switch in switches]] != 0.0
    return found, flags[np.asarray(motion.structure_of)[chosen]]


def connections_of(model: Model) -> tuple[Connection, ...]:
    """What can change in a library's model, with its places. `declared` is (12) rows of [R | p] in link_a."""
    found = []
    for switch in model.manifest.switches:
        x, y, z = switch.declared[3::4] if len(switch.declared) == 12 else (0.0, 0.0, 0.0)
        found.append(Connection(switch.name, switch.link_a, (x, y, z)))
    return tuple(found)
