"""What the machine is: links, joints, pointers, loops; one reader a file format."""

from . import inertia
from .joint import Joint, Mimic
from .link import Link
from .load import load
from .mechanism import Mechanism, combine
from .merge import merge_fixed
from .pointers import Pointer, Pointers, pointers
from .pose import Frame, Pose
from .shapes import Shape
from .templates import JointTemplate
from .toml_writer import save
from .tree import Body, SpanningTree, VirtualLink, spanning_tree
from .types import KINDS, NEUTRAL, SIZES, WORLD, Kind, Matrix, Number, Vector

__all__ = [
    "KINDS",
    "NEUTRAL",
    "SIZES",
    "WORLD",
    "Body",
    "Frame",
    "Joint",
    "JointTemplate",
    "Kind",
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
    "combine",
    "inertia",
    "load",
    "merge_fixed",
    "pointers",
    "save",
    "spanning_tree",
]
