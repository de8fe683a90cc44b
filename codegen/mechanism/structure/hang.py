"""A graph of links and joints, in whatever direction a file lists them -> joints that hang every link on world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from kinegen.runtime.kinds import KINDS

from ..elements.joint import Joint
from ..types import WORLD
from .reverse import reverse


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
        ways = [(_rank(j), False, i) for i, j in enumerate(given) if _hangs(j.parent, j.child, hanging)]
        ways += [(_rank(j), True, i) for i, j in enumerate(given) if _hangs(j.child, j.parent, hanging)]
        if ways:
            _, turned, i = min(ways)
            chosen[i] = reverse(given[i]) if turned else given[i]
            hanging.add(chosen[i].child)
        else:
            lost = [name for name in links if name not in hanging]
            top = next((name for name in lost if name not in below), lost[0])
            roots.append(root_joint(top, not roots))
            hanging.add(top)
    return roots + [chosen.get(i, closing(joint)) for i, joint in enumerate(given)]


def _rank(joint: Joint) -> int:
    """Joints of low rank hang links, the others are left to close loops: one-axis joints give the tree few and
    meaningful coordinates, and a loop closed by a ball or a weld leaves those as they are."""
    kind = KINDS[joint.kind]
    if kind.rigid or kind.free:
        return 4 if kind.rigid else 5
    return (2 if kind.axial else 3) if kind.group else int(kind.nv > 1)


def _hangs(upper: str, lower: str, hanging: set[str]) -> bool:
    return upper in hanging and lower not in hanging


def closing(joint: Joint) -> Joint:
    """A joint that closes a loop; springs and stops stay, a motor does not stand there."""
    return replace(joint, cut=True, actuated=False)
