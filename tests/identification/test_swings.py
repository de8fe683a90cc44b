"""Motions without torque, all or in part: bodies stay as described, dampers are found by them, and that is told.
And runs of closed mechanisms, which are records with the torques of all their joints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

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


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit"])
def test_a_swing_without_dampers_leaves_bodies_exactly_as_described(integrator: str) -> None:
    """What is left of its equations is rounding, or the error of the step: no body is found by either."""
    model = kg.compile(Path(__file__).parents[2] / "examples" / "double_pendulum.urdf")
    run = kg.Simulator(model, q=[0.3, 0.2], integrator=integrator, limits=False).run(3.0)
    with pytest.warns(kg.ExcitationWarning, match="mx_upper.*let motors move the joints"):
        found = kg.identify(model, run, rotors=True)
    assert np.array_equal(found.parameters, model.inertial_parameters())
    assert np.array_equal(found.rotors, model.rotor_inertias())
    assert np.allclose([found.damping, found.friction], 0.0, atol=1e-2)


def test_a_body_in_flight_tells_nothing() -> None:
    body = kg.Link("body", 2.0, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.25]))
    model = kg.compile(kg.Mechanism("thrown", [body], [kg.Joint("fly", "free", "world", "body")]))
    run = kg.Simulator(model, v=[1.0, 2.0, 3.0, 1.0, 2.0, 3.0], integrator="rk4").run(1.0)
    a = np.gradient(run.v, run.t, axis=0)
    with pytest.warns(kg.ExcitationWarning, match="these motions do not tell m_body"):
        found = kg.identify(model, kg.TorqueRecord(run.q, run.v, a, 0.0 * a))
    assert np.allclose(found.parameters, model.inertial_parameters(), atol=1e-5) and np.isinf(found.deviations).all()


@pytest.fixture(scope="module")
def fourbar() -> kg.Mechanism:
    return kg.load(Path(__file__).parents[2] / "examples" / "fourbar.toml")


@pytest.mark.parametrize(("leads", "integrator"), [("drive", "rk4"), ("knee", "rk4"), ("drive", "semi_implicit")])
def test_a_run_of_a_closed_mechanism_is_a_record(fourbar: kg.Mechanism, leads: str, integrator: str) -> None:
    """Torques of all its joints count, also of one that closes the loop and of one without an actuator."""
    model = kg.compile(fourbar)
    driven = {"drive": 1.0, "knee": 0.1, "close": 0.4}
    run = kg.Simulator(model, tau=driven, integrator=integrator).run(3.0)
    found = kg.identify(model.with_independent([leads]), run)
    truth = found.base.values(model.inertial_parameters())
    assert np.allclose(found.base.values(found.parameters), truth, rtol=0.0, atol=1e-8 if integrator == "rk4" else 0.01)
    assert found.residual.max() < (1e-8 if integrator == "rk4" else 0.03)


def test_runs_of_closed_mechanisms_that_torques_do_not_tell_of_are_refused(fourbar: kg.Mechanism) -> None:
    """Pushed by a wrench, or with other loops than the model that is identified."""
    model = kg.compile(fourbar)
    run = kg.Simulator(model, tau={"drive": 1.0}, wrenches={"coupler": [3.0, 0, 4.0, 0, 0, 0]}).run(1.0)
    with pytest.raises(kg.ModelError, match=r"record 0: by .* model its joints alone do not make .* TorqueRecord\(q"):
        kg.identify(model, run)
    tie = kg.Connection("tie", "world", "coupler", kg.planar(actuated=True))
    sim = kg.Simulator(kg.TopologyLibrary(fourbar, [tie]), tau={"drive": 1.0, "close": 0.4})
    sim.at(2.1, "connect", "tie")
    before = sim.model
    first, second = sim.run(2.0), sim.run(0.2)
    for known in (model, before):
        assert kg.identify(known, first).residual.max() < 0.03
        with pytest.raises(kg.ModelError, match=r"record 1: it moved with other loops .* \(tie\): give parts of"):
            kg.identify(known, [first, second])
