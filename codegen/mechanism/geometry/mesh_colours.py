"""Mesh files as they look: the triangles of every part, and the colour that its material gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.runtime.errors import ModelError

from .mesh_units import metres

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]
Colour = tuple[float, float, float, float]

UNSAID = (102, 102, 102, 255)  # trimesh's colour of what has none
BESIDE = (".mtl", ".bin")  # files that a mesh may name; textures are not opened


@dataclass(frozen=True, eq=False)
class MeshPart:
    """`vertices` (n, 3) [m] and `triangles` (f, 3) in the file's frame; `colour` None where the file gives none."""

    vertices: Array
    triangles: Index
    colour: Colour | None


@lru_cache(maxsize=256)
def mesh_parts(file: Path) -> tuple[MeshPart, ...]:
    """The parts of a mesh file, in the file's order. ModelError if it cannot be read or trimesh is not installed."""
    try:
        import trimesh
    except ImportError:
        raise ModelError(f"mesh '{file}': reading meshes needs trimesh: pip install 'kinegen[mesh]'") from None
    try:
        with open(file, "rb") as stream:
            kind = file.suffix[1:].lower()
            beside: Any = _Beside(file.parent)
            scene = trimesh.load_scene(stream, file_type=kind, resolver=beside, process=False)
        unit = metres(file, scene)
        meshes: list[Any] = [mesh for mesh in scene.dump(concatenate=False) if hasattr(mesh, "faces")]
        found = [
            MeshPart(unit * np.array(m.vertices, dtype=np.float64), np.array(m.faces, dtype=np.int64), _colour(m))
            for m in meshes
            if len(m.faces)
        ]
    except Exception as error:  # readers of foreign files raise anything
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ModelError(f"mesh '{file}' cannot be read: {reason:.200}") from None
    if not found or not all(np.isfinite(part.vertices).all() for part in found):
        raise ModelError(f"mesh '{file}' has no triangles, or corners that are not finite")
    return tuple(found)


class _Beside:
    """Opens what lies beside a mesh and may belong to it, nothing else."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, name: str) -> bytes:
        path = self._folder / Path(name).name
        if Path(name).suffix.lower() not in BESIDE or Path(name).name != name or path.is_symlink():
            raise FileNotFoundError(name)
        return path.read_bytes()

    __getitem__ = get


def _colour(mesh: Any) -> Colour | None:
    visual = mesh.visual
    material = getattr(visual, "material", None)
    colour = getattr(visual if material is None else material, "main_color", None)
    if colour is None or tuple(colour) == UNSAID:
        return None
    red, green, blue, opacity = (float(x) / 255.0 for x in colour)
    return red, green, blue, opacity
