"""Angles and speeds of connections and of joints that can be cut, which come and go while links turn."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinegen as kg

SPIN = 10.0
"""rad/s about z."""

ABOUT_Z = (0.0, 0.0, SPIN)


@cache
def spinning():
    """A body that turns freely; an axle that it may get, one at a declared place, and a wheel whose axle may break."""
    body, wheel = (kg.Link(name, 1.0, inertia=kg.inertia.box(1.0, (0.1, 0.2, 0.3))) for name in ("body", "wheel"))
    joints = [
        kg.Joint("flight", "free", "world", "body"),
        kg.Joint("axle", "revolute", "world", "wheel", axis=(0, 0, 1), stiffness=1e-6),
    ]
    connections = [
        kg.Connection("hold", "world", "body", kg.revolute(axis=(0, 0, 1), stiffness=1e-6)),
        kg.Connection("dock", "world", "body", kg.revolute(axis=(0, 0, 1)), pose_b=kg.Pose((0, 0, 0))),
    ]
    mechanism = kg.Mechanism("spinning", [body, wheel], joints, gravity=(0, 0, 0))
    return kg.TopologyLibrary(mechanism, connections, ["axle"])


def simulator(turned=0.0, **options):
    start = [0, 0, 0, 0, 0, np.sin(turned / 2), np.cos(turned / 2)]
    q, v = spinning().state({"flight": start}, {"flight": [0, 0, 0, *ABOUT_Z], "axle": SPIN})
    return kg.Simulator(spinning(), q=q, v=v, **options)


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit"])
@pytest.mark.parametrize("repeat", [False, True])
@pytest.mark.parametrize("name", ["hold", "dock"])
def test_an_angle_of_a_connection_counts_from_where_it_is_made(name, repeat, integrator):
    """1 rad after the connection the body is let go, however it turned before: both times where that repeats."""
    sim = simulator(turned=1.5, integrator=integrator)
    sim.when(kg.angle(name) > 1.0, "cut", name, repeat=repeat)
    sim.step(10)
    assert sim.events == () and len(sim.save().agenda.watches) == 1
    made = [2 * np.pi / SPIN - 0.15, 4 * np.pi / SPIN - 0.15]  # where the body is at 0 again
    for t in made:
        sim.at(t, "connect", name)
    sim.run(1.5)
    let_go = [event[0] for event in sim.events if event[1] == "cut"]
    assert let_go == pytest.approx([t + 1.0 / SPIN for t in made[: 1 + repeat]], abs=2e-5)
    assert sim.active == ({"axle"} if repeat else {"axle", name})


def test_a_speed_of_a_connection_counts_while_it_holds():
    """However fast the body turns before: it is braked, and let go once it is slow."""
    sim, seen = simulator(tau={"hold": -0.05}), []
    sim.when(kg.speed("hold") < 8.0, "cut", "hold")
    sim.when(kg.speed("hold") > 9.0, lambda s: seen.append(s.t), repeat=True)
    sim.at(0.1, "connect", "hold")
    run = sim.run(0.5)
    slowed = 0.1 + 2.0 * (0.1**2 + 0.2**2) / 12 / 0.05
    assert [event[:2] for event in run.events if event[2] == "hold"] == [
        (pytest.approx(0.1), "connect"),
        (pytest.approx(slowed, abs=1e-4), "cut"),
    ]
    assert seen == pytest.approx([0.1])


def test_an_angle_of_a_joint_that_was_cut_counts_from_where_it_was_declared():
    """So that what flew apart can be joined again where its parts meet."""
    sim = simulator()
    sim.at(0.1, "cut", "axle")
    sim.when(kg.angle("axle") > 2.0, "connect", "axle")
    events = sim.run(0.5).events
    assert [event[1:] for event in events] == [("cut", "axle"), ("connect", "axle")]
    assert [event[0] for event in events] == pytest.approx([0.1, 0.2], abs=2e-5)
