"""<asset> of MJCF: meshes as names of files, and the height fields that stand in the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...algebra import apply, transpose
from ...geometry.shapes import Shape, height_field
from ...pose import COINCIDENT, Pose, from_quaternion
from ...types import ZERO, Vector
from ..xml_input import Node
from .input import Compiler, alone, whole


@dataclass(frozen=True)
class Mesh:
    """A file (as text, not opened); its points, times `scale`, stand at `pose` in a geom."""

    file: str
    scale: Vector = (1.0, 1.0, 1.0)
    pose: Pose = COINCIDENT


@dataclass(frozen=True)
class Assets:
    """The mesh assets and the height fields, by name."""

    meshes: dict[str, Mesh]
    fields: dict[str, Shape]


def assets(document: Node, settings: Compiler) -> Assets:
    """What geoms may name."""
    return Assets(_meshes(document, settings), _height_fields(document))


def _meshes(document: Node, settings: Compiler) -> dict[str, Mesh]:
    result: dict[str, Mesh] = {}
    for section in document.children("asset"):
        for node in section.children("mesh"):
            file = node.text("file", "")
            name = alone(node, node.text("name", "") or Path(file).stem, result)
            scale = node.vector("scale", (1.0, 1.0, 1.0))
            with node.located():
                result[name] = Mesh(f"{settings.meshdir}{file}" or name, scale, _reference(node, scale))
    return result


def _reference(node: Node, scale: Vector) -> Pose:
    """Where refpos p and refquat R put the points x of a mesh: at S Rᵀ (x - p) = Rᵀ S x - S Rᵀ p if S and R commute."""
    w, x, y, z = node.numbers("refquat", (4,)) or (1.0, 0.0, 0.0, 0.0)
    turn = transpose(from_quaternion(x, y, z, w))
    if (x or y or z) and len(set(scale)) > 1:
        raise node.error("refquat with a scale that differs by axis is not supported; turn the mesh in its file")
    moved = apply(turn, node.vector("refpos", ZERO))
    a, b, c = (-float(s) * float(v) for s, v in zip(scale, moved, strict=True))
    return Pose((a, b, c), rotation=turn)


def _height_fields(document: Node) -> dict[str, Shape]:
    """The <hfield> assets whose elevations stand in the file: scaled to 0..1 of their height, top row first."""
    result: dict[str, Shape] = {}
    for section in document.children("asset"):
        for node in section.children("hfield"):
            if node.element.get("elevation") is None:
                continue
            with node.located():
                rows, columns = (whole(node, key) for key in ("nrow", "ncol"))
                if min(rows, columns) < 2:
                    raise node.error(f"nrow and ncol must be 2 or more each, got {rows} and {columns}")
                given = np.array(node.numbers("elevation", (rows * columns,)))
                x, y, height, _ = node.numbers("size", (4,)) or (0.0,) * 4
                spread = float(np.ptp(given)) or 1.0
                grid = (given.reshape(rows, columns)[::-1].T - given.min()) * (height / spread)
                result[alone(node, node.text("name"), result)] = height_field(grid, (2.0 * x, 2.0 * y))
    return result
