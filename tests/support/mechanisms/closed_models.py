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
