"""What lies across an edge of a thin solid: the next edge and the ends meet it as well, and nothing goes through."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import lsq_linear, nnls
from scipy.spatial.transform import Rotation

import kinegen as kg
from kinegen.codegen.mechanism import Link, Pose
from kinegen.runtime import Simulator
from support.contact.contact_scenes import at, scene, shapes, solid
from support.contact.pair_probe import coal_distance, in_coal, probe, random_pose

THIN, HALF = 4e-4, 0.4
FACETS = [[2e-4 * np.cos(a), 2e-4 * np.sin(a), z] for z in (-HALF, HALF) for a in (0.0, 2.1, 4.2)]
RODS = {
    "capsule": shapes.capsule(THIN / 2, 2 * HALF, friction=0.0),
    "cylinder": shapes.cylinder(THIN / 2, 2 * HALF, friction=0.0),
    "box": shapes.box((THIN, THIN, 2 * HALF), friction=0.0),
    "hull": shapes.convex(FACETS, friction=0.0),
}
SHEET = shapes.box((0.5, 2.0, THIN), friction=0.0)
DISC = shapes.cylinder(0.3, THIN)
PAIRS = {name: (rod, SHEET) for name, rod in RODS.items()}
PAIRS |= {"rod and disc": (RODS["capsule"], DISC), "sheets": (SHEET, shapes.box((0.6, 0.7, THIN)))}
UP = np.column_stack([np.eye(3), np.zeros(3)])


def lying(turn: float, tilt: float, *position: float) -> np.ndarray:
    """(3, 4) pose of what is long along z, laid along x, turned about z; its end ahead is the higher one."""
    R = Rotation.from_euler("ZY", [turn, np.pi / 2 - tilt]).as_matrix()
    return np.column_stack([R, position])


def nearest_to(rows: np.ndarray, point: tuple[float, float]) -> np.ndarray:
    return rows[np.argmin(np.linalg.norm(rows[:, 2:4] - point, axis=1))]


@pytest.mark.parametrize("name", ["capsule", "cylinder"])
def test_a_rod_across_two_edges_meets_both(name: str, tmp_path: Path) -> None:
    """Low beyond one edge, high over the other: there it is apart by their distance as lines, along both's normal."""
    turn, tilt = 0.3, 0.01
    pose = lying(turn, tilt, 0.0, 0.0, 3.1e-3)
    rows = probe(tmp_path, RODS[name], SHEET)(pose, UP, 0.02)
    u = pose[:, 2]
    normal = np.cross(u, [0, 1, 0]) / np.linalg.norm(np.cross(u, [0, 1, 0]))
    normal *= np.sign(normal[2])
    assert len(rows) == 2
    for side in (-0.25, 0.25):
        row = nearest_to(rows, (side, side * np.tan(turn)))
        np.testing.assert_allclose(row[1], normal @ (pose[:, 3] - [side, 0, THIN / 2]) - THIN / 2, atol=1e-9)
        np.testing.assert_allclose(row[5:], -normal, atol=1e-9)


@pytest.mark.parametrize("name", RODS)
def test_the_end_of_a_rod_across_an_edge_meets_the_face(name: str, tmp_path: Path) -> None:
    pose = lying(0.3, -0.02, 0.2, 0.0, 1.55e-3)
    found = probe(tmp_path, RODS[name], SHEET)
    rows = found(pose, UP, 0.02)
    end = pose[:, 3] - HALF * pose[:, 2]
    there = rows[np.linalg.norm(rows[:, 2:4] - end[:2], axis=1) < 2 * THIN]
    assert abs(there[:, 1].min() - (end[2] - THIN)) < 1e-4
    np.testing.assert_allclose(there[:, 5:], [[0, 0, -1]] * len(there), atol=1e-9)
    assert rows[:, 1].min() < 2e-4  # at the edge
    assert len(found(pose, UP, 1e-3)) < len(rows)  # what cannot come down within the step is no point


def allowed(rows: np.ndarray, about: np.ndarray, wanted: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The twist next to the wanted one, as `weight` has it, by which no point comes nearer than its gap lets it."""
    arms = np.hstack([rows[:, 5:], np.cross(rows[:, 2:5] - about, rows[:, 5:])]) / np.sqrt(weight)
    least = -rows[:, 1] - arms @ (np.sqrt(weight) * wanted)
    if (least <= 0.0).all():
        return wanted
    left = np.vstack([arms.T, least])
    share, _ = nnls(left, np.eye(7)[6])
    rest = left @ share - np.eye(7)[6]
    return wanted - rest[:6] / rest[6] / np.sqrt(weight)


def after(pose: np.ndarray, twist: np.ndarray) -> np.ndarray:
    return np.column_stack([Rotation.from_rotvec(twist[3:]).as_matrix() @ pose[:, :3], pose[:, 3] + twist[:3]])


@pytest.mark.parametrize("name", PAIRS)
def test_steps_that_the_points_allow_do_not_overlap(name: str, tmp_path: Path) -> None:
    """Thin solids nearly flat on each other, some 0.1 mm apart, some of them over a corner; steps of 5 mm."""
    a, b = PAIRS[name]
    found, in_a, in_b = probe(tmp_path, a, b), in_coal(a), in_coal(b)
    rng, reach, tried = np.random.default_rng(0), 0.5, 0
    for _ in range(120):
        turn, tilt = rng.uniform(0, np.pi), 0.01 * rng.normal()
        A = lying(turn, tilt, rng.uniform(-0.3, 0.3), rng.choice([0.2, 0.9]) + 0.1 * rng.normal(), 0.5)
        if name == "sheets":
            A = A[:, [2, 1, 0, 3]] * [1, -1, 1, 1]
        for _ in range(8):
            A[2, 3] -= coal_distance(in_a, in_b, A, UP)[0] - 1e-4
        if abs(coal_distance(in_a, in_b, A, UP)[0] - 1e-4) > 1e-5:
            continue  # beside it
        tried += 1
        twist = np.concatenate([1e-3 * rng.normal(size=3) - [0, 0, 1e-3], 4e-3 / reach * rng.normal(size=3)])
        rows = found(A, UP, 5e-4 + 1.5 * (np.linalg.norm(twist[:3]) + reach * np.linalg.norm(twist[3:])))
        rows[:, 5:] *= -1.0  # A moves
        weight = np.array([1, 1, 1, *[reach**2 / 3] * 3])
        step = allowed(rows, A[:, 3], twist, weight)
        for part in (0.25, 0.5, 0.75, 1.0):
            assert coal_distance(in_a, in_b, after(A, part * step), UP)[0] > -0.5 * THIN
    assert tried > 40


@pytest.mark.parametrize("name", ["capsule", "box"])
def test_rods_thrown_at_a_sheet_do_not_go_through(name: str) -> None:
    """In twenty ways, at 3 m/s: where the axis passes the sheet's plane it is beside it, or has not come in by 2 mm."""
    rod = solid("rod", RODS[name], 0.01)
    model = scene(f"thrown_{name}", [rod], [SHEET])
    for seed in range(20):
        rng = np.random.default_rng(seed)
        turned = Rotation.from_quat(rng.normal(size=4)).as_quat()
        start = at([rng.uniform(-0.2, 0.2), rng.uniform(-0.8, 0.8), 0.45, *turned])
        q = Simulator(model, q=start, v=[0, 0, -3.0, 0, 0, 0]).run(0.5, every=1).q
        axes = Rotation.from_quat(q[:, 3:]).apply([0, 0, 1])
        along = -q[:, 2] / axes[:, 2]
        crossing = q[:, :2] + along[:, None] * axes[:, :2]
        inside = (np.abs(crossing) < [0.248, 0.998]).all(axis=1) & (np.abs(along) < HALF - 2e-3)
        assert not inside.any(), seed


def test_boxes_are_as_far_apart_as_they_are(tmp_path: Path) -> None:
    """Also where a corner comes nearest, or edges pass each other beyond their ends."""
    for number, (a, b) in enumerate((((0.2, 0.3, 0.1), (0.1, 0.2, 0.3)), ((0.5, 2.0, THIN), (0.6, 0.7, THIN)))):
        one, other = shapes.box(a), shapes.box(b)
        found, in_a, in_b = probe(tmp_path / str(number), one, other), in_coal(one), in_coal(other)
        rng = np.random.default_rng(0)
        for _ in range(150):
            A, B = random_pose(rng, 0.0), random_pose(rng, 0.5 * max(a + b))
            distance, _ = coal_distance(in_a, in_b, A, B)
            if distance > 0.0:
                assert abs(found(A, B)[:, 1].min() - distance) < 1e-7


def test_boxes_that_come_together_by_a_corner_just_beyond_an_edge_are_as_far_apart_as_they_are(tmp_path: Path) -> None:
    """The clipped face of the other one lacks the corner; its nearest other point is 0.3 mm farther."""
    one, other = (0.48618351, 0.31609039, 0.24692645), (0.10893628, 0.41430148, 0.50033829)
    turn = Rotation.from_quat([-0.3871546, -0.07848746, -0.63966277, -0.65938045]).as_matrix()
    A, B = np.eye(3, 4), np.column_stack([turn, [0.11375432, 0.35420094, -0.15119831]])
    bounds = 0.5 * np.array([*one, *other])
    sides = np.hstack([np.eye(3), -turn])  # the difference of a point in one and a point in the other, less the shift
    nearest = lsq_linear(sides, B[:, 3], (-bounds, bounds), tol=1e-14, max_iter=1000).x
    found = probe(tmp_path, shapes.box(one), shapes.box(other))(A, B, 0.03)
    distance = np.linalg.norm(sides @ nearest - B[:, 3])
    assert found[:, 1].min() == pytest.approx(float(distance), abs=1e-8)


SIDES = {kind: getattr(shapes, kind) for kind in ("capsule", "cylinder")}


@pytest.mark.parametrize("below", ["capsule", "cylinder", "box", "hull"])
@pytest.mark.parametrize("above", SIDES)
def test_sides_that_cross_at_a_small_angle_meet_at_both_ends(above: str, below: str, tmp_path: Path) -> None:
    """Turned and tipped, the shorter one on top: each end of its axis is as far from the line below as it is."""
    corners = [[x, y, z] for x in (-1, 0) for y in (-1, 0) for z in (-1, 1)]
    edged = {"box": shapes.box((1, 1, 2), pose=Pose((-0.5, -0.5, 0))), "hull": shapes.convex(corners)}
    rail = edged.get(below) or SIDES[below](0.05, 2.0)
    reach, up = (0.1 if below in edged else 0.15), np.array([0.6, 0.8, 0])
    look = probe(tmp_path, rail, SIDES[above](0.1, 0.4))
    for turn, tip in ((0.0, 1e-6), (0.0, 1e-4), (2e-3, 0.0), (2e-3, 1e-3), (1e-4, 2e-3), (0.03, 0.01), (0.09, 0.0)):
        rotation = Rotation.from_rotvec(turn * up + tip * np.cross([0, 0, 1], up)).as_matrix()
        for gap in (1e-4, -1e-4):
            rows = look(UP, np.column_stack([rotation, (reach + gap) * up]))
            for side in (-0.2, 0.2):
                end = (reach + gap) * up + side * rotation[:, 2]
                row = rows[np.argmin(abs(rows[:, 4] - end[2]))]
                away = np.hypot(*end[:2])
                np.testing.assert_allclose(row[4], end[2], atol=0.15 * (turn + tip) + 1e-9)
                np.testing.assert_allclose(row[1], away - reach, atol=0.1 * (turn + tip) ** 2 + 1e-9)
                np.testing.assert_allclose(row[5:7], end[:2] / away, atol=5.0 * turn + 1e-6)


@pytest.mark.parametrize("above", SIDES)
@pytest.mark.parametrize("below", ["capsule", "cylinder", "box"])
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_a_roll_comes_to_rest_on_rails_that_converge(above: str, below: str, dt: float) -> None:
    """By 2 mm a metre; or parallel ones, on which it is put askew: it does not rock from end to end."""
    along, radius = Pose(rpy=(np.pi / 2, 0, 0)), 0.05
    body = SIDES[above](0.1, 0.4, pose=along)
    roll = Link("roll", 1.0, (0, 0, 0), kg.inertia.cylinder(1.0, 0.1, 0.4, axis=(0, 1, 0)), shapes=[body])
    high = 0.08 if below == "box" else 0.12
    for toe, yaw in ((2e-3, 0.0), (0.0, 0.02)):
        rails = []
        for side in (-1, 1):
            out = np.array([np.cos(toe), -side * np.sin(toe)])
            if below == "box":
                place = (side * (0.06 + 0.5 * out[0]), 0.5 * side * out[1], -0.5)
                rails.append(shapes.box((1, 2, 1), pose=Pose(place, (0, 0, -side * toe))))
            else:
                rails.append(SIDES[below](radius, 2.0, pose=Pose((0.09 * side, 0, 0), (np.pi / 2, 0, -side * toe))))
        start = [0, 0, high + 1e-3, 0, 0, np.sin(yaw / 2), np.cos(yaw / 2)]
        sim = Simulator(scene("converging", [roll], rails), q=at(start), dt=dt)
        sim.step(round(2.5 / dt))
        speeds = []
        for _ in range(20):
            sim.step()
            speeds.append(np.abs(sim.v).max())
        assert max(speeds) < 1e-4
        assert abs(sim.q[2] - high) < 2e-4
        for side in (-1, 1):
            ends = sim.contacts.points[side * sim.contacts.points[:, 0] > 0, 1]
            assert np.ptp(ends) > 0.39


@pytest.mark.parametrize("below", ["cylinder", "box", "hull"])
def test_a_disc_that_leans_over_the_edge_of_what_is_below_is_as_far_apart_as_it_is(below: str, tmp_path: Path) -> None:
    """Its side shares no length with a side or an upright edge that ends below it: no point lies between the two."""
    corners = np.array([(x, y, z) for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.1, 0.1)])
    disc, gap = shapes.cylinder(0.2, 0.2), 1e-5
    ground = {"cylinder": disc, "box": shapes.box((0.4, 0.4, 0.2)), "hull": shapes.convex(corners.tolist())}[below]
    look = probe(tmp_path, ground, disc)
    for beyond in (0.05, 0.1, 0.15, 0.19):
        for side in (0.2, 0.4, 1.3):
            out = np.array([np.cos(side), np.sin(side), 0])
            middle = (0.2 * out if below == "cylinder" else np.array([0.2, 0.2, 0])) + beyond * out
            for about in np.linspace(0, 2 * np.pi, 17):
                for tilt in (1e-5, 1e-4, 1e-3, 1e-2, 5e-2):
                    R = Rotation.from_rotvec(tilt * np.array([np.cos(about), np.sin(about), 0])).as_matrix()
                    tip, u = np.hypot(*R[:2, 2]), R[:, 2]
                    low = 0.1 * u[2] + 0.2 * tip  # of the disc below its middle, and of the ground along its axis
                    high = low if below == "cylinder" else (corners @ u).max()
                    middle[2] = min(0.1 + low + gap, (0.1 + high + gap - u[:2] @ middle[:2]) / u[2])
                    rows = look(UP, np.column_stack([R, middle]), 0.01)
                    assert np.all(rows[:, 1] > gap - 1e-7)
                    assert np.all(rows[:, 7] > 0.9)
