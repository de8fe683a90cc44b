"""What stands on a foot."""

from __future__ import annotations

import kinegen as kg

START = (0, 0, 0.02, 0, 0, 0, 1, 0, 0, 0)
"""q with the sole on the floor."""


def stander() -> kg.Model:
    """A heavy body on a light foot, with a hip between them."""
    sole = kg.box((0.2, 0.12, 0.04), friction=0.8)
    foot = kg.Link("foot", 2.0, inertia=kg.inertia.box(2.0, (0.2, 0.12, 0.04)), shapes=[sole])
    body = kg.Link("body", 40.0, (0.0, 0.0, 0.5), kg.inertia.box(40.0, (0.3, 0.4, 1.0)))
    joints = [
        kg.Joint("base", "free", "world", "foot"),
        kg.Joint("hip", "gimbal", "foot", "body", armature=(0.1,) * 3),
    ]
    return kg.compile(kg.Mechanism("stander", [foot, body], joints, shapes=[kg.plane(friction=0.8)]))
