"""Joints of SDF that stand in <gazebo> of URDF: Gazebo has them beside the URDF's own, which hang links only once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..elements.joint import Joint
from ..structure.hang import closing
from ..types import WORLD
from .sdf.frames import frames_beside
from .sdf.joint import Gear, Place, read_joint
from .sdf.reader import NEWEST
from .xml_input import Node


def with_gazebo(robot: Node, tree: Sequence[Joint], named: Mapping[str, Node], root: str, mimic: str) -> list[Joint]:
    """The tree and the joints of every <gazebo> without a reference, which close loops (`cut`, unactuated).

    They stand as SDF says, by default in their child link where the URDF joints are at 0. The first one that holds the
    root link to world takes the place of the joint that `root` made for it. `named`: elements of the links and joints.

    ModelError for what is no SDF joint among these links, a gearbox, and with `root` "free" a joint to world.
    """
    result = list(tree)
    nodes = [node for part in robot.children("gazebo") if is_of_model(part) for node in part.children("joint")]
    if not nodes:
        return result
    at = Place("", NEWEST, frames_beside(tree, named, nodes), mimic)
    made = result[0] if result and result[0].name not in named else None
    for node in nodes:
        joint = read_joint(node, at)
        if isinstance(joint, Gear):
            raise node.error("a gearbox is not supported in <gazebo>; give one of its hinges a <mimic>")
        if joint.parent == WORLD and root == "free":
            raise node.error("holds the model to world; use root='fixed', or remove it")
        if made is not None and result[0] is made and (joint.parent, joint.child) == (WORLD, made.child):
            result[0] = joint
        else:
            result.append(closing(joint))
    return result


def is_of_model(gazebo: Node) -> bool:
    """Whether a <gazebo> of the robot speaks of the whole model."""
    return not gazebo.text("reference", "")
