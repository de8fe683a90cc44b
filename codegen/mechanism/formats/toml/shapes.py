"""Poses, shapes and what is drawn, in TOML."""

from __future__ import annotations

from typing import Any, get_args

from kinegen.runtime.errors import shown

from ...elements.visual import Visual
from ...geometry.shapes import Shape, ShapeKind
from ...pose import Pose
from .place import Place, Table, made, needed, number, require_known

POSE = ("xyz", "rpy", "rotation")
SHAPES: tuple[ShapeKind, ...] = get_args(ShapeKind)
VISUAL = ("link", "colour", "stretch")
SURFACE = ("friction", "restitution", "torsion", "rolling")
PLAIN = ("most", "hull", "category", "mask", "combine", "part", "condim")
SHAPE = (*SHAPES, "scale", "size", *PLAIN, *POSE, *SURFACE)
SIZED = {"height_field": "size", "mesh": "scale"}
"""Shapes that have a key for their size beside their own."""


def read_pose(value: Any, at: Place) -> Pose:
    """[x, y, z], or {xyz = ..., rpy = ...}, or {xyz = ..., rotation = [[...], [...], [...]]}."""
    if isinstance(value, list):
        return made(at, lambda: Pose(number(value, at, "xyz")))
    if not isinstance(value, dict):
        raise at.error(f"must be [x, y, z] or {{xyz = ..., rpy = ...}}, got {shown(value)}")
    require_known(value, POSE, at)
    numbers = {key: number(part, at, key) for key, part in value.items()}
    return made(at, lambda: Pose(**numbers))


def read_visual(table: Table, at: Place) -> Visual:
    """{link = "arm", mesh = "arm.stl", colour = [1, 0.5, 0, 1], stretch = [1, 1, 2]}, its shape and pose as below."""
    link = needed(table, "link", at)
    shape = read_shape({key: value for key, value in table.items() if key not in VISUAL}, at)
    numbers: Table = {key: number(table[key], at, key) for key in VISUAL[1:] if key in table}
    return made(at, lambda: Visual(link, shape, **numbers))


def read_shape(table: Table, at: Place) -> Shape:
    """{sphere = radius}, {box = [x, y, z]}, {capsule = [radius, length]}, {plane = true},
    {convex = [[x, y, z], ...]}, {height_field = [[z, ...], ...], size = [x, y]}, {mesh = "file"}; a pose."""
    require_known(table, SHAPE, at)
    kinds: list[ShapeKind] = [key for key in SHAPES if key in table]
    if len(kinds) != 1:
        raise at.error(f"give one of {', '.join(SHAPES)}")
    kind = kinds[0]
    for owner, key in SIZED.items():
        if key in table and kind != owner:
            raise at.error(f"{key} is of a {owner}, a {kind} has none; leave it out", key)
    value = table[kind]
    file = value if kind == "mesh" else ""
    given = value if isinstance(value, list) else [value]
    sizes_of = {"plane": [], "convex": [], "height_field": table.get("size", [])}
    size = (sizes_of | {"mesh": table.get("scale", [1.0, 1.0, 1.0])}).get(kind, given)
    numbers: Table = {key: number(table[key], at, key) for key in SURFACE if key in table}
    pose = read_pose({key: table[key] for key in POSE if key in table}, at)
    if not isinstance(size, list):  # one number of a kind is a list of it already
        key, example = ("scale", "three numbers, [x, y, z]") if kind == "mesh" else ("size", "two numbers, [x, y]")
        raise at.error(f"{key} must be {example}, got {shown(size)}", key)
    sizes = tuple(number(size, at, kind))
    if kind == "mesh" and not isinstance(file, str):
        raise at.error(f"mesh must be the name of a file, got {file!r}", "mesh")
    if kind == "plane" and value is not True:
        raise at.error(f"plane must be true, got {shown(value)}; its pose says where it is", "plane")
    if kind in ("convex", "height_field"):
        numbers["vertices" if kind == "convex" else "heights"] = value
    numbers |= {key: table[key] for key in PLAIN if key in table}
    return made(at, lambda: Shape(kind, sizes, pose, file=file, **numbers))
