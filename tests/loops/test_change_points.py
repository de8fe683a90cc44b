"""Through points where branches of a motion cross, at speed: the energy stays, the velocity does not jump."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime import Model, Simulator, Trajectory
from kinegen.runtime.errors import ClosureWarning
from support.mechanisms.closed_mechanisms import four_bar, slider_crank
from support.mechanisms.linkages import peaucellier
from support.oracles.numeric import Array

MECHANISMS = {
    "parallelogram": lambda: four_bar(0.7, 1.6, 0.7, 1.6, "parallelogram"),
    "kite": lambda: four_bar(0.8, 0.8, 1.7, 1.7, "kite"),
    "deltoid": lambda: four_bar(1.9, 1.1, 1.1, 1.9, "deltoid"),
    "1-4-3-2": lambda: four_bar(1.0, 4.0, 3.0, 2.0, "one_four_three_two"),
    "equal slider-crank": lambda: slider_crank(0.4, 0.4),
    "peaucellier": peaucellier,
}
QUICK = ("parallelogram", "kite", "peaucellier")
ALL = [pytest.param(name, marks=() if name in QUICK else pytest.mark.sweep) for name in MECHANISMS]


@cache
def model(name: str) -> Model:
    return kg.compile(MECHANISMS[name]())


def straight_line_pose(turn: float) -> Array:
    """Peaucellier's linkage, rhombus open, its crank turned."""
    arm, side, crank = 1.0, 0.4, 0.35
    near = crank * np.array([1 + np.cos(turn), np.sin(turn)])
    far = float(np.hypot(*near))
    open_by = np.arccos((arm**2 + far**2 - side**2) / (2 * arm * far))
    arms = turn / 2 + open_by, turn / 2 - open_by
    corners = [arm * np.array([np.cos(x), np.sin(x)]) for x in arms]
    pen = corners[0] + corners[1] - near
    given = {"crank": turn}
    for name, angle, corner in zip("ab", arms, corners, strict=True):
        given[f"arm {name}"] = angle
        given[f"near {name}"] = np.arctan2(*(corner - near)[::-1]) - turn
        given[f"far {name}"] = np.arctan2(*(pen - corner)[::-1]) - angle
    q = np.zeros(model("peaucellier").nq)
    for name, angle in given.items():
        q[model("peaucellier").q_slice(name)] = angle
    return model("peaucellier").assemble(q)


def thrown(name: str, speed: float, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    q = straight_line_pose(rng.uniform(0.2, 0.8)) if name == "peaucellier" else model(name).random(rng)
    W = model(name).closure.split(q).W()
    v = W @ rng.normal(size=W.shape[1])
    return q, v * (speed / np.abs(v).max())


def run(name: str, speed: float, seed: int, integrator: str, dt: float = 1e-3, duration: float = 2.0) -> Trajectory:
    q, v = thrown(name, speed, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClosureWarning)
        return Simulator(model(name), q=q, v=v, integrator=integrator, dt=dt).run(duration)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("speed", [1.0, 5.0, 15.0])
@pytest.mark.parametrize("seed", range(3))
def test_runge_kutta_keeps_the_energy(name: str, speed: float, seed: int) -> None:
    trajectory = run(name, speed, seed, "rk4")
    total, scale = trajectory.energy.sum(axis=1), float(trajectory.energy[:, 0].max())
    assert np.diff(total).max() < (1e-6 if speed <= 5.0 else 5e-6) * scale  # at 15 rad/s the order's own share
    assert np.ptp(total) < 1e-4 * scale
    assert trajectory.closure_gap.max() <= 1e-10


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_the_velocity_goes_on_through_the_crossing(name: str, integrator: str) -> None:
    """No step turns the velocity by more than its accelerations do: the largest change falls with dt."""
    coarse, fine = (run(name, 5.0, 1, integrator, dt) for dt in (1e-3, 1.25e-4))
    changes = [float(np.abs(np.diff(t.v, axis=0)).max() / np.abs(t.v).max()) for t in (coarse, fine)]
    assert changes[1] < 0.3 * changes[0] < 0.0375  # where in a step the crossing lies differs


@pytest.mark.parametrize("name", ALL)
def test_semi_implicit_changes_the_energy_by_no_more_than_its_order_gives(name: str) -> None:
    """The largest change of the energy in one step falls with the square of dt."""
    changes = []
    for dt in (5e-4, 2.5e-4):
        energy = run(name, 1.0, 0, "semi_implicit", dt, 1.0).energy
        changes.append(float(np.abs(np.diff(energy.sum(axis=1))).max() / energy[:, 0].max()))
    assert changes[1] < 0.3 * changes[0] < 3e-4


def test_a_crossing_that_cannot_be_told_is_said_once() -> None:
    """A step that ends where the links are in line."""
    moving = model("parallelogram")
    q = moving.assemble([0.0, 0.0, 0.0])
    with pytest.warns(ClosureWarning, match="may go on either way") as said:
        Simulator(moving, q=q, v=[2.0, -2.0, 2.0], integrator="rk4").run(4.0)
    assert len(said) == 1
