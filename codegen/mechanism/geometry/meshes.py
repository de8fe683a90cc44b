"""Mesh files -> points: found beside the model or where the user says, opened only when contact is compiled."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kinegen.runtime.errors import ModelError, shown

from .mesh_units import metres
from .polyhedron import Polyhedron, check_points, hull
from .shapes import Shape

CONVEX = 1e-3  # of the size: a mesh whose surface lies so near to that of its hull counts as convex
SUFFIXES = (".stl", ".obj", ".ply", ".off", ".dae", ".glb", ".gltf")

Array = npt.NDArray[np.float64]


def mesh_hull(shape: Shape) -> tuple[Polyhedron, bool]:
    """The hull of a mesh, and whether the mesh is convex itself.

    ModelError if the file is missing, unreadable, where it must not be, or spans no volume.
    """
    vertices, faces = _load(find_mesh(shape))
    points = vertices * np.array(shape.size)
    found = _solid(shape, points)
    whole = found if len(found.vertices) < shape.most else hull(check_points(points, "mesh"), len(points))
    return found, _is_convex(points, faces, whole)


def mesh_solid(shape: Shape) -> Polyhedron:
    """The hull of a mesh, whether the mesh is convex or not. ModelError as `mesh_hull`."""
    return _solid(shape, _load(find_mesh(shape))[0] * np.array(shape.size))


def _solid(shape: Shape, points: Array) -> Polyhedron:
    return hull(check_points(points, f"mesh {shape.file!r}"), shape.most)


def find_mesh(shape: Shape) -> Path:
    """The path of a mesh. What a model file names must lie in its folder, the one above it, or the package it names."""
    try:
        return _found(shape, shape.file)
    except (OSError, ValueError, RuntimeError) as error:  # names that no file can have, links in a ring
        if isinstance(error, ModelError):
            raise
        raise ModelError(
            f"mesh {shown(shape.file)}: cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None


def name_from(shape: Shape, folder: Path) -> str:
    """How a model file in `folder` is to name a mesh so that it finds the same file; as it stands where none is found.

    ModelError for a mesh that such a file may not open.
    """
    try:
        mesh = find_mesh(shape)
    except ModelError:
        return shape.file
    beside = os.path.relpath(mesh.parent.resolve() / mesh.name, folder)
    for name in (shape.file, beside):
        try:
            if find_mesh(replace(shape, file=name, folder=str(folder))).samefile(mesh):
                return name
        except ModelError:
            continue
    scheme, _, rest = shape.file.rpartition("://")
    remedy = f"write it into {mesh.parent.resolve()}, or copy the mesh into {folder} and name it there"
    if scheme in ("package", "model"):
        remedy = f"let ROS_PACKAGE_PATH name the folder of package {rest.partition('/')[0]!r}, or {remedy}"
    raise ModelError(f"mesh {shape.file!r}: a model file in {folder} may not open {mesh.resolve()}; {remedy}")


def _found(shape: Shape, name: str) -> Path:
    scheme, _, rest = name.rpartition("://")
    if not shape.folder:
        if scheme:
            raise ModelError(f"mesh {name!r}: give the path of a file")
        return _existing(Path(name), name)
    folder = Path(shape.folder).resolve()
    if scheme in ("package", "model"):
        package, _, inner = rest.partition("/")
        roots = list(_packages(package, folder))
        if not roots:
            raise ModelError(f"mesh {name!r}: package {package!r} is not above {folder}, nor in ROS_PACKAGE_PATH")
        inside = [(root, root / inner) for root in roots]
    elif scheme in ("", "file"):
        above = folder.parent
        inside = [(folder if above == above.parent else above, folder / rest)]  # the root of the disk holds everything
    else:
        raise ModelError(f"mesh {name!r}: files from {scheme!r} are not opened")
    for root, path in inside:
        if not path.resolve().is_relative_to(root):
            raise ModelError(f"mesh {name!r} lies outside {root}; only files in there are opened")
        if path.is_file():
            return _existing(path, name)
    raise ModelError(f"mesh {name!r}: there is no such file")


def _existing(path: Path, name: str) -> Path:
    if path.suffix.lower() not in SUFFIXES:
        raise ModelError(f"mesh {name!r}: no reader for {path.suffix!r} files; there is: {', '.join(SUFFIXES)}")
    if not path.is_file():
        raise ModelError(f"mesh {name!r}: there is no such file")
    return path


def _packages(name: str, folder: Path) -> Iterator[Path]:
    """Folders of that name above the model or beside what is above it, then those of ROS_PACKAGE_PATH."""
    if not name or name in (".", "..") or "\\" in name:
        return
    for above in (folder, *folder.parents):
        if above.name == name:
            yield above
        elif (above / name).is_dir() and above != above.parent:
            yield above / name
    for place in filter(None, os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)):
        root = Path(place).resolve()
        if root.name == name:
            yield root
        elif (root / name).is_dir():
            yield root / name


def _load(file: Path) -> tuple[Array, npt.NDArray[np.int64]]:
    """(n, 3) vertices [m] and (f, 3) triangles of all parts of a file."""
    try:
        import trimesh
    except ImportError:
        raise ModelError(f"mesh '{file}': reading meshes needs trimesh: pip install 'kinegen[mesh]'") from None
    if file.suffix.lower() == ".dae" and importlib.util.find_spec("collada") is None:
        raise ModelError(f"mesh '{file}': reading .dae needs pycollada: pip install 'kinegen[mesh]'")
    try:
        scene = trimesh.load_scene(file, process=False, skip_materials=True)
        loaded = scene.to_mesh()
        vertices = np.array(loaded.vertices, dtype=float).reshape(-1, 3) * metres(file, scene)
        faces = np.array(loaded.faces, dtype=np.int64).reshape(-1, 3)
    except Exception as error:  # readers of foreign files raise anything
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ModelError(f"mesh '{file}' cannot be read: {reason:.200}") from None
    if not len(vertices):
        raise ModelError(f"mesh '{file}' is empty")
    return vertices, faces


def _is_convex(points: Array, faces: npt.NDArray[np.int64], solid: Polyhedron) -> bool:
    """Whether the middle of every triangle lies on the surface of the hull."""
    planes = np.array(solid.planes)
    middles = points[faces].mean(axis=1)
    slack = CONVEX * float(np.ptp(points, axis=0).max())
    return all(
        bool(((planes[:, 3] - part @ planes[:, :3].T).min(axis=1) <= slack).all())
        for part in np.array_split(middles, max(1, len(middles) // 4096))
    )
