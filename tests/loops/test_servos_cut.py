"""Servos of joints that close loops, and of connections: as those of the same joints where others are cut, or none."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.mechanism import KINDS as RECORDS
from support.mechanisms.closed_mechanisms import five_bar
from support.oracles.numeric import Array

INTEGRATORS = ("semi_implicit", "rk4")
BODY = {"mass": 1.0, "com": (0.1, 0.05, -0.3), "inertia": (0.1, 0.01, 0.0, 0.12, 0.02, 0.09)}
KINDS = {
    "pivot": kg.revolute(axis=(0, 1, 0)),
    "cross": kg.universal(axis=(1, 0, 0), axis2=(0, 1, 0)),
    "tube": kg.cylindrical(axis=(0, 0, 1), damping=(0.05, 0.2)),
    "screw": kg.helical(axis=(1, 0, 0), pitch=0.1),
    "gimbal": kg.gimbal(),
    "ball": kg.spherical(),
    "table": kg.planar(),
}
TURN = [np.sin(0.2), 0.0, 0.0, np.cos(0.2)]
SERVOS = {
    "pivot": kg.Servo(20.0, 2.0, 0.3, limit=4.0),
    "cross": kg.Servo([15.0, 20.0], 1.5, [0.2, -0.4], 0.1),
    "tube": kg.Servo([8.0, 60.0], [1.0, 4.0], [0.3, 0.05]),
    "screw": kg.Servo(kd=3.0, velocity=-1.0),
    "gimbal": kg.Servo(9.0, [0.8, 0.7, 0.6], [0.1, 0.2, -0.3]),
    "ball": kg.Servo(12.0, 0.9, TURN, [0.0, 0.1, 0.0], limit=[3.0, 9.0, 9.0]),
    "table": kg.Servo([90.0, 70.0, 9.0], [6.0, 5.0, 0.8], [0.05, -0.1, np.cos(0.3), np.sin(0.3)]),
}


@cache
def every_kind() -> tuple[kg.Model, kg.TopologyLibrary]:
    """A chain of joints of many kinds, and the same with all of them cut, as loops through free joints."""
    names = ["world", *(f"l{i}" for i in range(len(KINDS)))]
    joints = [
        replace(template.joint(name, names[i], names[i + 1]), origin=kg.Pose((0.05, 0.02, -0.6 * (i > 0))))
        for i, (name, template) in enumerate(KINDS.items())
    ]
    mechanism = kg.Mechanism("served_kinds", [kg.Link(name, **BODY) for name in names[1:]], joints)  # type: ignore[arg-type]
    return kg.compile(mechanism), kg.TopologyLibrary(mechanism, cuts=list(KINDS))


def coordinates(model: kg.Model, name: str, q: Array) -> Array:
    if name in model.joint_names:
        return np.asarray(q[..., model.q_slice(name)])
    return np.asarray(model.loop_joint(name, q)[0])


def apart(dt: float, integrator: str) -> float:
    """By how much the motions of both chains differ in 0.2 s, all of whose joints are served."""
    tree, library = every_kind()
    q, v = library.state({name: list(RECORDS[kind.kind].neutral) for name, kind in KINDS.items()})
    alone = kg.Simulator(tree, q=tree.neutral(), servos=SERVOS, dt=dt, integrator=integrator)
    loops = kg.Simulator(library, q=q, v=v, servos=SERVOS, dt=dt, integrator=integrator)
    expected, found = alone.run(0.2), loops.run(0.2)
    assert np.ptp(expected.q, axis=0).max() > 0.3
    for name, torque in alone.serving.items():
        assert np.abs(loops.serving[name] - torque).max() < (1e-6 if integrator == "rk4" else 30.0 * dt), name
    return max(
        float(np.abs(coordinates(loops.model, name, found.q) - coordinates(tree, name, expected.q)).max())
        for name in KINDS
    )


def test_joints_of_all_kinds_as_in_the_tree() -> None:
    """The same Runge-Kutta motion; semi-implicit Euler leaves out how the axes turn in a step: first order."""
    assert apart(1e-3, "rk4") < 1e-7
    errors = [apart(dt, "semi_implicit") for dt in (1e-3, 2.5e-4)]
    assert errors[0] < 1e-2 and errors[1] < 0.35 * errors[0]


@cache
def bars(cut: str) -> kg.Model:
    """A five-bar linkage whose loop is cut at this joint."""
    base = five_bar()
    joints = [replace(joint, cut=joint.name == cut) for joint in base.joints]
    return kg.compile(replace(base, name=f"bars_cut_at_{cut}", joints=tuple(joints)))


def start(model: kg.Model) -> Array:
    reference = bars("tip")
    q = reference.assemble(np.array([2.3, -1.6, 0.9, 1.6]))
    return model.assemble(np.concatenate([coordinates(reference, joint.name, q) for joint in model.manifest.joints]))


def served(**options: float) -> Mapping[str, kg.Servo]:
    """Motors at the frame, a servo at either joint of the right forearm."""
    at = {joint.name: coordinates(bars("tip"), joint.name, start(bars("tip"))).item() for joint in five_bar().joints}
    return {
        "left_motor": kg.Servo(400.0, 9.0, at["left_motor"] - 0.4, limit=18.0),
        "right_motor": kg.Servo(40.0, 2.0, at["right_motor"] - 0.3, 0.1),
        "right_elbow": kg.Servo(5.0, 0.3, at["right_elbow"] + 0.1, limit=0.3),
        "tip": kg.Servo(30.0, 0.4, at["tip"] + 0.5, **options),
    }


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_where_a_loop_is_cut_does_not_matter(integrator: str) -> None:
    """Motion, torques, work: cut at the tip or at an elbow, both served, with limits of force that are met."""
    runs, told = {}, {}
    for cut in ("tip", "right_elbow"):
        sim = kg.Simulator(bars(cut), q=start(bars(cut)), servos=served(limit=7.0), integrator=integrator, work=True)
        runs[cut] = sim.run(0.5)
        told[cut] = np.array([sim.serving[name].item() for name in served()])
        assert np.abs(runs[cut].closure_gap).max() < 1e-10
        assert runs[cut].work is not None
    for name in served():
        one, other = (coordinates(bars(cut), name, runs[cut].q) for cut in runs)
        assert np.abs(one - other).max() < 2e-9 and np.ptp(one) > 0.1
    assert np.abs(told["tip"] - told["right_elbow"]).max() < 1e-7
    done = [runs[cut].work.servos.sum(axis=1) for cut in runs]
    assert np.abs(done[0] - done[1]).max() < 1e-8 and np.ptp(done[0]) > 1.0


def test_implicit_law() -> None:
    """One step: (M + D + C' D_cut C) a = f + C' f_cut, with rows of the loop, solved as one dense system."""
    model, dt, servos = bars("tip"), 1e-3, served()
    q = start(model)
    rate = np.random.default_rng(1).normal(size=model.nf)
    v = model.W(q) @ rate
    sim = kg.Simulator(model, q=q, v=v, servos=servos, dt=dt)
    sim.step()
    C = model.kernel("loop_jacobian")(q)
    rows = {name: np.eye(model.nv)[model.v_slice(name)] for name in model.joint_names} | {"tip": C}
    M, f = model.mass_matrix(q), -model.bias(q, v)
    for name, one in servos.items():
        if abs(sim.serving[name].item()) == one.limit:
            f = f + sim.serving[name].item() * rows[name][0]
            continue
        u = (rows[name] @ v).item()
        law = one.kp * (one.position - coordinates(model, name, q).item() - dt * u) + one.kd * (one.velocity - u)
        f = f + law * rows[name][0]
        M = M + dt * (one.kd + dt * one.kp) * rows[name].T @ rows[name]
    K, turning = model.kernel("closure_rows")(q), model.kernel("closure_rows_bias")(q, v)
    basis = np.linalg.svd(K)[2][np.linalg.matrix_rank(K) :].T
    part = np.linalg.lstsq(K, -turning, rcond=None)[0]
    a = part + basis @ np.linalg.solve(basis.T @ M @ basis, basis.T @ (f - M @ part))
    lead = list(model.loops.leaders)  # settling moves what follows
    assert abs(sim.serving["right_elbow"].item()) == 0.3
    np.testing.assert_allclose((sim.v - v)[lead] / dt, a[lead], rtol=1e-9)


def test_any_gain_is_quiet() -> None:
    """Far beyond what explicit steps of 1 ms bear: the tip goes to its target and stays."""
    model = bars("tip")
    goal = coordinates(model, "tip", start(model)).item() + 0.4
    sim = kg.Simulator(model, q=start(model), servos={"tip": kg.Servo(1e6, 1e4, goal)})
    sim.run(0.5)
    assert (
        abs(coordinates(model, "tip", sim.q).item() - goal) < 1e-3
        and abs(model.loop_joint("tip", sim.q, sim.v)[1]) < 1e-2
    )
    with pytest.raises(kg.SimulationError):
        kg.Simulator(model, q=start(model), servos={"tip": kg.Servo(1e6, 1e4, goal)}, integrator="rk4").run(0.5)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_connections_are_served_while_they_hold(integrator: str) -> None:
    """A hinge made in flight turns as told, from where it was made; cut, it falls as if there were no servo."""
    links = [kg.Link(name, 1.0, (0, 0, -0.3), kg.inertia.box(1.0, (0.1, 0.1, 0.6))) for name in ("bar", "post")]
    joints = [
        kg.Joint("flight", "free", "world", "bar"),
        kg.Joint("stand", "revolute", "world", "post", axis=(0, 0, 1)),
    ]
    hold = kg.Connection("hold", "post", "bar", kg.revolute(axis=(0, 1, 0)))
    library = kg.TopologyLibrary(kg.Mechanism("held_and_served", links, joints), [hold])
    servos = {"hold": kg.Servo(400.0, 30.0, 0.7)}
    sim, free = (
        kg.Simulator(library, active=(), servos=given, integrator=integrator, v=[0, 0, 0, 0, 0.2, 0, 0.1])
        for given in (servos, None)
    )
    for one in (sim, free):
        one.step(50)
    assert np.array_equal(sim.q, free.q) and sim.serving["hold"].item() == 0.0
    sim.connect("hold")
    sim.step(1000)
    assert sim.model.loop_joint("hold", sim.q)[0].item() == pytest.approx(0.7, abs=0.02)
    axis = sim.model.link_poses(sim.q)[sim.model.link_names.index("post"), :3, 1]
    assert abs(sim.serving["hold"].item()) > 0.5
    along = axis @ sim.wrench("hold")[3:]  # at the state just now; told: of the step before
    assert along == pytest.approx(sim.serving["hold"].item(), rel=1e-3)
    free.q, free.v = sim.q, sim.v
    sim.cut("hold")
    for one in (sim, free):
        one.step(50)
    assert np.array_equal(sim.q, free.q) and sim.serving["hold"].item() == 0.0


def test_turns_are_counted() -> None:
    """Told to turn thrice a wheel on an axle that can be cut does, by the one servo and by others that follow it."""
    disc = kg.Link("disc", 1.0, inertia=kg.inertia.cylinder(1.0, 0.2, 0.05))
    wheel = kg.Mechanism("served_wheel", [disc], [kg.Joint("axle", "revolute", "world", "disc", axis=(0, 0, 1))])
    library = kg.TopologyLibrary(wheel, cuts=["axle"])
    goal = 6 * np.pi + 0.3
    sim = kg.Simulator(library, servos={"axle": kg.Servo(2.0, 0.4, goal, limit=0.8)})
    tree = kg.Simulator(wheel, servos={"axle": kg.Servo(2.0, 0.4, goal, limit=0.8)})
    kept = None
    for part in range(4):
        if part == 2:
            kept = sim.save()
            sim.servos = {"axle": kg.Servo(2.0, 0.4, goal, limit=0.8)}
        sim.step(1000)
        tree.step(1000)
        near = sim.model.loop_joint("axle", sim.q, near=tree.q)[0]
        assert np.abs(near - tree.q).max() < 1e-9
        np.testing.assert_allclose(sim.serving["axle"], tree.serving["axle"], atol=1e-8)
    assert abs(tree.q.item() - goal) < 0.05
    end = sim.q.copy()
    assert kept is not None
    sim.restore(kept)
    sim.step(2000)
    assert np.array_equal(sim.q, end)


def test_copies_rollouts_functions_and_rows() -> None:
    """All make the same steps."""
    model, t = bars("tip"), 1e-3 * np.arange(200)
    goal = coordinates(model, "tip", start(model)).item()
    table = {"tip": kg.Servo(30.0, 0.5, goal + 0.2 * np.sin(9 * t))}
    asked = {"tip": kg.Servo(30.0, 0.5, lambda s: goal + 0.2 * np.sin(9 * s))}
    runs = [kg.Simulator(model, q=start(model), servos=servos).run(0.2) for servos in (table, asked)]
    assert np.array_equal(runs[0].q, runs[1].q)
    sim = kg.Simulator(model, q=start(model), servos=table)
    sim.step(80)
    twin = copy.deepcopy(sim)
    sim.step(120)
    twin.step(120)
    assert np.array_equal(sim.q, runs[0].q[-1]) and np.array_equal(twin.q, sim.q)
    many = kg.rollout(model, np.tile(start(model), (2, 1)), steps=200, servos=table, threads=2)
    assert np.array_equal(many.q[1], runs[0].q)


def test_a_servo_presses_through_a_loop() -> None:
    """A slider on the floor below a crank, cut at the crank's pin: it presses with what the servo may give."""
    foot = kg.Link("foot", 1.0, inertia=kg.inertia.box(1.0, (0.1, 0.1, 0.1)), shapes=[kg.box((0.1, 0.1, 0.1))])
    arm = kg.Link("arm", 1e-3, (0, 0, -0.25), kg.inertia.box(1e-3, (0.02, 0.02, 0.5)))
    joints = [
        kg.Joint("guide", "prismatic", "world", "foot", axis=(0, 0, 1)),
        kg.Joint("swing", "revolute", "foot", "arm", axis=(0, 1, 0)),
        kg.Joint("press", "prismatic", "world", "arm", kg.Pose((0, 0, 0.5)), axis=(0, 0, 1), cut=True),
    ]
    model = kg.compile(kg.Mechanism("pressed_through", [foot, arm], joints, shapes=[kg.plane()]))
    for kp in (1e3, 1e7):
        sim = kg.Simulator(model, q=[0.1, 0.0], servos={"press": kg.Servo(kp, kp / 50, -2.0, limit=20.0)})
        sim.run(0.6)
        assert sim.serving["press"].item() == -20.0
        assert sim.contacts.forces[:, 2].sum() == pytest.approx(20.0 + 1.001 * 9.81, rel=1e-6)


def test_bad_servos_are_refused() -> None:
    model = bars("tip")
    for servos, words in (
        ({"tips": kg.Servo(1.0)}, "has no joint 'tips'; it has: tip"),
        ({"tip": kg.Servo([1.0, 2.0])}, r"joint 'tip': kp"),
        ({"tip": kg.Servo(1.0, position=[0.0, np.nan])}, "joint 'tip': position"),
    ):
        with pytest.raises(kg.ModelError, match=words):
            kg.Simulator(model, servos=servos)
