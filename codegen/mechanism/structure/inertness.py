"""Joints that move nothing with inertia: with one of them the mass matrix is singular in every configuration."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import BALL, FLIGHT, KINDS, PLANE, SCREW, SLIDE, TURN, Motion, Z
from kinegen.runtime.rotations import skew

from .. import checks
from ..algebra import cells
from ..elements.joint import Joint
from ..elements.link import Link
from ..pose import COINCIDENT, Pose
from .rigid import rigid_inertia
from .tree import Body, SpanningTree

SINGULAR = 1e-12  # smallest eigenvalue of the inertia along the joint's motions, scaled to ones on its diagonal

Array = NDArray[np.float64]


def check_dynamics(tree: SpanningTree) -> None:
    """ModelError names the first joint that has nothing with inertia to move (see `inert`)."""
    for body in inert(tree):
        joint, link = body.joint, body.link
        if link.massless:
            raise ModelError(
                f"joint '{joint.name}' ({joint.kind}) moves nothing that has inertia along its motion, "
                f"so the mass matrix is singular; give '{link.name}' mass and inertia, or the joint an armature"
            )
        raise ModelError(
            f"joint '{joint.name}' ({joint.kind}) turns '{link.name}' about an axis about which it has no inertia, "
            "so the mass matrix is singular; give it some, as a rod has about itself, or the joint an armature"
        )


def inert(tree: SpanningTree) -> Iterator[Body]:
    """Bodies whose joint has nothing with inertia to move.

    No link beyond further joints has any, and what is rigidly held has none along one of the joint's motions (armature
    counts). Symbols are taken as inertia.
    """
    below: dict[int, list[Body]] = {}
    for body in tree.bodies:
        below.setdefault(body.parent, []).append(body)
    heavy = {body.index: any(not b.link.massless for b in _subtree(body, below)) for body in tree.bodies}
    for body in tree.bodies:
        if body.nv == 0:
            continue
        held, beyond = _held(body, below)
        followers = (b for b in tree.bodies if b.joint.mimic and b.joint.mimic.joint == body.joint.name)
        if any(heavy[b.index] for b in (*beyond, *followers)):
            continue
        if _singular(body.joint, held):
            yield body


def _subtree(body: Body, below: dict[int, list[Body]]) -> list[Body]:
    found = [body]
    for member in found:  # grows while it runs
        found.extend(below.get(member.index, ()))
    return found


def _held(body: Body, below: dict[int, list[Body]]) -> tuple[list[tuple[Link, Pose]], list[Body]]:
    """Links held rigidly to the body (itself too) with their poses in it, and the bodies on the next moving joints."""
    held, beyond = [(body.link, COINCIDENT)], []
    queue = [(body, COINCIDENT)]
    for above, pose in queue:  # grows while it runs
        for child in below.get(above.index, ()):
            if KINDS[child.joint.kind].rigid:
                place = pose * child.joint.origin * child.joint.child_origin.inverse()
                held.append((child.link, place))
                queue.append((child, place))
            else:
                beyond.append(child)
    return held, beyond


def _singular(joint: Joint, held: list[tuple[Link, Pose]]) -> bool:
    """True if SᵀIS + armature is not positive definite (S motions, I inertia in the joint frame)."""
    to_joint = joint.child_origin.inverse()
    mass, com, inertia = rigid_inertia((link, to_joint * pose) for link, pose in held)
    motions = _motions(joint)
    numbers = checks.constants((mass, *com, *cells(inertia)))
    if numbers is None or motions is None:
        return False
    m, c, about_com = numbers[0], skew(np.array(numbers[1:4])), np.array(numbers[4:]).reshape(3, 3)
    spatial = np.block([[m * np.eye(3), -m * c], [m * c, about_com - m * c @ c]])
    armature = [a if isinstance(a, float) else 1.0 for a in joint.armature]
    along = motions.T @ spatial @ motions + np.diag(armature)
    scale = np.sqrt(np.diag(along).clip(min=0.0))
    if (scale == 0.0).any():
        return True
    return bool(np.linalg.eigvalsh(along / np.outer(scale, scale)).min() < SINGULAR)


def _motions(joint: Joint) -> Array | None:
    """(6, nv) columns [linear; angular] in the joint frame at q = 0; None if they hold symbols."""
    kind = KINDS[joint.kind]
    numbers = checks.constants((*(x for axis in joint.directions for x in axis), joint.pitch))
    if numbers is None:
        return None
    axes, pitch = np.array(numbers[:-1]).reshape(-1, 3), numbers[-1]
    return np.hstack([_columns(step.motion, axes[step.axis] if len(axes) else Z, pitch) for step in kind.steps])


def _columns(motion: Motion, axis: ArrayLike, pitch: float) -> Array:
    """(6, nv) of one elementary motion."""
    along: Array = np.r_[axis, np.zeros(3)][:, None]
    about: Array = np.r_[np.zeros(3), axis][:, None]
    if motion == SCREW:
        return about + pitch * along
    if motion in (TURN, SLIDE):
        return about if motion == TURN else along
    return np.eye(6)[:, {PLANE: [0, 1, 5], BALL: [3, 4, 5], FLIGHT: list(range(6))}[motion]]
