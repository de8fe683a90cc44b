"""Limbs that are alike: subtrees of the same joints that hang on one link, such as two legs; which zeros part them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import pairwise

from ..mechanism.structure.tree import Body, SpanningTree
from ..program.limbs import Lane, Limbs
from ..program.tape import Scalar
from .names import identifier, identifiers
from .nonzeros import CONSTANTS, Nonzeros
from .tree.segments import Segment

WIDTHS = (4, 2)
"""Limbs that are taken together, the most first: doubles in a vector."""

MANY = 8
"""Trees that are alike from which on loops over them are looked for."""


def families_of(tree: SpanningTree) -> list[list[list[int]]]:
    """Families, limbs, bodies in an order in which they correspond: the largest limbs, from world on."""
    children = _children(tree)
    return _families(children, _shapes(tree.bodies, children))


def limbs_of(tree: SpanningTree) -> Limbs:
    """All families of a tree."""
    return _limbs(tree, families_of(tree))


def copies_of(tree: SpanningTree) -> Limbs:
    """Families of trees that stand on world, such as boxes of a pile, of which there are many; all of each."""
    return _limbs(tree, _copies(tree))


def corresponding(tree: SpanningTree) -> Iterator[tuple[Body, ...]]:
    """Bodies of those, one of each tree of a family."""
    for limbs in _copies(tree):
        yield from (tuple(tree.bodies[i] for i in row) for row in zip(*limbs, strict=True))


def _children(tree: SpanningTree) -> dict[int, list[int]]:
    """Bodies that hang on each body, and on world (-1)."""
    children: dict[int, list[int]] = {}
    for body in tree.bodies:
        children.setdefault(body.parent, []).append(body.index)
    return children


def _copies(tree: SpanningTree) -> list[list[list[int]]]:
    children = _children(tree)
    shapes = _shapes(tree.bodies, children)
    alike: dict[int, list[int]] = {}
    for root in children.get(-1, ()):
        alike.setdefault(shapes[root], []).append(root)
    return [[_limb(root, children, shapes) for root in roots] for roots in alike.values() if len(roots) >= MANY]


def _limbs(tree: SpanningTree, families: Sequence[Sequence[Sequence[int]]]) -> Limbs:
    called = identifiers([body.link.name for body in tree.bodies])
    places: dict[tuple[str, int], tuple[Lane, tuple[int, int]]] = {}
    names: dict[Lane, tuple[tuple[str, str], ...]] = {}
    for family, limbs in enumerate(families):
        for lane, limb in enumerate(limbs):
            places |= _places((family, lane), [tree.bodies[i] for i in limb])
            pairs = [(called[own], called[first]) for own, first in zip(limb, limbs[0], strict=True)]
            pairs += zip(_closing(tree, limb), _closing(tree, limbs[0]), strict=False)
            names[family, lane] = tuple(sorted(pairs, key=lambda pair: -len(pair[0])))
    return Limbs(tuple(map(len, families)), places, names)


def _closing(tree: SpanningTree, limb: Sequence[int]) -> list[str]:
    """Identifiers of the joints that close loops at its links."""
    own = {tree.bodies[i].link.name for i in limb}
    return [
        identifier(virtual.joint.name)
        for virtual in tree.virtual_links
        if not own.isdisjoint((virtual.joint.parent, virtual.real))
    ]


def _shapes(bodies: Sequence[Body], children: Mapping[int, Sequence[int]]) -> list[int]:
    """Of every body, a number that its subtree has in common with those that are alike."""
    known: dict[Hashable, int] = {}
    shapes = [0] * len(bodies)
    for body in reversed(bodies):
        below = sorted(shapes[i] for i in children.get(body.index, ()))
        shapes[body.index] = known.setdefault((body.joint.kind, body.nq, body.nv, *below), len(known))
    return shapes


def _families(children: Mapping[int, Sequence[int]], shapes: Sequence[int]) -> list[list[list[int]]]:
    families: list[list[list[int]]] = []
    pending = [-1]
    while pending:
        alike: dict[int, list[int]] = {}
        for i in children.get(pending.pop(0), ()):
            alike.setdefault(shapes[i], []).append(i)
        for roots in alike.values():
            for width in WIDTHS:
                while len(roots) >= width:
                    families.append([_limb(root, children, shapes) for root in roots[:width]])
                    del roots[:width]
            pending += roots
    return families


def _limb(root: int, children: Mapping[int, Sequence[int]], shapes: Sequence[int]) -> list[int]:
    limb: list[int] = []
    pending = [root]
    while pending:
        limb.append(pending.pop())
        pending += sorted(children.get(limb[-1], ()), key=lambda i: (shapes[i], i), reverse=True)
    return limb


def _places(lane: Lane, limb: Sequence[Body]) -> dict[tuple[str, int], tuple[Lane, tuple[int, int]]]:
    found: dict[tuple[str, int], tuple[Lane, tuple[int, int]]] = {}
    for n, body in enumerate(limb):
        found |= {("q", body.q_start + k): (lane, (n, k)) for k in range(body.nq)}
        found |= {("v", body.v_start + k): (lane, (n, k)) for k in range(body.nv)}
    return found


def nonzeros_of(tree: SpanningTree, chain: Sequence[Segment]) -> Nonzeros:
    """Those of a tree; empty where limbs that are alike have the same zeros."""
    found: dict[str, Mapping[str, frozenset[int]]] = {}
    own = _by_body(chain)
    for limbs in families_of(tree):
        for bodies in zip(*limbs, strict=True):
            for alike in zip(*(own[body] for body in bodies), strict=True):
                found |= _uneven(alike)
    return found


def _by_body(chain: Sequence[Segment]) -> list[list[Segment]]:
    """The segments of every body: the last of them has its number."""
    ends = [0, *(i + 1 for i, segment in enumerate(chain) if segment.link is not None)]
    return [list(chain[start:end]) for start, end in pairwise(ends)]


def _uneven(alike: Sequence[Segment]) -> dict[str, Mapping[str, frozenset[int]]]:
    found: dict[str, dict[str, frozenset[int]]] = {segment.name: {} for segment in alike}
    for constant in CONSTANTS:
        zeros = [_zeros(list(getattr(segment, constant))) for segment in alike]
        common = frozenset.intersection(*zeros)
        for segment, own in zip(alike, zeros, strict=True):
            if own - common:
                found[segment.name][constant] = own - common
    return {name: places for name, places in found.items() if places}


def _zeros(entries: Sequence[Scalar]) -> frozenset[int]:
    return frozenset(i for i, entry in enumerate(entries) if entry.is_zero)
