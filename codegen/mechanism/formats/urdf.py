"""URDF files -> mechanisms, with q and v in Pinocchio's order: depth first, siblings by the name of their joint."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS

from .. import checks
from ..algebra import congruence
from ..elements.joint import Joint
from ..elements.joint_options import Mimic
from ..elements.link import Link
from ..elements.visual import Colour, Visual, readable
from ..geometry.shapes import Shape
from ..mechanism import Mechanism
from ..pose import COINCIDENT, Pose
from ..types import SIZES, WORLD, ZERO, Vector
from .urdf_gazebo import with_gazebo
from .urdf_surface import frictions
from .urdf_unread import tell_unread
from .xml_input import Node, parse_xml

# the words of URDF, and "spherical", which is none but which some parsers take
KIND_OF: dict[str, str] = {word: name for name, kind in KINDS.items() for word in kind.urdf}
WITH_AXIS = [name for name in KIND_OF.values() if KINDS[name].axes]


def read_urdf(file: Path, *, root: str, mimic: str) -> Mechanism:
    """The links and joints of the file as they are (nothing merged; inertias are not judged here).

    `root` "fixed": a fixed joint holds the root link to world (none if the root link is called "world": it is world);
    "free": it floats on the joint "root_joint". `mimic` "exact" keeps <mimic>, "independent" drops it. A warning names
    what may change the motion and is not read. SDF joints in <gazebo> close loops (`cut`, unactuated), and its <mu1> is
    the friction of the link's shapes.
    """
    robot = parse_xml(file)
    if robot.tag != "robot":
        raise robot.error("is not URDF, whose root element is <robot>")
    links = {node.text("name"): node for node in robot.children("link")}
    _check_names(robot, "link", "joint")
    if not links:
        raise robot.error("has no <link>")
    joint_nodes = {node.text("name"): node for node in robot.children("joint")}
    joints = {name: _joint(node, mimic) for name, node in joint_nodes.items()}
    for name, joint in joints.items():
        if joint.mimic and joint.mimic.joint not in joints:
            near = checks.nearest(joint.mimic.joint, [*joints])
            raise joint_nodes[name].error(f"mimics {joint.mimic.joint!r}, which is no joint of the file{near}")
    tree = _tree(_root_link(robot, links, joint_nodes, joints), links, joints, root)
    hung = with_gazebo(robot, tree, joint_nodes | links, root, mimic)
    friction = frictions(robot)
    bodies = [_link(node, friction.get(name)) for name, node in links.items() if name != WORLD]
    ground = _touching(links[WORLD], friction.get(WORLD)) if WORLD in links else []
    visuals = _visuals(robot, links)
    tell_unread(robot)
    name = robot.text("name", "") or file.stem
    with robot.located():
        return Mechanism(name, bodies, hung, shapes=ground, unphysical="allow", visuals=visuals)


def _check_names(robot: Node, *tags: str) -> None:
    for tag in tags:
        seen: dict[str, Node] = {}
        for node in robot.children(tag):
            name = node.text("name")
            if name in seen:
                raise node.error(f"a second <{tag}> of that name; the first is in line {seen[name].line}")
            seen[name] = node


def _root_link(robot: Node, links: dict[str, Node], nodes: dict[str, Node], joints: dict[str, Joint]) -> str:
    """The one link that is no child. URDF describes trees with one root: everything else is an error."""
    above: dict[str, str] = {}
    for name, joint in joints.items():
        for side, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                raise nodes[name].error(f"{side} {link!r} is no link of the file{checks.nearest(link, [*links])}")
        if joint.child in above:
            raise nodes[name].error(
                f"link {joint.child!r} is already the child of joint {above[joint.child]!r}; URDF has trees only: "
                "remove one, and close the loop with kg.Joint after loading"
            )
        above[joint.child] = name
    roots = [name for name in links if name not in above]
    if not roots:
        raise robot.error("has no root link: every link is the child of a joint, they hang on each other in a cycle")
    if len(roots) > 1:
        raise robot.error(
            f"has {len(roots)} root links: {', '.join(map(repr, roots[:5]))}; join them, only one may be root"
        )
    return roots[0]


def _tree(base: str, links: dict[str, Node], joints: dict[str, Joint], root: str) -> list[Joint]:
    """The joints depth first, behind that of the root link."""
    if base == WORLD and root == "free":
        raise links[base].error(f"the root link is called '{WORLD}': the file holds it to the ground; use root='fixed'")
    hung = _depth_first(base, joints.values())
    return hung if base == WORLD else [_root_joint(base, root, joints), *hung]


def _root_joint(base: str, root: str, joints: dict[str, Joint]) -> Joint:
    name = checks.untaken("root_joint", joints)
    return Joint(name, "free" if root == "free" else "fixed", WORLD, base)


def _depth_first(base: str, joints: Iterable[Joint]) -> list[Joint]:
    """Joints sorted by the bytes of their names, as std::map does, each followed by those below it; lost ones last."""
    ordered = sorted(joints, key=lambda joint: joint.name.encode())
    below: dict[str, list[Joint]] = {}
    for joint in ordered:
        below.setdefault(joint.parent, []).append(joint)
    result: list[Joint] = []
    stack = below.get(base, [])[::-1]
    while stack:
        joint = stack.pop()
        result.append(joint)
        stack.extend(below.get(joint.child, [])[::-1])
    placed = {joint.name for joint in result}
    return result + [joint for joint in ordered if joint.name not in placed]


def _visuals(robot: Node, links: dict[str, Node]) -> list[Visual]:
    """What <visual> shows, in the colours of its material; what cannot be drawn is left out."""
    every = [(visual, name) for name, link in links.items() for visual in link.children("visual")]
    materials = [*robot.children("material"), *(node for visual, _ in every for node in visual.children("material"))]
    colours: dict[str, Colour] = {}
    for material in materials:
        name, colour = material.text("name", ""), _colour(material)
        if name and colour is not None:
            colours.setdefault(name, colour)

    def seen(visual: Node, link: str) -> Iterator[Visual]:
        material = next(iter(visual.children("material")), None)
        own = None if material is None else _colour(material) or colours.get(material.text("name", ""))
        for shape in _shapes(visual, link):
            yield Visual(link, shape, own)

    return [found for visual, name in every for found in readable(partial(seen, visual, name))]


def _colour(material: Node) -> Colour | None:
    """<color rgba>; None where there is none that can be read."""
    node = next(iter(material.children("color")), None)
    try:
        values = None if node is None else node.numbers("rgba", (3, 4))
    except ModelError:
        return None
    if values is None:
        return None
    red, green, blue, opacity = (min(max(x, 0.0), 1.0) for x in (*values, 1.0)[:4])
    return red, green, blue, opacity


def _link(node: Node, friction: float | None) -> Link:
    """<link>: mass properties turned from the inertial frame into link axes, collision geometry as shapes."""
    shapes, inertial = _touching(node, friction), node.child("inertial")
    with node.located():
        if inertial is None:
            return Link(node.text("name"), shapes=shapes)
        pose = _pose(inertial)
        mass = inertial.need("mass").number("value")
        xx, xy, xz, yy, yz, zz = (
            inertial.need("inertia").number(k) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        )
        inertia = congruence(pose.rotation, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
        return Link(node.text("name"), mass, pose.xyz, inertia, shapes)


def _joint(node: Node, mimic: str) -> Joint:
    """<joint>: frame, axis (1, 0, 0 unless given), limits, damping, friction, mimic."""
    word = node.text("type")
    if word not in KIND_OF:
        raise node.error(f"unknown joint type {word!r}{checks.nearest(word, [*KIND_OF])}")
    kind = KIND_OF[word]
    options: dict[str, Any] = {}
    if kind != "fixed":
        options |= _limits(node, kind) | _passive(node)
        follow = node.child("mimic")
        if follow is not None and mimic == "exact":
            numbers = follow.number("multiplier", 1.0), follow.number("offset", 0.0)
            with follow.located():
                options["mimic"] = Mimic(follow.text("joint"), *numbers)
    if kind in WITH_AXIS:
        options["axis"] = _axis(node, kind)
    parent, child = node.need("parent").text("link"), node.need("child").text("link")
    if child == WORLD:
        raise node.error(f"link '{WORLD}' is the ground and cannot be a child; rename it")
    with node.located():
        return Joint(node.text("name"), kind, parent, child, origin=_pose(node), **options)


def _pose(node: Node) -> Pose:
    """<origin xyz rpy>; identity if there is none."""
    origin = node.child("origin")
    return COINCIDENT if origin is None else Pose(origin.vector("xyz", ZERO), origin.vector("rpy", ZERO))


def _axis(node: Node, kind: str) -> Vector:
    axis = node.child("axis")
    direction = (1.0, 0.0, 0.0) if axis is None else axis.vector("xyz", (1.0, 0.0, 0.0))
    if kind == "planar" and direction != (0.0, 0.0, 1.0):
        # parsers differ here: some slide across the axis, some in x and y whatever the axis
        raise (axis or node).error(f"a planar joint must have the axis 0 0 1, got {direction}; turn its <origin>")
    return direction


def _limits(node: Node, kind: str) -> dict[str, Any]:
    """<limit lower upper effort velocity>: in URDF a missing lower or upper is 0; continuous joints have none."""
    limit = node.child("limit")
    if limit is None:
        return {}
    result: dict[str, Any] = {
        "effort_limit": limit.number("effort", math.inf, infinite=True),
        "velocity_limit": limit.number("velocity", math.inf, infinite=True),
    }
    nv = SIZES[kind][1]
    for key, value in result.items():
        if value < 0.0:
            raise limit.error(f"{key.removesuffix('_limit')} must not be negative, got {value}")
        result[key] = (value,) * nv
    if kind in ("revolute", "prismatic"):
        lower, upper = (limit.number(key, 0.0, infinite=True) for key in ("lower", "upper"))
        if lower > upper:
            raise limit.error(f"lower {lower} is greater than upper {upper}; swap them")
        result["limits"] = (lower, upper)
    return result


def _passive(node: Node) -> dict[str, float]:
    dynamics = node.child("dynamics")
    if dynamics is None:
        return {}
    return {key: dynamics.number(key, 0.0) for key in ("damping", "friction")}


def _touching(link: Node, friction: float | None) -> list[Shape]:
    """Collision geometry of a link, with what is said of its friction."""
    shapes = [shape for collision in link.children("collision") for shape in _shapes(collision, link.text("name"))]
    with link.located():
        return shapes if friction is None else [replace(shape, friction=friction) for shape in shapes]


def _shapes(collision: Node, link: str) -> Iterator[Shape]:
    """The shape of a <collision>; a mesh stays the name of a file, which is not opened."""
    geometry = collision.need("geometry")
    for number, node in enumerate(geometry.elements()):
        if number:
            raise node.error(f"a second shape in {geometry.where}; keep one")
        pose = _pose(collision)
        with node.located(link):
            match node.tag:
                case "box":
                    yield Shape("box", node.vector("size", ZERO), pose)
                case "sphere":
                    yield Shape("sphere", (node.number("radius"),), pose)
                case "cylinder" | "capsule":
                    yield Shape(node.tag, (node.number("radius"), node.number("length")), pose)
                case "mesh":
                    scale = node.vector("scale", (1.0, 1.0, 1.0))
                    yield Shape("mesh", scale, pose, file=node.text("filename"))
                case _:
                    raise node.error("unknown collision geometry; URDF has box, cylinder, sphere, capsule, mesh")
