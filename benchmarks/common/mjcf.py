"""A mechanism as MJCF: the same masses, joints, rotors, shapes and friction for MuJoCo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import kinegen as kg

GROUND = "5 5 .1"
"""Half edges of a plane as it is drawn, and the spacing of its grid."""


def mjcf(
    mechanism: kg.Mechanism,
    solver: str = "Newton",
    iterations: int = 100,
    cone: str = "pyramidal",
    integrator: str = "Euler",
    servos: Iterable[tuple[str, float, float]] = (),
) -> str:
    """Of hinges, slides, free and fixed joints, without limits, dampers and dry friction; steps of a millisecond.

    `servos`: joint, kp and kd of each actuator, in this order.
    """
    children: dict[str, list[kg.Joint]] = {}
    for joint in mechanism.joints:
        children.setdefault(joint.parent, []).append(joint)
    settings = f'solver="{solver}" iterations="{iterations}" cone="{cone}" integrator="{integrator}"'
    compiler = '<compiler angle="radian" balanceinertia="true" boundinertia="1e-6"/>'
    ground = "".join(map(_geom, mechanism.shapes))
    bodies = "".join(_body(mechanism, children, joint) for joint in children["world"])
    motors = "".join(f'<position joint="{name}" kp="{kp}" kv="{kd}"/>' for name, kp, kd in servos)
    return (
        f'<mujoco>{compiler}<option timestep="0.001" {settings}/><worldbody>{ground}{bodies}</worldbody>'
        f"<actuator>{motors}</actuator></mujoco>"
    )


def _body(mechanism: kg.Mechanism, children: dict[str, list[kg.Joint]], joint: kg.Joint) -> str:
    link = mechanism.link(joint.child)
    xml = f'<body name="{link.name}" {_placed(joint.origin)}>'
    if float(link.mass) > 1e-9:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia
        moments = _text((xx, yy, zz, xy, xz, yz))
        xml += f'<inertial pos="{_text(link.com)}" mass="{link.mass}" fullinertia="{moments}"/>'
    if joint.kind == "free":
        xml += f'<freejoint name="{joint.name}"/>'
    elif joint.nv:
        kind = "slide" if joint.kind == "prismatic" else "hinge"
        named = f'name="{joint.name}" type="{kind}" axis="{_text(joint.axis)}"'
        xml += f'<joint {named} armature="{float(joint.armature[0])}"/>'
    below = "".join(_body(mechanism, children, other) for other in children.get(link.name, ()))
    return f"{xml}{''.join(map(_geom, link.shapes))}{below}</body>"


def _geom(shape: kg.Shape) -> str:
    """Boxes have half their edges here, capsules half their length."""
    size = {
        "plane": lambda: GROUND,
        "box": lambda: _text(x / 2 for x in shape.size),
        "capsule": lambda: _text((shape.size[0], shape.size[1] / 2)),
        "sphere": lambda: _text(shape.size),
    }[shape.kind]()
    return f'<geom type="{shape.kind}" size="{size}" {_placed(shape.pose)} friction="{shape.friction}"/>'


def _placed(pose: kg.Pose) -> str:
    rotation = np.array(pose.rotation, dtype=float)
    return f'pos="{_text(pose.xyz)}" xyaxes="{_text([*rotation[:, 0], *rotation[:, 1]])}"'


def _text(values: Any) -> str:
    return " ".join(f"{float(x):.10g}" for x in values)
