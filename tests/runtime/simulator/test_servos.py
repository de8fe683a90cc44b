"""Joint servos in the step: closed forms, MuJoCo, stiff gains, force limits; in trees, loops, libraries and contact."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.analysis.plan import plan
from kinegen.runtime.rollouts import rollout
from support.mechanisms.closed_mechanisms import five_bar, stewart

ARM = """<mujoco><compiler angle="radian"/><option timestep="0.001" integrator="{integrator}"/>
  <worldbody>
    <body name="upper"><joint name="shoulder" axis="0 1 0" armature="0.01"/>
      <inertial pos="0.1 0 -0.2" mass="2" diaginertia="0.03 0.03 0.002"/>
      <body name="lower" pos="0 0 -0.4"><joint name="elbow" axis="1 0 0" armature="0.01"/>
        <inertial pos="0 0.05 -0.2" mass="1" diaginertia="0.01 0.01 0.001"/></body></body>
  </worldbody>
  <actuator>{actuators}</actuator></mujoco>"""
POSITION = '<position joint="{}" kp="{}" kv="{}" forcerange="-{} {}"/>'


def slider(name: str = "served_slider", **options: float) -> kg.Mechanism:
    joint = kg.Joint("x", "prismatic", "world", "a", axis=(1, 0, 0), **options)  # type: ignore[arg-type]  # numbers
    return kg.Mechanism(name, [kg.Link("a", 2.0)], [joint])


@cache
def arm(folder: Path) -> kg.Model:
    file = folder / "served_arm.xml"
    file.write_text(ARM.format(integrator="RK4", actuators=""))
    return kg.compile(kg.load(file), contacts=False)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> kg.Model:
    return arm(tmp_path_factory.mktemp("arm"))


def peer(integrator: str, actuators: str, ctrl: tuple[float, float], steps: int) -> tuple[np.ndarray, np.ndarray]:
    judge = mujoco.MjModel.from_xml_string(ARM.format(integrator=integrator, actuators=actuators))
    data = mujoco.MjData(judge)
    data.ctrl[:] = ctrl
    found = []
    for _ in range(steps):
        mujoco.mj_step(judge, data)
        found.append(data.qpos.copy())
    return np.array(found), data.qvel.copy()


@pytest.mark.parametrize("damping", [0.0, 1.5])
def test_implicit_law_of_a_mass(damping: float) -> None:
    """(m + dt (kd + c + dt kp)) a = kp (x* - x - dt v) + kd (v* - v) - c v, with and without a damper of the joint."""
    m, kp, kd, dt, aim, speed = 2.0, 50.0, 3.0, 1e-3, 0.3, 0.2
    servo = kg.Servo(kp=kp, kd=kd, position=aim, velocity=speed)
    sim = kg.Simulator(slider(f"slider{damping:.0f}", damping=damping), servos={"x": servo}, dt=dt)
    run, q, v = sim.run(1.0), 0.0, 0.0
    for _ in range(1000):
        a = (kp * (aim - q - dt * v) + kd * (speed - v) - damping * v) / (m + dt * (kd + damping + dt * kp))
        v += dt * a
        q += dt * v
    assert abs(sim.q.item() - q) < 1e-12 and abs(sim.v.item() - v) < 1e-12
    told = kp * (aim - run.q[1:, 0]) + kd * (speed - run.v[1:, 0])  # the law at the end of each step
    assert np.abs(run.tau[:-1, 0] - told).max() < 1e-10
    assert sim.serving["x"].item() == pytest.approx(told[-1], abs=1e-12)


def test_as_mujoco(model: kg.Model) -> None:
    """Position servos with a force range: the same Runge-Kutta steps. Velocity servos: the same implicit steps."""
    aims, steps = (0.8, -0.5), 600
    text = POSITION.format("shoulder", 60, 4, 6, 6) + POSITION.format("elbow", 25, 1.5, 50, 50)
    q, v = peer("RK4", text, aims, steps)
    servos = {
        "shoulder": kg.Servo(kp=60, kd=4, position=aims[0], limit=6),
        "elbow": kg.Servo(kp=25, kd=1.5, position=aims[1], limit=50),
    }
    run = kg.Simulator(model, q=np.zeros(2), integrator="rk4", servos=servos).run(1e-3 * steps)
    assert np.abs(run.q[1:] - q).max() < 1e-9 and np.abs(run.v[-1] - v).max() < 1e-8
    assert np.abs(run.tau[:, 0]).max() == 6.0 and np.ptp(run.q[:, 0]) > 0.3
    text = '<velocity joint="shoulder" kv="8"/><velocity joint="elbow" kv="300"/>'
    q, v = peer("implicitfast", text, (1.0, -2.0), steps)
    speeds = {"shoulder": kg.Servo(kd=8, velocity=1.0), "elbow": kg.Servo(kd=300, velocity=-2.0)}
    run = kg.Simulator(model, q=np.zeros(2), servos=speeds).run(1e-3 * steps)
    assert np.abs(run.q[1:] - q).max() < 1e-9 and np.abs(run.v[-1] - v).max() < 1e-8


def test_what_is_told_is_what_moves(model: kg.Model) -> None:
    """tau of the trajectory gives the accelerations of its steps; limits hold; inside them the law holds at the end."""
    dt, kp, kd, limit = 1e-3, np.array([900.0, 500.0]), np.array([60.0, 30.0]), np.array([14.0, 4.0])
    aim = np.array([0.7, 1.1])
    servos = {n: kg.Servo(kp[i], kd[i], aim[i], limit=limit[i]) for i, n in enumerate(("shoulder", "elbow"))}
    run = kg.Simulator(model, q=np.zeros(2), servos=servos).run(2.0)
    a = np.diff(run.v, axis=0) / dt
    assert np.abs(model.inverse_dynamics(run.q[:-1], run.v[:-1], a) - run.tau[:-1]).max() < 1e-9
    law = kp * (aim - run.q[1:]) - kd * run.v[1:]
    inside = np.abs(law) <= limit
    assert (np.abs(run.tau) <= limit * (1 + 1e-12)).all() and (~inside).any(axis=0).all() and inside.sum() > 1000
    assert np.abs(run.tau[:-1] - np.clip(law, -limit, limit)).max() < 1e-6
    assert np.abs(run.q[-1] - aim).max() < 0.02


def test_stiff_gains_on_light_arms_stay_bounded() -> None:
    """Gains far beyond what explicit steps of 1 ms bear (kp dt^2 is hundreds of inertias): a quick, quiet approach."""
    links = [kg.Link(n, 0.02, (0, 0, -0.05), (1e-5, 0, 0, 1e-5, 0, 1e-6)) for n in "abc"]
    joints = [
        kg.Joint(f"j{n}", "revolute", above, n, kg.Pose((0, 0, -0.1 * (above != "world"))), axis=axis)
        for n, above, axis in zip("abc", ("world", "a", "b"), ((0, 1, 0), (1, 0, 0), (0, 1, 0)), strict=True)
    ]
    light = kg.compile(kg.Mechanism("light", links, joints))
    servos = {f"j{n}": kg.Servo(kp=1e4, kd=20.0, position=0.5) for n in "abc"}
    run = kg.Simulator(light, servos=servos).run(1.0)
    assert np.abs(run.q).max() < 0.6 and np.abs(run.q[-1] - 0.5).max() < 1e-4 and np.abs(run.v[-1]).max() < 1e-6
    with pytest.raises(kg.SimulationError):
        kg.Simulator(light, servos=servos, integrator="rk4").run(1.0)


def test_closed_mechanism_and_library() -> None:
    """A five-bar's motors are servos: closed throughout, by the law and its limits; a library makes the same steps."""
    mechanism, dt = five_bar(), 1e-3
    bars = kg.compile(mechanism)
    start = bars.assemble(np.array([2.3, -1.6, 0.9, 1.6]))
    kp, kd, limit = 400.0, 9.0, 18.0
    aim = {"left_motor": start[0] - 0.4, "right_motor": start[bars.q_slice("right_motor")].item() - 0.3}
    servos = {name: kg.Servo(kp, kd, x, limit=limit) for name, x in aim.items()}
    sim = kg.Simulator(bars, q=start, servos=servos, dt=dt)
    run = sim.run(1.0)
    assert np.abs(bars.closure_residual(run.q)).max() < 1e-10
    for name, x in aim.items():
        i, j = bars.q_slice(name).start, bars.v_slice(name).start
        law = kp * (x - (run.q[:-1, i] + dt * run.v[1:, j])) - kd * run.v[1:, j]
        assert np.abs(run.tau[:-1, j] - np.clip(law, -limit, limit)).max() < 1e-3 * limit  # settling moves v a little
        assert np.abs(run.tau[:, j]).max() <= limit * (1 + 1e-12)
        assert np.abs(run.q[-1, i] - x) < 0.1
    hold = kg.Connection("hold", "left", "world", kg.fixed())
    library = kg.TopologyLibrary(mechanism, [hold])
    other = kg.Simulator(library, q=start, servos=servos, dt=dt, active=())
    assert np.abs(other.run(1.0).q - run.q).max() < 1e-6
    other.connect("hold")
    assert np.abs(other.run(0.5).v[:, 0]).max() < 1e-8 and set(other.serving) == set(servos)


@pytest.mark.parametrize("case", ["five_bar", "stewart", "beside a stop"])
def test_straight_line_code_takes_servos(case: str) -> None:
    """One step of a closed mechanism without dampers, also with a row that is not met: (M + diag d) a = f."""
    mechanism, dt, kp, kd = stewart() if case == "stewart" else five_bar(), 1e-3, 90.0, 4.0
    model = kg.compile(mechanism)
    q = model.assemble(model.integrate(model.q0, np.full(model.nv, 0.02)))
    if case == "beside a stop":
        stop = {"right_motor": float(q[model.q_slice("right_motor")].item()) + 4e-4}
        joints = [replace(j, limits=(-9.0, stop[j.name])) if j.name in stop else j for j in mechanism.joints]
        mechanism = replace(mechanism, name="stopped_bars", joints=tuple(joints))
        model = kg.compile(mechanism)
    led = [joint for joint in model.manifest.joints if joint.name == "left_motor" or joint.kind == "prismatic"]
    servos = {joint.name: kg.Servo(kp, kd, float(q[joint.q_start]) + 0.05) for joint in led}
    sim = kg.Simulator(model, q=q, servos=servos, dt=dt)
    v, f, d = sim.v.copy(), np.zeros(model.nv), np.zeros(model.nv)
    for joint in led:
        f[joint.v_start], d[joint.v_start] = kp * 0.05, dt * (kd + dt * kp)
    a = model.kernel("forward_dynamics_damped")(q, v, f, d)
    sim.step(1)
    reference = plan(mechanism).reference
    assert reference is not None and not v.any() and np.abs(a).max() > 1.0
    leading = list(reference.partition.independent)
    turned = 2e-9 if case == "stewart" else 1e-12  # axes of the platform turn within the step
    np.testing.assert_allclose(sim.v[leading], dt * a[leading], rtol=1e-7, atol=turned)


def test_pressing_on_the_floor() -> None:
    """A servo that may push with 20 N presses a weight of 1 kg on the floor with 29.81 N, whatever its gain."""
    box = kg.Link("box", 1.0, inertia=kg.inertia.box(1.0, (0.2, 0.2, 0.2)), shapes=[kg.box((0.2, 0.2, 0.2))])
    press = kg.Joint("press", "prismatic", "world", "box", axis=(0, 0, 1))
    model = kg.compile(kg.Mechanism("pressed", [box], [press], shapes=[kg.plane()]))
    for kp in (1e3, 1e8):
        sim = kg.Simulator(model, q=[0.15], servos={"press": kg.Servo(kp, kp / 50, position=-1.0, limit=20.0)})
        run = sim.run(0.6)
        assert np.abs(run.tau).max() <= 20.0 * (1 + 1e-12) and abs(sim.serving["press"].item() + 20.0) < 1e-9
        assert sim.contacts.forces[:, 2].sum() == pytest.approx(29.81, rel=1e-6)
        assert abs(sim.q.item() - 0.1) < 2e-3
    soft = kg.Simulator(model, q=[0.1], servos={"press": kg.Servo(100.0, 5.0, position=0.05)})
    soft.run(0.5)
    assert soft.contacts.forces[:, 2].sum() == pytest.approx(9.81 + 5.0, rel=2e-2)


def test_targets_over_time_copies_and_rollouts(model: kg.Model) -> None:
    """Rows, a function and assignment make the same steps; copies go on to the same bits; rollouts are simulators."""
    t = 1e-3 * np.arange(300)
    aim, speed = 0.5 * np.sin(3 * t), 1.5 * np.cos(3 * t)
    table = {"shoulder": kg.Servo(200, 10, position=aim, velocity=speed, limit=9.0)}
    asked = {
        "shoulder": kg.Servo(200, 10, lambda s: 0.5 * np.sin(3 * s), lambda s: 1.5 * np.cos(3 * s), limit=9.0),
    }
    runs = [kg.Simulator(model, q=np.zeros(2), servos=servos).run(0.3) for servos in (table, asked)]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-12
    sim = kg.Simulator(model, q=np.zeros(2), servos=table)
    sim.step(120)
    twin, saved = copy.deepcopy(sim), sim.save()
    sim.step(100)
    twin.step(100)
    assert np.array_equal(sim.q, twin.q) and np.array_equal(sim.q, runs[0].q[220])
    twin.restore(saved)
    twin.step(100)
    assert np.array_equal(sim.q, twin.q)
    many = kg.rollout(model, np.zeros((3, 2)), steps=300, servos=table, threads=2)
    assert np.array_equal(many.q[2], runs[0].q)
    with pytest.raises(kg.SimulationError, match=r"its 300 rows, one per step, end at t = 0\.3 s"):
        sim.run(0.2)
    sim.servos = {}
    sim.step()
    assert not sim.serving


def test_rollouts_in_turn_take_the_servos_that_they_are_given(model: kg.Model) -> None:
    """What the last rollout left is used again only by one with equal servos."""
    held = {"shoulder": kg.Servo(90.0, 8.0, 0.4), "elbow": kg.Servo(30.0, 2.0)}
    others = [
        held | {"elbow": kg.Servo(30.0, 2.0, 0.1)},
        {"elbow": held["elbow"], "shoulder": held["shoulder"]},
        held | {"elbow": kg.Servo(30.0, 2.0, np.array([0.1]))},
        {"elbow": held["elbow"]},
        held | {"shoulder": kg.Servo(90.0, 8.0, 0.4, limit=1.0)},
    ]
    for servos in (held, dict(held), *others, held):
        many = kg.rollout(model, np.zeros((2, 2)), steps=60, servos=servos, threads=1)
        assert np.array_equal(many.q[1], kg.Simulator(model, q=np.zeros(2), servos=servos).run(0.06).q)
    with pytest.raises(kg.ModelError, match="kp must not be negative"):
        kg.rollout(model, np.zeros((2, 2)), steps=60, servos=held | {"elbow": kg.Servo(-30.0, 2.0)}, threads=1)


def test_gains_are_parameters() -> None:
    gain, drag = sympy.symbols("gain drag", positive=True)
    joint = kg.Joint("x", "prismatic", "world", "a", axis=(1, 0, 0), stiffness=gain, damping=drag)
    by_spring = kg.compile(kg.Mechanism("sprung_slider", [kg.Link("a", 2.0)], [joint]))
    servo = {"x": kg.Servo(kp="gain", kd="drag", position=0.2)}
    many = kg.rollout(by_spring, [0.0], steps=200, servos=servo, parameters={"gain": [10.0, 40.0], "drag": 1.0})
    alone = kg.Simulator(by_spring.with_parameters(gain=40.0, drag=1.0), q=[0.0], servos={"x": kg.Servo(40, 1, 0.2)})
    assert np.array_equal(many.q[1], alone.run(0.2).q) and many.q[0, -1] != many.q[1, -1]


def test_gains_of_each_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gain of two joints, one of a joint of three turns, a limit: without a word of Python in between."""
    monkeypatch.delattr(rollout._Rows, "_simulate")
    gain, most = sympy.symbols("gain most")
    joints = [
        kg.Joint("x", "prismatic", "world", "a", kg.Pose((0, 0, most)), axis=(1, 0, 0)),
        kg.Joint("ball", "spherical", "a", "b", damping=0.1),
        kg.Joint("y", "revolute", "b", "c", kg.Pose((0.2, 0, 0)), axis=(0, 1, 0), stiffness=gain),
    ]
    links = [kg.Link(name, 1.0, (0.1, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01)) for name in "abc"]
    model = kg.compile(kg.Mechanism("three", links, joints))
    servos = {
        "x": kg.Servo(kp="gain", kd=1.0, limit="most"),
        "ball": kg.Servo(kp="gain", kd="most"),
        "y": kg.Servo(kp=3.0, kd="gain", position=0.3),
    }
    given = {"gain": np.array([1.0, 3.0, 9.0]), "most": np.array([0.5, 1.0, 2.0])}
    v0 = np.random.default_rng(0).normal(size=(3, model.nv))
    for integrator in ("semi_implicit", "rk4"):
        options: dict[str, Any] = {"servos": servos, "integrator": integrator}
        many = kg.rollout(model, model.q0, v0, steps=50, parameters=given, threads=2, **options)
        for row in range(3):
            own = model.with_parameters({name: float(values[row]) for name, values in given.items()})
            assert np.array_equal(many.q[row], kg.Simulator(own, q=model.q0, v=v0[row], **options).run(0.05).q)
    with pytest.raises(kg.ModelError, match="row 1: servos: joint 'x': limit must not be negative, got -2"):
        kg.rollout(model, model.q0, v0, steps=50, servos=servos, parameters=given | {"most": [0.5, -2.0, 3.0]})


def test_targets_of_each_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions and velocities a row for each simulation, in each step or held; in C, and where Python is asked."""
    monkeypatch.delattr(rollout._Rows, "_simulate")
    joints = [
        kg.Joint("x", "prismatic", "world", "a", axis=(1, 0, 0)),
        kg.Joint("ball", "spherical", "a", "b", damping=0.1),
        kg.Joint("y", "revolute", "b", "c", kg.Pose((0.2, 0, 0)), axis=(0, 1, 0)),
    ]
    links = [kg.Link(name, 1.0, (0.1, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01), [kg.sphere(0.05)]) for name in "abc"]
    model = kg.compile(kg.Mechanism("three", links, joints, shapes=[kg.plane(pose=kg.Pose((0, 0, -0.06)))]))
    rng = np.random.default_rng(2)
    turns = rng.normal(size=(3, 1, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    places, speeds = rng.normal(size=(3, 40, 1)), rng.normal(size=(3, 40, 3))

    def servos(row: int | None) -> dict[str, kg.Servo]:
        own = slice(None) if row is None else row
        turn = turns if row is None else turns[row, 0]
        return {
            "ball": kg.Servo(5.0, 0.5, turn, speeds[own]),
            "x": kg.Servo(20.0, 1.0, places[own]),
            "y": kg.Servo(3.0, 0.1, np.linspace(0.0, 0.5, 40)),
        }

    def same(found: kg.Rollouts, **options: Any) -> bool:
        runs = [kg.Simulator(model, q=model.q0, servos=servos(row), **options).run(0.04) for row in range(3)]
        return all(np.array_equal(found.q[row], run.q) for row, run in enumerate(runs))

    for integrator in ("semi_implicit", "rk4"):
        many = kg.rollout(model, model.q0, steps=40, servos=servos(None), integrator=integrator, threads=2)
        assert same(many, integrator=integrator) and len(many) == 3
    monkeypatch.undo()
    asked = kg.rollout(model, model.q0, steps=40, servos=servos(None), tau=lambda t, q, v: -0.1 * v)
    assert same(asked, tau=lambda t, q, v: -0.1 * v)
    for bad, words in (
        ({"x": kg.Servo(1.0, 0.0, np.zeros((3, 9, 1)))}, r"'x': position: expected \(B, 1, n\) or \(B, 40, n\), got"),
        ({"x": kg.Servo(1.0, 0.0, np.zeros((3, 40, 2)))}, r"servos: joint 'x': position: expected \(1,\)"),
        ({"ball": kg.Servo(1.0, 0.0, 2.0 * turns)}, r"servos: joint 'ball': position.* has norm 2, expected 1"),
        ({"x": kg.Servo(1.0, 0.0, np.full((3, 1, 1), np.nan))}, "servos: joint 'x': position"),
        (servos(None) | {"y": kg.Servo(1.0, 0.0, np.zeros((2, 1, 1)))}, "position of the servo on 'y' has 2"),
    ):
        with pytest.raises(kg.ModelError, match=words):
            kg.rollout(model, model.q0, steps=40, servos=bad)


@pytest.mark.parametrize("what", ["kp", "kd", "limit"])
@pytest.mark.parametrize("value", [-1.0, -2, [3.0, -1.0]])
def test_negative_gains_are_refused_where_they_are_written(what: str, value: object) -> None:
    with pytest.raises(kg.ModelError, match=f"servo: {what} must not be negative, got"):
        kg.Servo(**{what: value})  # type: ignore[arg-type]  # any of the fields


def test_bad_servos_are_refused(model: kg.Model) -> None:
    for servos, words in (
        ([1], "expected {joint: kg.Servo"),
        ({"knee": kg.Servo(1.0)}, "has no joint 'knee'"),
        ({"elbow": 3.0}, "joint 'elbow': expected kg.Servo"),
        ({"elbow": kg.Servo(kp="k")}, "has no parameter 'k'"),
        ({"elbow": kg.Servo(1.0, position=np.zeros((4, 2)))}, "expected"),
        ({"elbow": kg.Servo(1.0, position=np.nan)}, "expected a number"),
    ):
        with pytest.raises(kg.ModelError, match=words):
            kg.Simulator(model, servos=servos)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(kg.ModelError, match="joint 'elbow' is driven"):
        kg.Simulator(model, servos={"elbow": kg.Servo(1.0)}, driven={"elbow": 0.0})
    sim = kg.Simulator(model, servos={"elbow": kg.Servo(1.0, position=lambda t: [1.0, 2.0])})
    with pytest.raises(kg.SimulationError, match="position of joint 'elbow' at t = 0 s"):
        sim.step()
