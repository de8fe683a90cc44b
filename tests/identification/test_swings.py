"""Motions without torque, all or in part: bodies stay as described, dampers are found by them, and that is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinegen as kg


def hinges(mass: float) -> kg.Model:
    """Two clubs beside each other, each on a damped hinge at world."""
    I = mass * np.diag([0.08, 0.08, 0.02])  # noqa: E741
    links = [kg.Link(name, mass, (0.0, 0.0, -0.5), I) for name in ("left", "right")]
    joints = [kg.Joint(f"{x.name}_hinge", "revolute", "world", x.name, axis=(0, 1, 0), damping=0.05) for x in links]
    return kg.compile(kg.Mechanism("hinges", links, joints))


@pytest.fixture(scope="module")
def swing() -> kg.TorqueRecord:
    """The left club swings out by itself, the right one is driven."""
    model = hinges(1.0)

    def drive(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array([0.0, 5.0 * np.sin(3.0 * t)])

    run = kg.Simulator(model, q=[1.0, 0.2], tau=drive, integrator="rk4").run(3.0)
    a = model.forward_dynamics(run.q, run.v, run.tau + model.passive_forces(run.q, run.v))
    return kg.TorqueRecord(run.q, run.v, a, run.tau)


@pytest.mark.parametrize("noise", [(0.0, 0.0), (0.01, 0.0), (0.3, 0.0), (0.0, 0.1), (0.1, 0.1)])
def test_swings_without_torque_leave_bodies_as_described(swing: kg.TorqueRecord, noise: tuple[float, float]) -> None:
    """With noise in accelerations and torques. Of twice the mass and the damper there is the same motion: the left
    club's is what the description says, whatever that is, and its damper goes with it; the right one is found."""
    more, push = np.random.default_rng(4).normal(size=(2, *np.shape(swing.tau))) * np.reshape(noise, (2, 1, 1))
    noisy = replace(swing, a=swing.a + more, tau=swing.tau + push)
    for mass in (1.0, 2.0):
        described = hinges(mass)
        with pytest.warns(kg.ExcitationWarning, match="these motions do not tell mx_left, mz_left, Iyy_left"):
            found = kg.identify(described, noisy, friction=False)
        off = found.parameters.reshape(2, 10) - described.inertial_parameters().reshape(2, 10)
        assert np.allclose(off[0], 0.0, atol=1e-4) and found.condition == np.inf
        assert np.allclose(found.damping, [0.05 * mass, 0.05], rtol=0.1)
        assert found.parameters[13] == pytest.approx(-0.5, abs=0.02)
        assert np.isinf(found.deviations[:3]).all() and (found.deviations[3:] < 0.01).all()


def test_dampers_that_are_known_tell_masses_of_a_swing(swing: kg.TorqueRecord) -> None:
    """Nothing is lost, for what they give is as good as a torque of a motor."""
    found = kg.identify(hinges(2.0), swing, damping=False, friction=False)
    assert np.allclose(found.parameters[[3, 13]], -0.5, atol=1e-3) and found.condition < 100.0
    assert np.allclose(found.parameters[[6, 16]], 0.33, atol=1e-3)


def test_a_default_simulation_that_swings_out_is_told_to_tell_no_masses() -> None:
    """Its accelerations are off by the order of the step: nothing at all fitted best, and counted as well known."""
    model = hinges(1.0)
    with pytest.warns(kg.ExcitationWarning, match="mz_left, Iyy_left.*let motors move the joints"):
        found = kg.identify(model, kg.Simulator(model, q=[1.0, -0.7]).run(3.0))
    assert np.allclose(found.parameters, model.inertial_parameters(), atol=1e-5)
    assert np.allclose(found.damping, 0.05, atol=0.005) and np.isinf(found.deviations).all()


def test_a_body_in_flight_tells_nothing() -> None:
    body = kg.Link("body", 2.0, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.25]))
    model = kg.compile(kg.Mechanism("thrown", [body], [kg.Joint("fly", "free", "world", "body")]))
    run = kg.Simulator(model, v=[1.0, 2.0, 3.0, 1.0, 2.0, 3.0], integrator="rk4").run(1.0)
    a = np.gradient(run.v, run.t, axis=0)
    with pytest.warns(kg.ExcitationWarning, match="these motions do not tell m_body"):
        found = kg.identify(model, kg.TorqueRecord(run.q, run.v, a, 0.0 * a))
    assert np.allclose(found.parameters, model.inertial_parameters(), atol=1e-5) and np.isinf(found.deviations).all()
