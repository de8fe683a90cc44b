"""Cut joints, connections and the leaders of mimic joints stop at their limits, and cut joints are driven by name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.mechanism import KINDS as RECORDS
from kinegen.codegen.mechanism import JointTemplate
from support.mechanisms.limited import HIGH, INTEGRATORS, LOW, best, chain, mechanism_of, rod
from support.oracles.numeric import Reference

CUTS = ("j0", "j2")
KINDS = {
    "pivot": kg.revolute(axis=(0, 1, 0), limits=(-0.4, 0.5)),
    "cross": kg.universal(axis=(1, 0, 0), axis2=(0, 1, 0), limits=((-0.3, 0.4), (-0.5, 0.2))),
    "tube": kg.cylindrical(axis=(0, 0, 1), limits=((-0.6, 0.6), (-0.05, 0.08)), damping=(0.01, 0.1)),
    "screw": kg.helical(axis=(1, 0, 0), pitch=0.1, limits=(-0.5, 0.3)),
    "slide": kg.prismatic(axis=(0, 1, 0), limits=(-0.04, 0.06), damping=0.05),
}
OTHERS = {
    name: JointTemplate(
        name,
        (
            ("limits", [(-0.05, 0.06) if linear else (-0.4, 0.3) for linear in kind.linear]),
            ("damping", [0.1 if linear else 0.01 for linear in kind.linear]),
        ),
    )
    for name, kind in RECORDS.items()
    if kind.limited and kind.nv and name not in [template.kind for template in KINDS.values()]
}


@cache
def cut_chain():
    """The three hinges of `chain`, the first and the last as joints that can be cut."""
    joints = [replace(joint, limits=((LOW[i], HIGH[i]),)) for i, joint in enumerate(mechanism_of().joints)]
    return kg.TopologyLibrary(replace(mechanism_of(), name="cut_limited", joints=tuple(joints)), cuts=CUTS)


@cache
def every_kind(others):
    """A chain of half the kinds with limits, and the same with all of them cut."""
    kinds = OTHERS if others else KINDS
    names = ["world", *(f"l{i}" for i in range(len(kinds)))]
    joints = [
        replace(template.joint(name, names[i], names[i + 1]), origin=kg.Pose((0.05, 0.02, -1.0 * (i > 0))))
        for i, (name, template) in enumerate(kinds.items())
    ]
    mechanism = kg.Mechanism(f"kinds_with_limits_{int(others)}", [rod(name) for name in names[1:]], joints)
    return kg.compile(mechanism), kg.TopologyLibrary(mechanism, cuts=list(kinds))


def hinges(sim, q, v):
    """(..., 3) coordinates and speeds of the chain's hinges."""
    model = sim.model
    parts = [
        model.loop_joint(name, q, v) if name in CUTS else (q[..., model.q_slice(name)], v[..., model.v_slice(name)])
        for name in ("j0", "j1", "j2")
    ]
    return tuple(np.concatenate(side, axis=-1) for side in zip(*parts, strict=True))


def start(q, v=(0, 0, 0), **options):
    names = ("j0", "j1", "j2")
    at = cut_chain().state(dict(zip(names, q, strict=True)), dict(zip(names, v, strict=True)))
    return kg.Simulator(cut_chain(), q=at[0], v=at[1], **options)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_declaring_a_cut_loses_no_limit(integrator):
    """Within the bounds, on them now and then, energy never rises; by Runge-Kutta the motion is the tree's."""
    sim = start((0.9, 0.7, 0.6), integrator=integrator)
    alone = kg.Simulator(chain(), q=[0.9, 0.7, 0.6], integrator=integrator)
    trajectory, expected = sim.run(3.0), alone.run(3.0)
    q, _ = hinges(sim, trajectory.q, trajectory.v)
    assert np.maximum(q - HIGH, LOW - q).max() < 1e-5
    assert (q < np.array(LOW) + 1e-4).any(axis=0).sum() >= 2
    energy = trajectory.energy.sum(axis=1)
    assert energy[-1] < energy[0] - 0.1
    assert np.diff(energy).max() < 4e-3  # what Euler's method itself makes of a swing
    # A joint 1e-8 rad beyond its limit is moved back and velocities stay: of all hinges there, of the free ones here.
    assert np.abs(q - expected.q).max() < (0.1 if integrator == "semi_implicit" else 5e-8)


def test_an_impact_takes_the_least_energy():
    rng = np.random.default_rng(1)
    for _ in range(30):
        side = rng.choice([-1, 1], size=3)
        q = np.where(side < 0, LOW, HIGH).astype(float)
        v = rng.uniform(-2, 2, 3)
        sim = start(q, v, integrator="rk4", dt=1e-7)
        sim.step()
        M = Reference(mechanism_of(), q, v).mass_matrix()
        assert np.abs(hinges(sim, sim.q, sim.v)[1] - best(M, v, side)).max() < 1e-4


@pytest.mark.parametrize("joint, at", [("j0", (0.997, 0.0, 0.0)), ("j2", (0.0, 0.0, 0.697))])
def test_cut_joints_meet_limits_that_their_acceleration_reaches(joint: str, at: tuple[float, float, float]) -> None:
    k, ends = int(joint[1]), []
    for limits in (True, False):
        sim = start(at, tau={joint: [200.0]}, dt=5e-3, limits=limits)
        sim.step()
        ends.append(hinges(sim, sim.q, sim.v)[0][k])
    assert ends[0] == pytest.approx(HIGH[k], abs=1e-4) and ends[1] > HIGH[k] + 1e-3


def test_it_rests_on_its_limit_against_a_motor():
    """A torque by name holds the cut joint against its bound without a tremor."""
    sim = start((0.0, 0.0, 0.0), tau={"j0": -30.0})
    sim.step(3000)
    trajectory = sim.run(1.0)
    q, v = hinges(sim, trajectory.q, trajectory.v)
    assert np.abs(v[:, 0]).max() < 2e-4  # closing the loop of the swinging links below
    assert q[:, 0] == pytest.approx(LOW[0], abs=1e-6)
    assert np.abs(v[:, 1:]).max() > 0.1


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("others", [False, pytest.param(True, marks=pytest.mark.sweep)])
def test_every_kind_stops_as_in_the_tree(integrator, others):
    """One axis or more, turning and sliding, with dampers: all cut against none cut; impacts are first order."""
    tree, lib = every_kind(others)
    at = {"pivot": 0.45, "cross": [0.3, -0.4], "tube": [0.4, 0.05], "screw": 0.2, "slide": 0.03}
    speed = {"pivot": 1.0, "cross": [1.0, -1.0], "tube": [2.0, 0.3], "screw": 1.0, "slide": 0.5}
    if others:
        at = {name: [0.04 if linear else 0.2 for linear in RECORDS[name].linear] for name in OTHERS}
        speed = {name: [0.3 if linear else 0.8 for linear in RECORDS[name].linear] for name in OTHERS}
    q, v = lib.state(at, speed)
    sim = kg.Simulator(lib, q=q, v=v, integrator=integrator, dt=1e-4)
    alone = kg.Simulator(
        tree, q=np.hstack(list(at.values())), v=np.hstack(list(speed.values())), integrator=integrator, dt=1e-4
    )
    trajectory, expected = sim.run(0.3), alone.run(0.3)
    met = 0
    for name in at:
        found, wanted = sim.model.loop_joint(name, trajectory.q)[0], expected.joint(name)[0]
        assert np.abs(found - wanted).max() < (1e-3 if integrator == "rk4" else 5e-3)
        low, high = (np.array(bound) for bound in zip(*lib.mechanism.joint(name).limits, strict=True))
        assert np.maximum(found - high, low - found).max() < 1e-4
        met += int((np.minimum(high - found, found - low).min(axis=0) < 1e-4).sum())
    assert met >= 4


def test_limits_hold_while_active_only():
    """Let go it passes its bound; joined again where it is beyond, it comes back at 1 rad/s at most."""
    sim = start((0.5, 0.0, 0.0), (0.0, 0.0, 6.0), integrator="rk4")
    sim.cut("j2")
    sim.step(200)
    assert hinges(sim, sim.q, sim.v)[0][2] > HIGH[2] + 0.3
    sim.connect("j2", pose_b="current")
    beyond = hinges(sim, sim.q, sim.v)[0][2]  # zero where it was joined: within
    assert LOW[2] < beyond < HIGH[2]
    sim.step(500)
    assert LOW[2] - 1e-4 < hinges(sim, sim.q, sim.v)[0][2] < HIGH[2] + 1e-4


def test_connections_have_limits():
    """A hinge made in flight stops where its template says; without limits it turns on."""
    links = [rod("bar"), rod("post")]
    joints = [
        kg.Joint("flight", "free", "world", "bar"),
        kg.Joint("stand", "revolute", "world", "post", axis=(0, 0, 1)),
    ]
    hold = kg.Connection("hold", "post", "bar", kg.revolute(axis=(0, 1, 0), limits=(-0.2, 0.3)))
    lib = kg.TopologyLibrary(kg.Mechanism("held", links, joints, gravity=(0, 0, 0)), [hold])
    for limits, reached in ((True, 0.3), (False, 1.0)):
        sim = kg.Simulator(lib, active={"hold"}, limits=limits)
        sim.v = sim.model.project(sim.q, [0, 0, 0, 0, 2.0, 0, 0])[1]
        sim.step(1000)
        angle = sim.model.loop_joint("hold", sim.q)[0][0]
        assert angle == pytest.approx(reached, abs=1e-4) if limits else angle > reached


@cache
def wheel(low, high):
    """A wheel on an axle that can be cut."""
    disc = kg.Link("disc", 1.0, inertia=kg.inertia.cylinder(1.0, 0.2, 0.05))
    axle = kg.Joint("axle", "revolute", "world", "disc", axis=(0, 0, 1), limits=(low, high))
    return kg.TopologyLibrary(kg.Mechanism("wheel", [disc], [axle]), cuts=["axle"])


def test_turns_are_counted():
    """Limits past a turn are met after that turn; an angle of more than half a turn begins within its limits."""
    sim = kg.Simulator(wheel(-1.0, 20.0), tau={"axle": 0.02})
    sim.step(7000)
    assert sim.v == pytest.approx(0.0, abs=1e-9)
    assert sim.model.loop_joint("axle", sim.q, near=[20.0])[0][0] == pytest.approx(20.0, abs=1e-6)
    lib = wheel(3.0, 4.0)
    q, v = lib.state({"axle": 3.5})
    still = kg.Simulator(lib, q=q, v=v)
    still.step(100)
    assert np.abs(still.v).max() < 1e-12


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_joint_that_closes_a_loop_stops(integrator):
    links = [
        kg.Link(n, 1.0, (size / 2, 0, 0), kg.inertia.box(1.0, (size, 0.1, 0.1)))
        for n, size in zip("cdf", (0.4, 1, 0.8), strict=True)
    ]
    axis = {"axis": (0, -1, 0)}
    joints = [
        kg.Joint("crank", "revolute", "world", "c", **axis),
        kg.Joint("coupler", "revolute", "c", "d", kg.Pose((0.4, 0, 0)), **axis),
        kg.Joint("rocker", "revolute", "world", "f", kg.Pose((1.0, 0, 0)), **axis),
        kg.Joint("closing", "revolute", "d", "f", kg.Pose((1.0, 0, 0)), kg.Pose((0.8, 0, 0)), cut=True,
                 limits=(0.8, 1.9), **axis),
    ]  # fmt: skip
    model = kg.compile(kg.Mechanism("four_bar_with_stop", links, joints))
    q = model.assemble([1.5, 0.2, 2.0])
    trajectory = kg.Simulator(model, q=q, integrator=integrator).run(2.0)
    closing = model.loop_joint("closing", trajectory.q)[0]
    assert closing.min() > 0.8 - 1e-4 and closing.max() < 1.9 + 1e-4
    assert min(closing.min() - 0.8, 1.9 - closing.max()) < 1e-3
    assert trajectory.closure_gap.max() <= 1e-10
    assert np.diff(trajectory.energy.sum(axis=1)).max() < 2e-3


def test_followers_bound_their_leaders():
    """q_f = -2 q + 0.1 in (-0.5, 0.3): the leader stays in (-0.1, 0.3); contradictory bounds are left out."""

    def made(limits):
        joints = [
            kg.Joint("lead", "revolute", "world", "a", axis=(0, 1, 0), limits=(-1.0, 1.0)),
            kg.Joint("follow", "revolute", "a", "b", kg.Pose((0, 0, -1)), axis=(0, 1, 0), limits=limits,
                     mimic=kg.Mimic("lead", -2.0, 0.1)),
        ]  # fmt: skip
        return kg.Mechanism("pair", [rod("a"), rod("b")], joints)

    model = kg.compile(made((-0.5, 0.3)))
    assert model.manifest.joints[0].lower == pytest.approx((-0.1,))
    assert model.manifest.joints[0].upper == pytest.approx((0.3,))
    trajectory = kg.Simulator(model, q=[0.2], tau=[40.0]).run(0.5)
    assert trajectory.q[-1] == pytest.approx([0.3], abs=1e-9)
    assert made((5.0, 6.0)).tree.bodies[0].joint.limits == ((-1.0, 1.0),)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("cuts", [(), ("elbow",)], ids=["tree", "cut"])
def test_what_rests_on_a_limit_loads_what_holds_it(cuts, integrator):
    """Two rods stretched out sideways, the outer one on the stop of its hinge: the clamp feels the weight of both."""
    rods = [kg.Link(name, 1.0, (0.5, 0, 0), kg.inertia.box(1.0, (1.0, 0.1, 0.1))) for name in ("inner", "outer")]
    joints = [
        kg.Joint("flight", "free", "world", "inner"),
        kg.Joint("elbow", "revolute", "inner", "outer", kg.Pose((1, 0, 0)), axis=(0, 1, 0), limits=(-1.0, 0.0)),
    ]
    clamp = kg.Connection("clamp", "world", "inner", kg.fixed())
    lib = kg.TopologyLibrary(kg.Mechanism("stretched", rods, joints), [clamp], cuts)
    sim = kg.Simulator(lib, q=lib.state()[0], active={"clamp", *cuts}, integrator=integrator)
    for _ in range(2):
        wrench = sim.wrench("clamp")  # on the inner rod
        assert wrench[2] == pytest.approx(2 * 9.81, rel=1e-6)
        assert wrench[4] == pytest.approx(-9.81 * (0.5 + 1.5), rel=1e-6)
        sim.step(50)
    sim.when(kg.moment("clamp") > 0.99 * 2 * 9.81, "cut", "clamp")
    sim.step(1)
    assert "clamp" not in sim.active


TORQUES = {
    "constant": {"j0": 3.0, "j1": -1.0, "j2": [2.0]},
    "rows": {"j0": np.sin(np.arange(300)), "j2": np.cos(np.arange(300))[:, None]},
    "function": lambda t, q, v: {"j0": np.sin(20 * t), "j2": 2 * np.cos(9 * t)},
}


@pytest.mark.parametrize("case", TORQUES)
def test_cut_joints_are_driven_by_name(case):
    """The same torques by name give the tree's motion, whether or not the joints were declared as cuts."""
    q, v = (0.3, 0.2, 0.1), (0.1, 0.0, 1.0)
    sim = start(q, v, integrator="rk4", tau=TORQUES[case])
    alone = kg.Simulator(chain(), q=q, v=v, integrator="rk4", tau=TORQUES[case])
    sim.step(300)
    alone.step(300)
    for found, expected in zip(hinges(sim, sim.q, sim.v), (alone.q, alone.v), strict=True):
        assert np.abs(found - expected).max() < 1e-9


def test_a_torque_ends_with_its_joint():
    """While it holds its wrench has the torque along its axis; cut, the rod falls as if not driven."""
    driven, free = (start((0.3, 0.2, 0.1), tau=tau) for tau in ({"j2": 5.0, "j0": 1.0}, {"j0": 1.0}))
    assert driven.wrench("j2")[4] == pytest.approx(5.0, abs=1e-9)
    for sim in (driven, free):
        sim.cut("j2")
        sim.step(100)
    assert np.array_equal(driven.q, free.q)
    assert driven.tau == {"j2": 5.0, "j0": 1.0}


BAD = {
    "unknown": ({"j3": 1.0}, "no joint 'j3' to drive; it has: "),
    "size": ({"j1": [1.0, 2.0], "j0": [1.0, 2.0, 3.0]}, "all rows must be as many, got 2, 3"),
    "entries": ({"free_a": [1.0, 2.0]}, r"tau of joint 'free_a': expected shape \(6,\)"),
    "nan": ({"j1": np.nan}, "tau of joint 'j1': expected a number, got nan"),
    "text": ({"j1": "much"}, "tau of joint 'j1'"),
    "asked": (lambda t, q, v: {"j2": np.inf}, "t = 0 s: entry .*, joint 'j2', is inf"),
    "asked unknown": (lambda t, q, v: {"knee": 1.0}, "t = 0 s: .* no joint 'knee'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_torques(case):
    tau, words = BAD[case]
    with pytest.raises(kg.ModelError, match=words):
        start((0, 0, 0), tau=tau).step()
