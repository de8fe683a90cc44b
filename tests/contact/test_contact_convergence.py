"""How fast the solver settles: sweeps, depths and creep of stacks."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.runtime import ContactOptions, Model, Simulator
from support.contact.contact_scenes import at, scene, shapes, solid

CUBE = shapes.box((0.1, 0.1, 0.1))


def stack(masses: tuple[float, ...]) -> tuple[Model, np.ndarray]:
    """Cubes on each other, each a little beside the one below."""
    n = len(masses)
    bodies = [solid(f"b{i}", CUBE, mass) for i, mass in enumerate(masses)]
    start = at(*((0.003 * (-1) ** i, 0.002 * (i % 3), 0.05 + 0.1 * i) for i in range(n)))
    return scene(f"stack_{n}", bodies, [shapes.plane()]), start


def stood(masses: tuple[float, ...], steps: int) -> tuple[float, float, float]:
    """Mean sweeps, greatest depth [m], greatest shift [m] over so many steps, the first hundred left out."""
    model, start = stack(masses)
    sim = Simulator(model, q=start)
    sweeps, depth, moved = [], 0.0, 0.0
    for _ in range(steps):
        sim.step()
        sweeps.append(sim.contacts.sweeps)
        depth, moved = max(depth, -sim.contacts.gaps.min()), max(moved, np.abs(sim.q - start).max())
    return float(np.mean(sweeps[100:])), depth, moved


def test_a_stack_of_ten_settles_in_a_few_sweeps() -> None:
    sweeps, depth, moved = stood((1.0,) * 10, 800)
    assert sweeps < 25.0  # 110 without acceleration
    assert depth < 1e-5
    assert moved < 1e-4


@pytest.mark.parametrize("masses", [(1.0, 1000.0), pytest.param((1.0, 30.0, 1000.0), marks=pytest.mark.sweep)])
def test_a_heavy_body_stands_on_a_light_one(masses: tuple[float, ...]) -> None:
    sweeps, depth, moved = stood(masses, 800)
    assert sweeps < 25.0
    assert depth < 1e-4
    assert moved < 5e-4


def test_a_step_is_the_same_again() -> None:
    model, start = stack((1.0,) * 10)
    runs = [Simulator(model, q=start, v=np.linspace(-0.1, 0.1, model.nv)) for _ in range(2)]
    runs[0].step(100)
    for _ in range(100):
        runs[1].step()
    assert (runs[0].q == runs[1].q).all()
    assert runs[0].contacts.sweeps == runs[1].contacts.sweeps


def test_the_limit_of_sweeps_holds_and_more_of_them_come_closer() -> None:
    model, start = stack((1.0,) * 10)
    residuals = []
    for sweeps in (5, 40, 2000):
        options = ContactOptions(sweeps=sweeps, tolerance=0.0)
        sim = Simulator(model, q=start, v=np.tile([0.1, 0.0, -0.5, 0.0, 0.0, 0.0], 10), contacts=options)
        sim.step()
        assert sim.contacts.sweeps == sweeps
        residuals.append(sim.contacts.residual)
    assert residuals[0] > 10.0 * residuals[1] > 1e5 * residuals[2]
