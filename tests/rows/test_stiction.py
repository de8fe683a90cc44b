"""Dry friction of joints as rows: it sticks, and slides at exactly its force; against closed solutions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

import kinegen as kg
from support.mechanisms.closed_mechanisms import four_bar

STICKS = kg.RowRules(friction=True)


def block(friction: float) -> kg.Mechanism:
    """A block of 2 kg on a slide along z."""
    link = kg.Link("block", 2.0, (0, 0, 0), kg.inertia.sphere(2.0, 0.1))
    joint = kg.Joint("slide", "prismatic", "world", "block", axis=(0, 0, 1), friction=friction)
    return kg.Mechanism("block", [link], [joint], gravity=(0, 0, -9.81))


def test_a_block_holds_below_and_slides_above() -> None:
    """μ-less: 19.62 N pull at 25 N of friction; pushed by up to 50 N more. x = ½ (F − 25 − 19.62)/2 t², to rounding."""
    model = kg.compile(block(25.0), rows=STICKS)
    sim = kg.Simulator(model)
    sim.step(1000)
    assert sim.v[0] == 0.0
    assert sim.q[0] == 0.0
    (row,) = sim.rows
    assert (row.name, row.kind, row.dof) == ("slide", "friction", 0)
    assert row.force[0] == pytest.approx(19.62)
    for push, acceleration in ((44.5, 0.0), (50.0, (50.0 - 44.62) / 2), (-6.0, (-6.0 + 5.38) / 2), (-5.0, 0.0)):
        sim = kg.Simulator(model, tau=[push])
        sim.step(400)
        assert sim.v[0] == pytest.approx(0.4 * acceleration, abs=1e-12)


def test_sliding_stops_where_it_should() -> None:
    """Thrown up at 3 m/s it comes to rest after v²/2a and stays, to rounding."""
    deceleration = 9.81 + 25.0 / 2
    sim = kg.Simulator(kg.compile(block(25.0), rows=STICKS), v=[3.0], dt=1e-4)
    sim.step(3000)
    assert abs(sim.v[0]) < 1e-15
    assert sim.q[0] == pytest.approx(9.0 / 2 / deceleration, rel=1e-3)
    at_rest = sim.q[0]
    sim.step(1000)
    assert sim.q[0] == pytest.approx(at_rest, abs=1e-15)
    smooth = kg.Simulator(kg.compile(block(25.0)), v=[3.0], dt=1e-4)
    smooth.step(3000)
    load = 2.0 * 9.81  # friction that is smooth lets it creep, where 25 v/√(v² + ε²) is the load
    assert smooth.v[0] == pytest.approx(-1e-3 * load / np.sqrt(25.0**2 - load**2), rel=1e-9)


def test_stick_slip_on_a_belt() -> None:
    """A block on a moving belt, held by a spring: it rides until k x = f, slips back, rides again; closed solution."""
    k, m, f, belt = 200.0, 1.0, 4.0, 0.1
    links = [
        kg.Link("belt", 1000.0, (0, 0, 0), kg.inertia.sphere(1000.0, 0.1)),
        kg.Link("block", m, (0, 0, 0), kg.inertia.sphere(m, 0.1)),
    ]
    joints = [
        kg.Joint("drive", "prismatic", "world", "belt", axis=(1, 0, 0)),
        kg.Joint("slip", "prismatic", "belt", "block", axis=(1, 0, 0), friction=f),
    ]
    model = kg.compile(kg.Mechanism("belt", links, joints), rows=STICKS)
    sim = kg.Simulator(model, v=[belt, 0.0], dt=1e-4, tau=lambda t, q, v: [-k * (q[0] + q[1]), -k * (q[0] + q[1])])
    trajectory = sim.run(1.0)
    x, slip = trajectory.q.sum(axis=1), trajectory.v[:, 1]
    begins = int(np.argmax(np.abs(slip) > 1e-6))
    assert np.abs(slip[: begins - 10]).max() < 1e-12
    assert trajectory.t[begins] == pytest.approx(f / k / belt, abs=2e-3)
    assert x[begins] == pytest.approx(f / k, rel=5e-3)
    # friction is f all the way, so the block swings about f/k at the belt's speed and comes back to it
    omega = np.sqrt(k / m)
    peak = f / k + belt / omega
    assert x.max() == pytest.approx(peak, rel=2e-2)


def test_a_pendulum_comes_to_a_stop_within_its_dead_angle() -> None:
    """m g l sin q < friction wherever it stays; an arm with several joints keeps still under gravity."""
    rod = kg.inertia.rod(1.0, 1.0)
    links = [kg.Link(f"l{i}", 1.0, (0.5, 0, 0), rod) for i in range(3)]
    joints = [
        kg.Joint(f"j{i}", "revolute", "world" if i == 0 else f"l{i - 1}", f"l{i}",
                 kg.Pose((1.0 * (i > 0), 0, 0)), axis=(0, 1, 0), friction=60.0 - 20.0 * i)
        for i in range(3)
    ]  # fmt: skip
    model = kg.compile(kg.Mechanism("arm", links, joints), rows=STICKS)
    still = kg.Simulator(model, q=[0.0, 0.0, 0.0])
    still.step(200)
    assert np.abs(still.v).max() < 1e-9
    needed = model.inverse_dynamics(np.zeros(3), np.zeros(3), np.zeros(3))
    np.testing.assert_allclose([row.force[0] for row in still.rows], needed, rtol=1e-3)
    swinging = kg.Simulator(model, q=[0.3, 0.2, -0.1], v=[3.0, -2.0, 4.0])
    swinging.step(3000)
    assert np.abs(swinging.v).max() < 1e-9
    hold = model.inverse_dynamics(swinging.q, np.zeros(3), np.zeros(3))
    assert (np.abs(hold) <= np.array([60.0, 40.0, 20.0]) + 1e-6).all()


def test_friction_and_limits_share_the_sweep() -> None:
    """A joint that slides down to its limit, or sticks; friction that is open is refused."""
    link = kg.Link("block", 2.0, (0, 0, 0), kg.inertia.sphere(2.0, 0.1))
    slide = kg.Joint("slide", "prismatic", "world", "block", axis=(0, 0, 1), limits=(-0.1, 1.0))
    for value, stays in ((25.0, True), (10.0, False)):
        mech = kg.Mechanism("block", [link], [replace(slide, friction=(value,))])
        sim = kg.Simulator(kg.compile(mech, rows=STICKS))
        sim.step(800)
        assert sim.q[0] == pytest.approx(0.0 if stays else -0.1, abs=1e-6)
        assert sim.rows[0].force[0] <= value + 1e-9
    with pytest.raises(kg.ModelError, match="'slide': its friction is open"):
        kg.compile(kg.Mechanism("block", [link], [replace(slide, friction=(sympy.Symbol("f"),))]), rows=STICKS)


def test_friction_of_a_joint_that_closes_a_loop_is_refused_by_name() -> None:
    """Of a mechanism and of a library's connection: no row holds it, and smooth friction would creep."""
    told = r"'%s': it closes a loop, and friction=True .* leave friction=False, or, .* cut another joint"
    with pytest.raises(kg.ModelError, match=told % "tip"):
        kg.compile(four_bar(0.3, 0.9, 0.7, 0.8, friction=5.0), rows=STICKS)
    two = kg.Mechanism(
        "two",
        [kg.Link(name, 1.0, (0.2, 0, 0), kg.inertia.box(1.0, (0.4, 0.02, 0.02))) for name in "ab"],
        [kg.Joint("pivot", "revolute", "world", "a", axis=(0, 1, 0)), kg.Joint("float", "free", "world", "b")],
    )
    hinge = kg.Connection("hinge", "a", "b", kg.revolute(axis=(0, 1, 0), friction=3.0), pose=kg.Pose((0.4, 0, 0)))
    with pytest.raises(kg.ModelError, match=told % "hinge"):
        kg.TopologyLibrary(two, [hinge], rows=STICKS).precompile()
