"""Many simulations at once: bit for bit those of one simulator each, whatever the threads; rows that end alone."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray

import kinegen as kg
from kinegen.runtime.rollouts import rollout, together
from support.contact.contact_scenes import at, slope
from support.contact.dropped import drop
from support.mechanisms.closed_mechanisms import four_bar
from support.oracles.mechanisms import double_pendulum

Array = NDArray[np.float64]
ROWS, STEPS, EVERY = 5, 50, 7


def one_by_one(model: Any, q0: Array, v0: Array, tau: Any, **options: Any) -> list[kg.Trajectory]:
    runs = []
    for row in range(len(q0)):
        own = None if tau is None else tau[row]
        simulator = kg.Simulator(model, q=q0[row], v=v0[row], dt=2e-3, tau=own, **options)
        runs.append(simulator.run(STEPS * 2e-3, every=EVERY))
    return runs


def same(found: kg.Rollouts, runs: list[kg.Trajectory]) -> bool:
    q, v = np.array([run.q for run in runs]), np.array([run.v for run in runs])
    return np.array_equal(found.t, runs[0].t) and np.array_equal(found.q, q) and np.array_equal(found.v, v)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_trees_and_loops(integrator: str) -> None:
    rng = np.random.default_rng(0)
    for mechanism in (double_pendulum(), four_bar(1.0, 2.0, 2.5, 3.0)):
        model = kg.compile(mechanism)
        q0, v0 = model.random(rng, size=ROWS), 0.1 * rng.normal(size=(ROWS, model.nv))
        tau = rng.normal(size=(ROWS, STEPS, model.nv))
        v0 = model.project(q0, v0)[1]
        runs = one_by_one(model, q0, v0, tau, integrator=integrator)
        for threads in (1, 3):
            found = kg.rollout(
                model, q0, v0, steps=STEPS, dt=2e-3, tau=tau, every=EVERY, integrator=integrator, threads=threads
            )
            assert same(found, runs) and (found.steps == STEPS).all() and not found.errors and len(found) == ROWS


def test_contact_and_a_library() -> None:
    model = slope(kg.box((0.2, 0.2, 0.2)), 0.3)
    q0 = np.repeat(at([0, 0, 0.11, 0, 0, 0, 1])[None], ROWS, axis=0) + np.eye(ROWS, 7) * 0.01
    q0[:, 3:] /= np.linalg.norm(q0[:, 3:], axis=1, keepdims=True)
    v0 = 0.3 * np.random.default_rng(1).normal(size=(ROWS, 6))
    runs = one_by_one(model, q0, v0, None)
    assert all(run.contacts and run.contacts.records.size for run in runs)
    assert same(kg.rollout(model, q0, v0, steps=STEPS, dt=2e-3, every=EVERY, threads=2), runs)
    library = drop()
    q, v = library.state({"a_free": [0, 0, 0, 0, 0, 0, 1], "b_free": [0, 0, 1, 0, 0, 0, 1]}, {"pivot": 0.3})
    q0, v0 = np.repeat(q[None], 3, axis=0), np.repeat(v[None], 3, axis=0)
    v0[:, 0] = [0.0, 0.1, 0.2]
    runs = one_by_one(library, q0, v0, None, active={"rope"})
    assert same(kg.rollout(library, q0, v0, steps=STEPS, dt=2e-3, every=EVERY, active={"rope"}), runs)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows that Python makes one by one."""
    rows: list[int] = []
    simulate = rollout._Rows._simulate

    def told(self: rollout._Rows, row: int, stopped: Callable[[], bool]) -> None:
        rows.append(row)
        simulate(self, row, stopped)

    monkeypatch.setattr(rollout._Rows, "_simulate", told)
    return rows


def test_loops_start_and_go_on_in_c_but_for_what_there_is_to_tell(
    alone: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that is open, and one whose links come in line: as a simulator of each has them."""
    model = kg.compile(four_bar(0.2, 0.6, 0.2, 0.6))
    q0 = np.array([model.assemble([angle, 0.0, -angle], hold=["pivot"]) for angle in (1.0, 1.2, 1.4, 1.6)])
    v0 = model.project(q0, np.full((4, 3), [3.0, 0.0, 0.0]))[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runs = one_by_one(model, q0, v0, None)
        for most in (16, 120):
            monkeypatch.setattr(together, "MOST_STEPS", most)
            assert same(kg.rollout(model, q0, v0, steps=STEPS, dt=2e-3, every=EVERY, threads=2), runs)
    assert not alone
    q0[1, 1] += 1e-4
    q0[3], v0[3] = model.project(model.assemble([np.pi - 0.006, 0.0, 0.006 - np.pi], hold=["pivot"]), [3.0, 0.0, 0.0])
    with pytest.warns(kg.ClosureWarning, match="was open by"), pytest.warns(kg.ClosureWarning, match="near a singular"):
        found = kg.rollout(model, q0, v0, steps=STEPS, dt=2e-3, every=EVERY)
    assert alone == [1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert same(found, one_by_one(model, q0, v0, None))


@pytest.mark.parametrize("asked", [False, True])
def test_what_is_told_of_loops_names_the_row(asked: bool) -> None:
    """In C as in Python, which asks for torques: open at the start, singular there or on the way."""
    model = kg.compile(four_bar(0.2, 0.6, 0.2, 0.6))
    q0 = np.array([model.assemble([angle, 0.0, -angle], hold=["pivot"]) for angle in (1.0, 1.2, 1.4, 1.6, 1.0)])
    v0 = model.project(q0, np.full((5, 3), [3.0, 0.0, 0.0]))[1]
    q0[1, 1] += 1e-4
    q0[3], v0[3] = model.project(model.assemble([np.pi - 0.006, 0.0, 0.006 - np.pi], hold=["pivot"]), [3.0, 0.0, 0.0])
    q0[4], v0[4] = 0.0, 0.0
    tau = (lambda t, q, v: np.zeros(3)) if asked else None
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        kg.rollout(model, q0, v0, steps=STEPS, dt=2e-3, every=EVERY, tau=tau, threads=2)
    told = [str(one.message) for one in given]
    starts = r"rollout: row 1: q: loop", r"rollout: row 3: model .+ near a singular", r"rollout: row 4: .+ starts at a"
    assert len(told) == 3
    assert all(re.match(start, text) for start, text in zip(starts, told, strict=True))
    assert {one.filename for one in given} == {__file__}


def test_loops_of_a_length_for_each_row() -> None:
    length = sympy.Symbol("length", positive=True)
    model = kg.compile(four_bar(0.2, length, 0.5, 0.6))
    lengths = [0.6, 0.61]
    q0 = np.array([model.with_parameters(length=x).assemble([1.0, 0.3, 1.5], hold=["pivot"]) for x in lengths])
    found = kg.rollout(model, q0, steps=STEPS, dt=2e-3, every=EVERY, parameters={"length": lengths})
    for row, value in enumerate(lengths):
        run = kg.Simulator(model.with_parameters(length=value), q=q0[row], dt=2e-3).run(STEPS * 2e-3, every=EVERY)
        assert np.array_equal(found.q[row], run.q)
    with pytest.raises(kg.ModelError, match=r"row 1: .*loop 'tip' cannot be closed from here"):
        kg.rollout(model, q0[0], steps=STEPS, parameters={"length": [0.6, 5.0]})


def test_connections_stand_where_each_row_has_them(alone: list[int]) -> None:
    """Where links stand at its own q; contact, servos and torques of each."""
    links = [kg.Link(name, 1.0, (0.1, 0, 0), kg.inertia.rod(1.0, 0.2), shapes=[kg.sphere(0.02)]) for name in "abc"]
    joints = [
        kg.Joint("base", "free", "world", "a"),
        kg.Joint("left", "revolute", "a", "b", kg.Pose((0.2, 0, 0)), axis=(0, 1, 0), damping=0.1),
        kg.Joint("right", "revolute", "a", "c", kg.Pose((-0.2, 0, 0)), axis=(0, 1, 0), damping=0.1),
    ]
    chain = kg.Mechanism("chain", links, joints, shapes=[kg.plane()])
    ends = {"grip": ("b", "world"), "pair": ("b", "c")}
    connections = [kg.Connection(name, *two, kg.spherical()) for name, two in ends.items()]
    library = kg.TopologyLibrary(chain, connections=connections).library
    rng = np.random.default_rng(5)
    q0, v0 = library.model.neutral() + np.zeros((ROWS, 9)), 0.3 * rng.normal(size=(ROWS, 8))
    q0[:, 2], q0[:, 7:] = 0.025, 0.5 * rng.normal(size=(ROWS, 2))
    servos = {"left": kg.Servo(kp=20, kd=1, position=0.4)}
    for active in ({"grip"}, {"grip", "pair"}, set[str]()):
        given: dict[str, Any] = {"active": active, "servos": servos}
        tau = 0.1 * rng.normal(size=(ROWS, STEPS, 8))
        runs = one_by_one(library, q0, v0, tau, **given)
        assert all(run.contacts and run.contacts.records.size for run in runs)
        found = kg.rollout(library, q0, v0, steps=STEPS, dt=2e-3, every=EVERY, tau=tau, threads=2, **given)
        assert same(found, runs) and not alone


@pytest.mark.parametrize("most", [16, 120])
def test_no_result_depends_on_how_steps_are_shared_out(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One C call makes 16 steps of one simulation, or two whole ones; each has contacts and servos of its own."""
    monkeypatch.setattr(together, "MOST_STEPS", most)
    model = slope(kg.box((0.2, 0.2, 0.2)), 0.3)
    q0 = np.repeat(at([0, 0, 0.11, 0, 0, 0, 1])[None], ROWS, axis=0)
    v0 = 0.3 * np.random.default_rng(1).normal(size=(ROWS, 6))
    found = kg.rollout(model, q0, v0, steps=STEPS, dt=2e-3, every=EVERY, threads=2)
    assert same(found, one_by_one(model, q0, v0, None))
    pendulum, q0 = kg.compile(double_pendulum()), np.random.default_rng(3).normal(size=(ROWS, 2))
    servos = {"elbow": kg.Servo(kp=50, kd=3, position=np.linspace(0.0, 1.0, STEPS), limit=2.0)}
    runs = one_by_one(pendulum, q0, np.zeros((ROWS, 2)), None, servos=servos)
    assert same(kg.rollout(pendulum, q0, steps=STEPS, dt=2e-3, every=EVERY, servos=servos), runs)


def test_rows_repeat_and_parameters_are_own() -> None:
    length = sympy.Symbol("l1", positive=True)
    model = kg.compile(double_pendulum(l1=length))
    lengths = np.array([0.5, 0.8, 1.1])
    found = kg.rollout(model, [0.3, -0.2], steps=20, parameters={"l1": lengths}, tau=[0.1, 0.2])
    for row, value in enumerate(lengths):
        run = kg.Simulator(model.with_parameters(l1=value), q=[0.3, -0.2], tau=[0.1, 0.2]).run(0.02)
        assert np.array_equal(found.q[row], run.q)
        alone = kg.rollout(model, [0.3, -0.2], steps=20, parameters={"l1": value}, tau=[0.1, 0.2])
        assert np.array_equal(alone.q[0], run.q)
    with pytest.raises(kg.ModelError, match="l1"):
        kg.rollout(model, [0.3, -0.2], steps=20)
    with pytest.raises(kg.ModelError, match="row 2: parameter l1: expected a number that is positive, got -1"):
        kg.rollout(model, [0.3, -0.2], steps=20, parameters={"l1": [0.5, 0.8, -1.0]})
    with pytest.raises(kg.ModelError, match="row 0: parameter l1: expected a number that is positive, got 0"):
        kg.rollout(model, [0.3, -0.2], steps=20, parameters={"l1": [0.0, 0.8]})


def test_wrenches_and_controllers_are_own() -> None:
    """By link, of all steps or each; functions with a memory; what a Simulator of each row makes."""
    model = kg.compile(double_pendulum())
    forces = np.random.default_rng(2).normal(size=(3, STEPS, 6))
    link = model.link_names[-1]

    class Fading:
        def __init__(self, gain: float) -> None:
            self.gain = gain

        def __call__(self, t: float, q: Array, v: Array) -> Array:
            self.gain *= 0.99
            return -self.gain * v

    gains = (0.1, 0.5, 1.0)
    for threads in (1, 2):
        found = kg.rollout(
            model,
            [0.3, -0.2],
            steps=STEPS,
            wrenches={link: forces},
            tau=[Fading(gain) for gain in gains],
            threads=threads,
        )
        for row, gain in enumerate(gains):
            alone = kg.Simulator(model, q=[0.3, -0.2], wrenches={link: forces[row]}, tau=Fading(gain))
            alone.step(STEPS)
            assert np.array_equal(found.q[row, -1], alone.q)
    held = kg.rollout(model, [0.3, -0.2], steps=STEPS, wrenches={link: forces[:, 0]})
    one = kg.Simulator(model, q=[0.3, -0.2], wrenches={link: forces[2, 0]}).run(STEPS * 1e-3)
    assert np.array_equal(held.q[2], one.q)
    pushed = kg.rollout(model, [0.3, -0.2], steps=STEPS, wrenches=lambda t, q, v: {link: forces[2, 0]})
    assert np.array_equal(pushed.q[0], one.q)


@pytest.mark.parametrize(
    "given",
    [
        {"tau": np.zeros((3, 0, 2))},
        {"wrenches": {"lower": np.zeros((3, 0, 6))}},
        {"servos": {"elbow": kg.Servo(kp=1.0, position=np.zeros((3, 0, 1)))}},
        {"servos": {"elbow": kg.Servo(kp=1.0, position=np.zeros((3, 1, 1)))}},
        {"tau": lambda t, q, v: 1 / 0},
    ],
)
def test_no_steps_at_all_give_what_was_given(given: dict[str, Any]) -> None:
    """Of torques, wrenches and aims by step there are none then."""
    model, q0 = kg.compile(double_pendulum()), np.arange(6.0).reshape(3, 2)
    found = kg.rollout(model, q0, steps=0, **given)
    assert np.array_equal(found.q, q0[:, None]) and np.array_equal(found.v, np.zeros((3, 1, 2)))
    assert not found.errors and list(found.steps) == [0, 0, 0] and list(found.t) == [0.0]


def test_what_a_function_raises_comes_with_its_row_and_time() -> None:
    def breaks(t: float, q: Array, v: Array) -> Array:
        return np.array([1.0 / (0.005 - t) if t < 0.005 else 1 // 0, 0.0])

    tau = [lambda t, q, v: np.zeros(2), breaks]
    with pytest.raises(ZeroDivisionError) as raised:
        kg.rollout(kg.compile(double_pendulum()), np.full((2, 2), 0.3), steps=STEPS, tau=tau)
    assert raised.value.__notes__ == ["raised in row 1 of a rollout at t = 0.005 s"]


def test_a_row_that_diverges_ends_alone() -> None:
    model = kg.compile(double_pendulum())
    tau = np.zeros((3, 2))
    tau[1] = 1e300
    told: list[float] = []
    found = kg.rollout(model, [0.3, -0.2], steps=STEPS, tau=tau, threads=2, progress=told.append)
    alone = kg.Simulator(model, q=[0.3, -0.2]).run(STEPS * 1e-3)
    assert list(found.errors) == [1] and "finite" in str(found.errors[1]) and found.steps[1] < STEPS
    assert np.isfinite(found.q[1, 0]).all() and np.isnan(found.q[1, found.steps[1] + 1 :]).all()
    assert np.isfinite(found.q[1, found.steps[1]]).all()
    assert np.array_equal(found.q[0], alone.q) and np.array_equal(found.v[2], alone.v)
    assert sorted(told) == told and told[-1] == 1.0 and len(told) == 3
    late = np.zeros((3, STEPS, 2))
    late[1, 20] = 1e308
    for every in (1, 5, 7):
        ended = kg.rollout(model, [0.3, -0.2], steps=STEPS, tau=late, every=every)
        with pytest.raises(kg.SimulationError) as failed:
            kg.Simulator(model, q=[0.3, -0.2], tau=late[1]).run(STEPS * 1e-3, every=every)
        run, last = failed.value.trajectory, 20 // every
        assert run is not None and ended.steps[1] == 20 and np.array_equal(ended.q[1, : last + 1], run.q[: last + 1])
        assert np.isnan(ended.q[1, last + 1 :]).all()
    none = kg.rollout(model, [0.3, -0.2], steps=STEPS, tau=np.full(2, 1.7e308))  # not one step can be made
    assert list(none.steps) == [0] and np.array_equal(none.q[0, 0], [0.3, -0.2]) and np.isnan(none.q[0, 1:]).all()
    assert (none.v[0, 0] == 0.0).all() and np.isnan(none.v[0, 1:]).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"q0": [[0.0, 0.0], [np.nan, 0.0]]}, r"q0: entry \(1, 0\) is nan"),
        ({"q0": [0.0, 0.0, 0.0]}, r"q0: expected shape \(\.\.\., 2\)"),
        ({"v0": np.zeros((2, 2)), "q0": np.zeros((3, 2))}, "3 simulations, but v0 has 2 rows"),
        ({"tau": np.zeros((1, 9, 2))}, r"tau: expected shape \(2,\), \(B, 2\) or \(B, 10, 2\), got \(1, 9, 2\)"),
        ({"wrenches": {"lower": np.zeros((1, 9, 6))}}, r"wrenches on 'lower': expected shape \(6,\), \(B, 6\) or"),
        ({"wrenches": {"lower": np.zeros((2, 6))}, "q0": np.zeros((3, 2))}, "wrenches on 'lower' has 2 rows"),
        ({"wrenches": {"lover": np.zeros(6)}}, r"rollout: wrenches: .* no link or frame 'lover'"),
        ({"integrator": "rk5"}, "rollout: integrator: unknown 'rk5'"),
        ({"active": {"grip"}}, r"rollout: active: model .* has no connections"),
        ({"tau": [abs, abs], "q0": np.zeros((3, 2))}, "3 simulations, but tau has 2 rows"),
        ({"q0": np.zeros((0, 2))}, "q0: there are no rows"),
        ({"steps": -1}, "steps: expected a whole number"),
        ({"threads": 0}, "threads: expected"),
        ({"parameters": {"nothing": 1.0}}, "nothing"),
        ({"parameters": {"m": np.ones((3, 1))}}, r"parameters: m: expected a number, or one .*, got shape \(3, 1\)"),
        ({"dt": 0.0}, "dt: expected a positive number"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(kg.ModelError, match=message):
        kg.rollout(kg.compile(double_pendulum()), **({"q0": [0.0, 0.0], "steps": 10} | options))


def test_a_gain_that_is_a_parameter_is_told_with_its_row() -> None:
    """Also where a function aims its servo, so that Python makes the rows; what is wrong in all of them has none."""
    gain = kg.Link("gauge", 1.0, (0.1, 0, 0), (0.01, 0, 0, 0.01, 0, sympy.Symbol("gain")))
    model = kg.compile(kg.Mechanism("gauge", [gain], [kg.Joint("s", "revolute", "world", "gauge", axis=(1, 0, 0))]))
    servo, gains = kg.Servo("gain", 1.0, lambda t: 0.0), {"gain": [1.0, 2.0, -0.5]}
    with pytest.raises(kg.ModelError, match=r"rollout: row 2: servos: joint 's': kp must not be negative, got -0\.5"):
        kg.rollout(model, [0.0], steps=2, servos={"s": servo}, parameters=gains)
    with pytest.raises(kg.ModelError, match=r"rollout: servos: .*no joint 'r'"):
        kg.rollout(model, [0.0], steps=2, servos={"r": kg.Servo(1.0)}, parameters=gains)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_a_model_of_which_nothing_moves_stays_as_it_is(integrator: str) -> None:
    post = kg.Mechanism("post", [kg.Link("post", 1.0)], [kg.Joint("held", "fixed", "world", "post")])
    model = kg.compile(post, progress=False)
    for rows in (1, 3):
        found = kg.rollout(model, np.zeros((rows, 0)), np.zeros(0), steps=2, integrator=integrator)
        assert found.q.shape == (rows, 3, 0)
        assert [part.shape for part in model.project(np.zeros((rows, 0)), np.zeros(0))] == [(rows, 0)] * 2
    assert kg.rollout(model, [], steps=2, tau=np.zeros((4, 2, 0)), integrator=integrator).v.shape == (4, 3, 0)
