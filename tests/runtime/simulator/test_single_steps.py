"""`step` asked for again and again: the same call is made anew, and nothing is missed that changed in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kinegen as kg
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
