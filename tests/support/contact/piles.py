"""Many trees that are alike on one ground."""

from __future__ import annotations

import numpy as np

import kinegen as kg

COUNT, BALLS = 8, 9


def pile(count: int = COUNT, balls: int = BALLS, odd: bool = False) -> kg.Mechanism:
    """Boxes of all sizes that float, each with a lid on a hinge; balls of one size; an arm that stands among them.

    `odd`: the mass centre of the third lid is on its axis, and no other one's.
    """
    rng = np.random.default_rng(0)
    links, joints = [kg.Link("arm", 2.0, (0.1, 0.0, 0.3), np.diag([0.2, 0.1, 0.1]))], []
    joints.append(kg.Joint("shoulder", "revolute", "world", "arm", axis=(0.0, 0.6, 0.8), damping=0.1))
    for i in range(count):
        mass, size = rng.uniform(0.5, 2.0), tuple(rng.uniform(0.1, 0.3, size=3))
        inertia = kg.inertia.box(mass, size)
        links.append(kg.Link(f"box{i}", mass, (0.01, 0.02, 0.03), inertia, shapes=[kg.box(size, friction=0.5)]))
        links.append(kg.Link(f"lid{i}", 0.3, (0.0, 0.0 if odd and i == 2 else 0.05 + 0.01 * i, 0.01), inertia))
        joints.append(kg.Joint(f"flight{i}", "free", "world", f"box{i}"))
        hinge = kg.Pose((0.0, 0.1, 0.1 + 0.01 * i), rpy=(0.3, 0.0, 0.0))
        joints.append(kg.Joint(f"hinge{i}", "revolute", f"box{i}", f"lid{i}", hinge, limits=(-2.0, 2.0)))
    for i in range(balls):
        ball = kg.Link(f"ball{i}", 0.5, inertia=0.01 * np.eye(3), shapes=[kg.sphere(0.05, friction=0.3)])
        links.append(ball)
        joints.append(kg.Joint(f"throw{i}", "free", "world", ball.name))
    return kg.Mechanism("pile", links, joints, shapes=[kg.plane(friction=0.5)])
