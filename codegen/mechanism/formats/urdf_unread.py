"""What a URDF file says of the motion and is not read, or fails to say: each kind is told once, by the line of the
first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from .. import checks
from .sdf.selves import WITHIN
from .unread import Unread, foreign, says, tell
from .urdf_gazebo import is_of_model
from .urdf_surface import unread_surfaces
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
SELF = ("selfCollide", "self_collide")
# Gazebo's: what moves bodies -> words that say nothing
GAZEBO: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("springStiffness", "springReference", "dampingFactor", "velocity_decay", "pose"), ("0",)),
    **dict.fromkeys(("turnGravityOff", "kinematic", "static", *SELF), ("false", "0")),
    "gravity": ("true", "1"),
    **dict.fromkeys(("link", "joint", "model", "include", "inertial", "axis", "axis2"), ()),
}


def tell_unread(robot: Node) -> None:
    """A warning for each kind of element and attribute that may change the motion and is not read, or is missing."""
    tell(chain(_unread(robot), unread_surfaces(robot), foreign(robot)))


def _unread(node: Node) -> Iterator[Unread]:
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
            yield from _of_gazebo(part, read=("joint",) if node.tag == "robot" and is_of_model(part) else ())
        elif known and part.tag not in OTHERS and not set(part.tag) & set(":{") and not _idle(part):
            yield (node.tag, part.tag), f"{part.where}: is not read in <{node.tag}>{_near(part.tag, known)}"
    attributes = ATTRIBUTES.get(node.tag, ())
    for name in map(str, node.element.attrib):
        if attributes and name not in attributes:
            text = f"{node.where}: the attribute '{name}' is not read{_near(name, attributes)}"
            yield (node.tag, f"@{name}"), text


def _idle(node: Node) -> bool:
    """Whether it is one of Gazebo's elements, with a word that says nothing."""
    return says(node.words, GAZEBO.get(node.tag, ()))


def _near(name: str, known: Sequence[str]) -> str:
    """The known name that is meant, if one is near."""
    near = checks.nearest(name, known)
    return near if "did you mean" in near else ""


def _of_gazebo(gazebo: Node, read: Sequence[str]) -> Iterator[Unread]:
    whom = gazebo.text("reference", "")
    around = f"<gazebo reference={whom!r}>" if whom else "<gazebo>"
    for part in gazebo.elements():
        if part.tag in GAZEBO and part.tag not in read and not _idle(part):
            instead = f"; {WITHIN}" if part.tag in SELF else ""
            yield ("gazebo", part.tag), f"{part.where}: is not read ({around}){instead}"
