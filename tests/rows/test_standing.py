"""Feet that stand stay where they are while servos move what is above them, by Runge-Kutta too."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from support.contact.standing import START, stander

TURN = 0.4
"""By which the body swings about the vertical [rad], once a second."""


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_a_foot_does_not_creep_below_a_body_that_servos_swing(integrator: str) -> None:
    """Servos jump from target to target, once a step, so that forces at its beginning are not those of its stages: the
    foot would turn by 0.5 degrees in the first second."""
    model, dt = stander(), 1e-3
    t = dt * np.arange(2000)
    target = np.zeros((len(t), 3))
    target[:, 0] = TURN * np.sin(2.0 * np.pi * t) * (1.0 - np.exp(-5.0 * t))
    servos = {"hip": kg.Servo(5000.0, 100.0, target, np.gradient(target, dt, axis=0))}
    sim = kg.Simulator(model, dt=dt, integrator=integrator, q=START, servos=servos)
    run = sim.run(t[-1])
    pose = model.frame_pose(run.q, "foot")
    assert np.ptp(run.q[:, 7]) > 1.9 * TURN * 0.9  # the body does swing
    assert np.degrees(np.abs(np.arctan2(pose[:, 1, 0], pose[:, 0, 0])).max()) < 2e-3
    assert np.linalg.norm(pose[:, :3, 3] - pose[0, :3, 3], axis=1).max() < 1e-5
    # What is told of the floor is what moved the body: its impulse is the momentum that there is.
    assert run.contacts is not None
    floor = run.contacts.force("foot")[:-1].sum(axis=0) * dt
    weight = model.total_mass() * model.gravity_acceleration() * run.t[-1]
    gained = model.momentum(run.q[-1], run.v[-1])[:3] - model.momentum(run.q[0], run.v[0])[:3]
    np.testing.assert_allclose(floor + weight, gained, atol=1e-3)
