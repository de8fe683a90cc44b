"""Edits of the graph: one more joint, or one less; parents never reverse [N98 §4, mathematics §9]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import FREE, KINDS

from .. import checks
from ..elements.joint import Joint
from ..elements.joint_templates import JointTemplate
from ..elements.link import Link
from ..pose import COINCIDENT, Frame, Pose
from ..types import WORLD
from .tree import SpanningTree, closing

UNFIT = {
    **dict.fromkeys(("origin", "child_origin"), "give pose and pose_b instead"),
    "cut": "it closes a loop in any case; leave it out",
    "mimic": "what closes a loop follows no other joint; leave it out",
    "motion": "only what stays in the tree moves by a given motion; leave it out",
    "armature": "only joints of the tree carry the inertia of a rotor; leave it out",
}
"""Options that a joint between two links which hang on others cannot have, and what to do."""


def unfit(template: JointTemplate, options: Mapping[str, str]) -> str:
    """The first of these options that a template has, and what to do; empty if there is none."""
    joint = template.joint("template", WORLD, "link")
    idle = {"motion": not joint.motion, "armature": all(x == 0 for x in joint.armature)}
    given = sorted(key for key, _ in template.options if key in options and not idle.get(key))
    return f"{given[0]}; {options[given[0]]}" if given else ""


def connection(
    links: Sequence[Link],
    frames: Sequence[Frame],
    joints: Sequence[Joint],
    ends: tuple[str, str],
    template: JointTemplate,
    name: str | None,
    poses: tuple[Pose, Pose],
) -> Joint:
    """The loop joint (`cut`) of a connection between two links, frames or world [N98 §4.2].

    It goes from the first to the second, and the virtual link that it ends in stands for the second, which may be
    world. `poses`: of the joint frame in either.
    """
    if not isinstance(template, JointTemplate):
        raise ModelError(f"connect: joint must be a template such as revolute(), got {template!r}")
    (above, placed_above), (below, placed_below) = (_end(end, links, frames) for end in ends)
    if above == below:
        raise ModelError(f"connect: '{ends[0]}' and '{ends[1]}' are on the same link '{above}'; give two links")
    taken = [joint.name for joint in joints]
    name = checks.untaken(f"{ends[0]}_{ends[1]}", taken) if name is None else checks.name(name, "connect")
    if name in taken:
        raise ModelError(f"connect: there is a joint '{name}' already; give another name")
    if found := unfit(template, UNFIT):
        raise ModelError(f"connect '{name}': the joint takes no {found}")
    for pose in poses:
        if not isinstance(pose, Pose):
            raise ModelError(f"connect '{name}': pose and pose_b must be Poses, got {shown(pose)}")
    options: dict[str, Any] = {"actuated": False, **dict(template.options), "cut": True}
    options |= {"origin": placed_above * poses[0], "child_origin": placed_below * poses[1]}
    return Joint(name, template.kind, above, below, **options)


def without(joints: Sequence[Joint], tree: SpanningTree, name: str) -> tuple[Joint, ...]:
    """The joints after a cut of one of them [N98 §4.4].

    A loop joint goes. In the place of a tree joint comes a free joint "free_LINK" that hangs what was below on world;
    all loops stay loops, those through what was cut off too, so that the tree stays what it was elsewhere.
    """
    found = next((joint for joint in joints if isinstance(name, str) and joint.name == name), None)
    if found is None:
        raise ModelError(f"cut: there is no joint {shown(name)}{checks.nearest(name, [j.name for j in joints])}")
    followers = [joint.name for joint in joints if joint.mimic is not None and joint.mimic.joint == name]
    if followers:
        raise ModelError(
            f"cut: joint '{followers[0]}' mimics '{name}', which would be gone; cut '{followers[0]}' first"
        )
    loops = {virtual.joint.name for virtual in tree.virtual_links}
    if name in loops:
        return tuple(joint for joint in joints if joint.name != name)
    if KINDS[found.kind].free and found.parent == WORLD:
        raise ModelError(f"cut: joint '{name}' is free already: '{found.child}' hangs on nothing")
    hung = Joint(checks.untaken(f"free_{found.child}", [joint.name for joint in joints]), FREE.name, WORLD, found.child)
    kept = (replace(joint, cut=True) if joint.name in loops else joint for joint in joints)
    return tuple(hung if joint.name == name else joint for joint in kept)


def kept(joints: Sequence[Joint], names: Sequence[str]) -> tuple[Joint, ...]:
    """The joints cut so that those named are in the tree. ModelError for unknown ones, and where a tree has no way."""
    known = [joint.name for joint in joints]
    for name in names:
        if name not in known:
            raise ModelError(f"in_tree: there is no joint {shown(name)}{checks.nearest(name, known)}")
    if rolls := [joint.name for joint in joints if joint.wheel and joint.name in names]:
        raise ModelError(f"in_tree: joint '{rolls[0]}' rolls, and what rolls always closes a loop; name another joint")
    if backward := [joint for joint in joints if joint.child == WORLD and joint.name in names]:
        name, link = backward[0].name, backward[0].parent
        raise ModelError(f"in_tree: joint '{name}' ends in '{WORLD}'; describe it from '{WORLD}' to '{link}'")
    cut = closing(joints, names)
    return tuple(replace(j, cut=j.name in cut or (j.cut and j.name not in names)) for j in joints)


def _end(name: Any, links: Iterable[Link], frames: Iterable[Frame]) -> tuple[str, Pose]:
    """The link that a link, a frame or world is, and its pose in it."""
    places = {link.name: (link.name, COINCIDENT) for link in links}
    places = {**{frame.name: (frame.link, frame.pose) for frame in frames}, WORLD: (WORLD, COINCIDENT)} | places
    if not isinstance(name, str) or name not in places:
        known = [*(link.name for link in links), *(frame.name for frame in frames), WORLD]
        raise ModelError(f"connect: there is no link or frame {shown(name)}{checks.nearest(name, known)}")
    return places[name]
