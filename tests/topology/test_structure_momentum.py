"""Free systems keep their momentum while structures hold: to rounding by Runge-Kutta, to first order by Euler."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import kinegen as kg
from support.oracles.mechanisms import random_state
from support.switching import library

HELD = (("spherical8", "revolute1"), ("fixed0",), ("helical4", "again1"))
SELDOM = ("fixed0",)
"""Left to the sweep."""
SECONDS = 10.0


def drift(active, seed, integrator, dt):
    """Largest change of (linear less m g t, angular about the centre of mass) in 10 s, beside its size."""
    lib, rng = library("float"), np.random.default_rng(seed)
    q, v, _, _ = random_state(lib.topologies.mechanism, rng)
    sim = kg.Simulator(lib, q=q, v=0.5 * v, integrator=integrator, dt=dt, active=set(active), limits=False)
    trajectory = sim.run(SECONDS, every=round(0.05 / dt))
    mass = sum(float(link.mass) for link in lib.mechanism.links)
    fallen = np.zeros((len(trajectory), 6))
    fallen[:, :3] = mass * trajectory.t[:, None] * np.array(lib.mechanism.gravity, dtype=float)
    kept = trajectory.momentum - fallen
    assert sim.gap <= 1e-10
    return np.abs(kept - kept[0]).max(), np.abs(kept[0]).max()


@pytest.mark.parametrize(
    "active",
    [pytest.param(held, id="+".join(held), marks=pytest.mark.sweep if held == SELDOM else ()) for held in HELD],
)
def test_runge_kutta_keeps_momentum(active):
    lost, size = drift(active, 2, "rk4", 1e-3)
    assert lost < 1e-9 * size


def test_euler_keeps_it_to_first_order():
    """Nothing but the method's error: half of it at half the step."""
    (coarse, size), (fine, _) = (drift(("fixed0",), 2, "semi_implicit", dt) for dt in (1e-3, 5e-4))
    assert coarse < 5e-3 * size
    assert 1.8 < coarse / fine < 2.2


def test_quaternions_of_a_connection_go_on_from_row_to_row() -> None:
    lib, rng = library("float"), np.random.default_rng(2)
    q, v, _, _ = random_state(lib.topologies.mechanism, rng)
    sim = kg.Simulator(lib, q=q, v=3.0 * v, active={"spherical8"}, limits=False)
    at, _, _ = sim.run(3.0, every=5).joint("spherical8")
    assert np.abs(at[:, 3]).min() < 0.1  # it turns by more than half a turn
    assert np.abs(np.diff(at, axis=0)).max() < 0.2


def test_a_servo_that_comes_to_rest_does_not_lose_the_hold_of_its_loop() -> None:
    """What closing puts back at rest, 1e-12 m, is larger than the last motion, and blocks nothing."""
    ball, rod = kg.inertia.sphere(1.0, 0.1), kg.inertia.box(2.0, (0.6, 0.05, 0.05))
    links = [kg.Link("base", 1.0, inertia=ball), kg.Link("rod", 2.0, (0.3, 0.0, 0.0), rod)]
    slide = kg.Joint("slide", "prismatic", "world", "base", axis=(1, 0, 0))
    hinge = kg.Joint("hinge", "revolute", "base", "rod", axis=(0, 1, 0))
    library = kg.TopologyLibrary(kg.Mechanism("held_rod", links, [slide, hinge]), cuts=["hinge"])
    sim = kg.Simulator(library, servos={"hinge": kg.Servo(kp=1e4, kd=100.0)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(0.5)
    assert abs(sim.v).max() < 1e-10


@pytest.mark.parametrize("gap", [9e-4, 0.05])
def test_what_flies_alike_flies_on_where_a_gap_is_closed(gap: float) -> None:
    """Three boxes without motion against each other, of which two hold: the third is turned and set right, and what
    holds already follows. Nothing is lost, and nothing pushes from outside."""
    inertia = kg.inertia.box(1.0, (0.5, 0.1, 0.1))
    free = [kg.Joint(f"free_{name}", "free", "world", name) for name in "abc"]
    mech = kg.Mechanism("flyers", [kg.Link(n, 1.0, inertia=inertia) for n in "abc"], free, gravity=(0, 0, 0))
    right, left = kg.Pose((0.3, 0, 0)), kg.Pose((-0.3, 0, 0))
    hinge = kg.Connection("hinge", "a", "b", kg.revolute(axis=(0, 0, 1)), right, left)
    lib = kg.TopologyLibrary(mech, [hinge, kg.Connection("weld", "b", "c", kg.fixed(), right, left)])
    model = lib.model
    c, s = np.cos(gap), np.sin(gap)
    q = np.array(
        [0, 0, 0, 0, 0, 0, 1, 0.6, 0, 0, 0, 0, 0, 1, 0.9 + 0.3 * c, 0.3 * s, 0, 0, 0, np.sin(gap / 2), np.cos(gap / 2)]
    )
    v = np.array([10.0, 2, 0, 0, 0, 0] * 2 + [10 * c + 2 * s, 2 * c - 10 * s, 0, 0, 0, 0])
    sim = kg.Simulator(lib, q=q, v=v, active={"hinge"})
    sim.connect("weld", tolerance=0.1)
    momentum = sum(model.frame_jacobian(sim.q, name)[:3] @ sim.v for name in "abc")
    np.testing.assert_allclose(
        momentum, [30.0, 6.0, 0.0], atol=1e-9
    )  # [29.99, 6.16, 0] if a link's velocity turned with it
    assert abs(sim.v @ model.mass_matrix(sim.q) @ sim.v - 312.0) < 1e-9
