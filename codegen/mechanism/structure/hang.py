"""A graph of links and joints, in whatever direction a file lists them -> joints that hang every link on world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ..elements.joint import Joint
from ..types import WORLD
from .reverse import reverse

# Which joints hang links and which are left to close loops: one-axis joints give the tree few and meaningful
# coordinates, and a loop closed by a ball or a weld leaves those as they are.
RANK = {"universal": 1, "cylindrical": 1, "planar": 2, "spherical": 3, "fixed": 4, "free": 5}


def hang(links: Sequence[str], joints: Iterable[Joint], root_joint: Callable[[str, bool], Joint]) -> list[Joint]:
    """The joints, in listed order, that span a tree over all links, and those that close loops (`cut` set).

    A joint whose child hangs and whose parent does not is turned round (`reverse`) where no joint of its rank hangs a
    link as listed. What no joint holds to world gets root_joint(link, first), where `first` is True for the first of
    them: a link that is nobody's child, the first listed one. Root joints come first.
    """
    given = list(joints)
    below = {joint.child for joint in given}
    hanging = {WORLD}
    roots: list[Joint] = []
    chosen: dict[int, Joint] = {}
    while len(hanging) <= len(links):
        ways = [(RANK.get(j.kind, 0), False, i) for i, j in enumerate(given) if _hangs(j.parent, j.child, hanging)]
        ways += [(RANK.get(j.kind, 0), True, i) for i, j in enumerate(given) if _hangs(j.child, j.parent, hanging)]
        if ways:
            _, turned, i = min(ways)
            chosen[i] = reverse(given[i]) if turned else given[i]
            hanging.add(chosen[i].child)
        else:
            lost = [name for name in links if name not in hanging]
            top = next((name for name in lost if name not in below), lost[0])
            roots.append(root_joint(top, not roots))
            hanging.add(top)
    return roots + [chosen.get(i, _closing(joint)) for i, joint in enumerate(given)]


def _hangs(upper: str, lower: str, hanging: set[str]) -> bool:
    return upper in hanging and lower not in hanging


def _closing(joint: Joint) -> Joint:
    """A joint that closes a loop; springs and stops stay, a motor does not stand there."""
    return replace(joint, cut=True, actuated=False)
