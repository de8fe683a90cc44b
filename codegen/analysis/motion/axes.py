"""The motion axes of a tree and the paths that they form, as the loops of runtime/c/tree go along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.runtime.kinds import KINDS

from ...mechanism.structure.tree import Body, SpanningTree


@dataclass(frozen=True)
class MotionAxes:
    """Every direction that a joint of the tree lets free, link after link; a mimic joint has one too.

    `dofs`: the entry of v that each axis moves; `above`: the next axis towards the root, -1 for none; `links`: the link
    that each moves; `last`: of each link, the axis at which its path ends, -1 for none. `first`, `end`: first and last
    axis of those that move one frame with it; `below`: one past the last axis of its subtree.
    """

    dofs: tuple[int, ...]
    above: tuple[int, ...]
    links: tuple[int, ...]
    last: tuple[int, ...]
    first: tuple[int, ...]
    end: tuple[int, ...]
    below: tuple[int, ...]


def motion_axes(tree: SpanningTree) -> MotionAxes:
    """The axes of a tree, in the order of its links."""
    dofs: list[int] = []
    above: list[int] = []
    links: list[int] = []
    last: list[int] = []
    first: list[int] = []
    end: list[int] = []
    for body in tree.bodies:
        tip = last[body.parent] if body.parent >= 0 else -1
        for k in range(body.nv or (1 if body.joint.mimic else 0)):
            dofs.append(body.v_start + k)
            above.append(tip)
            links.append(body.index)
            tip = len(dofs) - 1
        last.append(tip)
        for count in _together(body):
            first += [len(first)] * count
            end += [len(first) - 1] * count
    return MotionAxes(*map(tuple, (dofs, above, links, last, first, end, subtree_ends(above))))


def _together(body: Body) -> list[int]:
    """How many axes move each frame of a joint."""
    return [sum(step.motion.nv for step in steps) for steps in KINDS[body.joint.kind].segments if steps]


def subtree_ends(above: Sequence[int]) -> list[int]:
    """One past the last of each subtree: axes, and links, stand in depth-first order, so that a subtree is a range."""
    below = [i + 1 for i in range(len(above))]
    for i in reversed(range(len(above))):
        if above[i] >= 0:
            below[above[i]] = max(below[above[i]], below[i])
    return below


def deepest_first(above: Sequence[int]) -> tuple[int, ...]:
    """All axes by how many there are above them, so that what is done to one needs not wait for its neighbour."""
    depth: list[int] = []
    for k in above:
        depth.append(depth[k] + 1 if k >= 0 else 0)
    return tuple(sorted(range(len(above)), key=lambda i: (-depth[i], -i)))
