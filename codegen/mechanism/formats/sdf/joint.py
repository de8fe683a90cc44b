"""<joint> of SDF: axes in the joint frame, limits, passive forces, screws, gearboxes and mimics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinegen.runtime.kinds import KINDS

from ... import checks
from ...algebra import apply
from ...elements.joint import Joint
from ...elements.joint_options import UNLIMITED, Mimic
from ...types import WORLD, Vector
from ..xml_input import Node
from .frames import MODEL, Frames, said

KIND_OF: dict[str, str] = {word: name for name, kind in KINDS.items() for word in kind.sdf} | {"gearbox": "gearbox"}
NONE = 1e15  # limits beyond are none: the format writes ±1e16
PARALLEL = 1e-3  # axes of a gearbox and its hinges: files give six digits, and angles such as 1.57


@dataclass(frozen=True)
class Gear:
    """theta2 = -ratio theta1, theta1 from `reference` to `first` about `axis`, theta2 to `second` about `axis2`."""

    node: Node
    reference: str
    first: str
    second: str
    ratio: float
    axis: Vector  # world axes, as the file places the links
    axis2: Vector


@dataclass(frozen=True)
class Place:
    """Where a joint stands in the file: scope, version, all frames, and whether mimics are kept."""

    scope: str
    version: tuple[int, ...]
    frames: Frames
    mimic: str


def read_joint(node: Node, at: Place) -> Joint | Gear:
    """A joint; both its links stand where the file puts them when its q is neutral."""
    word = node.text("type")
    if word not in KIND_OF:
        raise node.error(f"joint type {word!r} is not supported{checks.nearest(word, [*KIND_OF])}")
    node.only(
        *("parent", "child", "pose", "axis", "axis2", "thread_pitch", "screw_thread_pitch", "frame"),
        *("gearbox_ratio", "gearbox_reference_body", "physics", "sensor"),
    )
    key = at.scope + node.text("name")
    child = at.frames.link(at.frames.find(node, node.word("child"), at.scope))
    parent = at.frames.link(at.frames.find(node, node.word("parent"), at.scope))
    if child == WORLD:
        raise node.error(f"'{WORLD}' cannot be a child; swap parent and child")
    if word == "gearbox":
        return _gear(node, at, parent, child)
    kind, options = KIND_OF[word], _axes(node, at, KIND_OF[word], key)
    if kind == "revolute" and options.get("limits") in (None, UNLIMITED):
        kind = "continuous"
        options.pop("limits", None)
    if kind == "helical":
        options["pitch"] = _pitch(node)
    frames = at.frames
    with node.located():
        return Joint(
            key, kind, parent, child, origin=frames.pose(key, parent), child_origin=frames.pose(key, child), **options
        )


def couple(joints: Sequence[Joint], gears: Sequence[Gear], frames: Frames) -> list[Joint]:
    """Gearboxes as mimics: the hinge of the gear's first link follows the hinge of its second."""
    result = {joint.name: joint for joint in joints}
    for gear in gears:
        first, sign1 = _hinge(gear, gear.first, gear.axis, joints, frames)
        second, sign2 = _hinge(gear, gear.second, gear.axis2, joints, frames)
        follower, leader, ratio = first, second, -sign1 * sign2 / gear.ratio
        if first.cut:
            follower, leader, ratio = second, first, -sign1 * sign2 * gear.ratio
        if result[follower.name].mimic:
            raise gear.node.error(f"joint '{follower.name}' follows two others already; only one gearbox may move it")
        with gear.node.located():
            result[follower.name] = replace(follower, mimic=Mimic(leader.name, ratio), actuated=False)
    return list(result.values())


def _axes(node: Node, at: Place, kind: str, key: str) -> dict[str, Any]:
    """Options from <axis> and <axis2>, which only joints that turn or slide about an axis have to have."""
    if kind == "fixed":
        return {"actuated": False}
    first, second = node.child("axis"), node.child("axis2")
    if kind == "spherical":
        damping = 0.0 if first is None else _passive(first)["damping"]
        if first is not None and any(v for k, v in _passive(first).items() if k in ("stiffness", "friction")):
            raise first.error("springs and friction of ball joints are not supported; remove them")
        _led_by_none([first] if first is not None else [], at)
        return {"damping": damping, "actuated": False}
    if kind != "universal":
        axis = node.need("axis")
        return {"axis": _direction(axis, at, key), **_limits(axis, kind), **_passive(axis), **_mimic(axis, at)}
    if first is None or second is None:
        raise node.error("needs <axis> and <axis2>")
    _led_by_none([first, second], at)
    pairs = [{**_limits(a, "revolute"), **_passive(a)} for a in (first, second)]
    both: dict[str, Any] = {option: tuple(p[option] for p in pairs) for option in pairs[0]}
    both["actuated"] = all(both["actuated"])
    return {"axis": _direction(first, at, key), "axis2": _direction(second, at, key), **both}


def _direction(axis: Node, at: Place, key: str) -> Vector:
    """<xyz> in the joint frame: given there since 1.5, in the model frame before or on demand, or expressed_in."""
    axis.only("xyz", "limit", "dynamics", "use_parent_model_frame", "initial_position", "mimic")
    if axis.value("initial_position", 0.0) != 0.0:
        raise axis.error("<initial_position> is not supported; give q when simulating")
    direction = axis.triple("xyz", (0.0, 0.0, 1.0))
    xyz = axis.child("xyz")
    name = xyz.text("expressed_in", "") if xyz is not None else ""
    if said(axis, "use_parent_model_frame") or at.version < (1, 5):
        name = MODEL
    if not name:
        return direction
    turn = at.frames.pose(at.frames.find(axis, name, at.scope), key).rotation
    return apply(turn, direction)


def _limits(axis: Node, kind: str) -> dict[str, Any]:
    """Limits (none for a continuous joint), effort and velocity (negative: none); effort 0: no actuator."""
    limit = axis.child("limit")
    if limit is None:
        return {"actuated": True, "effort_limit": math.inf, "velocity_limit": math.inf, "limits": UNLIMITED}
    limit.only("lower", "upper", "effort", "velocity", "stiffness", "dissipation")
    effort, velocity = (limit.value(tag, -1.0, infinite=True) for tag in ("effort", "velocity"))
    result: dict[str, Any] = {
        "effort_limit": math.inf if effort < 0.0 else effort,
        "velocity_limit": math.inf if velocity < 0.0 else velocity,
        "actuated": effort != 0.0,
        "limits": UNLIMITED,
    }
    if kind != "continuous":
        lower, upper = (limit.value(tag, sign * math.inf, infinite=True) for tag, sign in (("lower", -1), ("upper", 1)))
        if lower > upper:
            raise limit.error(f"lower {lower} is greater than upper {upper}; swap them")
        result["limits"] = (-math.inf if lower < -NONE else lower, math.inf if upper > NONE else upper)
    return result


def _passive(axis: Node) -> dict[str, float]:
    dynamics = axis.child("dynamics")
    if dynamics is None:
        return {"damping": 0.0, "friction": 0.0, "stiffness": 0.0, "rest": 0.0}
    dynamics.only("damping", "friction", "spring_reference", "spring_stiffness")
    return {
        "damping": dynamics.value("damping", 0.0),
        "friction": dynamics.value("friction", 0.0),
        "stiffness": dynamics.value("spring_stiffness", 0.0),
        "rest": dynamics.value("spring_reference", 0.0),
    }


def _mimic(axis: Node, at: Place) -> dict[str, Any]:
    """<mimic joint>: q = multiplier (q[joint] - reference) + offset."""
    node = axis.child("mimic")
    if node is None or at.mimic == "independent":
        return {}
    node.only("multiplier", "offset", "reference")
    offset, reference = (node.value(tag, 0.0) for tag in ("offset", "reference"))
    multiplier = node.value("multiplier", 1.0)
    if node.text("axis", "axis") != "axis":
        raise node.error("only <axis> of a joint with one axis can be followed")
    leader = at.frames.find(node, node.text("joint"), at.scope)
    return {"mimic": Mimic(leader, multiplier, offset - multiplier * reference), "actuated": False}


def _led_by_none(axes: Sequence[Node], at: Place) -> None:
    """ModelError if one axis of a joint with several is told to follow another joint."""
    for axis in axes:
        node = axis.child("mimic")
        if node is not None and at.mimic != "independent":
            raise node.error("only a joint with one axis can follow another; make two hinges of it, or remove <mimic>")


def _pitch(node: Node) -> float:
    """m/rad: <screw_thread_pitch> is metres a revolution, the older <thread_pitch> radians a metre, left-handed."""
    if node.child("screw_thread_pitch") is not None:
        return node.value("screw_thread_pitch") / (2.0 * math.pi)
    if node.child("thread_pitch") is None:
        raise node.error("<screw_thread_pitch>, metres a revolution, or the older <thread_pitch> is missing")
    pitch = node.value("thread_pitch")
    if pitch == 0.0:
        raise node.error("<thread_pitch> must not be zero: it is radians a metre")
    return -1.0 / pitch


def _gear(node: Node, at: Place, parent: str, child: str) -> Gear:
    key, frames = at.scope + node.text("name"), at.frames
    reference = frames.link(frames.find(node, node.word("gearbox_reference_body"), at.scope))
    ratio = node.value("gearbox_ratio")
    if ratio == 0.0:
        raise node.error("<gearbox_ratio> must not be zero")
    turn = frames.pose(key).rotation
    axes = [node.need(tag) for tag in ("axis", "axis2")]
    _led_by_none(axes, at)
    axis, axis2 = (apply(turn, _direction(a, at, key)) for a in axes)
    return Gear(node, reference, parent, child, ratio, axis, axis2)


def _hinge(gear: Gear, link: str, axis: Vector, joints: Sequence[Joint], frames: Frames) -> tuple[Joint, float]:
    """The hinge between the gear's reference and a link, and the sign of its angle about the gear's axis."""
    for joint in joints:
        if {joint.parent, joint.child} == {gear.reference, link} and joint.kind in ("revolute", "continuous"):
            in_world = apply(frames.pose(joint.name).rotation, joint.axis)
            cosine = float(np.dot(in_world, axis)) / math.hypot(*(float(v) for v in axis))
            if abs(cosine) > 1.0 - PARALLEL:
                return joint, math.copysign(1.0, cosine) * (1.0 if joint.parent == gear.reference else -1.0)
    raise gear.node.error(f"there is no hinge along its axis between '{gear.reference}' and '{link}' to couple")
