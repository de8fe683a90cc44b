"""Frames of an SDF file: every link, joint, frame and model has one, each given relative to another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kinegen.runtime.errors import shown

from ... import checks
from ...elements.joint import Joint
from ...pose import COINCIDENT, Pose, from_quaternion
from ...types import WORLD
from ..xml_input import Node

MODEL = "__model__"
TRUTH = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class _Frame:
    """`pose` in the frame `base`; `fixed_to`: the frame that it moves with (None: a link, or world)."""

    node: Node
    pose: Pose
    base: str
    fixed_to: str | None


@dataclass(frozen=True)
class Frames:
    """All frames of a file by full name ("model::link"); a scope is the prefix of the names in a model.

    `flat`: names in the file may hold "::" themselves, as where Gazebo put other models in place before SDF 1.8.
    """

    frames: dict[str, _Frame] = field(default_factory=dict)
    flat: bool = False

    def find(self, node: Node, name: str, scope: str) -> str:
        """The full name of what `node` calls `name` in its scope; ModelError with the nearest name."""
        if name == WORLD:
            return WORLD
        for key in (scope + name, f"{scope}{name}::{MODEL}"):
            if key in self.frames:
                return key
        near = [key.removeprefix(scope) for key in self.frames if key.startswith(scope) and MODEL not in key]
        raise node.error(f"names {name!r}, which is no link, joint, frame or model{checks.nearest(name, near)}")

    def link(self, key: str) -> str:
        """The link (or world) that a frame moves with."""
        for above in self._up(key, "fixed_to"):
            key = above
        return key

    def pose(self, inner: str, outer: str = WORLD) -> Pose:
        """Pose of the frame `inner` in the frame `outer`, as the file places them."""
        up, across = [inner, *self._up(inner, "base")], [outer, *self._up(outer, "base")]
        while up and across and up[-1] == across[-1]:
            up, across = up[:-1], across[:-1]
        return self._along(across).inverse() * self._along(up)

    def _along(self, chain: Sequence[str]) -> Pose:
        result = COINCIDENT
        for name in chain:
            result = self.frames[name].pose * result
        return result

    def _up(self, key: str, way: str) -> list[str]:
        """The frames above, nearest first, following `base` or `fixed_to`; ModelError if they go round in a circle."""
        above: list[str] = []
        seen = [key]
        while key != WORLD:
            frame = self.frames[key]
            following = frame.base if way == "base" else frame.fixed_to
            if following is None:
                break
            if following in seen:
                raise frame.node.error(f"its frames go round in a circle: {' -> '.join([*seen, following])}")
            above.append(following)
            seen.append(following)
            key = following
        return above


def frames_of(home: Node, models: Sequence[tuple[Node, str]], version: tuple[int, ...]) -> Frames:
    """The frames of a file of that version: of its top-level models, given with the scope of each ("" or "name::"),
    and of their home, a world or the root, whose own are told apart by no scope."""
    result = Frames(flat=version < (1, 8))
    for node in (*home.children("frame"), *home.children("joint")):
        _name(result, node, "")
    for model, scope in models:
        _declare(result, model, scope)
    _resolve_frames(result, home.children("frame"), "", WORLD)
    _resolve_joints(result, home.children("joint"), "")
    for model, scope in models:
        _resolve(result, model, scope, None)
    return result


def frames_beside(tree: Sequence[Joint], named: Mapping[str, Node], joints: Sequence[Node]) -> Frames:
    """The frames of SDF joints beside a tree that another format tells, in which every joint stands at q = 0.

    `named`: the elements of its links and joints; where both have a name it is the link's.
    """
    result = Frames({MODEL: _Frame(joints[0], COINCIDENT, WORLD, None)})
    for joint in tree:
        result.frames[joint.child] = _Frame(named[joint.child], joint.origin, joint.parent, None)
    for joint in tree:
        node = named.get(joint.name, joints[0])
        result.frames.setdefault(joint.name, _Frame(node, COINCIDENT, joint.child, joint.child))
    for node in joints:
        _name(result, node, "")
    _resolve_joints(result, joints, "")
    return result


def nested(model: Node, scope: str) -> list[tuple[Node, str]]:
    """The models directly inside a model, with their scopes."""
    return [(node, f"{scope}{node.text('name')}::") for node in model.children("model")]


def _declare(result: Frames, model: Node, scope: str) -> None:
    """Every name first, so that order does not matter; poses follow in `_resolve`."""
    _allowed(result, model, model.text("name", ""))
    for key in (scope + MODEL, scope.removesuffix("::")):
        _alone(result, model, key)
    result.frames[scope + MODEL] = _Frame(model, COINCIDENT, WORLD, None)
    for tag in ("link", "joint", "frame"):
        for node in model.children(tag):
            _name(result, node, scope)
    for inner, name in nested(model, scope):
        _declare(result, inner, name)


def _name(result: Frames, node: Node, scope: str) -> None:
    name = node.text("name")
    _allowed(result, node, name)
    _alone(result, node, scope + name)
    result.frames[scope + name] = _Frame(node, COINCIDENT, scope + MODEL, None)


def _allowed(result: Frames, node: Node, name: str) -> None:
    if name in (WORLD, MODEL) or ("::" in name and not result.flat):
        raise node.error(f"the name {name!r} is reserved; rename it")


def _alone(result: Frames, node: Node, key: str) -> None:
    if key in result.frames:
        raise node.error(f"a second element of that name; the first is in line {result.frames[key].node.line}")


def _resolve(result: Frames, model: Node, scope: str, outer: str | None) -> None:
    _resolve_frames(result, model.children("frame"), scope, MODEL)
    _resolve_joints(result, model.children("joint"), scope)
    for node in model.children("link"):
        result.frames[scope + node.text("name")] = _placed(result, node, scope, scope + MODEL, None)
    canonical = model.text("canonical_link", "") or next((n.text("name") for n in model.children("link")), "")
    inner = nested(model, scope)
    body = result.find(model, canonical, scope) if canonical else inner[0][1] + MODEL if inner else None
    base = WORLD if outer is None else outer + MODEL
    result.frames[scope + MODEL] = _placed(result, model, outer or "", base, body)
    for node, name in inner:
        _resolve(result, node, name, scope)


def _resolve_frames(result: Frames, frames: Sequence[Node], scope: str, default: str) -> None:
    """Those that say nothing are attached to the default one."""
    for node in frames:
        attached = result.find(node, node.text("attached_to", "") or default, scope)
        result.frames[scope + node.text("name")] = _placed(result, node, scope, attached, attached)


def _resolve_joints(result: Frames, joints: Sequence[Node], scope: str) -> None:
    for node in joints:
        child = result.find(node, node.word("child"), scope)
        result.frames[scope + node.text("name")] = _placed(result, node, scope, child, child)


def _placed(result: Frames, node: Node, scope: str, base: str, fixed_to: str | None) -> _Frame:
    pose, relative_to = read_pose(node)
    if relative_to:
        base = result.find(node, relative_to, scope)
    return _Frame(node, pose, base, fixed_to)


def said(node: Node, tag: str) -> bool | None:
    """Whether the child of that tag says true or false, in any case; None if there is none."""
    child = node.child(tag)
    return None if child is None else _truth(child, "the text", child.content())


def truth(node: Node, attribute: str) -> bool:
    """Whether an attribute says true; false if it is missing."""
    return _truth(node, f"'{attribute}'", node.text(attribute, "false"))


def _truth(node: Node, what: str, word: str) -> bool:
    if word.strip().lower() not in TRUTH:
        raise node.error(f"{what} must be true or false (1 or 0), got {shown(word)}")
    return TRUTH[word.strip().lower()]


def read_pose(node: Node) -> tuple[Pose, str]:
    """<pose> of an element and the name of the frame that it is relative to ("" for the usual one)."""
    pose = node.child("pose")
    if pose is None:
        return COINCIDENT, ""
    pose.only_attributes("relative_to", "frame", "degrees", "rotation_format")
    relative_to = pose.text("relative_to", "") or pose.text("frame", "")
    if not pose.content(""):
        return COINCIDENT, relative_to
    form = pose.text("rotation_format", "euler_rpy")
    unit = math.pi / 180.0 if truth(pose, "degrees") else 1.0
    with pose.located():
        match form:
            case "euler_rpy":
                x, y, z, *rpy = pose.values((6,))
                return Pose((x, y, z), [unit * angle for angle in rpy]), relative_to
            case "quat_xyzw":
                x, y, z, qx, qy, qz, qw = pose.values((7,))
                return Pose((x, y, z), rotation=from_quaternion(qx, qy, qz, qw)), relative_to
    raise pose.error(f"unknown rotation_format {form!r}{checks.nearest(form, ('euler_rpy', 'quat_xyzw'))}")
