"""Small scenes for contact: free bodies on a half space that may lean."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import cmeel
import numpy as np
import sympy

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose, load, merge_fixed
from kinegen.codegen.mechanism.geometry import shapes
from kinegen.codegen.mechanism.geometry.polyhedron import hull
from kinegen.runtime import Model

GRAVITY = 9.81
DOWN = ("down_x", "down_y", "down_z")
ROBOTS = Path(next(iter(cmeel.__path__))).parent / "cmeel.prefix/share/example-robot-data/robots"
FEET = ("leg_left_6_link", "leg_right_6_link")


def solid(name: str, shape: shapes.Shape, mass: float = 1.0) -> Link:
    """A homogeneous body of one shape, its frame at the centre, or where the points of a hull have it."""
    size = shape.size
    if shape.kind == "convex":
        whole = hull(shape.vertices, shape.most)
        return Link(name, mass, whole.center, whole.inertia(mass), shapes=[shape])
    if shape.kind == "sphere":
        moments = (0.4 * size[0] ** 2,) * 3
    elif shape.kind == "box":
        x, y, z = (s * s for s in size)
        moments = ((y + z) / 12, (x + z) / 12, (x + y) / 12)
    else:
        across = size[0] ** 2 / 4 + size[1] ** 2 / 12
        moments = (across, across, size[0] ** 2 / 2)
    a, b, c = (mass * m for m in moments)
    return Link(name, mass, (0, 0, 0), (a, 0, 0, b, 0, c), shapes=[shape])


def loose(name: str, bodies: list[Link], ground: list[shapes.Shape], gravity: Any = (0.0, 0.0, -GRAVITY)) -> Mechanism:
    joints = [Joint(f"{link.name}_free", "free", "world", link.name) for link in bodies]
    return Mechanism(name, bodies, joints, gravity=gravity, shapes=ground)


def scene(name: str, bodies: list[Link], ground: list[shapes.Shape], gravity: Any = (0.0, 0.0, -GRAVITY)) -> Model:
    return kg.compile(loose(name, bodies, ground, gravity))


@cache
def leaning(shape: shapes.Shape, friction: float) -> Model:
    """A body on the plane z = 0, gravity open: one model for slopes of any angle."""
    return scene("slope", [solid("b", shape)], [shapes.plane(friction=friction)], sympy.symbols(" ".join(DOWN)))


def slope(shape: shapes.Shape, angle: float, heading: float = 0.0, friction: float = 0.5) -> Model:
    """A body on the plane z = 0 under gravity that leans by `angle` towards `heading`: the plane is the slope."""
    down = np.array([np.sin(angle) * np.cos(heading), np.sin(angle) * np.sin(heading), -np.cos(angle)]) * GRAVITY
    return leaning(shape, friction).with_parameters(dict(zip(DOWN, down.tolist(), strict=True)))


def at(*poses: Any) -> np.ndarray:
    """q of free bodies from their positions, upright, or from (position, quaternion)."""
    return np.concatenate([[*p, 0, 0, 0, 1.0] if len(p) == 3 else p for p in map(np.asarray, poses)])


def standing_talos() -> Mechanism:
    """Springs and dampers hold the legs, whose feet are boxes; trunk, arms and head are stiff."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = load(ROBOTS / "talos_data/robots/talos_reduced.urdf", root="free")
    sole = shapes.box((0.2, 0.12, 0.04), pose=Pose((0, 0, -0.087)), friction=0.8)
    links = [
        Link(link.name, link.mass, link.com, link.inertia, shapes=[sole] if link.name in FEET else [])
        for link in robot.links
    ]
    held = {"stiffness": (5000.0,), "damping": (150.0,), "rest": (0.0,), "friction": (0.0,), "armature": (0.1,)}
    joints = [
        replace(joint, limits=None, **held)
        if joint.name.startswith("leg")
        else joint
        if joint.kind == "free"
        else Joint(joint.name, "fixed", joint.parent, joint.child, joint.origin, joint.child_origin)
        for joint in robot.joints
    ]
    ground = [shapes.plane(friction=0.8)]
    return merge_fixed(Mechanism("talos", links, joints, shapes=ground, unphysical="allow"))


def upright(model: Model) -> np.ndarray:
    """q of the standing robot, its soles on the ground."""
    q = model.neutral()
    q[2] = 0.107 - model.link_poses(q)[model.link_names.index(FEET[0]), 2, 3]
    return q


def dropped(restitution: float) -> list[Model]:
    """A box, a rod and a disc, each over a floor."""
    things = [
        solid("box", shapes.box((0.2, 0.3, 0.1), restitution=restitution, friction=0.7)),
        solid("rod", shapes.capsule(0.04, 0.4, restitution=restitution, friction=0.9)),
        solid("disc", shapes.cylinder(0.15, 0.1, restitution=restitution, friction=0.3)),
    ]
    return [scene(f"drop_{thing.name}", [thing], [shapes.plane(friction=0.8)]) for thing in things]


__all__ = ["FEET", "GRAVITY", "Pose", "at", "dropped", "scene", "shapes", "slope", "solid", "standing_talos", "upright"]
