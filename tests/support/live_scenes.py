"""Simulators of which pages and modules of WebAssembly are held to be the twins."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

import kinegen as kg
from kinegen.runtime.events.agenda import Alteration
from kinegen.scenes.compiled import load_scene
from support.contact.contact_scenes import standing_talos, upright
from support.contact.dropped import simulator as dropped
from support.mechanisms.closed_mechanisms import four_bar, slider_crank

EXAMPLES = Path(__file__).parents[2] / "examples"
PENDULUM = EXAMPLES / "double_pendulum.urdf"
sys.path.insert(0, str(EXAMPLES))
from live_pages import jansens_leg  # noqa: E402


def pendulum(**options: object) -> kg.Simulator:
    return kg.Simulator(kg.load(PENDULUM), q=[1.2, -0.4], v=[0.5, 2.0], **options)  # type: ignore[arg-type]


def driven_pendulum() -> kg.Simulator:
    """A torque, a wrench, and a servo that meets its limit."""
    servos = {"elbow": kg.Servo(kp=30.0, kd=2.0, position=0.5, limit=1.0)}
    return pendulum(servos=servos, wrenches={"lower": [1.0, 0, 2.0, 0, 0.5, 0]}, tau=[0.4, 0.0], integrator="rk4")


def arm() -> kg.Mechanism:
    """A ball joint and a hinge."""
    links = [kg.Link(n, 1.0, (0, 0, -0.2), (0.02, 0, 0, 0.02, 0, 0.01)) for n in ("upper", "lower")]
    joints = [
        kg.Joint("shoulder", "spherical", "world", "upper"),
        kg.Joint("elbow", "revolute", "upper", "lower", kg.Pose((0, 0, -0.4)), axis=(0, 1, 0)),
    ]
    return kg.Mechanism("held_arm", links, joints)


def held_arm() -> kg.Simulator:
    """Both joints are held by servos, that of the ball at its limit for a while."""
    servos = {"elbow": kg.Servo(20.0, 1.0, 0.4), "shoulder": kg.Servo(60.0, 2.0, [0.0, 0.6, 0.0, 0.8], limit=9.0)}
    return kg.Simulator(arm(), servos=servos, v=[2.0, 0.0, 1.0, 0.0])


def turning(mechanism: kg.Mechanism) -> kg.Simulator:
    """A closed mechanism with a velocity of its own."""
    model = kg.compile(mechanism)
    return kg.Simulator(model, v=model.dependent_motion(model.q0, np.full(model.nv, 1.5))[0])


def bars() -> kg.Simulator:
    return turning(four_bar(1.0, 2.0, 2.5, 3.0))


def parametric_four_bar() -> kg.Simulator:
    model = kg.compile(kg.parametrise(four_bar(1.0, 2.0, 2.5, 3.0), "mass of *", "gravity"))
    model = model.with_parameters({"gravity_z": -3.7, next(iter(model.parameters)): 2.2})
    return kg.Simulator(model, tau={model.manifest.loops[0].name: 0.4})


def served_bars() -> kg.Simulator:
    """A four-bar whose servos act on the joint that closes its loop, and on one of the tree."""
    model = kg.compile(four_bar(1.0, 2.0, 2.5, 3.0))
    cut, first = model.manifest.loops[0].name, model.joint_names[0]
    at = model.loop_joint(cut, model.q0)[0].item()
    servos = {first: kg.Servo(kd=0.5, velocity=1.0), cut: kg.Servo(20.0, 1.0, at + 0.3, limit=6.0)}
    return kg.Simulator(model, servos=servos)


def caught() -> kg.Simulator:
    """A ball is hung within a step, another falls on it and is caught by a condition, and both are let go."""
    simulator = dropped((0.0, 0.5))
    simulator.q = np.where(np.arange(simulator.q.size) == 0, 0.1, simulator.q)
    simulator.at(0.1003, Alteration(("rope",), (), {}, 1e-3))  # as scenes tell it
    simulator.when(kg.distance("a", "b") < 0.3, "connect", "weld")
    simulator.at(0.75, "cut", "rope")
    return simulator


def talos() -> kg.Simulator:
    """He falls a centimetre onto the floor, going forward."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kg.compile(standing_talos())
    q, v = upright(model), np.zeros(model.nv)
    q[2] += 0.01
    v[0] = 0.3
    return kg.Simulator(model, q=q, v=v)


def swing() -> kg.Simulator:
    """A man on a swing that comes apart after a second, joints of his at their limits."""
    return load_scene(EXAMPLES / "structure/swing.toml")


def boxes() -> kg.Simulator:
    """Two boxes fall onto a floor that bounces, one on the other."""
    shape = kg.box((0.2, 0.3, 0.1), friction=0.5, restitution=0.3)
    links = [kg.Link(name, 1.0, inertia=kg.inertia.box(1.0, (0.2, 0.3, 0.1)), shapes=[shape]) for name in "ab"]
    joints = [kg.Joint(f"{name}_free", "free", "world", name) for name in "ab"]
    mechanism = kg.Mechanism("boxes", links, joints, shapes=[kg.plane(friction=0.5, restitution=0.3)])
    q = [0, 0, 0.2, 0.1, 0, 0, 1, 0.05, 0.02, 0.5, 0, 0.2, 0, 1]
    q[3:7], q[10:14] = (np.array(part) / np.linalg.norm(part) for part in (q[3:7], q[10:14]))
    return kg.Simulator(mechanism, q=q)


SCENES = {
    "double pendulum": pendulum,
    "double pendulum, driven": driven_pendulum,
    "an arm, held": held_arm,
    "four-bar": bars,
    "four-bar with parameters": parametric_four_bar,
    "four-bar, served": served_bars,
    "Jansen's leg": jansens_leg,
    "slider-crank": lambda: turning(slider_crank()),
    "caught and let go": caught,
    "boxes on a floor": boxes,
    "talos on a floor": talos,
}
