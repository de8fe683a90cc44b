"""Compiled closed mechanisms that tests of the model share, and motions of them."""

from __future__ import annotations

from functools import cache

import numpy as np

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Mechanism, Pose
from kinegen.runtime import Model
from support.mechanisms.closed_mechanisms import bar_in_two_hands, five_bar, four_bar, rod, slider_crank, stewart
from support.oracles.numeric import Array

MECHANISMS = {
    "four-bar": lambda: four_bar(1.0, 2.0, 2.5, 3.0),
    "two motors": lambda: two_motors(),
    "slider-crank": slider_crank,
    "five-bar": five_bar,
    "stewart": stewart,
    "bar in two hands": bar_in_two_hands,
    "tree": lambda: Mechanism("tree", [rod("a", 1.0), rod("b", 1.0)], [
        Joint("one", "revolute", "world", "a"), Joint("two", "revolute", "a", "b", Pose((1, 0, 0)), actuated=False)]),
}  # fmt: skip


def two_motors() -> Mechanism:
    """The four-bar with a second actuator, on the rocker [S]."""
    base = four_bar(1.0, 2.0, 2.5, 3.0, "two_motors")
    joints = [
        Joint(j.name, j.kind, j.parent, j.child, j.origin, j.child_origin, actuated=j.name in ("pivot", "base"),
              effort_limit=25.0)
        for j in base.joints
    ]  # fmt: skip
    return Mechanism(base.name, base.links, joints, gravity=base.gravity)


@cache
def model(name: str) -> Model:
    return kg.compile(MECHANISMS[name]())


def motion(name: str, seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    q = model(name).random(rng)
    v, a = model(name).dependent_motion(q, rng.normal(size=model(name).nv), rng.normal(size=model(name).nv))
    return q, v, a


Z = (0.0, 0.0, 1.0)
CRANK, START = 0.12787439977666434, 0.5912888292697401
"""Angle of the crank below, and of the hinge there if its frame is not turned in the child."""


@cache
def hinged(angle: float, limits: tuple[float, float] | None = None) -> kg.Model:
    """A four-bar whose loop a hinge with spring, damper and friction closes; its angle there when it starts."""
    links = [kg.Link(n, 1.0, (x / 2, 0, 0), kg.inertia.rod(1.0, x)) for n, x in (("a", 0.3), ("b", 0.9), ("c", 0.7))]
    turned = kg.Pose((0.7, 0, 0), (0, 0, angle - START))
    own = {"stiffness": 20.0, "rest": 3.0, "damping": 0.01, "friction": 0.1, "limits": limits and (limits,)}
    joints = [
        kg.Joint("a", "revolute", "world", "a", axis=Z),
        kg.Joint("b", "revolute", "a", "b", kg.Pose((0.3, 0, 0)), axis=Z, actuated=False),
        kg.Joint("c", "revolute", "world", "c", kg.Pose((0.8, 0, 0)), axis=Z, actuated=False),
        kg.Joint("t", "revolute", "b", "c", kg.Pose((0.9, 0, 0)), turned, axis=Z, cut=True, actuated=False, **own),
    ]
    mechanism = kg.Mechanism("hinged", links, joints, gravity=(0, -9.81, 0))
    return kg.compile(mechanism, progress=False, at={"a": CRANK}).with_independent(["a"])
