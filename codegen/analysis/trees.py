"""Trees that stand on world share nothing: what is counted of one holds for all that are the same but for names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from ..mechanism.elements.joint import Joint
from ..mechanism.mechanism import Mechanism
from ..mechanism.structure.tree import Body

_NAMES = ("name", "parent", "child")
_OF_JOINTS = tuple(field.name for field in fields(Joint) if field.name not in _NAMES)
_OF_LINKS = ("mass", "com", "inertia")


def kinds_of_trees(mechanism: Mechanism) -> list[tuple[Mechanism, int]]:
    """One tree of each kind alone, and how many there are; all as it is where trees share parameters or loops."""
    trees: list[list[Body]] = []
    for body in mechanism.tree.bodies:
        if body.parent < 0:
            trees.append([])
        trees[-1].append(body)
    kinds: dict[object, list[Sequence[Body]]] = {}
    for tree in trees:
        if not any(body.nv for body in tree):
            continue
        kinds.setdefault(tuple(_but_for_names(body, tree[0]) for body in tree), []).append(tree)
    if sum(map(len, kinds.values())) == len(kinds) or mechanism.parameters or mechanism.virtual_links:
        return [(mechanism, 1)]
    return [(_alone(mechanism, same[0]), len(same)) for same in kinds.values()]


def _but_for_names(body: Body, root: Body) -> object:
    link = tuple(getattr(body.link, name) for name in _OF_LINKS)
    joint = tuple(getattr(body.joint, name) for name in _OF_JOINTS)
    return max(body.parent - root.index, -1), link, joint


def _alone(mechanism: Mechanism, tree: Sequence[Body]) -> Mechanism:
    links, joints = tuple(body.link for body in tree), tuple(body.joint for body in tree)
    return replace(mechanism, links=links, joints=joints, frames=(), shapes=(), excluded=(), visuals=())
