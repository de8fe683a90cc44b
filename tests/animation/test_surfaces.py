"""Shapes as triangles: their volumes say that sizes, places and sides are right; packed they stay what they are."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.mechanism.geometry.mesh_colours import mesh_parts
from kinegen.codegen.mechanism.geometry.triangles import pieces, unit_cylinder, unit_sphere
from kinegen.runtime.visual.look import Look, Part, Surface
from kinegen.runtime.visual.packing import packed_surface, quaternions
from kinegen.runtime.visual.simplify import coarser, rough_surfaces, share
from support.animations import surface_of, volume

POSE = kg.Pose((0.3, -0.2, 5.0), (0.4, 0.5, 0.6))
CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)]
GLTF = """{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "buffers": [{"uri": "NAME", "byteLength": 36}],
"bufferViews": [{"buffer": 0, "byteLength": 36}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}]}"""
TETRAHEDRON = "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"


def placed(piece):
    return piece.vertices @ piece.place[:, :3].T + piece.place[:, 3]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (kg.box((1, 2, 3), pose=POSE), 6.0),
        (kg.sphere(0.5, pose=POSE), 4 / 3 * math.pi * 0.125),
        (kg.cylinder(0.5, 2.0, pose=POSE), math.pi * 0.5),
        (kg.convex(CORNERS, pose=POSE), 6.0),
    ],
)
def test_volumes(shape: kg.Shape, expected: float) -> None:
    (piece,) = pieces(shape)
    assert volume(placed(piece), piece.triangles) == pytest.approx(expected, rel=0.03)
    middle = placed(piece)[np.unique(piece.triangles)].mean(axis=0)
    centre = np.array(POSE.rotation) @ (0.5, 1.0, 1.5) if shape.kind == "convex" else np.zeros(3)
    assert middle == pytest.approx(np.array(POSE.xyz) + centre, abs=1e-9)


def test_stretched_and_composed() -> None:
    (egg,) = pieces(kg.sphere(1.0, pose=POSE), (0.1, 0.2, 0.3))
    assert volume(placed(egg), egg.triangles) == pytest.approx(4 / 3 * math.pi * 0.006, rel=0.03)
    tube, *caps = pieces(kg.capsule(0.1, 0.6))
    assert len(caps) == 2
    assert np.ptp(np.vstack([placed(p) for p in (tube, *caps)]), axis=0) == pytest.approx([0.2, 0.2, 0.8])
    assert list(pieces(kg.plane())) == []


def test_height_fields_pass_through_their_points() -> None:
    heights = np.arange(12.0).reshape(3, 4)
    (piece,) = pieces(kg.height_field(heights, (2.0, 3.0)))
    points = placed(piece)
    for i in range(3):
        for j in range(4):
            assert (np.abs(points - [i - 1.0, j - 1.5, heights[i, j]]).max(axis=1) < 1e-12).any()
    a, b, c = (points[piece.triangles[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0.0).all() and len(piece.triangles) == 12


def test_meshes_with_their_colours_and_mirrored(tmp_path: Path) -> None:
    (tmp_path / "m.off").write_text(TETRAHEDRON)
    for scale, solid in (((1, 2, 3), False), ((-1, 2, 3), False), ((1, 2, 3), True)):
        shape = kg.mesh(tmp_path / "m.off", scale=scale, hull=solid, pose=POSE)
        (piece,) = pieces(shape, solid=solid)
        assert volume(placed(piece), piece.triangles) == pytest.approx(1.0) and piece.colour is None
    text = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n"
    (tmp_path / "m.obj").write_text(text)
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 1 0 0\nmap_Kd /etc/hostname\n")
    (part,) = mesh_parts(tmp_path / "m.obj")
    assert part.colour == (1.0, 0.0, 0.0, 1.0) and len(part.triangles) == 1
    (tmp_path / "inner").mkdir()
    (tmp_path / "out.bin").write_bytes(np.array([0, 0, 0, 1, 0, 0, 0, 1, 0], dtype="<f4").tobytes())
    shutil.copy(tmp_path / "out.bin", tmp_path / "inner/in.bin")
    for name, opened in (("in.bin", True), ("../out.bin", False), (str(tmp_path / "out.bin"), False)):
        (tmp_path / "inner/m.gltf").write_text(GLTF.replace("NAME", name))
        mesh_parts.cache_clear()
        if opened:
            assert len(mesh_parts(tmp_path / "inner/m.gltf")[0].triangles) == 1
        else:
            with pytest.raises(kg.ModelError, match="cannot be read"):
                mesh_parts(tmp_path / "inner/m.gltf")
    (tmp_path / "bad.stl").write_text("solid nothing")
    with pytest.raises(kg.ModelError, match=r"bad\.stl"):
        mesh_parts(tmp_path / "bad.stl")


def test_packed_and_simplified() -> None:
    for vertices, triangles in (unit_sphere(), unit_cylinder()):
        exact = volume(vertices, triangles)
        found = surface_of(packed_surface(coarser(Surface(vertices, triangles), 10**6)))
        assert volume(*found) == pytest.approx(exact, rel=1e-4) and len(found[1]) == len(triangles)
        coarse = surface_of(packed_surface(coarser(Surface(vertices, triangles), 200)))
        assert len(coarse[1]) <= 200 and volume(*coarse) == pytest.approx(exact, rel=0.25)
    grid = np.arange(300.0)
    many = np.stack([np.repeat(grid, 300), np.tile(grid, 300), np.zeros(90000)], axis=1)
    wide = packed_surface(Surface(many, np.arange(90000).reshape(-1, 3)))
    assert wide["wide"] and np.abs(surface_of(wide)[0]).max() == pytest.approx(299.0)


def test_shares_fill_the_budget() -> None:
    assert share([10, 20, 1000, 2000], 100_000) == 2000
    for budget in (200, 1500, 3000):
        most = share([10, 20, 1000, 2000], budget)
        assert sum(min(size, most) for size in (10, 20, 1000, 2000)) <= budget
    assert share([], 10) == 12


def test_quaternions() -> None:
    rng = np.random.default_rng(0)
    axes = rng.normal(size=(40, 5, 3))
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    angles = np.cumsum(rng.uniform(0, 1.0, size=(40, 5)), axis=0)
    angles[:, 0] = np.pi  # half turns, where w = 0
    cross = np.zeros((40, 5, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        cross[..., j, i], cross[..., i, j] = axes[..., k], -axes[..., k]
    turns = np.eye(3) + np.sin(angles)[..., None, None] * cross
    turns += (1 - np.cos(angles))[..., None, None] * cross @ cross  # Rodrigues
    found = quaternions(turns)
    expected = np.concatenate([axes * np.sin(angles / 2)[..., None], np.cos(angles / 2)[..., None]], axis=-1)
    assert np.abs(np.einsum("kni,kni->kn", found, expected)) == pytest.approx(np.ones((40, 5)))
    assert (np.einsum("kni,kni->kn", found[1:], found[:-1]) >= 0.0).all()


def fine_cube(n: int) -> Surface:
    """From -1/2 to 1/2, each side n × n squares of two triangles."""
    u, v = (x.ravel() - 0.5 for x in np.meshgrid(*2 * (np.linspace(0, 1, n + 1),), indexing="ij"))
    first = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    a, b, c, d = first, first + n + 1, first + n + 2, first + 1
    sides, faces = [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            corners = np.roll(np.column_stack([u, v, np.full_like(u, 0.5 * sign)]), axis + 1, axis=1)
            around = np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
            faces.append((around if sign > 0 else around[:, ::-1]) + len(sides) * len(u))
            sides.append(corners)
    return Surface(np.vstack(sides), np.vstack(faces))


def test_rough_surfaces_are_wrong_by_as_much_everywhere() -> None:
    """Planes stay planes with sharp edges, and a ball of a tenth the size has far fewer triangles."""
    cube = fine_cube(40)
    ball = Surface(cube.vertices / np.linalg.norm(cube.vertices, axis=1)[:, None], cube.triangles)
    place = np.hstack([np.eye(3), np.zeros((3, 1))])
    grey = (0.5, 0.5, 0.5, 1.0)
    parts = [Part("a", i, scale * place, grey, "visual") for i, scale in enumerate((1.0, 0.1, 2.0))]
    rough = rough_surfaces(Look((ball, ball, cube), tuple(parts)), 3000)
    counts = [len(surface.triangles) for surface in rough]
    assert 300 < sum(counts) <= 3000 and 12 < counts[1] < 0.2 * counts[0]
    assert np.abs(np.abs(rough[2].vertices).max(axis=1) - 0.5).max() < 2e-3
    assert volume(rough[2].vertices, rough[2].triangles) == pytest.approx(1.0, rel=5e-3)
    exact = volume(ball.vertices, ball.triangles)
    assert volume(rough[0].vertices, rough[0].triangles) == pytest.approx(exact, rel=0.05)
