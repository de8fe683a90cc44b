"""Height fields: flat ones as planes, slopes, ridges and valleys, what rolls and falls on hills, refusals, files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
import sympy

import kinegen as kg
from kinegen.codegen.mechanism import Joint, Mechanism, Pose, load
from kinegen.codegen.mechanism.formats.toml.writer import save
from kinegen.codegen.mechanism.pose import to_quaternion
from kinegen.runtime import Simulator
from kinegen.runtime.errors import ModelError
from support.contact.contact_scenes import at, scene, shapes, solid
from support.contact.pair_probe import probe

UP = np.column_stack([np.eye(3), np.zeros(3)])
X, Y = np.meshgrid(np.linspace(-1, 1, 21), np.linspace(-1, 1, 21), indexing="ij")


def place(x: float, y: float, z: float, rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    return np.column_stack([np.array(Pose(rpy=rpy).rotation, dtype=float), [x, y, z]])


def test_a_ball_rolls_over_a_flat_field_as_over_a_plane() -> None:
    """To 1e-9, over corners and edges alike."""
    paths = []
    for ground in (shapes.plane(), shapes.height_field(np.zeros((21, 21)), (2, 2))):
        model = scene("roll", [solid("b", shapes.sphere(0.1))], [ground])
        sim = Simulator(model, q=at((-0.8, -0.33, 0.1)), v=[1.0, 0.4, 0, 0, 0, 0])
        paths.append(sim.run(1.2, every=5).q)
    assert paths[0][-1, 0] > 0.0
    np.testing.assert_allclose(paths[1], paths[0], atol=1e-9)


def test_a_box_on_a_sloping_field_slides_as_the_slope_says() -> None:
    slope, friction = 0.3, 0.1
    ground = shapes.height_field(-slope * X, (2, 2), friction=friction)
    angle = np.arctan(slope)
    model = scene("slide", [solid("b", shapes.box((0.2, 0.3, 0.1), friction=friction))], [ground])
    start = at(
        np.array(
            [-0.6 + 0.05 * np.sin(angle), 0.1, 0.18 + 0.05 * np.cos(angle), 0, np.sin(angle / 2), 0, np.cos(angle / 2)]
        )
    )
    sim = Simulator(model, q=start)
    sim.step(500)
    expected = 9.81 * (np.sin(angle) - friction * np.cos(angle))
    moved = sim.q[:3] - start[:3]
    np.testing.assert_allclose(moved, 0.5 * expected * 0.25 * np.array([np.cos(angle), 0, -np.sin(angle)]), atol=2e-3)
    np.testing.assert_allclose(sim.contacts.normals, [[np.sin(angle), 0, np.cos(angle)]] * len(sim.contacts), atol=1e-6)


def test_capsules_roll_down_sloping_fields_as_down_planes() -> None:
    """By 2/3 g sin(angle) across their axis, over cells of any size; far apart from each other."""
    cases = ((0.1, 21, 0.0), (0.3, 2, 0.0), (0.3, 9, 0.2))  # angle, corners, yaw
    grounds, bodies, poses, ways = [], [], [], []
    for k, (angle, corners, yaw) in enumerate(cases):
        x = np.linspace(-2, 2, corners)
        heights = np.repeat(-np.tan(angle) * x[:, None], corners, axis=1)
        grounds.append(shapes.height_field(heights, (4, 4), pose=Pose((0, 5 * k, 0)), friction=0.5))
        pill = shapes.capsule(0.05, 0.3, friction=0.5)
        bodies.append(replace(solid(f"b{k}", pill), inertia=kg.inertia.cylinder(1.0, 0.05, 0.3)))
        slope = np.array(Pose(rpy=(0, angle, 0)).rotation, dtype=float)
        turn = slope @ np.array(Pose(rpy=(np.pi / 2, 0, yaw)).rotation, dtype=float)
        ways.append(slope @ [np.cos(yaw), np.sin(yaw), 0])
        place = slope @ [-0.6, 0, 0.05] + [0, 5 * k + 0.041, 0]
        poses.append(np.concatenate([place, np.array(to_quaternion(sympy.Matrix(turn)), dtype=float)]))
    sim = Simulator(scene("pills", bodies, grounds), q=at(*poses))
    sim.step(500)
    for (angle, _, yaw), start, end, way in zip(cases, poses, sim.q.reshape(3, 7), ways, strict=True):
        expected = 2 / 3 * 9.81 * np.sin(angle) * np.cos(yaw) * 1e-6 * 500 * 501 / 2
        assert way @ (end - start)[:3] == pytest.approx(expected, rel=2e-4)


@pytest.mark.parametrize(("slope", "corners"), [((0.4, 0.0), 9), ((-0.7, 0.5), 5)])
def test_capsules_meet_a_plane_field_below_their_axis_along_its_normal(
    tmp_path: Path, slope: tuple[float, float], corners: int
) -> None:
    """Both ends and whatever lies between: on the field, with their gaps above the plane."""
    radius, length = 0.05, 0.3
    x, y = np.meshgrid(*2 * [np.linspace(-1, 1, corners)], indexing="ij")
    field = shapes.height_field(slope[0] * x + slope[1] * y, (2, 2))
    seen = probe(tmp_path, field, shapes.capsule(radius, length))
    normal = np.array([-slope[0], -slope[1], 1.0]) / np.sqrt(1 + slope[0] ** 2 + slope[1] ** 2)
    for yaw, gap in ((0.0, 0.0), (0.5, 1e-2), (1.6, 1e-3), (2.4, -1e-4)):
        axis = np.cross(normal, [np.cos(yaw), np.sin(yaw), 0.0])
        axis /= np.linalg.norm(axis)
        turn = np.column_stack([normal, np.cross(axis, normal), axis])
        center = np.array([0.07, 0.03, 0.07 * slope[0] + 0.03 * slope[1]]) + (radius + gap) * normal
        rows = seen(UP, np.column_stack([turn, center]), 2e-2)
        along = (rows[:, 2:5] - center) @ axis
        np.testing.assert_allclose([along.min(), along.max()], [-length / 2, length / 2], atol=1e-9)
        np.testing.assert_allclose(rows[:, 1], gap, atol=1e-12)
        np.testing.assert_allclose(rows[:, 5:], [normal] * len(rows), atol=1e-9)
        below = center + along[:, None] * axis - (radius + gap / 2) * normal
        np.testing.assert_allclose(rows[:, 2:5], below, atol=1e-9)


def test_ridges_peaks_and_valleys_push_where_they_should(tmp_path: Path) -> None:
    ridge = shapes.height_field(-0.5 * abs(X), (2, 2))
    box, ball, pill = shapes.box((0.3, 0.2, 0.1)), shapes.sphere(0.1), shapes.capsule(0.05, 0.3)
    rows = probe(tmp_path / "ridge_box", ridge, box)(UP, place(0.03, 0.02, 0.0499), 1e-3)
    assert len(rows) >= 2
    np.testing.assert_allclose(rows[:, 5:], [[0, 0, 1]] * len(rows), atol=1e-9)  # not those of the slopes
    np.testing.assert_allclose(rows[:, 1], -1e-4, atol=1e-9)
    np.testing.assert_allclose(rows[:, 2], 0.0, atol=1e-9)
    assert np.ptp(rows[:, 3]) == pytest.approx(0.2)
    rows = probe(tmp_path / "ridge_ball", ridge, ball)(UP, place(0.02, 0.03, 0.097), 1e-2)
    np.testing.assert_allclose(rows[:, 1], np.hypot(0.02, 0.097) - 0.1, atol=1e-9)
    np.testing.assert_allclose(rows[0, 5:], np.array([0.02, 0, 0.097]) / np.hypot(0.02, 0.097), atol=1e-9)
    assert len(rows) == 1
    across = place(0.0, 0.03, 0.0505, (0.0, np.pi / 2, 0.0))
    rows = probe(tmp_path / "ridge_pill", ridge, pill)(UP, across, 1e-2)
    nearest = rows[np.argmin(rows[:, 1])]
    np.testing.assert_allclose(nearest[5:], [0, 0, 1], atol=1e-6)
    assert nearest[1] == pytest.approx(5e-4, abs=1e-9)
    peak = shapes.height_field(-0.3 * (abs(X) + abs(Y)), (2, 2))
    rows = probe(tmp_path / "peak_box", peak, box)(UP, place(0.03, 0.02, 0.0499), 1e-3)
    np.testing.assert_allclose(rows[:, 5:], [[0, 0, 1]] * len(rows), atol=1e-9)
    np.testing.assert_allclose(rows[0, 2:4], 0.0, atol=1e-9)
    valley = shapes.height_field(0.5 * abs(X), (2, 2))
    height = 0.1 * np.hypot(1, 0.5) - 1e-5
    rows = probe(tmp_path / "valley_ball", valley, ball)(UP, place(0.0, 0.03, height), 1e-3)
    assert len(rows) == 2
    np.testing.assert_allclose(np.sort(rows[:, 5]), np.array([-0.5, 0.5]) / np.hypot(1, 0.5), atol=1e-9)
    np.testing.assert_allclose(rows[:, 1], -1e-5 / np.hypot(1, 0.5), atol=1e-9)


def test_all_shapes_come_to_rest_on_hills() -> None:
    hills = shapes.height_field(0.1 * np.sin(4 * X) * np.cos(3 * Y) + 0.15 * (X**2 + Y**2), (2, 2))
    rock = np.random.default_rng(3).normal(size=(15, 3)) * 0.1
    things = [
        shapes.sphere(0.1),
        shapes.capsule(0.06, 0.2),
        shapes.box((0.2, 0.25, 0.15)),
        shapes.cylinder(0.1, 0.12),
        shapes.convex(rock),
    ]
    turns = 2 * np.pi * np.arange(5) / 5
    start = at(*((0.35 * np.cos(a), 0.35 * np.sin(a), 0.6 + 0.1 * i) for i, a in enumerate(turns)))
    model = scene("hills", [solid(f"b{i}", thing) for i, thing in enumerate(things)], [hills])
    sim = Simulator(model, q=start)
    sim.step(2000)
    settling = sim.run(1.0).contacts
    assert settling is not None
    places = sim.q.reshape(5, 7)[:, :3]
    below = np.array([0.1 * np.sin(4 * x) * np.cos(3 * y) + 0.15 * (x * x + y * y) for x, y, _ in places])
    assert (places[:, 2] > below).all() and np.abs(places[:, :2]).max() < 0.8
    mean = settling.wrench("world")[1:, :3].mean(axis=0)  # the stone rocks: its support changes from step to step
    np.testing.assert_allclose(mean, [0, 0, -5 * 9.81], atol=0.5)
    assert sim.contacts.gaps.min() > -5e-4


def test_nothing_stands_beyond_the_border() -> None:
    model = scene("edge", [solid("b", shapes.sphere(0.1))], [shapes.height_field(np.zeros((3, 3)), (2, 2))])
    sim = Simulator(model, q=at((1.2, 0, 0.1)))
    sim.step(300)
    assert sim.q[2] == pytest.approx(0.1 - 0.5 * 9.81 * 0.09, abs=5e-3)


@pytest.mark.parametrize("shape", ["box", "hull", "cylinder"])
def test_what_rests_on_the_ground_at_its_border_is_carried_and_not_pushed_sideways(shape: str, tmp_path: Path) -> None:
    """Its side leans outwards by as little as rounding: no normal of the border's edge is one that the body meets."""
    octagon = [(0.2 * np.cos(a), 0.2 * np.sin(a), z) for a in np.arange(8) * np.pi / 4 for z in (-0.1, 0.1)]
    things = {"box": shapes.box((0.4, 0.4, 0.2)), "hull": shapes.convex(octagon), "cylinder": shapes.cylinder(0.2, 0.2)}
    seen = probe(tmp_path, shapes.height_field(np.zeros((9, 9)), (2, 2)), things[shape])
    rng = np.random.default_rng(0)
    for x in (0.75, 0.79, 0.85, 0.95, 1.0, 1.05):
        for lean in (1e-16, 1e-10, 1e-7, 1e-5, 1e-3):
            for _ in range(40):
                tilt = lean * rng.normal(size=2)
                depth = 10 ** rng.uniform(-9, -3) + 0.3 * lean
                rows = seen(UP, place(x, rng.uniform(-0.5, 0.5), 0.1 - depth, (*tilt, rng.uniform(0, 6.3))), 1e-2)
                assert len(rows) > 0
                assert rows[:, 7].min() > 0.9


def test_a_box_slides_in_from_the_border_as_on_a_plane() -> None:
    box = shapes.box((0.4, 0.4, 0.2), friction=0.0)
    model = scene("slide", [solid("b", box)], [shapes.height_field(np.zeros((9, 9)), (2, 2), friction=0.0)])
    for yaw in (0.0, 0.3):
        start = [0.95, 0.03, 0.1, 0, 0, np.sin(yaw / 2), np.cos(yaw / 2)]
        sim = Simulator(model, q=start, v=[-np.cos(yaw), np.sin(yaw), 0, 0, 0, 0])
        sim.step(400)
        np.testing.assert_allclose(sim.q[:3], [0.55, 0.03, 0.1], atol=1e-6)


def test_what_starts_far_below_is_moved_up_as_by_a_plane() -> None:
    bodies = [shapes.sphere(0.1), shapes.box((0.2, 0.2, 0.2)), shapes.capsule(0.1, 0.2), shapes.cylinder(0.1, 0.2)]
    start = at(*((-0.6 + 0.4 * k, 0.05, -1.3) for k in range(4)))
    heights = []
    for ground in (shapes.plane(), shapes.height_field(np.zeros((6, 6)), (2, 2))):
        model = scene("below", [solid(f"b{k}", body) for k, body in enumerate(bodies)], [ground])
        sim = Simulator(model, q=start)
        sim.step(200)
        heights.append(sim.q[2::7])
    assert (heights[0] > -1.25).all()
    np.testing.assert_allclose(heights[1], heights[0], atol=1e-6)


@pytest.mark.parametrize(
    ("heights", "size", "said"),
    [
        ([[0, 1]], (1, 1), "at least 2 by 2"),
        ([0, 1], (1, 1), "at least 2 by 2"),
        ([[0, 1], [0]], (1, 1), "must be \\(n, m\\) numbers"),
        ([[0, 1], [0, float("nan")]], (1, 1), "height \\(1, 1\\) is nan"),
        ([[0, 1], [0, 1]], (1, 0), "size y must be positive"),
        ([[0, 1], [0, 1]], (1,), "must be 2 numbers"),
        ([[0, 1], [0, 1]], 1, "must be 2 numbers"),
    ],
)
def test_fields_that_are_none(heights: object, size: object, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        shapes.height_field(heights, size)


def test_a_field_in_toml(tmp_path: Path) -> None:
    ground = shapes.height_field([[0, 0.1], [0.2, 0], [0, 0]], (2, 3), friction=0.7)
    mechanism = Mechanism("m", [solid("b", shapes.sphere(0.1))], [Joint("f", "free", "world", "b")], shapes=[ground])
    save(mechanism, tmp_path / "m.toml")
    assert load(tmp_path / "m.toml").shapes == (ground,)


def test_a_field_in_mjcf_stands_as_mujoco_has_it(tmp_path: Path) -> None:
    text = (
        '<mujoco><asset><hfield name="h" nrow="2" ncol="3" size="1 2 .5 .1" elevation="0 1 2 3 4 5"/></asset>'
        '<worldbody><geom type="hfield" hfield="h" pos="0.1 0.2 0.3"/><body><freejoint/><geom size=".1"/></body>'
        "</worldbody></mujoco>"
    )
    (tmp_path / "m.xml").write_text(text)
    (ground,) = load(tmp_path / "m.xml").shapes
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    assert (ground.kind, ground.size) == ("height_field", (2.0, 4.0))
    np.testing.assert_allclose(np.array(ground.heights).T.ravel(), 0.5 * model.hfield_data, atol=1e-7)
    (tmp_path / "m.xml").write_text(text.replace(' 5"', '"'))
    with pytest.raises(ModelError, match="elevation"):
        load(tmp_path / "m.xml")
    (tmp_path / "m.xml").write_text(text.replace('elevation="0 1 2 3 4 5"', 'file="h.png"'))
    with pytest.warns(UserWarning, match="height fields without 'elevation' do not touch anything here"):
        assert not load(tmp_path / "m.xml").shapes
