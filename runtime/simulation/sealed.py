"""A moment to return to, and what drives on from there; what loops and contacts remember are bytes that are told apart
from damaged ones and from those of another model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..abi import Manifest
from ..analysis.values import by_value
from ..arguments import Array
from ..errors import ModelError
from ..events.agenda import Agenda, Event
from ..stepping.given.driven import Course
from ..stepping.given.servos import Servo

VERSION = b"kg2"
SIZE = 16
"""Bytes of the digest that stands before the memory."""


@by_value
@dataclass(frozen=True)
class State:
    """A moment to return to: t [s], steps done, q (nq), v (nv), and in `loops` the run-time parameters and what loops,
    contacts and connections remember.

    In a mechanism whose structure changes also the time into the step [s], what is still to happen, and what happened:
    the latest events, and the number of those before them.
    """

    t: float
    steps: int
    q: Array
    v: Array
    loops: bytes = b""
    within: float = 0.0
    agenda: Agenda | None = None
    events: tuple[Event, ...] = ()
    forgotten: int = 0


@dataclass(frozen=True)
class Given:
    """What drives a motion, as it was given; rows count from the steps in `first`, in the order of the fields."""

    tau: Any
    wrenches: Any
    driven: Mapping[str, Course]
    servos: Mapping[str, Servo]
    first: tuple[int, int, int, int]


def seal(manifest: Manifest, memory: bytes) -> bytes:
    """The memory, with a digest of it and of the model's layout in front."""
    return _digest(manifest, memory) + memory


def unseal(manifest: Manifest, sealed: bytes) -> bytes:
    """The memory, by which C indexes arrays. ModelError unless `seal` made these bytes for a model of this layout."""
    if not isinstance(sealed, bytes) or sealed[:SIZE] != _digest(manifest, sealed[SIZE:]):
        grown = ", or to its library before or after a connection or cut was added" if manifest.switches else ""
        since = " since then, or declare that in the TopologyLibrary" if manifest.switches else ""
        raise ModelError(
            f"state: it is damaged or belongs to another model than '{manifest.name}'{grown}; restore what `save` gave"
            f"{since}"
        )
    return sealed[SIZE:]


def _digest(manifest: Manifest, memory: bytes) -> bytes:
    layout = [manifest.prefix, *(f"{joint.name} {joint.kind}" for joint in (*manifest.joints, *manifest.loops))]
    return hashlib.blake2b(VERSION + "\n".join(layout).encode() + memory, digest_size=SIZE).digest()
