"""<geom> and <inertial> of MJCF: mass properties of bodies, and shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...algebra import congruence
from ...elements import inertia
from ...elements.link import Link
from ...geometry.shapes import Shape
from ...pose import Pose
from ...structure.rigid import rigid_inertia
from ...types import ZERO, Matrix, Number, Vector
from ..xml_input import Node
from .asset import Assets
from .input import Compiler, choice, whole
from .pose import between, ends_of, pose_of

KNOWN = (
    *("name", "class", "type", "contype", "conaffinity", "condim", "group", "priority", "size", "material", "friction"),
    *("mass", "density", "shellinertia", "solmix", "solref", "solimp", "margin", "gap", "fromto", "pos", "quat"),
    *("axisangle", "xyaxes", "zaxis", "euler", "hfield", "mesh", "fitscale", "rgba", "fluidshape", "fluidcoef", "user"),
    "castshadow",
)
# how many sizes each type needs
SIZES = {
    "plane": 0,
    "hfield": 0,
    "mesh": 0,
    "sdf": 0,
    "sphere": 1,
    "capsule": 2,
    "cylinder": 2,
    "box": 3,
    "ellipsoid": 3,
}
ALONG = ("capsule", "cylinder", "box", "ellipsoid")  # what fromto can place
NO_VOLUME = ("plane", "hfield")
MESHES = ("mesh", "sdf")
# types of geoms that may have no shape here, as warnings tell of them
SHAPELESS = {
    "mesh": "meshes that MuJoCo builds do not touch anything here; give their points as 'vertex', or a file",
    "hfield": "height fields without 'elevation' do not touch anything here; give them their heights so",
}
FRICTION = (1.0, 0.005, 0.0001)  # sliding, torsional [m], rolling [m], where nothing is said

Mass = tuple[Number, Vector, Matrix]


@dataclass(frozen=True)
class Geom:
    """A geom of a body: `size` is MuJoCo's (radii and half lengths), `pose` in the body."""

    node: Node
    kind: str
    size: tuple[float, ...]
    pose: Pose


def read_geom(node: Node, around: Pose, settings: Compiler, assets: Assets) -> Geom:
    """A geom in a body, `around` being the pose of the frames that it stands in."""
    node.only_attributes(*KNOWN)
    kind = choice(node, "type", "sphere", *SIZES)
    if node.element.get("mesh") is not None and kind not in MESHES:
        raise node.error(f"is a {kind} fitted to a mesh, which is not supported; give its size")
    if kind in ("hfield", *MESHES):
        assets.check(node, kind)
    ends = ends_of(node)
    size = tuple(node.numbers("size", (1, 2, 3)) or ())
    needed = 1 if ends is not None else SIZES[kind]
    if len(size) < needed or any(length <= 0.0 for length in size[:needed]):
        raise node.error(f"'size' must be {needed} positive number(s), got {node.element.get('size')!r}")
    pose = pose_of(node, settings)
    if ends is not None:
        pose, size = between(ends), _reaching(node, kind, ends, size)
    return Geom(node, kind, size, around * pose)


def _reaching(node: Node, kind: str, ends: Sequence[float], size: tuple[float, ...]) -> tuple[float, ...]:
    """Size of a geom that reaches from one point to another along its z."""
    if kind not in ALONG:
        raise node.error(f"'fromto' places {', '.join(ALONG)} only, this is a {kind}")
    half = math.dist(ends[:3], ends[3:]) / 2.0
    return (size[0], half) if kind in ("capsule", "cylinder") else (size[0], size[0], half)


def body_mass(
    body: Node, inertial: tuple[Node, Pose] | None, geoms: Sequence[Geom], settings: Compiler, moves: bool
) -> Mass:
    """Mass, mass centre and inertia about it, from <inertial> (given with the frame that it is told in) or from the
    geoms as <compiler inertiafromgeom> says; of geoms that add up to no mass the <inertial> stays.

    Where nothing moves, a mesh counts without mass: its inertia is not computed, and has no effect.
    """
    found: Mass = (0.0, ZERO, (ZERO, ZERO, ZERO))
    if settings.inertiafromgeom == "true" or (inertial is None and settings.inertiafromgeom == "auto"):
        counted = geoms if moves else [geom for geom in geoms if geom.kind not in MESHES]
        found = _from_geoms(counted, settings)
    if inertial is not None and found[0] == 0.0:
        found = _explicit(*inertial, settings)
    elif found[0] == 0.0 and settings.boundmass > 0.0:  # in MuJoCo a copy of the place that the body has in its parent
        found = (0.0, body.vector("pos", ZERO), found[2])
    return _bounded(found, settings)


def _explicit(node: Node, around: Pose, settings: Compiler) -> Mass:
    node.only_attributes("pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "mass", "diaginertia", "fullinertia")
    own = pose_of(node, settings)
    pose = around * own
    full = node.numbers("fullinertia", (6,))
    mass = node.number("mass")
    if full is not None:
        if own.rotation != Pose().rotation:
            raise node.error("has fullinertia and an orientation; give one")
        xx, yy, zz, xy, xz, yz = full
        return mass, pose.xyz, congruence(pose.rotation, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    a, b, c = node.vector("diaginertia", ZERO)
    if node.element.get("diaginertia") is None:
        raise node.error("the attribute 'diaginertia' (or 'fullinertia') is missing")
    return mass, pose.xyz, congruence(pose.rotation, ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c)))


def _from_geoms(geoms: Sequence[Geom], settings: Compiler) -> Mass:
    low, high = settings.groups
    parts = []
    for geom in geoms:
        if low <= whole(geom.node, "group", 0) <= high:
            with geom.node.located():
                mass, about_com = _solid(geom)
                parts.append((Link("geom", mass, ZERO, about_com), geom.pose))
    return rigid_inertia(parts)


def _solid(geom: Geom) -> tuple[float, Matrix]:
    """Mass and inertia about its centre, in its axes, of a geom of uniform density."""
    node, kind, size = geom.node, geom.kind, geom.size
    if choice(node, "shellinertia", "false", "true", "false") == "true":
        raise node.error("shellinertia is not supported; give the body an <inertial>")
    density, given = node.number("density", 1000.0), node.element.get("mass")
    if kind in NO_VOLUME or (given is not None and node.number("mass") == 0.0) or (given is None and density == 0.0):
        return 0.0, (ZERO, ZERO, ZERO)
    if kind in MESHES:
        raise node.error(f"the inertia of a {kind} is not computed; give its body an <inertial>, or the geom mass='0'")
    mass = node.number("mass") if given is not None else density * _volume(kind, size)
    match kind:
        case "sphere":
            return mass, inertia.sphere(mass, size[0])
        case "capsule":
            return mass, inertia.capsule(mass, size[0], 2.0 * size[1])
        case "cylinder":
            return mass, inertia.cylinder(mass, size[0], 2.0 * size[1])
        case "box":
            return mass, inertia.box(mass, [2.0 * length for length in size])
    xx, yy, zz = (mass / 5.0 * length**2 for length in size)
    return mass, ((yy + zz, 0.0, 0.0), (0.0, xx + zz, 0.0), (0.0, 0.0, xx + yy))


def _volume(kind: str, size: Sequence[float]) -> float:
    ball = 4.0 / 3.0 * math.pi
    match kind:
        case "sphere":
            return ball * size[0] ** 3
        case "capsule":
            return math.pi * size[0] ** 2 * 2.0 * size[1] + ball * size[0] ** 3
        case "cylinder":
            return math.pi * size[0] ** 2 * 2.0 * size[1]
        case "box":
            return 8.0 * math.prod(size)
    return ball * math.prod(size)


def _bounded(found: Mass, settings: Compiler) -> Mass:
    """boundmass, boundinertia and balanceinertia, along the principal axes, also of bodies without mass."""
    mass, com, about_com = found
    if settings.boundmass == 0.0 and settings.boundinertia == 0.0 and not settings.balanceinertia:
        return found
    moments, axes = np.linalg.eigh(np.array(about_com, dtype=float))
    moments = np.maximum(moments, settings.boundinertia)
    if settings.balanceinertia and moments[2] > moments[0] + moments[1]:
        moments[:] = moments.mean()
    a, b, c = (axes @ np.diag(moments) @ axes.T).tolist()
    rows: Matrix = ((a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2]))
    return max(float(mass), settings.boundmass), com, rows


def shapes_of(geoms: Sequence[Geom], assets: Assets, link: str) -> list[Shape]:
    """Shapes of the geoms that can touch something (contype or conaffinity); a warning names those not to be had.

    As in MuJoCo the larger friction of two geoms holds, and which of the three there are the larger condim says.
    """
    result = []
    for geom in geoms:
        node = geom.node
        category, mask = (whole(node, key, 1) & 0xFFFFFFFF for key in ("contype", "conaffinity"))
        if not category and not mask:
            continue
        given = (node.numbers("friction", (1, 2, 3)) or [])[:3]
        friction, torsion, rolling = (*given, *FRICTION[len(given) :])
        if whole(node, "priority", 0) != 0:
            node.tell("priority is not read; the larger friction of two geoms holds")
        if node.number("margin", 0.0) != 0.0:
            node.tell("margin is not read; the geom touches at its surface")
        surface: dict[str, Any] = {
            "friction": friction,
            "category": category,
            "mask": mask,
            "combine": "max",
            "torsion": torsion,
            "rolling": rolling,
            "condim": int(choice(node, "condim", "3", "1", "3", "4", "6")),
        }
        with node.located(link):
            shape = shape_of(geom, assets)
            if shape is None:
                told = SHAPELESS.get(geom.kind, f"shapes of type {geom.kind} do not touch anything here")
                node.tell(told)
            else:
                result.append(replace(shape, **surface))
    return result


def shape_of(geom: Geom, assets: Assets) -> Shape | None:
    """The geom as a shape, its surface left open; None for types that there are none of."""
    size = geom.size
    match geom.kind:
        case "sphere":
            return Shape("sphere", size[:1], geom.pose)
        case "capsule" | "cylinder":
            return Shape(geom.kind, (size[0], 2.0 * size[1]), geom.pose)
        case "box":
            return Shape("box", tuple(2.0 * length for length in size), geom.pose)
        case "plane":
            return Shape("plane", (), geom.pose)
        case "hfield" | "mesh":
            return assets.shape(geom.node, geom.kind, geom.pose)
    return None
