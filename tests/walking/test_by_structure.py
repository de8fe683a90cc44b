"""Three steps whose feet are connections: impulses, feet that stay, forces of the ground, torques; beside contact."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import kinegen as kg
from kinegen.walking.biped import biped

Array = np.ndarray
SOLES = ("sole_left", "sole_right")


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    folder = str(Path(__file__).parents[2] / "examples" / "walking")
    sys.path.insert(0, folder)
    yield importlib.import_module("by_structure")
    sys.path.remove(folder)
    sys.modules.pop("by_structure")


@pytest.fixture(scope="module")
def made(script: ModuleType) -> tuple[kg.Model, kg.TopologyLibrary, kg.WalkingPattern]:
    robot = kg.load(script.ROBOT)
    model = kg.compile(robot, progress=False)
    pattern = kg.walking_pattern(model, robot, script.FEET, kg.footsteps(3, length=0.1, width=0.2, turn=0.1))
    return model, script.library(robot, biped(model, robot, script.FEET).soles).precompile(), pattern


@pytest.fixture(scope="module")
def walk(script: ModuleType, made: tuple[kg.Model, kg.TopologyLibrary, kg.WalkingPattern]):  # type: ignore[no-untyped-def]
    _, lib, pattern = made
    return script.by_structure(lib, pattern)


def test_all_steps_are_made(made, walk) -> None:  # type: ignore[no-untyped-def]
    _, _, pattern = made
    changes = [(what, name) for _, what, name in walk.trajectory.events if what in ("connect", "cut")]
    sides = ("right", "left", "right")
    assert changes == [(what, f"stand_{side}") for side in sides for what in ("cut", "connect")]
    assert np.linalg.norm(walk.trajectory.q[:, :3] - pattern.q[:, :3], axis=1).max() < 1e-3


def test_touchdown_impulses_are_the_jump_of_momentum(made, walk) -> None:  # type: ignore[no-untyped-def]
    """M Δv is what both feet get, the one that stands already too; linear and angular momentum jump by just that."""
    model = made[1].model
    assert len(walk.touchdowns) == 3
    for touch in walk.touchdowns:
        rows = [model.frame_jacobian(touch.q, name) for name in SOLES]
        rest = model.mass_matrix(touch.q) @ (touch.after - touch.before) - rows[touch.side].T @ touch.impulse
        standing, *_ = np.linalg.lstsq(rows[1 - touch.side].T, rest, rcond=None)
        np.testing.assert_allclose(rows[1 - touch.side].T @ standing, rest, atol=1e-9)
        jump = model.momentum(touch.q, touch.after) - model.momentum(touch.q, touch.before)
        given = np.zeros(6)
        for side, impulse in ((touch.side, touch.impulse), (1 - touch.side, standing)):
            arm = model.frame_pose(touch.q, SOLES[side])[:3, 3] - model.com(touch.q)
            given += np.concatenate([impulse[:3], impulse[3:] + np.cross(arm, impulse[:3])])
        np.testing.assert_allclose(jump, given, atol=1e-9)
        assert touch.impulse[2] > 0.0
        assert model.energy(touch.q, touch.after)[0] < model.energy(touch.q, touch.before)[0]


def test_a_foot_that_came_down_is_at_rest(made, walk) -> None:  # type: ignore[no-untyped-def]
    model = made[1].model
    for touch in walk.touchdowns:
        for side, name in enumerate(SOLES):
            row = model.frame_jacobian(touch.q, name)
            assert np.abs(row @ touch.after).max() < 1e-9
            if side == touch.side:
                assert np.abs(row @ touch.before).max() > 1e-4
                assert abs(model.frame_pose(touch.q, name)[2, 3]) < 1e-6


def test_feet_stay_in_place_to_a_nanometre(script, made, walk) -> None:  # type: ignore[no-untyped-def]
    """From touchdown to lift-off, and from the start."""
    model, run = made[1].model, walk.trajectory
    for side, name in enumerate(SOLES):
        poses = model.frame_pose(run.q, name)
        begins = [0.0, *(t for t, what, on in run.events if (what, on) == ("connect", script.STANDS[side]))]
        ends = [*(t for t, what, on in run.events if (what, on) == ("cut", script.STANDS[side])), np.inf]
        for begin, end in zip(begins, ends, strict=True):
            stance = poses[(run.t > begin - 1e-9) & (run.t < end + 1e-9)]
            assert len(stance) > 500 and np.abs(stance - stance[0]).max() < 1e-9


def ground(model: kg.Model, q: Array, floor: Array) -> Array:
    """(n, 6) both feet's wrenches together, about the world's origin."""
    total = np.zeros((len(floor), 6))
    for side, name in enumerate(SOLES):
        at, wrench = model.frame_pose(q, name)[:, :3, 3], floor[:, side]
        total += np.hstack([wrench[:, :3], wrench[:, 3:] + np.cross(at, wrench[:, :3])])
    return total


def test_forces_of_the_ground_are_the_rate_of_momentum(script, made, walk) -> None:  # type: ignore[no-untyped-def]
    """Both feet's wrenches together are what the accelerations of the closed mechanism take, in all structures met."""
    _, lib, _ = made
    model, run = lib.model, walk.trajectory
    states = np.arange(0, len(run) - 1, 25)
    told = walk.floor[np.searchsorted(walk.t, run.t[states] - 1e-9)]
    a = np.empty((len(states), model.nv))
    met = set()
    for i, state in enumerate(states):
        held = frozenset(name for side, name in enumerate(script.STANDS) if told[i, side].any())
        closed = lib.with_active(held, run.q[state]).with_independent([], run.q[state])
        a[i] = closed.forward_dynamics(run.q[state], run.v[state], run.tau[state])
        met.add(held)
    needed = kg.external_wrench(model, run.q[states], run.v[states], a)
    assert len(met) == 3 and np.ptp(needed[:, 2]) > 5.0
    np.testing.assert_allclose(ground(model, run.q[states], told), needed, atol=1e-5)


def test_the_floor_bears_the_weight(made, walk) -> None:  # type: ignore[no-untyped-def]
    """Vertical momentum from beginning to end; forces are those at the beginnings of steps."""
    model, run, dt = made[1].model, walk.trajectory, made[2].dt
    found = np.searchsorted(walk.t, run.t[:-1] - 1e-9)
    weight = 9.81 * model.total_mass()
    given = dt * (walk.floor[found, :, 2].sum(axis=1) - weight).sum()
    jumps = sum(model.momentum(x.q, x.after)[2] - model.momentum(x.q, x.before)[2] for x in walk.touchdowns)
    change = run.momentum[-1, 2] - run.momentum[0, 2]
    assert abs(change - given - jumps) < 2e-3 * weight * run.t[-1]


def test_torques_of_the_pattern_by_the_forces_of_the_ground(script, made) -> None:  # type: ignore[no-untyped-def]
    """On one foot: the base is not driven, so that its rows give the foot's wrench, and that the torques."""
    _, lib, pattern = made
    torques = script.pattern_torques(lib, pattern)
    a = np.gradient(pattern.v, pattern.dt, axis=0)
    model, checked = lib.model, 0
    for side in range(2):
        lone = np.flatnonzero(pattern.soles[:, 1 - side, 2] > 0.01)[::50]
        q, v = pattern.q[lone], pattern.v[lone]
        tau = model.inverse_dynamics(q, v, a[lone])
        rows = np.swapaxes(model.frame_jacobian(q, SOLES[side]), -1, -2)
        wrench = np.linalg.solve(rows[:, :6], tau[:, :6, None])
        expected = (tau[..., None] - rows @ wrench)[:, 6:, 0]
        np.testing.assert_allclose(torques[lone], expected, atol=1e-5)
        checked += len(lone)
    assert checked > 20


@pytest.mark.sweep
def test_the_command_tells_both_views(script, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    """Titles and numbers of the table; the structure's walk is nearer to the pattern and pushes less."""
    script.main(asked=2)
    said = capsys.readouterr().out
    rows = {title: re.search(rf"{re.escape(title)} +(\S+) +(\S+)\n", said) for title in script.TITLES}
    values = {title: (float(row[1]), float(row[2])) for title, row in rows.items() if row}
    assert set(values) == set(script.TITLES)
    assert values["touchdowns"][1] == 2.0 and values["touchdowns"][0] >= 2.0
    off, rms, _, work, peak, _, mean, _ = values.values()
    assert off[1] < 1.0 and 0.8 < rms[1] / rms[0] < 1.1 and 0.8 < work[1] / work[0] < 1.1
    assert 1.0 < peak[1] < peak[0] < 2.0 and 0.0 < mean[1] < mean[0] < 5.0
    assert said.count("foot: impulse") == 2
