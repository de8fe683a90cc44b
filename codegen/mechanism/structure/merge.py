"""Links held together by fixed joints are one rigid body: merge them, keep their names as frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import FIXED

from ..elements.joint import Joint
from ..elements.link import Link
from ..elements.visual import moved
from ..geometry.shapes import Shape, parts_of
from ..mechanism import Mechanism, require_mechanism
from ..pose import COINCIDENT, Frame, Pose
from ..types import WORLD
from .rigid import rigid_inertia


@dataclass(frozen=True)
class _Place:
    """Where a link has gone: the link that stays (or world), and the pose in it."""

    link: str
    pose: Pose


def merge_fixed(mechanism: Mechanism) -> Mechanism:
    """The mechanism with every link that hangs on another by a fixed joint merged into that one.

    Mass, first moment and inertia are summed (parallel axes); the names that vanish, and their shapes, live on as
    frames and shapes of the link that stays, or of world, which has no mass. The order of q and v is unchanged. A link
    fixed to world on which a loop ends stays a link, and where nothing moves at all every link stays one.
    ModelError if a loop joint would join a rigid body to itself.
    """
    require_mechanism(mechanism, "merge_fixed")
    if mechanism.tree.nv == 0:
        return mechanism
    places = _places(mechanism)
    joints = _joints(mechanism, places)
    members: dict[str, list[Link]] = {}
    for link in mechanism.links:
        members.setdefault(places[link.name].link, []).append(link)
    links = [_rigid(link.name, members[link.name], places) for link in mechanism.links if link.name in members]
    gone = [link.name for link in mechanism.links if places[link.name].link != link.name]
    frames = [Frame(name, places[name].link, places[name].pose) for name in gone]
    frames += [replace(f, link=places[f.link].link, pose=places[f.link].pose * f.pose) for f in mechanism.frames]
    shapes = (*mechanism.shapes, *_moved_shapes(members.get(WORLD, ()), places))
    visuals = moved(mechanism.visuals, lambda name: (places[name].link, places[name].pose))
    seen = {*(link.name for link in links), WORLD, *parts_of(links, shapes)}
    apart = tuple((a, b) for a, b in mechanism.excluded if {a, b} <= seen and _link(a, places) != _link(b, places))
    parts: dict[str, Any] = {"links": tuple(links), "joints": tuple(joints), "frames": tuple(frames), "shapes": shapes}
    return replace(mechanism, excluded=apart, visuals=visuals, **parts)


def _link(name: str, places: dict[str, _Place]) -> str:
    """Where a link, or what was a part of one before, has gone; the part itself where nothing knows."""
    return places[name].link if name in places else name


def _places(mechanism: Mechanism) -> dict[str, _Place]:
    tree = mechanism.tree
    loop_ends = {virtual.real for virtual in tree.virtual_links}
    places = {WORLD: _Place(WORLD, COINCIDENT)}
    for body in tree.bodies:
        joint, name = body.joint, body.link.name
        above = places[joint.parent]
        # what is fixed to world and closes a loop stays a link: a loop between two of them would join world to itself
        stays = joint.kind != FIXED.name or (above.link == WORLD and name in loop_ends)
        places[name] = (
            _Place(name, COINCIDENT)
            if stays
            else _Place(above.link, above.pose * joint.origin * joint.child_origin.inverse())
        )
    return places


def _joints(mechanism: Mechanism, places: dict[str, _Place]) -> Sequence[Joint]:
    """The joints that stay, between the links that stay; loops stay cut where they were."""
    loops = {virtual.joint.name for virtual in mechanism.virtual_links}
    result = []
    for joint in mechanism.joints:
        parent, child = places[joint.parent], places[joint.child]
        is_loop = joint.name in loops
        if not is_loop and child.link != joint.child:
            continue
        if parent.link == child.link:
            raise ModelError(
                f"joint '{joint.name}' joins '{joint.parent}' to '{joint.child}', "
                "but fixed joints hold these together already; remove it"
            )
        result.append(
            replace(
                joint,
                parent=parent.link,
                child=child.link,
                origin=parent.pose * joint.origin,
                child_origin=child.pose * joint.child_origin,
                cut=joint.cut or is_loop,
            )
        )
    return result


def _rigid(name: str, members: Sequence[Link], places: dict[str, _Place]) -> Link:
    """The members as one link; a link that stands alone, or with massless ones only, keeps its numbers untouched."""
    heavy = [(link, places[link.name].pose) for link in members if not link.massless]
    shapes = _moved_shapes(members, places)
    if len(heavy) == 1 and heavy[0][0].name == name:
        return replace(heavy[0][0], shapes=shapes)
    mass, com, inertia = rigid_inertia(heavy)
    return Link(name, mass, com, inertia, shapes)


def _moved_shapes(members: Iterable[Link], places: dict[str, _Place]) -> tuple[Shape, ...]:
    return tuple(_moved(shape, link.name, places[link.name]) for link in members for shape in link.shapes)


def _moved(shape: Shape, link: str, place: _Place) -> Shape:
    part = shape.part or ("" if place.link == link else link)
    return replace(shape, pose=place.pose * shape.pose, part=part)
