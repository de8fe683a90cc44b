"""One small mechanism with a joint of every group of motion: planar, ball, free, and a hinge."""

from __future__ import annotations

from functools import cache

import numpy as np

import kinegen as kg
from kinegen.runtime.kinds import KINDS
from support.oracles.numeric import Array

BOX = {"mass": 1.3, "com": (0.05, 0.1, -0.4), "inertia": (0.1, 0.01, 0.0, 0.12, 0.02, 0.09)}


def mechanism() -> kg.Mechanism:
    return kg.Mechanism(
        "all_groups",
        [kg.Link("a", **BOX), kg.Link("b", **BOX), kg.Link("c", **BOX), kg.Link("d", **BOX)],
        [
            kg.Joint("plane", "planar", "world", "a"),
            kg.Joint("ball", "spherical", "a", "b", kg.Pose((0, 0, -0.3)), stiffness=9.0, damping=0.2),
            kg.Joint("hinge", "revolute", "d", "c", kg.Pose((0, 0, -0.5)), axis=(0, 1, 0), damping=0.1),
            kg.Joint("flight", "free", "world", "d"),
        ],
    )


@cache
def all_groups() -> kg.Model:
    return kg.compile(mechanism(), progress=False)


def unit(model: kg.Model, q: Array) -> Array:
    """q with quaternions and [cos sin] of unit norm."""
    found = q.copy()
    for joint in model.manifest.joints:
        if part := KINDS[joint.kind].rotation:
            at = slice(joint.q_start + part.start, joint.q_start + part.stop)
            found[..., at] /= np.linalg.norm(found[..., at], axis=-1, keepdims=True)
    return found
