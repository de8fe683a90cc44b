"""Rows beside contacts as tables of the C: connections of some axes, loops, dry friction of joints (§11)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import FIXED, KINDS

from ..mechanism import checks
from ..mechanism.elements.joint import Joint
from ..mechanism.elements.rows import RowRules, Rows
from ..mechanism.mechanism import Mechanism
from ..mechanism.pose import Pose
from ..mechanism.types import WORLD, Vector
from ..symbolic.loops.closure import end_axes

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Lock:
    """One block of rows between two links: `count` directions, the first columns of `R`.

    `turns` 0: the child's frame stays along them; 3: it does not turn; 2: z of both frames stay parallel; 1: the angle
    of the z axes stays, whose cosine is `slant`, and the row is across both. `R`, `p`: the frame in the parent, `S`,
    `s`: in the child.
    """

    name: str
    parent: str
    child: str
    turns: int
    count: int
    R: Matrix
    p: Vector
    S: Matrix
    s: Vector
    slant: float = 0.0


@dataclass(frozen=True)
class Stiction:
    """Dry friction of one entry of v, as a bound of a row's force."""

    joint: str
    dof: int
    force: float


@dataclass(frozen=True)
class Held:
    """What the rows hold in a step; empty without rows."""

    locks: tuple[Lock, ...] = ()
    stictions: tuple[Stiction, ...] = ()

    def __len__(self) -> int:
        return len(self.locks) + len(self.stictions)

    def holds(self, a: str, b: str) -> bool:
        """A lock holds the two links together."""
        return any({lock.parent, lock.child} == {a, b} for lock in self.locks)

    @property
    def links(self) -> tuple[str, ...]:
        """Links that locks hold, the world left out."""
        return tuple(name for lock in self.locks for name in (lock.parent, lock.child) if name != WORLD)


NOTHING_HELD = Held()


def with_rows(mechanism: Mechanism, rules: RowRules) -> tuple[Mechanism, Held]:
    """The mechanism without what rows hold instead, and what they hold.

    ModelError for an unknown link, two that fixed joints hold together, loops that rows cannot hold, dry friction of a
    joint that closes one, a name that is a joint's too.
    """
    _check_names(mechanism, rules)
    loops = [virtual.joint for virtual in mechanism.virtual_links] if rules.loops else []
    if rules.friction and not rules.loops:
        _check_frictionless(mechanism)
    _check_apart(mechanism, (*loops, *rules.between))
    stictions = [
        Stiction(body.joint.name, body.v_start + i, _force(body.joint, i))
        for body in mechanism.tree.bodies
        for i in range(body.nv if rules.friction else 0)
        if body.joint.friction[i] != 0
    ]
    locks = [lock for joint in loops for lock in _of_loop(joint)] + [lock for row in rules.between for lock in _of(row)]
    left = [joint for joint in mechanism.joints if all(joint.name != loop.name for loop in loops)]
    if rules.friction:
        left = [replace(joint, friction=(0.0,) * joint.nv) if any(joint.friction) else joint for joint in left]
    changed = bool(loops or stictions)
    return replace(mechanism, joints=tuple(left)) if changed else mechanism, Held(tuple(locks), tuple(stictions))


def _force(joint: Joint, i: int) -> float:
    force = joint.friction[i]
    if not isinstance(force, (int, float)):
        raise ModelError(f"joint '{joint.name}': its friction is open ({force}); rows need a number")
    return float(force)


def _check_frictionless(mechanism: Mechanism) -> None:
    """No joint that closes a loop has dry friction, which no row would hold."""
    for joint in (virtual.joint for virtual in mechanism.virtual_links):
        if any(force != 0 for force in joint.friction):
            raise ModelError(
                f"joint '{joint.name}': it closes a loop, and friction=True makes joints of the tree alone stick; "
                "leave friction=False, or, if this is no library, cut another joint and give loops=True"
            )


def _check_names(mechanism: Mechanism, rules: RowRules) -> None:
    known = [WORLD, *(link.name for link in mechanism.links)]
    joints = {joint.name for joint in mechanism.joints}
    for rows in rules.between:
        if rows.name in joints:
            raise ModelError(f"rows '{rows.name}': mechanism '{mechanism.name}' has a joint of that name")
        for end in (rows.parent, rows.child):
            if end not in known:
                raise ModelError(
                    f"rows '{rows.name}': mechanism '{mechanism.name}' has no link {end!r}{checks.nearest(end, known)}"
                )


def _check_apart(mechanism: Mechanism, held: Iterable[Joint | Rows]) -> None:
    """No ends are of one body: what is off between them would stay so whatever the forces."""
    if mechanism.tree.nv == 0:  # there is nothing to hold: told elsewhere
        return
    body = {WORLD: WORLD}
    for part in mechanism.tree.bodies:
        rigid = part.joint.kind == FIXED.name
        body[part.link.name] = body[part.joint.parent] if rigid else part.link.name
    for ends in held:
        if body[ends.parent] == body[ends.child]:
            what = f"loop joint '{ends.name}'" if isinstance(ends, Joint) else f"rows '{ends.name}'"
            raise ModelError(
                f"{what}: '{ends.parent}' and '{ends.child}' are one body, which fixed joints hold together; remove it"
            )


def _of(rows: Rows) -> Iterator[Lock]:
    ends = rows.name, rows.parent, rows.child
    R, p, S, s = _frames(rows.origin, rows.child_origin)
    if rows.axes:
        order = _columns(rows.axes)
        yield Lock(*ends, 0, len(rows.axes), R[:, order], p, S, s)
    if len(rows.turns) == 1:  # z of either frame becomes one of the two axes that a universal joint turns about
        k = "xyz".index(rows.turns)
        yield Lock(*ends, 1, 1, _to_z(R, (k + 1) % 3), p, _to_z(S, (k + 2) % 3), s)
    elif rows.turns:
        order = _columns(rows.turns)
        yield Lock(*ends, len(rows.turns), len(rows.turns), R[:, order], p, S[:, order], s)


def _columns(letters: str) -> list[int]:
    """Columns of the letters first, then the others, so that the frame stays right-handed up to a sign of its last."""
    first = ["xyz".index(letter) for letter in letters]
    return [*first, *(k for k in range(3) if k not in first)]


def _to_z(R: Matrix, axis: int) -> Matrix:
    return R[:, [(axis + 1) % 3, (axis + 2) % 3, axis]]


def _of_loop(joint: Joint) -> Iterator[Lock]:
    what = f"loop joint '{joint.name}'"
    kind = KINDS[joint.kind]
    if kind.screws:
        tied = f"rows cannot lock a {joint.kind} joint, which ties a slide to a turn"
        raise ModelError(f"{what}: {tied}; leave loops=False")
    if joint.wheel:
        raise ModelError(f"{what}: rows cannot roll; leave loops=False")
    if any(joint.damping) or any(joint.stiffness) or any(joint.friction):
        raise ModelError(f"{what}: it has springs, dampers or friction, which rows leave out; cut another joint")
    if any(math.isfinite(x) for x in (*joint.lower, *joint.upper)):
        raise ModelError(f"{what}: it has limits, which rows leave out; cut another joint")
    if joint.free_symbols:
        raise ModelError(f"{what}: its poses have open symbols; rows need numbers")
    ends = joint.name, joint.parent, joint.child
    R, p, S, s = _frames(joint.origin, joint.child_origin)
    slant = 0.0
    first, second = end_axes(joint)
    if first and second:
        R, S = R @ _onto(first), S @ _onto(second)
        slant = math.fsum(float(a) * float(b) for a, b in zip(first, second, strict=True))
    along = [k for k in kind.locked if k < 3]
    if along:
        order = [*along, *(k for k in range(3) if k not in along)]
        yield Lock(*ends, 0, len(along), R[:, order], p, S, s)
    turns = len(kind.locked) - len(along)
    if turns:
        yield Lock(*ends, turns, turns, R, p, S, s, slant if turns == 1 else 0.0)


def _frames(origin: Pose, child_origin: Pose) -> tuple[Matrix, Vector, Matrix, Vector]:
    R, S = (np.array(pose.rotation, dtype=float) for pose in (origin, child_origin))
    return R, origin.xyz, S, child_origin.xyz


def _onto(axis: Vector) -> Matrix:
    """A rotation that takes z to the axis."""
    z = np.array(axis, dtype=float)
    z /= np.linalg.norm(z)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
