"""Connections and cuts that nobody declared: built while the mechanism moves, or refused where nothing can build."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import sympy

import kinegen as kg
from support.contact.dropped import ball, drop, simulator


def test_unforeseen_connections_and_cuts_are_built_with_a_warning():
    base = kg.Mechanism("unforeseen", [ball("a"), ball("b")], [
        kg.Joint("a_free", "free", "world", "a"),
        kg.Joint("arm", "revolute", "a", "b", kg.Pose((0.5, 0, 0)), kg.Pose((-0.5, 0, 0)), axis=(0, 1, 0)),
    ])  # fmt: skip
    lib = kg.TopologyLibrary(base, [kg.Connection("hold", "a", "world", kg.spherical())])
    q, v = lib.state({"arm": 0.3}, {"arm": 2.0, "a_free": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]})
    sim = kg.Simulator(lib, q=q, v=v)
    momentum, saved = sim.model.momentum(sim.q, sim.v), sim.save()
    with pytest.warns(UserWarning, match="not foreseen"):
        sim.cut("arm")
    with pytest.raises(kg.ModelError, match=r"not one of the library .* anew for arm, not foreseen in [^()]*$"):
        sim.restore(saved)
    before_or_after = "or to its library before or after a connection or cut was added; restore what `save` gave since"
    for other, state in ((copy.copy(sim), saved), (kg.Simulator(lib), sim.save())):
        with pytest.raises(kg.ModelError, match=before_or_after):
            other.restore(state)
    assert sim.model.joint_names == ("a_free", "free_b")
    assert np.abs(sim.model.momentum(sim.q, sim.v) - momentum).max() < 1e-12
    with pytest.warns(UserWarning, match="not foreseen"):
        sim.connect(kg.Connection("tie", "a", "b", kg.universal()))
    assert sim.active == {"tie"}
    sim.step(10)


def test_a_connection_that_is_there_already_is_connected_again():
    """Declared or built on the way, itself or an equal one; another one of its name is refused."""
    base = kg.Mechanism("again", [ball("a"), ball("b")], [kg.Joint(f"{n}_free", "free", "world", n) for n in "ab"])

    def tie(joint=kg.spherical):
        return kg.Connection("tie", "a", "b", joint(), kg.Pose((0.1, 0.2, 0.3)))

    sim = kg.Simulator(kg.TopologyLibrary(base, [kg.Connection("hold", "a", "world", kg.spherical())]))
    with pytest.warns(kg.TopologyWarning, match="tie: not foreseen"):
        sim.connect(first := tie())
    for same in (first, tie(), kg.Connection("hold", "a", "world", kg.spherical())):
        sim.cut(*sim.active)
        with warnings.catch_warnings():
            warnings.simplefilter("error", kg.TopologyWarning)
            sim.connect(same)
        assert sim.active == {same.name}
    sim.at(0.01, "connect", tie())
    sim.run(0.02)
    assert sim.active == {"tie", "hold"}
    with pytest.raises(kg.ModelError, match="'tie' is connected already"):
        sim.connect(tie())
    with pytest.raises(kg.ModelError, match="connection 'tie': a connection has that name already"):
        sim.connect(tie(kg.universal))


def chain(cuts):
    base = kg.Mechanism("chain_of_two", [ball("a"), ball("b")], [
        kg.Joint("pivot", "revolute", "world", "a", kg.Pose((0, 0, 2)), kg.Pose((0.5, 0, 0)), axis=(0, 1, 0)),
        kg.Joint("arm", "revolute", "a", "b", kg.Pose((-0.5, 0, 0)), kg.Pose((0.5, 0, 0)), axis=(0, 1, 0)),
    ])  # fmt: skip
    return kg.TopologyLibrary(base, [kg.Connection("hold", "a", "world", kg.spherical())], cuts)


def test_an_unforeseen_cut_in_a_run_is_recorded_as_if_it_had_been_foreseen(tmp_path):
    """Motion, torques and the joint itself by name, before and after; the same run with the cut declared agrees."""
    runs = []
    for cuts in ((), ("arm",)):
        lib = chain(cuts)
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
    later = found[50:].joint("arm")[0]  # from within half a turn of 0
    assert abs(later[0]) < np.pi and np.allclose(later + 2.0 * np.pi, found.joint("arm")[0][50:])
    assert found.joint("arm")[2][:, 0] == pytest.approx(np.where(found.t < 0.51, 2.0, 0.0))  # of what is cut: none
    found.save(tmp_path / "run.npz")
    again = kg.Trajectory.load(tmp_path / "run.npz", model=found.model)
    assert np.array_equal(again.joint("arm")[0], found.joint("arm")[0])
    assert np.array_equal(again[3:5].joint("arm")[2], found.joint("arm")[2][3:5])


def swinging(cuts, **driven_by):
    """The arm swings, and is cut after 30 steps."""
    lib = chain(cuts)
    q, v = lib.state({"arm": 0.3}, {"arm": 2.0, "pivot": 1.5})
    sim = kg.Simulator(lib, q=q, v=v, integrator="rk4", **driven_by)
    sim.step(30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kg.TopologyWarning)
        sim.cut("arm")
    return sim


def closed_chain(cuts=()):
    """A four-bar with a weight welded on and a dial that follows the crank."""
    bars = {"crank": 0.3, "coupler": 0.9, "rocker": 0.7, "weight": 0.1, "dial": 0.1}
    links = [kg.Link(n, size, (size / 2, 0, 0), kg.inertia.box(size, (size, 0.05, 0.05))) for n, size in bars.items()]
    hinges = [("drive", "world", "crank", 0.0), ("knee", "crank", "coupler", 0.3), ("pivot", "world", "rocker", 0.8)]
    joints = [kg.Joint(n, "revolute", a, b, kg.Pose((x, 0, 0)), axis=(0, 0, 1)) for n, a, b, x in hinges]
    at, end = kg.Pose((0.9, 0, 0)), kg.Pose((0.7, 0, 0))
    joints.append(kg.Joint("close", "revolute", "coupler", "rocker", at, end, axis=(0, 0, 1), damping=0.1))
    joints.append(kg.Joint("weld", "fixed", "rocker", "weight", end))
    joints.append(kg.Joint("dialled", "revolute", "world", "dial", axis=(0, 0, 1), mimic=kg.Mimic("drive", 2.0)))
    base = kg.Mechanism("closed_chain", links, joints, gravity=(0, -9.81, 0))
    return kg.TopologyLibrary(base, [kg.Connection("hold", "world", "crank", kg.fixed())], cuts)


@pytest.mark.parametrize("name", ["close", "weld"])
def test_joints_that_close_loops_and_welds_are_cut_without_being_foreseen(name):
    """As where the cut was declared: what moves, and the coordinates and torques of what was cut."""
    first, sims, runs = kg.Simulator(closed_chain()), [], []
    angles = {joint: first.q[first.model.q_slice(joint)] for joint in ("drive", "knee", "pivot")}
    for cuts in ((), (name,)):
        q = closed_chain(cuts).state(angles)[0]
        sims.append(kg.Simulator(closed_chain(cuts), q=q, integrator="rk4", tau={"close": 0.2}))
    for sim in sims:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", kg.TopologyWarning)
            sim.at(0.0505, lambda s: s.cut(name))
            runs.append(sim.run(0.1))
        assert len(told) == (sim is sims[0])
    for link in sims[0].model.link_names:
        places = [run.model.frame_pose(run.q, link) for run in runs]
        assert np.abs(places[0] - places[1]).max() < 1e-9
    for found, expected in zip(*(run.joint("close") for run in runs), strict=True):
        assert np.abs(found - expected).max() < 1e-8
    assert sims[0].active == sims[1].active == frozenset()


def test_followers_that_cannot_be_cut_are_told_why():
    sim = kg.Simulator(closed_chain())
    with pytest.raises(kg.ModelError, match=r"^joint 'dialled' cannot be cut: joint 'dialled' mimics another joint"):
        sim.cut("dialled")


def test_rows_of_wrenches_go_on_in_copies_after_a_library_was_built_anew():
    """As they go on where the cut was declared, to the last row."""
    rows = np.random.default_rng(0).normal(size=(60, 6))
    declared, sim = (swinging(cuts, wrenches={"b": rows}) for cuts in (["arm"], []))
    twins = [declared, sim, copy.copy(sim), pickle.loads(pickle.dumps(sim))]
    for twin in twins:
        twin.step(30)
        place = twin.model.frame_pose(twin.q, "b")
        assert np.abs(place - declared.model.frame_pose(declared.q, "b")).max() < 1e-9
        with pytest.raises(kg.SimulationError, match=r"wrenches: their 60 rows, .* end at t = 0.06 s"):
            twin.step()
    assert np.array_equal(twins[2].q, sim.q) and np.array_equal(twins[3].q, sim.q)


@pytest.mark.parametrize("tau", [None, {"arm": 2.0}, {"arm": np.ones((60, 1))}, np.array([0.0, 2.0])])
def test_driven_joints_move_on_where_a_library_is_built_anew(tau):
    """By their motion in closed form, and what was cut as where the cut was declared; copies go on to the same bits."""
    course = {"pivot": lambda t: 0.3 * np.sin(5.0 * t)}
    named = {"arm": tau[1:]} if isinstance(tau, np.ndarray) else tau
    declared, sim = swinging(["arm"], tau=named, driven=course), swinging([], tau=tau, driven=course)
    twin = copy.copy(sim)
    for each in (declared, sim, twin):
        each.step(30)
    assert sim.q[sim.model.q_slice("pivot")] == pytest.approx(0.3 * np.sin(0.3), abs=1e-9)
    places = [each.model.frame_pose(each.q, "b") for each in (sim, declared)]
    assert np.abs(places[0] - places[1]).max() < 1e-9
    assert np.array_equal(twin.q, sim.q)


def test_a_connection_that_locks_everything_stops_the_motion():
    """Nothing can move any more: the documented impulse, no NaN, and steps go on at rest."""
    sim = simulator(active={"pivot"})
    v = sim.v.copy()
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


def test_a_library_with_parameters_set_can_be_extended():
    """By itself without values; what is made of its model alone has no mechanism, and the message says so."""
    mass, part = sympy.Symbol("m", positive=True), ball("a")
    heavy = kg.Link("a", mass, inertia=part.inertia)
    joint = kg.Joint("a_free", "free", "world", "a")
    lib = kg.TopologyLibrary(
        kg.Mechanism("weighed", [heavy], [joint]), [kg.Connection("hold", "a", "world", kg.spherical())]
    )
    known = lib.with_parameters(m=3.0)
    assert known.model.parameters["m"] == 3.0 and lib.model.parameters["m"] is None
    sim = kg.Simulator(known, active={"hold"})
    with pytest.warns(UserWarning, match="not foreseen"):
        sim.connect(kg.Connection("weld", "a", "world", kg.fixed()))
    sim.step()
    assert sim.model.total_mass() == pytest.approx(3.0) and sim.active == {"hold", "weld"}
    alone = kg.Simulator(kg.runtime.Library(lib.model.with_parameters(m=3.0)))
    with pytest.raises(kg.ModelError, match=r"'weighed' was .* made of a model alone, .* its with_parameters\("):
        alone.cut("a_free")
    with pytest.raises(kg.ModelError, match="mass"):
        lib.with_parameters(mass=3.0)


ALONE = """
import sys
from kinegen.runtime import Library, Simulator
from kinegen.runtime.events.conditions import distance
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
