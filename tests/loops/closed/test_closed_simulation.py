"""Closed mechanisms in motion: energy, closure at every step, start, events, and both integrators."""

from __future__ import annotations

import pickle
import warnings
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime import Model, Simulator, Trajectory
from kinegen.runtime.errors import ClosureWarning, ModelError, SimulationError
from support.mechanisms.closed_families import BY_NAME, family_model
from support.mechanisms.closed_mechanisms import (
    bar_in_two_hands,
    five_bar,
    four_bar,
    planar_closed,
    slider_crank,
    stewart,
)
from support.oracles.numeric import Array, error

MECHANISMS = {
    "four-bar": lambda: four_bar(1.0, 2.0, 2.5, 3.0),
    "slider-crank": slider_crank,
    "five-bar": five_bar,
    "stewart": stewart,
    "bar in two hands": bar_in_two_hands,
    "planar, four loops": lambda: planar_closed(4, 4).mechanism,
    "planar, turning": lambda: planar_closed(9, 2, sliding=0.0).mechanism,
}


LONG = "planar, four loops"
"""Left to the sweep: what two loops of the same kind tell too."""


@cache
def model(name: str) -> Model:
    return kg.compile(MECHANISMS[name]())


def thrown(model: Model, seed: int, speed: float = 1.0) -> tuple[Array, Array]:
    """A closed configuration and a velocity on the closure."""
    rng = np.random.default_rng(seed)
    q = model.random(rng)
    split = model.closure.split(q)
    return q, speed * split.W() @ rng.normal(size=len(split.independent))


def quiet(model: Model, duration: float, every: int = 1, **options: object) -> Trajectory:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClosureWarning)
        return Simulator(model, **options).run(duration, every=every)  # type: ignore[arg-type]


def test_energy_of_the_four_bar_over_100_seconds() -> None:
    q = model("four-bar").assemble([0.7, 0.0, 2.0])
    trajectory = quiet(model("four-bar"), 100.0, q=q, v=[1.0, 0.0, 0.0], integrator="rk4", dt=1e-3)
    total = trajectory.energy.sum(axis=1)
    assert np.abs(total - total[0]).max() < 1e-6 * np.abs(trajectory.energy).max()
    assert trajectory.closure_gap.max() <= 1e-10


@pytest.mark.parametrize(
    ("name", "integrator"),
    [
        pytest.param(name, integrator, marks=pytest.mark.sweep if (case + turn) % 2 or name == LONG else ())
        for case, name in enumerate(MECHANISMS)
        for turn, integrator in enumerate(("semi_implicit", "rk4"))
    ],
)
def test_closed_at_every_step(name: str, integrator: str) -> None:
    q, v = thrown(model(name), 3)
    seconds = 5.0 if name == "stewart" else 20.0
    trajectory = quiet(model(name), seconds, q=q, v=v, integrator=integrator)
    assert len(trajectory) == 1000 * seconds + 1
    assert trajectory.closure_gap.max() <= 1e-10
    rates = np.einsum("nij,nj->ni", model(name).kernel("closure_rows")(trajectory.q), trajectory.v)
    assert np.abs(rates).max() <= 1e-8 * max(1.0, float(np.abs(trajectory.v).max()))


@pytest.mark.sweep
def test_a_million_steps_do_not_drift() -> None:
    turning = model("planar, turning")
    q, v = thrown(turning, 1)
    trajectory = quiet(turning, 1000.0, every=100, q=q, v=v)
    assert trajectory.closure_gap.max() <= 1e-10
    assert np.isfinite(trajectory.v).all()


@pytest.mark.parametrize("name", ["slider-crank", "five-bar", "bar in two hands", "stewart"])
def test_runge_kutta_is_of_order_four(name: str) -> None:
    q, v = thrown(model(name), 0)
    ends = [quiet(model(name), 0.32, q=q, v=v, integrator="rk4", dt=dt)[-1] for dt in (0.01, 0.005, 0.00125)]
    coarse, fine = (np.abs(model(name).difference(end.q[0], ends[-1].q[0])).max() for end in ends[:2])
    assert fine < coarse / 10 or coarse < 1e-11


@pytest.mark.parametrize("name", ["slider-crank", "stewart"])
def test_semi_implicit_is_of_order_one(name: str) -> None:
    q, v = thrown(model(name), 0)
    exact = quiet(model(name), 0.32, q=q, v=v, integrator="rk4", dt=1e-3)[-1]
    ends = [quiet(model(name), 0.32, q=q, v=v, dt=dt)[-1] for dt in (0.002, 0.001)]
    coarse, fine = (np.abs(model(name).difference(end.q[0], exact.q[0])).max() for end in ends)
    assert 1.6 < coarse / fine < 2.5


def test_momentum_of_a_floating_loop_stays() -> None:
    q, v = thrown(model("bar in two hands"), 0)
    trajectory = quiet(model("bar in two hands"), 2.0, q=q, v=v, integrator="rk4")
    total = trajectory.energy.sum(axis=1)
    assert error(trajectory.momentum[-1], trajectory.momentum[0]) < 1e-6
    assert np.abs(total - total[0]).max() < 1e-6 * total[0]


@pytest.mark.parametrize("name", ["floating", "sleeve", "plane"])
def test_members_of_families_move_closed(name: str) -> None:
    """Parameters at run time: nothing is specialised, everything pivots."""
    closed, values = BY_NAME[name].drawn(1)
    moving = family_model(name).with_parameters(values)
    split = moving.closure.split(closed.q)
    v = 0.3 * split.W() @ np.ones(len(split.independent))
    trajectory = quiet(moving, 2.0, q=closed.q, v=v, integrator="rk4", dt=5e-4)
    total = trajectory.energy.sum(axis=1)
    assert trajectory.closure_gap.max() <= 1e-10
    assert np.abs(total - total[0]).max() < 1e-4 * max(1.0, float(np.abs(trajectory.energy).max()))


def test_an_open_start_is_closed_and_said() -> None:
    with pytest.warns(ClosureWarning, match=r"loop 'tip' of model 'fourbar' was open by 0\.\d+ m or rad"):
        simulator = Simulator(model("four-bar"), q=[0.8, 0.2, 2.0], v=[1.0, 0.0, 0.0])
    assert np.abs(model("four-bar").closure_residual(simulator.q)).max() <= 1e-10
    rows = model("four-bar").kernel("closure_rows")(simulator.q)
    assert np.abs(rows @ simulator.v).max() < 1e-12
    assert simulator.v[0] == 1.0  # the crank leads
    simulator.step(50)
    assert 0.0 < simulator.gap <= 1e-10


def test_a_start_upside_down_is_closed_and_its_angle_is_said() -> None:
    joints = [kg.Joint("ball", "spherical", "world", "a"), kg.Joint("hinge", "revolute", "world", "a", cut=True)]
    hung = kg.compile(kg.Mechanism("hung", [kg.Link("a", 1.0, inertia=(1, 0, 0, 1, 0, 1))], joints))
    for turn, angle in (([1.0, 0.0, 0.0, 0.0], 3.14), ([np.sin(1.5), 0.0, 0.0, np.cos(1.5)], 3.0)):
        with pytest.warns(ClosureWarning, match=f"loop 'hinge' of model 'hung' was open by {angle:g} m or rad"):
            simulator = Simulator(hung, q=turn)
        assert hung.link_poses(simulator.q)[0, 2, 2] == pytest.approx(1.0)
    with pytest.raises(ModelError, match=r"a gap of 3\.14 m or rad stays"):
        hung.project([1.0, 0.0, 0.0, 0.0], np.zeros(3))


def test_a_start_that_cannot_be_closed_names_loop_and_gap() -> None:
    parts = kg.compile(four_bar(1.0, 1.0, 1.0, 2.0, "short"))
    with pytest.raises(ModelError, match="loop 'tip' cannot be closed from here with pivot, base held: a gap of"):
        parts.assemble([1.5, 0.0, 0.3], hold=["pivot", "base"])


def test_a_default_start_is_closed_and_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulator = Simulator(model("four-bar"))
    assert np.abs(model("four-bar").closure_residual(simulator.q)).max() <= 1e-10


def test_saved_states_repeat_the_motion() -> None:
    q, v = thrown(model("five-bar"), 2)
    simulator = Simulator(model("five-bar"), q=q, v=v)
    simulator.step(100)
    state = simulator.save()
    simulator.step(500)
    first = simulator.q
    simulator.restore(state)
    simulator.step(500)
    assert np.array_equal(simulator.q, first)
    with pytest.raises(ModelError, match="belongs to another model"):
        Simulator(model("stewart")).restore(type(state)(0.0, 0, model("stewart").q0, np.zeros(24), state.loops))


def test_chunks_and_single_steps_agree() -> None:
    q, v = thrown(model("slider-crank"), 1)
    one, many = (Simulator(model("slider-crank"), q=q, v=v, integrator="rk4") for _ in range(2))
    for _ in range(300):
        one.step()
    many.step(300)
    assert np.array_equal(one.q, many.q)


def test_a_controller_drives_the_crank() -> None:
    q = model("slider-crank").q0

    def hold_speed(t: float, q: Array, v: Array) -> list[float]:
        return [20.0 * (3.0 - v[0]), 0.0, 0.0]

    trajectory = quiet(model("slider-crank"), 3.0, q=q, tau=hold_speed)
    assert np.abs(trajectory.v[1000:, 0] - 3.0).max() < 0.5
    slide = trajectory.q[:, model("slider-crank").q_slice("slide")]
    assert np.ptp(slide) == pytest.approx(0.6, abs=1e-2)  # twice the crank


def test_too_large_steps_fail_by_name_and_keep_the_last_closed_state() -> None:
    q, v = thrown(model("stewart"), 3)
    simulator = Simulator(model("stewart"), q=q, v=v, tau=np.full(24, 1e9), dt=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClosureWarning)
        try:
            simulator.step(50)
        except SimulationError as failed:
            assert "loop 'head" in str(failed) or "stops being finite" in str(failed)
    assert np.isfinite(simulator.q).all()
    assert np.abs(model("stewart").closure_residual(simulator.q)).max() <= 1e-9


@pytest.mark.parametrize("dt", [5e-4, 2.5e-4])
def test_what_leads_gives_way_before_its_dead_point_takes_energy(dt: float) -> None:
    """Cranks that gears turn against each other; the elbow that leads comes to rest while the others move fast."""
    rod, at = kg.inertia.rod(0.5, 0.3, axis=(1, 0, 0)), kg.Pose((0.3, 0, 0))
    geared = kg.Mechanism(
        "geared",
        [kg.Link(name, 0.5, (0.15, 0, 0), rod) for name in ("a1", "a2", "b1", "b2")],
        [
            kg.Joint("m1", "revolute", "world", "a1"),
            kg.Joint("e1", "revolute", "a1", "a2", at),
            kg.Joint("m2", "revolute", "world", "b1", kg.Pose((0.4, 0, 0)), mimic=kg.Mimic("m1", -1.0, 3.1)),
            kg.Joint("e2", "revolute", "b1", "b2", at),
            kg.Joint("pen", "revolute", "a2", "b2", at, at),
        ],
        gravity=(0, -9.81, 0),
    )
    made = kg.compile(geared)
    run = Simulator(made, q=made.assemble([1.5, -0.8, 0.8], hold=["m1"]), dt=dt).run(3.0)
    energy, window = run.energy.sum(axis=1), round(0.01 / dt)
    change = energy[window:] - energy[:-window]
    assert run.energy[:, 0].max() > 10.0
    assert change.min() > -2500.0 * dt and change.max() < 2000.0 * dt
    i = int(change.argmin())
    again = Simulator(made, q=run.q[i], v=run.v[i], dt=dt).run(0.01).energy.sum(axis=1)
    assert abs(again[-1] - again[0] - change[i]) < 1e-6


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_what_is_asked_to_lead_comes_past_its_dead_points(integrator: str) -> None:
    """The rocker of a four-bar rests twice a turn."""
    bars = kg.compile("examples/fourbar.toml")
    run = Simulator(bars, integrator=integrator).run(3.0)
    assert (np.diff(np.sign(run.v[1:, 2])) != 0).sum() > 5
    with warnings.catch_warnings():
        warnings.simplefilter("error", ClosureWarning)
        rocker = Simulator(bars.with_independent(["pivot"]), integrator=integrator).run(3.0)
    lost, usual = (np.ptp(one.energy.sum(axis=1)) for one in (rocker, run))
    assert lost < 1.2 * usual + 1e-3


def test_models_travel() -> None:
    q, v = thrown(model("five-bar"), 0)
    pinned = model("five-bar").with_independent(["left_elbow", "right_elbow"])
    again = pickle.loads(pickle.dumps(pinned))
    assert again.independent == ("left_elbow", "right_elbow")
    assert np.array_equal(again.W(q), pinned.W(q))
    assert error(again.forward_dynamics(q, v, v), pinned.forward_dynamics(q, v, v)) == 0.0


def test_a_step_that_fails_leaves_the_gap_of_the_states_that_were() -> None:
    sim = Simulator(kg.compile(four_bar(1.0, 2.0, 2.5, 3.0, "thrown")))
    sim.step(20)
    for torque in 10.0 ** np.arange(20, 300, 20):
        sim.tau = torque * np.ones(sim.model.nv)
        with pytest.raises(SimulationError):
            sim.step(3)
        assert sim.gap < 1e-11
