"""Angles and speeds of connections and of joints that can be cut, which come and go while links turn."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinegen as kg

SPIN = 10.0
"""rad/s about z."""

STIFFNESS = 1e-6
"""N m/rad: felt, and too soft to move anything."""


@cache
def spinning():
    """A body that turns freely; an axle that it may get, one at a declared place, and a wheel whose axle may break."""
    body, wheel = (kg.Link(name, 1.0, inertia=kg.inertia.box(1.0, (0.1, 0.2, 0.3))) for name in ("body", "wheel"))
    joints = [
        kg.Joint("flight", "free", "world", "body"),
        kg.Joint("axle", "revolute", "world", "wheel", axis=(0, 0, 1), stiffness=STIFFNESS),
    ]
    connections = [
        kg.Connection("hold", "world", "body", kg.revolute(axis=(0, 0, 1), stiffness=STIFFNESS)),
        kg.Connection("dock", "world", "body", kg.revolute(axis=(0, 0, 1)), pose_b=kg.Pose((0, 0, 0))),
    ]
    mechanism = kg.Mechanism("spinning", [body, wheel], joints, gravity=(0, 0, 0))
    return kg.TopologyLibrary(mechanism, connections, ["axle"])


def simulator(turned=0.0, **options):
    start = [0, 0, 0, 0, 0, np.sin(turned / 2), np.cos(turned / 2)]
    q, v = spinning().state({"flight": start}, {"flight": [0, 0, 0, 0, 0, SPIN], "axle": SPIN})
    return kg.Simulator(spinning(), q=q, v=v, **options)


def felt(sim, *names):
    """Angles by which springs pull back."""
    return [-sim.wrench(name)[5] / STIFFNESS for name in names]


def test_conditions_with_an_equals_sign_hold_at_the_bound_itself():
    """Where a motion starts just there, on its way off; and sizes of forces, which are never below 0. Others wait."""
    at_once = [kg.angle("axle") <= 0.0, kg.speed("axle") >= SPIN, kg.force("hold") <= 0.0, kg.moment("hold") <= 0]
    never = [kg.angle("axle") < 0.0, kg.speed("axle") > SPIN, kg.force("hold") < 0.0, kg.angle("axle") >= 0.55]
    sim, fired = simulator(integrator="rk4"), []
    for condition in [*never, *at_once]:
        sim.when(condition, lambda s, condition=condition: fired.append((s.t, condition)))
    assert sim.run(0.05).q.shape[0] > 1
    assert fired == [(0.0, condition) for condition in at_once]
    assert [str(condition) for condition in at_once[:2]] == ["angle(axle) <= 0", "speed(axle) >= 10"]


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


@pytest.mark.parametrize("limits", [(-20.0, 20.0), None], ids=["limits", "free"])
def test_turns_and_speed_of_a_joint_that_can_be_cut(limits):
    """A wheel from rest at 1 rad/s²: its angle is 1 at √2 s and 7, past a turn, at √14 s, its speed 3 at 3 s."""
    disc = kg.Link("disc", 1.0, inertia=kg.inertia.cylinder(1.0, 0.2, 0.05))
    axle = kg.Joint("axle", "revolute", "world", "disc", axis=(0, 0, 1), limits=limits)
    lib = kg.TopologyLibrary(kg.Mechanism("wheel_watched", [disc], [axle]), cuts=["axle"])
    sim = kg.Simulator(lib, integrator="rk4", dt=0.01, tau={"axle": 0.02})
    seen = []
    for condition in (kg.angle("axle") > 1.0, kg.angle("axle") > 7.0, kg.speed("axle") > 3.0):
        sim.when(condition, lambda s: seen.append(s.t))
    sim.step(500)
    assert seen == pytest.approx([np.sqrt(2.0), 3.0, np.sqrt(14.0)], abs=1e-4)


@pytest.mark.parametrize("name", ["hold", "axle"])
@pytest.mark.parametrize("every", [1, 7])
def test_a_trajectory_counts_turns_from_where_a_joint_is_made(name, every, tmp_path):
    """As its spring feels them, which begins anew too; files and slices that begin before tell the same."""
    sim, made = simulator(turned=0.8), {"hold": 0.5, "axle": 1.0}[name]
    sim.at(0.2, "cut", "axle")
    sim.at(made, "connect", name)
    sim.step(100)  # 1 rad
    run = sim.run(1.4, every=every)
    felt = -sim.wrench(name)[5] / STIFFNESS
    angle = run.joint(name)[0][:, 0]
    assert felt == pytest.approx(angle[-1], abs=1e-6) and angle[-1] - angle[-2] > 0.0
    after = np.flatnonzero(run.t >= made)
    assert -np.pi < angle[after[0]] <= np.pi and np.allclose(
        np.diff(angle[after]), SPIN * np.diff(run.t[after]), atol=1e-3
    )
    before = run.t < (made if name == "hold" else 0.2)
    assert np.abs(np.diff(angle[before])).max() < 0.1 * every + 1e-3  # by turns there as well
    run.save(tmp_path / "run.npz")
    again = kg.Trajectory.load(tmp_path / "run.npz", model=run.model)
    assert np.array_equal(again.joint(name)[0][:, 0], angle)
    assert np.array_equal(run[after[0] - 2 :].joint(name)[0][2:, 0], angle[after])


def test_a_trajectory_counts_turns_anew_where_a_joint_was_cut_between_two_states():
    """A cut joint, of which the states alone do not tell it, and a connection that is made elsewhere."""
    sim = simulator()
    sim.connect("hold")
    sim.at(0.95, "cut", "axle", "hold")
    sim.at(0.96, "connect", "axle", "hold")
    run = sim.run(1.5, every=100)
    for name in ("axle", "hold"):
        felt = -sim.wrench(name)[5] / STIFFNESS
        assert run.joint(name)[0][-1, 0] == pytest.approx(felt, abs=1e-6)
        assert run.joint(name)[0][9, 0] == pytest.approx(9.0, abs=1e-2)


def test_a_trajectory_counts_turns_from_within_limits_as_the_simulator_does():
    """Of a joint between 1 and 2 turns, at first and where it is joined again."""
    wheel = kg.Link("wheel", 1.0, inertia=kg.inertia.sphere(1.0, 0.1))
    limits = (2 * np.pi, 4 * np.pi)
    axle = kg.Joint("axle", "revolute", "world", "wheel", axis=(0, 0, 1), limits=limits, stiffness=STIFFNESS)
    library = kg.TopologyLibrary(kg.Mechanism("second_turn", [wheel], [axle], gravity=(0, 0, 0)), cuts=["axle"])
    q, v = library.state({"axle": 1.0}, {"axle": 1.0})
    sim = kg.Simulator(library, q=q, v=v)
    sim.at(0.2, "cut", "axle")
    sim.at(0.4, "connect", "axle")
    angle = sim.run(0.6).joint("axle")[0][:, 0]
    assert angle == pytest.approx(2 * np.pi + 1.0 + np.linspace(0.0, 0.6, 601), abs=1e-3)
    assert -sim.wrench("axle")[5] / STIFFNESS == pytest.approx(angle[-1], rel=1e-3)


@pytest.mark.parametrize(("given", "turns"), [("v", 1), ("driven", 1), ("q", 0)])
def test_turns_are_counted_on_unless_another_q_is_given(given, turns):
    """Of a connection, whose turns a q does not tell."""
    sim = simulator()
    sim.connect("hold")
    sim.step(800)
    setattr(sim, given, getattr(sim, given) if given != "driven" else None)
    assert -sim.wrench("hold")[5] / STIFFNESS == pytest.approx(8.0 - 2 * np.pi * (1 - turns), abs=1e-3)


@pytest.mark.parametrize("every", [1, 7])
def test_a_trajectory_counts_turns_anew_where_an_action_assigns_q(every):
    """As the simulator does, whose spring feels the angle; of a joint that is never cut as well."""
    sim = simulator()
    sim.connect("hold")
    sim.at(0.8, lambda sim: setattr(sim, "q", sim.q))
    run = sim.run(0.9, every=every)
    assert (0.8, "assign", "q") in run.events
    for name, angle in zip(("hold", "axle"), felt(sim, "hold", "axle"), strict=True):
        assert angle == pytest.approx(9.0 - 2 * np.pi, abs=1e-2)
        assert run.joint(name)[0][-1, 0] == pytest.approx(angle, abs=1e-6)
        assert run.joint(name)[0][run.t < 0.8][-1, 0] == pytest.approx(10.0 * run.t[run.t < 0.8][-1], abs=1e-2)


def test_turns_are_counted_on_where_a_library_is_built_anew():
    """Of a connection and of a joint that can be cut, and of a joint of the tree that turns out not to be cut."""
    links = [kg.Link(name, 1.0, inertia=kg.inertia.sphere(1.0, 0.2)) for name in ("body", "wheel", "disc")]
    joints = [
        kg.Joint("flight", "free", "world", "body"),
        kg.Joint("axle", "revolute", "world", "wheel", stiffness=STIFFNESS),
        kg.Joint("pin", "revolute", "world", "disc", stiffness=STIFFNESS),
    ]
    hold = kg.Connection("hold", "world", "body", kg.revolute(stiffness=STIFFNESS))
    library = kg.TopologyLibrary(kg.Mechanism("built_anew", links, joints, gravity=(0, 0, 0)), [hold], ["axle"])
    speeds = {"flight": [0, 0, 0, 0, 0, SPIN], "axle": 2 * SPIN, "pin": -2 * SPIN}
    sim = kg.Simulator(library, v=library.state({}, speeds)[1], active={"hold", "axle"}, integrator="rk4")
    sim.step(800)
    with pytest.warns(kg.TopologyWarning, match="tie: not foreseen"):
        sim.connect(kg.Connection("tie", "world", "disc", kg.revolute(stiffness=STIFFNESS)))
    assert felt(sim, "hold", "axle", "tie") == pytest.approx([8.0, 16.0, 0.0], abs=5e-3)
    with (
        pytest.warns(kg.TopologyWarning, match="pin: not foreseen"),
        pytest.raises(kg.ModelError, match=r"library 'built_anew' has no connection 'no such thing'"),
    ):
        sim.cut("pin", "no such thing")
    assert "pin" in sim.active
    assert felt(sim, "hold", "axle", "tie", "pin") == pytest.approx([8.0, 16.0, 0.0, -16.0], abs=5e-3)
