"""Contact wrench cones of so many or so close edges that rounding is in the way of their hull."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.spatial
from scipy.optimize import linprog

import kinegen as kg

CORNERS = np.array([(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.05, 0.05)])
FRICTION = 0.6
RIGHT, LEFT = CORNERS + np.array((0.3, -0.1, 0.17)), CORNERS + np.array((0.0, 0.1, 0.0))
CASES = {
    "a hundred sides": (CORNERS, 100),
    "two stairs": (np.vstack([LEFT, RIGHT]), 65),
    "twice but for rounding": (np.vstack([CORNERS, CORNERS + 1e-13 * np.eye(3)[1]]), 8),
    "twice and nearly so": (np.vstack([CORNERS, CORNERS + 1e-8 * np.eye(3)[1]]), 16),
}


def edges(points: Any, sides: int) -> Any:
    angle = (2 * np.arange(sides) + 1) * np.pi / sides
    force = np.stack([FRICTION * np.cos(angle), FRICTION * np.sin(angle), np.ones(sides)], axis=1)
    return np.concatenate([np.hstack([force, np.cross(point, force)]) for point in points])


@pytest.mark.parametrize("case", CASES)
def test_margins_are_those_of_a_linear_program(case: str) -> None:
    points, sides = CASES[case]
    cone, along = kg.ContactWrenchCone.of_points(points, FRICTION, sides=sides), edges(points, sides)
    assert (along @ cone.rows.T).min() > -1e-7
    wrenches = np.random.default_rng(2).normal(size=(40, 6)) * [0.25, 0.25, 0.1, 0.02, 0.04, 0.03] + np.eye(6)[2]
    wrenches[:, 3:] += np.cross(points.mean(axis=0), wrenches[:, :3])
    expected = []
    for wrench in wrenches:
        matrix = np.column_stack([along.T, wrench[2] * cone.center])
        bounds = [(0, None)] * len(along) + [(None, None)]
        expected.append(linprog(-np.eye(len(along) + 1)[-1], A_eq=matrix, b_eq=wrench, bounds=bounds).x[-1])
    np.testing.assert_allclose(cone.margin(wrenches), expected, atol=1e-6)
    assert np.min(expected) < 0 < np.max(expected)


def test_a_cone_without_a_hull_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise scipy.spatial.QhullError("QH6271 wide merge\nstatistics")

    monkeypatch.setattr(scipy.spatial, "ConvexHull", fail)
    with pytest.raises(kg.ModelError, match=r"points: Qhull finds no hull .* \(QH6271 wide merge\); take fewer sides"):
        kg.ContactWrenchCone.of_points(CORNERS, FRICTION)


def test_a_transposed_pose_of_a_foot_is_refused() -> None:
    """Its place would not be seen at all."""
    cone = kg.ContactWrenchCone.of_points(CORNERS, FRICTION)
    pose = np.eye(4)
    pose[:3, 3] = 0.1, 0.2, 0.3
    assert np.isfinite(cone.margin([0, 0, 1.0, 0.2, -0.1, 0], pose))
    with pytest.raises(kg.ModelError, match=r"^pose: .* the last row must say 0 0 0 1, got .*; its transpose does$"):
        cone.margin([0, 0, 1.0, 0.2, -0.1, 0], pose.T)
    with pytest.raises(kg.ModelError, match=r"^pose: expected a rotation and a place"):
        cone.margin([0, 0, 1.0, 0.2, -0.1, 0], np.diag([2.0, 1, 1, 1]))
