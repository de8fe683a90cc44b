"""Joints without their links yet: what a connection made later will be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinegen.runtime.errors import ModelError

from ..pose import COINCIDENT, Pose
from .joint import Joint


@dataclass(frozen=True)
class JointTemplate:
    """A kind and its options, as `Joint` takes them, checked when it is made."""

    kind: str
    options: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        fixed_later = sorted({key for key, _ in self.options} & {"name", "kind", "parent", "child"})
        if fixed_later:
            raise ModelError(f"a joint template takes no {fixed_later[0]}: that is given when the joint is made")
        self.joint("template", "world", "template")

    def joint(
        self, name: str, parent: str, child: str, origin: Pose = COINCIDENT, child_origin: Pose = COINCIDENT
    ) -> Joint:
        """The joint between two links, its frame at `origin` in the parent and `child_origin` in the child."""
        options = {"origin": origin, "child_origin": child_origin, **dict(self.options)}
        return Joint(name, self.kind, parent, child, **options)


def fixed(**options: Any) -> JointTemplate:
    """No motion."""
    return JointTemplate("fixed", tuple(options.items()))


def revolute(**options: Any) -> JointTemplate:
    """Turns about `axis`."""
    return JointTemplate("revolute", tuple(options.items()))


def continuous(**options: Any) -> JointTemplate:
    """Turns about `axis` without limits."""
    return JointTemplate("continuous", tuple(options.items()))


def prismatic(**options: Any) -> JointTemplate:
    """Slides along `axis`."""
    return JointTemplate("prismatic", tuple(options.items()))


def helical(**options: Any) -> JointTemplate:
    """Turns about `axis` and slides `pitch` [m/rad] along it."""
    return JointTemplate("helical", tuple(options.items()))


def universal(**options: Any) -> JointTemplate:
    """Turns about `axis`, then `axis2`."""
    return JointTemplate("universal", tuple(options.items()))


def cylindrical(**options: Any) -> JointTemplate:
    """Turns about and slides along `axis`."""
    return JointTemplate("cylindrical", tuple(options.items()))


def planar(**options: Any) -> JointTemplate:
    """Slides along x and y, turns about z."""
    return JointTemplate("planar", tuple(options.items()))


def spherical(**options: Any) -> JointTemplate:
    """Turns about all axes; q = [qx qy qz qw]."""
    return JointTemplate("spherical", tuple(options.items()))


def free(**options: Any) -> JointTemplate:
    """Moves freely; q = [x y z qx qy qz qw]."""
    return JointTemplate("free", tuple(options.items()))
