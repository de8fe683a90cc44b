"""`step` asked for again and again: the same call is made anew, and nothing is missed that changed in between."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from types import FrameType
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.simulation import running
from kinegen.runtime.simulation.motion import Motion
from support.mechanisms.sample_figure import figure

STEPS = 400


@pytest.fixture(scope="module")
def models() -> dict[str, kg.Model | kg.TopologyLibrary]:
    box = kg.Link("box", 2.0, inertia=(0.1, 0, 0, 0.1, 0, 0.1), shapes=[kg.box((0.2, 0.2, 0.2))])
    ground = kg.Mechanism("ground", [box], [kg.Joint("base", "free", "world", "box")], shapes=[kg.plane()])
    return {
        "tree": kg.compile(figure()),
        "loop": kg.compile("examples/fourbar.toml"),
        "box": kg.compile(ground),
        "library": kg.TopologyLibrary(figure(), cuts=["elbow"]),
    }


def _changes(sim: kg.Simulator, rng: np.random.Generator) -> list[Callable[[], object]]:
    """What may happen between two steps."""
    model = sim.model
    names = [joint.name for joint in model.manifest.joints if joint.kind in ("revolute", "continuous")]
    link, moment, tau = model.manifest.links[-1], sim.save(), rng.normal(size=model.nv)
    changes: list[Callable[[], object]] = [
        lambda: setattr(sim, "tau", tau),
        lambda: setattr(sim, "tau", None),
        lambda: setattr(sim, "tau", np.tile(tau, (2 * STEPS, 1))),
        lambda: setattr(sim, "tau", lambda t, q, v: -0.1 * v),
        lambda: setattr(sim, "wrenches", {link: rng.normal(size=6)}),
        lambda: setattr(sim, "wrenches", None),
        lambda: setattr(sim, "v", 0.9 * sim.v),
        lambda: setattr(sim, "q", sim.q),
        lambda: sim.restore(moment),
        lambda: sim.run(3e-3),
        lambda: sim.step(7),
    ]
    if names:
        changes += [
            lambda: setattr(sim, "servos", {names[0]: kg.Servo(kp=3.0, kd=0.1, position=0.4)}),
            lambda: setattr(sim, "servos", {names[0]: kg.Servo(kd=0.2, velocity=lambda t: 0.1)}),
            lambda: setattr(sim, "servos", None),
        ]
    if sim._motion.structure:
        changes += [lambda: sim.switch(cut=["elbow"] if "elbow" in sim.active else [])]
    return changes


def _gone_through(model: Any, seed: int) -> list[tuple[np.ndarray[Any, Any], ...]]:
    rng = np.random.default_rng(seed)
    sim = kg.Simulator(
        model, tau=rng.normal(size=model.model.nv if isinstance(model, kg.TopologyLibrary) else model.nv)
    )
    found = []
    for _ in range(STEPS):
        if rng.random() < 0.15:
            changes = _changes(sim, rng)
            changes[rng.integers(len(changes))]()
        sim.step(int(rng.integers(1, 3)) if rng.random() < 0.1 else 1)
        served = np.concatenate([*sim.serving.values(), np.zeros(0)])
        force = sim.contacts.forces.sum(axis=0) if sim.model.manifest.touching else np.zeros(3)
        found.append((np.array([sim.t]), sim.q, sim.v, served, force))
    return found


@pytest.mark.parametrize("name", ["tree", "loop", "box", "library"])
def test_nothing_is_missed(
    name: str, models: dict[str, kg.Model | kg.TopologyLibrary], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bit for bit what a simulator does that prepares each call anew, through all kinds of changes."""
    repeated = []
    original = Motion.repeat
    monkeypatch.setattr(Motion, "repeat", lambda self, n: repeated.append(original(self, n)) or repeated[-1])
    quick = _gone_through(models[name], 3)
    monkeypatch.setattr(Motion, "repeat", lambda self, n: False)
    for one, other in zip(quick, _gone_through(models[name], 3), strict=True):
        for x, y in zip(one, other, strict=True):
            np.testing.assert_array_equal(x, y)
    assert 40 < sum(repeated) < len(repeated)


def test_what_diverges_is_told_by_a_repeated_call(models: dict[str, kg.Model | kg.TopologyLibrary]) -> None:
    model = models["tree"]
    assert isinstance(model, kg.Model)
    sim = kg.Simulator(model, dt=1e-3, integrator="rk4")
    sim.step()
    sim.tau = np.full(model.nv, 1e150)
    with pytest.raises(kg.SimulationError, match="stops being finite"):
        for _ in range(100):
            sim.step()
    assert np.isfinite(sim.q).all() and np.isfinite(sim.v).all()


@pytest.mark.parametrize(
    ("speed", "said"), [(0.0, "s, which begins at rest"), (2.0, "fastest is joint 'elbow' with 2 ")]
)
def test_what_diverges_from_rest_blames_no_joint(speed: float, said: str) -> None:
    sim = kg.Simulator(kg.compile(kg.load("examples/double_pendulum.urdf")), v=[0.0, speed], tau=[0.0, 1e308])
    with pytest.raises(kg.SimulationError, match=rf"stops being finite in the step from t = 0 .*{said}"):
        sim.step()


def _interrupted(number: int, go: Callable[[], object]) -> KeyboardInterrupt | None:
    """What Ctrl-C leaves that is answered at this call of the simulation's, returns counted too; None: all went by.

    The interpreter answers signals where functions begin, and where they have returned.
    """
    left = number

    def look(frame: FrameType, event: str, arg: object) -> None:
        nonlocal left
        rooms = ("/runtime/simulation/", "/runtime/stepping/")
        if event in ("call", "return", "c_return") and any(room in frame.f_code.co_filename for room in rooms):
            left -= 1
            if left < 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        go()
    except KeyboardInterrupt as interrupt:
        return interrupt
    finally:
        sys.setprofile(before)
    return None


@pytest.mark.parametrize("way", ["chunks", "again"])
def test_state_and_time_go_together_wherever_an_interrupt_arrives(
    way: str, models: dict[str, kg.Model | kg.TopologyLibrary], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each call in turn: q, v, t and what servos exerted are of one step, and from there the motion goes on."""
    monkeypatch.setattr(running, "MOST_STEPS", running.CHUNK)  # calls that grow would be one here
    model, first = models["loop"], 2
    assert isinstance(model, kg.Model)
    table = np.random.default_rng(5).normal(size=(270, model.nv))
    given: dict[str, Any] = {"tau": table if way == "chunks" else table[0]}
    given["servos"] = {"knee": kg.Servo(kp=3.0, kd=0.1, position=0.4)}
    sim, one, known = kg.Simulator(model, **given), kg.Simulator(model, **given), []
    for _ in range(265):
        known.append((one.q, one.v, one.serving.get("knee")))
        one.step()
    calls, steps = (1, 260) if way == "chunks" else (2, 1)
    sim.step(first)
    begin, reached, stop = sim.save(), set(), True
    for number in count():
        if not stop:
            break
        sim.restore(begin)
        sim.step()
        stop = _interrupted(number, lambda: [sim.step(steps) for _ in range(calls)])
        step = round(sim.t / sim.dt)
        reached.add(step)
        for found, expected in zip((sim.q, sim.v, sim.serving["knee"]), known[step], strict=True):
            np.testing.assert_array_equal(found, expected)
        sim.step()
        np.testing.assert_array_equal(sim.q, known[step + 1][0])
    assert reached == {3, 259, 263} if way == "chunks" else reached == {3, 4, 5}


def test_calls_become_long_where_steps_are_cheap(
    models: dict[str, kg.Model | kg.TopologyLibrary], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And short again where they are not; the motion is the same to the last bit. Of records each call has few."""
    model, march, made = models["loop"], Motion.march, list[int]()
    assert isinstance(model, kg.Model)

    def counted(motion: Motion, n: int, *given: Any) -> bool:
        made.append(n)
        return march(motion, n, *given)

    monkeypatch.setattr(Motion, "march", counted)
    ends, calls = [], []
    for brief in (np.inf, 0.0):
        sim = kg.Simulator(model)
        for running_brief in (brief, 0.0):
            monkeypatch.setattr(running, "BRIEF", running_brief)
            sim.step(2000)
        ends.append((sim.q, sim.v))
        calls.append(made.copy())
        made.clear()
    assert calls[0] == [256, 512, 1024, 208, 2000] and calls[1] == 2 * ([256] * 7 + [208])
    np.testing.assert_array_equal(ends[0], ends[1])
    monkeypatch.setattr(running, "BRIEF", np.inf)
    run = kg.Simulator(model).run(2.0, every=2)
    assert made == [256, 512, 512, 512, 208] and len(run.t) == 1001
    made.clear()
    sim = kg.Simulator(model)
    for n in (*[2] * 20, 2000):  # short ones do not tell how long a long one takes
        sim.step(n)
    assert made == [2, 256, 512, 1024, 208]


def test_a_run_that_is_interrupted_gives_what_it_recorded(models: dict[str, kg.Model | kg.TopologyLibrary]) -> None:
    """Each state once, with its torques, wherever the interrupt arrives."""
    box = models["box"]
    assert isinstance(box, kg.Model)
    start, table = [0, 0, 0.1001, 0, 0, 0, 1], np.random.default_rng(5).normal(size=(300, 6))
    whole, lengths = kg.Simulator(box, q=start, tau=table, work=True).run(0.26), set()
    assert whole.work is not None and whole.contacts is not None
    for number in count(0, 3):
        sim = kg.Simulator(box, q=start, tau=table, work=True)
        stop = _interrupted(number, lambda sim=sim: sim.run(0.26))
        if stop is None:
            break
        part = getattr(stop, "trajectory", None)
        if part is None:  # before anything was recorded, or after all was
            continue
        lengths.add(len(part.t))
        assert part.t[-1] == sim.t
        for name in ("t", "q", "v"):
            np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[: len(part.t)])
        np.testing.assert_array_equal(part.work.total, whole.work.total[: len(part.t)])
        np.testing.assert_array_equal(part.tau[:-1], whole.tau[: len(part.t) - 1])
    assert lengths == {1, 257, 261}


def test_time_between_two_steps_goes_with_the_state_that_an_interrupt_leaves(
    models: dict[str, kg.Model | kg.TopologyLibrary],
) -> None:
    sim, known, stop = kg.Simulator(models["library"]), dict[float, Any](), True
    begin = sim.save()
    for moment in (0.0, 0.0013, 0.002):
        sim.at(moment, lambda sim: known.update({sim.t: sim.q}))
    sim.step(3)
    known[0.001], known[0.003] = _state_after(models["library"], 1), sim.q
    reached = set()
    for number in count():
        if not stop:
            break
        sim.restore(begin)
        sim.at(0.0013, lambda sim: None)
        stop = _interrupted(number, lambda: sim.step(3))
        reached.add(sim.t)
        np.testing.assert_array_equal(sim.q, known[sim.t])
    assert reached == {0.0, 0.001, 0.0013, 0.002, 0.003}


def _state_after(model: kg.Model | kg.TopologyLibrary, steps: int) -> Any:
    sim = kg.Simulator(model)
    sim.step(steps)
    return sim.q
