"""Rigid bodies that fly by themselves: their spin is stepped by the implicit midpoint rule (mathematics §10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kinegen.runtime.kinds import KINDS

from ...mechanism.mechanism import Mechanism
from ...mechanism.structure.rigid import rigid_inertia
from ...mechanism.structure.tree import Body
from ...mechanism.types import Number, Vector
from ..passive import is_passive


@dataclass(frozen=True)
class Spin:
    """A link on a free joint from the world: its mass, (3) mass centre, and inertia about that as xx xy xz yy yz
    zz, along the axes of the joint's frame on the body."""

    body: Body
    mass: Number
    centre: Vector
    inertia: tuple[Number, ...]


def spins_of(mechanism: Mechanism, locked: bool) -> tuple[Spin, ...]:
    """Single links on free joints from the world that nothing but contact and joint torques acts on.

    None where the mechanism has loops, closed by the closure or (`locked`) by rows: which body they hold on to may
    change while it moves. What floats with joints, also rigid ones, is left to the step as it is.
    """
    return () if locked or mechanism.virtual_links else tuple(_spins(mechanism))


def _spins(mechanism: Mechanism) -> Iterator[Spin]:
    carrying = {body.parent for body in mechanism.tree.bodies}
    for body in mechanism.tree.bodies:
        joint = body.joint
        if body.parent >= 0 or body.index in carrying or KINDS[joint.kind].group != "se3":
            continue
        if is_passive(joint) or any(armature != 0 for armature in joint.armature):
            continue
        mass, centre, inertia = rigid_inertia([(body.link, joint.child_origin.inverse())])
        yield Spin(body, mass, centre, tuple(inertia[i][j] for i in range(3) for j in range(i, 3)))
