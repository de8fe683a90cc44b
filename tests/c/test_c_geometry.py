"""kg_meet by itself: pairs of shapes whose points are known."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from kinegen.codegen.mechanism.geometry.polyhedron import Polyhedron, box_polyhedron, hull
from kinegen.runtime.structs import CONTACT
from support.c.c_library import COMPILERS, ROOT, STRICT, Library, c_files

PLANE, FIELD, SPHERE, CAPSULE, CYLINDER, BOX, CONVEX = range(7)
EYE = np.eye(3)


@dataclass
class Shape:
    """A placed shape in C, and what keeps its memory."""

    c: Any
    memory: list[Any]


def placed(
    c: Library, kind: int, size: Any = (), p: Any = (0, 0, 0), R: np.ndarray = EYE, solid: Polyhedron | None = None
) -> Shape:
    arrays = [np.array(x, dtype=float).ravel() for x in ([*size, 0, 0, 0], R, p)]
    memory: list[Any] = [*arrays]
    body = c.ffi.NULL
    if solid:
        vertex, plane = np.array(solid.vertices), np.array(solid.planes)
        tables = [[0, *accumulate(map(len, solid.faces))], [k for face in solid.faces for k in face]]
        start, corner = (c.ffi.new("short[]", table) for table in tables)
        edge = c.ffi.new("short[][4]", [list(row) for row in solid.edges])
        counts = len(solid.vertices), len(solid.faces), len(solid.edges)
        places = c.doubles(vertex, "double (*)[3]"), c.doubles(plane, "double (*)[4]")
        body = c.ffi.new("kg_polyhedron *", (*counts, *places, start, corner, edge, solid.thickness))
        memory += [vertex, plane, start, corner, edge, body]
    shape = c.ffi.new("kg_placed *", (kind, *map(c.doubles, arrays), body, c.ffi.NULL))
    return Shape(shape, memory)


def field(c: Library, heights: np.ndarray, step: float) -> Shape:
    z = np.ascontiguousarray(heights, dtype=float)
    ground = c.ffi.new("kg_terrain *", (z.shape, (step, step), z.max(), c.doubles(z)))
    shape = placed(c, FIELD)
    shape.c.ground = ground
    shape.memory += [z, ground]
    return shape


def meet(c: Library, a: Shape, b: Shape, margin: float = 0.05) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """(gap, point, normal) of every point."""
    t = c.ffi.new("kg_touch[8]")
    count = c.lib.kg_meet(a.c, b.c, margin, t)
    assert 0 <= count <= 8
    features = [t[k].feature for k in range(count)]
    assert len({*features}) == count
    return [(t[k].gap, np.array([*t[k].point]), np.array([*t[k].normal])) for k in range(count)]


def about(axis: Any, angle: float) -> np.ndarray:
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return EYE + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def sorted_points(found: Any) -> list[list[float]]:
    return sorted(np.round(point, 9).tolist() for _, point, _ in found)


def test_two_balls(c: Library) -> None:
    ((gap, point, normal),) = meet(c, placed(c, SPHERE, [0.1]), placed(c, SPHERE, [0.2], (0, 0.29, 0)))
    assert gap == pytest.approx(-0.01, abs=1e-15)
    np.testing.assert_allclose(point, [0, 0.095, 0], atol=1e-15)
    np.testing.assert_allclose(normal, [0, 1, 0])
    assert meet(c, placed(c, SPHERE, [0.1]), placed(c, SPHERE, [0.2], (0, 0.4, 0)), 0.05) == []


@pytest.mark.parametrize(
    ("centre", "gap", "normal"),
    [
        ((0, 0, 0.45), 0.05, (0, 0, -1)),  # over a face
        ((0, 0, 0.25), -0.15, (0, 0, -1)),  # its centre in the box
        ((0.23, 0.34, 0), 0.05 - 0.1, (-3 / 5, -4 / 5, 0)),  # at an edge
        ((0.2 + 0.08, 0.3 + 0.04, 0.3 + 0.01), 0.09 - 0.1, (-8 / 9, -4 / 9, -1 / 9)),  # at a corner
    ],
)
def test_ball_and_box(c: Library, centre: Any, gap: float, normal: Any) -> None:
    a, b = placed(c, SPHERE, [0.1], centre), placed(c, BOX, [0.2, 0.3, 0.3])
    ((found, _, n),) = meet(c, a, b, 1.0)
    assert found == pytest.approx(gap, abs=1e-12)
    np.testing.assert_allclose(n, normal, atol=1e-12)


@pytest.mark.parametrize("hulled", [False, True])
def test_box_on_box_touches_in_the_corners_of_what_they_share(c: Library, hulled: bool) -> None:
    sizes = [(0.5, 0.5, 0.1), (0.2, 0.2, 0.2)]
    solids = [box_polyhedron(2 * np.array(size)) if hulled else None for size in sizes]
    kind = CONVEX if hulled else BOX
    a, b = (
        placed(c, kind, size, p, solid=solid)
        for size, p, solid in zip(sizes, [(0, 0, 0), (0.4, 0, 0.299)], solids, strict=True)
    )
    found = meet(c, a, b)
    assert all(gap == pytest.approx(-1e-3, abs=1e-12) for gap, _, _ in found)
    assert all(np.allclose(n, [0, 0, 1]) for _, _, n in found)
    wanted = [[0.2, -0.2, 0.0995], [0.2, 0.2, 0.0995], [0.5, -0.2, 0.0995], [0.5, 0.2, 0.0995]]
    np.testing.assert_allclose(sorted_points(found), wanted, atol=1e-9)


@pytest.mark.parametrize("hulled", [False, True])
def test_box_across_box_touches_in_one_point_of_two_edges(c: Library, hulled: bool) -> None:
    """Both turned by 45° about axes that cross: the edges on top and below meet over the origin."""
    half, reach = np.array([0.5, 0.1, 0.1]), 0.1 * np.sqrt(2)
    solid = box_polyhedron(2 * half) if hulled else None
    kind = CONVEX if hulled else BOX
    lower, upper = about((1, 0, 0), np.pi / 4), about((0, 0, 1), np.pi / 2) @ about((1, 0, 0), np.pi / 4)
    a = placed(c, kind, half, (0, 0, 0), lower, solid)
    b = placed(c, kind, half, (0, 0, 2 * reach - 0.004), upper, solid)
    ((gap, point, normal),) = meet(c, a, b)
    assert gap == pytest.approx(-0.004, abs=1e-9)
    np.testing.assert_allclose(point, [0, 0, reach - 0.002], atol=1e-9)
    np.testing.assert_allclose(normal, [0, 0, 1], atol=1e-9)


def stone(rng: np.random.Generator, corners: int) -> Polyhedron:
    x = rng.normal(size=(corners, 3))
    found = hull(tuple(map(tuple, (0.1 * x / np.linalg.norm(x, axis=1)[:, None]).tolist())), corners)
    return found.about(found.center)


def apart(solids: tuple[Polyhedron, Polyhedron], p: np.ndarray, R: np.ndarray) -> float:
    """min |x - y| over x in the first solid and y in the second, which stands at p, R."""
    (N, d), (M, e) = ((P[:, :3], P[:, 3]) for P in (np.array(solid.planes) for solid in solids))
    inside = [
        {"type": "ineq", "fun": lambda z: d - N @ z[:3]},
        {"type": "ineq", "fun": lambda z: e - M @ (R.T @ (z[3:] - p))},
    ]
    best = minimize(lambda z: ((z[:3] - z[3:]) ** 2).sum(), np.r_[0, 0, 0, p], constraints=inside, tol=1e-14)
    return float(np.sqrt(best.fun))


@pytest.mark.parametrize("corners", [12, 60, 200])
def test_hulls_are_as_far_apart_as_their_nearest_points(c: Library, corners: int) -> None:
    rng = np.random.default_rng(corners)
    counted = 0
    for _ in range(4):
        solids = stone(rng, corners), stone(rng, corners)
        R = about(rng.normal(size=3), 3.0 * rng.random())
        p = rng.normal(size=3)
        p *= 0.25 / np.linalg.norm(p)
        a, b = placed(c, CONVEX, solid=solids[0]), placed(c, CONVEX, p=p, R=R, solid=solids[1])
        found = meet(c, a, b, 1.0)
        distance = apart(solids, p, R)
        assert min(gap for gap, _, _ in found) == pytest.approx(distance, abs=1e-6)
        counted += 1
    assert counted == 4


def test_many_corners_on_a_plane_keep_eight(c: Library) -> None:
    """A disc of 120 corners lies flat: eight points, about the centre, that do not depend on the buffer."""
    angles = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    points = [(0.1 * np.cos(a), 0.1 * np.sin(a), z) for a in angles for z in (-0.01, 0.01)]
    disc = hull(tuple(points), 240)
    assert max(map(len, disc.faces)) == 120
    found = meet(c, placed(c, PLANE), placed(c, CONVEX, p=(0, 0, 0.009), solid=disc), 0.5)
    assert len(found) == 8
    assert all(gap == pytest.approx(-1e-3) for gap, _, _ in found)
    on_disc = meet(c, placed(c, CONVEX, solid=disc), placed(c, CONVEX, p=(0.01, 0, 0.019), solid=disc))
    assert len(on_disc) == 8
    assert all(gap == pytest.approx(-1e-3) for gap, _, _ in on_disc)
    for points_found in (found, on_disc):
        spread = np.array([point for _, point, _ in points_found])[:, :2]
        assert np.linalg.norm(spread.mean(axis=0)) < 0.02
        assert np.linalg.norm(spread, axis=1).min() > 0.08


def disc_of(corners: int) -> Polyhedron:
    angles = 2 * np.pi * np.arange(corners) / corners
    return hull(tuple((0.1 * np.cos(a), 0.1 * np.sin(a), z) for a in angles for z in (-0.01, 0.01)), 2 * corners)


@pytest.mark.parametrize("corners", [24, 60, 100])
def test_the_deepest_corner_of_a_tilted_disc_is_among_the_points(c: Library, corners: int) -> None:
    """On a plane, a flat field and a box, tilted towards any side, the lowest is 0.1 mm deep."""
    solid, square = disc_of(corners), box_polyhedron([0.6, 0.6, 0.2])
    grounds = (
        placed(c, PLANE),
        field(c, np.zeros((9, 9)), 0.1),
        placed(c, BOX, [0.3, 0.3, 0.1], (0, 0, -0.1), solid=square),
    )
    for tilt in (1e-3, 1e-2, 0.1):
        for side in np.linspace(0.0, 6.0, 13):
            R = about((np.cos(side), np.sin(side), 0), tilt)
            height = -1e-4 - (np.array(solid.vertices) @ R.T)[:, 2].min()
            for ground in grounds:
                found = meet(c, ground, placed(c, CONVEX, p=(0.01, 0.02, height), R=R, solid=solid))
                assert min(gap for gap, _, _ in found) == pytest.approx(-1e-4, abs=2e-6), (tilt, side)


@pytest.mark.parametrize("side", [0, 63, 64, 127])
def test_a_side_that_cuts_a_face_of_many_corners_has_a_number_of_its_own(c: Library, side: int) -> None:
    """Half of 128 corners stays, each known by its own number twice, and two cuts that tell the edge and the side."""
    angles = 2 * np.pi * (np.arange(128) + 0.25) / 128
    x = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    ends = c.ffi.new("int[258]")
    kept = c.lib.clip(c.doubles(x), 128, c.doubles(np.array([0.0, 1.0, 0.0])), 0.0, side, ends)
    found = [(ends[2 * i], ends[2 * i + 1]) for i in range(kept)]
    assert [(i, i) for i in range(64, 128)] == [pair for pair in found if pair[0] == pair[1]]
    cuts = [pair for pair in found if pair[0] != pair[1]]
    assert len(cuts) == 2 and all(max(pair) == 128 + side and min(pair) in (63, 127) for pair in cuts)


@pytest.mark.parametrize("size", [1.0, 1e-3])
def test_round_hulls_on_a_plane_keep_what_is_low(c: Library, size: float) -> None:
    """A wheel of 64 and a pebble of 90 corners, all within the margin: no corner sinks far in below those that stay,
    tipped to either side; where the wheel stands on a side, and as it is, none does."""
    angles = 2 * np.pi * np.arange(32) / 32
    wheel = np.array([(0.1 * np.sin(a), y, -0.1 * np.cos(a)) for a in angles for y in (-0.025, 0.025)])
    cloud = np.random.default_rng(4).normal(size=(90, 3))
    pebble = 0.1 * np.array([1, 0.7, 0.4]) * cloud / np.linalg.norm(cloud, axis=1)[:, None]
    sides = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    for corners, R in ((wheel, about((0, 1, 0), np.pi / 32)), (wheel, EYE), (pebble, EYE)):
        points = size * corners @ R.T
        points[:, 2] -= points[:, 2].min()
        solid = hull(tuple(map(tuple, points.tolist())), 128)
        kept = np.array([p for _, p, _ in meet(c, placed(c, PLANE), placed(c, CONVEX, solid=solid), 0.5)])
        kept[:, 2] *= 2.0  # half way down
        for slope, deep in ((0.0, 1e-12), (0.01, 2e-5), (0.1, 3e-4), (0.3, 3e-3)):
            ways = np.array([(slope * np.cos(a), slope * np.sin(a), 1.0) for a in sides])
            sunk = (kept @ ways.T).min(axis=0) - (points @ ways.T).min(axis=0)
            assert sunk.max() <= size * deep, (slope, sunk.max() / size)


def test_round_shapes_on_a_plane_and_a_flat_field(c: Library) -> None:
    """A ball, a lying capsule, a standing cylinder and a box, each 1 mm deep, in both kinds of ground."""
    flat = field(c, np.zeros((9, 9)), 0.25)
    lying = about((0, 1, 0), np.pi / 2)
    for kind, size, height, R, points in (
        (SPHERE, [0.1], 0.1, EYE, 1),
        (CAPSULE, [0.05, 0.1], 0.05, lying, 2),
        (CYLINDER, [0.1, 0.2], 0.2, EYE, 4),
        (BOX, [0.1, 0.2, 0.3], 0.3, EYE, 4),
    ):
        solid = box_polyhedron([0.2, 0.4, 0.6]) if kind == BOX else None
        shape = placed(c, kind, size, (0.03, 0.02, height - 1e-3), R, solid)
        for ground in (placed(c, PLANE), flat):
            found = meet(c, ground, shape)
            assert len(found) >= points
            assert all(gap == pytest.approx(-1e-3, abs=1e-9) for gap, _, _ in found), kind
            assert all(np.allclose(n, [0, 0, 1], atol=1e-9) for _, _, n in found), kind


def test_capsules_cylinders_and_boxes_side_by_side(c: Library) -> None:
    upright = [(CAPSULE, [0.1, 0.2]), (CYLINDER, [0.1, 0.2])]
    for i, (kind, size) in enumerate(upright):
        for other, more in upright[i:]:
            found = meet(c, placed(c, kind, size), placed(c, other, more, (0.199, 0, 0)))
            assert len(found) >= 2
            assert all(gap == pytest.approx(-1e-3, abs=1e-9) and np.allclose(n, [1, 0, 0]) for gap, _, n in found)
        box = placed(c, BOX, [0.1, 0.3, 0.3], (0.199, 0, 0), solid=box_polyhedron([0.2, 0.6, 0.6]))
        found = meet(c, placed(c, kind, size), box)
        assert len(found) >= 2
        assert all(gap == pytest.approx(-1e-3, abs=1e-9) and np.allclose(n, [1, 0, 0]) for gap, _, n in found)


WIDE = """
#include "geometry/geometry.h"
typedef char long_has_32_bits[sizeof(long) == 4 ? 1 : -1];
typedef char feature_has_64_bits[sizeof ((kg_touch *)0)->feature == 8 ? 1 : -1];
"""


def test_features_of_large_fields_are_numbered_where_a_long_has_32_bits(tmp_path: Path) -> None:
    """In WebAssembly, whose compiler finds no number that is cut; Python reads points of contact from there alike."""
    (tmp_path / "wide.c").write_text(WIDE)
    command = [*COMPILERS["clang"], "-target", "wasm32-wasi", *STRICT, "-I", str(ROOT), "-c"]
    for path in (tmp_path / "wide.c", *c_files()):
        made = subprocess.run([*command, str(path)], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
    assert CONTACT.dtype_32["feature"].itemsize == 8
