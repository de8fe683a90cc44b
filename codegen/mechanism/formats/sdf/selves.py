"""<self_collide> of SDF: which links of one model never touch each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from ...elements.joint import Joint
from ...types import WORLD
from ..xml_input import Node
from .frames import said

WITHIN = "links that hang together touch each other only with kg.ContactRules(within=True)"


@dataclass(frozen=True)
class Family:
    """Links of one model that have shapes; `touch`: whether they touch the others, None where that is not said."""

    model: Node
    touch: dict[str, bool | None]


def family(model: Node, scope: str) -> Family:
    """What a model says of its own links, not of those of models inside it; a warning tells what else is needed."""
    whole = said(model, "self_collide")
    links = [node for node in model.children("link") if node.children("collision")]
    found = {scope + node.text("name"): whole if (own := said(node, "self_collide")) is None else own for node in links}
    if True in found.values():
        model.tell(f"self_collide: {WITHIN}")
    return Family(model, found)


def apart(families: Iterable[Family], joints: Iterable[Joint]) -> Iterator[tuple[str, str]]:
    """Pairs of links that never touch: of one model, and neither says that it does.

    Where neither says anything, that holds for links that do not hang together; for the others contact rules decide.
    What is fixed to world counts as world, which everything touches, but where the file says otherwise.
    """
    above = {joint.child: joint for joint in joints if not joint.cut}
    for one in families:
        links = one.touch
        roots = {link: _root(link, above) for link in links}
        bodies = {link: _body(link, above) for link in links}
        for a, b in combinations(links, 2):
            said, still = (links[a], links[b]), [link for link in (a, b) if bodies[link] == WORLD]
            if True not in said and len(still) < 2 and (False in said or (not still and roots[a] != roots[b])):
                yield a, b


def _root(link: str, above: Mapping[str, Joint]) -> str:
    """The first link of the tree that holds this one."""
    while link in above and above[link].parent != WORLD:
        link = above[link].parent
    return link


def _body(link: str, above: Mapping[str, Joint]) -> str:
    """The link that this one is fixed to, over any number of joints; WORLD perhaps."""
    while link in above and above[link].kind == "fixed":
        link = above[link].parent
    return link
