"""Where a motion starts: coordinates of joints that a user asks for by name, checked, and those of all others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.typed import is_series

from .. import checks
from ..mechanism import Mechanism
from ..types import NEUTRAL
from .tree import Body

Start: TypeAlias = Mapping[str, float | Sequence[float]]
"""Joint → its coordinate, or its coordinates (nq) in the layout of mathematics §1."""


def start_of(mechanism: Mechanism, at: Start | None) -> dict[str, tuple[float, ...]]:
    """Coordinates (nq of the joint) by joint, in the order of the tree; what has a motion stands where that begins.

    ModelError for a joint that the tree does not have, for a number that is none, or for too few or too many of them.
    """
    bodies = {body.joint.name: body for body in mechanism.tree.bodies if body.nv}
    for name in at or {}:
        if name in bodies:
            continue
        cut = name in [loop.joint.name for loop in mechanism.virtual_links]
        near = checks.nearest(name, tuple(bodies))
        why = "closes a loop and has no coordinate; give others of the loop" if cut else f"is unknown{near}"
        if name in mechanism.tree.followers:
            why = f"follows '{mechanism.tree.followers[name]}'; give that"
        raise ModelError(f"mechanism '{mechanism.name}': at: joint {name!r} {why}")
    moved = {name: body.joint.begin for name, body in bodies.items() if body.joint.motion and body.joint.begin}
    given = {**moved, **(at or {})}
    return {name: _coordinates(body, given[name]) for name, body in bodies.items() if name in given}


def _coordinates(body: Body, value: float | Sequence[float]) -> tuple[float, ...]:
    what = f"at: joint '{body.joint.name}'"
    items = value if is_series(value) else (value,)
    found = [checks.constant(x, what) for x in checks.items(items, body.nq, what)]
    part = KINDS[body.joint.kind].rotation
    if part:
        length = math.sqrt(math.fsum(x * x for x in found[part]))
        if not length > 0.0:
            raise ModelError(f"{what}: the numbers of a rotation are all zero")
        found[part] = [x / length for x in found[part]]
    return tuple(found)


def start_configuration(mechanism: Mechanism, at: Mapping[str, Sequence[float]] | None = None) -> tuple[float, ...]:
    """(nq) where a motion starts, with these coordinates of joints."""
    return tuple(x for b in mechanism.tree.bodies if b.nv for x in (at or {}).get(b.joint.name, _start(b)))


def _start(body: Body) -> tuple[float, ...]:
    """q of a joint where a simulation starts: of its motion or `start`; else a free one is where its file or `rest`
    puts it."""
    joint = body.joint
    if joint.begin:
        return joint.begin
    placed = KINDS[joint.kind].free and all(isinstance(x, (int, float)) for x in joint.rest)
    return tuple(float(x) for x in joint.rest) if placed else NEUTRAL[joint.kind]
