"""Motions that a model gives its joints (`Joint(motion=)`): beside those given to simulations, and closed forms."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.runtime.topology.library import Library

INTEGRATORS = ("semi_implicit", "rk4")
t = sympy.Symbol("t")
A, w = sympy.symbols("A w")


def rod_on(motion: object) -> kg.Mechanism:
    """A rod on a pivot that is shaken."""
    rod = kg.Link("rod", 1.0, (0, 0, 0.5), kg.inertia.box(1.0, (0.05, 0.05, 1.0)))
    joints = [
        kg.Joint("pivot", "prismatic", "world", "cart", axis=(0, 0, 1), motion=motion),  # type: ignore[arg-type]
        kg.Joint("hinge", "revolute", "cart", "rod", axis=(0, 1, 0)),
    ]
    return kg.Mechanism("shaken", [kg.Link("cart", 0.7), rod], joints)


@cache
def shaken() -> kg.Model:
    return kg.compile(rod_on(A * sympy.sin(w * t)))


def course(amplitude: float, rate: float) -> object:
    def motion(s: float) -> tuple[float, float, float]:
        sine, cosine = amplitude * np.sin(rate * s), amplitude * np.cos(rate * s)
        return sine, rate * cosine, -rate * rate * sine

    return motion


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_it_moves_as_if_the_simulation_were_given_the_motion(integrator: str) -> None:
    model = shaken().with_parameters(A=0.03, w=90.0)
    assert model.manifest.moved == ("pivot",)
    runs = [
        kg.Simulator(which, q=[0, 0.3], integrator=integrator, driven=driven).run(0.501)
        for which, driven in ((model, None), (kg.compile(rod_on(None)), {"pivot": course(0.03, 90.0)}))
    ]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(runs[0].tau, runs[1].tau, rtol=1e-9, atol=1e-9)
    at = model.prescribed_motion(runs[0].t)["pivot"]
    assert at.shape == (len(runs[0]), 3, 1)
    np.testing.assert_array_equal(runs[0].q[:, 0], at[:, 0, 0])
    energy = runs[0].energy.sum(axis=1)
    if integrator == "rk4":  # what the driven joint works is the energy that is gained
        power = (runs[0].tau[:, 0] * runs[0].v[:, 0])[:-1]
        simpson = 1e-3 / 3 * (power[0] + 4 * power[1::2].sum() + 2 * power[2:-1:2].sum() + power[-1])
        assert energy[len(power) - 1] - energy[0] == pytest.approx(simpson, rel=3e-5) and np.ptp(energy) > 1.0


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_lift_that_starts_runs_and_stops(integrator: str) -> None:
    """Pieces: m (g + a) of each; the carried mass hangs on a slide of its own and a spring."""
    lift = sympy.Piecewise(
        (t**2 / 2, t < 1), (t - sympy.Rational(1, 2), t < 2), (2 - (t - 3) ** 2 / 2, t < 3), (2, True)
    )
    joint = kg.Joint("lift", "prismatic", "world", "cabin", axis=(0, 0, 1), motion=lift, damping=3.0)
    model = kg.compile(kg.Mechanism("lift", [kg.Link("cabin", 200.0)], [joint]))
    run = kg.Simulator(model, dt=1e-2, integrator=integrator).run(4.0)
    middle = (np.arange(400) + 0.5) * 1e-2
    a = np.select([middle < 1, middle < 2, middle < 3], [1.0, 0.0, -1.0], 0.0)
    v = run.v[1:, 0] if integrator == "semi_implicit" else run.v[:-1, 0]
    whole = np.ones(400, dtype=bool)
    if integrator == "rk4":  # told at the beginning of steps, where one of two pieces holds
        whole[[100, 200, 300]] = False
    expected = 200.0 * (9.81 + a) + 3.0 * v
    np.testing.assert_allclose(run.tau[:-1, 0][whole], expected[whole], rtol=1e-9)
    assert run.q[-1, 0] == 2.0 and run.v[-1, 0] == 0.0


RAMPS = {
    "Piecewise": (sympy.Piecewise((t, t < 0.1), (0.1, True)), lambda s: min(s, 0.1)),
    "Min": (sympy.Min(t, 0.1003), lambda s: min(s, 0.1003)),
    "Abs": (sympy.Abs(t - 0.1), lambda s: abs(s - 0.1)),
    "Max": (0.2 * sympy.Max(t - 0.0456, 0), lambda s: 0.2 * max(s - 0.0456, 0)),
}


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", RAMPS)
def test_a_ramp_whose_rate_jumps_moves_as_its_coordinate_alone(name: str, integrator: str) -> None:
    motion, alone = RAMPS[name]
    v0 = 1.0 if name in ("Piecewise", "Min") else -1.0 if name == "Abs" else 0.0
    start = {"q": [alone(0.0), 0.3], "v": [v0, 0.1], "integrator": integrator}
    own, told = kg.compile(rod_on(motion)), kg.compile(rod_on(None))
    for dt in (1e-3, 7e-4):
        runs = [
            kg.Simulator(which, dt=dt, driven=driven, **start).run(0.2)  # type: ignore[arg-type]
            for which, driven in ((own, None), (told, {"pivot": alone}))
        ]
        for part in ("q", "v"):
            np.testing.assert_allclose(getattr(runs[0], part), getattr(runs[1], part), rtol=0, atol=1e-9)
        np.testing.assert_allclose(runs[0].tau, runs[1].tau, rtol=1e-9, atol=1e-6)
        np.testing.assert_allclose(runs[0].q[:, 0], [alone(s) for s in runs[0].t], rtol=0, atol=1e-15)
    apart = kg.Simulator(own, dt=7e-4, **start)  # type: ignore[arg-type]
    for _ in range(len(runs[0]) - 1):
        apart.step()
    np.testing.assert_allclose(apart.q, runs[0].q[-1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_torques_of_a_ramp_give_the_momentum_by_which_its_rate_jumps(integrator: str) -> None:
    joint = kg.Joint("lift", "prismatic", "world", "cabin", axis=(0, 0, 1), motion=sympy.Min(t, 0.0503))
    model = kg.compile(kg.Mechanism("lift", [kg.Link("cabin", 200.0)], [joint]))
    simulator = kg.Simulator(model, v=[1.0], integrator=integrator)
    run = simulator.run(0.1)
    impulse = (run.tau[:-1, 0] - 200.0 * 9.81).sum() * 1e-3
    assert impulse == pytest.approx(-200.0, rel=1e-9) and run.v[-1, 0] == 0.0


def test_a_ramp_runs_in_rollouts_and_libraries_and_up_to_where_it_is_no_number() -> None:
    ramp = sympy.Min(t, 0.0503)
    model = kg.compile(rod_on(ramp))
    simulator = kg.Simulator(model, q=[0, 0.3], v=[1, 0])
    simulator.step(80)
    rows = kg.rollout(model, [[0, 0.3], [0, 0.1]], [[1, 0], [1, 0]], steps=80)
    np.testing.assert_array_equal(rows.q[0, -1], simulator.q)
    base, ball = rod_on(ramp), kg.Link("ball", 0.5, inertia=kg.inertia.sphere(0.5, 0.1))
    whole = kg.Mechanism("catch", [*base.links, ball], [*base.joints, kg.Joint("flight", "free", "world", "ball")])
    library = kg.TopologyLibrary(whole, [kg.Connection("grip", "rod", "ball", kg.fixed(), pose=kg.Pose((0, 0, 1.0)))])
    q, v = library.state({"flight": (0, 0, 1.0, 0, 0, 0, 1)}, {"pivot": 1.0})
    held = kg.Simulator(library, q=q, v=v)
    held.step(20)
    held.connect("grip", tolerance=1.0)
    held.step(60)
    assert held.q[0] == 0.0503 and held.v[0] == 0.0
    ended = kg.compile(rod_on(ramp + sympy.sqrt(w - t) / 10)).with_parameters(w=0.0801)
    last = kg.Simulator(ended, q=[0.0283, 0.3], v=[0.8, 0])
    last.step(80)
    assert last.q[0] == pytest.approx(0.0503 + np.sqrt(0.0001) / 10, abs=1e-12)


def test_a_ramp_within_a_step_is_refused_with_the_remedy() -> None:
    steep = kg.compile(rod_on(0.1 * sympy.Max(0, sympy.Min(1, (t - 0.0502) / 0.0005))))
    with pytest.raises(
        kg.SimulationError, match=r"joint 'pivot' is told the velocity \[0.0\] .*a shorter dt follows it"
    ):
        kg.Simulator(steep).run(0.1)
    assert kg.Simulator(steep, dt=1e-4).run(0.1).q[-1, 0] == pytest.approx(0.1, abs=1e-15)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("length", [0.2002, 0.2001])  # rests in mid-step of 0.4 and of 0.2 ms
def test_a_cycloidal_motion_rests_within_a_step_and_goes_on(length: float, integrator: str) -> None:
    rate = 2 * np.pi / length
    model = kg.compile(rod_on(A * (w * t - sympy.sin(w * t)))).with_parameters(A=0.02, w=rate)
    alone = {"pivot": lambda s: 0.02 * (rate * s - np.sin(rate * s))}
    for dt in (4e-4, 2e-4):
        runs = [
            kg.Simulator(model, dt=dt, q=[0, 0.3], integrator=integrator, driven=driven).run(0.3)
            for driven in (None, alone)
        ]
        np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-9)


def test_a_motion_may_be_replaced_and_let_go() -> None:
    model = shaken().with_parameters(A=0.03, w=90.0)
    simulator = kg.Simulator(model, q=[0, 0.3])
    simulator.step(10)
    simulator.driven = {"pivot": 0.0}
    assert simulator.q[0] == 0.0
    simulator.step(10)
    assert simulator.q[0] == 0.0
    simulator.driven = {"pivot": None}
    simulator.step(10)
    assert simulator.driving == {} and simulator.q[0] < 0.0  # it falls
    simulator.driven = None
    assert simulator.q[0] == pytest.approx(0.03 * np.sin(90.0 * 0.03), abs=1e-15)
    with pytest.raises(kg.ModelError, match=r"tau: joint 'pivot' is driven"):
        kg.Simulator(model, tau={"pivot": 1.0})
    with pytest.raises(kg.ModelError, match="no value for parameter A, w"):
        kg.Simulator(shaken())


@pytest.mark.parametrize(
    ("argument", "given"),
    [
        ("integrator", "heun"),
        ("contacts", True),
        ("active", {"x"}),
        ("tau", {"no": 1.0}),
        ("tau", {"pivot": 1.0}),
        ("servos", {"pivot": kg.Servo(1.0, 1.0)}),
    ],
)
def test_what_is_wrong_in_all_rows_of_a_rollout_is_told_of_none(argument: str, given: Any) -> None:
    """By the argument that led to it, whatever the words of the message are."""
    model = shaken().with_parameters(A=0.03, w=90.0)
    with pytest.raises(kg.ModelError, match=r"^rollout: (?!row)") as told:
        kg.rollout(model, np.zeros((3, 2)), steps=2, **{argument: given})
    assert isinstance(told.value.__cause__, kg.ModelError) and told.value.__cause__.argument == argument


def test_copies_states_and_rollouts_move_alike() -> None:
    model = shaken().with_parameters(A=0.03, w=90.0)
    simulator = kg.Simulator(model, q=[0, 0.3])
    simulator.step(20)
    twins, state = [copy.copy(simulator), pickle.loads(pickle.dumps(simulator))], simulator.save()
    simulator.step(30)
    for twin in twins:
        twin.step(30)
        np.testing.assert_array_equal(twin.q, simulator.q)
    again = kg.Simulator(model)
    again.restore(state)
    again.step(30)
    np.testing.assert_array_equal(again.q, simulator.q)
    rows = kg.rollout(model, [[0, 0.3], [0, 0.1]], steps=50, parameters={"A": [0.03, 0.05]})
    np.testing.assert_array_equal(rows.q[0, -1], simulator.q)
    np.testing.assert_array_equal(rows.q[:, -1, 0], [0.03 * np.sin(90.0 * 0.05), 0.05 * np.sin(90.0 * 0.05)])


def test_a_compiled_model_moves_where_sympy_is_missing(tmp_path: Path) -> None:
    model = shaken()
    code = f"""
import sys
sys.modules["sympy"] = None
from kinegen.runtime import Model, Simulator
simulator = Simulator(Model.load({str(model.module.folder)!r}).with_parameters(A=0.03, w=90.0), q=[0, 0.3])
simulator.step(50)
print(repr(simulator.q.tolist()))
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    simulator = kg.Simulator(model.with_parameters(A=0.03, w=90.0), q=[0, 0.3])
    simulator.step(50)
    assert told.stdout.strip() == repr(simulator.q.tolist())


def test_a_library_keeps_the_motion_and_its_parameters() -> None:
    ball = kg.Link("ball", 0.5, inertia=kg.inertia.sphere(0.5, 0.1))
    base = rod_on(A * sympy.sin(w * t))
    flight = kg.Joint("flight", "free", "world", "ball")
    whole = kg.Mechanism("catch", [*base.links, ball], [*base.joints, flight])
    grip = kg.Connection("grip", "rod", "ball", kg.fixed(), pose=kg.Pose((0, 0, 1.0)))
    library = kg.TopologyLibrary(whole, [grip])
    library.precompile(progress=False)
    known = Library(library.library.model.with_parameters(A=0.03, w=9.0))
    q, v = known.state({"flight": (0, 0, 1.0, 0, 0, 0, 1)}, {})
    simulator = kg.Simulator(known, q=q, v=v)
    simulator.step(50)
    simulator.connect("grip", tolerance=1.0)
    simulator.step(50)
    assert simulator.q[0] == pytest.approx(0.03 * np.sin(9.0 * 0.1), abs=1e-15)
    with pytest.warns(kg.ClosureWarning, match="'grip' of library 'catch' was open by 0.0235 m"):
        simulator.set_parameters({"A": 0.06})
    assert simulator.q[0] == pytest.approx(0.06 * np.sin(9.0 * 0.1), abs=1e-15)
    twin = copy.copy(simulator)
    for each in (simulator, twin):
        each.step(50)
        assert each.q[0] == pytest.approx(0.06 * np.sin(9.0 * 0.15), abs=1e-15)
    np.testing.assert_array_equal(twin.q, simulator.q)
    with pytest.raises(kg.ModelError, match="what has a motion stays in the tree"):
        kg.TopologyLibrary(whole, cuts=["pivot"])


def test_what_is_no_number_and_what_leaves_its_limits_stops_the_motion() -> None:
    joint = kg.Joint("slide", "prismatic", "world", "mass", axis=(1, 0, 0), motion=sympy.sqrt(w - t), limits=(-1, 1))
    model = kg.compile(kg.Mechanism("ends", [kg.Link("mass", 1.0)], [joint]))
    with pytest.raises(kg.SimulationError, match="the motion of slide is not a number at all times from"):
        kg.Simulator(model.with_parameters(w=0.25)).run(1.0)
    with pytest.raises(kg.SimulationError, match=r"joint 'slide' is to be at \[1.5\].* beyond its limits"):
        kg.Simulator(model.with_parameters(w=2.25))
