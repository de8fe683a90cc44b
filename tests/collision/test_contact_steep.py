"""Steep ground: what stands clear of a thin ridge is not met from behind, through it, and what is sunk in is met."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinegen.codegen.mechanism import Pose
from kinegen.codegen.mechanism.pose import to_quaternion
from kinegen.runtime import Simulator
from support.contact.contact_scenes import scene, shapes, solid
from support.contact.pair_probe import probe, random_pose
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
