"""What the machine is: links, joints, pointers, loops; one reader a file format."""

from kinegen.runtime.kinds import KINDS

from .elements import inertia
from .elements.joint import Joint
from .elements.joint_options import Mimic
from .elements.joint_templates import JointTemplate
from .elements.link import Link
from .elements.visual import Visual
from .formats.load import load
from .formats.toml.writer import save
from .geometry.shapes import Shape
from .mechanism import Mechanism, combine
from .pose import Frame, Pose
from .structure.merge import merge_fixed
from .structure.pointers import Pointer, Pointers, pointers
from .structure.tree import Body, SpanningTree, VirtualLink, spanning_tree
from .types import NEUTRAL, SIZES, WORLD, Matrix, Number, Vector

__all__ = [
    "KINDS",
    "NEUTRAL",
    "SIZES",
    "WORLD",
    "Body",
    "Frame",
    "Joint",
    "JointTemplate",
    "Link",
    "Matrix",
    "Mechanism",
    "Mimic",
    "Number",
    "Pointer",
    "Pointers",
    "Pose",
    "Shape",
    "SpanningTree",
    "Vector",
    "VirtualLink",
    "Visual",
    "combine",
    "inertia",
    "load",
    "merge_fixed",
    "pointers",
    "save",
    "spanning_tree",
]
