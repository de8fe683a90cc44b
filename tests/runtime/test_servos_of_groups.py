"""Servos of spherical, planar and free joints: as hinges and slides, by potentials, at any gain, in all that moves."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinegen as kg
from support.oracles.numeric import Array

BODY: dict[str, Any] = {"mass": 1.3, "com": (0.1, 0.05, 0.0), "inertia": (0.02, 0.0, 0.0, 0.03, 0.0, 0.04)}
NEUTRAL = {"spherical": [0, 0, 0, 1.0], "planar": [0, 0, 1.0, 0], "free": [0, 0, 0, 0, 0, 0, 1.0]}
INTEGRATORS = ["semi_implicit", "rk4"]


@cache
def body(kind: str, name: str = "body", **options: Any) -> kg.Model:
    """A body that is not round, with its mass centre beside the joint's origin, on one joint; gravity across z."""
    given = {"gravity": (0.0, -9.81, 0.0), **options}
    return kg.compile(
        kg.Mechanism(f"{kind}_{name}", [kg.Link("a", **BODY)], [kg.Joint("j", kind, "world", "a")], **given)
    )


@cache
def slides() -> kg.Model:
    """What a planar joint does, by two slides and a hinge."""
    links = [kg.Link("x", 0.0), kg.Link("y", 0.0), kg.Link("a", **BODY)]
    joints = [
        kg.Joint("x", "prismatic", "world", "x", axis=(1, 0, 0)),
        kg.Joint("y", "prismatic", "x", "y", axis=(0, 1, 0)),
        kg.Joint("turn", "revolute", "y", "a"),
    ]
    return kg.compile(kg.Mechanism("served_slides", links, joints, gravity=(0, -9.81, 0)))


@cache
def arm() -> kg.Mechanism:
    """Two links on ball joints."""
    links = [kg.Link(n, 1.0, (0, 0, -0.2), (0.02, 0, 0, 0.02, 0, 0.004)) for n in ("upper", "lower")]
    return kg.Mechanism("ball_arm", links, [
        kg.Joint("shoulder", "spherical", "world", "upper"),
        kg.Joint("elbow", "spherical", "upper", "lower", kg.Pose((0, 0, -0.4))),
    ])  # fmt: skip


def turn(*rotation_vector: float) -> Array:
    return np.asarray(Rotation.from_rotvec(rotation_vector).as_quat())


def off(kind: str, q: Array, goal: Array) -> Array:
    """(n, nv) place of the goal along the child's axes, and the turn to it."""
    if kind == "planar":
        q, goal = (np.stack([*x[..., :2].T, 0 * x[..., 0], *quaternion_about_z(x)], -1) for x in (q, goal))
    turns = Rotation.from_quat(q[:, -4:]).inv()
    rotation = (turns * Rotation.from_quat(goal[..., -4:])).as_rotvec()
    found = rotation if kind == "spherical" else np.hstack([turns.apply(goal[..., :3] - q[:, :3]), rotation])
    return found[:, [0, 1, 5]] if kind == "planar" else found


def quaternion_about_z(x: Array) -> Array:
    angle = np.arctan2(x[..., 3], x[..., 2]) / 2
    return np.stack([0 * angle, 0 * angle, np.sin(angle), np.cos(angle)])


def angle_about_z(q: Array) -> Array:
    return 2.0 * np.unwrap(np.arctan2(q[:, 2], q[:, 3]))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_about_one_axis_as_a_hinge(integrator: str) -> None:
    """A whole motion of a pendulum, with a limit that is met and a velocity to go for."""
    hinge = body("revolute")
    given = {"kp": 20.0, "kd": 0.3, "limit": 6.0}
    servo = kg.Servo(position=turn(0, 0, 2.5), velocity=[0, 0, 0.2], **given)
    ball = kg.Simulator(body("spherical"), servos={"j": servo}, v=[0, 0, -3.0], integrator=integrator).run(2.0)
    pin = {"j": kg.Servo(position=2.5, velocity=0.2, **given)}
    pinned = kg.Simulator(hinge, servos=pin, v=[-3.0], integrator=integrator).run(2.0)
    assert np.abs(angle_about_z(ball.q) - pinned.q[:, 0]).max() < 1e-12
    assert np.abs(ball.tau[:, 2] - pinned.tau[:, 0]).max() < 1e-11 and not ball.v[:, :2].any()
    assert np.ptp(pinned.q) > 3.0 and (np.abs(pinned.tau) == 6.0).sum() > 50


def test_planar_as_slides_and_a_hinge() -> None:
    """Semi-implicit steps are the same, turning, sliding, with a mass centre beside the origin and a limit."""
    goal = [0.4, -0.2, np.cos(2.5), np.sin(2.5)]
    servo = kg.Servo([300, 300, 20], [4, 4, 0.3], goal, limit=[np.inf, np.inf, 6])
    plane = kg.Simulator(body("planar"), servos={"j": servo}, v=[1, 2, -3.0]).run(1.0)
    servos = {"x": kg.Servo(300, 4, 0.4), "y": kg.Servo(300, 4, -0.2), "turn": kg.Servo(20, 0.3, 2.5, limit=6)}
    slid = kg.Simulator(slides(), servos=servos, v=[1, 2, -3.0]).run(1.0)
    angle = np.unwrap(np.arctan2(plane.q[:, 3], plane.q[:, 2]))
    assert np.abs(plane.q[:, :2] - slid.q[:, :2]).max() < 1e-12 and np.abs(angle - slid.q[:, 2]).max() < 1e-12
    assert np.ptp(angle) > 2.0 and (np.abs(slid.tau[:, 2]) == 6.0).sum() > 50


@pytest.mark.parametrize("kind", NEUTRAL)
def test_torque_is_the_law_and_the_slope_of_a_potential(kind: str) -> None:
    """kp ∘ e + kd ∘ (v* − v); with equal gains kp e is minus the slope of kp/2 |e|², by differences."""
    model, rng = body(kind), np.random.default_rng(1)
    nv = model.nv
    q, goal = (model.integrate(NEUTRAL[kind], rng.normal(size=nv)) for _ in range(2))
    v, wanted, kp, kd = rng.normal(size=nv), rng.normal(size=nv), rng.uniform(1, 9, nv), rng.uniform(1, 9, nv)
    servo = kg.Servo(kp, kd, goal, wanted)
    sim = kg.Simulator(model, q=q, v=v, servos={"j": servo}, integrator="rk4")
    sim.step()
    e = off(kind, q[None], goal)[0]
    np.testing.assert_allclose(sim.serving["j"], kp * e + kd * (wanted - v), atol=1e-12)
    if kind == "spherical":
        np.testing.assert_allclose(e, model.difference(q, goal), atol=1e-14)
    sim = kg.Simulator(model, q=q, v=v, servos={"j": kg.Servo(7.0, position=goal)}, integrator="rk4")
    sim.step()
    h = 1e-6
    ends = [model.integrate(np.tile(q, (nv, 1)), sign * h * np.eye(nv)) for sign in (1, -1)]
    potential = [3.5 * (off(kind, end, goal) ** 2).sum(axis=1) for end in ends]
    np.testing.assert_allclose(sim.serving["j"], (potential[1] - potential[0]) / (2 * h), atol=1e-7)


@pytest.mark.parametrize("kind", NEUTRAL)
def test_springs_keep_energy_and_implicit_steps_only_take_it(kind: str) -> None:
    """Undamped by Runge-Kutta; at gains from soft to far beyond dt, from nearly half a turn away, while turning."""
    model = body(kind, "at rest", gravity=(0, 0, 0))
    way = {"spherical": [1.0, -2.0, 2.0], "planar": [0.3, -0.2, 3.0], "free": [0.3, -0.2, 0.5, 1.0, -2.0, 2.0]}[kind]
    v = np.array({"spherical": [3, -9, 5], "planar": [0, 3, 6], "free": [0, 3, 0, 3, -9, 5]}[kind], dtype=float)
    goal = model.integrate(NEUTRAL[kind], way)

    def energy(kp: float, dt: float, time: float, integrator: str = "semi_implicit") -> Array:
        servos = {"j": kg.Servo(kp, position=goal)}
        run = kg.Simulator(model, v=v, servos=servos, dt=dt, integrator=integrator).run(time)
        return np.asarray(run.energy.sum(axis=1) + 0.5 * kp * (off(kind, run.q, goal) ** 2).sum(axis=1))

    kept = energy(30.0, 1e-3, 2.0, "rk4")
    assert np.abs(kept - kept[0]).max() < 1e-6 * kept[0]
    for kp in (1e2, 1e4, 1e6):
        for dt in (1e-3, 1e-2):
            E = energy(kp, dt, 0.5)
            assert E.max() == E[0] and E[-1] < 0.99 * E[0]
            assert kind == "free" or (np.diff(E) <= 1e-9 * E[0]).all()


def test_stiff_gains_on_light_links_stay_bounded() -> None:
    """A chain of light links that floats, every joint with a servo: at any gain where it shall be, and quiet."""
    links = [kg.Link(n, 0.02, (0, 0, -0.05), (1e-5, 0, 0, 1e-5, 0, 1e-6)) for n in "abc"]
    joints = [
        kg.Joint(f"j{n}", kind, above, n, kg.Pose((0, 0, -0.1 * (above != "world"))))
        for n, above, kind in zip("abc", ("world", "a", "b"), ("free", "spherical", "spherical"), strict=True)
    ]
    light = kg.compile(kg.Mechanism("light_balls", links, joints))
    rng = np.random.default_rng(5)
    goal, q, v = light.random(rng), light.random(rng), rng.normal(size=light.nv)
    for kp, dt in ((1e6, 1e-3), (1e6, 1e-2), (1e3, 1e-3)):
        servos = {f"j{n}": kg.Servo(kp, kp * dt, goal[light.q_slice(f"j{n}")]) for n in "abc"}
        run = kg.Simulator(light, q=q, v=v, dt=dt, servos=servos).run(0.5)
        assert np.abs(light.difference(run.q[0], goal)).max() > 2.0
        assert np.abs(light.difference(run.q[-1], goal)).max() < 2e-3 and np.abs(run.v[-1]).max() < 2e-2


def test_either_quaternion_and_half_a_turn() -> None:
    model, goal = body("spherical"), turn(0.4, -1.0, 0.3)
    runs = [kg.Simulator(model, servos={"j": kg.Servo(9.0, 0.5, q)}).run(0.3).q for q in (goal, -goal)]
    assert np.array_equal(*runs)
    sim = kg.Simulator(model, servos={"j": kg.Servo(2.0, position=[1.0, 0, 0, 0])}, integrator="rk4")
    sim.step()
    np.testing.assert_allclose(np.abs(sim.serving["j"]), [2.0 * np.pi, 0, 0], atol=1e-14)
    held = kg.Simulator(model, servos={"j": kg.Servo(1e4, 1e2)}, q=turn(0.3, 0, 0)).run(1.0)  # where it is neutral
    assert np.abs(held.q[-1] - NEUTRAL["spherical"]).max() < 1e-3


def test_what_is_told_is_what_moves() -> None:
    """tau of the trajectory gives the accelerations of its steps, limits hold entry by entry, inside them the law."""
    model, dt, kp, kd, limit = kg.compile(arm()), 1e-3, 40.0, 3.0, 4.0
    goal = np.r_[turn(0.5, 0.8, 0.0), turn(-0.6, 0.0, 0.4)]
    servos = {"shoulder": kg.Servo(kp, kd, goal[:4], limit=limit), "elbow": kg.Servo(kp, kd, goal[4:], limit=limit)}
    run = kg.Simulator(model, servos=servos, dt=dt).run(2.0)
    slow = np.abs(run.v[1:]).sum(axis=1) * dt < 0.005  # else the step goes another way
    a = np.diff(run.v, axis=0) / dt
    torque = model.inverse_dynamics(run.q[:-1], run.v[:-1], a)
    assert np.abs(torque - run.tau[:-1])[slow].max() < 1e-9
    off_goal = model.difference(run.q[:-1], np.tile(goal, (len(a), 1)))
    law = kp * (off_goal - dt * run.v[1:]) - kd * run.v[1:]
    assert np.abs(run.tau[:-1] - np.clip(law, -limit, limit))[slow].max() < 1e-9 and slow.sum() > 500
    assert (np.abs(run.tau) <= limit).all() and (np.abs(run.tau) == limit).any()


def test_targets_over_time_copies_and_rollouts() -> None:
    """Rows, a function and both signs make the same steps; copies and what was saved go on to the same bits."""
    model, t = kg.compile(arm()), 1e-3 * np.arange(200)
    rows = np.array([turn(0.3 * s, np.sin(3 * s), 0.0) for s in t])
    speeds = np.stack([0.3 + 0 * t, 3 * np.cos(3 * t), 0 * t], axis=1)
    table = {"shoulder": kg.Servo(90, 4, rows, speeds, limit=20.0), "elbow": kg.Servo(50, 2, turn(0, -1, 0))}
    asked = {**table, "shoulder": kg.Servo(
        90, 4, lambda s: turn(0.3 * s, np.sin(3 * s), 0), lambda s: [0.3, 3 * np.cos(3 * s), 0], limit=20.0
    )}  # fmt: skip
    runs = [kg.Simulator(model, servos=servos).run(0.2) for servos in (table, asked)]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-12 and np.ptp(runs[0].q, axis=0).max() > 0.2
    sim = kg.Simulator(model, servos=table)
    sim.step(80)
    twin, saved = copy.deepcopy(sim), sim.save()
    sim.step(60)
    twin.step(60)
    assert np.array_equal(sim.q, twin.q) and np.array_equal(sim.q, runs[0].q[140])
    twin.restore(saved)
    twin.step(60)
    assert np.array_equal(sim.q, twin.q)
    for servos in (table, asked):
        many = kg.rollout(model, np.tile(model.q0, (20, 1)), steps=200, servos=servos, threads=2)
        run = runs[servos is asked]
        assert np.array_equal(many.q[7], run.q) and np.array_equal(many.v[19], run.v)
    with pytest.raises(kg.SimulationError, match=r"its 200 rows, one per step, end at t = 0\.2 s"):
        sim.run(0.2)


def test_closed_mechanism_and_library() -> None:
    """Both links of the arm, its tip held by a third ball: closed throughout; a library makes the same steps."""
    tip = kg.Joint("tip", "spherical", "world", "lower", kg.Pose((0.3, 0, -0.5)), kg.Pose((0, 0, -0.4)), cut=True)
    closed = kg.compile(replace(arm(), name="ball_ring", joints=(*arm().joints, tip)))
    start = closed.assemble(np.r_[turn(0.1, -0.9, 0.3), turn(0.2, 0.9, 0.4)])
    goal = closed.assemble(closed.integrate(start, [0.5, 0.0, 0.2, 0.0, 0.0, 0.3]))
    servos = {"shoulder": kg.Servo(60, 3, goal[:4], limit=8.0), "elbow": kg.Servo(40, 2, goal[4:])}
    for integrator in INTEGRATORS:
        sim = kg.Simulator(closed, q=start, servos=servos, integrator=integrator)
        run = sim.run(1.0)
        assert np.abs(closed.closure_residual(run.q)).max() < 1e-10 and np.abs(run.tau[:, :3]).max() <= 8.0
        before, after = (np.abs(closed.difference(run.q[k], goal)).max() for k in (0, -1))
        assert after < 0.2 * before
        hold = kg.Connection("hold", "world", "lower", kg.spherical(), kg.Pose((0.3, 0, -0.5)), kg.Pose((0, 0, -0.4)))
        other = kg.Simulator(
            kg.TopologyLibrary(arm(), [hold]), q=start, servos=servos, integrator=integrator, active={"hold"}
        )
        assert np.abs(other.run(1.0).q - run.q).max() < 1e-6
        other.cut("hold")
        other.step(100)
        assert set(other.serving) == set(servos)


def test_pressing_on_the_floor() -> None:
    """A bar on a ball joint presses its end on the floor, by the servo's moment and its weight."""
    bar = kg.Link(
        "bar", 1.0, (0.25, 0, 0), (0.01, 0, 0, 0.02, 0, 0.02), shapes=[kg.sphere(0.05, pose=kg.Pose((0.5, 0, 0)))]
    )
    ball = kg.Joint("ball", "spherical", "world", "bar", kg.Pose((0, 0, 0.05)))
    model = kg.compile(kg.Mechanism("pressed_ball", [bar], [ball], shapes=[kg.plane()]))
    for servo, moment in ((kg.Servo(100.0, 5.0), 30.0), (kg.Servo(1e8, 1e6, limit=10.0), 10.0)):
        sim = kg.Simulator(model, servos={"ball": replace(servo, position=turn(0, 0.3, 0))})
        sim.run(0.5)
        along, _, up = sim.contacts.forces.sum(axis=0)
        assert sim.serving["ball"][1] == pytest.approx(moment, rel=2e-2)
        assert sim.serving["ball"][1] + 0.25 * 9.81 == pytest.approx(0.5 * up + 0.05 * along, rel=1e-5)


def test_work_is_told() -> None:
    """Of undamped servos with equal gains what is stored; all together what the mechanism gains."""
    model, kp = kg.compile(arm()), 30.0
    goal = np.r_[turn(0.5, 0.8, 0.0), turn(-0.6, 0.0, 0.4)]
    servos = {"shoulder": kg.Servo(kp, 0.0, goal[:4]), "elbow": kg.Servo(kp, 0.0, goal[4:])}
    left = {}
    for integrator, dt in (("rk4", 1e-3), ("semi_implicit", 1e-4), ("semi_implicit", 5e-5)):
        run = kg.Simulator(model, v=0.1 * np.ones(6), dt=dt, servos=servos, work=True, integrator=integrator).run(0.02)
        work, energy = run.work, run.energy.sum(axis=1)
        assert work is not None and np.ptp(energy) > 0.5
        left[integrator, dt] = np.abs(work.total - (energy - energy[0])).max()
        if integrator == "rk4":
            stored = 0.5 * kp * (model.difference(run.q, np.tile(goal, (len(run.q), 1))) ** 2).sum(axis=1)
            assert np.abs(work.servos.sum(axis=1) - (stored[0] - stored)).max() < 1e-4
    by_rk4, coarse, fine = left.values()
    assert by_rk4 < 1e-4 and fine == pytest.approx(coarse / 2, rel=0.1)


def test_bad_targets_are_refused() -> None:
    for kind, servo, words in (
        (
            "spherical",
            kg.Servo(1.0, position=0.3),
            r"'j': position: expected \(4,\) \[qx qy qz qw\] or a row .* got 0\.3",
        ),
        ("spherical", kg.Servo(1.0, position=[0, 0, 0.1]), r"expected \(4,\) \[qx qy qz qw\] .*, got \(3,\)"),
        ("spherical", kg.Servo(1.0, position=[0, 0, 0.3, 1]), r"\[qx qy qz qw\] has norm 1\.044\d+, expected 1"),
        ("spherical", kg.Servo(1.0, position=[[0, 0, 0, 1], [0, 0, 0, 2]]), "position, row 1: .* has norm 2"),
        ("spherical", kg.Servo(1.0, position=[0, 0, 0, np.nan]), "position: entry 3 is nan"),
        ("spherical", kg.Servo(kp=[1.0, 2.0]), r"kp: expected shape \(3,\)"),
        ("spherical", kg.Servo(1.0, velocity=[1.0, 2.0]), r"velocity: expected \(3,\)"),
        ("planar", kg.Servo(1.0, position=[0, 0, 0.3]), r"expected \(4,\) \[x y cos sin\]"),
        ("planar", kg.Servo(1.0, position=[0, 0, 1, 1]), r"\[cos sin\] has norm 1\.414"),
        ("free", kg.Servo(1.0, position=[0, 0, 0]), r"expected \(7,\) \[x y z qx qy qz qw\]"),
        ("free", kg.Servo(1.0, limit=np.nan), "limit: expected a number"),
    ):
        with pytest.raises(kg.ModelError, match=words):
            kg.Simulator(body(kind), servos={"j": servo})
    for answer, words in (([0, 0, 2.0, 0], "has norm 2"), ([0.1], r"expected \(4,\) \[qx qy qz qw\], got \(1,\)")):
        sim = kg.Simulator(body("spherical"), servos={"j": kg.Servo(1.0, position=lambda t, x=answer: x)})
        with pytest.raises(kg.SimulationError, match=f"position of joint 'j' at t = 0 s.*{words}"):
            sim.step()
