"""Things that happen while a mechanism moves: at times, on conditions, at once; located within the step."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import kinegen as kg
from support.contact.dropped import ball, drop, simulator

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
    v = sim.v
    v[drop().model.v_slice("b_free")][2] = -1.0
    sim.v = v
    sim.step(800)
    assert seen["distance"][0] == pytest.approx(0.5, abs=1e-5)
    assert seen["speed"][0] == pytest.approx(4.0 / G, abs=1e-5)
    model = drop().model
    assert model.loop_joint("pivot", seen["angle"][1])[0] == pytest.approx(0.5, abs=1e-5)
    assert model.loop_joint("pivot", seen["turned"][1])[0] == pytest.approx(0.25, abs=1e-5)
    assert kg.moment("weld").kind == "moment"


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


def test_a_run_that_fails_keeps_its_events():
    sim = simulator()
    sim.at(0.005, "connect", "weld")
    sim.at(0.01, lambda s: setattr(s, "tau", np.full(s.model.nv, 1e305)))
    with pytest.raises(kg.SimulationError) as caught:
        sim.run(1.0)
    assert [event[1] for event in caught.value.trajectory.events] == ["connect", "<lambda>"]


def test_many_changes_in_one_instant():
    sim = simulator()
    sim.at(0.05, "connect", "weld", "rope")
    sim.at(0.05, "cut", "pivot")
    sim.run(0.1)
    assert sim.active == {"weld", "rope"}
    assert [event[0] for event in sim.events] == pytest.approx([0.05] * 3)


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


def test_unforeseen_connections_and_cuts_are_built_with_a_warning():
    base = kg.Mechanism("unforeseen", [ball("a"), ball("b")], [
        kg.Joint("a_free", "free", "world", "a"),
        kg.Joint("arm", "revolute", "a", "b", kg.Pose((0.5, 0, 0)), kg.Pose((-0.5, 0, 0)), axis=(0, 1, 0)),
    ])  # fmt: skip
    lib = kg.TopologyLibrary(base, [kg.Connection("hold", "a", "world", kg.spherical())])
    q, v = lib.state({"arm": 0.3}, {"arm": 2.0, "a_free": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]})
    sim = kg.Simulator(lib, q=q, v=v)
    momentum = sim.model.momentum(sim.q, sim.v)
    with pytest.warns(UserWarning, match="not foreseen"):
        sim.cut("arm")
    assert sim.model.joint_names == ("a_free", "free_b")
    assert np.abs(sim.model.momentum(sim.q, sim.v) - momentum).max() < 1e-12
    with pytest.warns(UserWarning, match="not foreseen"):
        sim.connect(kg.Connection("tie", "a", "b", kg.universal()))
    assert sim.active == {"tie"}
    sim.step(10)


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
    other = kg.Trajectory.load(tmp_path / "run.npz", model=kg.compile(drop().mechanism))
    with pytest.raises(kg.ModelError, match="structures are not those of model 'drop'"):
        _ = other.closure_gap


def test_an_unforeseen_cut_in_a_run_is_recorded_as_if_it_had_been_foreseen(tmp_path):
    """Motion, torques and the joint itself by name, before and after; the same run with the cut declared agrees."""
    base = kg.Mechanism("chain_of_two", [ball("a"), ball("b")], [
        kg.Joint("pivot", "revolute", "world", "a", kg.Pose((0, 0, 2)), kg.Pose((0.5, 0, 0)), axis=(0, 1, 0)),
        kg.Joint("arm", "revolute", "a", "b", kg.Pose((-0.5, 0, 0)), kg.Pose((0.5, 0, 0)), axis=(0, 1, 0)),
    ])  # fmt: skip
    hold = kg.Connection("hold", "a", "world", kg.spherical())
    runs = []
    for cuts in ((), ("arm",)):
        lib = kg.TopologyLibrary(base, [hold], cuts)
        q, v = lib.state({"arm": 0.3}, {"arm": 8.0, "pivot": -1.0})
        sim = kg.Simulator(lib, q=q, v=v, tau={"arm": 2.0, "pivot": 1.0}, integrator="rk4", dt=2e-3)
        sim.at(0.51, lambda s: s.cut("arm"))
        if cuts:
            runs.append((sim, sim.run(1.0, every=5)))
        else:
            with pytest.warns(kg.TopologyWarning, match="arm: not foreseen in library 'chain_of_two'"):
                runs.append((sim, sim.run(1.0, every=5)))
    (sim, found), (other, expected) = runs
    assert len(found) == len(expected) == 101 and sim.active == other.active == frozenset()
    assert [event[1:] for event in found.events] == [event[1:] for event in expected.events]
    quaternion = found.joint("free_b")[0][:, 3:]
    quaternion *= np.sign(quaternion[0] @ expected.joint("free_b")[0][0, 3:])  # one rotation, two signs
    for name in ("pivot", "free_b", "arm"):
        held = found.t < 0.51 if name == "arm" else slice(None)
        for ours, theirs in zip(found.joint(name), expected.joint(name), strict=True):
            assert np.abs(ours[held] - theirs[held]).max() < 1e-6  # other coordinates before the cut
    assert found.joint("arm")[0][50] > np.pi  # counted over turns
    assert found.joint("arm")[2] == pytest.approx(2.0)
    found.save(tmp_path / "run.npz")
    again = kg.Trajectory.load(tmp_path / "run.npz", model=found.model)
    assert np.array_equal(again.joint("arm")[0], found.joint("arm")[0])
    assert np.array_equal(again[3:5].joint("arm")[2], found.joint("arm")[2][3:5])


BAD = {
    "itself": (lambda s: kg.Connection("x", "a", "a", kg.fixed()), "joins link 'a' to itself"),
    "no template": (lambda s: kg.Connection("x", "a", "b", "fixed"), "must be a template"),
    "template with origin": (lambda s: kg.Connection("x", "a", "b", kg.fixed(origin=kg.Pose())), "takes no origin"),
    "taken": (lambda s: kg.TopologyLibrary(s.mech, [kg.Connection("pivot", "a", "b", kg.fixed())]), "has that name"),
    "twice": (lambda s: kg.TopologyLibrary(s.mech, [kg.Connection("x", "a", "b", kg.fixed())] * 2), "has that name"),
    "no link": (lambda s: kg.TopologyLibrary(s.mech, [kg.Connection("x", "a", "c", kg.fixed())]), "no link 'c'"),
    "no joint": (lambda s: kg.TopologyLibrary(s.mech, [], ["elbow"]), "no joint 'elbow'"),
    "cut a free joint": (lambda s: kg.TopologyLibrary(s.mech, [], ["a_free"]), "holds nothing"),
    "cuts as text": (lambda s: kg.TopologyLibrary(s.mech, [], "pivot"), "a list of joint names"),
    "unknown": (lambda s: s.connect("wled"), "no connection 'wled'.*weld"),
    "cut what is not there": (lambda s: s.cut("weld"), "'weld' is not connected"),
    "connect twice": (lambda s: s.connect("pivot"), "'pivot' is connected already"),
    "no name": (lambda s: s.connect(), "expected a name"),
    "in the past": (lambda s: s.at(-1.0, "cut", "pivot"), "is over"),
    "unknown what": (lambda s: s.at(1.0, "snap", "pivot"), "'connect', 'cut' or a function"),
    "unknown frame": (lambda s: s.when(kg.distance("a", "hnd") < 1, "cut", "pivot"), "no link or frame 'hnd'"),
    "unknown joint": (lambda s: s.when(kg.angle("elbow") < 1, "cut", "pivot"), "no joint 'elbow'"),
    "no such entry": (lambda s: s.when(kg.angle("pivot", 1) < 1, "cut", "pivot"), "1 entries"),
    "no condition": (lambda s: s.when(True, "cut", "pivot"), "expected a condition"),
    "axis": (lambda s: kg.relative_position("a", "b", "w"), "'x', 'y' or 'z'"),
    "bound": (lambda s: kg.distance("a", "b") < np.nan, "condition"),
    "active": (lambda s: kg.Simulator(drop(), active={"x"}), "no connection 'x'"),
    "active as text": (lambda s: kg.Simulator(drop(), active="weld"), "write {'weld'}"),
    "pose_b": (lambda s: s.connect("weld", pose_b="here"), "or 'current'"),
    "state": (lambda s: drop().state({"elbow": 1.0}), "no joint 'elbow'"),
    "state size": (lambda s: drop().state({"a_free": [1.0, 2.0]}), "expected 7 numbers"),
    "tree": (lambda s: kg.Simulator(s.mech).connect("weld"), "simulate a TopologyLibrary"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    sim = simulator()
    sim.mech = drop().mechanism
    act, words = BAD[case]
    with pytest.raises(kg.ModelError, match=words):
        act(sim)
    assert sim.active == {"pivot"}


def test_a_connection_that_locks_everything_stops_the_motion():
    """Nothing can move any more: the documented impulse, no NaN, and steps go on at rest."""
    sim = simulator(active={"pivot"})
    v = sim.v
    v[:] = np.linspace(-1, 1, v.size)
    sim.v = v
    with pytest.warns(UserWarning, match="not foreseen"):
        sim.connect(
            kg.Connection("a_weld", "a", "world", kg.fixed()),
            kg.Connection("b_weld", "b", "world", kg.fixed()),
            kg.Connection("rod_weld", "rod", "world", kg.fixed()),
        )
    assert np.abs(sim.v).max() < 1e-12
    assert sim.model.nf == 0
    q = sim.q
    sim.step(20)
    assert np.abs(sim.q - q).max() < 1e-12


ALONE = """
import sys
from kinegen.runtime import Library, Simulator
from kinegen.runtime.topology.conditions import distance
library = Library.load(sys.argv[1])
q, v = library.state({"b_free": [0, 0, 1, 0, 0, 0, 1]})
simulator = Simulator(library, q=q, v=v)
simulator.when(distance("world", "a") > 0.1, "connect", "weld")
simulator.step(200)
print(sorted(simulator.active), "sympy" in sys.modules)
try:
    simulator.cut("a_free")
except ValueError as error:
    print(error)
"""


def test_a_compiled_library_runs_without_sympy():
    """Loaded from its folder; what was not declared cannot be built there, and the message says so."""
    folder = drop().model.module.folder
    done = subprocess.run([sys.executable, "-c", ALONE, str(folder)], capture_output=True, text=True, check=True)
    assert "['pivot', 'weld'] False" in done.stdout
    assert "cannot be extended" in done.stdout
