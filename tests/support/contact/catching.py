"""A hand that grips what touches it."""

from __future__ import annotations

from functools import cache

import numpy as np

import kinegen as kg


@cache
def catcher() -> kg.TopologyLibrary:
    """A hand that falls on a bar that slides up and down on a spring."""
    hand = kg.Link("hand", 1.0, inertia=kg.inertia.sphere(1.0, 0.05), shapes=[kg.sphere(0.05)])
    lying = kg.Pose(rpy=(np.pi / 2, 0, 0))
    bar = kg.Link(
        "bar", 2.0, inertia=kg.inertia.box(2.0, (0.04, 0.5, 0.04)), shapes=[kg.capsule(0.02, 0.5, pose=lying)]
    )
    stone = kg.Link("stone", 0.5, inertia=kg.inertia.sphere(0.5, 0.03), shapes=[kg.sphere(0.03)])
    joints = [
        kg.Joint("rail", "prismatic", "world", "bar", axis=(0, 0, 1), stiffness=2000.0, rest=0.0),
        kg.Joint("fly", "free", "world", "hand"),
        kg.Joint("pendulum", "revolute", "world", "stone", kg.Pose((3, 0, 1)), kg.Pose((0, 0, 0.4)), axis=(0, 1, 0)),
    ]
    mechanism = kg.Mechanism("catcher", [hand, bar, stone], joints, shapes=[kg.plane(pose=kg.Pose((0, 0, -1)))])
    grip = kg.Connection("grip", "hand", "bar", kg.revolute(axis=(0, 1, 0)))
    return kg.TopologyLibrary(mechanism, [grip, kg.Connection("peg", "bar", "world", kg.fixed())])
