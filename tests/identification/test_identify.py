"""Parameters from measured torques: what made them comes back, bodies stay possible, poor motions are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.identification.bodies import pseudo_inertia, triangle_rows
from support.mechanisms.arms import STAUBLI_RX90, arm

EXAMPLES = Path(__file__).parents[2] / "examples"


def measured(model: kg.Model, n: int, noise: float, seed: int = 0, **joints: np.ndarray) -> kg.TorqueRecord:
    """Random states; torques with damping and friction, and noise [N m]."""
    rng = np.random.default_rng(seed)
    q, v, a = rng.normal(size=(3, n, model.nv)) * np.array([1.5, 2.0, 6.0])[:, None, None]
    tau = model.inverse_dynamics(q, v, a) + joints.get("damping", 0.0) * v
    tau = tau + joints.get("friction", 0.0) * v / np.sqrt(v**2 + 1e-6)
    return kg.TorqueRecord(q, v, a, tau + noise * rng.normal(size=tau.shape))


@pytest.mark.parametrize("physical", [True, False])
def test_an_arm_is_found_again(physical: bool) -> None:
    """From a wrong description: base parameters within a few of their standard deviations, torques as good as noise."""
    truth, described = arm("rx90", STAUBLI_RX90), arm("rx90", STAUBLI_RX90, seed=1)
    open_arm = kg.parametrise(described, "mass, com, inertia of *", "damping, friction of *")
    model = kg.compile(open_arm, contacts=False)
    values = {p.name: p.value for p in kg.parametrise(truth, "mass, com, inertia of *").parameters}
    real = model.with_parameters(values)
    damping, friction = np.linspace(0.1, 0.6, 6), np.linspace(0.3, 0.05, 6)
    record = measured(real, 600, 0.05, damping=damping, friction=friction)
    found = kg.identify(model, record, physical=physical)
    off = found.base.values(found.parameters) - found.base.values(real.inertial_parameters())
    assert np.abs(off / found.deviations).max() < 5.0
    assert np.allclose(found.residual, 0.05, rtol=0.1) and found.condition < 30.0
    assert np.allclose(found.damping, damping, atol=0.02) and np.allclose(found.friction, friction, atol=0.03)
    assert found.possible or not physical
    new = measured(real, 50, 0.0, seed=9)
    told = found.of(model).inverse_dynamics(new.q, new.v, new.a)
    assert (
        np.abs(told - new.tau).max() < 0.05 < 1.0 < np.abs(model.inverse_dynamics(new.q, new.v, new.a) - new.tau).max()
    )


def test_bodies_are_possible_only_if_asked() -> None:
    """A short and noisy record: plain least squares gives a link that nothing can be, the cone program does not."""
    model = kg.compile(EXAMPLES / "double_pendulum.urdf")
    record = measured(model, 40, 1.0)
    free, held = (kg.identify(model, record, physical=physical) for physical in (False, True))
    assert not free.possible and held.possible
    masses = [held.link(name)[0] for name in model.link_names]
    assert min(masses) >= 0.0 and held.residual.mean() < 1.3
    with pytest.raises(kg.ModelError, match="no link 'uper'; there is: upper, lower"):
        held.link("uper")


def test_a_four_bar_by_its_motor() -> None:
    model = kg.compile(EXAMPLES / "fourbar.toml", contacts=False)
    rng = np.random.default_rng(3)
    q = model.random(rng, size=60)
    v, a = model.dependent_motion(q, *rng.normal(0.0, 3.0, size=(2, 60, model.nv)))
    record = kg.TorqueRecord(q, v, a, model.actuator_torques(q, v, a))
    found = kg.identify(model, record, damping=False, friction=False)
    truth = found.base.values(model.inertial_parameters())
    assert np.allclose(found.base.values(found.parameters), truth, rtol=0.0, atol=1e-6)


def test_a_trajectory_is_a_record() -> None:
    """Torques of a simulated pendulum that is driven hard: accelerations are derivatives of its velocities."""
    model = kg.compile(EXAMPLES / "double_pendulum.urdf")

    def drive(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array([9.0 * np.sin(2.1 * t) - 2.0 * v[0], 4.0 * np.cos(3.3 * t) - 0.5 * v[1]])

    trajectory = kg.Simulator(model, dt=1e-3, integrator="rk4", q=[0.5, -0.4], tau=drive, limits=False).run(6.0)
    found = kg.identify(model, trajectory, damping=False, friction=False)
    truth = found.base.values(model.inertial_parameters())
    assert np.allclose(found.base.values(found.parameters), truth, rtol=0.0, atol=0.02)


@pytest.fixture(scope="module")
def sprung() -> tuple[kg.Model, np.ndarray]:
    """Two hinges with springs and dampers, and a constant torque at the upper one."""
    described = kg.load(EXAMPLES / "double_pendulum.urdf")
    joints = [replace(joint, damping=0.5, stiffness=40.0, rest=0.2) for joint in described.joints]
    return kg.compile(replace(described, joints=joints)), np.array([3.0, 0.0])


def test_springs_are_those_of_the_description(sprung: tuple[kg.Model, np.ndarray]) -> None:
    model, _ = sprung
    record = measured(model, 100, 0.0, damping=np.array([0.4, 0.3]))
    record = replace(record, tau=record.tau - model.passive_forces(record.q, np.zeros((100, 2))))
    found = kg.identify(model, record)
    assert np.allclose(found.base.values(found.parameters), found.base.values(model.inertial_parameters()), atol=1e-4)
    assert np.allclose(found.damping, [0.4, 0.3], atol=1e-4)


def test_trajectories_that_something_else_pushed_are_refused(sprung: tuple[kg.Model, np.ndarray]) -> None:
    """With the wrench's torques added the same motion is a record."""
    model, push = sprung
    wrench = {"lower": [10.0, 0.0, 5.0, 0.0, 3.0, 0.0]}
    run = kg.Simulator(model, integrator="rk4", q=[0.3, -0.5], tau=push, wrenches=wrench, limits=False).run(4.0)
    with pytest.raises(kg.ModelError, match=r"record 0: by .* model its joints alone do not make .* TorqueRecord\(q"):
        kg.identify(model, run)
    a = np.gradient(run.v, run.t, axis=0)
    tau = run.tau + np.einsum("kij,i->kj", model.frame_jacobian(run.q, "lower"), wrench["lower"])
    found = kg.identify(model, kg.TorqueRecord(run.q[2:-2], run.v[2:-2], a[2:-2], tau[2:-2]))
    assert np.allclose(found.damping, 0.5, atol=0.01) and found.residual.max() < 0.01
    free = kg.Simulator(model, integrator="rk4", q=[0.3, -0.5], tau=push, limits=False).run(4.0)
    assert np.allclose(kg.identify(model, free).damping, 0.5, atol=0.01)


def test_poor_and_wrong_records_are_told() -> None:
    model = kg.compile(EXAMPLES / "double_pendulum.urdf")
    q = np.tile([[0.3, 0.2]], (50, 1))
    with pytest.warns(kg.ExcitationWarning, match="these motions do not tell .*Iyy_lower"):
        kg.identify(model, kg.TorqueRecord(q, 0 * q, 0 * q, model.gravity(q)))
    for record, said in (
        (kg.TorqueRecord(q[:2], q[:2], q[:2], q[:2]), "2 samples of 2 torques do not tell 6 base parameters"),
        (kg.TorqueRecord(q, q[:4], q, q), r"record 0: v: expected shape \(50, 2\), got \(4, 2\)"),
        ([], "expected TorqueRecord or Trajectory"),
        ([q], "record 0: expected a TorqueRecord or a Trajectory"),
    ):
        with pytest.raises(kg.ModelError, match=said):
            kg.identify(model, record)
    for weights, k in (([0.0, 1.0], 0), ([1.0, -1.0], 1)):
        with pytest.raises(kg.ModelError, match=f"weights: expected positive numbers, got .* for torque {k}"):
            kg.identify(model, kg.TorqueRecord(q, q, q, q), weights=weights)


def test_the_cone_is_that_of_bodies() -> None:
    """Of point masses the pseudo-inertia is Σ m [r; 1][r; 1]ᵀ; the solver's triangle has its norm."""
    rng = np.random.default_rng(0)
    r, m = rng.normal(size=(5, 3)), rng.uniform(0.1, 1.0, 5)
    points = np.hstack([r, np.ones((5, 1))])
    J = np.einsum("k,ki,kj->ij", m, points, points)
    I = np.einsum("k,kij->ij", m, (r**2).sum(1)[:, None, None] * np.eye(3) - r[:, :, None] * r[:, None])  # noqa: E741
    pi = np.array([m.sum(), *(m @ r), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])
    assert np.allclose(pseudo_inertia(pi), J)
    assert np.linalg.norm(triangle_rows() @ pi) == pytest.approx(np.linalg.norm(J))
