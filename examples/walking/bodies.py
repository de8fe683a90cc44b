"""Who walks: Talos [P §4] and the human figure, on rigid ankles or on rubber below them [P Fig. 5]."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

import sympy

import kinegen as kg

TALOS = "share/example-robot-data/robots/talos_data/robots/talos_reduced.urdf"
FRICTION = 0.8
RUBBER, LOAD = sympy.Symbol("rubber"), kg.parameter("load", 1.0)
"""Stiffness below the ankles in pitch and roll [N m/rad]; what all masses are multiplied by."""
VERTICAL, VERTICAL_DAMPING, DAMPING = 1e6, 2e3, 0.01
"""Of the rubber: vertical [N/m, N s/m]; pitch and roll over their stiffness [s]."""


@dataclass(frozen=True)
class Body:
    """A mechanism on a floor with all that a walk needs to know of it.

    `ankles` of the left and the right foot: (joint, entry) of pitch and of roll. Gains of all joints' servos.
    `width` [m] between the feet, `stride`: all steps' lengths are multiplied by it. `rubber` [N m/rad] below the
    ankles; `parts` of a millisecond in which Runge-Kutta's method is stable with its dampers on such feet.
    """

    mechanism: kg.Mechanism
    feet: tuple[str, str]
    trunk: str
    ankles: tuple[tuple[tuple[str, int], tuple[str, int]], ...]
    kp: float
    kd: float
    width: float
    stride: float
    rubber: float
    parts: int

    def on_rubber(self) -> kg.Mechanism:
        """With vertical, pitch and roll springs and dampers below the ankles."""
        made = self.mechanism
        stiffness, damping = (VERTICAL, RUBBER, RUBBER), (VERTICAL_DAMPING, DAMPING * RUBBER, DAMPING * RUBBER)
        for foot in self.feet:
            made = kg.bushing(made, foot, stiffness=stiffness, damping=damping)
        return made


def talos(friction: float | sympy.Symbol = FRICTION) -> Body:
    """Talos on boxes for soles: four points each."""
    spec = find_spec("cmeel")
    if spec is None or spec.origin is None:
        raise kg.ModelError("walking needs Talos: pip install example-robot-data")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kg.FileWarning)  # of surfaces that touch: others are put in their place
        robot = kg.load(Path(spec.origin).parents[1] / "cmeel.prefix" / TALOS, root="free")
    feet = "leg_left_6_link", "leg_right_6_link"
    sole = kg.box((0.2, 0.12, 0.04), pose=kg.Pose((0.0, 0.0, -0.087)), friction=friction)
    made = _standing(robot, dict.fromkeys(feet, sole), friction, armature=0.1)
    ankles = tuple(((f"leg_{side}_5_joint", 0), (f"leg_{side}_6_joint", 0)) for side in ("left", "right"))
    return Body(made, feet, "base_link", ankles, kp=5e3, kd=100.0, width=0.17, stride=1.0, rubber=1500.0, parts=4)


def figure(friction: float | sympy.Symbol = FRICTION) -> Body:
    """The human figure of 40 degrees of freedom, its ball joints as gimbals."""
    made = kg.human_figure()
    joints = [
        kg.Joint(j.name, "gimbal", j.parent, j.child, j.origin, j.child_origin) if j.kind == "spherical" else j
        for j in made.joints
    ]
    feet = "foot_l", "foot_r"
    sole = kg.box((0.24, 0.09, 0.03), pose=kg.Pose((0.055, 0.0, -0.053)), friction=friction)
    made = _standing(replace(made, joints=tuple(joints)), dict.fromkeys(feet, sole), friction, armature=0.1)
    ankles = tuple(((f"ankle_{side}", 1), (f"ankle_{side}", 2)) for side in "lr")
    return Body(made, feet, "pelvis", ankles, kp=5e3, kd=100.0, width=0.17, stride=1.0, rubber=3000.0, parts=10)


def loaded(mechanism: kg.Mechanism) -> kg.Mechanism:
    """All masses multiplied by the parameter `load`."""
    links = []
    for link in mechanism.links:
        inertia = [[LOAD * x for x in row] for row in link.inertia]
        links.append(replace(link, mass=LOAD * link.mass, inertia=inertia))
    return replace(mechanism, links=tuple(links))


BODIES = {"talos": talos, "figure": figure}
Who = StrEnum("Who", list(BODIES))
"""Their names, as an argument of a script."""


def _standing(
    robot: kg.Mechanism, soles: Mapping[str, kg.Shape], friction: float | sympy.Symbol, armature: float
) -> kg.Mechanism:
    """Only the feet touch; motors have the inertia of their rotors and no other losses."""
    links = [replace(link, shapes=(soles[link.name],) if link.name in soles else ()) for link in robot.links]
    joints = []
    for joint in robot.joints:
        own = {"damping": 0.0, "friction": 0.0, "armature": armature}
        entries = {name: (value,) * joint.nv for name, value in own.items()}
        joints.append(replace(joint, **entries) if joint.nv in (1, 3) else joint)
    return replace(robot, links=tuple(links), joints=tuple(joints), shapes=(kg.plane(friction=friction),))
