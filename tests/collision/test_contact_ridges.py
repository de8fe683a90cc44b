"""Height fields under edges, faces and sides of bodies: nothing sinks into a ridge, nothing trips over flat ground."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from kinegen.codegen.mechanism import Pose
from kinegen.codegen.mechanism.pose import to_quaternion
from kinegen.runtime import Model, Simulator
from support.contact.contact_scenes import GRAVITY, at, scene, shapes, solid
from support.contact.pair_probe import probe
from support.contact.sampled import surface
from support.oracles.numeric import quaternion_matrix

HALF = np.array([0.1, 0.15, 0.05])
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * HALF
RADIUS, LENGTH = 0.03, 0.3
SLOPE = 0.5
UP = np.column_stack([np.eye(3), np.zeros(3)])
ROOF = shapes.height_field([[0, 0], [SLOPE, SLOPE], [0, 0]], (2, 8), friction=0.7)  # its ridge is x = 0, z = 0.5
BOX = shapes.box(tuple(2 * HALF), friction=0.7)
THINGS = {  # far apart along the ridge
    -2.0: BOX,
    0.0: shapes.convex(CORNERS, friction=0.7),
    2.0: shapes.cylinder(RADIUS, LENGTH, friction=0.7),
}


def place(x: float, y: float, z: float, rpy: tuple[float, float, float]) -> np.ndarray:
    return np.column_stack([np.array(Pose(rpy=rpy).rotation, dtype=float), [x, y, z]])


def in_box(points: np.ndarray) -> float:
    """How deep the deepest of points lies in the box, in its axes."""
    return float((HALF - abs(points)).min(axis=-1).max())


def in_cylinder(points: np.ndarray) -> float:
    across = RADIUS - np.hypot(points[..., 0], points[..., 1])
    return float(np.minimum(across, 0.5 * LENGTH - abs(points[..., 2])).max())


@cache
def on_the_roof() -> Model:
    return scene("roof", [solid(f"b{k}", thing) for k, thing in enumerate(THINGS.values())], [ROOF])


@pytest.mark.parametrize("dt", [1e-3, 2e-4])
@pytest.mark.parametrize("rpy", [(0.3, 0.0, 0.1), (0.3, 0.2, 0.0), (0.6, 0.3, 0.5), (0.3, 0.4, -0.4)])
def test_an_edge_of_a_body_across_a_ridge_does_not_sink(rpy: tuple[float, float, float], dt: float) -> None:
    turn, lying = Pose(rpy=rpy).rotation, Pose(rpy=(0.0, np.pi / 2 + rpy[1], rpy[2])).rotation
    high = 0.505 - (CORNERS @ np.array(turn, dtype=float).T)[:, 2].min()
    start = [[0.01, y, high, *map(float, to_quaternion(turn))] for y in (-2.0, 0.0)]
    start.append([0.01, 2.0, 0.545, *map(float, to_quaternion(lying))])
    q = Simulator(on_the_roof(), q=np.ravel(start), dt=dt).run(0.25, every=round(5e-3 / dt)).q
    ridge = np.array([[0.0, y, 0.5] for y in np.linspace(-0.3, 0.3, 301)])
    deepest = np.zeros(3)
    for row in q.reshape(-1, 3, 7):
        for k, (pose, thing) in enumerate(zip(row, THINGS.values(), strict=True)):
            points = (ridge + np.array([0, list(THINGS)[k], 0]) - pose[:3]) @ quaternion_matrix(pose[3:])
            deepest[k] = max(deepest[k], (in_cylinder if thing.kind == "cylinder" else in_box)(points))
    assert (deepest < 5e-4).all()


def test_what_crosses_a_ridge_meets_it_across_both(tmp_path: Path) -> None:
    """One normal across the ridge and the edge or the generator, and its depth, from 2 mm apart to 4 mm deep."""
    pill = shapes.cylinder(RADIUS, LENGTH)
    for name, thing, rpy in (("edge", BOX, (0.3, 0.1, 0.2)), ("side", pill, (0.0, np.pi / 2 + 0.2, 0.3))):
        seen = probe(tmp_path / name, ROOF, thing)
        numbers = set()
        for gap in (2e-3, 1e-5, -1e-5, -1e-3, -4e-3):
            turn = np.array(Pose(rpy=rpy).rotation, dtype=float)
            along = turn[:, 0] if name == "edge" else turn[:, 2]
            normal = np.cross([0, 1, 0], along) * np.sign(np.cross([0, 1, 0], along)[2])
            normal /= np.linalg.norm(normal)
            below = turn @ [0, -HALF[1], -HALF[2]] if name == "edge" else -RADIUS * normal
            rows = seen(UP, place(*(np.array([0, 0.1, 0.5]) + gap * normal - below), rpy), 5e-3)
            rows = rows[np.argsort(rows[:, 1])]
            np.testing.assert_allclose(rows[0, 1], gap, atol=1e-9)
            np.testing.assert_allclose(rows[0, 5:], normal, atol=1e-9)
            np.testing.assert_allclose(rows[0, 2:5], np.array([0, 0.1, 0.5]) + 0.5 * gap * normal, atol=1e-9)
            numbers.add(rows[0, 0])
        assert len(numbers) == 1  # a warm start finds it again


@pytest.mark.parametrize("cell", [0.25, 0.3, 1 / 7])
@pytest.mark.parametrize(
    ("thing", "roll", "pitch", "low"),
    [(shapes.box((0.2, 0.2, 0.2)), 0, np.pi / 4, 0.1 * 2**0.5), (shapes.cylinder(0.1, 0.2), np.pi / 2, 0, 0.1)],
    ids=["edge", "side"],
)
def test_what_crosses_a_ridge_at_a_corner_of_the_grid_meets_it_there(
    thing: shapes.Shape, roll: float, pitch: float, low: float, cell: float, tmp_path: Path
) -> None:
    """With its middle or an end where two pieces of the ridge x = y meet: neither of them leaves it to the other."""
    x = cell * (np.arange(11) - 5)
    seen = probe(tmp_path, shapes.height_field(-0.4 * abs(x[:, None] - x), (10 * cell, 10 * cell)), thing)
    for yaw, k, depth in product((0.0, np.pi / 2, 0.3), range(-4, 5), (1e-6, 1e-4, 1e-2)):
        along = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
        for end in (0.0, -0.1, 0.1):
            gaps = seen(UP, place(*([k * cell, k * cell, low - depth] - end * along), (roll, pitch, yaw)), 5e-3)[:, 1]
            assert len(gaps) > 0
            assert gaps.min() == pytest.approx(-depth, abs=1e-9) if end == 0.0 else gaps.min() < -0.5 * depth


def test_a_capsule_along_a_ridge_or_in_a_valley_rests_on_both_its_ends(tmp_path: Path) -> None:
    """Beside the ridge no slope reaches beyond it; in the valley both slopes carry."""
    pill = shapes.capsule(RADIUS, LENGTH)
    on_ridge, in_valley = np.array([-0.002, 0.1, 0.5 + RADIUS]), np.array([1e-5, 0.1, RADIUS * np.hypot(1, SLOPE)])
    rows = probe(tmp_path / "ridge", ROOF, pill)(UP, place(*on_ridge, (np.pi / 2, 0.0, 0.0)), 1e-3)
    normal = (on_ridge - [0, 0.1, 0.5]) / np.hypot(0.002, RADIUS)
    np.testing.assert_allclose(rows[:, 1], np.hypot(0.002, RADIUS) - RADIUS, atol=1e-9)
    np.testing.assert_allclose(rows[:, 5:], [normal] * len(rows), atol=1e-9)
    np.testing.assert_allclose([rows[:, 3].min(), rows[:, 3].max()], [0.1 - LENGTH / 2, 0.1 + LENGTH / 2], atol=1e-9)
    valley = shapes.height_field([[SLOPE, SLOPE], [0, 0], [SLOPE, SLOPE]], (2, 8))
    rows = probe(tmp_path / "valley", valley, pill)(UP, place(*in_valley, (np.pi / 2, 0.0, 0.0)), 1e-3)
    for side in (rows[rows[:, 5] < 0], rows[rows[:, 5] > 0]):
        ends = [side[:, 3].min(), side[:, 3].max()]
        np.testing.assert_allclose(ends, [0.1 - LENGTH / 2, 0.1 + LENGTH / 2], atol=1e-9)


def test_faces_meet_steep_ridges_and_peaks_that_poke_into_them(tmp_path: Path) -> None:
    """Slopes of more than 45° next to them, whose normals look at sides of the box."""
    x, y = np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1, 1, 5), indexing="ij")
    for name, ground, points in (
        ("ridge", shapes.height_field(-2 * abs(x[:, :2]), (2, 2)), 2),
        ("peak", shapes.height_field(-2 * (abs(x) + abs(y)), (2, 2)), 1),
    ):
        for tilt in (0.0, 1e-4):
            rows = probe(tmp_path / name, ground, BOX)(UP, place(0.02, 0.03, HALF[2] - 1e-3, (tilt, 0.0, 0.0)), 1e-3)
            assert len(rows) == points
            np.testing.assert_allclose(rows[:, 5:], [[0, 0, 1]] * points, atol=2e-4)
            np.testing.assert_allclose(rows[:, 1], -1e-3, atol=3e-5)


@pytest.mark.parametrize("border", [False, True])
@pytest.mark.parametrize("thing", [shapes.box((0.4, 0.4, 0.2)), shapes.cylinder(0.2, 0.2)], ids=["box", "cylinder"])
def test_what_lies_flat_on_a_slope_over_a_sharp_ridge_or_the_border_is_carried_by_the_slope(
    thing: shapes.Shape, border: bool, tmp_path: Path
) -> None:
    """Its side has a normal of the edge, to rounding, and is 0.2 to 0.4 m deep along it."""
    x, rng = np.linspace(-1, 1, 9), np.random.default_rng(1)
    for slope in (0.2, 0.5, 1.0, 2.0) if border else (1.0, 2.0):
        heights = slope * x if border else -slope * abs(x)
        seen = probe(tmp_path / f"{slope}", shapes.height_field(np.repeat(heights[:, None], 9, axis=1), (2, 2)), thing)
        pitch = -np.arctan(slope)
        normal, uphill = [np.sin(pitch), 0.0, np.cos(pitch)], [np.cos(pitch), 0.0, -np.sin(pitch)]
        for _ in range(100):
            depth, back = 10 ** rng.uniform(-9, -3), rng.uniform(0.02, 0.15)
            edge = np.array([1.0, rng.uniform(-0.4, 0.4), slope] if border else [0.0, rng.uniform(-0.4, 0.4), 0.0])
            middle = edge - back * np.array(uphill) + (0.1 - depth) * np.array(normal)
            rows = seen(UP, place(*middle, (1e-16 * rng.normal(), pitch + 1e-16 * rng.normal(), 0.0)), 1e-2)
            assert len(rows) > 0
            assert rows[:, 1].min() == pytest.approx(-depth, abs=1e-9)


def test_random_ground_carries_what_falls_on_it() -> None:
    """No point of the ground is more than half a millimetre inside the box; cells as large as the box."""
    heights = np.random.default_rng(13).uniform(0, 0.12, (13, 13))
    model = scene("rough", [solid("b", BOX)], [shapes.height_field(heights, (3, 3), friction=0.7)])
    grid = np.linspace(-0.2, 0.2, 161)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        turn = rng.normal(size=4)
        start = [*rng.uniform(-0.5, 0.5, 2), 0.5, *(turn / np.linalg.norm(turn))]
        trajectory = Simulator(model, q=start, v=[0, 0, 0, *3 * rng.normal(size=3)]).run(1.0, every=20)
        for pose in trajectory.q:
            x, y = np.meshgrid(pose[0] + grid, pose[1] + grid)
            points = np.stack([x, y, surface(heights, 3.0, x, y)], axis=-1) - pose[:3]
            assert in_box(points @ quaternion_matrix(pose[3:])) < 5e-4
        energy = trajectory.energy.sum(axis=1)
        assert energy.max() <= energy[0] + 1e-9


def test_nothing_trips_over_the_edges_of_flat_cells() -> None:
    """Box, hull and cylinders that slide over many cells of a flat field go as on a plane."""
    bodies = [BOX, shapes.convex(CORNERS, friction=0.3), shapes.cylinder(0.08, 0.1), shapes.cylinder(0.05, 0.2)]
    start = at((-0.9, -0.9, 0.05), (-0.9, -0.3, 0.05), (-0.9, 0.3, 0.05), (-0.9, 0.9, 0.05))
    start[24:28] = [0.5**0.5, 0.0, 0.0, 0.5**0.5]  # the last lies along y
    ends = []
    for ground in (shapes.plane(friction=0.3), shapes.height_field(np.zeros((31, 31)), (3, 3), friction=0.3)):
        model = scene("flat", [solid(f"b{k}", body) for k, body in enumerate(bodies)], [ground])
        ends.append(Simulator(model, q=start, v=[2.0, 0.3, 0, 0, 0, 0] * 4).run(0.5, every=20))
    np.testing.assert_allclose(ends[1].q, ends[0].q, atol=2e-4)
    assert np.abs(ends[1].v[:, [2, 8, 14, 20]]).max() < 1e-4


SLIPPERY = [
    shapes.box(tuple(2 * HALF), friction=0.0),
    shapes.convex([(0.2, 0.0, 0.0), (-0.2, 0.0, 0.0), (0.0, 0.15, 0.05), (0.0, -0.05, 0.2)], friction=0.0),
    shapes.convex(
        [(x, y, z) for x in (-0.2, 0.2) for y, z in ((0.0, -0.05), (0.15, 0.05), (-0.15, 0.05))], friction=0.0
    ),
    shapes.cylinder(0.08, 0.2, friction=0.0),
]


def fallen(heights: np.ndarray, spots: list[tuple[float, float]], above: float, seeds: int) -> np.ndarray:
    """(seeds, n, 3) momentum that a field of 4 m by 4 m gave to bodies that fall on it from any attitude."""
    bodies = [solid(f"b{k}", body) for k, body in enumerate(SLIPPERY)]
    model = scene("falling", bodies, [shapes.height_field(heights, (4, 4), friction=0.0)])
    given = []
    for seed in range(seeds):
        rng, start = np.random.default_rng(seed), list[float]()
        for i, j in spots:
            x, y, turn = i + rng.uniform(-0.02, 0.02), j + rng.uniform(-0.1, 0.1), rng.normal(size=4)
            ground = heights[round(10 * x) + 20, round(10 * y) + 20]
            start += [x, y, ground + above, *(turn / np.linalg.norm(turn))]
        motion = Simulator(model, q=start).run(0.4, every=10)
        weight = len(bodies) * np.array([0.0, 0.0, -GRAVITY])
        given.append(model.momentum(motion.q, motion.v)[:, :3] - np.outer(motion.t, weight))
        assert np.linalg.norm(given[-1][-1]) > 5.0  # they have come down
    return np.array(given)


@pytest.mark.parametrize("slope", [(0.0, 0.0), (0.3, -0.1)])
def test_ground_without_ridges_pushes_along_its_normal(slope: tuple[float, float]) -> None:
    """Whatever falls on it on edges and corners: without friction nothing is moved along it but by gravity."""
    x = np.linspace(-2, 2, 41)
    heights = np.add.outer(-slope[0] * x, -slope[1] * x)
    normal = np.array([*slope, 1.0]) / np.linalg.norm([*slope, 1.0])
    given = fallen(heights, [(i, j) for i in (-0.7, 0.7) for j in (-0.7, 0.7)], 0.35, 4)
    np.testing.assert_allclose(given, (given @ normal)[..., None] * normal, atol=1e-6)


def test_a_ridge_pushes_across_it() -> None:
    """A level one along y: bodies that fall on it are not moved along it."""
    heights = np.repeat(0.5 - 0.5 * abs(np.linspace(-2, 2, 41))[:, None], 41, axis=1)
    given = fallen(heights, [(0.0, j) for j in (-1.2, -0.4, 0.4, 1.2)], 0.3, 12)
    assert np.abs(given[..., 1]).max() < 1e-5
