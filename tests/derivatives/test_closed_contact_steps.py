"""Derivatives of steps of closed mechanisms that touch: differences of the exactly solved step, and a tree alike."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy

import kinegen as kg
from support.contact.closed_contact import ACROSS, bar
from support.contact.contact_scenes import solid
from support.contact.step_differences import DT, Case, assert_agree
from support.oracles.numeric import Array, error

FAR = 0.2


@cache
def legs() -> kg.Model:
    """Two motors, two legs that meet in a foot: friction, and how far the motors are apart, are symbols."""
    mu, far = sympy.symbols("mu far")
    foot = kg.sphere(0.04, pose=kg.Pose((0, 0, -0.5)), friction=mu, restitution=0.4)
    links = [bar("thigh", 0.4, 1.0), bar("shank", 0.5, 1.5, foot), bar("arm", 0.4, 1.2), bar("link", 0.5, 0.8)]
    down, end = kg.Pose((0, 0, -0.4)), kg.Pose((0, 0, -0.5))
    joints = [
        kg.Joint("left", "revolute", "world", "thigh", axis=ACROSS, damping=0.1),
        kg.Joint("knee", "revolute", "thigh", "shank", down, axis=ACROSS, stiffness=2.0, actuated=False),
        kg.Joint("right", "revolute", "world", "arm", kg.Pose((far, 0, 0)), axis=ACROSS),
        kg.Joint("elbow", "revolute", "arm", "link", down, axis=ACROSS, friction=0.3, actuated=False),
        kg.Joint("pin", "revolute", "shank", "link", end, end, ACROSS, limits=(0.7, 1.5), actuated=False, cut=True),
    ]
    ground = kg.plane(pose=kg.Pose((0, 0, -0.8)), friction=0.5)
    found = kg.compile(kg.Mechanism("legs", links, joints, shapes=[ground])).with_parameters(mu=0.5, far=FAR)
    return found.with_independent(["left", "right"])


def placed(spread: float) -> Array:
    """The legs over the middle between the motors, with that angle at the pin."""
    half = spread / 2
    width, height = 0.5 * np.sin(half), 0.5 * np.cos(half)
    hip = np.arcsin((width - FAR / 2) / 0.4)
    q = np.array([hip, -half - hip, -hip, half + hip])
    assert height > 0.0
    return legs().assemble(q)


def low(depth: float) -> Array:
    """The foot that deep in the ground."""
    spread = np.array([1.0, 1.5])
    for _ in range(60):
        q = placed(float(spread.mean()))
        height = (legs().frame_pose(q, "shank") @ np.array([0, 0, -0.5, 1.0]))[2] + 0.76 + depth
        spread[int(height > 0.0)] = spread.mean()
    return q


@pytest.mark.parametrize(("rates", "mode"), [((0, 0), "sticks"), ((0.3, 0.3), "slips"), ((0.6, 0.1), "parts")])
def test_foot_of_two_legs(rates: tuple[float, float], mode: str) -> None:
    """By its state, torques, the target of a servo, friction and a length."""
    at, tau = legs(), np.array([0.3, -0.3, 1.3, 0.2])
    servos = {"right": kg.Servo(kp=100.0, kd=4.0, position=-0.4)}
    found = assert_agree(
        at,
        Case(low(1e-3), np.array(rates, dtype=float), (mode,), tau, servos, ["mu", "far"], h=1e-5, depth=5e-3),
        targets=rates == (0.3, 0.3),
    )
    assert found.independent == (0, 2)


def test_limit_of_the_joint_that_closes_a_loop() -> None:
    """Legs that spread until the pin between them stops."""
    found = assert_agree(legs(), Case(placed(1.4995), np.array([1.0, -0.8]), ("presses",), parameters=["far"], h=1e-5))
    assert found.points[0].name == "the limit of joint 'pin'"


@pytest.mark.sweep
def test_loop_that_makes_one_body() -> None:
    """Two floating bodies that a fixed loop joint makes one, beside the same body as a tree, on three feet."""
    places = ((0.1, 0, -0.04), (-0.1, 0.1, -0.04), (-0.1, -0.1, -0.04))
    feet = [kg.sphere(0.03, pose=kg.Pose(place), friction=0.1) for place in places]
    base, horn = kg.Link("base", 2.0, inertia=(0.02, 0, 0, 0.03, 0, 0.04), shapes=feet), solid("horn", kg.sphere(0.06))
    at, floor = kg.Pose((0.1, 0.05, 0.2)), [kg.plane(friction=0.1)]
    free = [kg.Joint("base_free", "free", "world", "base"), kg.Joint("horn_free", "free", "world", "horn")]
    tree = kg.compile(
        kg.Mechanism("whole", [base, horn], [free[0], kg.Joint("weld", "fixed", "base", "horn", at)], shapes=floor)
    )
    weld = kg.Joint("weld", "fixed", "base", "horn", at, cut=True)
    loop = kg.compile(kg.Mechanism("looped", [base, horn], [*free, weld], shapes=floor), independent=["base_free"])
    q = tree.neutral()
    q[2] = 0.07 - 3e-5
    both = loop.assemble(np.concatenate([q, q[:2], [0.27], q[3:]]), hold=["base_free"])
    for v, mode in ((np.zeros(6), "sticks"), (np.array([1.0, 0.3, 0, 0, 0, 0]), "slips")):
        one = kg.step_derivatives(tree, q, v, dt=DT)
        two = kg.step_derivatives(loop, both, loop.W(both) @ v, dt=DT)
        assert [point.mode for point in two.points] == [point.mode for point in one.points] == [mode] * 3
        assert error(two.A, one.A) < 1e-9 and error(two.B[:, :6], one.B) < 1e-9
