"""Tables as plain text, and a mechanism as one."""

from __future__ import annotations

from collections.abc import Sequence

from ..types import Number
from .tree import SpanningTree

MOST = 24
"""Joints that a table of a mechanism names."""


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they need to be, a line below the head."""
    table = [head, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def summary(tree: SpanningTree) -> str:
    """How many links, joints and loops, and the sizes of q and v."""
    loops = len(tree.virtual_links)
    counts = [(len(tree.bodies), "link"), (len(tree.bodies) + loops, "joint"), *([(loops, "loop")] if loops else [])]
    told = ", ".join(f"{n} {what}{'s' * (n != 1)}" for n, what in counts)
    return f"{told}, nq = {tree.nq}, nv = {tree.nv}"


def mechanism_table(name: str, tree: SpanningTree) -> str:
    """One line for each joint of the tree, with its places in q and v and the mass of its child; then the cut joints.

    Of a large mechanism the first ones.
    """
    rows = []
    for body in tree.bodies:
        joint = body.joint
        places = (_span(body.q_start, body.nq), _span(body.v_start, body.nv))
        rows.append((joint.name, joint.described, joint.parent, joint.child, *places, _mass(body.link.mass)))
    for virtual in tree.virtual_links:
        joint = virtual.joint
        rows.append((joint.name, f"{joint.described}, cut", joint.parent, joint.child, "-", "-", ""))
    more = f"\n... and {len(rows) - MOST} more" if len(rows) > MOST else ""
    head = ("joint", "kind", "parent", "child", "q", "v", "mass [kg]")
    return f"{name}: {summary(tree)}\n\n{text_table(head, rows[:MOST])}{more}"


def _span(start: int, count: int) -> str:
    """Which entries: 7, or 7:11."""
    return "-" if count == 0 else str(start) if count == 1 else f"{start}:{start + count}"


def _mass(mass: Number) -> str:
    return f"{mass:.4g}" if isinstance(mass, (int, float)) else str(mass)
