"""Simulated motion: conservation laws, orders of convergence, exact solutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ellipj

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Link, Mechanism
from kinegen.runtime import Simulator
from support.mechanisms import unit_mass
from support.mechanisms.moving_models import body, floating, links, slider, spherical_chain, thrown

# ---- Conservation and convergence


@pytest.mark.parametrize("model", [spherical_chain, lambda: floating(-9.81)])
def test_energy_drift_of_rk4_falls_with_the_fourth_power(model: Any) -> None:
    model = model()
    drifts = []
    for dt in (8e-3, 4e-3, 2e-3):
        energy = Simulator(model, dt=dt, integrator="rk4", **thrown(model)).run(1.6).energy.sum(axis=1)
        drifts.append(np.abs(energy - energy[0]).max())
    orders = np.log2(np.array(drifts[:-1]) / drifts[1:])
    assert orders.min() > 3.6, drifts


@pytest.mark.parametrize(
    "integrator, order, longest", [("semi_implicit", 1, 2e-2), ("semi_implicit", 1, 2.5e-3), ("rk4", 4, 1e-2)]
)
def test_states_converge_with_the_order_of_the_method(integrator: str, order: int, longest: float) -> None:
    """Semi-implicit Euler where links turn fast in a step, and where they do not."""
    model = floating(-9.81)
    start = thrown(model, seed=1)
    reference = Simulator(model, dt=1e-4, integrator="rk4", **start)
    reference.step(5000)
    errors = []
    for dt in (longest, longest / 2, longest / 4):
        simulator = Simulator(model, dt=dt, integrator=integrator, **start)
        simulator.step(round(0.5 / dt))
        errors.append(
            np.abs(model.difference(reference.q, simulator.q)).max() + np.abs(reference.v - simulator.v).max()
        )
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert abs(orders[-1] - order) < 0.35, (errors, orders)


def test_momentum_of_a_floating_figure_is_constant() -> None:
    model = floating()
    momentum = Simulator(model, dt=2.5e-4, integrator="rk4", **thrown(model)).run(1.0, every=20).momentum
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(momentum), 1)), atol=1e-10)


def test_momentum_changes_by_gravity_alone() -> None:
    model = floating(-9.81)
    mass = sum(link.mass for link in links(5))
    trajectory = Simulator(model, dt=2.5e-4, integrator="rk4", **thrown(model)).run(0.5, every=100)
    expected = trajectory.momentum[0] + np.outer(trajectory.t, [0.0, 0.0, -9.81 * mass, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(trajectory.momentum, expected, atol=1e-9)


# ---- Exact solutions


def test_free_body_against_jacobi_elliptic_functions() -> None:
    a, b, c = 0.5, 0.8, 1.2  # principal moments, a < b < c
    w1, w3 = 0.4, 1.5
    # [Landau §37], for M^2 > 2 E b, from w2 = 0
    energy2, momentum2 = a * w1**2 + c * w3**2, (a * w1) ** 2 + (c * w3) ** 2
    assert momentum2 > energy2 * b
    rate = np.sqrt((c - b) * (momentum2 - energy2 * a) / (a * b * c))
    m = (b - a) * (energy2 * c - momentum2) / ((c - b) * (momentum2 - energy2 * a))
    trajectory = Simulator(body(a, b, c), dt=1e-3, integrator="rk4", v=[0, 0, 0, w1, 0, w3]).run(10.0, every=50)
    sn, cn, dn, _ = ellipj(rate * trajectory.t, m)
    first = np.sqrt((energy2 * c - momentum2) / (a * (c - a)))
    second = np.sqrt((energy2 * c - momentum2) / (b * (c - b)))
    third = np.sqrt((momentum2 - energy2 * a) / (c * (c - a)))
    expected = np.stack([first * cn, second * sn, third * dn], axis=1)
    if abs(trajectory.v[1, 4] + expected[1, 1]) < abs(trajectory.v[1, 4] - expected[1, 1]):
        expected[:, 1] *= -1.0  # the formulas leave the sense of w2 open
    np.testing.assert_allclose(trajectory.v[:, 3:], expected, atol=1e-10)


def test_symmetric_top_keeps_its_attitude_in_closed_form() -> None:
    a, c, w1, w3 = 0.6, 0.9, 0.7, 2.0
    trajectory = Simulator(body(a, a, c), dt=1e-3, integrator="rk4", v=[0.3, 0, 0, w1, 0, w3]).run(5.0, every=100)
    # R(t) = exp(t L/a) exp(t (1 - c/a) w3 e3): precession about the momentum L, spin about the axis of the figure
    momentum = np.array([a * w1, 0.0, c * w3])
    for t, q in zip(trajectory.t, trajectory.q, strict=True):
        expected = quaternion_product(
            quaternion(t * momentum / a), quaternion(np.array([0.0, 0.0, t * (1 - c / a) * w3]))
        )
        assert abs(q[3:] @ expected) == pytest.approx(1.0, abs=1e-12)
        np.testing.assert_allclose(q[3:] * np.sign(q[3:] @ expected), expected, atol=1e-9)
        np.testing.assert_allclose(q[:3], [0.3 * t, 0.0, 0.0], atol=1e-10)


def quaternion(rotation: np.ndarray) -> np.ndarray:
    """(4) [x y z w] of a rotation vector."""
    angle = np.linalg.norm(rotation)
    if angle == 0.0:
        return np.array([0.0, 0.0, 0.0, 1.0])
    return np.array([*(np.sin(angle / 2) / angle * rotation), np.cos(angle / 2)])


def quaternion_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([*(a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])), a[3] * b[3] - a[:3] @ b[:3]])


@pytest.mark.parametrize("integrator, tolerance", [("semi_implicit", 5e-3), ("rk4", 1e-10)])
def test_damped_spring_against_its_closed_form(integrator: str, tolerance: float) -> None:
    k, c, x0 = 40.0, 1.2, 0.7
    model = slider(stiffness=k, damping=c, rest=0.2)
    trajectory = Simulator(model, dt=1e-3, integrator=integrator, q=[x0]).run(3.0)
    decay, rate = c / 2, np.sqrt(k - c * c / 4)
    t = trajectory.t
    expected = 0.2 + (x0 - 0.2) * np.exp(-decay * t) * (np.cos(rate * t) + decay / rate * np.sin(rate * t))
    np.testing.assert_allclose(trajectory.q[:, 0], expected, atol=tolerance)


def test_a_spring_keeps_its_energy_under_semi_implicit_euler() -> None:
    model = slider(stiffness=100.0)
    trajectory = Simulator(model, dt=1e-3, q=[1.0]).run(200.0, every=100)
    energy = 0.5 * trajectory.v[:, 0] ** 2 + 50.0 * trajectory.q[:, 0] ** 2
    assert np.abs(energy / energy[0] - 1.0).max() < 0.011  # dt/2 sqrt(k/m), and no trend:
    assert abs(energy[:200].mean() - energy[-200:].mean()) < 1e-3 * energy[0]


@pytest.mark.parametrize("damping", [1e3, 1e6, 1e9])
def test_strong_dampers_are_stable_under_semi_implicit_euler(damping: float) -> None:
    trajectory = Simulator(slider(damping=damping), dt=1e-2, v=[1.0]).run(1.0)
    speed = np.abs(trajectory.v[:, 0])
    assert (np.diff(speed) <= 0.0).all() and speed[1] <= 1.0 / (1.0 + 1e-2 * damping) * 1.0001


def test_dry_friction_stops_and_holds() -> None:
    model = slider(friction=2.0)
    trajectory = Simulator(model, dt=1e-3, v=[1.0]).run(1.0)
    assert trajectory.q[-1, 0] == pytest.approx(1.0 / (2 * 2.0), abs=3e-3)  # v^2 / (2 friction/m)
    assert abs(trajectory.v[-1, 0]) < 1e-9
    assert (np.diff(np.abs(trajectory.v[:, 0])) <= 1e-15).all()
    held = Simulator(model, dt=1e-3, tau=[1.0])
    held.step(2000)
    assert 0.0 < held.v[0] < 1e-3  # below the friction it creeps at less than the slip speed
    pulled = Simulator(model, dt=1e-3, tau=[3.0])
    pulled.step(1000)
    assert pulled.v[0] == pytest.approx(1.0, abs=2e-2)  # implicit friction lags one step behind


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_passive_forces_act_as_torques_would(integrator: str) -> None:
    options = {"damping": 0.3, "stiffness": 2.0}
    kinds = ("spherical", "revolute", "planar")
    passive = kg.compile(unit_mass.chain(kinds, **options))
    plain = kg.compile(unit_mass.chain(kinds))
    start = thrown(plain, seed=4, speed=0.5)
    first = Simulator(passive, dt=1e-4, integrator=integrator, **start)
    second = Simulator(plain, dt=1e-4, integrator=integrator, **start, tau=lambda t, q, v: passive.passive_forces(q, v))
    first.step(500)
    second.step(500)
    np.testing.assert_allclose(first.q, second.q, atol=2e-5)
    np.testing.assert_allclose(first.v, second.v, atol=2e-4)


def test_a_spinning_body_flies_straight_under_semi_implicit_euler() -> None:
    model = body(0.5, 0.8, 1.2)
    trajectory = Simulator(model, dt=1e-2, v=[3.0, -1.0, 2.0, 4.0, 0.0, 1.0]).run(5.0)
    np.testing.assert_allclose(trajectory.q[:, :3], np.outer(trajectory.t, [3.0, -1.0, 2.0]), atol=1e-12)
    np.testing.assert_allclose(trajectory.momentum[:, :3], np.tile([6.0, -2.0, 4.0], (501, 1)), atol=1e-12)


def test_a_sliding_disc_flies_straight_under_semi_implicit_euler() -> None:
    link = Link("disc", 2.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.2))
    model = kg.compile(Mechanism("disc", [link], [Joint("plane", "planar", "world", "disc")]))
    trajectory = Simulator(model, dt=1e-2, v=[3.0, -1.0, 7.0]).run(5.0)
    np.testing.assert_allclose(trajectory.q[:, :2], np.outer(trajectory.t, [3.0, -1.0]), atol=1e-12)
    np.testing.assert_allclose(trajectory.q[-1, 2:], [np.cos(35.0), np.sin(35.0)], atol=1e-12)


def test_the_last_state_has_the_torques_of_the_step_that_ended_there() -> None:
    """No step starts from it; as `Trajectory` tells. Zero where no step was made."""
    counted = Simulator(slider(), tau=lambda t, q, v: np.array([round(1000.0 * t)]), dt=1e-3)
    assert counted.run(0.010, every=4).tau[:, 0].tolist() == [0.0, 4.0, 8.0, 9.0]
    assert counted.run(0.002).tau[:, 0].tolist() == [10.0, 11.0, 11.0]
    assert counted.run(0.0).tau.tolist() == [[0.0]]
