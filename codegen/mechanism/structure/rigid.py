"""Several links as one rigid body."""

from __future__ import annotations

from collections.abc import Iterable

from ..algebra import add, apply, congruence, madd, negate, scale, steiner, total
from ..elements.link import Link
from ..pose import Pose
from ..types import ZERO, Matrix, Number, Vector


def rigid_inertia(parts: Iterable[tuple[Link, Pose]]) -> tuple[Number, Vector, Matrix]:
    """Links at poses in one frame -> mass, (3) mass centre and (3, 3) inertia about it of the whole, in that frame."""
    placed = [(link, add(pose.xyz, apply(pose.rotation, link.com)), pose.rotation) for link, pose in parts]
    mass = total(link.mass for link, _, _ in placed)
    moment = ZERO
    for link, centre, _ in placed:
        moment = add(moment, scale(link.mass, centre))
    com: Vector = ZERO if mass == 0 else (moment[0] / mass, moment[1] / mass, moment[2] / mass)
    inertia: Matrix = (ZERO, ZERO, ZERO)
    for link, centre, rotation in placed:
        shifted = steiner(link.mass, add(centre, negate(com)))
        inertia = madd(inertia, madd(congruence(rotation, link.inertia), shifted))
    return mass, com, inertia
