"""SDF 1.4 to 1.12: models with any loops. Where a link is reached twice, a joint closes the loop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from .hang import hang
from .joint import Joint
from .link import Link
from .mechanism import Mechanism
from .pose import Frame, to_quaternion
from .sdf_frames import TRUE, Frames, frames_of, nested
from .sdf_joint import Gear, Place, couple, read_joint
from .sdf_link import read_link
from .types import WORLD, Vector
from .xml_input import Node, parse_xml

NEWEST = (1, 12)
# what may stand beside the mechanics and does not move it
IN_MODEL = ("plugin", "self_collide", "allow_auto_disable", "enable_wind", "sensor", "gripper")
IN_WORLD = (
    *("plugin", "light", "scene", "gui", "audio", "atmosphere", "magnetic_field", "spherical_coordinates", "physics"),
    "wind",
)


def read_sdf(file: Path, *, root: str, mimic: str) -> Mechanism:
    """The links and joints of the file as they are (nothing merged; inertias are not judged here).

    All links stand where the file puts them when q is neutral; a free joint's q is its pose in world, the one in the
    file its `rest`. `root` says what holds links that no joint holds to world: "fixed" holds the first, "free" lets
    it float on "root_joint"; links apart from it float, as the format says. Joints that hang a link already reached
    close loops (`cut`, unactuated): balls and welds rather than hinges. Ball joints take the damping of their <axis> in
    all directions. Gearboxes and mimics are kept unless `mimic` is "independent".
    """
    sdf = parse_xml(file)
    if sdf.tag != "sdf":
        raise sdf.error("is not SDF, whose root element is <sdf>")
    version = _version(sdf)
    models, gravity = _models(sdf)
    frames = frames_of(models)
    links: list[Link] = []
    joints: list[Joint] = []
    gears: list[Gear] = []
    names: list[Frame] = []
    for model, scope in _flat(models):
        _check_model(model)
        links += [read_link(node, scope + node.text("name"), frames) for node in model.children("link")]
        for node in model.children("joint"):
            read = read_joint(node, Place(scope, version, frames, mimic))
            gears += [read] if isinstance(read, Gear) else []
            joints += [read] if isinstance(read, Joint) else []
        names += [_frame(node, scope, frames) for node in model.children("frame")]
    first = models[0][0]
    if not links:
        raise first.error("has no <link>")
    hung = _hang(first, links, joints, frames, root)
    if mimic == "exact":
        hung = couple(hung, gears, frames)
    with first.located():
        return Mechanism(first.text("name", "") or file.stem, links, hung, gravity, names, unphysical="allow")


def _version(sdf: Node) -> tuple[int, ...]:
    text = sdf.text("version")
    if not re.fullmatch(r"\d{1,3}(\.\d{1,3})+", text):
        raise sdf.error(f"'version' must be like 1.7, got {text!r}")
    version = tuple(int(part) for part in text.split("."))
    if not (1, 4) <= version[:2] <= NEWEST:
        raise sdf.error(f"version {text} is not supported; there is: 1.4 to {'.'.join(map(str, NEWEST))}")
    return version


def _models(sdf: Node) -> tuple[list[tuple[Node, str]], Vector]:
    """Top-level models with the prefix of their names (none if there is one model), and gravity."""
    world = sdf.child("world")
    gravity: Vector = (0.0, 0.0, -9.81)
    if world is None:
        sdf.only("model")
        home = sdf
    else:
        sdf.only("world")
        world.only("model", "gravity", *IN_WORLD)
        physics = world.children("physics")
        older = physics[0].triple("gravity", (0.0, 0.0, -9.8)) if physics else (0.0, 0.0, -9.8)
        gravity, home = world.triple("gravity", older), world
    found = home.children("model")
    if not found:
        raise home.error("has no <model>")
    if world is None and len(found) > 1:
        raise found[1].error("a second <model>; put several models into a <world>")
    return [(model, f"{model.text('name')}::" if len(found) > 1 else "") for model in found], gravity


def _flat(models: Sequence[tuple[Node, str]]) -> list[tuple[Node, str]]:
    """Models and those inside them, outer ones first."""
    result = list(models)
    for model, scope in result:  # grows while it runs
        result.extend(nested(model, scope))
    return result


def _check_model(model: Node) -> None:
    model.only("link", "joint", "frame", "model", "pose", "static", *IN_MODEL)
    if model.word("static", "0") in TRUE:
        raise model.error("is static: nothing in it can move; remove <static>")
    if model.text("placement_frame", ""):
        raise model.error("the attribute 'placement_frame' is not supported; place the model by <pose>")


def _frame(node: Node, scope: str, frames: Frames) -> Frame:
    node.only("pose")
    key = scope + node.text("name")
    link = frames.link(key)
    return Frame(key, link, frames.pose(key, link))


def _hang(model: Node, links: Sequence[Link], joints: Sequence[Joint], frames: Frames, root: str) -> list[Joint]:
    held = next((joint for joint in joints if joint.parent == WORLD), None)
    if held is not None and root == "free":
        raise model.error(f"joint '{held.name}' holds the model to world; use root='fixed', or remove it")
    taken = {joint.name for joint in joints}

    def root_joint(link: str, first: bool) -> Joint:
        name = "root_joint" if first and held is None else f"free_{link}"
        while name in taken:
            name += "_"
        taken.add(name)
        pose = frames.pose(link)
        if first and held is None and root == "fixed":
            return Joint(name, "fixed", WORLD, link, origin=pose)
        return Joint(name, "free", WORLD, link, rest=(*pose.xyz, *to_quaternion(pose.rotation)))

    with model.located():
        return hang([link.name for link in links], joints, root_joint)
