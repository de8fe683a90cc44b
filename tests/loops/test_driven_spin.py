"""Links that turn fast in mechanisms with a driven joint: energy where it is held, work and torques where it moves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg

SPINS = (20.0, 60.0, 10.0)
TURNING = 9.0
"""Of what is driven, back and forth [rad/s]."""
FOURBAR = Path(__file__).parents[2] / "examples/fourbar.toml"


def cart() -> tuple[kg.Mechanism, str]:
    """A cart carries a lever on a ball joint, which carries a body on another; and what is driven."""
    box = kg.inertia.box(1.0, (0.1, 0.2, 0.3))
    links = [
        kg.Link("cart", 5.0, inertia=kg.inertia.box(5.0, (0.2, 0.2, 0.2))),
        kg.Link("lever", 1.0, (0, 0, -0.1), box),
        kg.Link("body", 1.0, (0, 0, 0.02), box),
    ]
    joints = [
        kg.Joint("slide", "prismatic", "world", "cart", axis=(1, 0, 0)),
        kg.Joint("hinge", "spherical", "cart", "lever"),
        kg.Joint("ball", "spherical", "lever", "body", origin=kg.Pose((0, 0, -0.2))),
    ]
    return kg.Mechanism("carried", links, joints), "slide"


def crank() -> tuple[kg.Mechanism, str]:
    """A body on a ball joint of a four-bar's coupler."""
    bars = kg.load(FOURBAR)
    body = kg.Link("body", 0.2, (0, 0, 0.02), kg.inertia.box(0.2, (0.1, 0.2, 0.3)))
    ball = kg.Joint("ball", "spherical", "coupler", "body", origin=kg.Pose((0.3, 0.1, 0)))
    return kg.Mechanism("spinning_bars", [*bars.links, body], [*bars.joints, ball], gravity=bars.gravity), "drive"


def started(make: Callable[[], tuple[kg.Mechanism, str]]) -> tuple[kg.Model, str, np.ndarray]:
    mechanism, driven = make()
    model = kg.compile(mechanism, progress=False)
    v = np.zeros(model.nv)
    v[model.v_slice("ball")] = SPINS
    return model, driven, v


@pytest.mark.parametrize("make", [cart, crank])
def test_what_is_held_gives_no_energy(make: Callable[[], tuple[kg.Mechanism, str]]) -> None:
    model, driven, v = started(make)
    for fast in (1.0, 10.0):
        given = {driven: float(model.q0[model.q_slice(driven)][0])}
        run = kg.Simulator(model, v=fast * v, driven=given).run(0.3)
        total = run.energy.sum(axis=1)
        assert np.ptp(total) < 2e-3 * run.energy[0, 0]


@pytest.mark.parametrize("make", [cart, crank])
def test_what_moves_does_its_work(make: Callable[[], tuple[kg.Mechanism, str]]) -> None:
    """To first order in the step, states, torques and work are those of short steps of Runge-Kutta."""
    model, driven, v = started(make)
    rest, at = model.q0[model.q_slice(driven)][0], model.v_slice(driven)
    v[at] = 0.1 * TURNING

    def course(t: float) -> tuple[float, float, float]:
        phase = TURNING * t
        return rest + 0.1 * np.sin(phase), 0.1 * TURNING * np.cos(phase), -0.1 * TURNING**2 * np.sin(phase)

    def made(dt: float, integrator: str) -> kg.Trajectory:
        return kg.Simulator(model, dt=dt, v=v, driven={driven: course}, integrator=integrator, work=True).run(0.1)

    exact = made(1e-4, "rk4")
    gained = exact.energy[-1].sum() - exact.energy[0].sum()
    assert exact.work is not None and exact.work.total[-1] == pytest.approx(gained, abs=1e-6)
    misses = []
    for dt in (1e-3, 5e-4):
        run = made(dt, "semi_implicit")
        misses.append(float(np.abs(model.difference(exact.q[-1], run.q[-1])).max()))
        assert run.work is not None
        assert run.work.total[-1] == pytest.approx(run.energy[-1].sum() - run.energy[0].sum(), abs=10.0 * dt)
        assert run.tau[:-1, at].mean() == pytest.approx(exact.tau[:-1, at].mean(), rel=5.0 * dt)
        np.testing.assert_allclose(run.q[:, model.q_slice(driven)][-1], course(0.1)[0], atol=1e-12)
    assert misses[1] < 0.6 * misses[0] < 3e-3
