"""<asset> of MJCF: meshes as names of files or as points, and the height fields that stand in the file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ... import checks
from ...algebra import apply, transpose
from ...geometry.shapes import Shape, height_field
from ...pose import Pose, from_quaternion
from ...types import ZERO, Vector
from ..xml_input import Node
from .input import Compiler, alone, whole

ASSETS = ("mesh", "hfield", "skin", "texture", "material", "model")
MESH = (
    *("name", "class", "content_type", "file", "vertex", "normal", "texcoord", "face", "refpos", "refquat", "scale"),
    *("smoothnormal", "maxhullvert", "inertia", "builtin", "params", "material"),
)
FIELD = ("name", "content_type", "file", "nrow", "ncol", "elevation", "size")


@dataclass(frozen=True)
class Mesh:
    """A file (as text, not opened) or `vertices`; these points, times `scale`, stand at `pose` in a geom.

    A mesh that MuJoCo builds itself has neither.
    """

    file: str
    vertices: tuple[Vector, ...]
    scale: Vector
    pose: Pose

    def shape(self, place: Pose) -> Shape | None:
        """The mesh in a geom at `place`: as MuJoCo takes it, points are their convex hull."""
        if self.file:
            return Shape("mesh", self.scale, place * self.pose, file=self.file)
        if self.vertices:
            x, y, z = self.scale
            return Shape(
                "convex", (), place * self.pose, vertices=tuple((x * a, y * b, z * c) for a, b, c in self.vertices)
            )
        return None


@dataclass(frozen=True)
class Assets:
    """The mesh assets and the height fields, by name; None: a field whose elevations do not stand in the file."""

    meshes: dict[str, Mesh]
    fields: dict[str, Shape | None]

    def check(self, geom: Node, kind: str) -> None:
        """ModelError if what a geom of that type names is not there."""
        tag = "hfield" if kind == "hfield" else "mesh"
        name, known = geom.text(tag), self.fields if kind == "hfield" else self.meshes
        if name not in known:
            raise geom.error(f"there is no {tag} {name!r}{checks.nearest(name, [*known])}")

    def shape(self, geom: Node, kind: str, place: Pose) -> Shape | None:
        """That of a mesh or a height field in a geom at `place`, its surface left open; None if contact has none."""
        if kind == "mesh":
            return self.meshes[geom.text("mesh")].shape(place)
        field = self.fields[geom.text("hfield")]
        return None if field is None else replace(field, pose=place)


def assets(document: Node, settings: Compiler) -> Assets:
    """What geoms may name; ModelError for what MuJoCo does not know in <asset>."""
    for section in document.children("asset"):
        section.only(*ASSETS)
    return Assets(_meshes(document, settings), _height_fields(document))


def _meshes(document: Node, settings: Compiler) -> dict[str, Mesh]:
    result: dict[str, Mesh] = {}
    for section in document.children("asset"):
        for node in section.children("mesh"):
            node.only("plugin")
            node.only_attributes(*MESH)
            file = node.text("file", "")
            name = alone(node, node.text("name", "") or Path(file).stem, result)
            scale = node.vector("scale", (1.0, 1.0, 1.0))
            with node.located():
                pose = _reference(node, scale)
            vertices = () if file else _points(node)
            result[name] = Mesh(f"{settings.meshdir}{file}" if file else "", vertices, scale, pose)
    return result


def _points(node: Node) -> tuple[Vector, ...]:
    """The vertices that stand in the file; none of a mesh that MuJoCo builds, or a plugin does."""
    words = node.text("vertex", "").split()
    if not words and (node.text("builtin", "none") != "none" or node.child("plugin") is not None):
        return ()
    if len(words) < 12 or len(words) % 3:
        raise node.error(
            f"needs a 'file', or a 'vertex' of three numbers for each of 4 points or more, got {len(words)}"
        )
    x = iter(node.numbers("vertex", (len(words),)) or ())
    return tuple(zip(x, x, x, strict=True))


def _reference(node: Node, scale: Vector) -> Pose:
    """Where refpos p and refquat R put the points x of a mesh: at S Rᵀ (x - p) = Rᵀ S x - S Rᵀ p if S and R commute."""
    w, x, y, z = node.numbers("refquat", (4,)) or (1.0, 0.0, 0.0, 0.0)
    turn = transpose(from_quaternion(x, y, z, w))
    if (x or y or z) and len(set(scale)) > 1:
        raise node.error("refquat with a scale that differs by axis is not supported; turn the mesh in its file")
    moved = apply(turn, node.vector("refpos", ZERO))
    a, b, c = (-float(s) * float(v) for s, v in zip(scale, moved, strict=True))
    return Pose((a, b, c), rotation=turn)


def _height_fields(document: Node) -> dict[str, Shape | None]:
    """The <hfield> assets; elevations that stand in the file are scaled to 0..1 of their height, top row first."""
    result: dict[str, Shape | None] = {}
    for section in document.children("asset"):
        for node in section.children("hfield"):
            node.only()
            node.only_attributes(*FIELD)
            name = alone(node, node.text("name", "") or Path(node.text("file", "")).stem, result)
            if node.element.get("elevation") is None:
                result[name] = None
                continue
            with node.located():
                rows, columns = (whole(node, key) for key in ("nrow", "ncol"))
                if min(rows, columns) < 2:
                    raise node.error(f"nrow and ncol must be 2 or more each, got {rows} and {columns}")
                given = np.array(node.numbers("elevation", (rows * columns,)))
                x, y, height, _ = node.numbers("size", (4,)) or (0.0,) * 4
                spread = float(np.ptp(given)) or 1.0
                grid = (given.reshape(rows, columns)[::-1].T - given.min()) * (height / spread)
                result[name] = height_field(grid, (2.0 * x, 2.0 * y))
    return result
