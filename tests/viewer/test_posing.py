"""Sliders of a model: its freedoms go where told, loops stay closed, what is out of reach is said."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.viewer.freedoms import freedoms
from kinegen.runtime.viewer.posing import Posing
from support.mechanisms.closed_mechanisms import four_bar


def test_a_four_bar_follows_its_crank_all_the_way_round() -> None:
    """a = 1 is the shortest: it turns; the knee by the law of cosines in the triangle of coupler, rocker, diagonal."""
    model = kg.compile(four_bar(1.0, 2.0, 2.5, 3.0))
    posing = Posing(model)
    assert [freedom.name for freedom in posing.freedoms] == ["pivot"]
    for angle in (1.0, 3.0, 5.0, 2 * np.pi, -1.0):
        posing.move(0, angle)
        assert posing.values() == pytest.approx([angle], abs=1e-12)
        assert np.abs(model.closure_residual(posing.q)).max() < 1e-10
        elbow = np.array([np.cos(angle), np.sin(angle), 0.0])
        tip = elbow + 2.0 * np.array([np.cos(angle + posing.q[1]), np.sin(angle + posing.q[1]), 0.0])
        assert np.linalg.norm(tip - [3.0, 0.0, 0.0]) == pytest.approx(2.5, abs=1e-9)


def test_what_loops_cannot_reach_is_said_and_the_last_closed_pose_stays() -> None:
    """a = 2, b = 1, c = 2.5, d = 3: with coupler and rocker in line, cos(pivot) = (a² + d² − (b + c)²) / 2 a d."""
    model = kg.compile(four_bar(2.0, 1.0, 2.5, 3.0))
    posing = Posing(model)
    with pytest.raises(kg.ModelError, match=r"'pivot' cannot reach 3, it stays at 1\.5"):
        posing.move(0, 3.0)
    assert np.abs(model.closure_residual(posing.q)).max() < 1e-10
    limit = np.arccos((4.0 + 9.0 - 3.5**2) / 12.0)
    assert limit - 0.02 < posing.values()[0] <= limit + 1e-9
    posing.move(0, 1.0)
    assert posing.values() == pytest.approx([1.0])
    posing.reset()
    assert np.array_equal(posing.q, model.q0)


def test_balls_and_free_joints_are_posed_by_vectors_from_q0() -> None:
    """One slider leaves the others where they are; a rotation vector along one axis is a turn about it."""
    solid = kg.inertia.sphere(1.0, 0.2)
    links = [kg.Link(name, 1.0, (0.5, 0, 0), solid) for name in ("a", "b", "c")]
    joints = [
        kg.Joint("base", "free", "world", "a"),
        kg.Joint("ball", "spherical", "a", "b"),
        kg.Joint("slide", "prismatic", "b", "c", axis=(0, 1, 0), limits=(-0.2, 0.5)),
    ]
    model = kg.compile(kg.Mechanism("m", links, joints))
    posing = Posing(model)
    names = [freedom.name for freedom in posing.freedoms]
    assert len(names) == model.nv == 10 and names[-1] == "slide" and names[0].startswith("base ")
    wanted = np.linspace(-0.4, 0.5, 10)
    for number, value in enumerate(wanted):
        posing.move(number, float(value))
    np.testing.assert_allclose(posing.values(), wanted, atol=1e-12)
    posing.reset()
    posing.move(8, 0.3)
    np.testing.assert_allclose(posing.q[model.q_slice("ball")], [0, 0, np.sin(0.15), np.cos(0.15)], atol=1e-12)
    slide = posing.freedoms[-1]
    assert slide.reach(model.q0, 3.0, 1.0) == (-0.2, 0.5) and slide.linear and not slide.free
    assert posing.freedoms[0].reach(model.q0, 3.0, 1.0) == (-1.0, 1.0) and posing.freedoms[0].free


def test_a_continuous_joint_reaches_no_further_than_the_limits_of_what_follows_it() -> None:
    links = [kg.Link(name, 1.0, (0.1, 0, 0), kg.inertia.box(1.0, (0.2, 0.1, 0.1))) for name in "abc"]
    joints = [
        kg.Joint("lead", "continuous", "world", "a"),
        kg.Joint("follow", "revolute", "a", "b", mimic=kg.Mimic("lead", -2.0), limits=(-0.2, 0.5)),
        kg.Joint("wheel", "continuous", "b", "c"),
    ]
    model = kg.compile(kg.Mechanism("stopped_wheel", links, joints))
    lead, wheel = freedoms(model)
    assert lead.reach(model.q0, 3.0, 1.0) == (-0.25, 0.1) and wheel.reach(model.q0, 3.0, 1.0) == (-3.0, 3.0)


def test_closed_mechanisms_are_led_by_what_is_independent() -> None:
    model = kg.compile(four_bar(1.0, 2.0, 2.5, 3.0))
    assert tuple(freedom.joint.name for freedom in freedoms(model)) == model.independent
