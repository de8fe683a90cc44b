"""What can be watched while a mechanism moves: `distance("hand", "bar") < 0.02`, `force("rope") > 500`.

A quantity compared with a number is a condition (`<=` and `>=` hold at the number too); it is evaluated in C at
every step and located within the step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..abi import Manifest
from ..arguments import Array, as_count, as_flag, as_number
from ..errors import ModelError, shown
from ..names.lookup import frames, near, near_joint, require_placed
from ..structs import CONDITION, QUANTITIES
from ..typed import typed

Conditions = np.ndarray[Any, np.dtype[np.void]]
"""(k) rows of the struct CONDITION."""


NAMES = {
    **dict.fromkeys(("distance", "position", "turn"), (2,)),
    **dict.fromkeys(("coordinate", "velocity", "force", "moment"), (1,)),
    "contact_force": (1, 2),
}
"""How many names each kind of quantity has."""

CALLED = {"position": "relative_position", "turn": "relative_angle", "coordinate": "angle", "velocity": "speed"}
"""Functions that make quantities, where they are not called as the kind is."""


@dataclass(frozen=True)
class Quantity:
    """Something to compare with a number: what (one of QUANTITIES), of which names, which entry."""

    kind: str
    names: tuple[str, ...]
    entry: int = 0

    def __lt__(self, bound: float) -> Condition:
        return Condition(self, -1.0, as_number("condition", bound))

    def __gt__(self, bound: float) -> Condition:
        return Condition(self, 1.0, as_number("condition", bound))

    def __le__(self, bound: float) -> Condition:
        return Condition(self, -1.0, as_number("condition", bound), at=True)

    def __ge__(self, bound: float) -> Condition:
        return Condition(self, 1.0, as_number("condition", bound), at=True)

    def __bool__(self) -> bool:
        raise _no_truth(self)

    def __str__(self) -> str:
        """As the function that made it is called, and as scenes write it."""
        entry = "xyz"[self.entry : self.entry + 1] if self.kind == "position" else str(self.entry or "")
        return f"{CALLED.get(self.kind, self.kind)}({', '.join([*self.names, *filter(None, [entry])])})"


@dataclass(frozen=True)
class Condition:
    """sign · (quantity − threshold) > 0, or ≥ 0: it holds `at` the threshold too."""

    quantity: Quantity
    sign: float
    threshold: float
    at: bool = False

    def row(self, manifest: Manifest) -> Conditions:
        """() the condition for C. ModelError for names that the mechanism does not have."""
        _require_quantity(self.quantity)
        row = np.zeros((), dtype=CONDITION.dtype)
        row["sign"] = as_number("condition: sign", self.sign)
        row["threshold"] = as_number("condition: threshold", self.threshold)
        if as_flag("condition: at", self.at):  # beyond the next number before it
            row["threshold"] = math.nextafter(self.threshold, -math.copysign(math.inf, self.sign))
        quantity, kind = self.quantity, self.quantity.kind
        if kind in ("distance", "position", "turn"):
            known = frames(manifest)
            for side, name in zip(("first", "second"), quantity.names, strict=True):
                require_placed(manifest, name, "condition: ")
                link, *offset = _place(known, name)
                row[side], row[f"{side}_offset"] = int(link), offset
            row["axis"] = as_count("condition: axis", quantity.entry, least=0, most=2)
        elif kind in ("force", "moment"):
            loops = [joint.name for joint in manifest.loops]
            row["first"] = _index(loops, quantity.names[0], "connection or cut joint")
        elif kind == "contact_force":
            row["first"], row["second"] = _touching(manifest, quantity.names)
        else:
            kind, row["first"], row["second"] = _joint_entry(manifest, quantity)
        row["kind"] = QUANTITIES.index(kind)
        return row

    def __bool__(self) -> bool:
        raise _no_truth(self)

    def __str__(self) -> str:
        return f"{self.quantity} {'>' if self.sign > 0 else '<'}{'=' * self.at} {self.threshold:g}"


@typed
def distance(a: str, b: str) -> Quantity:
    """Distance between the origins of two links or frames [m]; "world" is one too."""
    return Quantity("distance", (a, b))


@typed
def relative_position(a: str, b: str, axis: Literal["x", "y", "z"]) -> Quantity:
    """Coordinate "x", "y" or "z" of b's origin in the axes of a, from a's origin [m]."""
    return Quantity("position", (a, b), "xyz".index(axis))


@typed
def relative_angle(a: str, b: str) -> Quantity:
    """Angle of the rotation that takes the axes of link a to those of link b [rad], 0 to π."""
    return Quantity("turn", (a, b))


@typed
def angle(joint: str, entry: int = 0) -> Quantity:
    """Coordinate of a joint, or the `entry`-th of several [rad, m]; of a connection or cut joint too.

    Angles of those are counted over turns; at first they are within half a turn of 0, or within their limits. Of a
    connection it makes a condition true only while that is active, of a joint that was cut at any time.
    """
    return Quantity("coordinate", (joint,), entry)


@typed
def speed(joint: str, entry: int = 0) -> Quantity:
    """Velocity of a joint, or the `entry`-th of several [rad/s, m/s]; of connections and cut joints as of `angle`."""
    return Quantity("velocity", (joint,), entry)


@typed
def force(connection: str) -> Quantity:
    """Size of the force that an active connection or cut joint carries [N], 0 while it is not active.

    As `Simulator.wrench` tells it: impulses of impacts over the length of the whole step are a part of it.
    """
    return Quantity("force", (connection,))


@typed
def moment(connection: str) -> Quantity:
    """Size of the moment that an active connection or cut joint carries at its frame [N m]; impulses as in `force`."""
    return Quantity("moment", (connection,))


@typed
def contact_force(link: str, other: str | None = None) -> Quantity:
    """Size of the total force of contact on a link [N], from another link only if one is named; "world" is one too.

    It is the mean over a whole step, all its parts where events divided it, impulses of impacts included: what follows
    from it happens at the end of the step in which the touch was found. Before the first step it is 0.
    """
    return Quantity("contact_force", (link,) if other is None else (link, other))


def _no_truth(what: Quantity | Condition) -> ModelError:
    """That what is still to be watched neither holds nor not; Python asks where comparisons are joined or chained."""
    return ModelError(
        f"{what}: it is watched while a motion runs, so that `and`, `or`, `not` and chains (0.4 < x < 0.5) would lose "
        "a part of it: give `when` one comparison at a time, by an event for each, or join them in a Python function "
        "of the simulator, when(lambda sim: ..., ...)"
    )


def _require_quantity(given: Any) -> None:
    """ModelError for what none of the functions above has made."""
    names = given.names if isinstance(given, Quantity) and isinstance(given.names, tuple) else ()
    kind = given.kind if names and isinstance(given.kind, str) else ""
    if not all(isinstance(name, str) for name in names) or len(names) not in NAMES.get(kind, ()):
        raise ModelError(f"condition: expected a quantity such as kg.distance(a, b), got {shown(given)}")
    as_count("condition: entry", given.entry, least=0)


def _touching(manifest: Manifest, names: Sequence[str]) -> tuple[int, int]:
    """Numbers of the links, -1 for the world, -2 for any. ModelError if none of their shapes may touch."""
    known = ["world", *manifest.links]
    for name in names:
        if name not in known:
            raise ModelError(f"contact_force: no link {shown(name)}{near(name, known)}")
    if len(names) == 2 and names[0] == names[1]:
        raise ModelError(
            f"contact_force: both links are {shown(names[0])}, which does not touch itself; give two, or one for all "
            "that touches it"
        )
    if not any(set(names) <= set(pair) for pair in manifest.touching):
        what = f"'{names[0]}' touches nothing" if len(names) == 1 else f"'{names[0]}' and '{names[1]}' never touch"
        raise ModelError(
            f"contact_force: {what} in '{manifest.name}': give them shapes, and contacts where it is compiled"
        )
    first, *second = (known.index(name) - 1 for name in names)
    return first, (second[0] if second else -2)


def _place(known: dict[str, tuple[Array, Array]], name: str) -> Array:
    if name == "world":
        return np.array([-1.0, 0.0, 0.0, 0.0])
    if name not in known:
        raise ModelError(f"condition: no link or frame {name!r}{near(name, known)}")
    return known[name][0]


def _index(names: Sequence[str], name: str, what: str) -> int:
    if name not in names:
        raise ModelError(f"condition: no {what} {name!r}{near(name, names)}")
    return names.index(name)


def _joint_entry(manifest: Manifest, quantity: Quantity) -> tuple[str, int, int]:
    """The kind for C, the place in q or v, and the loop that must be active: of a connection, else -1."""
    name, kind = quantity.names[0], quantity.kind
    tree, loops = ({joint.name: joint for joint in group} for group in (manifest.joints, manifest.loops))
    if name not in tree and name not in loops:
        raise ModelError(f"condition: no joint {shown(name)}{near_joint(manifest, name, [*tree, *loops])}")
    joint = tree.get(name) or loops[name]
    size = joint.nv if kind == "velocity" else joint.nq
    if not 0 <= quantity.entry < size:
        raise ModelError(f"condition: joint '{name}' has {size} entries, not one of number {quantity.entry}")
    start = joint.v_start if kind == "velocity" else joint.q_start
    needed = next((s.loop for s in manifest.switches if s.name == name and not s.active), -1)
    return (kind if name in tree else f"loop_{kind}"), start + quantity.entry, needed
