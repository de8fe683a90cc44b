"""Simulations in the lanes of vectors: what Simulators make, whoever shares a vector, leaves it or diverges."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray

import kinegen as kg
from kinegen.runtime.rollouts import lanes
from support.c.lane_steps import steps_by_lanes
from support.contact.contact_scenes import slope

ROWS, STEPS, EVERY, DT = 19, 60, 7, 2e-3
FAST, DIVERGES, STOPS = 3, 5, 7
Array = NDArray[np.float64]


@cache
def arm(by_lanes: bool = False) -> kg.Model:
    """Damped, sprung, with a stop at its elbow; its lower link weighs what a parameter says."""
    mass = sympy.Symbol("m", positive=True)
    inertia = np.diag([0.1, 0.1, 0.02])
    links = [kg.Link("upper", 1.0, (0, 0, -0.5), inertia), kg.Link("lower", mass, (0, 0.1, -0.4), inertia)]
    joints = [
        kg.Joint("shoulder", "revolute", "world", "upper", axis=(0, 1, 0), damping=0.2, stiffness=3.0, rest=0.1),
        kg.Joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), limits=(-0.9, 2.5)),
    ]
    return kg.compile(kg.Mechanism("stopped_arm", links, joints), lanes=by_lanes)


def starts() -> tuple[Array, Array, Array, Array]:
    """q, v, torques of each step, masses: rows turn fast, meet a stop, or have a torque that no double holds for
    long."""
    rng = np.random.default_rng(0)
    q, v = rng.uniform(-0.8, 0.8, (ROWS, 2)), rng.normal(size=(ROWS, 2))
    tau, masses = rng.normal(size=(ROWS, STEPS, 2)), rng.uniform(0.5, 2.0, ROWS)
    v[FAST], v[FAST + 1], tau[DIVERGES, 20:] = (9.0, 9.0), (90.0, 90.0), 1.7e308
    q[STOPS], v[STOPS] = (0.0, -0.85), (0.0, -5.0)
    return q, v, tau, masses


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return steps_by_lanes(monkeypatch)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_every_lane_makes_what_a_simulator_makes(
    integrator: str, made: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, (q, v, tau, masses) = arm(), starts()
    given: dict[str, Any] = {"steps": STEPS, "dt": DT, "tau": tau, "parameters": {"m": masses}}
    given |= {"every": EVERY, "integrator": integrator}
    found = kg.rollout(model, q, v, threads=1, **given)
    assert made.count(STEPS) > ROWS // 2 and 0 < made[DIVERGES] < STEPS and 0 < made[STOPS] < STEPS
    for row in range(ROWS):
        alone = kg.Simulator(
            model.with_parameters(m=masses[row]), q=q[row], v=v[row], tau=tau[row], dt=DT, integrator=integrator
        )
        try:
            run = alone.run(STEPS * DT, every=EVERY)
        except kg.SimulationError as error:
            assert row == DIVERGES and str(found.errors[row]) == str(error)
            run = error.trajectory
        moments = len(run.t) - (row == DIVERGES)
        np.testing.assert_allclose(found.q[row, :moments], run.q[:moments], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found.v[row, :moments], run.v[:moments], rtol=1e-12, atol=1e-12)
    assert list(found.errors) == [DIVERGES] and np.isnan(found.q[DIVERGES, -1]).all()
    monkeypatch.setattr(lanes, "AT_ONCE", 64)
    again = kg.rollout(model, q, v, threads=3, **given)
    assert np.array_equal(found.q, again.q, equal_nan=True) and np.array_equal(found.v, again.v, equal_nan=True)


@cache
def two_links(damping: float) -> kg.Model:
    inertia = np.diag([0.1, 0.1, 0.02])
    links = [kg.Link(name, 1.0, (0, 0.05, -0.5), inertia) for name in ("upper", "lower")]
    joints = [
        kg.Joint("shoulder", "revolute", "world", "upper", axis=(0, 1, 0), damping=damping),
        kg.Joint("elbow", "revolute", "upper", "lower", axis=(1, 0, 0)),
    ]
    return kg.compile(kg.Mechanism(f"served_{damping:g}".replace(".", "_"), links, joints))


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("damping", [0.0, 0.2])
def test_servos_act_in_every_lane(integrator: str, damping: float, made: list[int]) -> None:
    """Stiff, at their limits of force in some lanes and steps, off them again, with targets for each step."""
    rng, model = np.random.default_rng(1), two_links(damping)
    q, v, tau = (rng.normal(size=(ROWS, 2)) for _ in range(3))
    v[FAST] = (0.0, 40.0)  # 0.08 rad a step
    targets = np.cumsum(rng.normal(0.0, 0.05, (STEPS, 1)), axis=0)
    servos = {
        "shoulder": kg.Servo(kp=400.0, kd=40.0, position=targets, limit=60.0),
        "elbow": kg.Servo(kd=5.0, velocity=0.3, limit=4.0),
    }
    given: dict[str, Any] = {"dt": DT, "servos": servos, "integrator": integrator}
    found = kg.rollout(model, q, v, tau=tau, steps=STEPS, threads=1, **given)
    assert made.count(STEPS) == ROWS
    at_limit = 0
    for row in range(ROWS):
        run = kg.Simulator(model, q=q[row], v=v[row], tau=tau[row], **given).run(STEPS * DT)
        at_limit += int(np.isclose(np.abs(run.tau[:-1, 0] - tau[row, 0]), 60.0, rtol=1e-9).sum())
        np.testing.assert_allclose(found.q[row], run.q, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found.v[row], run.v, rtol=1e-12, atol=1e-12)
    assert ROWS < at_limit < ROWS * STEPS // 2, "limits are met and left"


@cache
def ball_arm() -> kg.Model:
    """A link on a ball joint, a hinge behind it, and gains as parameters."""
    stiff, most = sympy.symbols("stiff most")
    links = [kg.Link(name, 1.0, (0, 0.05, -0.5), np.diag([0.1, 0.12, 0.02])) for name in ("upper", "lower")]
    joints = [
        kg.Joint("shoulder", "spherical", "world", "upper", damping=0.2, stiffness=stiff),
        kg.Joint("elbow", "revolute", "upper", "lower", kg.Pose((0, 0, most)), axis=(1, 0, 0), damping=0.1),
    ]
    return kg.compile(kg.Mechanism("ball_arm", links, joints))


@pytest.mark.parametrize("own_gains", [False, True])
@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_each_lane_has_gains_and_targets_of_its_own(
    integrator: str, held: bool, own_gains: bool, made: list[int]
) -> None:
    """Targets of each row, held or of each step; limits of force are met in some rows and steps."""
    rng, model, rows = np.random.default_rng(3), ball_arm(), 1 if held else STEPS
    v, turns = rng.normal(size=(ROWS, model.nv)), rng.normal(size=(ROWS, rows, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    speeds = rng.normal(size=(ROWS, rows, 1))
    values = {"stiff": rng.uniform(1.0, 30.0, ROWS), "most": rng.uniform(0.5, 3.0, ROWS)}
    given = values if own_gains else {name: float(of_rows[0]) for name, of_rows in values.items()}

    def servos(row: int | slice) -> dict[str, kg.Servo]:
        own = turns[row], speeds[row]
        if held and isinstance(row, int):
            own = own[0][0], own[1][0]
        return {
            "elbow": kg.Servo(kd="stiff", velocity=own[1], limit="most"),
            "shoulder": kg.Servo("stiff", 1.0, own[0]),
        }

    settings: dict[str, Any] = {"dt": DT, "integrator": integrator}
    every = slice(None)
    found = kg.rollout(model, model.q0, v, steps=STEPS, servos=servos(every), parameters=given, threads=1, **settings)
    assert made.count(STEPS) == ROWS
    at_limit = 0
    for row in range(ROWS):
        here = {name: float(of_rows[row if own_gains else 0]) for name, of_rows in values.items()}
        own = model.with_parameters(here)
        run = kg.Simulator(own, q=model.q0, v=v[row], servos=servos(row), **settings).run(STEPS * DT)
        at_limit += int(np.isclose(np.abs(run.tau[:-1, 3]), here["most"], rtol=1e-9).sum())
        np.testing.assert_allclose(found.q[row], run.q, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found.v[row], run.v, rtol=1e-12, atol=1e-12)
    assert ROWS < at_limit < ROWS * STEPS, "limits are met and left"


def test_a_rollout_that_begins_with_what_another_left_is_one_by_itself(made: list[int]) -> None:
    """Of one model in turn: other settings, other states, servos between, and one that cannot begin."""
    rng, model = np.random.default_rng(2), two_links(0.2)
    q, v = rng.normal(size=(ROWS, 2)), rng.normal(size=(ROWS, 2))
    settings: list[dict[str, Any]] = [{}, {"dt": 1e-3}, {"integrator": "rk4"}, {"servos": {"elbow": kg.Servo(kd=1.0)}}]
    for given in (*settings, *settings[:2]):
        found = kg.rollout(model, q, v, steps=STEPS, **given)
        fresh = kg.rollout(model.with_parameters(), q, v, steps=STEPS, **given)
        assert np.array_equal(found.q, fresh.q) and np.array_equal(found.v, fresh.v)
        with pytest.raises(kg.ModelError, match=r"rollout: tau: .* no joint 'knee'"):
            kg.rollout(model, q, v, steps=STEPS, tau={"knee": 1.0}, **given)
    assert made.count(STEPS) == len(made) == 12 * ROWS


def test_short_rollouts_go_by_lanes_where_those_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model compiled with lanes, from 16 simulations on; others where there are many steps; none if told so."""
    made = steps_by_lanes(monkeypatch, least=lanes.LEAST)
    q, v, _, masses = starts()
    given: dict[str, Any] = {"steps": 5, "dt": DT, "parameters": {"m": masses[0]}}
    alone = kg.rollout(arm(), q[:FAST], v[:FAST], **given)
    kg.rollout(arm(), q, v, **given)
    kg.rollout(arm(by_lanes=True), q[:FAST], v[:FAST], **given)
    kg.rollout(arm(by_lanes=True), q, v, lanes=False, **given)
    assert not made
    with pytest.raises(kg.ModelError, match="lanes: expected True or False, got 'all'"):
        kg.rollout(arm(), q, v, lanes="all", **given)
    found = kg.rollout(arm(by_lanes=True), q, v, **given)
    assert made[:FAST] == [5] * FAST
    assert np.array_equal(found.q[:FAST], alone.q) and np.array_equal(found.v[:FAST], alone.v)


def test_what_does_not_move_smoothly_has_no_lanes(made: list[int]) -> None:
    hinge = kg.Joint("hinge", "revolute", "world", "a", friction=0.1)
    mechanism = kg.Mechanism("stuck", [kg.Link("a", 1.0, (0, 0.1, 0), np.diag((0.1, 0.1, 0.1)))], [hinge])
    stuck = kg.compile(mechanism, rows=kg.RowRules(friction=True))
    assert "simulate_lanes" in arm().manifest.further and "simulate_lanes" not in stuck.manifest.further
    box = slope(kg.box((0.2, 0.2, 0.2)), 0.3)
    kg.rollout(box, np.tile(box.q0, (16, 1)), steps=2)
    assert not made
