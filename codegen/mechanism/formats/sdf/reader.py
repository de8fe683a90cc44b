"""SDF 1.4 to 1.12: models with any loops. Where a link is reached twice, a joint closes the loop."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from ... import checks
from ...elements.joint import Joint
from ...elements.link import Link
from ...elements.visual import Visual
from ...mechanism import Mechanism
from ...pose import Frame, to_quaternion
from ...structure.hang import hang
from ...types import WORLD, Vector
from ..unread import foreign, tell
from ..xml_input import Node, parse_xml
from .frames import Frames, frames_of, nested, said
from .joint import Gear, Place, couple, read_joint
from .link import read_link, read_visuals
from .selves import Family, apart, family

NEWEST = (1, 12)
# what may stand beside the mechanics and does not move it
IN_MODEL = ("plugin", "self_collide", "allow_auto_disable", "enable_wind", "sensor", "gripper")
IN_WORLD = (
    *("plugin", "light", "scene", "gui", "audio", "atmosphere", "magnetic_field", "spherical_coordinates", "physics"),
    "wind",
)


def read_sdf(file: Path, *, root: str, mimic: str) -> Mechanism:
    """The links and joints of the file as they are (nothing merged; inertias are not judged here).

    Joints are neutral where the file puts their links; a free joint's q is the pose in world, the one in the file is
    its `rest`. `root` says what holds links that no joint holds to world: "fixed" holds the first, "free" lets it float
    on "root_joint"; links apart from it float, as the format says, and a warning tells where "fixed" parts it from
    them. Static models are fixed to world. Joints that hang
    a link already reached close loops (`cut`, unactuated): balls and welds rather than hinges. Ball joints take the
    damping of their <axis> in all directions. Gearboxes and mimics are kept unless `mimic` is "independent". Links of
    one model touch each other as <self_collide> says; where it is not said, those do not that do not hang together.
    """
    sdf = parse_xml(file)
    if sdf.tag != "sdf":
        raise sdf.error("is not SDF, whose root element is <sdf>")
    version = _version(sdf)
    home, models, gravity = _models(sdf)
    for model, _ in models:
        _check(model)
    frames = frames_of(home, models, version)
    parts = _Parts()
    for model, scope in models:
        _gather(model, Place(scope, version, frames, mimic), parts, static=False)
    _join(home, Place("", version, frames, mimic), parts, static=False)
    first = models[0][0]
    if not parts.links:
        raise first.error("has no <link>")
    hung = _hang(first, parts, frames, root)
    if mimic == "exact":
        hung = couple(hung, parts.gears, frames)
    tell(foreign(sdf))
    with first.located():
        return Mechanism(
            first.text("name", "") or file.stem,
            parts.links,
            hung,
            gravity,
            parts.frames,
            unphysical="allow",
            excluded=apart(parts.families, hung),
            visuals=parts.visuals,
        )


@dataclass(frozen=True)
class _Parts:
    """What the models hold; `still`: fixed joints from world to the links of static models."""

    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    gears: list[Gear] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    still: list[Joint] = field(default_factory=list)
    visuals: list[Visual] = field(default_factory=list)
    families: list[Family] = field(default_factory=list)


def _check(model: Node) -> None:
    """What is not read is told before names are looked up, which may be names of what it holds."""
    _only(model, "link", "joint", "frame", "model", "pose", "static", *IN_MODEL)
    if model.text("placement_frame", ""):
        raise model.error("the attribute 'placement_frame' is not supported; place the model by <pose>")
    for inner in model.children("model"):
        _check(inner)


def _only(node: Node, *known: str) -> None:
    for include in node.children("include"):
        raise include.error(
            f"is not supported in <{node.tag}>; Gazebo's `gz sdf -p FILE` prints the file with the models in place"
        )
    node.only(*known)


def _gather(model: Node, at: Place, parts: _Parts, static: bool) -> None:
    """The parts of a model and of those inside it."""
    static = said(model, "static") or static
    parts.families.append(family(model, at.scope))
    for node in model.children("link"):
        link = read_link(node, at.scope + node.text("name"), at.frames)
        parts.links.append(link)
        parts.visuals.extend(read_visuals(node, link.name, at.frames))
        if static:
            place = at.frames.pose(link.name)
            parts.still.append(Joint(f"static_{link.name}", "fixed", WORLD, link.name, origin=place))
    _join(model, at, parts, static)
    for inner, scope in nested(model, at.scope):
        _gather(inner, replace(at, scope=scope), parts, static)


def _join(home: Node, at: Place, parts: _Parts, static: bool) -> None:
    """The joints and frames of a model, or of a world."""
    for node in home.children("joint"):
        read = read_joint(node, at)
        if not static:
            parts.gears.extend([read] if isinstance(read, Gear) else [])
            parts.joints.extend([read] if isinstance(read, Joint) else [])
    parts.frames.extend(_frame(node, at.scope, at.frames) for node in home.children("frame"))


def _version(sdf: Node) -> tuple[int, ...]:
    text = sdf.text("version")
    if not re.fullmatch(r"\d{1,3}(\.\d{1,3})+", text):
        raise sdf.error(f"'version' must be like 1.7, got {text!r}")
    version = tuple(int(part) for part in text.split("."))
    if not (1, 4) <= version[:2] <= NEWEST:
        raise sdf.error(f"version {text} is not supported; there is: 1.4 to {'.'.join(map(str, NEWEST))}")
    return version


def _models(sdf: Node) -> tuple[Node, list[tuple[Node, str]], Vector]:
    """What holds the top-level models, these with the prefix of their names, and gravity.

    One model alone has no prefix, but where its world has joints or frames, which name its parts by it.
    """
    world = sdf.child("world")
    gravity: Vector = (0.0, 0.0, -9.81)
    if world is None:
        _only(sdf, "model", "light")
        home = sdf
    else:
        _only(sdf, "world")
        _only(world, "model", "joint", "frame", "gravity", *IN_WORLD)
        physics = world.children("physics")
        older = physics[0].triple("gravity", (0.0, 0.0, -9.8)) if physics else (0.0, 0.0, -9.8)
        gravity, home = world.triple("gravity", older), world
    found = home.children("model")
    if not found:
        raise home.error("has no <model>")
    if world is None and len(found) > 1:
        raise found[1].error("a second <model>; put several models into a <world>")
    several = len(found) > 1 or bool(home.children("joint") or home.children("frame"))
    return home, [(model, f"{model.text('name')}::" if several else "") for model in found], gravity


def _frame(node: Node, scope: str, frames: Frames) -> Frame:
    node.only("pose")
    key = scope + node.text("name")
    link = frames.link(key)
    return Frame(key, link, frames.pose(key, link))


def _hang(model: Node, parts: _Parts, frames: Frames, root: str) -> list[Joint]:
    held = next((joint for joint in parts.joints if joint.parent == WORLD), None)
    if held is not None and root == "free":
        raise model.error(f"joint '{held.name}' holds the model to world; use root='fixed', or remove it")
    joints = [*parts.still, *parts.joints]
    taken = {joint.name for joint in joints}

    def root_joint(link: str, first: bool) -> Joint:
        name = checks.untaken("root_joint" if first and held is None else f"free_{link}", taken)
        taken.add(name)
        pose = frames.pose(link)
        if first and held is None and root == "fixed":
            return Joint(name, "fixed", WORLD, link, origin=pose)
        return Joint(name, "free", WORLD, link, rest=(*pose.xyz, *to_quaternion(pose.rotation)))

    given = set(taken)
    with model.located():
        hung = hang([link.name for link in parts.links], joints, root_joint)
    nailed, *others = (joint for joint in hung if joint.parent == WORLD and not joint.cut)
    if others and nailed.kind == "fixed" and nailed.name not in given:
        frames.frames[nailed.child].node.tell(
            "root='fixed' holds this link to world, the file does not, in which other links stand or float by "
            "themselves; root='free' lets it float, as the format says"
        )
    return hung
