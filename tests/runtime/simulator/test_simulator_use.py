"""`Simulator` in use: torques, records, time and state; what cannot go on and what is refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

import numpy as np
import pytest
import sympy

import kinegen as kg
import kinegen.runtime
from kinegen.codegen.mechanism import Joint, Mechanism
from kinegen.runtime import SimulationError, Simulator
from kinegen.runtime.errors import ModelError
from support.mechanisms.moving_models import floating, links, slider, spherical_chain, thrown

# ---- Torques, time, state


def test_torques_as_array_rows_and_function_agree() -> None:
    model = floating()
    tau = np.random.default_rng(3).normal(size=model.nv)
    ways = (tau, np.tile(tau, (400, 1)), lambda t, q, v: tau)
    runs = [Simulator(model, tau=way, **thrown(model)).run(0.4, every=7) for way in ways]
    for run in runs:
        np.testing.assert_array_equal(run.q, runs[0].q)
        np.testing.assert_array_equal(run.tau, np.tile(tau, (len(run), 1)))
        np.testing.assert_allclose(run.t, [*(7e-3 * np.arange(58)), 0.4], atol=1e-15)


@pytest.mark.parametrize("every", [1, 3, 100, 256, 257, 300, 1000, 5000])
def test_records_are_the_states_of_single_steps(every: int) -> None:
    model = slider(damping=0.1)
    tau = np.sin(0.01 * np.arange(1000))[:, None]
    fine = Simulator(model, tau=tau, v=[1.0]).run(1.0)
    coarse = Simulator(model, tau=tau, v=[1.0]).run(1.0, every=every)
    at = sorted({*range(0, 1001, every), 1000})
    np.testing.assert_array_equal(coarse.q, fine.q[at])
    np.testing.assert_array_equal(coarse.v, fine.v[at])
    np.testing.assert_array_equal(coarse.tau, tau[[min(i, 999) for i in at]])
    np.testing.assert_allclose(coarse.t, 1e-3 * np.array(at), rtol=1e-14)


def test_a_controller_sees_the_state_and_cannot_change_it() -> None:
    seen = []

    def controller(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        seen.append((t, q[0], v[0]))
        q[:] = v[:] = 99.0
        return [0.0]

    Simulator(slider(), dt=0.1, tau=controller, v=[1.0]).run(0.3)
    np.testing.assert_allclose(seen, [(0.0, 0.0, 1.0), (0.1, 0.1, 1.0), (0.2, 0.2, 1.0)])


@pytest.mark.parametrize(("rows", "every"), [(1, 1), (5, 3), (7, 7), (300, 10), (1000, 256)])
def test_a_controller_that_answers_for_several_steps_is_asked_when_they_are_used_up(rows: int, every: int) -> None:
    model = slider(damping=0.1)
    asked: list[float] = []

    def controller(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        asked.append(t)
        return np.sin(10.0 * (t + 1e-3 * np.arange(rows)))[:, None] - v

    table = []
    plain = Simulator(model, v=[1.0])
    for k in range(600):
        if k % rows == 0:
            table.append(controller(plain.t, plain.q, plain.v))
        plain.tau = table[-1][k % rows]
        plain.step()
    asked.clear()
    simulator = Simulator(model, tau=controller, v=[1.0])
    simulator.step(13)
    run = simulator.run(0.587, every=every)
    np.testing.assert_allclose(asked, 1e-3 * np.arange(0, 600, rows), atol=1e-12)
    np.testing.assert_array_equal(run.q[-1], plain.q)
    np.testing.assert_array_equal(simulator.v, plain.v)
    at = np.array([*range(13, 600, every)])
    np.testing.assert_array_equal(run.tau[: len(at)], np.concatenate(table)[at])
    together = kg.rollout(model, np.zeros(1), [1.0], steps=600, tau=controller, every=every)
    np.testing.assert_array_equal(together.q[0, -1], plain.q)
    assert np.isfinite(together.q).all()


def test_a_controller_is_asked_anew_in_a_new_state() -> None:
    asked: list[float] = []

    def controller(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        asked.append(q[0])
        return np.zeros((100, 1))

    simulator = Simulator(slider(), tau=controller, v=[1.0])
    simulator.step(10)
    saved = simulator.save()
    simulator.q = [3.0]
    simulator.step(10)
    simulator.restore(saved)
    simulator.step(10)
    copy(simulator).step(10)
    np.testing.assert_allclose(asked, [0.0, 3.0, 0.01, 0.02], atol=1e-12)


def test_rows_of_torques_run_out() -> None:
    simulator = Simulator(slider(), tau=np.ones((300, 1)))
    with pytest.raises(SimulationError, match=r"tau: its 300 rows, one per step, end at t = 0.3 s") as caught:
        simulator.run(1.0)
    assert caught.value.trajectory is not None and len(caught.value.trajectory) == 301
    assert simulator.t == pytest.approx(0.3)
    simulator.tau = np.full((10, 1), 2.0)
    simulator.step(10)
    assert simulator.t == pytest.approx(0.31) and simulator.v[0] == pytest.approx(0.32)


def test_steps_and_runs_continue_each_other() -> None:
    model = floating()
    one, two = (Simulator(model, integrator="rk4", **thrown(model)) for _ in range(2))
    one.step(300)
    two.step()
    two.step(99)
    first = two.run(0.1)
    second = two.run(0.1)
    np.testing.assert_array_equal(one.q, two.q)
    assert first.t[0] == pytest.approx(0.1) and second.t[0] == first.t[-1] == pytest.approx(0.2)
    assert two.t == pytest.approx(0.3)


def test_save_and_restore() -> None:
    simulator = Simulator(slider(stiffness=3.0), q=[1.0])
    simulator.step(10)
    kept = simulator.save()
    first = simulator.run(0.1)
    simulator.restore(kept)
    assert simulator.t == pytest.approx(0.01)
    np.testing.assert_array_equal(simulator.run(0.1).q, first.q)


def test_state_can_be_read_and_assigned_but_not_reached_into() -> None:
    simulator = Simulator(slider(), tau=[1.0])
    for told in (simulator.q, simulator.v, simulator.tau):
        with pytest.raises(ValueError, match="read-only"):
            told[0] = 5.0
    for by in ("tau", "wrenches", "driven", "servos"):
        setattr(simulator, by, {})
        with pytest.raises(TypeError, match="does not support item assignment"):
            getattr(simulator, by)["other"] = 1.0
    told = {by: getattr(simulator, by) for by in ("tau", "wrenches", "driven", "servos")}
    assert deepcopy(Simulator(slider(), **told)).q[0] == simulator.q[0] == 0.0
    simulator.q, simulator.v = [2], [3]
    assert simulator.q[0] == 2.0 and simulator.v[0] == 3.0
    with pytest.raises(ModelError, match=r"q: expected shape \(1,\), got \(2,\)"):
        simulator.q = [1.0, 2.0]
    assert simulator.q[0] == 2.0


def test_start_is_home() -> None:
    joint = Joint("hinge", "revolute", "world", "l0", limits=(0.5, 1.0))
    model = kg.compile(Mechanism("limited", links(1), [joint]))
    assert Simulator(model).q[0] == 0.5


def test_quaternions_stay_units() -> None:
    model = floating()
    simulator = Simulator(model, dt=1e-3, **thrown(model, speed=1.0))
    q = simulator.run(20.0, every=1000).q
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:7], axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(q[:, 7:11], axis=1), 1.0, atol=1e-15)


# ---- What cannot go on


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("every", [1, 50])
def test_a_state_that_explodes(integrator: str, every: int) -> None:
    stiff = slider(stiffness=1e9)
    simulator = Simulator(stiff, dt=1e-2, integrator=integrator, q=[1.0])
    with pytest.raises(SimulationError, match=r"stops being finite in the step from t = .* joint 'slide'") as caught:
        simulator.run(10.0, every=every)
    trajectory = caught.value.trajectory
    assert trajectory is not None and np.isfinite(trajectory.q).all() and np.isfinite(trajectory.v).all()
    assert 0.0 < simulator.t < 10.0 and trajectory.t[-1] == simulator.t
    np.testing.assert_array_equal(trajectory.q[-1], simulator.q)
    with pytest.raises(SimulationError):
        simulator.step()
    np.testing.assert_array_equal(trajectory.q[-1], simulator.q)


BAD_TORQUES = {
    "nan": (lambda t, q, v: [0.0] * 8 + [float("nan")] + [0.0] * 6, r"entry 8, joint 'ball', is nan"),
    "nan in a row": (lambda t, q, v: np.where(np.arange(45) == 38, np.nan, 0.0).reshape(3, 15), r"row 2, entry 8, "),
    "shape": (lambda t, q, v: [0.0], r"expected shape \(15,\) or \(steps, 15\), got \(1,\)"),
    "no rows": (lambda t, q, v: np.zeros((0, 15)), r"expected shape .*, got \(0, 15\)"),
    "none": (lambda t, q, v: None, ".* got NoneType None"),
    "complex": (lambda t, q, v: np.zeros(15, complex), ".* got dtype complex128"),
}


@pytest.mark.parametrize("case", BAD_TORQUES)
def test_a_controller_that_fails(case: str) -> None:
    bad, message = BAD_TORQUES[case]
    model = floating()
    simulator = Simulator(model, tau=lambda t, q, v: np.zeros(15) if t < 0.0195 else bad(t, q, v))
    with pytest.raises(SimulationError, match=rf"tau\(t, q, v\) at t = 0.02 s: {message}") as caught:
        simulator.run(1.0)
    assert simulator.t == pytest.approx(0.02)
    assert caught.value.trajectory is not None and len(caught.value.trajectory) == 21


def test_errors_of_a_controller_are_its_own() -> None:
    def controller(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Simulator(slider(), tau=controller).step()


BAD_ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "dt zero": ({"dt": 0.0}, "dt: expected a positive number, got 0.0"),
    "dt negative": ({"dt": -1e-3}, "dt: expected a positive"),
    "dt nan": ({"dt": float("nan")}, "dt: .*nan"),
    "dt text": ({"dt": "fast"}, "dt: expected"),
    "integrator": ({"integrator": "euler"}, "unknown 'euler'; known: semi_implicit, rk4"),
    "q shape": ({"q": [1.0, 2.0]}, r"q: expected shape \(1,\), got \(2,\)"),
    "q batch": ({"q": [[1.0]]}, r"q: expected shape \(1,\), got \(1, 1\)"),
    "v nan": ({"v": [float("nan")]}, "v: entry 0 is nan"),
    "tau shape": ({"tau": [1.0, 2.0]}, "tau: expected shape"),
    "tau deep": ({"tau": np.zeros((2, 2, 1))}, r"tau: expected shape \(1,\) or \(steps, 1\)"),
    "tau inf": ({"tau": [float("inf")]}, "tau: entry 0 is inf"),
    "contacts": ({"contacts": True}, "model 'slider' was compiled without contacts"),
    "active": ({"active": {"grip"}}, r"active: model 'slider' has no connections, got \{'grip'\}"),
}


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_arguments(case: str) -> None:
    arguments, message = BAD_ARGUMENTS[case]
    with pytest.raises(ModelError, match=message):
        Simulator(slider(), **arguments)


def test_bad_calls() -> None:
    simulator = Simulator(slider(), contacts=False, active=())
    for call, message in (
        (lambda: simulator.step(-1), "n: expected a whole number of at least 0, got -1"),
        (lambda: simulator.step(1.5), "n: expected a whole number"),
        (lambda: simulator.step(True), "n: expected a whole number"),
        (lambda: simulator.run(-1.0), "duration: expected a time of at least 0"),
        (lambda: simulator.run(float("inf")), "duration"),
        (lambda: simulator.run(1.0, every=0), "every: expected a whole number of at least 1, got 0"),
        (lambda: simulator.connect("grip"), "has no connections, got 'grip'"),
        (lambda: simulator.cut("grip"), "has no connections, got 'grip'"),
        (lambda: Simulator("slider"), "model: expected a compiled Model, got str"),
    ):
        with pytest.raises(ModelError, match=message):
            call()
    assert simulator.t == 0.0
    with pytest.raises(ModelError, match="quaternion"):
        Simulator(spherical_chain(), q=np.zeros(12))


def test_progress_is_told() -> None:
    told: list[float] = []
    Simulator(slider()).run(1.0, progress=told.append)
    assert told == sorted(told) and told[-1] == 1.0
    assert len(Simulator(slider()).run(0.1, progress=True)) == 101
    with pytest.raises(ModelError, match="progress: expected True or False, got 5"):
        Simulator(slider()).run(0.1, progress=5)  # type: ignore[arg-type]


def test_a_run_of_no_time_is_one_state() -> None:
    trajectory = Simulator(slider(), v=[1.0]).run(0.0)
    assert len(trajectory) == 1 and trajectory.v[0, 0] == 1.0


LIBRARY_ONLY: dict[str, Callable[[Simulator], object]] = {
    "connect": lambda simulator: simulator.connect("grip"),
    "cut": lambda simulator: simulator.cut("grip"),
    "switch": lambda simulator: simulator.switch(["grip"]),
    "at": lambda simulator: simulator.at(0.1, lambda _: None),
    "when": lambda simulator: simulator.when(lambda _: True, lambda _: None),
    "wrench": lambda simulator: simulator.wrench("grip"),
    "events": lambda simulator: simulator.events,
    "active": lambda simulator: simulator.active,
    "library": lambda simulator: simulator.library,
}


@pytest.mark.parametrize("what", LIBRARY_ONLY)
def test_what_needs_a_library_says_so(what: str) -> None:
    simulator = Simulator(slider())
    with pytest.raises(ModelError, match=rf"{what}: model 'slider' has no connections.*simulate a TopologyLibrary\("):
        LIBRARY_ONLY[what](simulator)
    simulator.step(3)


def test_parameters_of_a_model_may_be_set_while_it_moves() -> None:
    """Masses, gains of servos and motions that the model gives are those of a model that had them from the start."""
    a, t = kg.parameter("a", 1.0), sympy.Symbol("t")
    cart, body = kg.Link("cart", 1.0), kg.Link("body", kg.parameter("m", 2.0))
    slide = kg.Joint("slide", "prismatic", "world", "cart", axis=(1, 0, 0), motion=a * t)
    lift = kg.Joint("lift", "prismatic", "cart", "body", axis=(0, 0, 1))
    model = kg.compile(kg.Mechanism("cart", [cart, body], [slide, lift]))
    servos, new = {"lift": kg.Servo(kp="m", kd=1.0, position=0.3)}, {"m": 3.0, "a": 2.0}
    simulator = kg.Simulator(model, servos=servos)
    simulator.step(100)
    state = simulator.v
    simulator.set_parameters({"m": 3.0}, a=2.0)
    assert simulator.q[0] == pytest.approx(0.2, abs=1e-15) and dict(simulator.model.parameters) == new
    other = kg.Simulator(model.with_parameters(new), q=[0.0, simulator.q[1]], v=state, servos=servos)
    for each in (simulator, other):
        each.step(50)
    assert simulator.q[1] == pytest.approx(other.q[1], abs=1e-14) and simulator.t == pytest.approx(0.15)
    with pytest.raises(ModelError, match="model 'cart' has no parameter 'n'"):
        simulator.set_parameters({"n": 1.0})
    assert dict(simulator.model.parameters) == new


def test_there_is_one_class_of_simulators() -> None:
    """A model, a mechanism, a library: one class, whose options can be seen; the old name still works."""
    link, joint = kg.Link("body", 1.0), kg.Joint("slide", "prismatic", "world", "body", axis=(1, 0, 0))
    mechanism = kg.Mechanism("one_slide", [link], [joint])
    library = kg.TopologyLibrary(mechanism, [kg.Connection("stop", "body", "world", kg.fixed())])
    for given in (mechanism, kg.compile(mechanism), library, library.library):
        simulator = kg.Simulator(given, dt=2e-3)
        assert type(simulator) is kg.Simulator and isinstance(simulator, Simulator)
        assert len(simulator.run(0.1)) == 51
    ours, theirs = (inspect.signature(of).parameters for of in (kg.Simulator, Simulator))
    assert list(ours) == list(theirs)
    assert [ours[name].default for name in ours] == [theirs[name].default for name in theirs]
    assert {"dt", "integrator", "q", "v", "tau", "contacts", "active", "limits"} < set(ours)
    with pytest.warns(DeprecationWarning, match="use Simulator"):
        assert kinegen.runtime.TopologySimulator is Simulator
