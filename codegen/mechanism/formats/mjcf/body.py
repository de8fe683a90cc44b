"""<worldbody> of MJCF: bodies, their joints in sequence, their geoms and sites."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from kinegen.runtime.kinds import KINDS

from ... import checks
from ...algebra import apply
from ...elements.joint import Joint
from ...elements.link import Link
from ...elements.visual import Visual
from ...geometry.shapes import Shape
from ...pose import COINCIDENT, Frame, Pose, to_quaternion
from ...types import WORLD, Vector
from ..xml_input import Node
from .asset import Assets
from .geom import Geom, body_mass, read_geom, shapes_of
from .input import ORIENTATIONS, Compiler, choice, limited, linear
from .pose import about, between, ends_of, pose_of
from .visual import visuals_of

KIND_OF = {word: name for name, kind in KINDS.items() for word in kind.mjcf}
IGNORED = ("camera", "light", "site", "geom", "inertial")
JOINT = (
    *("name", "class", "type", "group", "pos", "axis", "springdamper", "limited", "actuatorfrclimited"),
    *("solreflimit", "solimplimit", "solreffriction", "solimpfriction", "stiffness", "range", "actuatorfrcrange"),
    *("actuatorgravcomp", "margin", "ref", "springref", "armature", "damping", "frictionloss", "user"),
)
SITE = (
    *("name", "class", "type", "group", "pos", *ORIENTATIONS, "fromto", "size", "material", "mesh", "rgba", "user"),
)
BODY = ("name", "childclass", "pos", *ORIENTATIONS, "mocap", "gravcomp", "user", "sleep", "fuse", "simple")
EXPANDED = ("replicate", "attach", "composite")  # what MuJoCo makes plain bodies of (of composite up to version 3)


@dataclass(frozen=True)
class Bodies:
    """What <worldbody> holds, gathered while reading; `at`: pose of every body in world as the file places it."""

    settings: Compiler
    assets: Assets
    materials: dict[str, Node] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)  # of the world
    visuals: list[Visual] = field(default_factory=list)
    sites: dict[str, tuple[str, Pose]] = field(default_factory=dict)
    at: dict[str, Pose] = field(default_factory=lambda: {WORLD: COINCIDENT})
    ref: dict[str, float] = field(default_factory=dict)  # of hinges and slides: q as the file places them
    nodes: dict[str, Node] = field(default_factory=dict)  # joint -> its element
    told: dict[str, set[str]] = field(default_factory=lambda: {"body": set(), "joint": set()})  # names that files give

    def read_world(self, section: Node) -> None:
        for element in section.element.iter("body", "joint", "freejoint"):
            self.told["body" if element.tag == "body" else "joint"].add(element.get("name", ""))
        geoms = self._inside(section, WORLD, COINCIDENT, ("body", "frame", "geom", "site", "camera", "light"))
        self.shapes.extend(shapes_of(geoms, self.assets, WORLD))
        self.visuals.extend(visuals_of(geoms, self.assets, self.materials, WORLD))

    def frames(self) -> list[Frame]:
        """Sites as frames; one that is called as a body is becomes NAME_site."""
        result: list[Frame] = []
        taken = {link.name for link in self.links} | {WORLD}
        for name, (link, pose) in self.sites.items():
            free = checks.untaken(f"{name}_site", taken, self.sites, ending="_site") if name in taken else name
            taken.add(free)
            result.append(Frame(free, link, pose))
        return result

    def _inside(self, node: Node, link: str, around: Pose, known: tuple[str, ...]) -> list[Geom]:
        """Reads what a body (or a frame in it, at `around`) holds; returns the geoms of the body itself."""
        _plain(node)
        node.only(*known)
        geoms: list[Geom] = []
        for part in node.elements():
            if part.tag not in ("body", "frame"):
                part.only()
            if part.tag == "geom":
                geoms.append(read_geom(part, around, self.settings, self.assets))
            elif part.tag == "site" and part.element.get("name") is not None:
                self._site(part, link, around * _site_pose(part, self.settings))
            elif part.tag == "frame":
                part.only_attributes("name", "childclass", "pos", *ORIENTATIONS)
                inner = around * pose_of(part, self.settings)
                geoms += self._inside(part, link, inner, known)
            elif part.tag == "body":
                self._body(part, link, around * pose_of(part, self.settings))
        return geoms

    def _site(self, node: Node, link: str, pose: Pose) -> None:
        node.only_attributes(*SITE)
        if node.text("name") in self.sites:
            raise node.error("a second site of that name")
        self.sites[node.text("name")] = (link, pose)

    def _body(self, node: Node, parent: str, pose: Pose) -> None:
        node.only_attributes(*BODY)
        if choice(node, "mocap", "false", "true", "false") == "true":
            raise node.error("is a mocap body, which is not supported; remove it, or make it a free body")
        if node.number("gravcomp", 0.0) != 0.0:
            raise node.error("gravcomp is not supported; remove it")
        name = node.text("name", "") or self._free_body(f"body{len(self.at)}")
        if name in self.at:
            raise node.error("a second body of that name")
        self.at[name] = self.at[parent] * pose
        self._joints(node, name, parent, pose)
        place = len(self.links)
        geoms = self._inside(node, name, COINCIDENT, ("body", "frame", "joint", "freejoint", *IGNORED))
        if _carried(node) and (plane := next((geom for geom in geoms if geom.kind == "plane"), None)):
            raise plane.node.error("is a plane in a body that moves, and planes stand still; make it a box")
        with node.located():
            mass, com, inertia = body_mass(node, self._inertial(node), geoms, self.settings, _moves(node))
            self.links.insert(place, Link(name, mass, com, inertia, shapes_of(geoms, self.assets, name)))
        self.visuals.extend(visuals_of(geoms, self.assets, self.materials, name))

    def _joints(self, node: Node, body: str, parent: str, pose: Pose) -> None:
        """The joints of a body in sequence; between two of them stands a link without mass."""
        found = list(self._parts(node, COINCIDENT, "joint", "freejoint"))
        if not found:
            self._add(node, Joint(self.free_name(f"{body}_fixed"), "fixed", parent, body, origin=pose))
        for i, (part, around) in enumerate(found):
            last = i == len(found) - 1
            child = body if last else self._between(body, i)
            kind = "free" if part.tag == "freejoint" else choice(part, "type", "hinge", *KIND_OF)
            with part.located():
                if kind == "free":
                    if parent != WORLD or len(found) > 1:
                        raise part.error("a free joint must be the only joint of a body in <worldbody>")
                    joint = self._free(part, body, pose)
                else:
                    joint = self._joint(part, kind, body, (parent, child), pose, around)
            self._add(part, joint)
            parent, pose = child, COINCIDENT

    def _parts(self, node: Node, around: Pose, *tags: str) -> Iterator[tuple[Node, Pose]]:
        """Those of a body that have these tags, and the frame that each is told in."""
        for part in node.elements():
            if part.tag in tags:
                yield part, around
            elif part.tag == "frame":
                yield from self._parts(part, around * pose_of(part, self.settings), *tags)

    def _inertial(self, body: Node) -> tuple[Node, Pose] | None:
        """The one <inertial> of a body, and the frame that it is told in."""
        found = list(self._parts(body, COINCIDENT, "inertial"))
        if len(found) > 1:
            raise found[1][0].error(f"a second <inertial> in {body.where}; keep one")
        return found[0] if found else None

    def _add(self, node: Node, joint: Joint) -> None:
        self.joints.append(joint)
        self.nodes[joint.name] = node

    def _between(self, body: str, i: int) -> str:
        name = self._free_body(f"{body}_{i + 1}")
        self.links.append(Link(name))
        self.at[name] = self.at[body]
        return name

    def free_name(self, name: str) -> str:
        """The name, with underscores behind it if a joint has it, be it one that is read later."""
        return checks.untaken(name, self.nodes, self.told["joint"])

    def _free_body(self, name: str) -> str:
        return checks.untaken(name, self.at, self.told["body"])

    def _named(self, node: Node, default: str) -> str:
        name = node.text("name", "")
        if name in self.nodes:
            raise node.error("a second joint of that name")
        return name or self.free_name(default)

    def _free(self, node: Node, body: str, pose: Pose) -> Joint:
        """q is the pose in world, as in MuJoCo; the file's is kept as `rest`."""
        node.only_attributes(*(("name", "group", "align") if node.tag == "freejoint" else JOINT))
        if choice(node, "align", "auto", "false", "auto", "true") == "true":
            raise node.error("align='true' is not supported; place the body where its mass is")
        for attribute in ("stiffness", "frictionloss", "armature"):
            if linear(node, attribute) != 0.0:
                raise node.error(f"{attribute} of a free joint is not supported; set it to 0")
        rest = (*pose.xyz, *to_quaternion(pose.rotation))
        return Joint(self._named(node, f"{body}_free"), "free", WORLD, body, damping=linear(node, "damping"), rest=rest)

    def _joint(self, node: Node, kind: str, body: str, ends: tuple[str, str], pose: Pose, around: Pose) -> Joint:
        node.only_attributes(*JOINT)
        name = self._named(node, f"{body}_joint")
        anchor = Pose((around * Pose(node.vector("pos", (0.0, 0.0, 0.0)))).xyz)
        unit = self.settings.unit if kind in ("hinge", "ball") else 1.0
        options = _passive(node, kind, unit, self.settings)
        origin = pose * anchor
        if kind != "ball":
            axis = apply(around.rotation, node.vector("axis", (0.0, 0.0, 1.0)))
            ref = unit * node.number("ref", 0.0)
            self.ref[name] = ref
            options["axis"] = axis
            options["start"] = ref if ref != 0.0 else None
            origin = origin * _displaced(kind, axis, -ref)
        return Joint(name, KIND_OF[kind], *ends, origin=origin, child_origin=anchor, actuated=False, **options)


def _plain(node: Node) -> None:
    """ModelError names what makes several bodies in one word, and what to do."""
    for part in node.elements():
        if part.tag in EXPANDED:
            version = " 3" if part.tag == "composite" else ""
            raise part.error(
                f"is not supported in <{node.tag}>; MuJoCo{version} writes the file with plain bodies in its place: "
                "mujoco.mj_saveLastXML('plain.xml', mujoco.MjModel.from_xml_path('model.xml'))"
            )
        if part.tag == "flexcomp":
            raise part.error(
                f"is not supported in <{node.tag}>: it is soft; remove it, or make it of bodies and joints"
            )


def _carried(body: Node) -> bool:
    """Whether there is a joint in a body or above it."""
    return any(_jointed(element) for element in (body.element, *body.element.iterancestors("body")))


def _jointed(element: etree._Element) -> bool:
    """Whether a body, or a frame in it, holds a joint."""
    return any(part.tag in ("joint", "freejoint") or (part.tag == "frame" and _jointed(part)) for part in element)


def _moves(body: Node) -> bool:
    """Whether there is a joint in a body, above it or below."""
    return next(body.element.iter("joint", "freejoint"), None) is not None or _carried(body)


def _displaced(kind: str, axis: Vector, q: float) -> Pose:
    """Pose of a hinge or slide at q."""
    if q == 0.0:
        return COINCIDENT
    if kind == "hinge":
        return Pose(rotation=about(axis, q))
    length = math.hypot(*(float(v) for v in axis))
    x, y, z = (q * float(v) / (length or 1.0) for v in axis)
    return Pose((x, y, z))


def _passive(node: Node, kind: str, unit: float, settings: Compiler) -> dict[str, Any]:
    """Options of a joint, angles in radians."""
    if any(node.numbers("springdamper", (2,)) or ()):
        raise node.error("springdamper is not supported; give stiffness and damping")
    options: dict[str, Any] = {
        "damping": linear(node, "damping"),
        "stiffness": linear(node, "stiffness"),
        "friction": node.number("frictionloss", 0.0),
        "armature": node.number("armature", 0.0),
    }
    bounds = limited(node, "limited", "range", settings)
    if bounds is not None:
        if kind == "ball":
            raise node.error("limits of ball joints are not supported; set limited='false', or use hinges")
        if node.number("margin", 0.0) != 0.0:
            node.tell("margin is not read; the joint stops at the ends of its range")
        options["limits"] = (unit * bounds[0], unit * bounds[1])
    if kind != "ball":
        options["rest"] = unit * node.number("springref", 0.0)
    force = limited(node, "actuatorfrclimited", "actuatorfrcrange", settings)
    if force is not None:
        options["effort_limit"] = max(map(abs, force))
    return options


def _site_pose(node: Node, settings: Compiler) -> Pose:
    ends = ends_of(node)
    if ends is None:
        return pose_of(node, settings)
    return between(ends)
