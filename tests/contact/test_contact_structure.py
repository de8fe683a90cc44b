"""Contact while the structure changes: which pieces touch, the same motion as trees, events by contact."""

from __future__ import annotations

from copy import copy
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from support.contact.catching import catcher
from support.contact.contact_scenes import shapes, solid

FINE = kg.ContactOptions(tolerance=1e-11, sweeps=20000)
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def ball(name, mass=1.0, radius=0.1, **options):
    return solid(name, shapes.sphere(radius, **options), mass)


def rope() -> kg.Mechanism:
    """Three balls on hinges that fly: they stand on one point each, so that nothing is redundant."""
    links = [ball("a", 1.0), ball("b", 0.7, friction=0.3), ball("c", 1.3)]
    joints = [
        kg.Joint("fly", "free", "world", "a"),
        kg.Joint("ab", "spherical", "a", "b", kg.Pose((0.3, 0, 0)), kg.Pose((-0.1, 0, 0))),
        kg.Joint("bc", "revolute", "b", "c", kg.Pose((0.3, 0, 0)), axis=(0, 1, 0), limits=(-0.4, 0.6), damping=0.02),
    ]
    return kg.Mechanism("rope", links, joints, shapes=[shapes.plane(friction=0.7)])


@cache
def library() -> kg.TopologyLibrary:
    holds = [
        kg.Connection("hook", "c", "world", kg.spherical(), pose=kg.Pose((0, 0, 0.1))),
        kg.Connection("ring", "a", "c", kg.spherical()),
    ]
    return kg.TopologyLibrary(rope(), holds, ["ab", "bc"])


DT = 1e-6
FLY = [0.0, 0.0, 0.35, 0.0, 0.1, 0.0, np.sqrt(0.99)]
SPEED = {"fly": [0.4, 0.1, 0.0, 0.3, -0.5, 0.2], "bc": [1.0]}


def test_a_whole_library_touches_as_the_tree_does():
    """W of active cuts and the tree's own factor are two routes to the same impulses, in every state of a motion, but
    for dJ/dt, which both leave out, of other coordinates."""
    tree, lib, checked = kg.compile(rope()), library(), 0
    sim = kg.Simulator(tree, q=np.r_[FLY, UPRIGHT, 0.2], v=np.r_[SPEED["fly"], 0.0, 0.0, 0.0, SPEED["bc"]])
    for _ in range(40):
        sim.step(15)
        names = ("fly", "ab", "bc")
        q, v = lib.state({n: sim.q[tree.q_slice(n)] for n in names}, {n: sim.v[tree.v_slice(n)] for n in names})
        pair = [kg.Simulator(m, q=a, v=b, contacts=FINE, dt=DT) for m, a, b in ((tree, sim.q, sim.v), (lib, q, v))]
        for one in pair:
            one.step()
        first, second = (one.contacts for one in pair)
        assert first.links == second.links
        np.testing.assert_allclose(DT * second.forces, DT * first.forces, atol=2e-7)
        checked += len(first)
    assert checked >= 20


def test_a_whole_library_stays_closed_on_the_ground():
    q, v = library().state({"fly": FLY, "bc": 0.2}, SPEED)
    sim = kg.Simulator(library(), q=q, v=v)
    trajectory = sim.run(2.0, every=10)
    assert len(sim.contacts) >= 2
    assert trajectory.closure_gap.max() <= 1e-10 and sim.gap <= 1e-10
    energy = trajectory.energy.sum(axis=1)
    assert energy[-1] < energy[0] and np.diff(energy).max() < 2e-3  # Euler's method on what swings
    np.testing.assert_allclose(trajectory.contacts.force("world")[-2], [0, 0, -3.0 * 9.81], atol=0.5)


def test_pieces_that_broke_off_touch_each_other_and_while_whole_do_not():
    """Two balls hinged so near that they overlap: cut, they are pushed apart."""
    near = kg.Mechanism(
        "near",
        [ball("a"), ball("b")],
        [
            kg.Joint("rail", "prismatic", "world", "a", axis=(1, 0, 0)),
            kg.Joint("hinge", "revolute", "a", "b", kg.Pose((0.18, 0, 0)), axis=(0, 1, 0)),
        ],
        gravity=(0, 0, 0),
    )
    lib = kg.TopologyLibrary(near, [kg.Connection("tie", "a", "b", kg.fixed())], ["hinge"])
    sim = kg.Simulator(lib)
    sim.step(20)
    assert len(sim.contacts) == 0
    sim.switch(connect=["tie"], cut=["hinge"])
    sim.step(20)
    assert len(sim.contacts) == 0
    sim.cut("tie")
    trajectory = sim.run(0.2)
    assert set(sim.contacts.links) <= {("a", "b")}
    poses = sim.model.link_poses(sim.q)
    assert np.linalg.norm(poses[1, :3, 3] - poses[0, :3, 3]) == pytest.approx(0.2, abs=2e-4)
    assert np.abs(trajectory.v).max() < 1e-9  # leaving a depth gives no speed
    always = kg.ContactRules(within=True, exclude=[("a", "b")])
    assert not kg.TopologyLibrary(
        near, [kg.Connection("tie", "a", "b", kg.fixed())], contacts=always
    ).model.manifest.touching


def test_within_all_but_neighbours_touch():
    rules = kg.ContactRules(within=True)
    lib = kg.TopologyLibrary(rope(), [], ["bc"], contacts=rules)
    assert set(lib.model.manifest.touching) == {("world", "a"), ("world", "b"), ("world", "c"), ("a", "c"), ("b", "c")}
    q, v = lib.state({"fly": [0, 0, 1, 0, 0, 0, 1]})
    sim = kg.Simulator(lib, q=q, v=v, limits=False)
    sim.step(2)
    assert ("b", "c") not in sim.contacts.links


def test_a_hook_to_the_world_lifts_its_ball_off():
    """What hangs on the world does not touch it; cut, it falls on it."""
    lib = library()
    q, v = lib.state({"fly": [0, 0, 0.1, 0, 0, 0, 1], "ab": UPRIGHT})
    sim = kg.Simulator(lib, q=q, v=v, active={"ab", "bc", "hook"})
    sim.step(50)
    assert {link for pair in sim.contacts.links for link in pair} == {"world", "a", "b"}
    sim.cut("hook")
    sim.step(50)
    assert "c" in {link for pair in sim.contacts.links for link in pair}


def falling(height=0.3, aside=0.01, **options):
    lib = catcher()
    q, v = lib.state({"fly": [aside, 0, 0.07 + height, *UPRIGHT], "pendulum": 0.8})
    return kg.Simulator(lib, q=q, v=v, **options)


def test_a_hand_grips_when_it_touches():
    """At the end of the step of the touch, where the links stand then, with the velocity boundary condition."""
    plain, sim = falling(), falling()
    sim.when(kg.contact_force("hand", "bar") > 0, "connect", "grip")
    trajectory = sim.run(0.5)
    ((t, what, name),) = trajectory.events
    assert (what, name) == ("connect", "grip")
    before = plain.run(0.5)
    touched = [i for i, c in enumerate(before.contacts) if len(c) and np.abs(c.forces).max() > 0]
    assert t == pytest.approx(before.t[touched[0] + 1], abs=1e-9)
    i = touched[0] + 1
    np.testing.assert_array_equal(trajectory.q[i], before.q[i])
    hand, bar = (
        np.array([sim.model.link_poses(q)[sim.model.link_names.index(n)] for q in trajectory.q[i:]])
        for n in ("hand", "bar")
    )
    np.testing.assert_allclose(
        hand[:, :3, 3] - bar[:, :3, 3], np.tile(hand[0, :3, 3] - bar[0, :3, 3], (len(hand), 1)), atol=1e-10
    )
    assert not trajectory.contacts.force("hand")[i + 1 :].any()  # the two links of an active connection do not touch


def test_of_what_rests_no_force_is_told_before_its_first_step():
    """Nothing is known of it yet, and so it is not 0."""
    sim, left = kg.Simulator(library(), q=library().state({"fly": [0.0, 0.0, 0.1, *UPRIGHT]})[0], dt=DT), []
    sim.when(kg.contact_force("a") <= 0, lambda s: left.append(s.t))
    sim.step(20)
    assert not left
    sim.v = library().state({}, {"fly": [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]})[1]
    sim.step(20)
    assert left == [pytest.approx(21 * DT)]


def test_it_breaks_when_it_is_pressed():
    """The impact of the hand breaks the peg that holds the bar."""
    sim = falling(active={"peg"})
    sim.when(kg.contact_force("hand", "bar") > 1000, "cut", "peg")
    sim.when(kg.contact_force("hand", "world") > 0, "connect", "peg")
    trajectory = sim.run(0.3)
    ((t, what, name),) = trajectory.events
    assert (what, name) == ("cut", "peg")
    fast = np.abs(trajectory.contacts.force("bar")).max(axis=1)
    assert fast[round(t / 1e-3) - 1] > 1000 and fast[: round(t / 1e-3) - 1].max() < 1000
    bar = trajectory.q[:, sim.model.q_slice("rail")][:, 0]
    assert np.abs(bar[: round(t / 1e-3)]).max() < 1e-10 and bar[-1] < -1e-3


def test_parts_of_steps_leave_the_contacts_as_they_are():
    """A pendulum elsewhere passes a mark, located by steps made again: the resting hand feels nothing of it."""
    sim = falling(height=0.0, aside=0.0, active={"peg"})
    sim.step(600)
    passed = []
    sim.when(kg.angle("pendulum") > 0.2, lambda s: passed.append((s.t, s.contacts)), repeat=True)
    kept = sim.save()
    first = sim.run(2.0, every=3)
    assert len(passed) == 1 or len(passed) == 2
    t, contacts = passed[0]
    assert not (t / 1e-3).is_integer()
    np.testing.assert_allclose(contacts.wrench("hand")[2], 9.81, rtol=1e-6)
    weights = first.contacts.force("hand")[:-1, 2]
    np.testing.assert_allclose(weights, 9.81, rtol=1e-6)
    sim.restore(kept)
    again = sim.run(2.0, every=3)
    np.testing.assert_array_equal(again.q, first.q)
    np.testing.assert_array_equal(again.contacts.force("hand"), first.contacts.force("hand"))


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_what_is_recorded_of_a_divided_step_are_means(integrator):
    """The hand of 1 kg strikes the bar at 0.99 m/s: forces times dt are its change of momentum wherever events divide
    the steps; a torque that changes within a step is recorded as its mean. Conditions ask for the same forces, at the
    ends of steps, also of a simulator that was saved within one."""
    sim = falling(height=0.05, aside=0.0, active={"peg"}, integrator=integrator)
    touch, kept = np.sqrt(2 * 0.05 / 9.81), []
    for after in (-2e-4, 1e-5, 3.1e-4, 9e-4, 1.2e-3):
        sim.at(touch + after, lambda s: kept.append(s.save()))
    sim.at(0.0503, lambda s: setattr(s, "tau", {"pendulum": 2.0}))
    sim.when(kg.contact_force("hand", "bar") > 1100.0, "connect", "grip")
    sim.when(kg.contact_force("hand") > 400.0, print)
    trajectory = sim.run(0.15)
    fired = [t for t, what, _ in trajectory.events if what in ("connect", "print")]
    pressed = np.flatnonzero(trajectory.contacts.force("hand")[:, 2] > 400.0)
    assert fired == [trajectory.t[pressed[0] + 1]]
    for state in kept[:3]:
        sim.restore(state)
        sim.step(4)
        assert [t for t, what, _ in sim.events if what in ("connect", "print")] == fired
    rise = np.diff(trajectory.v[:, sim.model.v_slice("fly")][:, 2])
    np.testing.assert_allclose(trajectory.contacts.force("hand")[:-1, 2] * 1e-3, rise + 9.81e-3, rtol=0, atol=1e-11)
    assert rise.max() > 0.4
    np.testing.assert_allclose(trajectory.joint("pendulum")[2][49:52, 0], [0.0, 1.4, 2.0], rtol=0, atol=1e-12)


def test_what_a_simulator_tells_in_a_divided_step_is_of_the_part_made_last():
    """Over its own length, at an event and at the end of the step: parts and lengths give what the record has."""
    strike = round(1e3 * np.sqrt(2 * 0.05 / 9.81)) * 1e-3  # the step from here
    sim, told = falling(height=0.05, aside=0.0, active={"peg"}), []
    sim.tau = {"pendulum": 2.0}
    for part in (0.0, 2e-4, 7e-4, 1e-3):
        sim.at(
            strike + part, lambda s: told.append((s.t, s.contacts.wrench("hand")[2], s.v[s.model.v_slice("fly")][2]))
        )
    trajectory = sim.run(strike + 2e-3)
    t, force, v = np.transpose(told)
    np.testing.assert_allclose(np.diff(v), (force[1:] - 9.81) * np.diff(t), rtol=0, atol=1e-11)
    assert np.ptp(force[1:]) > 100.0
    mean = trajectory.contacts.force("hand")[round(strike / 1e-3), 2]
    assert mean == pytest.approx(force[1:] @ np.diff(t) / 1e-3)


@pytest.mark.sweep  # others cut in a run, and compile as much again (tests/topology)
def test_an_unforeseen_cut_leaves_what_was_recorded():
    """In the middle of a run: contacts of the steps before and after it, by the names of the links."""
    lib = kg.TopologyLibrary(rope(), [kg.Connection("ring", "a", "c", kg.spherical())], ["bc"])
    q, v = lib.state({"fly": [0, 0, 0.1, 0, 0, 0, 1], "ab": UPRIGHT})
    sim = kg.Simulator(lib, q=q, v=v)
    sim.at(0.05, lambda s: s.cut("ab"))
    with pytest.warns(kg.TopologyWarning):
        trajectory = sim.run(0.1)
    weights = [trajectory.contacts.force(name)[:-1, 2] for name in "abc"]
    assert len(weights[0]) == 100
    np.testing.assert_allclose(sum(weights), 3.0 * 9.81, rtol=0.02)
    np.testing.assert_allclose(weights[1][-20:], 0.7 * 9.81, rtol=0.02)


def test_contact_can_be_left_out_and_tuned():
    sim = falling(contacts=False)
    sim.step(600)
    assert sim.q[3] < -0.5
    with pytest.raises(kg.ModelError, match="without contacts"):
        _ = sim.contacts
    with pytest.raises(kg.ModelError, match="without contacts"):
        sim.when(kg.contact_force("hand") > 0, "connect", "grip")
    falling(contacts=kg.ContactOptions(sweeps=3)).step(400)


def test_a_state_that_waits_for_contact_is_not_restored_without_contacts():
    waiting, bare = falling(), falling(contacts=False)
    waiting.step(20)
    waiting.when(kg.contact_force("hand") > 0, "connect", "grip")
    bare.step(10)
    q, t = bare.q.copy(), bare.t
    with pytest.raises(kg.ModelError, match=r"contacts: model 'catcher' is simulated without contacts"):
        bare.restore(waiting.save())
    assert bare.t == t
    np.testing.assert_array_equal(bare.q, q)
    again = falling()
    again.restore(waiting.save())
    again.step(400)
    assert again.active == {"grip"}


def test_bad_names_are_refused():
    sim = falling()
    for condition, words in (
        (kg.contact_force("hnd") > 0, "no link 'hnd'; it has: .*hand"),
        (kg.contact_force("stone", "bar") > 0, None),
        (kg.contact_force("world", "tree") > 0, "no link 'tree'"),
        (kg.contact_force("bar", "bar") > 0, r"both links are 'bar', which does not touch itself; give two"),
        (kg.contact_force("world", "world") > 0, r"both links are 'world', which does not touch itself"),
    ):
        if words is None:
            sim.when(condition, "connect", "grip")
            continue
        with pytest.raises(kg.ModelError, match=words):
            sim.when(condition, "connect", "grip")
    bare = kg.TopologyLibrary(catcher().mechanism, catcher().connections, contacts=False)
    with pytest.raises(kg.ModelError, match="'hand' touches nothing in 'catcher'"):
        kg.Simulator(bare).when(kg.contact_force("hand") > 0, "connect", "grip")
    with pytest.raises(kg.ModelError, match="compiled without contacts"):
        kg.Simulator(bare, contacts=True)


def test_a_controller_that_fails_leaves_the_state():
    sim = falling(tau=lambda t, q, v: np.full(v.size, np.nan if t > 0.2 else 0.0))
    with pytest.raises(kg.ModelError, match="is nan"):
        sim.run(0.5)
    assert np.isfinite(sim.q).all()


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_what_lies_on_a_shelf_loads_its_bracket(integrator):
    """The bracket carries the shelf and the ball on it, and breaks under a second ball that is let go above."""
    shelf = kg.Link("shelf", 2.0, inertia=kg.inertia.box(2.0, (1, 1, 0.1)), shapes=[shapes.box((1, 1, 0.1))])
    balls = [ball("lying"), ball("falling")]
    joints = [kg.Joint(f"{link.name}_free", "free", "world", link.name) for link in (shelf, *balls)]
    mechanism = kg.Mechanism("shelf", [shelf, *balls], joints)
    lib = kg.TopologyLibrary(mechanism, [kg.Connection("bracket", "world", "shelf", kg.fixed())])
    q, v = lib.state({"lying_free": [0, 0.3, 0.15, *UPRIGHT], "falling_free": [0.2, 0, 0.4, *UPRIGHT]})
    sim = kg.Simulator(lib, q=q, v=v, active={"bracket"}, integrator=integrator)
    sim.step(100)
    assert sim.wrench("bracket")[2] == pytest.approx(3 * 9.81, rel=1e-3)
    assert sim.wrench("bracket")[3] == pytest.approx(0.3 * 9.81, rel=1e-2)
    sim.when(kg.force("bracket") > 3.5 * 9.81, "cut", "bracket")
    sim.step(50)
    assert "bracket" in sim.active
    sim.step(250)
    assert "bracket" not in sim.active


def test_what_connections_hold_fast_answers_nothing():
    """A ball strikes a crate that is fixed, after a feather touched the ball: what earlier steps left where the crate's
    answer would stand, or other simulations in the same memory, has no part in it."""
    edges = (0.2, 0.2, 0.2)
    crate = kg.Link("crate", 2.0, inertia=kg.inertia.box(2.0, edges), shapes=[shapes.box(edges)])
    links = [ball("ball", 1.0, 0.05), crate, ball("feather", 0.05, 0.05)]
    joints = [kg.Joint(f"{link.name}_flight", "free", "world", link.name) for link in links]
    mechanism = kg.Mechanism("fixed", links, joints, gravity=(0, 0, 0))
    lib = kg.TopologyLibrary(mechanism, [kg.Connection("shelf", "world", "crate", kg.fixed())])
    starts = [
        lib.state(
            {"ball_flight": (0.3, 0, 0, *UPRIGHT), "feather_flight": (0.3, 0.14, 0, *UPRIGHT)},
            {"ball_flight": (-1, 0, 0, 0, 0, 0), "feather_flight": (-1, speed, 0, 0, 0, 0)},
        )
        for speed in (0.0, -1.0)
    ]
    drawn = [0, 1, 0, 1, 1, 0]
    q, v = (np.array([starts[i][k] for i in drawn]) for k in (0, 1))
    many = kg.rollout(lib, q, v, steps=250, active={"shelf"}, threads=1, every=250)
    for i, (q0, v0) in enumerate(starts):
        sim = kg.Simulator(lib, q=q0, v=v0, active={"shelf"})
        sim.step(100)
        copied = copy(sim)
        for one in (sim, copied):
            one.step(150)
        assert np.array_equal(sim.q, copied.q) and np.array_equal(sim.v, copied.v)
        assert sim.q[0] == pytest.approx(0.15, abs=1e-5) and abs(sim.v[0]) < 1e-2
        assert all(np.array_equal(many.q[row, -1], sim.q) for row, own in enumerate(drawn) if own == i)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("turn", [1.0, 4.0])
def test_what_lands_and_is_held_fast_at_once_loses_the_force_of_its_landing(integrator, turn):
    """Held through a post, so that its contact is not left out. It can take no force and has none, of the blow neither:
    the 1591 N of the landing stayed for good, or 1e21 N came of rounding over rounding."""
    size = (0.2, 0.3, 0.25)
    foot = kg.Link("foot", 2.0, inertia=kg.inertia.box(2.0, size), shapes=[kg.box(size, friction=0.6)])
    others = [kg.Link(name, 1.0, inertia=kg.inertia.box(1.0, size)) for name in ("post", "bob")]
    joints = [kg.Joint(f"f_{name}", "free", "world", name) for name in ("post", "foot", "bob")]
    lib = kg.TopologyLibrary(
        kg.Mechanism("held", [others[0], foot, others[1]], joints, shapes=[kg.plane(friction=0.6)]),
        [
            kg.Connection("hold", "world", "post", kg.fixed()),
            kg.Connection("grip", "post", "foot", kg.fixed()),
            kg.Connection("tie", "foot", "bob", kg.universal(), pose=kg.Pose((0.3, 0.1, 0.2))),
        ],
    )
    places = {
        "f_post": [-0.7, 0.2, 1.0, 0.1, 0.5, -0.2, np.sqrt(0.7)],
        "f_foot": [0.0, 0.0, 0.125, 0.0, 0.0, np.sin(turn), np.cos(turn)],
        "f_bob": [0.5, 0.3, 0.9, 0.3, -0.4, 0.1, np.sqrt(0.74)],
    }
    q, v = lib.state(places, {"f_foot": [0.5, 0.3, -1.0, 0.0, 0.0, 0.4], "f_bob": [0.3, -1.2, 0.4, 0.8, -0.1, 1.1]})
    sim = kg.Simulator(lib, integrator=integrator, q=q, v=v)
    sim.switch(connect=["tie"])
    sim.when(kg.contact_force("foot", "world") > 0, lambda s: s.switch(connect=["hold", "grip"]))
    sim.step(300)
    assert "hold" in sim.active
    assert len(sim.contacts) > 0
    assert np.abs(sim.contacts.forces).max() == 0.0
    assert 10.0 < np.linalg.norm(sim.wrench("hold")[:3]) < 60.0
