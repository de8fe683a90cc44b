"""Dolls in a pit: a trunk with four limbs, whose hips and shoulders are balls, knees and elbows hinges with stops."""

from __future__ import annotations

import numpy as np

import kinegen as kg
from kinegen.runtime import Model

ROOTS = ((0.13, 0.12), (-0.13, 0.12), (0.07, -0.2), (-0.07, -0.2))
"""Of the limbs, x and z in the trunk [m]."""


def doll(k: int) -> tuple[list[kg.Link], list[kg.Joint]]:
    """Doll number k, which is free."""
    trunk, size = f"trunk{k}", (0.2, 0.12, 0.3)
    links = [kg.Link(trunk, 4.0, inertia=kg.inertia.box(4.0, size), shapes=[kg.box(size, friction=0.6)])]
    joints = [kg.Joint(f"root{k}", "free", "world", trunk)]
    bone = kg.capsule(0.03, 0.1, pose=kg.Pose((0, 0, -0.08)), friction=0.6)
    for n, (x, z) in enumerate(ROOTS):
        upper, lower = f"upper{k}_{n}", f"lower{k}_{n}"
        links += [
            kg.Link(name, 0.5, (0, 0, -0.08), kg.inertia.cylinder(0.5, 0.03, 0.16), shapes=[bone])
            for name in (upper, lower)
        ]
        joints.append(kg.Joint(f"ball{k}_{n}", "spherical", trunk, upper, origin=kg.Pose((x, 0, z)), damping=0.02))
        joints.append(
            kg.Joint(
                f"hinge{k}_{n}",
                "revolute",
                upper,
                lower,
                origin=kg.Pose((0, 0, -0.18)),
                axis=(1, 0, 0),
                limits=(-0.2, 2.0),
                damping=0.02,
            )
        )
    return links, joints


def dolls(count: int) -> tuple[Model, np.ndarray]:
    """So many above the floor between four walls, one over the other."""
    links, joints = list[kg.Link](), list[kg.Joint]()
    for k in range(count):
        own = doll(k)
        links += own[0]
        joints += own[1]
    walls = [kg.box((1, 1, 1), pose=kg.Pose((x, y, 0.3))) for x, y in ((0.75, 0), (-0.75, 0), (0, 0.75), (0, -0.75))]
    model = kg.compile(kg.Mechanism(f"dolls{count}", links, joints, shapes=[kg.plane(friction=0.6), *walls]))
    q = model.neutral()
    for k in range(count):
        q[model.q_slice(f"root{k}").start + 2] = 0.45 + 0.6 * k
    return model, q
