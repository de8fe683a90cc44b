"""Convex polyhedra: distances and normals against coal and all axes; rest, stacks, identity, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose, Shape, load
from kinegen.codegen.mechanism.formats.toml.writer import save
from kinegen.codegen.mechanism.geometry.polyhedron import Polyhedron, box_polyhedron, hull
from kinegen.runtime import Simulator
from kinegen.runtime.errors import ModelError
from support.contact.contact_scenes import at, scene, shapes, solid
from support.contact.pair_probe import Probe, coal_distance, in_coal, probe, random_pose


def points(count: int, seed: int, size: float = 0.1) -> np.ndarray:
    """Points on an ellipsoid."""
    p = np.random.default_rng(seed).normal(size=(count, 3))
    return size * np.array([1.0, 0.8, 0.6]) * p / np.linalg.norm(p, axis=1)[:, None]


def polyhedron(shape: shapes.Shape) -> Polyhedron:
    return box_polyhedron(shape.size) if shape.kind == "box" else hull(shape.vertices, shape.most)


def separation(a: Polyhedron, b: Polyhedron, A: np.ndarray, B: np.ndarray) -> float:
    """Over all normals of faces and all pairs of edges."""
    va, vb = (np.array(s.vertices) @ P[:, :3].T + P[:, 3] for s, P in ((a, A), (b, B)))
    faces = [np.array(s.planes)[:, :3] @ P[:, :3].T for s, P in ((a, A), (b, B))]
    ea, eb = (np.array([v[e[1]] - v[e[0]] for e in s.edges]) for s, v in ((a, va), (b, vb)))
    across = np.cross(ea[:, None], eb[None]).reshape(-1, 3)
    across = across[np.linalg.norm(across, axis=1) > 1e-9]
    across /= np.linalg.norm(across, axis=1)[:, None]
    axes = np.vstack([faces[0], -faces[1], across, -across])
    return float(((axes @ vb.T).min(axis=1) - (axes @ va.T).max(axis=1)).max())


PAIRS = {
    "box and hull": (shapes.box((0.2, 0.3, 0.1)), shapes.convex(points(12, 1)), 400),
    "8 corners": (shapes.convex(points(8, 2)), shapes.convex(points(8, 3)), 400),
    "20 corners": (shapes.convex(points(20, 2)), shapes.convex(points(20, 3)), 200),
    "60 corners": (shapes.convex(points(60, 2)), shapes.convex(points(60, 3)), 40),
}


@pytest.mark.parametrize("name", PAIRS)
def test_distances_of_polyhedra(name: str, tmp_path: Path) -> None:
    """Apart: coal's distance and normal. Overlapping: the axis of least depth, or a face that is as good to 1e-3."""
    a, b, count = PAIRS[name]
    found, in_a, in_b = probe(tmp_path, a, b), in_coal(a), in_coal(b)
    solids = polyhedron(a), polyhedron(b)
    slack = 1e-3 * min(s.about(s.center).thickness for s in solids)
    rng, apart, inside = np.random.default_rng(0), 0, 0
    for i in range(count):
        A, B = random_pose(rng, 0.03), random_pose(rng, 0.12 if i % 2 else 0.06)
        rows = found(A, B)
        nearest = rows[np.argmin(rows[:, 1])]
        distance, normal = coal_distance(in_a, in_b, A, B)
        np.testing.assert_allclose(np.linalg.norm(rows[:, 5:], axis=1), 1.0, atol=1e-12)
        if distance > 0.0:
            apart += 1
            assert abs(nearest[1] - distance) < 1e-7
            np.testing.assert_allclose(nearest[5:], normal, atol=1e-3)
        else:
            inside += 1
            exact = separation(*solids, A, B)
            assert exact - slack - 1e-9 <= nearest[1] <= exact + 1e-9
        assert _between(found, A, B, nearest)
    assert min(apart, inside) > count // 8


def _between(found: Probe, A: np.ndarray, B: np.ndarray, row: np.ndarray) -> bool:
    """Moved apart along the normal by the depth, and a little more, the two do not overlap any more."""
    moved = B.copy()
    moved[:, 3] += (1e-6 - row[1]) * row[5:]
    rows = found(A, moved)
    return bool(rows[:, 1].min() > -1e-9)


def test_faces_that_touch_have_the_corners_of_their_overlap(tmp_path: Path) -> None:
    a = shapes.convex(box_polyhedron((0.2, 0.2, 0.2)).vertices)
    b = shapes.convex(box_polyhedron((0.1, 0.3, 0.2)).vertices)
    found = probe(tmp_path, a, b)
    A = np.column_stack([np.eye(3), np.zeros(3)])
    B = np.column_stack([np.eye(3), [0.02, 0.0, 0.1999]])
    rows = found(A, B, 1e-3)
    assert sorted(map(tuple, rows[:, 2:4].round(9))) == [(-0.03, -0.1), (-0.03, 0.1), (0.07, -0.1), (0.07, 0.1)]
    np.testing.assert_allclose(rows[:, 1], -1e-4, atol=1e-12)
    np.testing.assert_allclose(rows[:, 5:], [[0, 0, 1]] * 4, atol=1e-12)


def test_solids_that_just_touch_have_a_point(tmp_path: Path) -> None:
    """Shared edges, corners and faces, one in the other, turned by even angles: always a point and a normal."""
    a, b = shapes.convex(prism(12, 0.1, 0.2)), shapes.box((0.2, 0.2, 0.2))
    found, rng = probe(tmp_path, a, b), np.random.default_rng(1)
    turns = [np.array(Pose(rpy=(x, y, 0)).rotation, dtype=float) for x in QUARTERS for y in QUARTERS]
    for _ in range(1500):
        shift = rng.choice([-0.2, -0.1, 0, 0.1, 0.2, 0.2 + 1e-9, 0.2 - 1e-9, 0.1 * np.sqrt(2)], size=3)
        A = np.column_stack([turns[rng.integers(9)], np.zeros(3)])
        rows = found(A, np.column_stack([turns[rng.integers(9)], shift]))
        assert len(rows) and np.isfinite(rows).all()
        np.testing.assert_allclose(np.linalg.norm(rows[:, 5:], axis=1), 1.0, atol=1e-9)


@pytest.mark.parametrize("kinds", [("box", "box"), ("box", "convex"), ("convex", "convex")], ids="-".join)
def test_cubes_that_touch_by_an_edge_or_a_corner_push_apart(kinds: tuple[str, str], tmp_path: Path) -> None:
    """In one tilted frame, so that rounding alone is left of their distance: the normal still separates them."""
    cube = {"box": shapes.box((0.1, 0.1, 0.1)), "convex": shapes.convex(box_polyhedron((0.1, 0.1, 0.1)).vertices)}
    found, rng = probe(tmp_path, cube[kinds[0]], cube[kinds[1]]), np.random.default_rng(0)
    for i in range(1200):
        step = np.array([0.1, 0.1, 0.1 * (i % 2)])
        A = random_pose(rng, 1.0)
        rows = found(A, np.column_stack([A[:, :3], A[:, 3] + A[:, :3] @ step]), 0.01)
        touching = rows[rows[:, 1] < 1e-3]
        normals = touching[:, 5:] @ A[:, :3]
        assert len(touching) and (abs(touching[:, 1]) < 1e-12).all()
        np.testing.assert_allclose(normals @ step - 0.1 * abs(normals).sum(axis=1), 0.0, atol=1e-9)


@pytest.mark.parametrize("kind", ["box", "convex"])
def test_a_cube_flush_over_the_corner_of_another_meets_it_there(kind: str, tmp_path: Path) -> None:
    """Apart by 0 or 0.1 mm, in parallel frames but for rounding, or for 0.1 mrad: edges far off do not meet."""
    cube = {"box": shapes.box((0.1, 0.1, 0.1)), "convex": shapes.convex(box_polyhedron((0.1, 0.1, 0.1)).vertices)}[kind]
    found, rng = probe(tmp_path, cube, cube), np.random.default_rng(0)
    for i in range(1500):
        A, gap, tilt = random_pose(rng, 1.0), (1e-4, 0.0)[i % 2], (0.0, 1e-4)[i // 2 % 2]
        turned = A[:, :3] @ Rotation.from_rotvec(tilt * rng.normal(size=3)).as_matrix()
        rows = found(A, np.column_stack([turned, A[:, 3] + A[:, :3] @ [0.1, 0.1, 0.1 + gap]]), 0.01)
        near = rows[rows[:, 1] < rows[:, 1].min() + 1e-5]
        np.testing.assert_allclose((near[:, 2:5] - A[:, 3]) @ A[:, :3], np.full((len(near), 3), 0.05), atol=2e-4)


@pytest.mark.parametrize("margin", [1e-2, 4e-5])
def test_prisms_that_touch_by_edges_touch_however_far_is_looked(margin: float, tmp_path: Path) -> None:
    """Along half an edge, or by a corner: nothing but other corners, some of them far off, is over their faces."""
    found = probe(tmp_path, *[shapes.convex(prism(6, 1e-3, 2e-3))] * 2)
    for A in (np.eye(3, 4), *(random_pose(np.random.default_rng(i), 0.1) for i in range(200))):
        for height in (1e-3, 2e-3):
            rows = found(A, np.column_stack([A[:, :3], A[:, 3] + A[:, :3] @ [2e-3, 0.0, height]]), margin)
            touching = (rows[abs(rows[:, 1]) < 1e-12, 2:5] - A[:, 3]) @ A[:, :3]
            assert len(touching) and abs(touching[:, :2] - [1e-3, 0.0]).max() < 1e-9


QUARTERS = (0, np.pi / 4, np.pi / 2)


def rock(name: str, count: int, seed: int) -> Link:
    return solid(name, shapes.convex(points(count, seed)))


@pytest.mark.sweep
def test_rocks_come_to_rest_on_each_other() -> None:
    model = scene("rocks", [rock(f"r{i}", n, i) for i, n in enumerate((8, 20, 60, 12))], [shapes.plane()])
    sim = Simulator(model, q=at(*((0.01 * i, 0.02 * (i % 2), 0.15 + 0.21 * i) for i in range(4))))
    trajectory = sim.run(5.0, every=10)
    energy = trajectory.energy.sum(axis=1)
    assert np.diff(energy).max() < 1e-6 and np.abs(sim.v).max() < 1e-6
    assert trajectory.contacts is not None
    np.testing.assert_allclose(trajectory.contacts.force("world")[-2], [0, 0, -4 * 9.81], atol=1e-3)
    assert sim.contacts.gaps.min() > -2e-4


def prism(sides: int, radius: float, height: float) -> np.ndarray:
    angles = 2 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) * radius
    return np.vstack([np.column_stack([ring, np.full(sides, z)]) for z in (-height / 2, height / 2)])


def test_prisms_stand_on_each_other_on_points_that_stay() -> None:
    """Of the forty points two 20-gons share, eight carry, the same ones all the time."""
    vertices = prism(20, 0.1, 0.1)
    solid20 = hull(tuple(map(tuple, vertices.tolist())), 64)
    assert sorted(map(len, solid20.faces)) == [4] * 20 + [20] * 2
    links = [Link(f"p{i}", 1.0, (0, 0, 0), solid20.inertia(1.0), shapes=[shapes.convex(vertices)]) for i in range(3)]
    start = at(*((0.002 * i, 0.001 * i, 0.05 + 0.1 * i) for i in range(3)))
    sim = Simulator(scene("prisms", links, [shapes.plane()]), q=start)
    trajectory = sim.run(2.0, every=1)
    assert np.abs(trajectory.q - start).max() < 1e-3
    assert trajectory.contacts is not None
    history = trajectory.contacts
    seen = {(int(r["pair"]), int(r["feature"])) for r in history.records[history.starts[500] : history.starts[-1]]}
    assert len(seen) == 24 and all(len(history[i]) == 24 for i in range(500, 1999, 100))


@pytest.mark.parametrize(
    "ground",
    [
        shapes.plane(),
        shapes.box((4, 4, 1), pose=Pose((0, 0, -0.5))),
        shapes.height_field(np.zeros((9, 9)), (4, 4)),
    ],
    ids=["plane", "box", "field"],
)
def test_a_fast_hull_does_not_sink_in(ground: Shape) -> None:
    """64 corners at 100 m/s, on whose way in a step most of the hull lies: none of the low ones is left out."""
    corners = points(64, 5)
    model = scene("thrown", [solid("b", shapes.convex(corners))], [ground])
    for turn in np.random.default_rng(1).normal(size=(12, 4)):
        down = Rotation.from_quat(turn).inv().apply((1, 0, -100))
        sim = Simulator(model, q=np.r_[0, 0, 0.3, turn / np.linalg.norm(turn)], v=np.r_[down, 0, 0, 0])
        for _ in range(30):
            sim.step()
            heights = Rotation.from_quat(sim.q[3:]).apply(corners)[:, 2] + sim.q[2]
            assert heights.min() > -3e-4


def test_a_hull_of_a_box_moves_as_the_box_does() -> None:
    size = (0.2, 0.3, 0.1)
    box = solid("b", shapes.box(size))
    hulled = Link("b", box.mass, box.com, box.inertia, shapes=[shapes.convex(box_polyhedron(size).vertices)])
    paths = []
    for link in (box, hulled):
        model = scene("tumble", [link], [shapes.plane(friction=0.6)])
        sim = Simulator(model, q=at((0, 0, 0.3, 0.1, 0.2, 0.3, 0.9273618495495703)), v=[0.5, 0, 0, 2, 1, 0])
        sim.step(600)
        paths.append(sim.q)
    np.testing.assert_allclose(paths[1], paths[0], atol=1e-6)


def test_a_large_hull_keeps_its_outermost_corners() -> None:
    cloud = np.random.default_rng(5).normal(size=(2000, 3))
    cloud /= np.linalg.norm(cloud, axis=1)[:, None]
    names = tuple(map(tuple, cloud.tolist()))
    small, whole = hull(names, 64), hull(names, 5000)
    assert len(small.vertices) == 64 and len(whole.vertices) > 1900
    assert set(small.vertices) < set(whole.vertices)
    assert 0.9 < small.volume / whole.volume < 1.0
    np.testing.assert_allclose(whole.volume, 4 / 3 * np.pi, rtol=0.01)
    np.testing.assert_allclose(whole.inertia(1.0), 0.4 * np.eye(3), atol=0.01)


def test_a_box_as_a_polyhedron() -> None:
    b = box_polyhedron((1.0, 2.0, 3.0))
    assert (len(b.vertices), len(b.edges), len(b.faces)) == (8, 12, 6)
    np.testing.assert_allclose(b.volume, 6.0)
    np.testing.assert_allclose(b.inertia(12.0), np.diag([13.0, 10.0, 5.0]), atol=1e-12)
    moved = hull(tuple((x + 3.0, y, z - 1.0) for x, y, z in b.vertices), 64)
    np.testing.assert_allclose(moved.center, [3.0, 0.0, -1.0], atol=1e-12)
    np.testing.assert_allclose(moved.inertia(12.0), np.diag([13.0, 10.0, 5.0]), atol=1e-12)


@pytest.mark.parametrize(
    ("vertices", "said"),
    [
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "at least 4 vertices"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]], "lie in one plane"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, float("nan")], [0, 0, 1]], "vertex 2 is"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, float("inf")], [0, 0, 1]], "vertex 2 is"),
        ([[0, 0], [1, 0], [0, 1], [1, 1]], r"got shape \(4, 2\)"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, "a"], [0, 0, 1]], "must be"),
        ([], "must be"),
    ],
)
def test_points_without_a_volume_are_refused(vertices: list[list[float]], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        shapes.convex(vertices)


def test_convex_shapes_in_toml(tmp_path: Path) -> None:
    written = Mechanism("kept", [rock("r", 8, 1)], [Joint("f", "free", "world", "r")], shapes=[shapes.plane()])
    save(written, tmp_path / "kept.toml")
    assert load(tmp_path / "kept.toml").links[0].shapes == written.links[0].shapes


@pytest.mark.parametrize("kind", ["box", "convex"])
def test_an_edge_that_grazes_a_parallel_edge_is_met_at_both_ends(kind: str) -> None:
    """A block that flies at a table's edge, edge on edge: it is stopped across the edges and not thrown aside."""
    corners = [[x, y, z] for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.1, 0.1)]
    block = shapes.convex(corners) if kind == "convex" else shapes.box((0.2, 0.4, 0.2))
    table = shapes.box((2, 2, 1), pose=Pose((-1, 0, -0.5)))
    model = scene(f"graze_{kind}", [solid("block", block)], [table])
    for turn in (0.0, 1e-12, 1e-9):
        q = at([0.105, 0, 0.105, np.sin(turn / 2), 0, 0, np.cos(turn / 2)])
        sim = Simulator(model, q=q, v=[-2.0, 0, -2.0, 0, 0, 0])
        while not sim.contacts.forces.any():
            sim.step()
            assert sim.t < 0.01
        np.testing.assert_allclose(sorted(sim.contacts.points[:, 1]), [-0.2, 0.2], atol=1e-6)
        np.testing.assert_allclose(sim.v[[1, 3, 5]], 0.0, atol=1e-4)
