"""Things that happen while a mechanism moves: at times, on conditions, at once; located within the step."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from support.contact.dropped import drop, simulator

G = 9.81


def test_a_change_at_a_time_between_two_steps():
    """Free fall until t, then held: the impulse is the momentum at just that time."""
    sim = simulator(integrator="rk4", dt=0.01)
    impacts = []
    sim.at(0.123, lambda s: impacts.append(s.connect("rope")))
    trajectory = sim.run(0.2)
    assert impacts[0].t == pytest.approx(0.123, abs=1e-12)
    assert impacts[0].impulse[2] == pytest.approx(-2.0 * G * 0.123, rel=1e-9)  # on world
    assert sim.t == pytest.approx(0.2)
    assert len(trajectory) == 21
    assert np.allclose(trajectory.t, np.arange(21) * 0.01)
    height = -0.5 * G * 0.123**2
    assert sim.q[drop().model.q_slice("a_free")][2] == pytest.approx(height, abs=1e-9)
    assert ("connect", "rope") in [event[1:] for event in trajectory.events]


def test_a_condition_is_located_within_the_step():
    """A ball falls past a height: 0.05 s steps, time known to a thousandth of one."""
    sim = simulator(integrator="rk4", dt=0.05)
    times = []
    sim.when(kg.relative_position("world", "a", "z") < -1.0, lambda s: times.append(s.t))
    sim.step(20)
    assert times[0] == pytest.approx(np.sqrt(2.0 / G), abs=1e-4)
    assert sim.t == pytest.approx(1.0)


@pytest.mark.parametrize("late", [2e-4, 5e-4, 1e-3, 2e-3, 5e-3])
def test_what_holds_from_late_in_a_step_is_located_as_well(late):
    """A ball that is thrown up is above a height from so many seconds before to just after the end of a step of 10 ms:
    there it is slow, and its height tells little of when it came there."""
    begin, end = 0.31 - late, 0.31 + 1e-4
    sim = simulator(integrator="rk4", dt=0.01)
    sim.v = drop().state(v={"a_free": [0, 0, 0.5 * G * (begin + end), 0, 0, 0]})[1]
    sim.when(kg.relative_position("world", "a", "z") > 0.5 * G * begin * end, "connect", "rope")
    assert sim.run(0.4).events[0][0] == pytest.approx(begin, abs=1e-5)


def test_things_break_under_load():
    """A rope that is jerked carries m g at rest; it breaks as soon as more hangs on it."""
    sim = simulator(heights=(0.0, -1.0), active={"pivot", "rope"})
    assert np.linalg.norm(sim.wrench("rope")[:3]) == pytest.approx(2.0 * G, rel=1e-9)
    sim.when(kg.force("rope") > 2.5 * G, "cut", "rope")
    sim.step(10)
    assert "rope" in sim.active
    sim.v = np.zeros(drop().model.nv)
    sim.connect("weld")
    sim.step(2)
    assert sim.active == {"pivot", "weld"}


def test_moment_angle_speed_and_distance():
    sim = simulator(heights=(0.0, 3.0), integrator="rk4", dt=1e-3)
    sim.q = drop().state({"a_free": [0, 0, 0, 0, 0, 0, 1], "b_free": [0, 0, 3, 0, 0, 0, 1], "pivot": 1.0})[0]
    seen = {}
    for name, condition in {
        "distance": kg.distance("a", "b") < 2.5,
        "angle": kg.angle("pivot") < 0.5,
        "speed": kg.speed("a_free", 2) < -4.0,
        "turned": kg.relative_angle("world", "rod") < 0.25,
    }.items():
        sim.when(condition, lambda s, name=name: seen.setdefault(name, (s.t, s.q, s.v)))
    v = sim.v.copy()
    v[drop().model.v_slice("b_free")][2] = -1.0
    sim.v = v
    sim.step(800)
    assert seen["distance"][0] == pytest.approx(0.5, abs=1e-5)
    assert seen["speed"][0] == pytest.approx(4.0 / G, abs=1e-5)
    model = drop().model
    assert model.loop_joint("pivot", seen["angle"][1])[0] == pytest.approx(0.5, abs=1e-5)
    assert model.loop_joint("pivot", seen["turned"][1])[0] == pytest.approx(0.25, abs=1e-5)
    assert kg.moment("weld").kind == "moment"


def test_angles_between_links_are_told_exactly_where_they_are_small():
    """A ball that falls and turns at 1e-6 rad/s has turned by 1e-9 rad after a millisecond."""
    sim = simulator(integrator="rk4", dt=0.01)
    v = sim.v.copy()
    v[drop().model.v_slice("a_free")][3] = 1e-6
    sim.v = v
    times = []
    sim.when(kg.relative_angle("world", "a") > 1e-9, lambda s: times.append(s.t))
    sim.step(3)
    assert times == [pytest.approx(1e-3, abs=1e-5)]


def test_conditions_are_written_as_they_are_asked_for():
    """In messages and in what happened: by the functions that make them, as in scenes."""
    assert str(kg.speed("a_free", 2) < -4.0) == "speed(a_free, 2) < -4"
    assert str(kg.angle("pivot") > 0.5) == "angle(pivot) > 0.5"
    assert str(kg.relative_position("world", "a", "z") < -1.0) == "relative_position(world, a, z) < -1"
    assert str(kg.relative_angle("world", "rod") < 0.25) == "relative_angle(world, rod) < 0.25"
    assert str(kg.contact_force("a", "b") > 3) == "contact_force(a, b) > 3"


def test_grip_sequence_repeats():
    """Connected below a distance, let go above a load, again and again; a condition that goes on holding fires once."""
    sim = simulator(heights=(0.0, 1.0))
    count = []
    sim.when(kg.relative_position("world", "a", "z") < -0.5, lambda s: count.append(s.t), repeat=True)
    sim.step(500)
    assert len(count) == 1
    sim.q = simulator().q
    sim.v = 0 * sim.v
    sim.step(500)
    assert len(count) == 2


def test_python_conditions_and_actions():
    sim = simulator(integrator="rk4")
    sim.when(lambda s: s.t > 0.0505, "connect", "weld")
    sim.at(0.1, lambda s: s.cut("weld"))
    sim.run(0.2)
    times = {event[1]: event[0] for event in sim.events if event[2] == "weld"}
    assert times["connect"] == pytest.approx(0.051, abs=1e-9)
    assert times["cut"] == pytest.approx(0.1, abs=1e-9)
    sim.when(lambda s: s.t > 0.2995, "connect", "weld")
    assert sim.run(0.1).events[0] == (pytest.approx(0.3), "connect", "weld")  # after the last step too


def test_many_changes_in_one_instant():
    sim = simulator()
    sim.at(0.05, "connect", "weld", "rope")
    sim.at(0.05, "cut", "pivot")
    sim.run(0.1)
    assert sim.active == {"weld", "rope"}
    assert [event[0] for event in sim.events] == pytest.approx([0.05] * 3)


def test_a_planned_event_is_taken_back():
    """Before, in the same instant, and while it repeats; a saved moment has it still."""
    sim, seen = simulator(dt=0.01), []
    low = kg.relative_position("world", "a", "z") < -1e-3
    plans = [
        sim.at(0.05, "connect", "rope"),
        sim.when(low, "cut", "pivot"),
        sim.when(lambda s: s.t > 0.02, seen.append),
    ]
    again = sim.when(lambda s: round(s.t / 0.01) % 2 == 1, lambda s: seen.append(s.t), repeat=True)
    sim.at(0.03, lambda s: plans.extend(s.at(0.06, f) for f in (lambda s: plans[4].cancel(), seen.append)))
    sim.at(0.07, lambda s: again.cancel())
    before = sim.save()
    assert [plan.cancel() for plan in plans] == [True] * 3 and not plans[0].cancel()
    sim.step(12)
    assert sim.active == {"pivot"} and seen == pytest.approx([0.01, 0.03, 0.05])
    assert not plans[4].cancel() and not again.cancel()
    sim.restore(before)
    assert plans[2].cancel()
    sim.step(12)
    assert sim.active == {"rope"} and not plans[0].cancel()


def test_what_drives_plans_and_takes_back():
    """Between the conditions that C is given and those that came true."""
    plans = []

    def tau(t, q, v):
        if t > 0.015 and not plans:
            low.cancel()
            plans.append(sim.when(kg.relative_position("world", "a", "z") < -1e-3, "cut", "pivot"))
        return np.zeros(len(v))

    sim = simulator(dt=0.01, tau=tau)
    low = sim.when(kg.relative_position("world", "a", "z") < -4e-3, "connect", "rope")
    sim.step(10)
    assert [event[1:] for event in sim.events] == [("cut", "pivot")] and 0.02 < sim.events[0][0] <= 0.03


@pytest.mark.parametrize("ahead", [0.0, 0.004, 0.01, 0.013])
def test_what_drives_plans_for_later_steps_alone(ahead):
    """The step that is asked for is not divided any more: what it plans there came late, without a word."""

    def tau(t, q, v):
        if t == 0.02:
            sim.at(t + ahead, "connect", "rope")
        return np.zeros(len(v))

    sim = simulator(dt=0.01, tau=tau)
    if ahead < 0.01:
        with pytest.raises(kg.ModelError, match=r"at: t = 0\.02\d* s is within the step for which a function"):
            sim.step(10)
    else:
        sim.step(10)
        assert sim.events == ((pytest.approx(0.02 + ahead), "connect", "rope"),)


@pytest.mark.parametrize("t", [0.0, 0.05, 0.0525, 0.1], ids=["first", "step", "within", "last"])
def test_an_event_plans_another_one_for_now(t):
    """It happens in the same instant; no part of a step stands between them, and the record is that of one event."""
    motions = []
    for what in (lambda s: s.at(s.t, "connect", "rope"), lambda s: s.at(s.t - 1e-13, "connect", "rope"), "connect"):
        sim = simulator(dt=0.01)
        sim.at(t, what, *["rope"] * isinstance(what, str))
        motions.append(sim.run(0.1))
        assert motions[-1].events[-1] == (pytest.approx(t), "connect", "rope") and len(motions[-1]) == 11
    for motion in motions[:2]:
        assert motion.q.tobytes() == motions[2].q.tobytes() and motion.tau.tobytes() == motions[2].tau.tobytes()


def test_events_that_plan_each_other_without_end_are_refused():
    sim = simulator(dt=0.01)

    def again(s):
        s.at(s.t, again)

    sim.at(0.05, again)
    with pytest.raises(kg.SimulationError, match=r"t = 0\.05 s: events plan others .* plan a later time") as stopped:
        sim.run(0.1)
    assert stopped.value.trajectory.t[-1] == pytest.approx(0.05)


def test_declared_pose_must_be_near_and_is_closed():
    """The hook stands 1 m over b's centre: 1 cm away it is closed exactly, 1 m away refused, nothing changes."""
    sim = simulator(heights=(1.0, 0.0))
    assert np.abs(sim.connect("hook").impulse).max() < 1e-12
    near = simulator(heights=(1.01, 0.0))
    with pytest.raises(kg.ModelError, match=r"hook.*0\.01.*tolerance 0\.001"):
        near.connect("hook")
    assert near.active == {"pivot"}
    near.connect("hook", tolerance=0.02)
    assert np.abs(near.model.closure_residual(near.q)).max() < 1e-10
    anywhere = simulator(heights=(3.0, 0.0))
    anywhere.connect("hook", pose_b="current")
    assert np.abs(anywhere.model.closure_residual(anywhere.q)).max() < 1e-12
    given = simulator(heights=(3.0, 0.0))
    given.connect("hook", pose_b=kg.Pose((0, 0, 3.0)))
    assert np.abs(given.model.closure_residual(given.q)).max() < 1e-12


def test_what_is_connected_and_cut_at_one_time_is_both():
    """In the order in which it was asked for; functions come after."""
    sim = simulator(dt=0.01)
    sim.at(0.05, lambda s: seen.append(s.active))
    sim.at(0.05, "connect", "rope")
    sim.at(0.05, "cut", "rope")
    seen: list[frozenset[str]] = []
    sim.run(0.1)
    assert [event[1:] for event in sim.events][:2] == [("connect", "rope"), ("cut", "rope")]
    assert sim.active == {"pivot"} and seen == [frozenset({"pivot"})]
    sim.connect("rope")
    sim.at(0.15, "cut", "rope")
    sim.at(0.15, "connect", "rope")
    sim.run(0.1)
    assert sim.active == {"pivot", "rope"} and [event[1] for event in sim.events][-2:] == ["cut", "connect"]


def test_a_connection_that_cannot_be_made_stops_the_run_and_waits():
    """The motion so far comes with the error; nothing of that instant is lost; made by hand, the motion goes on."""
    sim = simulator(heights=(0.0, 5.0), dt=0.01)
    seen: list[float] = []
    sim.at(0.05, "cut", "pivot")
    sim.at(0.1, "connect", "hook")
    sim.at(0.1, lambda s: seen.append(s.t))
    words = r"t = 0\.1 s: to connect 'hook' was asked for, .* 6 m .* the event waits"
    for begin in (0.0, 0.1):
        with pytest.raises(kg.SimulationError, match=words) as stopped:
            sim.run(0.2)
        motion = stopped.value.trajectory
        assert motion is not None and motion.t[[0, -1]] == pytest.approx([begin, 0.1]) and sim.t == pytest.approx(0.1)
        assert [event[1:] for event in motion.events] == [("cut", "pivot")][: not begin] and not seen
    sim.connect("hook", pose_b="current")
    assert sim.run(0.2).events[0][1:] == ("<lambda>", "at") and seen == pytest.approx([0.1])


@pytest.mark.parametrize("repeat", [False, True])
def test_a_condition_whose_connection_cannot_be_made_waits_too(repeat):
    sim = simulator(heights=(0.0, 5.0), dt=0.01, integrator="rk4")
    sim.when(kg.relative_position("world", "a", "z") < -0.1, "connect", "hook", repeat=repeat)
    when = r"t = 0\.14278\d s, relative_position\(world, a, z\) < -0\.1: to connect 'hook'"
    for _ in range(2):
        with pytest.raises(kg.SimulationError, match=when):
            sim.step(20)
    assert sim.active == {"pivot"} and sim.events == ()
    twin = kg.Simulator(drop(), dt=0.01, integrator="rk4")
    twin.restore(sim.save())
    with pytest.raises(kg.SimulationError, match=when):
        twin.step()


def test_what_a_function_raises_comes_out_as_it_is():
    """With the time and the motion so far; it was called, and is not again; what comes after it waits."""
    sim, seen = simulator(dt=0.01), []

    def fails(s):
        raise KeyError("of mine")

    sim.at(0.05, fails)
    sim.at(0.05, lambda s: seen.append(s.t))
    with pytest.raises(KeyError, match="of mine") as raised:
        sim.run(0.1)
    assert raised.value.trajectory.t == pytest.approx(np.arange(6) * 0.01)
    assert raised.value.__notes__ == ["raised in a simulation at t = 0.05 s"] and not seen
    assert sim.run(0.1).events[0][1:] == ("<lambda>", "at") and seen == pytest.approx([0.05])
    sim.when(lambda s: kg.angle("pivot") > 1.0, "cut", "pivot")
    with pytest.raises(kg.ModelError, match="one comparison at a time") as doubted:
        sim.run(0.1)
    assert len(doubted.value.trajectory) == 1
