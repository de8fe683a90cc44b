"""Where everything is in the configuration that the report draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import sympy

from ..analysis.loops.partition import closed_configurations
from ..inspection.forms.split import samples
from ..mechanism.elements.joint import Joint
from ..mechanism.elements.parameter import default_of
from ..mechanism.mechanism import Mechanism
from ..mechanism.pose import Pose
from ..mechanism.types import NEUTRAL, WORLD, Number
from ..program.evaluate import numeric
from ..symbolic.functions import derive

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class JointPlace:
    """World position of a joint on its parent and on its child, and its axis (3) in world."""

    joint: Joint
    cut: bool
    on_parent: Array
    on_child: Array
    axis: Array


@dataclass(frozen=True)
class Geometry:
    """World poses (4, 4) and centres of mass (3) by link, the places of all joints; `up` (3) against gravity.

    `values` stand for open parameters; `told` says which configuration this is.
    """

    poses: Mapping[str, Array]
    centers: Mapping[str, Array]
    masses: Mapping[str, float]
    joints: tuple[JointPlace, ...]
    up: Array
    told: str


def geometry(mechanism: Mechanism, q: Sequence[float] | Array | None = None) -> Geometry:
    """In configuration q (nq), else the neutral one or a closed one near it.

    ModelError if a loop cannot be closed.
    """
    values, at_rest, told = _configuration(mechanism)
    if q is not None:
        at_rest, told = np.asarray(q, dtype=np.float64), "the given configuration"
    at = dict(zip(mechanism.parameters, values, strict=True))
    if at:
        told += "; " + ", ".join(f"{symbol.name} = {value:.3g}" for symbol, value in at.items())
    found = numeric(derive(mechanism, "link_poses"))({"q": at_rest.tolist(), "p": list(values)})["poses"]
    poses = {WORLD: np.eye(4)} | {b.link.name: found[b.index] for b in mechanism.tree.bodies}
    links = {link.name: link for link in mechanism.links}
    centers = {name: _point(poses[name], _numbers(link.com, at)) for name, link in links.items() if name in poses}
    masses = {name: float(_numbers((link.mass,), at)[0]) for name, link in links.items() if name in poses}
    joints = [(body.joint, body.link.name, False) for body in mechanism.tree.bodies]
    joints += [(virtual.joint, virtual.real, True) for virtual in mechanism.virtual_links]
    places = tuple(_place(joint, child, cut, poses, at) for joint, child, cut in joints)
    return Geometry(poses, centers, masses, places, _up(mechanism, at), told)


def _configuration(mechanism: Mechanism) -> tuple[tuple[float, ...], Array, str]:
    """(values of open parameters, q, what it is called)."""
    if mechanism.virtual_links:
        values = samples(mechanism).values
        return values, next(closed_configurations(mechanism, values)), "a closed configuration near the neutral one"
    sizes = [-1.0 if symbol.is_negative else 1.0 for symbol in mechanism.parameters]
    own = [default_of(symbol) for symbol in mechanism.parameters]
    values = tuple(size if value is None else value for size, value in zip(sizes, own, strict=True))
    neutral = [NEUTRAL[body.joint.kind] for body in mechanism.tree.bodies if body.nv]
    return values, np.concatenate([np.zeros(0), *neutral]), "the neutral configuration"


def _place(
    joint: Joint, child: str, cut: bool, poses: Mapping[str, Array], at: Mapping[sympy.Symbol, float]
) -> JointPlace:
    parent = poses[joint.parent] @ _matrix(joint.origin, at)
    end = poses[child] @ _matrix(joint.child_origin, at)
    axis = parent[:3, :3] @ _numbers((joint.directions or (joint.axis,))[0], at)
    return JointPlace(joint, cut, parent[:3, 3], end[:3, 3], axis)


def _matrix(pose: Pose, at: Mapping[sympy.Symbol, float]) -> Array:
    result = np.eye(4)
    result[:3, :3] = [_numbers(row, at) for row in pose.rotation]
    result[:3, 3] = _numbers(pose.xyz, at)
    return result


def _numbers(values: tuple[Number, ...], at: Mapping[sympy.Symbol, float]) -> Array:
    return np.array([float(sympy.sympify(value).subs(at)) for value in values])


def _point(pose: Array, at: Array) -> Array:
    return np.asarray(pose[:3, :3] @ at + pose[:3, 3])


def _up(mechanism: Mechanism, at: Mapping[sympy.Symbol, float]) -> Array:
    down = _numbers(mechanism.gravity, at)
    size = float(np.linalg.norm(down))
    return np.asarray(-down / size) if size > 0 else np.array([0.0, 0.0, 1.0])
