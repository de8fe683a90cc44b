"""How far frames are apart that are to be connected: true angles and lengths, at any attitude, at the start too."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pinocchio as pin
import pytest

import kinegen as kg

AXIS, SLANTED = (1.0, 0.0, 0.0), (0.6, 0.8, 0.0)
NEUTRAL_ANGLE = np.arccos(0.6)


@cache
def library() -> kg.TopologyLibrary:
    """Two links of a hinge that can be cut, in flight, and what may hold the first in the origin of the world."""
    links = [kg.Link(name, 2.0, inertia=np.diag([0.1, 0.2, 0.25])) for name in "bc"]
    joints = [kg.Joint("f", "free", "world", "b"), kg.Joint("e", "revolute", "b", "c", axis=AXIS)]
    kinds = {
        "weld": kg.fixed(),
        "slide": kg.prismatic(axis=AXIS),
        "hinge": kg.revolute(axis=AXIS),
        "cross": kg.universal(axis=AXIS, axis2=SLANTED),
        "ball": kg.spherical(),
    }
    made = [kg.Connection(name, "world", "b", kind, pose_b=kg.Pose()) for name, kind in kinds.items()]
    return kg.TopologyLibrary(kg.Mechanism("apart", links, joints, gravity=(0, 0, 0)), made, cuts=["e"])


def turned(angle: float, *axis: float) -> list[float]:
    return [*(np.sin(angle / 2) * np.array(axis)), np.cos(angle / 2)]


def pose(turn: list[float], place: tuple[float, ...] = (0.0, 0.0, 0.0)) -> np.ndarray:
    """q with `b` there and `c` on it."""
    return library().state({"f": [*place, *turn]})[0]


def refused(name: str, q: np.ndarray, gap: float, **more: object) -> None:
    """It is not connected, the message tells how far it is, and nothing moved."""
    sim = kg.Simulator(library(), q=q)
    before = sim.q.copy()
    with pytest.raises(kg.ModelError, match=re.escape(f"'{name}': its frames are {gap:.3g} m or rad apart")):
        sim.connect(name, **more)
    assert np.array_equal(sim.q, before) and sim.active == {"e"}
    assert library().library.gap(name, q) == pytest.approx(gap, abs=1e-12)


@pytest.mark.parametrize("name", ["weld", "slide"])
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.0, 0.8)])
def test_what_is_turned_is_apart_by_its_angle(name, axis):
    for angle in (np.pi, 3.1413, 3.0, 1.7, 0.3):
        q = pose(turned(angle, *axis))
        refused(name, q, angle)
        assert library().library.gap(name, q) == pytest.approx(angle, abs=1e-12)
    refused(name, pose(turned(3.0, *axis)), 3.0, tolerance=2.9)


def test_an_axis_that_points_the_other_way_is_apart():
    for angle in (np.pi, 3.0, 1.0):
        refused("hinge", pose(turned(angle, 0, 0, 1)), angle)
    along = kg.Simulator(library(), q=pose(turned(3.0, *AXIS)))
    along.connect("hinge")  # turned about itself only
    assert along.model.loop_joint("hinge", along.q)[0] == pytest.approx(3.0)


def test_two_axes_are_apart_by_the_change_of_the_angle_between_them():
    for angle in (0.5, -0.5, 3.0):  # about z: the second axis goes away from the first, in their plane
        now = abs(np.arctan2(np.sin(NEUTRAL_ANGLE + angle), np.cos(NEUTRAL_ANGLE + angle)))
        refused("cross", pose(turned(angle, 0, 0, 1)), abs(now - NEUTRAL_ANGLE))
    free = kg.Simulator(library(), q=pose(turned(3.0, *SLANTED)))
    free.connect("cross")
    assert free.active == {"cross", "e"}


def test_a_joint_that_broke_is_not_joined_upside_down():
    q = library().state({"f": [0, 0, 0, 0, 0, 0, 1], "free_c": [0, 0, 0, *turned(np.pi, 0, 0, 1)]})[0]
    sim = kg.Simulator(library(), q=q, active=set())
    before = sim.q.copy()
    with pytest.raises(kg.ModelError, match=r"'e': its frames are 3\.14 m or rad apart"):
        sim.connect("e")
    assert np.array_equal(sim.q, before)


def test_tolerance_is_a_length_of_the_whole_displacement():
    still, step = [0.0, 0.0, 0.0, 1.0], np.full(3, 8e-4)
    for name in ("weld", "hinge", "ball"):
        refused(name, pose(still, tuple(step)), np.linalg.norm(step))
        near = kg.Simulator(library(), q=pose(still, tuple(0.7 * step)))
        near.connect(name)
        assert np.abs(near.q[:3]).max() < 1e-10
    refused("slide", pose(still, (5.0, 8e-4, 8e-4)), 8e-4 * np.sqrt(2))  # across its axis
    kg.Simulator(library(), q=pose(still, (5.0, 7e-4, 7e-4))).connect("slide")
    refused("weld", pose(turned(1.2e-3, 0.6, 0.0, 0.8)), 1.2e-3)  # 7e-4 and 1e-3 about x and z


def test_what_a_large_tolerance_lets_through_is_closed_the_right_way_up():
    sim = kg.Simulator(library(), q=pose(turned(3.0, 0, 0, 1)))
    sim.connect("weld", tolerance=4.0)
    assert np.abs(np.abs(sim.q[:7]) - [0, 0, 0, 0, 0, 0, 1]).max() < 1e-10
    on_edge = kg.Simulator(library(), q=pose(turned(np.pi, 0, 0, 1)))
    with pytest.raises(kg.ModelError, match=r"3\.14 m or rad apart .*cannot be closed from here"):
        on_edge.connect("weld", tolerance=4.0)  # no way round is shorter


@pytest.mark.parametrize("order", [1, -1])
def test_what_contradicts_what_holds_is_named_with_it(order):
    """Welds of one link at two places: the second cannot be made at any tolerance while the first holds."""
    link = kg.Link("c", 1.0, inertia=np.diag([0.1, 0.2, 0.25]))
    places = {"low": kg.Pose(), "high": kg.Pose((0, 0, 0.5))}
    welds = [kg.Connection(name, "world", "c", kg.fixed(), at, kg.Pose()) for name, at in places.items()]
    flying = kg.Mechanism("two welds", [link], [kg.Joint("f", "free", "world", "c")], gravity=(0, 0, 0))
    sim = kg.Simulator(kg.TopologyLibrary(flying, welds[::order]), active={"low"})
    told = r"connection 'high': its frames are 0\.5 m or rad apart \(tolerance 1\) and cannot be closed from here"
    with pytest.raises(kg.ModelError, match=told) as refusal:
        sim.connect("high", tolerance=1.0)
    assert "larger tolerance" not in str(refusal.value) and sim.active == {"low"}
    sim.switch(connect=["high"], cut=["low"], tolerance=1.0)
    assert sim.q[2] == pytest.approx(0.5)


def test_only_what_is_to_be_connected_must_be_within_the_tolerance():
    """A ball that has swung is open by rounding; what rests where it belongs is connected with no tolerance at all."""
    links = [kg.Link(name, 2.0, (0.1, 0.2, 0), np.diag([0.3, 0.4, 0.5])) for name in ("swung", "rests")]
    joints = [kg.Joint(f"of {link.name}", "free", "world", link.name) for link in links]
    made = [
        kg.Connection("ball", "world", "swung", kg.spherical(), kg.Pose((0.1, 0.2, 0.3)), kg.Pose((0.3, 0.1, 0.7))),
        kg.Connection("park", "world", "rests", kg.fixed(), pose_b=kg.Pose()),
    ]
    mechanism = kg.Mechanism("swings beside", links, joints, gravity=(0, 0, 0))
    at = kg.TopologyLibrary(mechanism, made)
    q, v = at.state({"of swung": (-0.2, 0.1, -0.4, 0, 0, 0, 1)})
    v[:3] = 1.0, -2.0, 0.5
    sim = kg.Simulator(at, q=q, v=v, active={"ball"})
    sim.run(0.05)
    assert 0.0 < at.library.gap("ball", sim.q) < 1e-10 and at.library.gap("park", sim.q) == 0.0
    sim.connect("park", tolerance=0.0)
    assert sim.active == {"ball", "park"}


def test_the_start_tells_the_true_angle():
    for angle in (np.pi, 3.1413, 3.0):
        q = pose(turned(angle, 0, 0, 1))
        with pytest.warns(kg.ClosureWarning, match=f"'weld' .* was open by {angle:.3g} m or rad"):
            sim = kg.Simulator(library(), q=q, active={"weld", "e"})
        assert np.abs(np.abs(sim.q[:7]) - [0, 0, 0, 0, 0, 0, 1]).max() < 1e-10
        with pytest.warns(kg.ClosureWarning, match=f"'weld' .* was open by {angle:.3g} m or rad"):
            kg.rollout(library(), q, steps=1, active={"weld", "e"})


def test_a_place_is_a_pose_an_array_or_what_becomes_one():
    """Such as Pinocchio's SE3: the frame stands there in the link either way."""
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    at = pin.SE3(turn, np.array([0.1, 0.2, 0.3]))
    for given in (kg.Pose((0.1, 0.2, 0.3), rotation=turn), at.homogeneous, at):
        sim = kg.Simulator(library(), active=())
        sim.connect("weld", pose_b=given, tolerance=2.0)
        assert sim.model.frame_pose(sim.q, "b") == pytest.approx(at.inverse().homogeneous, abs=1e-9)
