"""A robot with two feet: their soles, the link between the legs, joints of the legs."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.mechanism.elements.link import Link
from kinegen.codegen.mechanism.geometry.meshes import mesh_solid
from kinegen.codegen.mechanism.geometry.polyhedron import box_polyhedron
from kinegen.codegen.mechanism.geometry.shapes import Shape
from kinegen.runtime.arguments import Array
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import FIXED, FREE
from kinegen.runtime.model.model import Model

from .footsteps import SIDES, Footstep

THICK = 2e-3
"""Corners of a foot within so much [m] of its lowest one belong to the sole."""

ROUND = ("capsule", "cylinder")
"""Shapes of a foot that it cannot stand on; they may be above its sole."""


@dataclass(frozen=True)
class Sole:
    """What a foot stands on: `corners` (n, 2) [m] about its centre, x forward. `link` carries it, its centre at `point`
    (3) [m] and its axes, x forward and z up, as columns of `axes` (3, 3) in the link.
    """

    link: str
    point: Array
    axes: Array
    corners: Array

    def on(self, step: Footstep) -> Array:
        """(n, 3) corners on the floor [m]."""
        flat = np.array([step.x, step.y]) + self.corners @ turned(step.yaw)[:2, :2].T
        return np.hstack([flat, np.zeros((len(flat), 1))])


@dataclass(frozen=True)
class Biped:
    """`soles` of the left and the right foot; `trunk`: the link where the legs part; `root`: the free joint; `still`:
    the joints that belong to no leg.
    """

    soles: tuple[Sole, Sole]
    trunk: str
    root: str
    still: tuple[str, ...]


def biped(model: Model, mechanism: Mechanism, feet: Sequence[str]) -> Biped:
    """Of a mechanism that stands upright, looking along x, where its joints are at their start (model.q0).

    `feet`: links of the left and the right foot. Their shapes' lowest corners, of spheres their lowest points, are the
    soles. ModelError for a foot without shapes or corners, where the legs do not hang on what moves freely, where the
    mechanism has closed loops, where it holds what moves or has mass beside the robot, and where the left foot stands
    to the right of the other.
    """
    if isinstance(feet, Set) or len(feet) != 2 or feet[0] == feet[1]:
        raise ModelError(f"feet: expected the links of the left and the right foot, in this order, got {shown(feet)}")
    links = [mechanism.link(foot) for foot in feet]
    bodies = mechanism.tree.bodies
    paths = [_path(mechanism, foot) for foot in feet]
    common = [i for i in paths[0] if i in paths[1]]
    if not common or bodies[common[-1]].joint.kind != FREE.name:
        raise ModelError(
            f"feet: '{feet[0]}' and '{feet[1]}' do not belong to one robot that moves freely: load it with root='free'"
        )
    _require_alone(mechanism, common[-1])
    _require_open(model)
    moved = {*paths[0], *paths[1]} - {*common[:-1]}
    still = tuple(body.joint.name for body in bodies if body.nv and body.index not in moved)
    left, right = (_sole(model, link, side) for link, side in zip(links, SIDES, strict=True))
    places = [model.frame_pose(model.q0, sole.link) @ np.array([*sole.point, 1.0]) for sole in (left, right)]
    if places[0][1] <= places[1][1]:
        raise ModelError(
            f"feet: '{feet[0]}' stands to the right of '{feet[1]}' where the robot looks along x: "
            "name the left foot first"
        )
    return Biped((left, right), bodies[common[0]].link.name, bodies[common[-1]].joint.name, still)


def require_room(robot: Biped, steps: Sequence[Footstep]) -> None:
    """ModelError for a step that lands across the other foot, or in it."""
    stand: dict[int, Footstep] = {}
    for number, step in enumerate(steps, -1):
        stand[step.side] = step
        if len(stand) < 2:
            continue
        where = f"step {number}" if number > 0 else "at the start"
        left, right = stand[0], stand[1]
        across = turned(left.yaw)[:2, 1] + turned(right.yaw)[:2, 1]  # to the left of both, by whole turns or not
        if across @ np.array([left.x - right.x, left.y - right.y]) <= 0.0:
            raise ModelError(f"steps: {where}: the left foot would stand to the right of the other: legs would cross")
        if _overlap(*(robot.soles[foot.side].on(foot)[:, :2] for foot in (left, right))):
            raise ModelError(f"steps: {where}: the feet would stand in each other; put them further apart (width)")


def _overlap(a: Array, b: Array) -> bool:
    """Whether the convex hulls of points (n, 2), (m, 2) overlap: no line along two corners of one has them apart."""
    ways = np.vstack([(corners[:, None] - corners[None]).reshape(-1, 2) for corners in (a, b)])
    across = ways[np.abs(ways).max(axis=1) > 0.0] @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    return not ((a @ across.T).max(axis=0) <= (b @ across.T).min(axis=0)).any()


def turned(yaw: float) -> Array:
    """(3, 3) rotation about the vertical."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _path(mechanism: Mechanism, link: str) -> list[int]:
    """Bodies from the link to the root."""
    bodies = mechanism.tree.bodies
    path = [body.index for body in bodies if body.link.name == link]
    while path and bodies[path[-1]].parent >= 0:
        path.append(bodies[path[-1]].parent)
    return path


def _require_alone(mechanism: Mechanism, root: int) -> None:
    """ModelError for what moves or has mass beside the robot, or is free on it: the pattern takes the whole model."""
    for body in mechanism.tree.bodies:
        name, joint = body.link.name, body.joint
        beside = root not in _path(mechanism, name) and (joint.kind != FIXED.name or body.link.mass != 0)
        if beside or (joint.kind == FREE.name and body.index != root):
            raise ModelError(
                f"mechanism: link '{name}' (joint '{joint.name}') is not part of the robot, but its mass would count "
                "as the robot's: plan the walk with the robot alone; pattern.start(model) and pattern.torques(model) "
                "serve models with more joints"
            )


def _require_open(model: Model) -> None:
    """ModelError for closed loops: their joints can neither all be held nor all be driven."""
    values = model.parameter_values()
    apart = {switch.loop for switch in model.manifest.switches if not values[switch.flag]}
    if closed := [joint.name for i, joint in enumerate(model.manifest.loops) if i not in apart]:
        raise ModelError(
            f"mechanism: joint '{closed[0]}' closes a loop; walking patterns are of robots without closed loops: leave "
            "out the cranks and rods that drive a joint, and drive the joint itself"
        )


def _sole(model: Model, foot: Link, side: str) -> Sole:
    """The lowest corners where the robot stands at its start."""
    if not foot.shapes:
        raise ModelError(
            f"the {side} foot, link '{foot.name}', has no shape to stand on: give it one, such as "
            "shapes=[kg.box((0.2, 0.12, 0.04), pose=kg.Pose((0, 0, -0.09)))]"
        )
    rotation = model.frame_pose(model.q0, foot.name)[:3, :3]
    down = -rotation[2]
    rounded = [shape for shape in foot.shapes if shape.kind in ROUND]
    found = [_corners(shape, down, foot.name) for shape in foot.shapes if shape.kind not in ROUND]
    corners = np.vstack([np.zeros((0, 3)), *found]) @ rotation.T
    low = corners[:, 2].min(initial=np.inf)
    for shape in rounded:
        if -down @ _lowest(shape, down) < low + THICK:
            raise _cornerless(shape, foot.name)
    flat = corners[corners[:, 2] < low + THICK][:, :2]
    centre = 0.5 * (flat.min(axis=0) + flat.max(axis=0))
    if not (np.ptp(flat, axis=0) > THICK).all():
        raise ModelError(f"the {side} foot, link '{foot.name}', has no flat sole: its lowest corners are on a line")
    return Sole(foot.name, rotation.T @ np.array([*centre, low]), rotation.T, flat - centre)


def _corners(shape: Shape, down: Array, link: str) -> Array:
    """(n, 3) corners of a shape, in its link; of a sphere the lowest point, `down` (3) in the link."""
    if shape.kind == "box":
        corners = np.array(box_polyhedron(shape.size).vertices)
    elif shape.kind == "convex":
        corners = np.array(shape.vertices)
    elif shape.kind == "mesh":
        corners = np.array(mesh_solid(shape).vertices)
    elif shape.kind == "sphere":
        return _lowest(shape, down)[None]
    else:
        raise _cornerless(shape, link)
    return np.asarray(corners @ np.array(shape.pose.rotation, dtype=float).T + np.array(shape.pose.xyz, dtype=float))


def _lowest(shape: Shape, down: Array) -> Array:
    """(3) the point of a sphere, a capsule or a cylinder that is furthest `down` (3), in the link."""
    turn, place = np.array(shape.pose.rotation, dtype=float), np.array(shape.pose.xyz, dtype=float)
    radius, length = (*shape.size, 0.0)[:2]
    own = down @ turn
    end = np.array([0.0, 0.0, math.copysign(0.5 * length, own[2])])
    if shape.kind == "cylinder":
        own = own * [1.0, 1.0, 0.0] / max(float(np.hypot(*own[:2])), 1e-12)
    return np.asarray(place + turn @ (end + radius * own))


def _cornerless(shape: Shape, link: str) -> ModelError:
    return ModelError(f"foot '{link}': a {shape.kind} has no corners to stand on; give the foot a box or spheres")
