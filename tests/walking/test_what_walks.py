"""Walking patterns are of robots alone, which have two feet in their order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.walking.biped import biped

FEET = ("foot_l", "foot_r")
FILE = Path(__file__).parents[2] / "examples" / "walking" / "biped.toml"
STEPS = kg.footsteps(2, length=0.1, width=0.2)


def with_more(joint: str, parent: str, mass: float) -> kg.Mechanism:
    """The biped and a crate, which the joint holds."""
    robot = kg.load(FILE)
    crate = kg.Link("crate", mass, (0, 0, 0), kg.inertia.box(1.0, (0.2, 0.2, 0.2)) if mass else (0,) * 6)
    loose = kg.Joint("loose", joint, parent, "crate", origin=kg.Pose((1, 0, -0.7)))  # type: ignore[arg-type]
    return replace(robot, links=(*robot.links, crate), joints=(*robot.joints, loose))


@pytest.mark.parametrize(("joint", "parent"), [("free", "world"), ("free", "trunk"), ("fixed", "world")])
def test_what_is_not_the_robots_is_refused(joint: str, parent: str) -> None:
    mechanism = with_more(joint, parent, 2.0)
    with pytest.raises(kg.ModelError, match=r"link 'crate' \(joint 'loose'\) is not part of the robot, but its mass"):
        kg.walking_pattern(kg.compile(mechanism), mechanism, FEET, STEPS)


@pytest.mark.parametrize(("parent", "mass"), [("world", 0.0), ("trunk", 2.0)])
def test_what_is_carried_or_stands_without_mass_is_no_obstacle(parent: str, mass: float) -> None:
    mechanism = with_more("fixed", parent, mass)
    assert biped(kg.compile(mechanism), mechanism, FEET).trunk == "trunk"


def test_robots_with_closed_loops_are_refused() -> None:
    """A crank at the hip that drives the knee by a rod."""
    robot, link = kg.load(FILE), kg.inertia.rod(0.2, 0.4, axis=(0, 0, 1))
    crank, rod = kg.Link("crank", 0.2, (0, 0, 0), link), kg.Link("rod", 0.2, (0, 0, -0.2), link)
    back, down = kg.Pose((-0.08, 0, 0)), kg.Pose((0, 0, -0.4))
    joints = [
        kg.Joint("motor", "revolute", "thigh_l", "crank", axis=(0, 1, 0)),
        kg.Joint("pin", "revolute", "crank", "rod", back, axis=(0, 1, 0)),
        kg.Joint("close", "revolute", "rod", "shank_l", down, child_origin=back, axis=(0, 1, 0)),
    ]
    driven = replace(robot, links=(*robot.links, crank, rod), joints=(*robot.joints, *joints))
    with pytest.raises(
        kg.ModelError, match=r"joint 'close' closes a loop; walking patterns are of robots without closed"
    ):
        kg.walking_pattern(kg.compile(driven), driven, FEET, STEPS)


def test_sets_of_feet_and_steps_have_no_order() -> None:
    robot = kg.load(FILE)
    model = kg.compile(robot)
    with pytest.raises(kg.ModelError, match=r"feet: expected .* left and the right foot, in this order, got \{'foot_"):
        kg.walking_pattern(model, robot, set(FEET), STEPS)  # type: ignore[arg-type]
    with pytest.raises(
        kg.ModelError, match=r"steps: expected them in their order, got a set; write a list, \[\.\.\.\]"
    ):
        kg.walking_pattern(model, robot, FEET, set(STEPS))  # type: ignore[arg-type]


def test_where_the_robot_stands_in_q0_does_not_matter() -> None:
    """Beside its first steps, far away, turned and upside down, with stretched knees."""
    robot = kg.load(FILE)
    model = kg.compile(robot)
    there = kg.walking_pattern(model, robot, FEET, STEPS, q0=model.q0, dt=5e-3)
    turns = ([0, 0, 0, 1], [0, 0, np.sin(1.0), np.cos(1.0)], [1, 0, 0, 0])
    for shift, turn in (
        ((0.3, 0, 0), turns[0]),
        ((3, 2, 0.5), turns[0]),
        ((0, 0, 0), turns[1]),
        ((-90, 5, 0), turns[2]),
    ):
        q0 = model.q0
        q0[:3] += shift
        q0[3:7] = turn
        found = kg.walking_pattern(model, robot, FEET, STEPS, q0=q0, dt=5e-3)
        np.testing.assert_allclose(found.q[:, 7:], there.q[:, 7:], atol=1e-9)
        np.testing.assert_allclose(found.q[:, :3], there.q[:, :3], atol=1e-9)
