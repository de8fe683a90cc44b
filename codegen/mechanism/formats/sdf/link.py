"""<link> of SDF: mass properties in link axes, collision geometry as shapes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from ...algebra import congruence
from ...elements.link import Link
from ...elements.visual import Visual, readable
from ...geometry.shapes import Shape
from ...pose import COINCIDENT, Pose
from ...types import ZERO, Matrix
from ..xml_input import Node
from .frames import Frames, read_pose, said, truth
from .surface import read_surface

# what a link may hold that does not move it
IGNORED = (
    *("visual", "sensor", "self_collide", "light", "projector", "audio_sink", "audio_source", "battery"),
    *("must_be_base_link", "particle_emitter", "plugin", "enable_wind"),
)
UNTOUCHED = ("cone", "ellipsoid", "heightmap", "image", "polyline")  # shapes of SDF that contact does not know
MOMENTS = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}


def read_link(node: Node, key: str, frames: Frames) -> Link:
    """The link `key`. Without <inertial>, mass 1 and unit moments, as the format says."""
    node.only("pose", "inertial", "collision", "gravity", "kinematic", "velocity_decay", "frame", *IGNORED)
    if said(node, "gravity") is False:
        raise node.error("is without gravity, which is not supported; remove <gravity>, or set the world's gravity")
    if said(node, "kinematic"):
        raise node.error("is kinematic, which is not supported; remove <kinematic>")
    decay = node.child("velocity_decay")
    if decay is not None and any(child.values((1,)) != [0.0] for child in decay.elements()):
        raise decay.error("is not supported; give the joints damping")
    inertial = node.child("inertial")
    with node.located():
        shapes = [shape for collision in node.children("collision") for shape in _shapes(collision, key, frames)]
        pose, mass, moments = (COINCIDENT, 1.0, dict(MOMENTS)) if inertial is None else _inertial(inertial)
        xx, xy, xz, yy, yz, zz = (moments[name] for name in MOMENTS)
        about_com: Matrix = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        return Link(key, mass, pose.xyz, congruence(pose.rotation, about_com), shapes)


def read_visuals(node: Node, key: str, frames: Frames) -> list[Visual]:
    """What <visual> of the link `key` shows, in its diffuse colour; what cannot be drawn is left out."""
    return [found for v in node.children("visual") for found in readable(partial(_visuals, v, key, frames))]


def _visuals(node: Node, key: str, frames: Frames) -> Iterator[Visual]:
    pose = _placed(node, key, frames)
    diffuse = node.element.find("material/diffuse")
    values = () if diffuse is None else (*Node(diffuse, node.file).values((3, 4)), 1.0)[:4]
    red, green, blue, opacity = (min(max(x, 0.0), 1.0) for x in values or (1.0,) * 4)
    for geometry in node.need("geometry").elements():
        if geometry.tag != "empty":
            size, turned, file = _geometry(geometry)
            shape = Shape(geometry.tag, size, pose * turned, file=file)  # type: ignore[arg-type]
            yield Visual(key, shape, (red, green, blue, opacity) if values else None)


def _placed(node: Node, key: str, frames: Frames) -> Pose:
    """Pose of a <collision> or <visual> in the link `key`."""
    pose, relative_to = read_pose(node)
    if not relative_to:
        return pose
    link = frames.frames[key].node
    return frames.pose(frames.find(node, relative_to, key.removesuffix(link.text("name"))), key) * pose


def _inertial(node: Node) -> tuple[Pose, float, dict[str, float]]:
    node.only("pose", "mass", "inertia", "frame")
    if truth(node, "auto"):
        raise node.error("auto='true' needs densities, which are not supported; give mass and inertia")
    pose, relative_to = read_pose(node)
    if relative_to:
        raise node.error(f"its pose cannot be relative to {relative_to!r}, only to its link")
    inertia = node.child("inertia")
    moments = dict(MOMENTS)
    if inertia is not None:
        inertia.only(*MOMENTS)
        moments = {name: inertia.value(name, default) for name, default in MOMENTS.items()}
    return pose, node.value("mass", 1.0), moments


def _shapes(node: Node, key: str, frames: Frames) -> Iterator[Shape]:
    """The shape of a <collision>; a mesh stays the name of a file, which is not opened.

    None, and a warning, for a shape that contact does not know.
    """
    node.only("pose", "geometry", "surface", "laser_retro", "max_contacts", "density", "auto_inertia_params", "frame")
    pose = _placed(node, key, frames)
    surface = read_surface(node)
    for geometry in node.need("geometry").elements():
        if geometry.tag in UNTOUCHED:
            geometry.tell(f"shapes of this kind do not touch anything here (link '{key}')")
            continue
        with geometry.located(key):
            size, turned, file = _geometry(geometry)
            if geometry.tag != "empty":
                kind = geometry.tag
                yield Shape(kind, size, pose * turned, file=file, **surface)  # type: ignore[arg-type]


def _geometry(node: Node) -> tuple[tuple[float, ...], Pose, str]:
    """Size, pose of the shape in the collision frame, and the file of a mesh."""
    match node.tag:
        case "empty":
            return (), COINCIDENT, ""
        case "box":
            return node.triple("size", ZERO), COINCIDENT, ""
        case "sphere":
            return (node.value("radius"),), COINCIDENT, ""
        case "cylinder" | "capsule":
            return (node.value("radius"), node.value("length")), COINCIDENT, ""
        case "plane":
            return (), Pose(rotation=_upright(node)), ""
        case "mesh":
            node.only("uri", "scale", "convex_decomposition")
            return node.triple("scale", (1.0, 1.0, 1.0)), COINCIDENT, node.word("uri")
    raise node.error("is no supported collision geometry; there is: box, sphere, cylinder, capsule, plane, mesh")


def _upright(plane: Node) -> Matrix:
    """A rotation that takes z to the normal of a <plane>."""
    z = np.array(plane.triple("normal", (0.0, 0.0, 1.0)), dtype=float)
    if not z.any():
        raise plane.error("<normal> has no direction; give one that is not 0 0 0")
    z /= math.hypot(*z)
    helper = np.eye(3)[int(np.abs(z).argmin())]
    x = helper - z * (helper @ z)
    x /= math.hypot(*x)
    a, b, c = np.column_stack([x, np.cross(z, x), z]).tolist()
    return (a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2])
