"""Islands whose sweeps stall are solved by Newton's method, and sweeps prove it."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.runtime import ContactOptions, Model, Simulator
from support.contact.contact_scenes import at, scene, shapes, solid

OPTIONS = ContactOptions(depth=1.0)  # nothing is pushed out, so that the step's problem can be looked at
EDGE = 0.1


def heap() -> tuple[Model, np.ndarray]:
    """Ten boxes, four across the gaps of six, a centimetre above what they fall on."""
    box = shapes.box((EDGE,) * 3, friction=0.8)
    low = [(0.11 * i, 0.11 * j, 0.06) for i in range(3) for j in range(2)]
    high = [(0.11 * i + 0.055, 0.11 * j, 0.17) for i in range(2) for j in range(2)]
    bodies = [solid(f"b{i}", box, 1.0) for i in range(10)]
    return scene("heap", bodies, [shapes.plane(friction=0.8)]), at(*low, *high)


@pytest.fixture(scope="module")
def fallen() -> tuple[Model, list[tuple[int, float, float]]]:
    """Of each step of three heaps: sweeps, the residual told, and that of K, b as matrices."""
    model, start = heap()
    steps = []
    for seed in range(3):
        v = 0.1 * np.random.default_rng(seed).normal(size=model.nv)
        sim = Simulator(model, q=start, v=v, contacts=OPTIONS)
        for _ in range(400):
            sim.step()
            if len(sim.contacts):
                problem = sim._motion.stepper._state.problem()  # type: ignore[attr-defined]
                steps.append((sim.contacts.sweeps, sim.contacts.residual, problem.residual(problem.f)))
    return model, steps


def test_steps_of_a_heap_reach_the_tolerance(fallen: tuple[Model, list[tuple[int, float, float]]]) -> None:
    sweeps, told, proven = np.array(fallen[1]).T
    assert (sweeps > 32).sum() > 20  # there are some that stall
    assert (told > OPTIONS.tolerance).mean() < 0.005  # 0.04 by sweeps alone
    assert np.quantile(proven, 0.995) < 3.0 * OPTIONS.tolerance
    assert proven.max() < 3e-4  # 5e-3 by sweeps alone


def test_it_is_the_same_again() -> None:
    model, start = heap()
    runs = [Simulator(model, q=start, v=np.linspace(-0.3, 0.3, model.nv)) for _ in range(2)]
    runs[0].step(300)
    for _ in range(300):
        runs[1].step()
    assert (runs[0].q == runs[1].q).all()


def test_what_is_asked_for_more_exactly_is_found() -> None:
    model, start = heap()
    exact = ContactOptions(depth=1.0, tolerance=1e-9)
    found = []
    for seed in range(4):
        sim = Simulator(model, q=start, v=0.1 * np.random.default_rng(seed).normal(size=model.nv))
        for _ in range(20):
            sim.step(15)
            if len(sim.contacts):
                again = Simulator(model, q=sim.q, v=sim.v, contacts=exact)
                again.step()
                found.append(again.contacts.residual)
    assert np.median(found) < exact.tolerance
    assert np.quantile(found, 0.8) < 1e-6  # 2e-5 by sweeps alone
