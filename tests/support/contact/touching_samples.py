"""Mechanisms with every kind of shape and of row, for a look at their C."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sympy import Symbol

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.runtime.abi import Manifest
from kinegen.runtime.model.configuration import random_configuration
from support.contact.contact_scenes import shapes, solid


def heap() -> Mechanism:
    """Every kind of shape, an arm with stops and dampers that may touch itself, a mass left open."""
    things = [
        shapes.sphere(0.1, restitution=0.5),
        shapes.capsule(0.08, 0.2),
        shapes.box((0.2, 0.3, 0.15)),
        shapes.box((0.3, 0.1, 0.1), restitution=0.3),
        shapes.capsule(0.05, 0.3),
        shapes.sphere(0.07),
        shapes.cylinder(0.1, 0.1),
        shapes.convex([[0.1, 0, 0], [-0.1, 0.05, 0], [0, -0.1, 0.05], [0.03, 0.1, 0], [0, 0, 0.15], [0, 0, -0.1]]),
        shapes.convex([[x, y, z] for x in (-0.1, 0.1) for y in (-0.06, 0.06) for z in (-0.05, 0.05)]),
    ]
    bodies = [solid(f"b{i}", shape) for i, shape in enumerate(things)]
    arm = [
        Link("upper", Symbol("m"), (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01)),
        Link("lower", 0.5, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01), shapes=[shapes.capsule(0.04, 0.2)]),
        Link("tip", 0.2, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01), shapes=[shapes.sphere(0.05)]),
    ]
    joints = [
        *(Joint(f"f{i}", "free", "world", f"b{i}") for i in range(len(things))),
        Joint("shoulder", "revolute", "world", "upper", Pose((0, 0, 0.6)), axis=(0, 1, 0), limits=(-1, 1), damping=0.1),
        Joint("elbow", "revolute", "upper", "lower", Pose((0.2, 0, 0)), axis=(0, 1, 0), limits=(-0.5, 2), friction=0.1),
        Joint("wrist", "planar", "lower", "tip", Pose((0.2, 0, 0))),
    ]
    bumps = shapes.height_field([[0, 0.02, 0], [0.02, 0.05, 0.02], [0, 0.02, 0]], (2, 2), pose=Pose((0.1, 0.2, 0.03)))
    floor = [bumps, shapes.plane(), shapes.box((0.4, 0.4, 0.2), pose=Pose((0, 0, 0.1))), shapes.cylinder(0.2, 1.0)]
    return Mechanism("heap", [*bodies, *arm], joints, shapes=floor)


def rough(mechanism: Mechanism) -> Mechanism:
    """The same with torsional and rolling friction everywhere."""

    def resisting(own: tuple[shapes.Shape, ...]) -> tuple[shapes.Shape, ...]:
        return tuple(replace(shape, torsion=0.01, rolling=0.002) for shape in own)

    links = tuple(replace(link, shapes=resisting(link.shapes)) for link in mechanism.links)
    return replace(mechanism, links=links, shapes=resisting(mechanism.shapes))


def heaped(manifest: Manifest) -> np.ndarray:
    q = random_configuration(manifest, np.random.default_rng(3), ())
    for i in range(9):
        q[7 * i : 7 * i + 3] = [0.1 * np.cos(2 * i), 0.1 * np.sin(2 * i), 0.5 + 0.25 * i]
    q[-6:] = [0.2, 0.1, 0.0, 0.0, 1.0, 0.0]
    return q


def held(touching: bool) -> kg.Mechanism:
    """Balls tied to each other and to an arm in every way, over a floor or over nothing."""
    ball = (kg.sphere(0.1),) if touching else ()
    inertia = kg.inertia.sphere(1.0, 0.1)
    links = [kg.Link(name, 1.0, (0, 0, 0), inertia, shapes=ball) for name in "abcd"]
    links += [kg.Link("arm", 1.0, (0.2, 0, 0), kg.inertia.rod(1.0, 0.4))]
    joints = [kg.Joint(f"f{name}", "free", "world", name) for name in "abcd"]
    joints += [
        kg.Joint(
            "hinge", "revolute", "world", "arm", kg.Pose((0, 0, 0.5)), axis=(0, 1, 0), limits=(-1, 1), friction=0.3
        )
    ]
    return kg.Mechanism("held", links, joints, shapes=[kg.plane()] if touching else [])


def ties() -> kg.RowRules:
    rows = [
        kg.Rows("all", "arm", "a", axes="xyz", turns="xyz", origin=kg.Pose((0.4, 0, 0))),
        kg.Rows("rail", "world", "b", axes="xy", origin=kg.Pose((0.9, 0, 0), (0.1, 0.2, 0.3))),
        kg.Rows("axis", "b", "c", axes="xyz", turns="xz", origin=kg.Pose((0.3, 0, 0))),
        kg.Rows("cross", "c", "d", axes="z", turns="y", child_origin=kg.Pose((0.3, 0, 0))),
    ]
    return kg.RowRules(friction=True, between=rows)
