"""What is known of a run whose structure changed: events, saved states, trajectories and their files."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

import kinegen as kg
from support.contact.dropped import drop, simulator


def test_events_belong_to_their_run():
    """Each trajectory has its own; the simulator all of them since the start, those between two runs too."""
    sim = simulator()
    sim.at(0.05, "connect", "weld")
    sim.at(0.15, "cut", "weld")
    first, second = sim.run(0.1), sim.run(0.1)
    sim.connect("weld")
    third = sim.run(0.1)
    assert [event[1:] for event in first.events] == [("connect", "weld")]
    assert [event[1:] for event in second.events] == [("cut", "weld")]
    assert third.events == ()
    assert sim.events[:2] == (*first.events, *second.events)
    assert [event[1:] for event in sim.events] == [("connect", "weld"), ("cut", "weld"), ("connect", "weld")]
    assert [event[0] for event in sim.events] == pytest.approx([0.05, 0.15, 0.2])


def test_a_saved_state_brings_back_what_happened_and_what_will():
    sim = simulator()
    sim.at(0.05, "connect", "weld")
    sim.at(0.15, "cut", "weld")
    sim.step(100)
    saved = sim.save()
    assert saved.t == pytest.approx(0.1) and saved.events == sim.events and len(saved.events) == 1
    runs = []
    for _ in range(2):
        runs.append(sim.run(0.1))
        assert [event[1] for event in sim.events] == ["connect", "cut"]
        sim.restore(saved)
        assert sim.events == saved.events and sim.active == {"pivot", "weld"} and sim.t == saved.t
    assert runs[0].events == runs[1].events and [event[1] for event in runs[0].events] == ["cut"]
    assert np.array_equal(runs[0].q, runs[1].q)


def test_a_simulator_remembers_the_latest_events_and_counts_the_others():
    """So that memory is bounded; a run keeps all of its own, and saved states and copies know the count."""
    sim = simulator()
    for k in range(10_004):
        sim.at(0.002 if k else 0.0, lambda _: None)
    assert sim.events == () and sim.events_forgotten == 0
    sim.step()
    before = sim.save()
    run = sim.run(0.002)
    assert len(run.events) == 10_003 and len(sim.events) == 10_000 and sim.events_forgotten == 4
    assert sim.events == run.events[3:]
    twin = copy.copy(sim)
    twin.connect("weld")
    assert (len(twin.events), twin.events_forgotten, twin.events[-1][1:]) == (10_000, 5, ("connect", "weld"))
    assert sim.events_forgotten == 4 and sim.events[-1][1] == "<lambda>"
    sim.restore(before)
    assert (len(sim.events), sim.events_forgotten) == (1, 0)
    with pytest.raises(kg.ModelError, match="state: its number of forgotten events is damaged"):
        sim.restore(replace(before, forgotten=-1))


def test_a_run_that_fails_keeps_its_events():
    sim = simulator()
    sim.at(0.005, "connect", "weld")
    sim.at(0.01, lambda s: setattr(s, "tau", np.full(s.model.nv, 1e305)))
    with pytest.raises(kg.SimulationError) as caught:
        sim.run(1.0)
    assert [event[1] for event in caught.value.trajectory.events] == ["connect", "<lambda>"]


def test_save_and_restore_bring_structure_and_plans_back():
    sim = simulator()
    sim.at(0.05, "connect", "weld")
    state = sim.save()
    sim.run(0.1)
    q = sim.q
    sim.restore(state)
    assert sim.active == {"pivot"}
    sim.run(0.1)
    assert np.array_equal(sim.q, q)
    assert sim.active == {"pivot", "weld"}


def test_a_trajectory_knows_what_was_connected_when(tmp_path):
    """Gaps of what holds at each moment, joints in the frames of that moment; files, slices and other models too."""
    sim = simulator(integrator="rk4", dt=2e-3)
    sim.v = drop().state(v={"a_free": [0.3, 0, 0, 0, 4.0, 0]})[1]
    sim.at(0.05, "connect", "rope")
    sim.at(0.1, "cut", "pivot", "rope")
    sim.at(0.2, "connect", "rope")
    trajectory = sim.run(0.3)
    assert trajectory.closure_gap.max() <= 1e-10 and len(trajectory.structures) == 4
    turned = trajectory.joint("rope")[0]  # from where it was made: twice
    for first, last in ((26, 49), (101, 150)):
        angle = 2 * np.arctan2(turned[first : last + 1, 1], turned[first : last + 1, 3])
        speed = trajectory.joint("a_free")[1][first : last + 1, 4]
        assert abs(angle[0]) < 0.02 and np.abs(np.abs(np.diff(angle)) - 2e-3 * np.abs(speed[:-1])).max() < 1e-4
    trajectory.save(tmp_path / "run.npz")
    again = kg.Trajectory.load(tmp_path / "run.npz", model=sim.library.model)
    assert np.array_equal(again.joint("rope")[0], turned)
    assert np.array_equal(trajectory[40:120].joint("rope")[0], turned[40:120])
    with pytest.raises(
        kg.ModelError, match=r"with joints a_free, b_free, free_rod: not of model 'drop' with .*, pivot"
    ):
        kg.Trajectory.load(tmp_path / "run.npz", model=kg.compile(drop().mechanism))


def test_torques_are_recorded_while_they_are_exerted(tmp_path):
    """Of a connection: none before it is made, after it is cut, and in the last state if it is cut there."""
    sim = kg.Simulator(drop(), tau={"pivot": 1.5, "rope": [0.1, 0.2, 0.3]}, integrator="rk4")
    sim.connect("rope")
    sim.run(0.01)
    for change, held in ((lambda: None, True), (lambda: sim.cut("rope"), False), (lambda: sim.connect("rope"), True)):
        change()
        run = sim.run(0.01)
        run.save(tmp_path / "run.npz")
        for one in (run, kg.Trajectory.load(tmp_path / "run.npz", model=run.model)):
            np.testing.assert_array_equal(one.joint("rope")[2], np.tile([0.1, 0.2, 0.3], (11, 1)) * held)
    sim.at(sim.t + 0.01, "cut", "rope")
    assert sim.run(0.01).joint("rope")[2].any(axis=1).tolist() == [True] * 10 + [False]


@pytest.mark.parametrize("every", [1, 4])
def test_a_run_that_begins_within_a_step_records_where_it_begins(every):
    """Its first state, and the mean torques of the rest of that step; what happens there lies within the record."""
    sim, states = simulator(tau=lambda t, q, v: np.full(18, 10.0 * t)), []
    sim.at(0.0503, lambda s: states.append(s.save()))
    sim.at(0.0507, lambda s: None)
    sim.run(0.06)
    sim.restore(states[0])
    q, v = sim.q, sim.v
    run = sim.run(0.01, every=every)
    assert run.t == pytest.approx([0.0503, *{1: np.arange(51, 61) * 1e-3, 4: [0.054, 0.058, 0.06]}[every]], abs=1e-12)
    assert run.t[0] == states[0].t and np.array_equal(run.q[0], q) and np.array_equal(run.v[0], v)
    assert np.array_equal(run.q[-1], sim.q)
    assert run.events[0][0] == pytest.approx(0.0507) and run.t[0] < run.events[0][0]
    mean = (4 * 0.503 + 3 * 0.507) / 7  # of two parts, 0.4 and 0.3 ms long
    assert run.tau[0, 0] == pytest.approx(mean, rel=1e-9)


def test_a_run_that_goes_back_into_a_step_records_that_moment():
    """The states go on from there, and the torques of the step that was left are its own."""
    sim, states = simulator(), []
    sim.at(0.0503, lambda s: states.append(s.save()))
    sim.at(0.055, lambda s: len(states) > 1 or (states.append(s.t), s.restore(states[0])))
    run = sim.run(0.06)
    assert run.t[50:58] == pytest.approx([0.05, 0.051, 0.052, 0.053, 0.054, 0.0503, 0.051, 0.052], abs=1e-12)
    assert np.array_equal(run.q[55], states[0].q)
    assert np.array_equal(run.q[56:60], run.q[51:55]) and len(run) == 55 + 11
