"""Support polygons of corners that lie in line, as those of soles side by side do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import kinegen as kg

Array = Any
SOLE = np.array([(x, y) for x in (-0.12, 0.12) for y in (-0.06, 0.06)])
LAYOUTS = {
    "soles apart": np.concatenate([SOLE - (0.0, 0.1), SOLE - (0.0, -0.1)]),
    "soles side by side": np.concatenate([SOLE - (0.0, 0.06), SOLE - (0.0, -0.06)]),
    "heel and toe": np.concatenate([SOLE * (0.5, 1.0) + (0.06, 0.0), SOLE * (0.5, 1.0) - (0.06, 0.0)]),
    "grid of 9": 0.1 * np.array([(x, y) for x in range(3) for y in range(3)]),
    "grid of 16": 0.1 * np.array([(x, y) for x in range(4) for y in range(4)]),
    "scattered": np.random.default_rng(1).normal(0.0, 0.1, (40, 2)),
    "on a circle": 0.1 * np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0.0, 6.0, 50)]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_polygons_are_convex_hulls_whichever_way_they_are_turned(layout: str) -> None:
    angles = np.concatenate([np.deg2rad(np.arange(0.0, 360.0, 5.0)), np.random.default_rng(0).uniform(-4.0, 4.0, 200)])
    turned = np.einsum(
        "mij,kj->mki", np.array([[(np.cos(a), -np.sin(a)), (np.sin(a), np.cos(a))] for a in angles]), LAYOUTS[layout]
    )
    points = np.concatenate([turned, np.zeros((*turned.shape[:2], 1))], axis=-1)
    polygon = kg.support_polygon(points)
    middle = points.mean(axis=1)
    margins = polygon.margin(middle)
    for state, corners, at, margin in zip(turned, polygon.vertices, middle, margins, strict=True):
        hull = ConvexHull(state)
        x, y = corners[np.isfinite(corners[:, 0]), :2].T
        area = 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))  # counterclockwise
        assert area == pytest.approx(hull.volume, rel=1e-9)
        assert margin == pytest.approx(-(hull.equations @ (*at[:2], 1.0)).max(), abs=1e-9)


def test_points_in_line_and_one_upon_the_other() -> None:
    """Of a line its ends, of a point itself; all points that are not there leave nothing."""
    nowhere = (np.nan,) * 3
    polygons = kg.support_polygon(
        [
            [(1.0, 1.0, 0.0), (2.0, 2.0, 0.0), (1.5, 1.5, 0.0)],
            [(1.0, 1.0, 0.0), (1.0, 1.0, 0.0), nowhere],
            [nowhere, nowhere, nowhere],
        ]
    )
    line, point, nothing = polygons.vertices
    assert line[:2].tolist() == [[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]]
    assert point[:1].tolist() == [[1.0, 1.0, 0.0]]
    assert [int(np.isfinite(corners[:, 0]).sum()) for corners in (line, point, nothing)] == [2, 1, 0]
    for x, outside in ((1.3, 0.0), (2.5, 0.5), (0.2, 0.8)):  # on the line, and behind its ends
        margins = polygons.margin((x, x, 0.0))
        assert margins[0] == pytest.approx(-np.sqrt(2) * outside, abs=1e-12)
        assert margins[1] == pytest.approx(-np.sqrt(2) * abs(x - 1.0), abs=1e-12)


def test_single_points_and_none() -> None:
    polygon = kg.support_polygon([[(1.0, 2.0, 0.0)], [(np.nan,) * 3]])
    assert polygon.vertices[0].tolist() == [[1.0, 2.0, 0.0]] and np.isnan(polygon.vertices[1]).all()
    assert polygon.margin((1.0, 3.0, 0.0))[0] == -1.0


def test_all_corners_that_press_support_a_foot_that_comes_down_fast() -> None:
    """At 1.5 m/s, tilted by 6 mrad: the heels are 1.3 mm up where the step begins in which all four corners press."""
    foot = kg.Link("foot", 3.0, inertia=kg.inertia.box(3.0, (0.22, 0.14, 0.04)), shapes=[kg.box((0.22, 0.14, 0.04))])
    joint = kg.Joint("f", "free", "world", "foot")
    tilt = 0.006
    height = 0.02 * np.cos(tilt) + 0.11 * np.sin(tilt) + 1e-7
    q = [0, 0, height, 0, np.sin(tilt / 2), 0, np.cos(tilt / 2)]
    sim = kg.Simulator(kg.Mechanism("foot", [foot], [joint], shapes=[kg.plane()]), q=q, v=[0, 0, -1.5, 0, 0, 0])
    contacts = sim.run(0.003).contacts
    assert contacts is not None and contacts[0].gaps.max() > 1e-3 and (contacts[0].forces[:, 2] > 400.0).all()
    zmp = kg.zero_moment_point(-contacts.wrench("world"))[0]
    margin = kg.support_polygon(contacts.points("world")).margin(zmp)[0]
    assert margin == pytest.approx(0.07, abs=1e-6)
    assert np.isfinite(contacts.points("foot", within=-1.0)[0]).all()
