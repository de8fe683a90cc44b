"""Limbs that are alike: subtrees of the same joints that hang on one link, such as two legs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...mechanism.structure.tree import Body, SpanningTree
from ...program.limbs import Lane, Limbs
from ...symbolic.names import identifiers

WIDTHS = (4, 2)
"""Limbs that are taken together, the most first: doubles in a vector."""


def limbs_of(tree: SpanningTree) -> Limbs:
    """All families of a tree."""
    children: dict[int, list[int]] = {}
    for body in tree.bodies:
        children.setdefault(body.parent, []).append(body.index)
    shapes = _shapes(tree.bodies, children)
    called = identifiers([body.link.name for body in tree.bodies])
    places: dict[tuple[str, int], tuple[Lane, tuple[int, int]]] = {}
    names: dict[Lane, tuple[tuple[str, str], ...]] = {}
    families = _families(children, shapes)
    for family, limbs in enumerate(families):
        for lane, limb in enumerate(limbs):
            places |= _places((family, lane), [tree.bodies[i] for i in limb])
            pairs = [(called[own], called[first]) for own, first in zip(limb, limbs[0], strict=True)]
            names[family, lane] = tuple(sorted(pairs, key=lambda pair: -len(pair[0])))
    return Limbs(tuple(map(len, families)), places, names)


def _shapes(bodies: Sequence[Body], children: Mapping[int, Sequence[int]]) -> list[object]:
    """Of every body, what its subtree has in common with those that are alike."""
    shapes: list[object] = [None] * len(bodies)
    for body in reversed(bodies):
        below = tuple(sorted((shapes[i] for i in children.get(body.index, ())), key=repr))
        shapes[body.index] = (body.joint.kind, body.nq, body.nv, below)
    return shapes


def _families(children: Mapping[int, Sequence[int]], shapes: Sequence[object]) -> list[list[list[int]]]:
    """Families, limbs, bodies in an order in which they correspond: the largest limbs, from world on."""
    families: list[list[list[int]]] = []
    pending = [-1]
    while pending:
        alike: dict[object, list[int]] = {}
        for i in children.get(pending.pop(0), ()):
            alike.setdefault(shapes[i], []).append(i)
        for roots in alike.values():
            for width in WIDTHS:
                while len(roots) >= width:
                    families.append([_limb(root, children, shapes) for root in roots[:width]])
                    del roots[:width]
            pending += roots
    return families


def _limb(root: int, children: Mapping[int, Sequence[int]], shapes: Sequence[object]) -> list[int]:
    limb = [root]
    for child in sorted(children.get(root, ()), key=lambda i: (repr(shapes[i]), i)):
        limb += _limb(child, children, shapes)
    return limb


def _places(lane: Lane, limb: Sequence[Body]) -> dict[tuple[str, int], tuple[Lane, tuple[int, int]]]:
    found: dict[tuple[str, int], tuple[Lane, tuple[int, int]]] = {}
    for n, body in enumerate(limb):
        found |= {("q", body.q_start + k): (lane, (n, k)) for k in range(body.nq)}
        found |= {("v", body.v_start + k): (lane, (n, k)) for k in range(body.nv)}
    return found
