"""Joints stop at their limits: unilateral constraints, no bounce, no energy from nothing [P (6)-(8)]."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.model import layouts
from support.mechanisms.limited import HIGH, INTEGRATORS, LOW, best, chain, mechanism_of
from support.oracles.numeric import Reference


@cache
def four_bar():
    links = [
        kg.Link(n, 1.0, (size / 2, 0, 0), kg.inertia.box(1.0, (size, 0.1, 0.1)))
        for n, size in zip("cdf", (0.4, 1, 0.8), strict=True)
    ]
    axis = {"axis": (0, -1, 0)}
    joints = [
        kg.Joint("crank", "revolute", "world", "c", limits=(-1.0, 2.0), **axis),
        kg.Joint("coupler", "revolute", "c", "d", kg.Pose((0.4, 0, 0)), **axis),
        kg.Joint("rocker", "revolute", "world", "f", kg.Pose((1.0, 0, 0)), **axis),
        kg.Joint("closing", "revolute", "d", "f", kg.Pose((1.0, 0, 0)), kg.Pose((0.8, 0, 0)), cut=True, **axis),
    ]
    return kg.compile(kg.Mechanism("limited_four_bar", links, joints))


@cache
def finger():
    """Two links that lie, each between its stops."""
    first = kg.Link("a", 1.0, (0.5, 0, 0), kg.inertia.rod(1.0, 1.0, axis=(1, 0, 0)))
    joints = [
        kg.Joint("j", "revolute", "world", "a", axis=(0, 1, 0), limits=(-0.2, 0.3)),
        kg.Joint("k", "revolute", "a", "b", kg.Pose((1.0, 0, 0)), axis=(0, 1, 0), limits=(-0.1, 0.4)),
    ]
    second = kg.Link("b", 0.3, (0.3, 0.1, 0), kg.inertia.box(0.3, (0.1, 0.2, 0.3)))
    return kg.compile(kg.Mechanism("finger", [first, second], joints))


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("damping", [0.0, 0.2])
def test_coordinates_stay_within_and_energy_never_rises(integrator, damping):
    sim = kg.Simulator(chain(damping), q=[0.9, 0.7, 0.6], integrator=integrator)
    trajectory = sim.run(3.0)
    beyond = np.maximum(trajectory.q - HIGH, LOW - trajectory.q).max()
    assert beyond < (1e-8 if integrator == "semi_implicit" else 1e-4)
    assert (trajectory.q < np.array(LOW) + 1e-4).any()
    energy = trajectory.energy.sum(axis=1)
    assert energy[-1] < energy[0] - 0.1
    assert np.diff(energy).max() < 2e-3  # what Euler's method itself makes of a swing


def test_an_impact_takes_the_least_energy():
    """Speeds after meeting bounds: the nearest in the metric of M among those that none forbids, by trying all sets."""
    model, rng = chain(), np.random.default_rng(1)
    for _ in range(100):
        side = rng.choice([-1, 1], size=3)
        q = np.where(side < 0, LOW, HIGH).astype(float)
        v = rng.uniform(-2, 2, 3)
        sim = kg.Simulator(model, q=q, v=v, integrator="rk4", dt=1e-7)
        sim.step()
        M = Reference(mechanism_of(), q, v).mass_matrix()
        assert np.abs(sim.v - best(M, v, side)).max() < 1e-4


def test_stops_that_did_not_push_are_not_forgotten():
    """Which stops push changes from step to step: each step ends as by trying all sets."""
    model, rng = chain(), np.random.default_rng(2)
    sim, dt, pushed = kg.Simulator(model, q=LOW, dt=1e-3), 1e-3, set()
    M = model.mass_matrix(LOW)
    for _ in range(60):
        sim.q, sim.v, sim.tau = np.array(LOW), np.zeros(3), rng.uniform(-40, 40, 3)
        sim.step()
        free = dt * model.forward_dynamics(LOW, np.zeros(3), sim.tau)
        found = best(M, free, -np.ones(3))
        assert np.abs(sim.v - found).max() < 1e-9
        pushed.add(tuple(found > 1e-9))
    assert len(pushed) > 4


def test_it_rests_on_its_limits():
    """Held against its bound by a motor it stays there, without a tremor, while the links below go on swinging."""
    model = chain(0.2)
    sim = kg.Simulator(model, q=[0.0, 0.0, 0.0], tau=[-30.0, 0.0, 0.0])
    sim.step(1000)
    trajectory = sim.run(1.0)
    assert np.abs(trajectory.v[:, 0]).max() < 1e-12
    assert trajectory.q[:, 0] == pytest.approx(LOW[0], abs=1e-9)
    assert np.abs(trajectory.v[:, 1:]).max() > 0.1


def test_what_rests_does_not_strike_in_each_second_step():
    """Runge-Kutta leaves a held joint 1e-7 rad/s or so: its force takes that. Links below swing as in shorter steps,
    as far as their own impacts, which wait for the end of a step, allow."""
    ends = []
    for dt in (1e-3, 2.5e-4):
        sim, struck, far = kg.Simulator(chain(0.2), q=[0.0] * 3, tau=[-30.0, 0.0, 0.0], integrator="rk4", dt=dt), 0, 0.0
        sim.step(round(1.5 / dt))
        for _ in range(round(0.5 / dt)):
            sim.step()
            now = sim._motion.stepper._simulation
            rows = [i for i in range(now.contacts.count) if now.contacts.points[i].pair == 0]
            struck += any(now.workspace.impact[i][0] != 0.0 for i in rows)
            far = max(far, abs(sim.q[0] - LOW[0]))
        assert struck <= 5 and far < 1e-7
        ends.append(sim.q)
    assert np.abs(ends[0] - ends[1]).max() < 1e-3 and abs(sim.v[1]) > 0.1


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("torque, dt", [(-10.0, 0.02), (-30.0, 0.02), (-100.0, 0.01)])
def test_what_is_pressed_on_its_stops_within_a_step_comes_to_rest(integrator: str, torque: float, dt: float) -> None:
    sim = kg.Simulator(finger(), q=[0.3, 0.4], tau=[torque, 0.0], integrator=integrator, dt=dt, work=True)
    sim.run(5.0)
    run = sim.run(0.5)
    assert np.ptp(run.q, axis=0).max() < 1e-12 and abs(run.v).max() < 1e-12
    assert abs(run.work.torques).max() < 1e-12


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("torque", [20.0, 200.0])
def test_a_limit_that_only_the_acceleration_reaches_is_met_in_the_same_step(integrator: str, torque: float) -> None:
    """At rest next to its stop, farther off than its speed tells, in lanes and alone."""
    beyond = 1e-9 if integrator == "semi_implicit" else 1e-4  # Runge-Kutta: what its stages leave
    start = {"q": [0.999, 0.0, 0.0], "v": [0.0, 0.0, 0.0]}
    sim = kg.Simulator(chain(), tau=[torque, 0, 0], integrator=integrator, dt=0.02, **start)
    free = kg.Simulator(chain(), tau=[torque, 0, 0], integrator=integrator, dt=0.02, limits=False, **start)
    free.step()
    assert free.q[0] > HIGH[0] + 1e-3
    rows = kg.rollout(
        chain(), [start["q"]] * 9, [start["v"]] * 9, steps=4, tau=[torque, 0, 0], integrator=integrator, dt=0.02
    )
    for i in range(1, 5):
        sim.step()
        assert sim.q[0] < HIGH[0] + beyond
        np.testing.assert_array_equal(rows.q[:, i], [sim.q] * 9)


def test_what_is_beyond_comes_back_slowly():
    """Pushed outwards all the time, it comes back at the solver's recovery speed, 0.5 rad/s, and gains no velocity."""
    sim = kg.Simulator(chain(), q=[1.5, 0.0, 0.0], tau=[60.0, 0.0, 0.0])
    sim.step(100)
    assert abs(sim.v[0]) < 1e-9
    assert sim.q[0] == pytest.approx(1.5 - 0.5 * 0.1, abs=1e-9)
    sim.step(1000)
    assert sim.q[0] <= HIGH[0] + 1e-4 + 1e-9  # the depth that may stay


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_closed_mechanisms_stop_too(integrator):
    model = four_bar()
    q = model.assemble([1.5, 0.2, 2.0])
    trajectory = kg.Simulator(model, q=q, integrator=integrator).run(2.0)
    crank = trajectory.joint("crank")[0]
    assert crank.min() > -1.0 - 1e-4
    assert crank.min() < -1.0 + 1e-3
    assert trajectory.closure_gap.max() <= 1e-10
    assert np.diff(trajectory.energy.sum(axis=1)).max() < 1e-3


def test_followers_bound_continuous_leaders():
    """q_f = -2 q + 0.1 in (-0.2, 0.3) and q_g = q in (-0.05, 2): the leader, still continuous, stops at both ends."""
    links = [kg.Link(name, 1.0, (0.1, 0, 0), kg.inertia.box(1.0, (0.2, 0.1, 0.1))) for name in "abc"]
    follows = {"axis": (0, 1, 0), "origin": kg.Pose((0.3, 0, 0))}
    joints = [
        kg.Joint("lead", "continuous", "world", "a", axis=(0, 1, 0)),
        kg.Joint("f", "revolute", "a", "b", mimic=kg.Mimic("lead", -2.0, 0.1), limits=(-0.2, 0.3), **follows),
        kg.Joint("g", "revolute", "a", "c", mimic=kg.Mimic("lead"), limits=(-0.05, 2.0), **follows),
    ]
    model = kg.compile(kg.Mechanism("wheel_with_stops", links, joints))
    for torque, stop in ((30.0, 0.15), (-80.0, -0.05)):
        assert kg.Simulator(model, tau={"lead": torque}).run(1.0).q[-1] == pytest.approx([stop], abs=1e-9)
    assert layouts.to_pinocchio(model, [0.1]).shape == (2,)
    with pytest.raises(kg.ModelError, match=r"joint 'lead' is to be at \[0.151\] .* beyond its limits \[-0.05\] to"):
        kg.Simulator(model, driven={"lead": lambda t: t}).run(1.0)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("gap", "off"), [(0.0, 1e-9), (1e-15, 1e-15), (1e-13, 1e-13), (1e-12, 1e-12)])
def test_joints_rest_between_limits_that_are_one_but_for_rounding(integrator: str, gap: float, off: float) -> None:
    """Also where they start beside them, at a speed that the first step takes away: no bound presses on the other."""
    rod = kg.Link("rod", 1.0, (0, 0, -0.5), kg.inertia.rod(1.0, 1.0, axis=(0, 0, 1)))
    joint = kg.Joint("j", "revolute", "world", "rod", axis=(0, 1, 0), limits=(0.3, 0.3 + gap))
    model, rng = kg.compile(kg.Mechanism("pinched", [rod], [joint])), np.random.default_rng(0)
    for start, speed in zip(rng.uniform(0.0, off, 40), 2.0 * rng.normal(size=40), strict=True):
        trajectory = kg.Simulator(model, q=[0.3 + start], v=[speed], integrator=integrator).run(0.5)
        assert np.abs(trajectory.q - 0.3).max() <= 1.1 * off + 1e-15
        assert np.abs(trajectory.v[1:]).max() <= 1.1e3 * off + 1e-12
        assert trajectory.energy.sum(axis=1).max() <= trajectory.energy.sum(axis=1)[0]


@pytest.mark.parametrize(("multiplier", "low", "high"), [(3.0, 0.9, 0.3), (3.0, 0.3, 0.1), (7.0, 0.7, 0.1)])
def test_followers_that_leave_one_point_do_not_bound_their_leaders(multiplier: float, low: float, high: float) -> None:
    """Whether low / multiplier is the leader's upper limit exactly, or less by the last digit."""
    links = [kg.Link(name, 1.0, (0, 0, -0.5), kg.inertia.box(1.0, (0.1, 0.1, 1.0))) for name in "ab"]
    follows = kg.Mimic("s", multiplier)
    joints = [
        kg.Joint("s", "revolute", "world", "a", axis=(0, 1, 0), limits=(0.0, high)),
        kg.Joint("e", "revolute", "a", "b", kg.Pose((0, 0, -1)), axis=(0, 1, 0), mimic=follows, limits=(low, 5.0)),
    ]
    model = kg.compile(kg.Mechanism("one_point", links, joints))
    assert kg.Simulator(model, q=[high]).run(0.3).q[-1, 0] < high - 0.01


def test_limits_can_be_left_out():
    free = kg.Simulator(chain(), q=[0.9, 0.7, 0.6], limits=False).run(2.0)
    assert (free.q > HIGH).any() or (free.q < LOW).any()


def bent_chain(joints: int, damping: float) -> kg.Mechanism:
    """Links about axes by turns; the second joint stops at 0.3."""
    names = [f"l{i}" for i in range(joints)]
    links = [kg.Link(name, 0.4, (0.02, 0.01, -0.1), (4e-3, 0, 0, 3e-3, 0, 2e-3)) for name in names]
    made = [
        kg.Joint(
            f"j{i}",
            "revolute",
            names[i - 1] if i else "world",
            names[i],
            kg.Pose((0, 0, -0.2 * (i > 0))),
            axis=((1, 0, 0), (0, 1, 0))[i % 2],
            limits=(-1.0, 0.3) if i == 1 else None,
            damping=damping * (i == 0),
        )
        for i in range(joints)
    ]
    return kg.Mechanism(f"bent_chain_{joints}_{damping:g}".replace(".", "_"), links, made)


@pytest.mark.parametrize(("joints", "damping"), [(4, 0.0), (4, 0.3), pytest.param(34, 0.0, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("gap", [0.0, 4e-4])
def test_what_a_tree_without_shapes_shares(joints: int, damping: float, gap: float) -> None:
    """M v' = M v + dt (forces at v' - bias + row) by dense algebra, beside a stop and at it; M of the long chain is
    factored by loops, of the others by straight-line code."""
    mechanism, dt, kp, kd = bent_chain(joints, damping), 1e-3, 3.0, 0.2
    model, rng = kg.compile(mechanism), np.random.default_rng(3)
    assert ("_terms.c =" in model.source) == (joints == 4)
    q, v, tau = 0.2 * rng.normal(size=model.nv), 0.05 * rng.normal(size=model.nv), np.zeros(model.nv)
    q[1], v[1], tau[1] = 0.3 - gap, 0.1, 2.0 if gap == 0.0 else -2.0
    sim = kg.Simulator(model, q=q, v=v, tau=tau, dt=dt, servos={"j2": kg.Servo(kp, kd, 0.1)})
    sim.step(1)
    d, f = np.zeros(model.nv), tau - model.bias(q, v)
    d[0], d[2] = dt * damping, dt * (kd + dt * kp)
    f[0] -= damping * v[0]
    f[2] += kp * (0.1 - q[2] - dt * v[2]) - kd * v[2]
    inverse = np.linalg.inv(model.mass_matrix(q) + np.diag(d))
    free = v + dt * inverse @ f
    met = free - inverse[:, 1] * max(free[1] - gap / dt, 0.0) / inverse[1, 1]
    assert (met[1] < free[1]) == (gap == 0.0)
    np.testing.assert_allclose(sim.v, met, rtol=1e-9, atol=1e-11)


def test_options_of_contact_tune_limits_without_shapes():
    """How fast a joint comes back, and by which solver; in rollouts and libraries too. Refused where no row may act."""
    links = [kg.Link(name, 1.0, (0.3, 0, 0), kg.inertia.box(1.0, (0.1, 0.2, 0.3))) for name in "ab"]
    joints = [kg.Joint("s", "revolute", "world", "a", axis=(0, 0, 1), limits=(-1, 0.2)),
              kg.Joint("t", "revolute", "a", "b", axis=(0, 0, 1))]  # fmt: skip
    mechanism = kg.Mechanism("beyond", links, joints)
    model, library = kg.compile(mechanism), kg.TopologyLibrary(mechanism, cuts=["t"])
    for speed in (0.1, 0.3):
        options = kg.ContactOptions(recovery_speed=speed)
        sim = kg.Simulator(model, q=[0.5, 0.0], contacts=options)
        sim.run(0.05)
        assert sim.q[0] == pytest.approx(0.5 - 0.05 * speed, abs=1e-9)
        runs = kg.rollout(model, [[0.5, 0.0]], steps=50, contacts=options)
        assert runs.q[0, -1].tobytes() == sim.q.tobytes()
        of_library = kg.Simulator(library, q=library.state({"s": 0.5})[0], contacts=options)
        of_library.run(0.05)
        assert of_library.q[of_library.model.q_slice("s")] == pytest.approx([sim.q[0]], abs=1e-9)
    exact = kg.Simulator(model, q=[0.2, 0.0], v=[1.0, 0.0], contacts=kg.ContactOptions(solver="exact"))
    exact.step()
    assert exact.v[0] == pytest.approx(0.0, abs=1e-9)
    free = kg.compile(kg.Mechanism("free_arm", links[:1], [kg.Joint("s", "revolute", "world", "a")]))
    with pytest.raises(kg.ModelError, match="without contacts, limits or rows, which options are for; leave contacts"):
        kg.Simulator(free, contacts=kg.ContactOptions())
