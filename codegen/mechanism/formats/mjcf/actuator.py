"""<actuator> of MJCF as servos of joints: force = clip(gain u + b₀ + b₁ g q + b₂ g v), torque = g force, g the gear."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

from kinegen.runtime.errors import gathered

from ...elements.joint import Joint
from ..xml_input import Node
from .body import KIND_OF, Bodies
from .drive import enabled, lead
from .input import choice, compiler, limited, parse_mjcf
from .reader import equalities, read_bodies, switched_off
from .tendon import fixed_tendons


@dataclass(frozen=True)
class JointServo:
    """τ = kp (position − q) + push − kd v on a hinge or slide, at most `limit` either way, at the control next to zero.
    To kd comes `per_root` √m, m the inertia that the joint moves where the file puts all."""

    joint: str
    kp: float
    kd: float
    position: float = 0.0
    push: float = 0.0
    limit: float = math.inf
    per_root: float = 0.0


def read_joint_servos(file: Path, mimic: str) -> tuple[JointServo, ...]:
    """Servos of a file, one a joint, in the order of its actuators; a warning names each actuator that is none.

    Those of followers are given to their leaders if `mimic` is "exact".

    ModelError for a file that is no MJCF or whose bodies cannot be read.
    """
    document = parse_mjcf(file)
    settings = compiler(document)
    with gathered():  # `load` tells of the bodies
        bodies = read_bodies(document, settings)
        off = switched_off(document)
    if "actuation" in off:
        return ()
    joints = {joint.name: joint for joint in bodies.joints}
    equalities(document, bodies, joints, fixed_tendons(document, bodies), mimic, off)
    found: dict[str, JointServo] = {}
    bounded: set[str] = set()  # joints whose servos have limits of their own
    for node in enabled(document):
        with node.located():
            law = _law(node)
            if isinstance(law, _Law) and not (law.kp or law.kd):
                continue
            made = law if isinstance(law, str) else _servo(node, law, bodies, joints)
            if isinstance(made, str):
                node.tell(f"is no servo of a joint: {made}")
            else:
                _add(found, bounded, node, *made)
    return tuple(found.values())


@dataclass(frozen=True)
class _Law:
    """Of the actuator itself: force = gain u + constant − kp q − kd v, (b₀, b₁, b₂) = (constant, −kp, −kd)."""

    kp: float
    kd: float
    constant: float
    gain: float
    ratio: float = 0.0  # in place of kd: of the damping to the critical one


def _law(node: Node) -> _Law | str:
    """The law of an actuator, or why a servo cannot have it."""
    gain = (node.numbers("gainprm", range(1, 11)) or [1.0])[0]
    bias = [*(node.numbers("biasprm", range(1, 11)) or ()), 0.0, 0.0, 0.0]
    if node.tag not in ("general", "motor", "position", "velocity"):
        return "only motors, position and velocity servos and general ones like them are read"
    if node.text("dyntype", "none") != "none" or node.number("delay", 0.0) != 0.0:
        return "it has a state of its own"
    if node.text("gaintype", "fixed") != "fixed" or node.text("biastype", "none") not in ("none", "affine"):
        return "its gain or bias is not that of a servo"
    if node.text("biastype", "none") != "affine":
        return _Law(0.0, 0.0, 0.0, gain)
    if gain == -bias[1] > 0.0 and bias[2] > 0.0:  # a ratio to critical damping
        return _Law(gain, 0.0, bias[0], gain, bias[2])
    law = _Law(0.0 - bias[1], 0.0 - bias[2], bias[0], gain)  # no -0
    if law.kp < 0.0 or law.kd < 0.0 or (law.constant and not law.kp):
        return "it drives the joint on"
    return law


def _add(found: dict[str, JointServo], bounded: set[str], node: Node, made: JointServo, own: bool) -> None:
    """Into what there is: the gains of two servos of a joint add up, if neither has a limit of its own."""
    before = found.get(made.joint)
    if before is None:
        found[made.joint] = made
    elif not own and made.joint not in bounded and not (before.kp and made.kp):
        holder = before if before.kp else made
        sums = {gain: getattr(before, gain) + getattr(made, gain) for gain in ("kp", "kd", "push", "per_root")}
        found[made.joint] = replace(holder, **sums)
    else:
        node.tell(f"joint '{made.joint}' has another servo; this one is left out")
    if own:
        bounded.add(made.joint)


def _servo(node: Node, law: _Law, bodies: Bodies, joints: dict[str, Joint]) -> tuple[JointServo, bool] | str:
    """The servo that a law makes, and whether it has a limit of its own; or why there is none."""
    name = node.element.get("joint") or node.element.get("jointinparent")
    if name not in bodies.ref:
        return "it acts on no hinge or slide"
    gear = (node.numbers("gear", range(1, 7)) or [1.0])[0]
    own = limited(node, "forcelimited", "forcerange", bodies.settings)
    of_joint = limited(bodies.nodes[name], "actuatorfrclimited", "actuatorfrcrange", bodies.settings)
    limit = min(
        math.inf if own is None else abs(gear) * _either_way(node, own),
        math.inf if of_joint is None else _either_way(bodies.nodes[name], of_joint),
    )
    made = JointServo(name, law.kp * gear**2, law.kd * gear**2, *_targets(node, law, gear, bodies, name), limit)
    made = replace(made, per_root=2.0 * law.ratio * math.sqrt(made.kp))
    leader, ratio, offset = lead(joints, name)
    if leader == name:
        return made, own is not None
    if made.per_root or not ratio:
        return f"{'its dampratio is of' if ratio else 'it acts on'} '{name}', which follows '{leader}'"
    return _led(made, leader, ratio, offset), limit < math.inf


def _led(servo: JointServo, leader: str, ratio: float, offset: float) -> JointServo:
    """The servo of a follower, q = ratio q_leader + offset, as one of its leader: its torque times the ratio."""
    kp, kd, limit = servo.kp * ratio**2, servo.kd * ratio**2, servo.limit * abs(ratio)
    position = (servo.position - offset) / ratio if servo.kp else 0.0
    return JointServo(leader, kp, kd, position, servo.push * ratio, limit)


def _targets(node: Node, law: _Law, gear: float, bodies: Bodies, joint: str) -> tuple[float, float]:
    """Position, and the push where there is none, at the control next to zero."""
    low, high = _controls(node, law, bodies, joint)
    pushed = law.gain * min(max(0.0, low), high) + law.constant
    if not gear:
        return 0.0, 0.0
    if law.kp:
        return pushed / (law.kp * gear), 0.0
    return 0.0, pushed * gear if law.kd else 0.0


def _controls(node: Node, law: _Law, bodies: Bodies, joint: str) -> tuple[float, float]:
    """The range of the control: of a position servo with inheritrange that of its joint, in that proportion."""
    share = node.number("inheritrange", 0.0)
    if share <= 0.0 or law.gain != law.kp:
        return limited(node, "ctrllimited", "ctrlrange", bodies.settings) or (-math.inf, math.inf)
    if choice(node, "ctrllimited", "auto", "true", "false", "auto") == "false":
        return -math.inf, math.inf
    told = bodies.nodes[joint]
    low, high = told.numbers("range", (2,)) or (0.0, 0.0)
    if low == high:
        raise node.error(
            f"has inheritrange, and joint '{joint}' has no range; give it one, or the actuator a ctrlrange"
        )
    turns = choice(told, "type", "hinge", *KIND_OF) == "hinge"
    # MuJoCo takes ranges that do not hold as radians
    unit = bodies.settings.unit if turns and limited(told, "limited", "range", bodies.settings) else 1.0
    middle, half = unit * (low + high) / 2.0, unit * share * (high - low) / 2.0
    return middle - half, middle + half


def _either_way(node: Node, bounds: tuple[float, float]) -> float:
    """The smaller of both bounds, with a warning where they differ."""
    low, high = -bounds[0], bounds[1]
    smaller = max(min(low, high), 0.0)
    if not math.isclose(low, high):
        node.tell(f"forces from {-low:g} to {high:g}: a servo has one limit either way, {smaller:g} is taken")
    return smaller
