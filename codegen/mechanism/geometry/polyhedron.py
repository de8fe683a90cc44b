"""Convex polyhedra: hulls of points, their faces as polygons, and what they weigh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.runtime.errors import ModelError, shown

from ..types import Vector

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]

FLAT = 1e-6  # of the size: points within so little of one plane span no volume
PLANAR = 1e-6  # of the size: corners so near to the plane of a face belong to it


@dataclass(frozen=True)
class Polyhedron:
    """A convex solid: `vertices` (n, 3); `faces` name their corners counterclockwise as seen from outside.

    `planes` (f, 4) outward unit normal n and offset d of each face, n·x <= d inside; `edges` (e, 4) two vertices, then
    the face that runs from the first to the second and the one that runs back.
    """

    vertices: tuple[Vector, ...]
    faces: tuple[tuple[int, ...], ...]
    planes: tuple[tuple[float, float, float, float], ...]
    edges: tuple[tuple[int, int, int, int], ...]

    @property
    def center(self) -> Vector:
        """(3) centre of the volume."""
        return self._solid[1]

    @property
    def volume(self) -> float:
        """[m³]"""
        return self._solid[0]

    def inertia(self, mass: float) -> tuple[Vector, Vector, Vector]:
        """(3, 3) inertia about the centre of a homogeneous solid of that mass [kg m²]."""
        volume, center, second = self._solid
        c = np.array(center)
        spread = second / volume - np.outer(c, c)
        moments = mass * (np.trace(spread) * np.eye(3) - spread)
        a, b, c3 = (tuple(map(float, row)) for row in moments)
        return a, b, c3  # type: ignore[return-value]

    @property
    def _solid(self) -> tuple[float, Vector, Array]:
        """Volume, centre, ∫ x xᵀ dV: tetrahedra over the triangles of the faces."""
        points = np.array(self.vertices)
        origin = points.mean(axis=0)
        triangles = np.array([(f[0], f[i], f[i + 1]) for f in self.faces for i in range(1, len(f) - 1)])
        corners = points[triangles] - origin
        six = np.linalg.det(corners)
        total = corners.sum(axis=1)
        volume = float(six.sum() / 6.0)
        center = np.einsum("i,ij->j", six, total) / (24.0 * volume)
        second = np.einsum("i,ij,ik->jk", six, total, total) + np.einsum("i,inj,ink->jk", six, corners, corners)
        second = second / 120.0 + volume * (
            np.outer(center, origin) + np.outer(origin, center) + np.outer(origin, origin)
        )
        x, y, z = (float(v) for v in center + origin)
        return volume, (x, y, z), second

    def about(self, center: Sequence[float]) -> Polyhedron:
        """The same solid with `center` as the origin."""
        c = np.array(center, dtype=float)
        vertices = tuple((float(x), float(y), float(z)) for x, y, z in np.array(self.vertices) - c)
        planes = tuple((a, b, n, float(d - np.dot((a, b, n), c))) for a, b, n, d in self.planes)
        return Polyhedron(vertices, self.faces, planes, self.edges)

    @property
    def reach(self) -> float:
        """Distance of the furthest vertex from the origin."""
        return float(np.linalg.norm(np.array(self.vertices), axis=1).max())

    @property
    def thickness(self) -> float:
        """Distance of the nearest face from the origin, which lies inside."""
        return min(plane[3] for plane in self.planes)


@lru_cache(maxsize=256)
def hull(points: tuple[Vector, ...], most: int) -> Polyhedron:
    """The convex hull of points, of at most so many vertices.

    Where the hull has more, those stay that lie furthest out of what is there already: the solid never grows.
    ModelError if the points span no volume, or if SciPy is not installed.
    """
    given = np.array(points, dtype=float)
    size = _size(given)
    triangles, planes = _quickhull(given)
    kept = np.unique(triangles)
    if len(kept) > most:
        kept = _furthest(given[kept], most, kept)
        triangles, planes = _quickhull(given[kept])
        given = given[kept]
    return _polyhedron(given, _polygons(given, triangles, planes, PLANAR * size))


def box_polyhedron(size: Sequence[float]) -> Polyhedron:
    """A box with the full edge lengths `size`, about the origin."""
    x, y, z = (length / 2.0 for length in size)
    corners = np.array([[i * x, j * y, k * z] for k in (-1, 1) for j in (-1, 1) for i in (-1, 1)])
    return _polyhedron(corners, [(1, 3, 7, 5), (2, 6, 7, 3), (4, 5, 7, 6), (0, 4, 6, 2), (0, 1, 5, 4), (0, 2, 3, 1)])


def check_points(points: Any, what: str) -> tuple[Vector, ...]:
    """(n, 3) finite points that span a volume, as tuples; ModelError if they do not."""
    try:
        array = np.array(points, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what}: vertices must be (n, 3) numbers, got {shown(points)}") from None
    if array.ndim != 2 or array.shape[1] != 3:
        raise ModelError(f"{what}: vertices must be (n, 3) numbers, got shape {array.shape}")
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array).all(axis=1))[0, 0])
        raise ModelError(f"{what}: vertex {row} is {tuple(map(float, array[row]))}; give finite numbers")
    if len(array) < 4:
        raise ModelError(f"{what}: a solid has at least 4 vertices, got {len(array)}")
    spread = np.linalg.svd(array - array.mean(axis=0), compute_uv=False)
    if not spread[2] > FLAT * spread[0]:
        raise ModelError(f"{what}: its vertices lie in one plane and span no volume; give it some thickness")
    return tuple((float(x), float(y), float(z)) for x, y, z in array)


def _size(points: Array) -> float:
    return float(np.ptp(points, axis=0).max())


def _quickhull(points: Array) -> tuple[Index, Array]:
    """Triangles (t, 3), counterclockwise from outside, and their planes (t, 4) n·x <= d."""
    try:
        from scipy.spatial import ConvexHull, QhullError
    except ImportError:
        raise ModelError("convex hulls need SciPy: pip install 'kinegen[mesh]'") from None
    try:
        found = ConvexHull(points)
    except QhullError as error:
        raise ModelError(f"these points have no convex hull: {str(error).splitlines()[0]}") from None
    triangles = np.array(found.simplices, dtype=np.int64)
    planes = np.hstack([found.equations[:, :3], -found.equations[:, 3:]])
    a, b, c = (points[triangles[:, i]] for i in range(3))
    backwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), planes[:, :3]) < 0.0
    triangles[backwards] = triangles[backwards][:, [0, 2, 1]]
    order = np.lexsort(np.sort(triangles, axis=1).T[::-1])
    return triangles[order], planes[order]


def _furthest(points: Array, most: int, names: Index) -> Index:
    """Names of `most` points: a wide tetrahedron, then always the point furthest out of the hull of those."""
    first = int(points[:, 0].argmin())
    away = points - points[first]
    second = int(np.linalg.norm(away, axis=1).argmax())
    third = int(np.linalg.norm(np.cross(away, away[second]), axis=1).argmax())
    chosen = [first, second, third, int(np.abs(away @ np.cross(away[second], away[third])).argmax())]
    while len(chosen) < most:
        _, planes = _quickhull(points[chosen])
        out = (points @ planes[:, :3].T - planes[:, 3]).max(axis=1)
        out[chosen] = -np.inf
        chosen.append(int(out.argmax()))
    return np.sort(names[chosen])


def _polygons(points: Array, triangles: Index, planes: Array, slack: float) -> list[tuple[int, ...]]:
    """Faces: triangles joined, from the largest on, with all neighbours whose corners lie in the same plane."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    across = {(int(t[i]), int(t[(i + 1) % 3])): k for k, t in enumerate(triangles) for i in range(3)}
    taken = np.zeros(len(triangles), dtype=bool)
    faces = []
    for seed in np.argsort(-area, kind="stable"):
        if taken[seed]:
            continue
        taken[seed] = True
        region, normal, offset = [int(seed)], planes[seed, :3], planes[seed, 3]
        for k in region:
            for i in range(3):
                other = across[int(triangles[k, (i + 1) % 3]), int(triangles[k, i])]
                flat = np.abs(points[triangles[other]] @ normal - offset).max() <= slack
                if not taken[other] and flat and planes[other, :3] @ normal > 0.0:
                    taken[other] = True
                    region.append(other)
        faces.append(_border(triangles[region]))
    return _without_needless(faces)


def _border(triangles: Index) -> tuple[int, ...]:
    """The loop around triangles that hang together."""
    steps = {(int(t[i]), int(t[(i + 1) % 3])) for t in triangles for i in range(3)}
    after = {a: b for a, b in steps if (b, a) not in steps}
    loop = [min(after)]
    while after[loop[-1]] != loop[0]:
        loop.append(after[loop[-1]])
    return tuple(loop)


def _without_needless(faces: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Without corners where only two faces meet: they lie on an edge."""
    meeting: dict[int, int] = {}
    for face in faces:
        for corner in face:
            meeting[corner] = meeting.get(corner, 0) + 1
    return [tuple(corner for corner in face if meeting[corner] > 2) for face in faces]


def _polyhedron(points: Array, faces: Iterable[tuple[int, ...]]) -> Polyhedron:
    """With the vertices that the faces name, in the order given."""
    loops = sorted(_first_least(face) for face in faces if len(face) > 2)
    used = sorted({corner for face in loops for corner in face})
    number = {old: new for new, old in enumerate(used)}
    faces = tuple(tuple(number[corner] for corner in face) for face in loops)
    vertices = points[used]
    ahead = {(f[i], f[(i + 1) % len(f)]): k for k, f in enumerate(faces) for i in range(len(f))}
    edges = tuple((a, b, k, ahead[b, a]) for (a, b), k in sorted(ahead.items()) if a < b)
    planes = tuple(_plane(vertices, face) for face in faces)
    return Polyhedron(tuple((float(x), float(y), float(z)) for x, y, z in vertices), faces, planes, edges)


def _first_least(face: tuple[int, ...]) -> tuple[int, ...]:
    start = face.index(min(face))
    return face[start:] + face[:start]


def _plane(vertices: Array, face: tuple[int, ...]) -> tuple[float, float, float, float]:
    """Newell's normal; the offset is that of the corner that lies furthest out."""
    corners = vertices[list(face)] - vertices[face[0]]
    normal = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    normal = normal / np.linalg.norm(normal)
    normal[np.abs(normal) < 1e-15] = 0.0
    x, y, z = (float(v) for v in normal)
    return x, y, z, float((vertices[list(face)] @ normal).max())
