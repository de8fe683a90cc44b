"""What rolls without slip: discs, wheels, balls on planes that rest or move, and the benchmark bicycle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy

import kinegen as kg

MASS, RADIUS, TYRE = 1.3, 0.3, 0.04
TILTED = kg.Pose((0.4, -0.2, 0.1), rpy=(0.3, -0.2, 0.5))


def disc(tyre: float = 0.0, plane: kg.Pose | None = None) -> kg.Mechanism:
    """A thin disc, or a wheel with a round rim, that floats by itself."""
    link = kg.Link("disc", mass=MASS, inertia=kg.inertia.cylinder(MASS, RADIUS, 0.0, axis=(0, 1, 0)))
    hung = kg.Joint("base", "free", "world", "disc", start=(0, 0, RADIUS + tyre, 0, 0, 0, 1))
    rolls = kg.rolling("disc", radius=RADIUS, tyre=tyre, plane=plane or kg.Pose())
    return kg.Mechanism("disc", [link], [hung, rolls])


def ball(plane: kg.Pose | None = None) -> kg.Mechanism:
    """A solid ball."""
    link = kg.Link("ball", mass=MASS, inertia=kg.inertia.sphere(MASS, RADIUS))
    rolls = kg.rolling("ball", tyre=RADIUS, plane=plane or kg.Pose())
    return kg.Mechanism("ball", [link], [kg.Joint("base", "free", "world", "ball"), rolls])


def turntable(motion: float | None = None) -> kg.Mechanism:
    """A solid ball on a table that turns about the vertical, at a given angular velocity if there is a motion."""
    table = kg.Link("table", mass=5.0, inertia=kg.inertia.cylinder(5.0, 1.0, 0.1))
    link = kg.Link("ball", mass=MASS, inertia=kg.inertia.sphere(MASS, RADIUS))
    turn = {} if motion is None else {"motion": motion * sympy.Symbol("t")}
    joints = [
        kg.Joint("turn", "continuous", "world", "table", **turn),
        kg.Joint("base", "free", "world", "ball"),
        kg.rolling("ball", "table", tyre=RADIUS),
    ]
    return kg.Mechanism("turntable", [table, link], joints)


def raft() -> kg.Mechanism:
    """A wheel on the axle of a floating frame, rolling on a raft that floats itself: all its parts oblique."""
    rng = np.random.default_rng(5)

    def solid(name: str) -> kg.Link:
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        moments = turn @ np.diag([0.3, 0.35, 0.4]) @ turn.T
        return kg.Link(name, mass=1.0 + rng.random(), com=rng.normal(size=3) * 0.1, inertia=(moments + moments.T) / 2)

    joints = [
        kg.Joint("float", "free", "world", "raft"),
        kg.Joint("base", "free", "world", "frame"),
        kg.Joint(
            "axle", "continuous", "frame", "wheel", kg.Pose((0.2, 0.1, -0.3), rpy=(0.1, 0.2, 0.3)), axis=(1, 2, 2)
        ),
        kg.rolling(
            "wheel", "raft", radius=RADIUS, tyre=TYRE, axis=(1, 2, 2), plane=TILTED, pose=kg.Pose((0.01, 0.02, 0.03))
        ),
    ]
    return kg.Mechanism("raft", [solid(name) for name in ("raft", "frame", "wheel")], joints)


ROLLING: dict[str, Callable[[], kg.Mechanism]] = {
    "disc": disc,
    "wheel on a slope": lambda: disc(TYRE, TILTED),
    "ball on a slope": lambda: ball(TILTED),
    "turntable": turntable,
    "raft": raft,
}
