"""<actuator> of MJCF as servos of joints: force = clip(gain u + b₀ + b₁ g q + b₂ g v), torque = g force, g the gear."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kinegen.runtime.errors import warn

from ..xml_input import Node
from .body import Bodies
from .input import Compiler, choice, compiler, limited, parse_mjcf
from .reader import read_bodies


@dataclass(frozen=True)
class JointServo:
    """τ = kp (position − q) + kd (velocity − v) on a hinge or slide, at most `limit` either way; targets at u = 0."""

    joint: str
    kp: float
    kd: float
    position: float = 0.0
    velocity: float = 0.0
    limit: float = math.inf


def read_joint_servos(file: Path) -> tuple[JointServo, ...]:
    """Servos of a file, one a joint, in the order of its actuators; a warning names each actuator that is none.

    ModelError for a file that is no MJCF or whose bodies cannot be read.
    """
    document = parse_mjcf(file)
    settings = compiler(document)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what `load` tells of the bodies
        bodies = read_bodies(document, settings)
    if any(choice(flag, "actuation", "enable", "enable", "disable") == "disable" for flag in _flags(document)):
        return ()
    found: dict[str, JointServo] = {}
    bounded: set[str] = set()  # joints whose servos have limits of their own
    for section in document.children("actuator"):
        for node in section.elements():
            with node.located():
                law = _law(node)
                if isinstance(law, str):
                    warn(f"{node.where}: is no servo of a joint: {law}")
                elif law.kp or law.kd:
                    _add(found, bounded, node, law, bodies, settings)
    return tuple(found.values())


def _flags(document: Node) -> Iterator[Node]:
    for option in document.children("option"):
        yield from option.children("flag")


@dataclass(frozen=True)
class _Law:
    """Of the actuator itself: kp = −b₁, kd = −b₂, b₀; all zero for one that only hands u on."""

    kp: float
    kd: float
    constant: float


def _law(node: Node) -> _Law | str:
    """The law of an actuator, or why a servo cannot have it."""
    gain = (node.numbers("gainprm", range(1, 11)) or [1.0])[0]
    bias = [*(node.numbers("biasprm", range(1, 11)) or ()), 0.0, 0.0, 0.0]
    if node.number("timeconst", 0.0) or node.text("dyntype", "none") != "none":
        return "it has a state of its own"
    match node.tag:
        case "motor":
            return _Law(0.0, 0.0, 0.0)
        case "position" if node.element.get("dampratio") is not None:
            return "its dampratio depends on the inertia; give kv"
        case "position":
            return _Law(node.number("kp", gain), node.number("kv", -bias[2]), 0.0)
        case "velocity":
            return _Law(0.0, node.number("kv", gain), 0.0)
        case "general":
            if node.text("gaintype", "fixed") != "fixed" or node.text("biastype", "none") not in ("none", "affine"):
                return "its gain or bias is not that of a servo"
            affine = node.text("biastype", "none") == "affine"
            law = _Law(-bias[1], -bias[2], bias[0]) if affine else _Law(0.0, 0.0, 0.0)
            if law.kp < 0.0 or law.kd < 0.0 or (law.constant and not law.kp):
                return "its bias drives the joint on"
            return law
    return "only motors, position and velocity servos and general ones like them are read"


def _add(
    found: dict[str, JointServo], bounded: set[str], node: Node, law: _Law, bodies: Bodies, settings: Compiler
) -> None:
    """Into what there is: the gains of two servos of a joint add up, if neither has a limit of its own."""
    name = node.element.get("joint") or node.element.get("jointinparent")
    if name not in bodies.ref:
        warn(f"{node.where}: is no servo of a joint: it acts on no hinge or slide")
        return
    gear = (node.numbers("gear", range(1, 7)) or [1.0])[0]
    own = limited(node, "forcelimited", "forcerange", settings)
    of_joint = limited(bodies.nodes[name], "actuatorfrclimited", "actuatorfrcrange", settings)
    limit = min(
        math.inf if own is None else abs(gear) * _either_way(node, own),
        math.inf if of_joint is None else _either_way(bodies.nodes[name], of_joint),
    )
    position = law.constant / (law.kp * gear) if law.kp and gear else 0.0
    made = JointServo(name, law.kp * gear**2, law.kd * gear**2, position, 0.0, limit)
    before = found.get(name)
    if before is None:
        found[name] = made
    elif own is None and name not in bounded and not (before.kp and made.kp):
        leader = before if before.kp else made
        found[name] = replace(leader, kp=before.kp + made.kp, kd=before.kd + made.kd)
    else:
        warn(f"{node.where}: joint '{name}' has another servo; this one is left out")
    if own is not None:
        bounded.add(name)


def _either_way(node: Node, bounds: tuple[float, float]) -> float:
    """The smaller of both bounds, with a warning where they differ."""
    low, high = -bounds[0], bounds[1]
    smaller = max(min(low, high), 0.0)
    if not math.isclose(low, high):
        warn(f"{node.where}: forces from {-low:g} to {high:g}: a servo has one limit either way, {smaller:g} is taken")
    return smaller
