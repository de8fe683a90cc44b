"""Run-time parameters of what moves, a library or a model: set in the middle of a motion, against closed forms; what
functions that are asked in a step may change."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg

CASES = ("library", "model")


@cache
def library() -> kg.TopologyLibrary:
    """A four-bar with a crank of length L, a wheel on a spring k, a slide that is moved as A sin(20 t) and one on a
    spring `gain`, of one kg; they do not feel each other."""
    L, k, gain, A = (kg.parameter(*of) for of in (("L", 0.3), ("k", 0.5), ("gain", 40.0), ("A", 0.1)))
    rods = {"crank": 0.3, "coupler": 0.9, "rocker": 0.7}
    links = [kg.Link(n, m, (m / 2, 0, 0), kg.inertia.box(m, (m, 0.02, 0.02))) for n, m in rods.items()]
    links += [kg.Link("wheel", 1.0, inertia=np.eye(3)), kg.Link("moved", kg.parameter("mass", 1.0)), kg.Link("held", 1)]
    z, x = (0, 0, 1), (1, 0, 0)
    joints = [
        kg.Joint("drive", "revolute", "world", "crank", axis=z),
        kg.Joint("knee", "revolute", "crank", "coupler", origin=kg.Pose((L, 0, 0)), axis=z),
        kg.Joint("pivot", "revolute", "world", "rocker", origin=kg.Pose((0.8, 0, 0)), axis=z),
        kg.Joint("tip", "revolute", "coupler", "rocker", kg.Pose((0.9, 0, 0)), kg.Pose((0.7, 0, 0)), axis=z),
        kg.Joint("axle", "revolute", "world", "wheel", axis=z, stiffness=k),
        kg.Joint("moved", "prismatic", "world", "moved", axis=x, motion=A * sympy.sin(20 * sympy.Symbol("t"))),
        kg.Joint("held", "prismatic", "world", "held", axis=x, stiffness=gain),
    ]
    return kg.TopologyLibrary(kg.Mechanism("set_on_the_way", links, joints, gravity=(0, -9.81, 0)), cuts=["axle"])


def simulator(case: str, **given: object) -> kg.Simulator:
    """Of the library, or of its model with the same structure; the wheel turns by 10 rad/s."""
    lib = library()
    end = 0.3 * np.exp(1j) - 0.8  # of the crank, as the rocker's pivot sees it
    side = abs(end)
    bend = np.arccos((side**2 + 0.7**2 - 0.9**2) / (2 * 0.7 * side))
    pivot = np.angle(end) - bend
    knee = np.angle(0.7 * np.exp(1j * pivot) - end) - 1.0
    q, v = lib.state({"drive": 1.0, "knee": knee, "pivot": pivot}, {"axle": 10.0})
    model = lib if case == "library" else lib.with_active(["axle"])
    return kg.Simulator(model, dt=5e-4, integrator="rk4", q=q, v=v, **given)


def of(sim: kg.Simulator, joint: str) -> tuple[float, float]:
    """Coordinate and velocity of a joint."""
    return float(sim.q[sim.model.q_slice(joint)][0]), float(sim.v[sim.model.v_slice(joint)][0])


def open_by(sim: kg.Simulator, length: float) -> tuple[float, float]:
    """How far the ends of coupler and rocker are apart, and how fast they part."""
    (a, da), (b, db), (c, dc) = (of(sim, joint) for joint in ("drive", "knee", "pivot"))
    crank, coupler, rocker = length * np.exp(1j * a), 0.9 * np.exp(1j * (a + b)), 0.7 * np.exp(1j * c)
    speed = crank * da + coupler * (da + db) - rocker * dc
    return abs(crank + coupler - 0.8 - rocker), abs(speed)


@pytest.mark.filterwarnings("ignore:q. .* was open by:kinegen.ClosureWarning")
@pytest.mark.parametrize("case", CASES)
def test_loops_are_closed_by_a_new_length_without_a_blow(case: str) -> None:
    sim = simulator(case)
    sim.step(600)
    before = of(sim, "drive")[1]
    sim.set_parameters({"L": 0.301})
    assert max(open_by(sim, 0.301)) < 1e-12 and abs(of(sim, "drive")[1] - before) < 0.02
    run = sim.run(0.05)
    spring, motor = 0.25 * run.joint("axle")[0][:, 0] ** 2, 0.5 * run.joint("moved")[1][:, 0] ** 2
    assert run.closure_gap.max() < 1e-12 and np.ptp(run.energy.sum(axis=1) + spring - motor) < 1e-9


@pytest.mark.parametrize("case", CASES)
def test_turns_are_counted_on(case: str) -> None:
    """The spring of a wheel that has gone round pulls it back as far as it has gone."""
    sim, own = simulator(case), np.sqrt(0.5)
    sim.step(1600)
    angle, speed = 10.0 / own * np.sin(0.8 * own), 10.0 * np.cos(0.8 * own)
    assert angle > 2.0 * np.pi
    sim.set_parameters({"k": 2.0, "mass": 3.0})
    sim.step(400)
    rate = np.sqrt(2.0)
    found = sim.model.loop_joint("axle", sim.q, sim.v)[1][0]
    assert found == pytest.approx(speed * np.cos(0.2 * rate) - angle * rate * np.sin(0.2 * rate), abs=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_gains_of_servos_follow(case: str) -> None:
    """Whether servos were there before or are given later."""
    servo = {"held": kg.Servo(kp="gain", position=1.0)}
    for sim, later in ((simulator(case, servos=servo), None), (simulator(case), servo)):
        sim.set_parameters({"gain": 90.0})
        if later:
            sim.servos = later
        sim.step(200)
        for each in (sim, copy.copy(sim)):
            each.step(200)
            assert of(each, "held")[0] == pytest.approx(0.5 - 0.5 * np.cos(np.sqrt(180.0) * 0.2), abs=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_a_saved_state_holds_the_parameters(case: str) -> None:
    """With all that follows from them: to the bits of a simulator in which they were never others."""
    servos = {"held": kg.Servo(kp="gain", position=1.0)}
    sim, late = simulator(case, servos=servos), simulator(case, servos=servos)
    sim.step(100)
    state, told = sim.save(), dict(sim.model.parameters)
    twin = copy.copy(sim)
    for each in (sim, late):
        each.set_parameters({"A": 0.5, "gain": 90.0, "k": 3.0})
        each.step(20)
        each.restore(state)
        assert dict(each.model.parameters) == told and each.t == state.t
    for each in (sim, late, twin):
        each.step(200)
        assert of(each, "moved")[0] == pytest.approx(0.1 * np.sin(20 * 0.15), abs=1e-15)
        assert of(each, "held")[0] == pytest.approx(0.5 - 0.5 * np.cos(np.sqrt(80.0) * 0.15), abs=1e-9)
    assert np.array_equal(sim.q, twin.q) and np.array_equal(late.q, twin.q)


WRONG = {
    "sign": ({"L": 0.301, "k": -2.0}, "parameter k: expected a number that is not negative"),
    "name": ({"L": 0.301, "lenght": 1.0}, "has no parameter 'lenght'"),
    "not its own": ({"L": 0.301, "axle.active": 0.0}, "has no parameter 'axle.active'"),
    "number": ({"L": 0.301, "k": np.nan}, "parameter k: expected a number, got nan"),
    "no mapping": ([("L", 0.301)], "set_parameters: expected values by name, such as {'mass': 2.0}, got [('L'"),
    "array": (np.ones(4), "set_parameters: expected values by name, such as {'mass': 2.0}, got array"),
    "no name": ({1: 0.5}, "set_parameters: expected values by name, such as {'mass': 2.0}, got {1: 0.5}"),
    "open": ({"L": 3.0, "A": 0.5}, "cannot be closed"),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("case", CASES)
def test_nothing_has_changed_where_it_is_refused(case: str, wrong: str) -> None:
    sim = simulator(case, servos={"held": kg.Servo(kp="gain", position=1.0)})
    sim.step(50)
    values, said = WRONG[wrong]
    twin, before = copy.copy(sim), (sim.q, sim.v, dict(sim.model.parameters))
    with pytest.raises(kg.ModelError, match=re.escape(said)):
        sim.set_parameters(values)  # type: ignore[arg-type]
    assert np.array_equal(sim.q, before[0]) and np.array_equal(sim.v, before[1])
    assert dict(sim.model.parameters) == before[2] == dict(twin.model.parameters)
    for each in (sim, twin):
        each.step(50)
    assert np.array_equal(sim.q, twin.q) and np.array_equal(sim.v, twin.v)


CHANGES: dict[str, Callable[[kg.Simulator, Any], object]] = {
    "set_parameters": lambda sim, state: sim.set_parameters({"k": 2.0}),
    "driven": lambda sim, state: setattr(sim, "driven", {"held": 0.0}),
    "restore": lambda sim, state: sim.restore(state),
    "connect": lambda sim, state: sim.connect(kg.Connection("new", "held", "world", kg.fixed())),
    "cut": lambda sim, state: sim.cut("held"),
}


CHANGED = [(case, what) for case in CASES for what in CHANGES if case == "library" or what not in ("connect", "cut")]


@pytest.mark.parametrize(("case", "what"), CHANGED)
@pytest.mark.parametrize("where", ["tau", "wrenches", "servos"])
def test_what_a_function_that_is_asked_may_not_change(case: str, where: str, what: str) -> None:
    """It is told by name, nothing is lost, and the motion goes on."""
    at_fault: list[kg.Simulator] = []

    def act(t: float) -> float:
        for sim in at_fault if t > 0.004 else ():
            at_fault.clear()
            CHANGES[what](sim, begin)
        return 1.0

    given = {
        "tau": lambda t, q, v: {"held": act(t)},
        "wrenches": lambda t, q, v: {"held": [act(t), 0, 0, 0, 0, 0]},
        "servos": {"held": kg.Servo(kp=3.0, position=act)},
    }
    sim, twin = (simulator(case, **{where: given[where]}) for _ in range(2))
    begin = sim.save()
    at_fault.append(sim)
    with pytest.raises(kg.ModelError, match=f"{what}: not while a function of yours is asked") as told:
        sim.run(0.01)
    assert 0.004 < sim.t < 0.005 and told.value.trajectory.t[-1] == sim.t  # type: ignore[attr-defined]
    sim.step(20)
    twin.step(round(sim.t / sim.dt))
    assert np.array_equal(sim.q, twin.q) and dict(sim.model.parameters) == dict(twin.model.parameters)


@pytest.mark.parametrize("case", CASES)
def test_what_is_told_of_the_progress_may_change_parameters(case: str) -> None:
    """The trajectory knows which state has which, and the work of a model goes on."""
    servos = {"held": kg.Servo(kp="gain", position=1.0)}
    sim, changed = simulator(case, servos=servos, work=case == "model"), list[float]()

    def told(done: float) -> None:
        if not changed:
            changed.append(sim.t)
            sim.set_parameters({"gain": 90.0, "mass": 4.0})

    run, plain = sim.run(0.2, progress=told), simulator(case, servos=servos).run(0.2)
    first, then = np.sqrt(80.0), np.sqrt(180.0)
    place, speed = -0.5 * np.cos(first * changed[0]), 0.5 * first * np.sin(first * changed[0])
    angle = then * (0.2 - changed[0])
    assert 0.0 < changed[0] < 0.2
    expected = 0.5 + place * np.cos(angle) + speed / then * np.sin(angle)
    assert of(sim, "held")[0] == pytest.approx(expected, abs=1e-9)
    gained = 0.5 * run.joint("held")[1][:, 0] ** 2 - 0.5 * plain.joint("held")[1][:, 0] ** 2
    gained += np.where(run.t < changed[0], 0.0, 1.5) * run.joint("moved")[1][:, 0] ** 2
    np.testing.assert_allclose(run.energy[:, 0] - plain.energy[:, 0], gained, atol=1e-12)
    if run.work:
        held = run.work.table().sum(axis=1)[:, sim.model.v_slice("held")][:, 0]
        np.testing.assert_allclose(held, 0.5 * run.joint("held")[1][:, 0] ** 2, atol=1e-6)


@pytest.mark.parametrize("position", [lambda t: 1.0 + t, 1.0 + 5e-4 * np.arange(40.0)[:, None]])
def test_servos_that_the_function_of_torques_gives_hold_at_once(position: Any) -> None:
    """Also where it answers for more steps than they have targets for."""
    servos = {"held": kg.Servo(kp=3.0, position=position)}

    def torques(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if not sim.servos:
            sim.servos = servos
        return np.zeros((60, v.size))

    sim, twin = simulator("model", tau=torques), simulator("model", servos=servos)
    for each in (sim, twin):
        each.step(40)
    assert np.array_equal(sim.q, twin.q)


def test_rollouts_of_a_library_have_the_parameters_of_its_model() -> None:
    sim = simulator("library")
    q, v = sim.q, sim.v
    with pytest.raises(
        kg.ModelError, match=r"parameters: those of a library .* roll out library\.with_parameters\(\.\.\.\)"
    ):
        kg.rollout(library(), q, v, steps=20, parameters={"k": 5.0})
    own = library().with_parameters(k=5.0)
    found = kg.rollout(own, q, v, steps=20, dt=5e-4, integrator="rk4")
    sim.set_parameters({"k": 5.0})
    sim.step(20)
    assert np.array_equal(found.q[0, -1], sim.q)


def test_coordinates_and_velocities_of_cut_joints_broadcast() -> None:
    sim = simulator("library")
    q, v = np.repeat(sim.q[None, None], 3, axis=0), np.stack([sim.v, 2.0 * sim.v])[None]
    for joint in ("axle", "tip"):
        at, rate = library().model.loop_joint(joint, q, v)
        assert at.shape == rate.shape == (3, 2, 1)
        one = library().model.loop_joint(joint, sim.q, 2.0 * sim.v)
        assert np.array_equal(at[2, 1], one[0]) and np.array_equal(rate[2, 1], one[1])
