"""What <gazebo reference="LINK"> of URDF says of the link's surface: its friction is read, all else is told."""

from __future__ import annotations

from collections.abc import Iterator

from .sdf.surface import RIGID
from .unread import Unread, says
from .xml_input import Node

# words of contact that are not read -> what says nothing there, the defaults of SDF
UNREAD: dict[str, tuple[str, ...]] = {
    "kp": ("1e+12",),
    "kd": ("1",),
    "fdir1": ("0",),
    "minDepth": ("0",),
    "maxVel": ("0.01",),
    "maxContacts": ("20",),
    "collision": (),
}


def frictions(robot: Node) -> dict[str, float]:
    """Friction of a link's shapes, by its name: <mu1>, as <mu> in SDF; the last one holds, as in Gazebo."""
    return {gazebo.text("reference", ""): _number(mu) for gazebo in robot.children("gazebo") for mu in _of(gazebo)}


def unread_surfaces(robot: Node) -> Iterator[Unread]:
    """What is said of the surface of links that have one and is not read; another <mu2> than their <mu1>, too."""
    friction = frictions(robot)
    touching = {link.text("name") for link in robot.children("link") if link.children("collision")}
    for gazebo in robot.children("gazebo"):
        link = gazebo.text("reference", "")
        words = [part.tag for part in gazebo.elements() if _says_more(part, friction.get(link))]
        if words and link in touching:
            where = f"{gazebo.file}:{gazebo.line}: <gazebo reference={link!r}>"
            yield ("gazebo", "surface"), f"{where}: {', '.join(words)}: {RIGID}"


def _of(gazebo: Node) -> list[Node]:
    return gazebo.children("mu1") if gazebo.text("reference", "") else []


def _says_more(part: Node, friction: float | None) -> bool:
    if part.tag == "mu2":
        return _number(part) != friction
    return part.tag in UNREAD and not says(part.element.get("value", part.words), UNREAD[part.tag])


def _number(node: Node) -> float:
    """The number in an element: its text, or its attribute `value`."""
    return node.number("value") if node.element.get("value") is not None else node.values((1,))[0]
