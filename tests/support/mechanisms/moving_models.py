"""Compiled models that move: a floating figure, a chain of balls, a free body, a slider; and states to throw them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.runtime import Model

SKEW_INERTIA = (0.11, 0.01, -0.02, 0.13, 0.015, 0.08)


def links(n: int) -> list[Link]:
    return [Link(f"l{i}", 1.0 + 0.2 * i, (0.02 * i, 0.05, -0.2), SKEW_INERTIA) for i in range(n)]


@cache
def floating(gravity: float = 0.0) -> Model:
    """A free body with an arm of a ball and a hinge, and a planar and a universal joint beside it."""
    joints = [
        Joint("base", "free", "world", "l0"),
        Joint("ball", "spherical", "l0", "l1", Pose((0.1, 0.0, -0.3))),
        Joint("hinge", "revolute", "l1", "l2", Pose((0.0, 0.0, -0.4), (0.2, 0.1, 0.0)), axis=(0, 1, 0)),
        Joint("plane", "planar", "l0", "l3", Pose((0.0, 0.2, 0.2), (0.3, 0.0, 0.5))),
        Joint("cross", "universal", "l0", "l4", Pose((0.0, -0.2, 0.2))),
    ]
    return kg.compile(Mechanism("floating", links(5), joints, gravity=(0.0, 0.0, gravity)))


@cache
def spherical_chain() -> Model:
    joints = [Joint(f"j{i}", "spherical", f"l{i - 1}" if i else "world", f"l{i}", Pose((0, 0, -0.4))) for i in range(3)]
    return kg.compile(Mechanism("chain", links(3), joints))


@cache
def body(a: float, b: float, c: float) -> Model:
    """A free body without gravity, by its principal moments of inertia."""
    link = Link("body", 2.0, (0.0, 0.0, 0.0), (a, 0.0, 0.0, b, 0.0, c))
    return kg.compile(Mechanism("body", [link], [Joint("base", "free", "world", "body")], gravity=(0.0, 0.0, 0.0)))


@cache
def slider(**options: float) -> Model:
    """One kilogram on a horizontal slide."""
    joint = Joint("slide", "prismatic", "world", "mass", axis=(1, 0, 0), **options)
    return kg.compile(Mechanism("slider", [Link("mass", 1.0)], [joint]))


def thrown(model: Model, seed: int = 0, speed: float = 1.5) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"q": model.random(rng), "v": speed * rng.normal(size=model.nv)}
