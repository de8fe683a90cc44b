"""Ground with slopes: what stands clear of it is told as far as it is, and is not met through a thin ridge from behind;
what is sunk in is met."""

from __future__ import annotations

from pathlib import Path

import coal
import numpy as np
import pytest

from kinegen.codegen.mechanism import Pose
from kinegen.codegen.mechanism.pose import to_quaternion
from kinegen.runtime import Simulator
from support.contact.contact_scenes import scene, shapes, solid
from support.contact.pair_probe import coal_distance, in_coal, probe, random_pose
from support.contact.sampled import skin, surface

UP = np.column_stack([np.eye(3), np.zeros(3)])
RADIUS, LENGTH = 0.01, 0.8
POLES = [
    shapes.capsule(RADIUS, LENGTH),
    shapes.cylinder(RADIUS, LENGTH),
    shapes.box((2 * RADIUS, 2 * RADIUS, LENGTH)),
    shapes.convex([(x, y, z) for x in (-RADIUS, RADIUS) for y in (-RADIUS, RADIUS) for z in (-0.4, 0.4)]),
]


def test_poles_that_lean_over_a_thin_ridge_clear_of_it_stay_where_they_are() -> None:
    """6 mm clear of a ridge of 56 degrees; the normal of its other slope is nearly along them."""
    x = np.linspace(-1, 1, 11)
    ridge = np.repeat(np.where(abs(x) < 0.1, 0.3, 0.0)[:, None], 11, axis=1)
    lean = np.arctan2(0.14, 0.41)
    model = scene(
        "beside",
        [solid(f"b{k}", pole) for k, pole in enumerate(POLES)],
        [shapes.height_field(ridge, (2, 2))],
        (0, 0, 0),
    )
    turn = list(map(float, to_quaternion(Pose(rpy=(0.0, lean, 0.0)).rotation)))
    x, z = -0.16 + 0.4 * np.sin(lean), 0.09 + 0.4 * np.cos(lean)
    start = [[x, y, z, *turn] for y in (-0.55, -0.15, 0.25, 0.65)]
    sim = Simulator(model, q=np.ravel(start))
    sim.step(20)
    np.testing.assert_allclose(sim.q, np.ravel(start), atol=1e-12)
    assert (sim.contacts.gaps > 0.0).all()


WIDE = {"bar": shapes.box((0.06, 0.1, 0.5)), "pill": shapes.capsule(0.03, 0.5), "rod": shapes.cylinder(0.03, 0.5)}
CORNERS = 0.5 * np.array([[x, y, z] for x in (-0.06, 0.06) for y in (-0.1, 0.1) for z in (-0.5, 0.5)])
SLANTED = np.array([[1.0, 0.3, 0.0], [0.0, 1.0, 0.2], [0.0, 0.0, 1.0]])  # makes a hull of the bar


@pytest.mark.parametrize("name", [*WIDE, "hull"])
def test_rough_ground_meets_what_is_below_it_and_nothing_else(name: str, tmp_path: Path) -> None:
    """Slopes of 1 to 4; bodies 20 mm over it and 5 mm into it by the points on them, which are 3 mm apart."""
    heights = np.random.default_rng(7).uniform(0, 0.45, (25, 25))  # cells of 0.25 m
    points, thing = skin(WIDE["bar"], 3e-3) @ SLANTED.T, shapes.convex(CORNERS @ SLANTED.T)
    if name in WIDE:
        points, thing = skin(WIDE[name], 3e-3), WIDE[name]
    seen = probe(tmp_path, shapes.height_field(heights, (6, 6)), thing)
    rng, met = np.random.default_rng(3), list[bool]()
    for _ in range(150):
        pose = random_pose(rng, 0.0)
        pose[:2, 3] = rng.uniform(-2, 2, 2)
        x, y, z = (points @ pose[:, :3].T + pose[:, 3]).T
        touching = (surface(heights, 6.0, x, y) - z).max()
        pose[2, 3] = touching + 0.02
        clear = seen(UP, pose, 0.03)[:, 1]
        assert len(clear) > 0
        assert clear.min() > 0.0
        pose[2, 3] = touching - 0.005
        met.append(any(seen(UP, pose, 0.03)[:, 1] < 0.0))
    assert sum(met) >= 148


def prisms(heights: np.ndarray, cell: float) -> list[coal.Convex]:
    """The triangles of a field over a square, each with 2 m below it."""
    x, y = (cell * (np.arange(n) - 0.5 * (n - 1)) for n in heights.shape)
    found = []
    for i, j in np.ndindex(heights.shape[0] - 1, heights.shape[1] - 1):
        for a, b in ((1, 0), (0, 1)):
            points = coal.StdVec_Vec3s()
            for k, m in ((i, j), (i + a, j + b), (i + 1, j + 1)):
                points.extend([np.array([x[k], y[m], heights[k, m] - z]) for z in (0.0, 2.0)])
            found.append(coal.Convex.convexHull(points, True, "Qt"))
    return found


@pytest.mark.parametrize("high", [0.15, 0.7])
@pytest.mark.parametrize("thing", [shapes.box((0.15, 0.2, 0.3)), shapes.cylinder(0.1, 0.2)], ids=["box", "cylinder"])
def test_bodies_clear_of_rough_ground_are_told_as_far_from_it_as_they_are(
    thing: shapes.Shape, high: float, tmp_path: Path
) -> None:
    """Slopes up to 0.7 and 3.5: no plane of a triangle or a side is met where the triangle or the side has ended."""
    rng = np.random.default_rng(1)
    heights = rng.uniform(0, high, (7, 6))
    ground, body = prisms(heights, 0.2), in_coal(thing)
    seen = probe(tmp_path, shapes.height_field(heights, (1.2, 1.0)), thing)
    for _ in range(150):
        pose, far = random_pose(rng, 0.0), 0.01
        pose[:, 3] = [*rng.uniform(-0.35, 0.35, 2), high + 0.2]
        for _ in range(20):
            pose[2, 3] -= far - 0.01
            far = min(coal_distance(prism, body, UP, pose)[0] for prism in ground)
        assert seen(UP, pose, 2.0 * far)[:, 1].min() == pytest.approx(far, abs=2e-6)
        assert not len(seen(UP, pose, 0.99 * far))
