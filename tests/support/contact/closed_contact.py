"""Closed mechanisms that touch the ground, and what their contacts must satisfy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import kinegen as kg
from support.oracles.kkt import Multipliers

Array = Any
ACROSS = (0, 1, 0)


def bar(name: str, length: float, mass: float, *shapes: kg.Shape) -> kg.Link:
    """A bar along -z from its joint."""
    return kg.Link(name, mass, (0, 0, -length / 2), kg.inertia.box(mass, (0.04, 0.04, length)), shapes=shapes)


def walker(damping: float = 0.0) -> kg.Mechanism:
    """A floating trunk on two legs, each a four-bar: thigh and rod carry a shank with a foot."""
    links = [kg.Link("trunk", 5.0, inertia=kg.inertia.box(5.0, (0.3, 0.3, 0.2)))]
    joints = [kg.Joint("float", "free", "world", "trunk")]
    for side, y in (("l", 0.15), ("r", -0.15)):
        foot = kg.box((0.14, 0.08, 0.04), pose=kg.Pose((0, 0, -0.4)), friction=0.8)
        links += [bar(f"thigh_{side}", 0.3, 1.0), bar(f"rod_{side}", 0.32, 0.3), bar(f"shank_{side}", 0.4, 1.0, foot)]
        joints += [
            kg.Joint(
                f"hip_{side}", "revolute", "trunk", f"thigh_{side}", kg.Pose((0, y, -0.1)), axis=ACROSS,
                limits=(-0.7, 0.6), damping=damping,
            ),
            kg.Joint(f"top_{side}", "revolute", "trunk", f"rod_{side}", kg.Pose((0.1, y, -0.1)), axis=ACROSS),
            kg.Joint(f"knee_{side}", "revolute", f"thigh_{side}", f"shank_{side}", kg.Pose((0, 0, -0.3)), axis=ACROSS),
            kg.Joint(
                f"pin_{side}", "revolute", f"rod_{side}", f"shank_{side}", kg.Pose((0, 0, -0.32)),
                child_origin=kg.Pose((0.08, 0, 0)), axis=ACROSS, cut=True, friction=0.1 * (damping > 0), actuated=False,
            ),
        ]  # fmt: skip
    return kg.Mechanism("walker", links, joints, shapes=[kg.plane(friction=0.5)])


@cache
def model(damping: float = 0.0) -> kg.Model:
    return kg.compile(walker(damping))


def standing(of: kg.Model, height: float = 0.0, lean: float = 0.0) -> Array:
    """Closed, feet above the ground by a height, turned about x."""
    q = of.q0.copy()
    q[3:7] = [np.sin(lean / 2), 0, 0, np.cos(lean / 2)]
    q = of.assemble(q, hold=["float"])
    feet = [of.link_names.index(f"shank_{side}") for side in "lr"]
    q[2] += 0.42 + height - min(of.link_poses(q)[i, 2, 3] for i in feet)
    return q


def expected(mechanism: kg.Mechanism, of: kg.Model, q: Array, v: Array, torque: Array) -> Array:
    """(nv) acceleration by multipliers under these generalised forces: M a + h = torque + Kᵀλ, K a = what turns."""
    cut = [of.loop_joint(virtual.joint.name, q)[0] for virtual in mechanism.virtual_links]
    return Multipliers(mechanism, q, v, cut).forward_dynamics(torque)


@cache
def ring(count: int, friction: float) -> tuple[kg.Model, Array]:
    """Bars that hinges about their y axes close to a ring, by rows, and a floor; a configuration, closed."""
    box = kg.inertia.box(0.3, (0.3, 0.03, 0.04))
    shape = kg.box((0.294, 0.03, 0.04), pose=kg.Pose((0.15, 0, 0)), friction=friction)
    links = [kg.Link(f"l{i}", 0.3, (0.15, 0, 0), box, shapes=[shape]) for i in range(count)]
    end = kg.Pose((0.3, 0, 0))
    joints = [kg.Joint(f"j{i}", "revolute", f"l{i - 1}", f"l{i}", end, axis=ACROSS) for i in range(1, count)]
    joints += [
        kg.Joint("base", "free", "world", "l0"),
        kg.Joint("close", "revolute", f"l{count - 1}", "l0", end, axis=ACROSS, cut=True),
    ]
    mechanism = kg.Mechanism("ring", links, joints, shapes=[kg.plane(friction=friction)])
    model = kg.compile(mechanism, rows=kg.RowRules(loops=True))
    return model, np.array([0, 0, 0, 0, 0, 0, 1, *[-2 * np.pi / count] * (count - 1)])
