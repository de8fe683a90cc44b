"""Mechanisms that turn fast under semi-implicit Euler: bounded energy and kept momentum, up to a radian a step."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen import Joint, Link, Mechanism, Model, Pose
from kinegen.codegen.analysis.plan import plan
from kinegen.runtime.model.closed.closure import dofs_named
from support.mechanisms.closed_mechanisms import four_bar, rod

DT = 1e-3
STILL = (0.0, 0.0, 0.0)
FREE = Joint("free", "free", "world", "bus")


def satellite(*, gravity: tuple[float, float, float] = STILL, **of_arms: Any) -> Mechanism:
    """A bus with two arms on hinges that are not parallel."""
    links = [
        Link("bus", 10.0, (0.02, 0.01, 0.03), (0.5, 0.02, 0, 0.7, 0, 0.9)),
        Link("left", 1.0, (0.4, 0, 0), (0.01, 0, 0, 0.06, 0, 0.06)),
        Link("right", 0.8, (-0.3, 0, 0.05), (0.01, 0, 0, 0.05, 0, 0.05)),
    ]
    joints = [
        FREE,
        Joint("a", "revolute", "bus", "left", Pose((0.3, 0.1, 0)), axis=(0, 1, 0), **of_arms),
        Joint("b", "revolute", "bus", "right", Pose((-0.3, 0, 0.1)), axis=(0, 0.6, 0.8), **of_arms),
    ]
    return Mechanism("satellite", links, joints, gravity=gravity)


def floating_four_bar() -> Mechanism:
    """A four-bar whose frame floats."""
    bars = four_bar(0.25, 0.8, 0.6, 0.7)
    frame = Link("bus", 4.0, (0.3, 0.1, 0), kg.inertia.box(4.0, (0.7, 0.2, 0.1)))
    held = [replace(joint, parent="bus") if joint.parent == "world" else joint for joint in bars.joints]
    return Mechanism("floating_bars", [frame, *bars.links], [FREE, *held], gravity=STILL)


def triple_pendulum(gravity: tuple[float, float, float] = (0, 0, -9.81)) -> Mechanism:
    joints = [
        Joint("one", "revolute", "world", "a", axis=(0, 1, 0)),
        Joint("two", "revolute", "a", "b", Pose((0.5, 0, 0)), axis=(0, 0, 1)),
        Joint("three", "revolute", "b", "c", Pose((0.4, 0, 0)), axis=(0, 1, 0)),
    ]
    return Mechanism("triple", [rod("a", 0.5), rod("b", 0.4), rod("c", 0.3)], joints, gravity=gravity)


BASE = Link("bus", 3.0, (0, 0.02, 0), kg.inertia.box(3.0, (0.4, 0.3, 0.1)))
HORN = Link("horn", 0.7, (0.1, 0, 0.05), kg.inertia.box(0.7, (0.1, 0.2, 0.3)))
AT = Pose((0.2, 0.1, 0.3))
WELD = Joint("weld", "fixed", "bus", "horn", AT)
PAIR = [FREE, Joint("horn_free", "free", "world", "horn"), replace(WELD, cut=True)]


@cache
def compiled(name: str) -> Model:
    made = {
        "satellite": satellite,
        "bars": floating_four_bar,
        "triple": triple_pendulum,
        "whole": lambda: Mechanism("whole", [BASE, HORN], [FREE, WELD], gravity=STILL),
    }
    return kg.compile(made[name]())


@cache
def looped() -> Model:
    """The same body from two that float, held by a fixed joint as a loop."""
    return kg.compile(Mechanism("looped", [BASE, HORN], PAIR, gravity=STILL), independent=["free"])


def thrown(model: Model, turn: float, duration: float = 10.0, **options: Any) -> kg.Trajectory:
    """The first floating link turns by `turn` a step at the start, its joints rest."""
    v = np.zeros(model.nv)
    v[3:6] = np.array([0.3, 0.9, 0.2]) / np.linalg.norm([0.3, 0.9, 0.2]) * turn / DT
    return kg.Simulator(model, dt=DT, v=v, **options).run(duration, every=50)


def errors(model: Model, run: kg.Trajectory) -> tuple[float, float]:
    """Largest gain of energy over the start's kinetic one, largest change of angular momentum over its size."""
    energy, turning = run.energy.sum(axis=1), model.momentum(run.q, run.v)[:, 3:]
    change = np.linalg.norm(turning - turning[0], axis=1).max() / np.linalg.norm(turning[0])
    return float((energy - energy[0]).max() / run.energy[0, 0]), float(change)


@pytest.mark.parametrize("turn", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("name", ["satellite", "bars"])
def test_a_floating_mechanism_keeps_energy_and_momentum(name: str, turn: float) -> None:
    """10 s: energy to 1e-5, angular momentum about the mass centre to 2e-3 (the mass centre moves to fourth order)."""
    model = compiled(name)
    run = thrown(model, turn, 10.0 if name == "satellite" else 2.0)
    gain, change = errors(model, run)
    assert abs(gain) < 1e-5
    assert np.abs(run.energy[:, 0] / run.energy[0, 0] - 1.0).max() < 1e-5
    assert change < 2e-3
    if name == "bars":
        assert run.closure_gap.max() <= 1e-10


def test_the_human_figure_tumbles_undamped() -> None:
    """10 s in steps of 2 ms, no dampers, no limits, every joint moving, in free fall. There Euler's steps lose
    m g^2 dt t/2 of the energy, whatever the mechanism: force times dt before the way."""
    model = kg.compile(kg.human_figure())
    v = 3.0 * np.random.default_rng(0).normal(size=model.nv)
    v[3:6] = (3.0, 15.0, 8.0)
    run = kg.Simulator(model, dt=2e-3, v=v, limits=False).run(10.0, every=100)
    energy, momentum = run.energy.sum(axis=1), model.momentum(run.q, run.v)
    fallen = energy[0] - 0.5 * 70.0 * 9.81**2 * 2e-3 * run.t
    assert np.abs(energy - fallen).max() < 1e-7 * run.energy[0, 0]
    gained = momentum[:, :3] - momentum[0, :3] - np.outer(run.t, [0.0, 0.0, -9.81 * 70.0])
    assert np.abs(gained).max() < 1e-9 * np.abs(momentum[-1, :3]).max()
    assert errors(model, run)[1] < 1e-6


@pytest.mark.parametrize("turn", [0.1, 1.0])
def test_a_rigid_loop_spins_as_the_body_that_it_is(turn: float) -> None:
    whole, held = compiled("whole"), looped()
    w = np.array([0.3, 0.9, 0.2]) / np.linalg.norm([0.3, 0.9, 0.2]) * turn / DT
    start = whole.q0
    pose = whole.link_poses(start)[whole.link_names.index("horn")]
    q = held.assemble(np.concatenate([start, pose[:3, 3], start[3:]]), hold=["free"])
    one = kg.Simulator(whole, dt=DT, q=start, v=np.r_[np.zeros(3), w]).run(2.0, every=50)
    horn = np.r_[np.cross(w, np.array(AT.xyz, dtype=float)), w]
    two = kg.Simulator(held, dt=DT, q=q, v=np.r_[np.zeros(3), w, horn]).run(2.0, every=50)
    np.testing.assert_allclose(two.v[:, :6], one.v, atol=1e-6 * turn / DT)
    for model, run in ((whole, one), (held, two)):
        gain, change = errors(model, run)
        assert abs(gain) < 1e-3
        assert change < 1e-3


@pytest.mark.parametrize("turn", [0.05, 0.3, 1.0])
def test_a_fast_chain_on_world_is_bounded(turn: float) -> None:
    run = kg.Simulator(compiled("triple"), dt=DT, v=np.array([1.0, -1.0, 0.5]) * turn / DT).run(4.0, every=20)
    energy = run.energy.sum(axis=1)
    assert np.abs(energy - energy[0]).max() < 2e-3 * energy[0]


def test_it_is_the_true_motion() -> None:
    """0.2 s at 0.1 rad a step, beside Runge-Kutta in steps twenty times as short."""
    model = compiled("satellite")
    v = np.r_[0.4, -0.2, 0.1, 30.0, 80.0, 20.0, 5.0, -8.0]
    exact = kg.Simulator(model, dt=DT / 20, v=v, integrator="rk4")
    exact.step(4000)
    found = kg.Simulator(model, dt=DT, v=v)
    found.step(200)
    assert np.abs(model.difference(exact.q, found.q)).max() < 1e-4
    assert np.abs(exact.v - found.v).max() < 1e-4 * np.abs(v).max()


def test_slow_turns_are_stepped_as_ever() -> None:
    """Up to 0.03 rad a step, to the last bit; above, not."""
    model = compiled("triple")
    q = np.array([0.3, -0.2, 0.5])
    for turn, same in ((0.029, True), (0.031, False)):
        v = np.array([0.5, -0.3, 0.2]) * turn / DT
        sim = kg.Simulator(model, dt=DT, q=q, v=v)
        sim.step()
        assert np.array_equal(sim.v, v + DT * model.forward_dynamics(q, v, np.zeros(3))) is same


def test_a_gentle_coast_on_world_is_true_to_the_second_order() -> None:
    """Below 0.1 rad a step: one step beside many short ones, and a longer one that misses by the third power."""
    model = kg.compile(triple_pendulum(STILL))
    q, v = np.array([0.3, -0.2, 0.5]), np.array([0.5, -0.3, 0.2]) * 0.045 / DT
    missed = []
    for dt in (DT, 2.0 * DT):
        exact = kg.Simulator(model, dt=dt / 20, q=q, v=v, integrator="rk4")
        exact.step(20)
        one = kg.Simulator(model, dt=dt, q=q, v=v)
        one.step()
        missed.append(np.abs(one.q - exact.q).max())
        assert model.energy(one.q, one.v)[0] == pytest.approx(model.energy(q, v)[0], rel=1e-13)
    assert missed[0] < 0.045**3 / 6.0
    assert 6.0 < missed[1] / missed[0] < 10.0


def test_dampers_still_take_energy() -> None:
    model = kg.compile(satellite(damping=0.05, friction=0.02))
    run = thrown(model, 0.3, 2.0)
    assert np.diff(run.energy[:, 0]).max() < 1e-9 * run.energy[0, 0]
    assert run.energy[-1, 0] < 0.99 * run.energy[0, 0]
    assert errors(model, run)[1] < 1e-4


def test_a_driven_chain_gets_the_work_that_it_is_given() -> None:
    """A motor turns the first hinge through thousands of radians: torque times angle."""
    model = kg.compile(triple_pendulum(STILL))
    sim = kg.Simulator(model, dt=DT, v=[100.0, 0.0, 30.0], tau=[20.0, 0.0, 0.0])
    run = sim.run(2.0)
    work = 20.0 * (run.q[-1, 0] - run.q[0, 0])
    assert work > 3000.0
    assert run.energy[-1, 0] - run.energy[0, 0] == pytest.approx(work, rel=2e-3)


@pytest.mark.parametrize("turn", [0.05, 0.3])
def test_arms_at_their_stops_give_no_energy(turn: float) -> None:
    model = kg.compile(satellite(limits=(-0.3, 0.3)))
    run = thrown(model, turn, 4.0)
    gain, change = errors(model, run)
    assert gain < 1e-9
    assert change < 1e-5
    assert np.abs(run.q[:, 7:]).max() < 0.3 + turn  # a stop is met within a step


def test_a_closed_crank_in_fast_rotation() -> None:
    """A four-bar on world whose crank turns by 0.3 rad a step keeps its energy through a thousand turns."""
    model = kg.compile(replace(four_bar(0.25, 0.8, 0.6, 0.7), gravity=STILL))
    v = np.zeros(model.nv)
    v[list(dofs_named(model.manifest, model.independent))] = 0.3 / DT
    run = kg.Simulator(model, dt=DT, v=v).run(4.0, every=20)
    assert np.abs(run.energy[:, 0] / run.energy[0, 0] - 1.0).max() < 1e-6
    assert run.closure_gap.max() <= 1e-10


def test_what_is_looked_after() -> None:
    """Not rotors, single joints and bodies that fly by themselves; groups are trees that loops join."""
    rotor = Link("rotor", 0.1, (0, 0, 0.05), (2e-4, 0, 0, 2e-4, 0, 3e-4))
    spinner = Joint("spinner", "continuous", "bus", "rotor", axis=(0, 0, 1))
    hinge = Joint("hinge", "revolute", "world", "bus")
    assert plan(Mechanism("body", [BASE], [FREE])).turning is None
    assert plan(Mechanism("door", [BASE], [hinge])).turning is None
    quad = plan(Mechanism("quad", [BASE, rotor], [FREE, spinner])).turning
    assert quad is not None
    assert quad.counted == ((3, 4, 5), ())
    tilted = plan(Mechanism("tilted", [BASE, rotor], [FREE, replace(spinner, axis=(0, 0.6, 0.8))])).turning
    assert tilted is not None
    assert tilted.counted == ((3, 4, 5), (6,))
    two = plan(Mechanism("looped", [BASE, HORN], PAIR)).turning
    assert two is not None
    assert set(two.groups) == {0}
    assert [f.body.v_start for f in two.floating] == [0, 6]
    leash = Joint("leash", "spherical", "world", "bus", cut=True)
    tied = plan(Mechanism("tied", [BASE, HORN], [*PAIR, leash])).turning
    assert tied is not None
    assert not tied.floating


def flail() -> Mechanism:
    """Three rods on balls, the first of which floats, above the ground."""
    long = 0.3
    shape = kg.capsule(0.03, long - 0.06, pose=Pose((0, 0, -long / 2)), friction=0.3)
    body = kg.inertia.box(1.0, (0.05, 0.05, long))
    links = [Link(name, 1.0, (0, 0, -long / 2), body, shapes=[shape]) for name in "abc"]
    joints = [
        Joint("float", "free", "world", "a"),
        Joint("one", "spherical", "a", "b", Pose((0, 0, -long))),
        Joint("two", "spherical", "b", "c", Pose((0, 0, -long))),
    ]
    return Mechanism("flail", links, joints, shapes=[kg.plane(friction=0.3)])


@pytest.mark.parametrize("seed", [13, 36, 61, 154])
def test_a_flail_that_slams_the_ground_gains_no_energy(seed: int) -> None:
    """What the ground's forces take while links turn on is taken from what a coast keeps (0.02 to 0.7 in one step)."""
    model, rng = kg.compile(flail()), np.random.default_rng(seed)
    q = model.integrate(model.neutral(), rng.normal(size=model.nv))
    q[2] = 0.8
    v = rng.normal(size=model.nv) * np.repeat((1.0, 30.0), (3, model.nv - 3))
    energy = kg.Simulator(model, q=q, v=v, dt=2e-3).run(1.0).energy.sum(axis=1)
    assert np.diff(energy).max() < 0.005 * energy[0] and energy.max() < 1.001 * energy[0]
    assert energy[-1] < 0.9 * energy[0]  # it struck
