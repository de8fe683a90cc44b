"""A small mechanism that makes use of every field of the description."""

from __future__ import annotations

import sympy

from kinegen.codegen.mechanism import Frame, Joint, Link, Mechanism, Pose
from kinegen.codegen.mechanism.geometry import shapes

length, mass = sympy.Symbol("length", positive=True), sympy.Symbol("mass", real=True)


def everything() -> Mechanism:
    """Open numbers, shapes of many kinds, a mesh that is not there, a loop, a frame."""
    ball = shapes.sphere(0.1, pose=Pose((0.0, 0.0, 0.1)), friction=0.3)
    hills = shapes.height_field([[0.0, 0.1], [0.2, 0.3]], (1.0, 2.0))
    block = shapes.convex([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    links = [
        Link("a", 1.0, (0.1, 0.2, 0.3), (1, 0, 0, 1, 0, 1), [ball, block]),
        Link("b", mass, (0, 0, length / 2), (mass * length**2, 0, 0, 1, 0, 1), [shapes.mesh("foot.stl", hull=True)]),
        Link("c", 1.0, inertia=(1, 0, 0, 1, 0, 1)),
    ]
    joints = [
        Joint("j", "revolute", "world", "a", axis=(0, 1, 0), limits=(-1, 1), damping=0.1, friction=0.2, armature=0.01),
        Joint("k", "revolute", "a", "b", Pose((0, 0, length), (0, 0.1, 0)), velocity_limit=3.0, effort_limit=4.0),
        Joint("m", "universal", "b", "c", stiffness=(1.0, 2.0), rest=(0.1, 0.2)),
        Joint("n", "helical", "c", "a", pitch=0.1, cut=True, child_origin=Pose((0.3, 0.0, 0.0))),
    ]
    tool = Frame("tool", "c", Pose((0, 0, 1)))
    return Mechanism("every", links, joints, frames=[tool], shapes=[hills], excluded=[("a", "c")])
