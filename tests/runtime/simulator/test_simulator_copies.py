"""Copies of simulators, saved states that were damaged, and threads."""

from __future__ import annotations

import copy
import pickle
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.events.agenda import PlannedEvent
from support.mechanisms.closed_mechanisms import four_bar

COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda sim: pickle.loads(pickle.dumps(sim))}


@dataclass(frozen=True)
class Ramp:
    """A motion that is given from some time on."""

    place: float
    since: float

    def __call__(self, t: float) -> float:
        assert t >= self.since
        return self.place + t


@cache
def ball() -> kg.Model:
    link = kg.Link("ball", 1.0, (0, 0, 0), kg.inertia.sphere(1.0, 0.1), shapes=[kg.sphere(0.1)])
    joint = kg.Joint("free", "free", "world", "ball")
    return kg.compile(kg.Mechanism("copied_ball", [link], [joint], shapes=[kg.plane()]))


@cache
def coin() -> kg.Model:
    """It rolls on its rim, of which contacts keep more."""
    link = kg.Link("coin", 1.0, inertia=kg.inertia.cylinder(1.0, 0.1, 0.02), shapes=[kg.cylinder(0.1, 0.02)])
    joint = kg.Joint("free", "free", "world", "coin")
    return kg.compile(kg.Mechanism("copied_coin", [link], [joint], shapes=[kg.plane()]))


@cache
def bars() -> kg.Model:
    return kg.compile(four_bar(1.0, 0.4, 0.9, 0.8))


@cache
def library() -> kg.TopologyLibrary:
    rod = kg.Link("rod", 1.0, (0.5, 0, 0), kg.inertia.box(1.0, (1.0, 0.1, 0.1)))
    mechanism = kg.Mechanism("copied_swing", [rod], [kg.Joint("pivot", "revolute", "world", "rod", axis=(0, 1, 0))])
    return kg.TopologyLibrary(mechanism, cuts=["pivot"])


def simulators() -> dict[str, kg.Simulator]:
    rows = np.linspace(0.0, 1.0, 400)[:, None] * np.ones(bars().nv)
    swing = kg.Simulator(library(), tau={"pivot": 2.0})
    swing.at(0.15, "cut", "pivot")
    return {
        "contact": kg.Simulator(ball(), q=[0, 0, 0.12, 0, 0, 0, 1], v=[1, 0, 0, 0, 3, 0]),
        "rim": kg.Simulator(coin(), q=[0, 0, 0.09, 0.6, 0, 0, 0.8], v=[1, 0, 0, 0, 0, -10]),
        "loop": kg.Simulator(bars(), tau=rows, integrator="rk4"),
        "library": swing,
    }


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("what", ["contact", "rim", "loop", "library"])
def test_a_copy_goes_on_to_the_same_bits_and_its_own_way(what: str, how: str) -> None:
    sim = simulators()[what]
    sim.step(100)
    twin, start = COPIES[how](sim), sim.q
    twin.step(200)
    assert np.array_equal(sim.q, start)
    sim.step(200)
    assert np.array_equal(twin.q, sim.q)
    assert np.array_equal(twin.v, sim.v)
    assert twin.t == sim.t
    if what == "library":
        assert twin.active == sim.active == frozenset()
        assert twin.events == sim.events != ()


@dataclass
class Task:
    """A simulator, and what takes back two of its events; `early` stands before it."""

    early: PlannedEvent
    sim: kg.Simulator
    late: PlannedEvent


@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
def test_a_planned_event_that_is_copied_with_its_simulator_is_one_of_the_copy(how: str) -> None:
    sim = kg.Simulator(library(), tau={"pivot": 2.0})
    early, late = sim.at(0.01, "cut", "pivot"), sim.when(kg.angle("pivot") > 1e-6, "cut", "pivot")
    task = Task(early, sim, late)
    twin = COPIES[how](task)
    assert twin.sim is not sim
    assert twin.early.cancel() and twin.late.cancel() and not twin.early.cancel()
    twin.sim.step(50)
    assert twin.sim.active == {"pivot"} and sim.active == {"pivot"}
    assert early.cancel()
    sim.step(50)
    assert sim.active == set() and not late.cancel()


@pytest.mark.parametrize("what", ["contact", "rim", "loop", "library"])
def test_damaged_states_are_refused(what: str) -> None:
    """Any byte of the memory changed, cut off or added; the simulator goes on as if nothing had been."""
    sim = simulators()[what]
    sim.step(50)
    state = sim.save()
    rng = np.random.default_rng(0)
    damaged = [state.loops[:-1], state.loops + b"\0", b"", "text", None]
    for at in rng.integers(0, len(state.loops), 60):
        changed = bytearray(state.loops)
        changed[at] ^= 1 << int(rng.integers(0, 8))
        damaged.append(bytes(changed))
    before = sim.q, sim.v
    for loops in damaged:
        with pytest.raises(kg.ModelError, match="damaged or belongs to another model"):
            sim.restore(replace(state, loops=loops))
    for wrong, said in ((replace(state, steps=-1), "steps"), (replace(state, q=state.q[:-1]), "q"), ({}, "save")):
        with pytest.raises(kg.ModelError, match=said):
            sim.restore(wrong)
    assert np.array_equal(sim.q, before[0])
    assert np.array_equal(sim.v, before[1])
    sim.restore(state)
    sim.step(10)


@pytest.mark.parametrize("what", ["contact", "rim"])
def test_states_with_and_without_contacts_follow_each_other(what: str) -> None:
    """A state holds the contacts that there are, and no room for others."""
    sim, other = simulators()[what], simulators()[what]
    flies = other.save()
    sim.step(100)
    touches, empty = sim.save(), len(flies.loops)
    assert len(sim.contacts) == 1
    assert empty < len(touches.loops) < empty + 200
    sim.step(50)
    other.restore(touches)
    other.step(50)
    assert np.array_equal(other.q, sim.q)
    other.restore(flies)
    assert len(other.contacts) == 0
    other.step(150)
    assert np.array_equal(other.q, sim.q)


def test_a_state_of_another_model_is_refused() -> None:
    with pytest.raises(kg.ModelError, match="another model"):
        kg.Simulator(bars()).restore(replace(kg.Simulator(bars()).save(), loops=simulators()["library"].save().loops))


@pytest.mark.parametrize("what", [bars, library])
def test_a_state_of_steps_of_another_length_is_refused(what: Callable[[], kg.Model | kg.TopologyLibrary]) -> None:
    """Its steps would end at another time, by which motions, rows and events go; at t = 0 there is none."""
    saving, other = kg.Simulator(what(), dt=2e-3), kg.Simulator(what(), dt=1e-3)
    begin = saving.save()
    saving.step(50)
    other.step(3)
    before, state = other.save(), saving.save()
    with pytest.raises(kg.ModelError, match=r"at t = 0.1 s with dt=0.002, and its 50 steps of 0.001 s end at 0.05 s"):
        other.restore(state)
    assert (other.t, other.q.tolist()) == (before.t, before.q.tolist())
    other.restore(begin)
    assert (other.t, other.q.tolist()) == (0.0, begin.q.tolist())
    with pytest.raises(kg.ModelError, match="state: t: expected a number"):
        saving.restore(replace(state, t=float("nan")))


def test_a_copy_closes_nothing_that_is_open() -> None:
    """Not for a moment: a joint that was cut long ago stands far from where it would close."""
    library = kg.TopologyLibrary(four_bar(1.0, 0.4, 0.9, 0.8), cuts=["tip"])
    simulator = kg.Simulator(library)
    simulator.cut("tip")
    simulator.run(0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        twin = copy.copy(simulator)
    assert twin.active == simulator.active == frozenset()
    assert np.array_equal(twin.run(0.05).q, simulator.run(0.05).q)


@pytest.mark.parametrize("how", COPIES)
def test_motions_that_are_given_are_not_asked_for_the_beginning(how: str, recwarn: pytest.WarningsRecorder) -> None:
    """By a copy: they may not have one, or not fit the state that is copied."""
    model = bars()
    start = float(model.q0[model.q_slice("pivot")][0])
    sim = kg.Simulator(model, driven={"pivot": Ramp(start, 0.0)})
    sim.step(200)
    sim.driven = {"pivot": Ramp(start, 0.2)}
    sim.step(50)
    twin = COPIES[how](sim)
    for each in (sim, twin):
        each.step(50)
    np.testing.assert_array_equal(twin.q, sim.q)
    np.testing.assert_array_equal(twin.v, sim.v)
    assert twin.t == sim.t and [str(each.message) for each in recwarn.list] == []


@pytest.mark.parametrize("fault", [ZeroDivisionError, KeyboardInterrupt])
def test_what_a_refused_state_or_motion_leaves_is_what_was(fault: type[BaseException]) -> None:
    """Bit for bit, contacts and what loops remember with it."""

    def refuse(t: float) -> float:
        raise fault

    box = kg.Link("box", 1.0, inertia=kg.inertia.box(1.0, (0.2, 0.2, 0.2)), shapes=[kg.box((0.2, 0.2, 0.2))])
    links, joints = [*four_bar(1.0, 0.4, 0.9, 0.8).links, box], [*four_bar(1.0, 0.4, 0.9, 0.8).joints]
    joints.append(kg.Joint("free", "free", "world", "box", start=(5.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0)))
    model = kg.compile(kg.Mechanism("beside", links, joints, shapes=[kg.plane()]))
    sim, other = (kg.Simulator(model, v=0.1 * np.ones(model.nv)) for _ in range(2))
    for each in (sim, other):
        each.step(30)
    with pytest.raises(fault):
        sim.driven = {"pivot": refuse}
    with pytest.raises(kg.ModelError, match="driven"):
        sim.driven = {"pivot": lambda t: np.nan}
    with pytest.raises(kg.ModelError, match="cannot be closed"):
        sim.q = [*(1e9 * np.ones(3)), *sim.q[3:]]
    assert not sim.driven and len(sim.contacts) == len(other.contacts) > 0 and sim.gap == other.gap
    for each in (sim, other):
        each.step(30)
    np.testing.assert_array_equal(sim.q, other.q)
    np.testing.assert_array_equal(sim.v, other.v)


def test_a_second_thread_is_refused_to_step_and_to_change_what_moves() -> None:
    """While one thread is in the middle of a run; afterwards the simulator serves again. C had arrays and structs taken
    away under its steps: a segmentation fault."""
    inside, leave, refused = threading.Event(), threading.Event(), list[str]()

    def torque(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        inside.set()
        assert leave.wait(20.0)
        return np.zeros(bars().nv)

    sim = kg.Simulator(bars(), tau=torque)
    saved = sim.save()
    thread = threading.Thread(target=sim.step)
    thread.start()
    assert inside.wait(20.0)
    joint = bars().joint_names[0]
    changes: list[Callable[[], object]] = [
        sim.step,
        *(partial(setattr, sim, name, None) for name in ("tau", "driven", "servos", "wrenches")),
        partial(setattr, sim, "driven", {joint: 0.1}),
        partial(setattr, sim, "q", bars().q0),
        partial(setattr, sim, "v", np.zeros(bars().nv)),
        sim.save,
        partial(sim.restore, saved),
    ]
    for change in changes:
        try:
            change()
        except kg.ModelError as error:
            refused.append(str(error))
    leave.set()
    thread.join()
    assert len(refused) == len(changes)
    assert "one motion at a time" in refused[0]
    assert all("another thread makes steps of this simulator" in text for text in refused[1:])
    sim.driven = None
    sim.step(3)
    assert sim.t == pytest.approx(4e-3)


def test_a_function_that_steps_its_own_simulator_is_not_told_of_threads() -> None:
    """A controller or a report of progress may step a copy; that the simulator itself cannot be stepped is said so."""
    sim, seen = kg.Simulator(bars()), list[float]()

    def ahead() -> None:
        for steps in (sim.step, partial(sim.run, 0.01)):
            with pytest.raises(kg.ModelError, match=r"a function of yours that it calls .* there step a copy") as told:
                steps()
            assert "thread" not in str(told.value)
        other = copy.copy(sim)
        other.tau = None
        other.step()
        seen.append(other.t)

    def torque(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        ahead()
        return np.zeros(bars().nv)

    sim.tau = torque
    sim.step()
    sim.tau = None
    sim.run(0.001, progress=lambda _: ahead())
    assert seen[0] == pytest.approx(0.001) and len(seen) >= 2
