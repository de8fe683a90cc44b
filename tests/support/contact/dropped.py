"""A ball that hangs on another, falls when it is let go, and can be caught."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import kinegen as kg
from kinegen.codegen.mechanism.structure.topology import topologies


def ball(name, mass=1.0):
    return kg.Link(name, mass, inertia=kg.inertia.sphere(mass, 0.1))


@cache
def drop():
    """Two balls that fall, a pendulum, a rope to the ceiling."""
    links = [ball("a", 2.0), ball("b"), kg.Link("rod", 1.0, (0, 0, -0.5), kg.inertia.box(1.0, (0.1, 0.1, 1.0)))]
    joints = [
        kg.Joint("a_free", "free", "world", "a"),
        kg.Joint("b_free", "free", "world", "b"),
        kg.Joint("pivot", "revolute", "world", "rod", axis=(0, 1, 0)),
    ]
    connections = [
        kg.Connection("weld", "a", "b", kg.fixed()),
        kg.Connection("rope", "a", "world", kg.spherical()),
        kg.Connection("hook", "a", "b", kg.spherical(), pose_b=kg.Pose((0, 0, 1.0))),
    ]
    return kg.TopologyLibrary(kg.Mechanism("drop", links, joints), connections, ["pivot"])


def simulator(heights=(0.0, 1.0), **options):
    at = {"a_free": [0, 0, heights[0], 0, 0, 0, 1], "b_free": [0, 0, heights[1], 0, 0, 0, 1]}
    q, v = drop().state(at, {"pivot": 0.0})
    return kg.Simulator(drop(), q=q, v=v, **options)


def limited():
    """The same with limits and dampers of the joint that can be cut and of connections."""
    mechanism = drop().mechanism
    joints = [replace(j, limits=((-0.1, 2.0),)) if j.name == "pivot" else j for j in mechanism.joints]
    cross = kg.universal(axis=(1, 0, 0), axis2=(0, 1, 0), limits=((-0.2, 0.2), (-9.0, 0.3)), damping=0.1)
    connections = [*drop().connections, kg.Connection("cross", "b", "world", cross)]
    return topologies(replace(mechanism, joints=tuple(joints)), connections, ["pivot"])
