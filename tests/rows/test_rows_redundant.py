"""Loops by rows that repeat each other, or do not quite fit, against the same mechanisms on their closure."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen import Joint, Link, Pose

BY_ROWS = kg.RowRules(loops=True)


def rod(name: str, length: float) -> Link:
    return Link(name, length, (length / 2, 0, 0), kg.inertia.box(length, (length, 0.02, 0.02)))


def four_bar(*, second_hinge: bool = False, lean: float = 0.0, gap: float = 0.0) -> kg.Mechanism:
    """Crank 0.3, coupler 0.9, rocker 0.7 on 0.8 m, in space; pins that lean [rad] and miss [m]; the last one twice."""
    joints = [
        Joint("j1", "revolute", "world", "a"),
        Joint("j2", "revolute", "a", "b", origin=Pose((0.3, 0, 0), (lean, 0, 0))),
        Joint("j3", "revolute", "world", "c", origin=Pose((0.8, 0, 0))),
        Joint("j4", "revolute", "b", "c", origin=Pose((0.9, 0, 0), (0, lean, 0)), child_origin=Pose((0.7, 0, gap))),
    ]
    if second_hinge:
        ends = Pose((0.9, 0, 0.1)), Pose((0.7, 0, 0.1))
        joints.append(Joint("j5", "revolute", "b", "c", origin=ends[0], child_origin=ends[1]))
    return kg.Mechanism("four_bar", [rod("a", 0.3), rod("b", 0.9), rod("c", 0.7)], joints, gravity=(0, -9.81, 0))


def parallel_bars() -> kg.Mechanism:
    """A table on three equal legs: one leg more than a plane mechanism needs, all pins parallel."""
    legs = [rod(f"leg{i}", 0.4) for i in range(3)]
    joints = [Joint(f"foot{i}", "revolute", "world", f"leg{i}", origin=Pose((0.3 * i, 0, 0))) for i in range(3)]
    joints += [
        Joint(f"pin{i}", "revolute", f"leg{i}", "table", origin=Pose((0.4, 0, 0)), child_origin=Pose((0.3 * i, 0, 0)))
        for i in range(3)
    ]
    return kg.Mechanism("bars", [*legs, rod("table", 0.6)], joints, gravity=(0, -9.81, 0))


def closed_four_bar(crank: float) -> np.ndarray:
    end = 0.3 * np.array([np.cos(crank), np.sin(crank)])
    way = np.array([0.8, 0.0]) - end
    far = np.hypot(*way)
    coupler = np.arctan2(way[1], way[0]) + np.arccos((0.81 + far**2 - 0.49) / (1.8 * far))
    tip = end + 0.9 * np.array([np.cos(coupler), np.sin(coupler)])
    return np.array([crank, coupler - crank, np.arctan2(tip[1], tip[0] - 0.8)])


@pytest.mark.parametrize("tolerance", [pytest.param(1e-5, marks=pytest.mark.sweep), 1e-11])
def test_a_hinge_twice(tolerance: float) -> None:
    """Ten rows of which two matter: as the closure of the same, over the whole swing."""
    model, rows = kg.compile(four_bar()), kg.compile(four_bar(second_hinge=True), rows=BY_ROWS)
    q = closed_four_bar(0.6)
    ends = [
        kg.Simulator(model, q=q, dt=1e-4).run(1.5, every=50).q,
        kg.Simulator(rows, q=q, dt=1e-4, contacts=kg.ContactOptions(tolerance=tolerance)).run(1.5, every=50).q,
    ]
    np.testing.assert_allclose(ends[0], ends[1], atol=0.01)
    assert np.ptp(ends[0], axis=0).max() > 1.0


def test_parallel_bars() -> None:
    model, rows = kg.compile(parallel_bars()), kg.compile(parallel_bars(), rows=BY_ROWS)
    assert model.joint_names == rows.joint_names
    angle = 1.2
    q = np.array([-angle if name.startswith("pin") else angle for name in rows.joint_names])
    runs = [kg.Simulator(of, q=q, dt=1e-4).run(0.3, every=50) for of in (model, rows)]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=5e-3)
    assert np.abs(runs[0].q[-1] - q).max() > 0.3


@pytest.mark.parametrize(
    ("lean", "gap"), [(2e-5, 1e-5), (1e-4, -2e-4), pytest.param(-2e-4, 1e-4, marks=pytest.mark.sweep)]
)
def test_pins_that_nearly_fit(lean: float, gap: float) -> None:
    """It moves as the four-bar that fits, within what the pins miss by."""
    model = kg.compile(four_bar())
    rows = kg.compile(four_bar(lean=lean, gap=gap), rows=BY_ROWS)
    q = closed_four_bar(1.0)
    fits = kg.Simulator(model, q=q).run(0.4)
    sim = kg.Simulator(rows, q=q)
    trajectory = sim.run(0.4)
    np.testing.assert_allclose(trajectory.q, fits.q, atol=0.05)
    assert max(row.off for row in sim.rows) < 1e-2


def test_a_loop_that_cannot_close_is_refused_by_name() -> None:
    """50 mm out of the plane, pins that lean by 0.2, thrown: the step is refused, the state stays."""
    rows = kg.compile(four_bar(lean=0.2, gap=0.05), rows=BY_ROWS)
    sim = kg.Simulator(rows, q=closed_four_bar(1.0), v=[300.0, -600.0, 100.0], dt=1e-2)
    with pytest.raises(kg.SimulationError, match=r"'j4' .* do not hold"):
        for _ in range(20):
            kept = sim.q.copy(), sim.v.copy(), sim.t
            sim.step()
    assert (sim.q == kept[0]).all()
    assert (sim.v == kept[1]).all()
    assert sim.t == kept[2]
    assert np.abs(sim.q).max() < 1e3
