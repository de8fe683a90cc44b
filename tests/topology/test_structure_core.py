"""Rows beside loops that come and go, where joints of no loop stand before those of loops in the tree."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg

DT = 1e-6
Y = (0.0, 1.0, 0.0)


def limbed():
    """A trunk that turns about world, with an arm that stops at 0, and a leg, which comes later."""
    chain = [("trunk", "world"), ("upper", "trunk"), ("lower", "upper"), ("thigh", "trunk"), ("shank", "thigh")]
    chain += [("foot", "shank")]
    links = [
        kg.Link(name, 1.0 + 0.3 * k, (0.1, 0.0, -0.2), np.diag([0.02, 0.03, 0.01])) for k, (name, _) in enumerate(chain)
    ]
    joints = [
        kg.Joint(
            f"j_{name}",
            "revolute",
            parent,
            name,
            origin=kg.Pose((0.05 * k, 0.0, -0.3)),
            axis=Y,
            limits=(-2.0, 0.0) if name == "lower" else None,
            actuated=name == "thigh",
        )
        for k, (name, parent) in enumerate(chain)
    ]
    return kg.Mechanism("limbed", links, joints)


def test_a_stop_is_answered_as_by_the_closed_mechanism():
    mechanism, q = limbed(), np.array([0.2, -0.4, 0.0, 0.3, -0.5, 0.1])
    tree = kg.compile(mechanism)
    place = tree.link_poses(q)[tree.link_names.index("foot")]
    pose = kg.Pose(tuple(place[:3, 3]), rotation=place[:3, :3])
    closed = kg.compile(mechanism.connect("world", "foot", kg.fixed(), name="hold", pose=pose))
    tau, unit = np.array([0.5, -1.0, 30.0, 0.3, 0.7, -0.4]), np.eye(6)[2]
    free = closed.forward_dynamics(q, np.zeros(6), tau)
    answer = closed.forward_dynamics(q, np.zeros(6), tau + unit) - free
    assert free[2] > 1.0  # against the stop
    library = kg.TopologyLibrary(mechanism, connections=[kg.Connection("hold", "foot", "world", kg.fixed())])
    for integrator in ("semi_implicit", "rk4"):
        sim = kg.Simulator(library, q=q, dt=DT, tau=tau, integrator=integrator, active={"hold"})
        sim.step()
        columns = sim._motion.stepper._closing.memory.partition.columns
        assert list(columns)[3:] == [1, 2, 3]  # the thigh leads, and comes last
        expected = free - free[2] / answer[2] * answer
        assert np.abs(sim.v / DT - expected).max() < 1e-5 * np.abs(expected).max()


def test_what_leads_is_not_left_to_rounding():
    """Of velocities that serve as well the first leads: motions that begin 1e-10 apart stay so."""
    rod = kg.inertia.box(1.0, (0.05, 0.05, 0.5))
    links = [kg.Link("box", 2.0, (0.1, 0.05, 0), (0.02, 0.001, 0, 0.03, 0.002, 0.025))]
    links += [kg.Link(name, 1.0, (0, 0, -0.25), rod) for name in ("upper", "lower")]
    joints = [kg.Joint("flight", "free", "world", "box"), kg.Joint("float", "free", "world", "upper")]
    joints.append(kg.Joint("elbow", "revolute", "upper", "lower", kg.Pose((0, 0, -0.5)), axis=Y))
    hold = kg.Connection("hold", "lower", "box", kg.spherical(), pose=kg.Pose((0, 0, -0.5)))
    mechanism = kg.Mechanism("held", links, joints, gravity=(0, 0, 0))
    library = kg.TopologyLibrary(mechanism, connections=[hold], cuts=["elbow"])
    for seed in range(4):
        rng = np.random.default_rng(seed)
        turns = rng.normal(size=(2, 4)) / 2
        turns /= np.linalg.norm(turns, axis=1)[:, None]
        q = library.state({"flight": (0.3, 0, 0, *turns[0]), "float": (0, 0.2, 0, *turns[1]), "elbow": 0.9})[0]
        ends, v = [], rng.normal(size=library.model.nv)
        for apart in (0.0, 1e-10):
            sim = kg.Simulator(library, q=q, v=v + apart * rng.normal(size=len(v)), active={"elbow"})
            sim.step(60)
            sim.connect("hold")
            sim.step(20)
            ends.append(sim.v)
        assert np.abs(ends[1] - ends[0]).max() < 1e-8


def hung_chain():
    """Two rods whose elbow can be cut; the lower may hang on the world by a hinge with a motor."""
    links = [kg.Link(name, 1.0, (0, 0, -0.2), kg.inertia.box(1.0, (0.2, 0.3, 0.4))) for name in "ab"]
    joints = [kg.Joint("shoulder", "revolute", "world", "a", axis=Y)]
    joints.append(kg.Joint("elbow", "revolute", "a", "b", kg.Pose((0, 0, -0.5)), axis=Y, effort_limit=7.0))
    hang = kg.Connection(
        "hang", "world", "b", kg.revolute(axis=Y, actuated=True, effort_limit=3.0), pose=kg.Pose((0.4, 0, -0.8))
    )
    return kg.TopologyLibrary(kg.Mechanism("hung chain", links, joints), [hang], cuts=["elbow"])


def test_motors_of_what_is_not_connected_exert_nothing():
    """Against the closed forms of the pendulum that is left; the motors that count are those of what is active."""
    library = hung_chain()
    q, v = library.state({"shoulder": 0.3, "elbow": -0.9})
    cut, hung, whole, both = (library.with_active(names, q) for names in ((), ("hang",), ("elbow",), ("hang", "elbow")))
    assert library.model.actuators == whole.actuators == ("shoulder", "elbow") and cut.actuators == ("shoulder",)
    assert hung.actuators == ("shoulder", "hang") and set(both.actuators) == {"shoulder", "elbow", "hang"}
    for model in (cut, hung, whole, both):
        assert model.S(q).shape == (model.nu, model.nf) and model.nu == len(model.actuators)
    with pytest.raises(kg.ModelError, match=r"1 actuators \(shoulder\) of rank 1 for 7 degrees of freedom"):
        cut.actuator_torques(q, v, 0 * v)
    tau, left = cut.actuator_torques(q, v, 0 * v, unbalanced=True, limits=True)
    assert np.allclose(tau, [9.81 * 0.2 * np.sin(0.3)]) and abs(left).max() > 1.0
    held = hung.actuator_torques(q, v, 0 * v)
    elbow = np.array([-0.5 * np.sin(0.3), -0.5 * np.cos(0.3)])
    arm = elbow[0] - 0.2 * np.sin(-0.6) - 0.4
    assert np.allclose(held, [9.81 * 0.2 * np.sin(0.3), -9.81 * arm])


def test_what_is_linear_and_at_rest_counts_the_motors_of_what_is_active():
    library = hung_chain()
    q, v = library.state({"shoulder": 0.3, "elbow": -0.9})
    cut, whole = (library.with_active(names, q) for names in ((), ("elbow",)))
    assert kg.linearize(cut, q, v).inputs == ("shoulder",) and kg.linearize(cut, q, v).B.shape[1] == 1
    assert kg.linearize(whole, q, v).inputs == ("shoulder", "elbow")
    assert kg.equilibrium(whole, q, hold=list(whole.independent)).residual < 1e-9
    with pytest.raises(kg.ModelError, match=r"no torques of its actuators \(shoulder\) hold it"):
        kg.equilibrium(cut, q, hold=list(cut.independent))


@pytest.fixture(scope="module")
def ball_chain() -> kg.TopologyLibrary:
    """Two links, the second on the first by a ball that can be cut."""
    links = [kg.Link(name, 1.0, (0, 0, -0.2), kg.inertia.box(1.0, (0.2, 0.3, 0.4))) for name in "ab"]
    joints = [kg.Joint("shoulder", "revolute", "world", "a", axis=Y)]
    joints.append(kg.Joint("ball", "spherical", "a", "b", kg.Pose((0, 0, -0.5))))
    return kg.TopologyLibrary(kg.Mechanism("ball chain", links, joints), cuts=["ball"])


def test_the_speed_of_a_free_joint_is_kept_where_the_cut_joint_places_it(ball_chain: kg.TopologyLibrary) -> None:
    placed, speed = ball_chain.state({"ball": (0, 0, 0.6, 0.8)})[0], [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]
    for at in ({}, {"ball": (0, 0, 0.6, 0.8)}, {"free_b": placed[1:]}):
        q, v = ball_chain.state(at, {"free_b": speed})
        np.testing.assert_array_equal(q, placed if at else ball_chain.state()[0])
        np.testing.assert_array_equal(v[1:], speed)


AWAY = (0, 0, -5, 0, 0, 0, 1)
STATES = {
    "places": (({"free_b": AWAY, "ball": (0, 0, 1, 0)},), r"'ball' and 'free_b' both tell .* name 'ball' alone, or"),
    "speeds": (({}, {"free_b": 0.0, "ball": [1, 2, 3]}), "^state: 'ball' and 'free_b' both tell"),
    "place and speed": (({"free_b": AWAY}, {"ball": [1, 2, 3]}), "^state: 'ball' and 'free_b' both tell"),
    "no quaternion": (({"ball": 0.0},), r"^state: the quaternion .* of joint 'ball', entries 0 to 3, has norm 0"),
    "long quaternion": (({"ball": (0, 0, 0, 2)},), "of joint 'ball', entries 0 to 3, has norm 2, expected 1"),
}


@pytest.mark.parametrize("case", STATES)
def test_states_that_say_two_things_or_none_are_refused(ball_chain: kg.TopologyLibrary, case: str) -> None:
    given, words = STATES[case]
    with pytest.raises(kg.ModelError, match=words):
        ball_chain.state(*given)
