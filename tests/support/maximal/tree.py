"""A mechanism without loops, at any configuration, as an assembly of doubles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose

from .assembly import WORLD, Assembly, Body, Hold
from .equations import Placement
from .exact import inverse, rounded

Array = NDArray[np.float64]


def assembly_of(mechanism: Mechanism, q: Array) -> Assembly:
    """Links placed one on the other from world at q (nq)."""
    poses, holds = {WORLD: np.eye(4)}, list[Hold]()
    for body in mechanism.tree.bodies:  # parents first
        joint = mechanism.joint(body.joint.name)
        values = q[body.q_start : body.q_start + (1 if joint.mimic else body.nq)]
        hold = _hold(joint, poses[joint.parent], _own(body.joint, values))
        poses[joint.child] = hold.far_side() @ inverse(_matrix(joint.child_origin))
        holds.append(hold)
    bodies = tuple(_body(link, poses[link.name]) for link in mechanism.links)
    x, y, z = (float(g) for g in mechanism.gravity)
    return Assembly(mechanism.name, bodies, tuple(holds), (x, y, z))


def velocity(at: Placement, N: Array, rates: Mapping[str, Array]) -> Array:
    """(size) the velocities w = N x with these rates of joints, which decide them."""
    rows = np.vstack([N[at.frames.part(name)] for name in rates])
    return N @ np.linalg.lstsq(rows, np.concatenate(list(rates.values())), rcond=None)[0]


def _own(resolved: Joint, values: Array) -> Array:
    """Coordinates of the joint itself: one that follows has k q + c of its leader."""
    mimic = resolved.mimic
    return values * float(mimic.multiplier) + float(mimic.offset) if mimic else values


def _hold(joint: Joint, parent: Array, q: Array) -> Hold:
    several = joint.axes or (joint.axis, joint.axis2)
    return Hold(
        joint.name,
        joint.kind,
        joint.parent,
        joint.child,
        parent @ _matrix(joint.origin),
        q,
        tuple(rounded(axis) for axis in several),
        float(joint.pitch),
        armature=_numbers(joint.armature),
        mimic=(joint.mimic.joint, float(joint.mimic.multiplier)) if joint.mimic else None,
    )


def _body(link: Link, pose: Array) -> Body:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = rounded(link.inertia).tolist()
    com = rounded(link.com)
    return Body(link.name, pose, float(link.mass), (com[0], com[1], com[2]), (xx, xy, xz, yy, yz, zz))


def _numbers(values: tuple[Any, ...]) -> tuple[float, ...]:
    return tuple(float(x) for x in values)


def _matrix(pose: Pose) -> Array:
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = rounded(pose.rotation), rounded(pose.xyz)
    return result
