"""The motion axes of a tree and the paths that they form, as the loops of runtime/c/tree go along them."""

from __future__ import annotations

from dataclasses import dataclass

from ...mechanism.structure.tree import SpanningTree


@dataclass(frozen=True)
class MotionAxes:
    """Every direction that a joint of the tree lets free, link after link; a mimic joint has one too.

    `dofs`: the entry of v that each axis moves; `above`: the next axis towards the root, -1 for none; `links`: the link
    that each moves; `last`: of each link, the axis at which its path ends, -1 for none.
    """

    dofs: tuple[int, ...]
    above: tuple[int, ...]
    links: tuple[int, ...]
    last: tuple[int, ...]


def motion_axes(tree: SpanningTree) -> MotionAxes:
    """The axes of a tree, in the order of its links."""
    dofs: list[int] = []
    above: list[int] = []
    links: list[int] = []
    last: list[int] = []
    for body in tree.bodies:
        tip = last[body.parent] if body.parent >= 0 else -1
        for k in range(body.nv or (1 if body.joint.mimic else 0)):
            dofs.append(body.v_start + k)
            above.append(tip)
            links.append(body.index)
            tip = len(dofs) - 1
        last.append(tip)
    return MotionAxes(tuple(dofs), tuple(above), tuple(links), tuple(last))
