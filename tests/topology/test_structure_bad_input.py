"""Structure change asked for wrongly: errors that name what is wrong; connections that lock; names that are not C."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.runtime.events.conditions import Condition, Quantity
from support.contact.dropped import drop, simulator

HOSTILE = 'p"in*/\\'
ROD = kg.Link('r"o*/d', 1.0, (0, 0, -0.5), kg.inertia.box(1.0, (0.1, 0.1, 1.0)))
Y = (0, 1, 0)
RAIL = kg.Rows("rail", "world", "a", axes="x")
BY_ROWS = np.eye(4) + np.outer([0, 0, 0, 1.0], [0.1, 0.2, 0.3, 0.0])


@cache
def pendulum():
    """A rod on a hinge that can be cut, two connections that leave it no motion; names that are no C."""
    hinge = kg.Joint(HOSTILE, "revolute", "world", ROD.name, axis=(0, 1, 0), limits=(-2, 2), damping=0.1)
    connections = [
        kg.Connection('we"l*/d\\', ROD.name, "world", kg.fixed()),
        kg.Connection("peg", "world", ROD.name, kg.revolute(axis=(1, 0, 0))),
    ]
    return kg.TopologyLibrary(kg.Mechanism('pe"n*/', [ROD], [hinge]), connections, [HOSTILE])


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("name", [connection.name for connection in pendulum().connections])
def test_a_connection_may_lock_what_moves(name, integrator):
    """It stops at once, by the impulse that its angular momentum asks for, stays, and moves again when let go."""
    lib = pendulum()
    q, v = lib.state({HOSTILE: 0.5}, {HOSTILE: 3.0})
    sim = kg.Simulator(lib, q=q, v=v, integrator=integrator)
    inertia = (1.0 + 0.01) / 12.0 + 0.25
    impulse = sim.connect(name).impulse
    assert abs(impulse[4]) == pytest.approx(3.0 * inertia, rel=1e-9)
    assert np.abs(np.delete(impulse, 4)).max() < 1e-9  # about the hinge: nothing pulls
    assert np.abs(sim.v).max() < 1e-12 and sim.model.nf == 0
    sim.step(100)
    assert np.abs(sim.q - q).max() < 1e-12 and np.abs(sim.v).max() < 1e-12 and sim.gap < 1e-10
    sim.cut(name)
    sim.step(100)
    assert np.abs(sim.v).max() > 0.1 and np.isfinite(sim.q).all()


def mechanism():
    return drop().mechanism


def driven_rod(cuts):
    hinge = kg.Joint("hinge", "revolute", "world", ROD.name, axis=Y, motion=0.1)
    return kg.TopologyLibrary(kg.Mechanism("driven_rod", [ROD], [hinge]), [], cuts)


def thin_rod(cuts=()):
    """A rod on a hinge, without inertia about itself."""
    rod = kg.Link("rod", 1.0, (0, 0, -0.5), (1 / 12, 0, 0, 1 / 12, 0, 0))
    hinge = kg.Joint("hinge", "revolute", "world", "rod", axis=(0, 1, 0))
    hold = kg.Connection("hold", "rod", "world", kg.spherical())
    return kg.TopologyLibrary(kg.Mechanism("thin_rod", [rod], [hinge]), [hold], cuts)


def nan():
    return np.full(drop().model.nv, np.nan)


def with_rows(**rules):
    """A library with these rows; its pendulum has dry friction."""
    base = drop().mechanism
    joints = [replace(joint, friction=(0.5,)) if joint.name == "pivot" else joint for joint in base.joints]
    mech = replace(base, joints=tuple(joints))
    return kg.TopologyLibrary(mech, drop().connections, rows=kg.RowRules(**rules)).precompile()


BAD = {
    "one connection": (lambda: kg.TopologyLibrary(mechanism(), drop().connections[0]), "a list of Connections"),
    "names for connections": (lambda: kg.TopologyLibrary(mechanism(), ["weld"]), "a list of Connections, got"),
    "no mechanism": (lambda: kg.TopologyLibrary("drop"), "expected a Mechanism, got str"),
    "nothing changes": (lambda: kg.TopologyLibrary(mechanism()).library, "no connections that could be made or cut"),
    "cut twice declared": (lambda: kg.TopologyLibrary(mechanism(), [], ["pivot", "pivot"]), "named twice"),
    "loops by rows": (lambda: with_rows(loops=True), "rows: loops=True: the loops of library 'drop' come and go"),
    "rows": (lambda: with_rows(between=[RAIL]), r"rows \(rail\): library 'drop' holds"),
    "stiction": (lambda: with_rows(friction=True), r"rows \(friction of 'pivot'\): library 'drop' holds"),
    "world to world": (lambda: kg.Connection("x", "world", "world", kg.fixed()), "joins link 'world' to itself"),
    "connect a number": (lambda: simulator().connect(3), "expected names or Connections, got 3"),
    "connect a list": (lambda: simulator().connect(["weld"]), r"expected names or Connections, got \['weld'\]"),
    "connect a joint": (
        lambda: simulator().connect(mechanism().joints[0]),
        r"connect: expected names or Connections, got Joint\(name=",
    ),
    "connect rows": (lambda: simulator().connect(RAIL), r"expected names or Connections, got Rows\(name='rail'"),
    "cut a list": (lambda: simulator().cut(["pivot"]), r"cut: expected names, got \['pivot'\]"),
    "twice at once": (lambda: simulator().connect("weld", "weld"), "a name is given twice in 'weld', 'weld'"),
    "new one twice": (
        lambda: simulator().connect(*[kg.Connection("new", "a", "b", kg.fixed())] * 2),
        "^connect: a name is given twice in 'new', 'new'$",
    ),
    "list at a time": (lambda: simulator().at(0.1, "cut", ["pivot"]), "cut: expected names"),
    "nan time": (lambda: simulator().at(np.nan, "cut", "pivot"), "t: expected a number, got nan"),
    "tolerance below 0": (lambda: simulator().connect("hook", tolerance=-1.0), "at least 0, got -1.0"),
    "tolerance nan": (lambda: simulator().connect("hook", tolerance=np.nan), "tolerance: expected a number, got nan"),
    "stretched pose": (lambda: simulator().connect("weld", pose_b=np.diag([2.0, 1, 1, 1])), "a rotation and a place"),
    "pose by rows": (lambda: simulator().connect("weld", pose_b=BY_ROWS), "must say 0 0 0 1, .*; its transpose does$"),
    "pose of a scale": (lambda: simulator().connect("weld", pose_b=np.diag([1.0, 1, 1, 2])), "must say 0 0 0 1, got"),
    "nan pose": (lambda: simulator().connect("weld", pose_b=np.full((4, 4), np.nan)), r"entry \(0, 0\) is nan"),
    "symbolic pose": (
        lambda: simulator().connect("weld", pose_b=kg.Pose((sympy.Symbol("A"), 0, 0), (0, sympy.Symbol("B"), 0))),
        "^pose_b: expected a Pose of numbers, this one holds A, B; give their values$",
    ),
    "gap": (lambda: simulator((0.0, 5.0)).connect("hook"), "frames are 6 m or rad apart .*pose_b='current'"),
    "switch both": (lambda: simulator().switch(["pivot"], ["pivot"]), "'pivot' is both connected and cut"),
    "switch twice": (lambda: simulator().switch(["pivot"]), "'pivot' is connected already"),
    "switch off": (lambda: simulator().switch([], ["weld"]), "'weld' is not connected; active: pivot"),
    "nan v": (lambda: kg.Simulator(drop(), v=nan()), "v: entry 0 is nan"),
    "nan tau": (lambda: kg.Simulator(drop(), tau=nan()), "tau: entry 0 is nan"),
    "nan tau asked": (lambda: kg.Simulator(drop(), tau=lambda t, q, v: nan()).step(), "joint 'a_free', is nan"),
    "nan in state": (lambda: drop().state({"pivot": np.nan}), "joint 'pivot': expected finite numbers"),
    "unknown wrench": (lambda: simulator().wrench("rop"), "no connection or cut joint 'rop'.*rope"),
    "thin rod": (lambda: thin_rod(["hinge"]), "'hinge' cannot be cut: 'rod' .* no inertia about one of its axes"),
    "cut of what moves by a motion": (
        lambda: driven_rod(["hinge"]),
        "joint 'hinge' cannot be cut: .*; remove the motion",
    ),
    "thin rod cut": (lambda: kg.Simulator(thin_rod()).cut("hinge"), "'hinge' cannot be cut: 'rod' would fly free"),
    "control characters": (lambda: kg.Connection("a\nb", "a", "b", kg.fixed()), "give a printable name"),
}


@pytest.mark.parametrize("case", BAD)
def test_it_says_what_is_wrong(case):
    call, words = BAD[case]
    with pytest.raises(kg.ModelError, match=words):
        call()


def test_nothing_has_changed_after_an_error():
    sim = simulator((0.0, 5.0))
    q, v, active = sim.q, sim.v, sim.active
    for wrong in (
        lambda: sim.connect("hook", "weld"),
        lambda: sim.switch(["hook"], ["pivot"]),
        lambda: sim.cut("weld"),
    ):
        with pytest.raises(kg.ModelError):
            wrong()
        assert np.array_equal(sim.q, q) and np.array_equal(sim.v, v) and sim.active == active and sim.events == ()


BAD_EVENTS = {
    "itself": (lambda s: kg.Connection("x", "a", "a", kg.fixed()), "joins link 'a' to itself"),
    "no template": (lambda s: kg.Connection("x", "a", "b", "fixed"), "must be a template"),
    "template with a start": (
        lambda s: kg.Connection("x", "a", "b", kg.revolute(axis=(0, 1, 0), start=0.3)),
        r"its joint takes no start; its coordinates begin at 0 where .*; leave it out",
    ),
    "template with a motion": (
        lambda s: kg.Connection("x", "a", "b", kg.revolute(axis=(0, 1, 0), motion=0.0)),
        r"connection 'x': its joint takes no motion; only what stays in the tree .*; leave it out",
    ),
    "template with a rotor": (
        lambda s: kg.Connection("x", "a", "b", kg.revolute(axis=(0, 1, 0), armature=0.1)),
        r"connection 'x': its joint takes no armature; only joints of the tree .*; leave it out",
    ),
    "template that mimics": (
        lambda s: kg.Connection("x", "a", "b", kg.revolute(axis=(0, 1, 0), mimic=kg.Mimic("j"))),
        r"its joint takes no mimic; what closes a loop follows no other joint; leave it out",
    ),
    "template that is cut": (
        lambda s: kg.Connection("x", "a", "b", kg.fixed(cut=True)),
        r"its joint takes no cut; it closes a loop in any case; leave it out",
    ),
    "two connections of one name": (
        lambda s: kg.TopologyLibrary(pendulum().mechanism, 2 * [kg.Connection("x", "world", ROD.name, kg.fixed())]),
        r"connection 'x': a connection has that name already",
    ),
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
    "no quantity": (lambda s: s.when(Condition(np.nan, 1.0, 0.0), "cut", "pivot"), "expected a quantity"),
    "no kind": (lambda s: s.when(Quantity("x", ("a",)) < 1.0, "cut", "pivot"), "expected a quantity"),
    "one name": (lambda s: s.when(Quantity("turn", ("a",)) < 1.0, "cut", "pivot"), "expected a quantity"),
    "no entry": (lambda s: s.when(Quantity("velocity", ("a",), -1) < 1.0, "cut", "pivot"), "condition: entry"),
    "number for a joint": (lambda s: kg.angle(5) > 1.0, "joint: expected str, got 5"),  # type: ignore[arg-type]
    "no name of a link": (lambda s: kg.contact_force("a", 7) > 1.0, "other: expected "),  # type: ignore[arg-type]
    "axis": (lambda s: kg.relative_position("a", "b", "w"), "one of 'x', 'y', 'z'"),
    "bound": (lambda s: kg.distance("a", "b") < np.nan, "condition"),
    "no argument": (lambda s: s.at(1.0, lambda: None), r"<lambda>\(\) cannot be called with the simulator"),
    "two arguments": (lambda s: s.when(lambda t, q: t > q, "cut", "pivot"), r"\(t, q\) .* missing .*as lambda"),
    "and": (lambda s: kg.angle("pivot") > 0.5 and kg.speed("pivot") > 1.0, r"> 0\.5: it is watched .* one comparison"),
    "or": (lambda s: kg.angle("pivot") > 0.5 or kg.speed("pivot") > 1.0, "one comparison at a time"),
    "not": (lambda s: not kg.angle("pivot") > 0.5, r"when\(lambda sim"),
    "chain": (lambda s: 0.4 < kg.distance("a", "b") < 0.5, r"distance\(a, b\) > 0\.4: it is watched"),
    "either of two": (lambda s: (kg.angle("pivot") or kg.speed("pivot")) > 0.5, "one comparison at a time"),
    "active": (lambda s: kg.Simulator(drop(), active={"x"}), "^active: library .* no connection 'x'"),
    "active as text": (lambda s: kg.Simulator(drop(), active="weld"), "^active: .* write {'weld'}"),
    "active in a rollout": (lambda s: kg.rollout(drop(), s.q, steps=1, active={"x"}), "^rollout: active: library"),
    "active as text in a rollout": (lambda s: kg.rollout(drop(), s.q, steps=1, active="x"), "^rollout: active: exp"),
    "with_active": (lambda s: drop().with_active({"x"}), "^active: library .* no connection 'x'"),
    "switch": (lambda s: s.switch(connect="weld"), "^connect: expected a set of names"),
    "switch off": (lambda s: s.switch(cut={"x"}), "^cut: library .* no connection 'x'"),
    "pose_b": (lambda s: s.connect("weld", pose_b="here"), "or 'current'"),
    "state": (lambda s: drop().state({"elbow": 1.0}), "no joint 'elbow'"),
    "state size": (lambda s: drop().state({"a_free": [1.0, 2.0]}), "expected 7 numbers"),
    "tree": (lambda s: kg.Simulator(s.mech).connect("weld"), "simulate a TopologyLibrary"),
}


@pytest.mark.parametrize("case", BAD_EVENTS)
def test_bad_input_is_named(case):
    sim = simulator()
    sim.mech = drop().mechanism
    act, words = BAD_EVENTS[case]
    with pytest.raises(kg.ModelError, match=words):
        act(sim)
    assert sim.active == {"pivot"}


def test_connections_that_leave_driven_joints_no_motion_are_refused():
    """As at the start; nothing has changed then, an event waits, and fewer driven joints can be connected."""
    joints = [kg.Joint("ja", "revolute", "world", "a", axis=Y)]
    joints.append(kg.Joint("jb", "revolute", "a", "b", kg.Pose((0, 0, -0.5)), axis=Y))
    links = [kg.Link(name, 1.0, (0, 0, -0.2), kg.inertia.box(1.0, (0.2, 0.3, 0.4))) for name in "ab"]
    pin = kg.Connection("pin", "world", "b", kg.revolute(axis=Y), pose=kg.Pose((0.1, 0, -0.9)))
    library = kg.TopologyLibrary(kg.Mechanism("driven arm", links, joints), [pin])
    moved = {"ja": lambda t: (0.3 + 0.5 * t, 0.5, 0.0), "jb": lambda t: (0.2 - 0.9 * t, -0.9, 0.0)}
    for driven, names in ((moved, "ja, jb"), ({"ja": 0.3}, "ja")):
        sim = kg.Simulator(library, q=[0.3, 0.2], driven=driven)
        other = copy.deepcopy(sim)
        with pytest.raises(
            kg.ModelError, match=rf"connect 'pin': {names} cannot move as told: .* 0 degrees of freedom"
        ):
            sim.connect("pin")
        sim.at(0.003, "connect", "pin")
        with pytest.raises(
            kg.SimulationError, match=rf"t = 0.003 s: connect 'pin': {names} cannot .*; the event waits"
        ):
            sim.run(0.005)
        assert sim.events == () and sim.active == set()
        other.run(0.003)
        assert np.array_equal(sim.q, other.q) and np.array_equal(sim.v, other.v)
        sim.driven = None
        sim.run(0.005)
        assert sim.active == {"pin"} and sim.model.nf == 0


def test_the_loop_that_holds_what_is_driven_is_named():
    """Not the first one that was declared, which holds nothing, nor one that is weaker elsewhere."""
    links = [kg.Link(name, 1.0, inertia=kg.inertia.box(1.0, (0.1, 0.1, 0.1))) for name in "abcd"]
    joints = [kg.Joint("x", "prismatic", "world", "a", axis=(1, 0, 0)), kg.Joint("fly", "free", "world", "b")]
    joints += [kg.Joint(f"turn_{one}", "revolute", "world", one, axis=Y) for one in "cd"]
    ends = {"lock": "wa", "ab": "ab", "wb": "wb", "far": "cd"}
    made = [kg.Connection(n, *(e.replace("w", "world") for e in ends[n]), kg.fixed()) for n in ends]
    made[3] = kg.Connection("far", "c", "d", kg.spherical(), pose=kg.Pose((1, 0, 0.02)))
    library = kg.TopologyLibrary(kg.Mechanism("held", links, joints), made)
    for active in (set(), {"far"}):
        sim = kg.Simulator(library, active=active, driven={"x": 0.0})
        with pytest.raises(kg.ModelError, match=r"x follows from the others \(loop '(ab|wb)'\)"):
            sim.switch(["ab", "wb"])
    held = library.with_active({"wb", "far"}, library.state()[0])
    with pytest.raises(kg.ModelError, match=r"turn_c, turn_d cannot .* follows from the others \(loop 'far'\)"):
        held.with_independent(["x", "turn_c", "turn_d"])


def test_c_makes_no_step_of_more_conditions_than_its_header_tells():
    """The header tells how many it takes at most, as Python does; what is given to C alone is not trusted."""
    sim = simulator()
    stepper, model = sim._motion.stepper, sim.model
    row = (kg.distance("a", "b") > 1e3).row(model.manifest)
    tau = np.zeros(model.nv + sum(joint.nv for joint in model.manifest.loops))
    q, v, before = sim.q.copy(), sim.v.copy(), sim.q.copy()
    assert stepper.advance(q, v, tau, 3, conditions=np.repeat(row, 65)).done == 0
    np.testing.assert_array_equal(q, before)
    assert stepper.advance(q, v, tau, 3, conditions=np.repeat(row, 64)).done == 3
    header = (model.module.folder / f"{model.manifest.prefix}.h").read_text(encoding="utf-8")
    assert "\n    long watches; /* conditions that are watched, 64 at most */\n" in header
