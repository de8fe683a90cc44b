"""<surface> of an SDF collision: friction, restitution, and the bits of what may touch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..xml_input import Node
from .frames import said

ALL = 0xFFFF  # the bits of a collision that says nothing
READ = (
    *("friction/ode/mu", "friction/torsional/ode/mu", "friction/torsional/coefficient"),
    *("friction/torsional/use_patch_radius", "friction/torsional/patch_radius", "bounce/restitution_coefficient"),
    "contact/collide_bitmask",
)
RIGID = "not read; surfaces are rigid, with one friction in all directions"
SOLVER = ("contact/ode/max_vel", "contact/ode/min_depth")  # how Gazebo takes bodies apart that are one in the other
# where what is not read says nothing that others would not do: the defaults of the format
PLAIN = {
    "friction/ode/slip1": 0.0,
    "friction/ode/slip2": 0.0,
    "friction/torsional/surface_radius": 0.0,
    "friction/torsional/ode/slip": 0.0,
    "bounce/threshold": 1e5,
    "contact/collide_without_contact": 0.0,
    "contact/collide_without_contact_bitmask": 1.0,
    "contact/ode/soft_cfm": 0.0,
    "contact/ode/soft_erp": 0.2,
    "contact/ode/kp": 1e12,
    "contact/ode/kd": 1.0,
}


def read_surface(node: Node) -> dict[str, Any]:
    """What a <collision> says of its surface, as options of its shapes; a warning names what is not read."""
    surface = node.child("surface")
    if surface is None:
        return {"friction": 1.0, "category": ALL, "mask": ALL}
    friction = _number(surface, "friction/ode/mu")
    if friction is None:
        friction = _number(surface, "friction/torsional/ode/mu")
    mask_node = surface.element.find("contact/collide_bitmask")
    bits = None if mask_node is None else Node(mask_node, surface.file).content()
    try:
        mask = ALL if bits is None else int(bits, 0)
    except ValueError:
        raise node.error(f"collide_bitmask must be a whole number, got {bits!r}") from None
    friction = 1.0 if friction is None else friction
    unread = [path.rpartition("/")[2] for path in _unread(surface, friction)]
    if unread:
        surface.tell(f"{', '.join(unread)}: {RIGID}")
    return {
        "friction": friction,
        "restitution": _number(surface, "bounce/restitution_coefficient") or 0.0,
        "category": mask,
        "mask": mask,
        "torsion": _torsion(surface),
    }


def _number(surface: Node, path: str) -> float | None:
    found = surface.element.find(path)
    return None if found is None else Node(found, surface.file).values((1,))[0]


def _unread(surface: Node, friction: float) -> Iterator[str]:
    """Paths of the leaves that are not read and say something of their own."""
    for element in surface.element.iterdescendants("*"):
        path = surface.element.getroottree().getelementpath(element).rpartition("surface/")[2]
        plain = friction if path == "friction/ode/mu2" else PLAIN.get(path)
        if element.find("*") is not None or path in (*READ, *SOLVER):
            continue
        if not _is(Node(element, surface.file).content(""), plain):
            yield path


def _is(word: str, plain: float | None) -> bool:
    words = {"true": 1.0, "false": 0.0}
    try:
        return words.get(word, math.nan) == plain or float(word) == plain
    except ValueError:
        return not word


def _torsion(surface: Node) -> float:
    """Torsional friction [m]: μ times the mean arm 3π/16 of a round patch of contact under Hertz's pressure."""
    found = surface.element.find("friction/torsional")
    if found is None:
        return 0.0
    node = Node(found, surface.file)
    if said(node, "use_patch_radius") is False:
        return 0.0  # the patch grows with the depth, which rigid shapes do not have
    return 3.0 * math.pi / 16.0 * node.value("coefficient", 1.0) * node.value("patch_radius", 0.0)
