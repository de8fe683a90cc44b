"""What the machine is: links, joints, pointers, loops; one reader a file format."""

from .joint import Joint, Mimic
from .link import Link
from .mechanism import Mechanism
from .pointers import Pointer, Pointers, pointers
from .pose import Frame, Pose
from .shapes import Shape
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
    "pointers",
    "spanning_tree",
]
