"""What the C of contact says of two shapes at given poses, by itself, and what coal says."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import coal
import numpy as np

from kinegen.codegen.build import find_toolchain, open_cache
from kinegen.codegen.build.library import library_objects
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.codegen.mechanism.geometry.polyhedron import hull
from kinegen.codegen.pipeline import generate
from kinegen.codegen.printing.sources import Sources
from support.contact.contact_scenes import shapes

PROBE = """
#include "probe_contact.c"

/* Points of the first pair of shapes, links at the 3x4 poses A and B: rows [feature, gap, point, normal]. */
__attribute__((visibility("default")))
int probe(const double *A, const double *B, double margin, long repeat, double *out)
{
    static workspace ws;
    kg_touch t[KG_MOST_POINTS];
    int count = 0;
    memcpy(ws.poses, A, 12*sizeof *A);
    memcpy(ws.poses + 12, B, 12*sizeof *B);
    place_shapes(&ws);
    const int i = PAIR[0].first, j = PAIR[0].second;
    kg_placed a = {.kind = SHAPE[i].kind, .size = SHAPE[i].size, .hull = SHAPE[i].hull}, b = a;
    a.R = ws.shape_R[i], a.p = ws.shape_p[i];
    a.ground = SHAPE[i].ground;
    b.kind = SHAPE[j].kind, b.size = SHAPE[j].size, b.hull = SHAPE[j].hull;
    b.R = ws.shape_R[j], b.p = ws.shape_p[j];
    for (long k = 0; k < repeat; k++)
        count = kg_meet(&a, &b, margin, t);
    for (int k = 0; k < count; k++) {
        double *row = out + 8*k;
        row[0] = (double)t[k].feature;
        row[1] = t[k].gap;
        memcpy(row + 2, t[k].point, sizeof t[k].point);
        memcpy(row + 5, t[k].normal, sizeof t[k].normal);
    }
    return count;
}
"""


@dataclass(frozen=True)
class Probe:
    """Two shapes on two free links; swapped: the C has the second one, of the simpler kind, first."""

    call: Any
    swapped: bool

    def __call__(self, a: np.ndarray, b: np.ndarray, margin: float = 1e9, repeat: int = 1) -> np.ndarray:
        """(k, 8) rows [feature, gap, point, normal from a to b]; a, b (3, 4) poses of the two shapes."""
        out = np.zeros((8, 8))
        poses = [np.ascontiguousarray(x, dtype=float).ctypes.data_as(ctypes.c_void_p) for x in (a, b)]
        count = self.call(*poses, ctypes.c_double(margin), repeat, out.ctypes.data_as(ctypes.c_void_p))
        rows = out[:count]
        if self.swapped:
            rows[:, 5:] *= -1.0
        return rows


def probe(folder: Path, a: shapes.Shape, b: shapes.Shape) -> Probe:
    """Compiles the contact of a scene of two links, and a door into it; the geometry's objects are the models' own.

    Of the scene's own functions the linker keeps what the door leads to, so that its dynamics need not be compiled.
    """
    sources = _scene(a, b)
    folder.mkdir(parents=True, exist_ok=True)
    sources.write(folder)
    (folder / "main.c").write_text(PROBE)
    command = ["cc", "-std=c99", "-O0", "-shared", "-fPIC", "-fvisibility=hidden", "-ffunction-sections"]
    objects = []
    for name, code in _geometry(sources).items():
        objects.append(f"{Path(name).stem}.o")
        (folder / objects[-1]).write_bytes(code)
    subprocess.run([*command, "-Wl,--gc-sections", "main.c", *objects, "-lm", "-o", "probe.so"], cwd=folder, check=True)
    return Probe(ctypes.CDLL(str(folder / "probe.so")).probe, sources.manifest.touching[0] == ("b", "a"))


@cache
def _scene(a: shapes.Shape, b: shapes.Shape) -> Sources:
    links = [Link(name, 1.0, (0, 0, 0), (1, 0, 0, 1, 0, 1), shapes=[s]) for name, s in (("a", a), ("b", b))]
    return generate(Mechanism("probe", links, [Joint(f"f{x.name}", "free", "world", x.name) for x in links]))


def _geometry(sources: Sources) -> dict[str, bytes]:
    directory = open_cache()
    with library_objects(sources, find_toolchain("native", directory / "compilers"), directory) as found:
        return found


def in_coal(shape: shapes.Shape) -> Any:
    size = shape.size
    match shape.kind:
        case "sphere":
            return coal.Sphere(size[0])
        case "box":
            return coal.Box(*size)
        case "capsule":
            return coal.Capsule(*size)
        case "cylinder":
            return coal.Cylinder(*size)
    solid = hull(shape.vertices, shape.most)
    triangles = [(f[0], f[i], f[i + 1]) for f in solid.faces for i in range(1, len(f) - 1)]
    points, corners = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in solid.vertices:
        points.append(np.array(vertex))
    for triangle in triangles:
        corners.append(coal.Triangle(*triangle))
    return coal.Convex(points, corners)


def placed_in_coal(pose: np.ndarray) -> Any:
    return coal.Transform3s(pose[:, :3], pose[:, 3])


def coal_distance(a: Any, b: Any, pose_a: np.ndarray, pose_b: np.ndarray) -> tuple[float, np.ndarray]:
    """Signed distance, and the normal from a to b."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_tolerance, request.epa_tolerance = 1e-10, 1e-10
    request.gjk_max_iterations = request.epa_max_iterations = 500
    distance = coal.distance(a, placed_in_coal(pose_a), b, placed_in_coal(pose_b), request, result)
    return distance, np.array(result.normal)


def random_pose(rng: np.random.Generator, spread: float) -> np.ndarray:
    """(3, 4)"""
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.column_stack([R * np.linalg.det(R), spread * rng.normal(size=3)])


__all__ = ["Pose", "coal_distance", "in_coal", "probe", "random_pose"]
