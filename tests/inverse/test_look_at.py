"""Inverse kinematics of what is to look at a point: also from where it looks exactly the other way."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinegen as kg


@cache
def moving(kind: str) -> kg.Model:
    """One link on one joint of this kind; a slider moves by a metre to either side."""
    limits = {"axis": (0, 1, 0), "limits": (-1, 1)} if kind == "prismatic" else {}
    joint = kg.Joint("j", kind, "world", "eye", **limits)
    return kg.compile(kg.Mechanism(f"eye_{kind}", [kg.Link("eye", 1.0, inertia=0.1 * np.eye(3))], [joint]))


@pytest.mark.parametrize("placed", [False, True])
@pytest.mark.parametrize("distance", [0.01, 0.3, 1.0, 2.0, 3.0, 10.0])
def test_what_floats_turns_to_a_point_behind_it(distance: float, placed: bool) -> None:
    """From any pose, exactly and nearly behind; also where it is to stay in its place."""
    at, rng = moving("free"), np.random.default_rng(3)
    for off in (0.0, 1e-9, 1e-6, 1e-4, 1e-3):
        q, axis = at.random(rng), rng.normal(size=3)
        pose = at.frame_pose(q, "eye")
        behind = pose[:3, 3] - distance * (pose[:3, :3] @ axis / np.linalg.norm(axis) + off * rng.normal(size=3))
        asked = [kg.LookAtTarget("eye", behind, axis), *([kg.FrameTarget("eye", pose[:3, 3])] if placed else [])]
        found = kg.solve_ik(at, asked, q, iterations=30)
        seen = at.frame_pose(found.q, "eye")
        sight, looks = behind - seen[:3, 3], seen[:3, :3] @ axis / np.linalg.norm(axis)
        assert np.linalg.norm(looks - sight / np.linalg.norm(sight)) < 2e-6
        assert not placed or np.linalg.norm(seen[:3, 3] - pose[:3, 3]) < 2e-6


@pytest.mark.parametrize("kind", ["planar", "spherical", "prismatic"])
def test_what_moves_in_part_turns_or_shifts_aside(kind: str) -> None:
    """What can only shift sees more of a point behind it from the ends of its way."""
    found = kg.solve_ik(moving(kind), [kg.LookAtTarget("eye", (-2, 0, 0))], check=False)
    if kind == "prismatic":
        assert abs(found.q[0]) == 1.0 and found.residual.item() == pytest.approx(np.pi - np.arctan(0.5))
    else:
        assert found.reached


@pytest.mark.parametrize("off", [0.0, 1e-13, 1e-10])
def test_a_point_at_its_own_goal_looks_nowhere(off: float) -> None:
    """What can shift goes away from it and looks back; what can not misses it by half a turn."""
    goal = np.array([off, -off, 0.0])
    at = moving("free")
    seen = at.frame_pose(kg.solve_ik(at, [kg.LookAtTarget("eye", goal)], iterations=30).q, "eye")
    sight = goal - seen[:3, 3]
    assert np.linalg.norm(sight) > 0.01 and np.linalg.norm(seen[:3, 0] - sight / np.linalg.norm(sight)) < 2e-6
    held = kg.solve_ik(moving("spherical"), [kg.LookAtTarget("eye", goal)], check=False)
    assert held.residual.item() == pytest.approx(np.pi) and held.ended == 1
