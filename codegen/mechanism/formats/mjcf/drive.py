"""Which joints the <actuator>s of MJCF drive, and with how much effort at most."""

from __future__ import annotations

import math
from dataclasses import replace

from ... import checks
from ...elements.joint import Joint
from ..xml_input import Node
from .body import Bodies
from .input import Compiler, limited, linear, whole
from .shortcut import ATTRIBUTES
from .tendon import Tendon

Reach = tuple[float, float]  # the least and the largest force
MOST_GROUPS = 31
PLAIN = {"dyntype": "none", "gaintype": "fixed", "biastype": "none"}


def drive(document: Node, bodies: Bodies, joints: dict[str, Joint], tendons: dict[str, Tendon]) -> None:
    """Marks the joints that actuators act on, with the effort that all of them together can give.

    What acts on a follower acts on its leader, times the ratio of their coupling.
    """
    found: dict[str, Reach] = {}
    for node in enabled(document):
        with node.located():
            reach = _reach(node, bodies.settings)
            for name, factor in _driven(node, bodies, tendons):
                found[name] = _sum(found.get(name), _times(factor, reach))
    efforts: dict[str, Reach] = {}
    for name, (low, high) in found.items():
        leader, ratio, _ = lead(joints, name)
        told, single = bodies.nodes[name], joints[name].nv == 1
        bounds = limited(told, "actuatorfrclimited", "actuatorfrcrange", bodies.settings) if single else None
        reach = _clipped((low, high), bounds)
        if ratio:
            efforts[leader] = _sum(efforts.get(leader), _times(ratio, reach))
    for name, reach in efforts.items():
        joint = joints[name]
        limit = (max(map(abs, reach)),) if joint.nv == 1 else joint.effort_limit
        joints[name] = replace(joint, actuated=True, effort_limit=limit)


def enabled(document: Node) -> list[Node]:
    """The actuators but for those whose group <option actuatorgroupdisable> names: they give no force."""
    off: set[float] = set()
    for option in document.children("option"):
        groups = option.numbers("actuatorgroupdisable", range(MOST_GROUPS + 1)) or []
        if not all(group.is_integer() and 0 <= group < MOST_GROUPS for group in groups):
            raise option.error(f"'actuatorgroupdisable' must be integers from 0 to {MOST_GROUPS - 1}")
        off.update(groups)
    found = [node for section in document.children("actuator") for node in section.elements()]
    return [node for node in found if whole(node, "group", 0) not in off]


def lead(joints: dict[str, Joint], name: str) -> tuple[str, float, float]:
    """Leader, ratio and offset of a joint: q = ratio q_leader + offset; itself, 1 and 0 if it follows none."""
    ratio, offset, past = 1.0, 0.0, {name}
    while mimic := joints[name].mimic:
        ratio, offset = ratio * mimic.multiplier, offset + ratio * mimic.offset
        name = mimic.joint
        if name in past:  # what follows itself is told when the mechanism is made
            break
        past.add(name)
    return name, ratio, offset


def _driven(node: Node, bodies: Bodies, tendons: dict[str, Tendon]) -> Tendon:
    """The joints that an actuator acts on, and how much of its force each of them feels."""
    if node.tag not in ATTRIBUTES:
        raise node.error(f"is no actuator that is supported{checks.nearest(node.tag, [*ATTRIBUTES])}")
    node.only()
    for attribute in ("armature", "damping"):
        if linear(node, attribute) != 0.0:
            raise node.error(f"{attribute} of an actuator is not supported; give it to the joint")
    if node.element.get("tendon") is not None:
        tendon = node.text("tendon")
        if tendon not in tendons:
            raise node.error(f"tendon {tendon!r} is not supported; only fixed tendons drive joints")
        return tendons[tendon]
    key = "joint" if node.element.get("joint") is not None else "jointinparent"
    if node.element.get(key) is None:
        raise node.error("acts on no joint; only joints (and fixed tendons) are driven here")
    name = node.text(key)
    if name not in bodies.nodes:
        raise node.error(f"there is no joint {name!r}{checks.nearest(name, [*bodies.nodes])}")
    return [(name, 1.0)]


def _reach(node: Node, settings: Compiler) -> Reach:
    """What the control range, where the force is a multiple of the control, and the force range leave, times gear."""
    low, high = -math.inf, math.inf
    if node.tag in ("motor", "general") and all(node.text(k, word) == word for k, word in PLAIN.items()):
        gain = (node.numbers("gainprm", range(1, 11)) or [1.0])[0]
        low, high = _times(gain, limited(node, "ctrllimited", "ctrlrange", settings) or (low, high))
    clipped = _clipped((low, high), limited(node, "forcelimited", "forcerange", settings))
    return _times((node.numbers("gear", range(1, 7)) or [1.0])[0], clipped)


def _clipped(reach: Reach, bounds: Reach | None) -> Reach:
    if bounds is None:
        return reach
    low, high = (min(max(force, bounds[0]), bounds[1]) for force in reach)
    return low, high


def _sum(a: Reach | None, b: Reach) -> Reach:
    return b if a is None else (a[0] + b[0], a[1] + b[1])


def _times(factor: float, reach: Reach) -> Reach:
    if factor == 0.0:
        return 0.0, 0.0
    low, high = sorted(factor * force for force in reach)
    return low, high
