"""Free spin under semi-implicit Euler: energy stays bounded for spins of a hundredth to a radian a step; gimbals, where
angles turn faster than the body, are told."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen import Joint, Link, Mechanism, Model
from kinegen.codegen.analysis.plan import plan
from kinegen.runtime import SimulationError, Simulator

DT = 1e-3
TENSORS = {"asymmetric": (0.02, 0.003, 0, 0.05, -0.004, 0.06), "rod-like": (0.11, 0, 0, 0.11, 0, 0.03)}


@cache
def body(tensor: str, com: tuple[float, float, float]) -> Model:
    link = Link("body", 1.3, com, TENSORS[tensor])
    return kg.compile(Mechanism("spun", [link], [Joint("free", "free", "world", "body")], gravity=(0, 0, 0)))


def spun(model: Model, w: np.ndarray, steps: int, **options: object) -> kg.Trajectory:
    v = np.zeros(model.nv)
    v[3:6] = w
    q = model.q0
    return kg.Simulator(model, dt=DT, q=q, v=v, **options).run(steps * DT, every=max(1, steps // 200))  # type: ignore[arg-type]


@pytest.mark.parametrize("spin", [0.004, 0.01, 0.1, 0.4, 1.0])
@pytest.mark.parametrize("tensor", TENSORS)
def test_energy_and_momentum_of_a_free_body(tensor: str, spin: float) -> None:
    model = body(tensor, (0.0, 0.0, 0.0))
    way = np.array([0.3, 0.2, 1.0])
    run = spun(model, spin / DT * way / np.linalg.norm(way), 20_000)
    energy, turning = run.energy[:, 0], np.linalg.norm(model.momentum(run.q, run.v)[:, 3:], axis=1)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-9
    assert np.abs(turning / turning[0] - 1.0).max() < 1e-9


def test_about_a_mass_centre_elsewhere() -> None:
    model = body("asymmetric", (0.1, -0.2, 0.05))
    run = spun(model, np.array([30.0, -20.0, 100.0]), 20_000)
    momentum = model.momentum(run.q, run.v)
    assert np.abs(run.energy[:, 0] / run.energy[0, 0] - 1.0).max() < 1e-9
    assert np.abs(momentum[:, :3] - momentum[0, :3]).max() < 1e-9 * np.abs(momentum[0, :3]).max()
    com = model.com(run.q)
    flown = momentum[0, :3] / 1.3 * np.linspace(0.0, 20.0, len(com))[:, None]
    assert np.abs(com - com[0] - flown).max() < 0.002 * np.abs(flown).max()  # of first order in the step


def test_a_wobble_has_the_frequency_of_nutation() -> None:
    """(I_z - I_x)/I_x times the spin, in the body's axes, up to the step's own second order."""
    model = body("rod-like", (0.0, 0.0, 0.0))
    run = kg.Simulator(model, dt=DT, v=[0, 0, 0, 3.0, 0, 60.0]).run(2.0)
    wobble = np.unwrap(np.arctan2(run.v[:, 4], run.v[:, 3]))
    rate = np.polyfit(DT * np.arange(len(wobble)), wobble, 1)[0]
    assert rate == pytest.approx((0.03 - 0.11) / 0.11 * 60.0, rel=1e-3)
    assert abs(rate + 43.6364) > 1e-6  # it is the rule's own frequency, not the exact one


def test_moments_still_turn_it() -> None:
    """A moment along the spin adds its impulse to the momentum."""
    model = body("rod-like", (0.0, 0.0, 0.0))
    run = spun(model, np.array([0.0, 0.0, 200.0]), 1000, tau=[0, 0, 0, 0, 0, 0.6])
    assert run.v[-1, 5] == pytest.approx(200.0 + 0.6 / 0.03 * 1.0, rel=1e-9)


def test_what_does_not_spin_keeps_its_bits() -> None:
    model = body("asymmetric", (0.1, -0.2, 0.05))
    tau = [0.4, 0.0, -0.2, 0.0, 0.0, 0.0]
    run = kg.Simulator(model, dt=DT, tau=tau).run(DT)
    assert np.array_equal(run.v[1, 3:], DT * model.forward_dynamics(model.q0, np.zeros(6), tau)[3:])


def test_about_a_joint_that_is_turned_on_the_body() -> None:
    """Where the frame of the joint stands on the body does not matter to the body: it flies as from its own origin."""
    on_body = kg.Pose((0.2, -0.1, 0.3), (0.4, -0.7, 1.1))
    link = Link("body", 1.3, (0.1, -0.2, 0.05), TENSORS["asymmetric"])
    turned = Joint("free", "free", "world", "body", child_origin=on_body)
    model = kg.compile(Mechanism("turned", [link], [turned], gravity=(0, 0, 0)))
    run = spun(model, np.array([30.0, -20.0, 100.0]), 20_000)
    momentum = model.momentum(run.q, run.v)
    assert np.abs(run.energy[:, 0] / run.energy[0, 0] - 1.0).max() < 1e-9
    assert np.abs(momentum[:, :3] - momentum[0, :3]).max() < 1e-9 * np.abs(momentum[0, :3]).max()


def test_bodies_beside_each_other_spin_each_for_itself() -> None:
    """Two bodies and a hinged door in one model: each moves as in a model of its own."""
    links = [Link(name, 1.3, (0.1, -0.2, 0.05), TENSORS["asymmetric"]) for name in ("a", "b", "door")]
    joints = [Joint(name, "free", "world", name) for name in ("a", "b")] + [Joint("hinge", "revolute", "world", "door")]
    model = kg.compile(Mechanism("three", links, joints, gravity=(0, 0, 0)))
    alone = body("asymmetric", (0.1, -0.2, 0.05))
    ways = np.array([[30.0, -20.0, 100.0], [-200.0, 10.0, 40.0]])
    v = np.concatenate([np.zeros(3), ways[0], np.zeros(3), ways[1], [2.0]])
    run = kg.Simulator(model, dt=DT, v=v).run(1.0, every=100)
    for k, way in enumerate(ways):
        expected = spun(alone, way, 1000).v[::20]
        found = run.v[:, 6 * k : 6 * k + 6]
        assert np.abs(found[-1] - expected[-1]).max() < 1e-9 * np.abs(way).max()


def test_only_what_flies_by_itself_is_treated() -> None:
    """Joints (also rigid ones), loops, springs, dampers and armatures on a free body leave its step as it was."""
    trunk = Link("trunk", 3.0, (0.05, 0, 0.1), kg.inertia.box(3.0, (0.3, 0.2, 0.5)))
    arm = Link("arm", 0.4, (0.2, 0, 0), kg.inertia.box(0.4, (0.4, 0.1, 0.1)))
    free, hinge = Joint("free", "free", "world", "trunk"), Joint("hinge", "revolute", "trunk", "arm")
    weld = Joint("weld", "fixed", "trunk", "arm")
    leash = Joint("leash", "spherical", "world", "trunk", cut=True)
    treated = {
        "body": ([trunk], [free]),
        "welded": ([trunk, arm], [free, weld]),
        "arm": ([trunk, arm], [free, hinge]),
        "loop": ([trunk], [free, leash]),
        "spring": ([trunk], [replace(free, stiffness=1.0)]),
        "damper": ([trunk], [replace(free, damping=1.0)]),
        "armature": ([trunk], [replace(free, armature=1.0)]),
    }
    found = {name for name, (links, joints) in treated.items() if plan(Mechanism(name, links, joints)).spins}
    assert found == {"body"}


def test_a_gimbal_at_its_lock_is_told() -> None:
    """Its axes lie in one plane: M is singular, and no step is short enough."""
    link = kg.Link("arm", 1.0, (0.0, 0.05, -0.2), (0.02, 0, 0, 0.03, 0, 0.01))
    model = kg.compile(kg.Mechanism("hung", [link], [kg.Joint("hip", "gimbal", "world", "arm")]))
    simulator = Simulator(model, q=[0.3, math.pi / 2, 0.2], v=[0.1, 0.2, 0.3])
    with pytest.raises(SimulationError, match=r"'hip' \(gimbal\) came where its axes lie in one plane, other axes or"):
        simulator.run(0.01)


@pytest.mark.parametrize("dt", [1e-5, 3e-4])
def test_a_gimbal_near_its_lock_is_told(dt: float) -> None:
    """It goes past at 5 rad/s, 0.0012 rad away: its outer axes turn by 1.4 rad in a step that is too long."""
    link = kg.Link("arm", 1.0, inertia=(0.02, 0, 0, 0.03, 0, 0.01))
    mechanism = kg.Mechanism("hung", [link], [kg.Joint("hip", "gimbal", "world", "arm")], gravity=(0, 0, 0))
    q, v = [0.3, math.pi / 2 - 0.2, 0.2], [0.125, 5.0, 0.0]
    model = kg.compile(mechanism)
    simulator = Simulator(model, q=q, v=v, dt=dt, integrator="rk4")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = simulator.run(0.078)
        kg.rollout(model, [model.q0, q], [[0, 0, 0], v], steps=round(0.078 / dt), dt=dt, integrator="rk4")
    energy, too_long = run.energy[:, 0], dt > 1e-4
    assert np.isclose(energy[-1], energy[0], rtol=1e-7) != too_long
    assert [one.category for one in caught] == [kg.StepWarning] * (2 * too_long)
    told = "'hip' (gimbal){} turns by 1.4 rad in one step at t = 0.0402 s"
    assert all(told.format(row) in str(one.message) for one, row in zip(caught, ("", " of row 1"), strict=False))
