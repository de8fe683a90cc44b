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


@pytest.mark.parametrize("sought", [True, False])
def test_a_four_bar_by_its_motor(sought: bool) -> None:
    """A damper and dry friction of the joint that closes the loop, whose axes are parallel, count as described. Its
    links are ideal rods, the last that bodies can be; what torques do not tell of them stays near the description."""
    described = kg.load(EXAMPLES / "fourbar.toml")
    joints = [replace(j, damping=0.3, friction=0.2) if j.name == "close" else j for j in described.joints]
    model = kg.compile(
        kg.parametrise(replace(described, joints=joints), "damping of close", "damping of drive"), contacts=False
    )
    rng = np.random.default_rng(3)
    q = model.random(rng, size=60)
    v, a = model.dependent_motion(q, *rng.normal(0.0, 3.0, size=(2, 60, model.nv)))
    rate = v[:, 0] + v[:, 1] - v[:, 2]
    force = 0.3 * rate + 0.2 * rate / np.sqrt(rate**2 + 1e-6)
    held = np.einsum("nvf,v,n->nf", model.W(q), [1.0, 1.0, -1.0], force) + 0.4 * v[:, :1] * sought
    record = kg.TorqueRecord(q, v, a, model.actuator_torques(q, v, a) + held)
    found = kg.identify(model, record, damping=sought, friction=sought)
    truth = found.base.values(model.inertial_parameters())
    assert np.allclose(found.base.values(found.parameters), truth, rtol=0.0, atol=1e-10)
    assert np.allclose(found.damping, [0.4 * sought, 0.0, 0.0], atol=1e-10) and np.abs(found.friction).max() < 1e-10
    assert found.possible and found.residual.max() < 1e-10
    assert np.allclose(found.parameters, model.inertial_parameters(), rtol=0.0, atol=1e-3)
    made = found.of(model).parameters
    assert made["damping_close"] == 0.3 and made["damping_drive"] == found.damping[0]


@pytest.fixture(scope="module")
def gripper() -> kg.Model:
    """A body that flies, with dampers, and a finger that another follows at twice its angle."""
    I = np.diag([0.03, 0.04, 0.02])  # noqa: E741
    links = [kg.Link(name, 1.0, (0.1, 0.05, -0.4), I) for name in ("palm", "one", "other")]
    joints = [
        kg.Joint("fly", "free", "world", "palm", damping=0.7),
        kg.Joint("lead", "revolute", "palm", "one", axis=(0, 1, 0), damping=0.9, friction=0.3, armature=0.05),
        kg.Joint("follow", "revolute", "one", "other", kg.Pose((0, 0, -0.8)), axis=(0, 1, 0),
                 mimic=kg.Mimic("lead", 2.0), damping=0.4, friction=0.1, armature=0.1),
    ]  # fmt: skip
    return kg.compile(kg.parametrise(kg.Mechanism("gripper", links, joints), "damping, friction, armature of *"))


@pytest.mark.parametrize("sought", [True, False])
def test_followers_and_free_joints_stay_as_described(gripper: kg.Model, sought: bool) -> None:
    """Torques with dampers and friction by hand: leaders are found with their followers', and have the rest in `of`."""
    rng = np.random.default_rng(0)
    q = gripper.random(rng, size=100)
    v, a = rng.normal(size=(2, 100, gripper.nv)) * 3.0
    leads = 0.2 if sought else 0.9
    D, mu = np.append(np.full(6, 0.7), leads + 4.0 * 0.4), np.append(np.zeros(6), 0.3 + 2.0 * 0.1)
    tau = gripper.inverse_dynamics(q, v, a) + D * v + mu * v / np.sqrt(v**2 + 1e-6)
    found = kg.identify(gripper, kg.TorqueRecord(q, v, a, tau), damping=sought, friction=sought)
    assert np.allclose(found.damping, D, atol=1e-8) and np.allclose(found.friction, mu, atol=1e-8)
    assert found.rotors[6] == pytest.approx(0.05 + 4.0 * 0.1) and ("damping_lead" in found.values) == sought
    better = found.of(gripper)
    assert np.allclose(better.inverse_dynamics(q, v, a) - better.passive_forces(q, v), tau, atol=1e-8)
    assert better.parameters == pytest.approx(gripper.parameters | {"damping_lead": leads}, abs=1e-8)
    stay = set(better.parameters) - ({"damping_lead", "friction_lead"} if sought else set())
    assert all(better.parameters[name] == gripper.parameters[name] for name in stay)


@pytest.mark.parametrize(("name", "called"), [("arm-1", "arm_1"), ("θ", "theta"), ("臂", "u81c2")])
def test_what_is_found_is_set_also_where_names_are_no_identifiers(name: str, called: str) -> None:
    """Of a URDF file's "arm-1" the mass and the damper: the parameters are called as `parametrise` calls them."""
    links = [kg.Link(x, 2.0, (0, 0, -0.4), 0.1 * np.eye(3)) for x in (name, "a b", "a-b")]
    joints = [kg.Joint(x.name, "prismatic", "world", x.name, axis=(0, 0, 1)) for x in links]
    known = kg.parametrise(kg.Mechanism("m", links, joints), f"mass, damping of {name}")
    model = kg.compile(known)
    found = kg.identify(model, measured(model.with_parameters({f"mass_{called}": 3.0}), 100, 0.0, damping=0.3))
    assert found.of(model).parameters == pytest.approx({f"mass_{called}": 3.0, f"damping_{called}": 0.3}, rel=1e-6)
    assert found.values["damping_a b"] == pytest.approx(0.3) and found.values["damping_a-b"] == pytest.approx(0.3)


def test_leaders_have_no_less_than_their_followers(gripper: kg.Model) -> None:
    """Where torques alone would say so; without limits on what joints have the model is refused by name."""
    rng = np.random.default_rng(0)
    q = gripper.random(rng, size=100)
    v, a = rng.normal(size=(2, 100, gripper.nv)) * 3.0
    tau = gripper.inverse_dynamics(q, v, a) + np.append(np.full(6, 0.7), 1.2) * v
    held = kg.identify(gripper, kg.TorqueRecord(q, v, a, tau))
    assert held.damping[6] == pytest.approx(1.6, abs=1e-6)
    assert held.of(gripper).parameters["damping_lead"] == pytest.approx(0.0, abs=1e-6)
    free = kg.identify(gripper, kg.TorqueRecord(q, v, a, tau), physical=False)
    assert free.damping[6] == pytest.approx(1.2, abs=1e-3)
    said = r"parameter damping_lead: 1.2 was found less the followers' 1.6, but .* negative: .* physical=True"
    with pytest.raises(kg.ModelError, match=said):
        free.of(gripper)
    apart = free.of(gripper.with_parameters(damping_follow=0.0, friction_follow=0.0))
    assert np.allclose(apart.inverse_dynamics(q, v, a) - apart.passive_forces(q, v), tau, atol=5e-3)


def test_joints_without_dampers_are_found_so_without_bounds() -> None:
    """Rounding leaves numbers about 0 of dampers, dry friction and rotors that are not there: of them `of` makes 0."""
    model = kg.compile(kg.parametrise(kg.load(EXAMPLES / "double_pendulum.urdf"), "damping, friction, armature of *"))
    for seed in range(3):
        found = kg.identify(model, measured(model, 90, 0.0, seed), rotors=True, physical=False)
        assert min(*found.rotors, *found.damping, *found.friction) < 0.0
        made = list(found.of(model).parameters.values())
        assert min(made) == 0.0 and max(made) < 1e-12
    against = measured(model, 90, 0.0, damping=np.array([0.0, -0.3]))
    with pytest.raises(kg.ModelError, match=r"parameter damping_elbow: -0.3 was found, but .* physical=True finds"):
        kg.identify(model, against, physical=False).of(model)


@pytest.mark.parametrize("weights", [None, [1.0, 1.0], [20.0, 20.0], [1.0, 1000.0]])
def test_deviations_are_those_of_the_noise_whatever_the_weights(weights: list[float] | None) -> None:
    """The covariance of weighted least squares by the noise that was added; and what was found scatters as far."""
    model, noise = kg.compile(EXAMPLES / "double_pendulum.urdf"), np.array([0.05, 0.02])
    record = measured(model, 300, 0.0)
    tau = record.tau + noise * np.random.default_rng(7).normal(size=(300, 2))
    found = kg.identify(model, replace(record, tau=tau), physical=False, friction=False, weights=weights)
    X = model.torque_regressor(record.q, record.v, record.a)[..., found.base.independent]
    X = np.concatenate([X, record.v[..., None] * np.eye(2)], axis=-1).reshape(600, -1)
    W = np.tile(1.0 / noise**2 if weights is None else np.square(weights), 300)
    P = np.linalg.solve(X.T @ (W[:, None] * X), X.T * W)
    wanted = np.sqrt((P**2) @ np.tile(noise**2, 300))[: len(found.base)]
    assert np.allclose(found.deviations, wanted, rtol=0.15)
    off = found.base.values(found.parameters) - found.base.values(model.inertial_parameters())
    assert np.abs(off / found.deviations).max() < 4.0


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


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_a_free_swing_is_a_record_beside_others(integrator: str) -> None:
    """Nothing moves it but gravity, against which the rest of what its joints should have given is rounding."""
    model = kg.compile(EXAMPLES / "double_pendulum.urdf")
    swing = kg.Simulator(model, q=[0.3, 0.2], integrator=integrator, limits=False).run(1.0)
    found = kg.identify(model, [measured(model, 300, 0.0), swing], damping=False, friction=False)
    truth = found.base.values(model.inertial_parameters())
    assert np.allclose(found.base.values(found.parameters), truth, rtol=0.0, atol=0.01)


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.1])
@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_of_a_swing_without_torque_the_size_is_that_of_the_description(integrator: str, noise: float) -> None:
    """Of the equations without torque nothing at all is a solution too: what bodies are is told not to be known."""
    rod = kg.Link("a", 1.0, (0.0, 0.0, -0.5), kg.inertia.rod(1.0, 1.0, axis=(0, 0, 1)))
    hinge = kg.Joint("j", "revolute", "world", "a", axis=(0, 1, 0), damping=0.05)
    model = kg.compile(kg.Mechanism("p", [rod], [hinge]))
    run = kg.Simulator(model, q=[1.0], integrator=integrator).run(3.0)
    a = np.gradient(run.v, run.t, axis=0) + noise * np.random.default_rng(0).normal(size=run.v.shape)
    with pytest.warns(kg.ExcitationWarning, match="torques of these motions are none, .* size is the description's"):
        found = kg.identify(model, kg.TorqueRecord(run.q, run.v, a, run.tau) if noise else run)
    assert found.damping == pytest.approx(0.05, abs=5e-3) and np.isinf(found.deviations).all()
    truth = found.base.values(model.inertial_parameters())
    assert np.allclose(found.base.values(found.parameters), truth, rtol=0.0, atol=2e-3)


def test_poor_and_wrong_records_are_told() -> None:
    model = kg.compile(EXAMPLES / "double_pendulum.urdf")
    q = np.tile([[0.3, 0.2]], (50, 1))
    with pytest.warns(kg.ExcitationWarning, match="these motions do not tell .*Iyy_lower"):
        kg.identify(model, kg.TorqueRecord(q, 0 * q, 0 * q, model.gravity(q)))
    for record, said in (
        (
            kg.TorqueRecord(q[:2], q[:2], q[:2], q[:2]),
            "tell 6 base parameters and 4 of rotors, damping and friction: record 6 or more$",
        ),
        (kg.TorqueRecord(q, q[:4], q, q), r"record 0: v: expected shape \(50, 2\), got \(4, 2\)"),
        (kg.TorqueRecord(q[0], q[0], q[0], q[0]), r"record 0: q: expected a row per sample, \(n, 2\), .* shape \(2,\)"),
        (kg.TorqueRecord(q[None], q, q, q), r"record 0: q: expected a row per sample, .*, got shape \(1, 50, 2\)"),
        ([], "expected TorqueRecord or Trajectory"),
        ([q], "record 0: expected a TorqueRecord or a Trajectory"),
    ):
        with pytest.raises(kg.ModelError, match=said):
            kg.identify(model, record)
    for weights, k in (([0.0, 1.0], 0), ([1.0, -1.0], 1)):
        with pytest.raises(kg.ModelError, match=f"weights: expected positive numbers, got .* for torque {k}"):
            kg.identify(model, kg.TorqueRecord(q, q, q, q), weights=weights)


@pytest.mark.parametrize("sought", [True, False])
def test_records_that_tell_nothing_at_all_are_told(sought: bool) -> None:
    """A hinge about the vertical that rests: all found is the description's, and no deviation is known."""
    link = kg.Link("a", 1.0, (0.1, 0.0, 0.0), kg.inertia.sphere(1.0, 0.2))
    model = kg.compile(kg.Mechanism("z", [link], [kg.Joint("a", "revolute", "world", "a", axis=(0, 0, 1))]))
    rest = np.zeros((90, 1))
    with pytest.warns(kg.ExcitationWarning, match=r"these motions do not tell .*Izz_a.* \(condition inf\)"):
        found = kg.identify(model, kg.TorqueRecord(rest, rest, rest, rest), damping=sought, friction=sought)
    assert np.allclose(found.parameters, model.inertial_parameters(), rtol=0.0, atol=1e-6)
    assert found.condition == np.inf and np.isinf(found.deviations).all()


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
