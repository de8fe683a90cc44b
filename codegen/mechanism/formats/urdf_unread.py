"""What a URDF file says of the motion and is not read, or fails to say: each kind is told once, by the line of the
first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kinegen.runtime.errors import warn

from .. import checks
from .xml_input import Node

# what may stand where; what other tools read and does not move anything
ELEMENTS = {
    "robot": ("link", "joint", "material"),
    "link": ("inertial", "visual", "collision"),
    "inertial": ("origin", "mass", "inertia"),
    "collision": ("origin", "geometry"),
    "joint": ("origin", "parent", "child", "axis", "dynamics", "limit", "mimic"),
}
OTHERS = (
    *("gazebo", "transmission", "ros2_control", "sensor", "mujoco", "calibration", "safety_controller", "material"),
    *("verbose", "self_filter", "collision_checking", "rosparam"),
)
ATTRIBUTES = {
    "origin": ("xyz", "rpy"),
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "axis": ("xyz",),
    "dynamics": ("damping", "friction"),
    "limit": ("lower", "upper", "effort", "velocity"),
    "mimic": ("joint", "multiplier", "offset"),
}
# Gazebo's: what moves bodies -> words that say nothing
GAZEBO = {
    "springStiffness": ("0", "0.0"),
    "springReference": ("0", "0.0"),
    "turnGravityOff": ("false", "0"),
    "gravity": ("true", "1"),
    "kinematic": ("false", "0"),
}


def tell_unread(robot: Node) -> None:
    """A warning for each kind of element and attribute that may change the motion and is not read, or is missing."""
    told: dict[tuple[str, str], tuple[str, int]] = {}
    for kind, text in _unread(robot):
        first, count = told.get(kind, (text, 0))
        told[kind] = (first, count + 1)
    for text, count in told.values():
        warn(text if count == 1 else f"{text} ({count} of them)")


def _unread(node: Node) -> Iterator[tuple[tuple[str, str], str]]:
    """Kind and message of everything in an element that is not read."""
    known = ELEMENTS.get(node.tag, ())
    if node.tag == "geometry" and not node.elements():
        yield ("collision", "geometry"), f"{node.where}: holds no shape, so that nothing touches it"
    if node.tag == "joint" and node.text("type", "") in ("revolute", "prismatic") and not node.children("limit"):
        yield ("joint", "limit"), f"{node.where}: has no <limit>, which its type needs; it moves without limits"
    for part in node.elements():
        if part.tag in known:
            yield from _unread(part)
        elif part.tag == "gazebo":
            yield from _of_gazebo(part)
        elif known and part.tag not in OTHERS and not set(part.tag) & set(":{") and not _idle(part):
            yield (node.tag, part.tag), f"{part.where}: is not read in <{node.tag}>{_near(part.tag, known)}"
    attributes = ATTRIBUTES.get(node.tag, ())
    for name in map(str, node.element.attrib):
        if attributes and name not in attributes:
            text = f"{node.where}: the attribute '{name}' is not read{_near(name, attributes)}"
            yield (node.tag, f"@{name}"), text


def _idle(node: Node) -> bool:
    """Whether it is one of Gazebo's elements, with a word that says nothing."""
    return (node.element.text or "").strip() in GAZEBO.get(node.tag, ())


def _near(name: str, known: Sequence[str]) -> str:
    """The known name that is meant, if one is near."""
    near = checks.nearest(name, known)
    return near if "did you mean" in near else ""


def _of_gazebo(node: Node) -> Iterator[tuple[tuple[str, str], str]]:
    for part in node.elements():
        if part.tag in GAZEBO and not _idle(part):
            whom = node.text("reference", "")
            yield ("gazebo", part.tag), f"{part.where}: is not read (<gazebo reference={whom!r}>)"
