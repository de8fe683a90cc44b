"""Which entries of M = LᵀDL can differ from zero: a structure that the tree gives (§7)."""

from __future__ import annotations

from collections.abc import Sequence

from ..mechanism.structure.tree import SpanningTree


def factor_pattern(tree: SpanningTree) -> tuple[tuple[int, ...], ...]:
    """Columns j < k of each row k of L, ascending.

    Two dofs meet in M where they lie on one path of the tree; a mimic joint brings its leader's dof to other paths, so
    that eliminating one dof may couple two that did not meet.
    """
    rows: list[set[int]] = [set() for _ in range(tree.nv)]
    paths: list[frozenset[int]] = []
    for body in tree.bodies:
        own = range(body.v_start, body.v_start + (body.nv or (1 if body.joint.mimic else 0)))
        path = (paths[body.parent] if body.parent >= 0 else frozenset()) | set(own)
        paths.append(path)
        for k in own:
            for j in path - {k}:
                rows[max(j, k)].add(min(j, k))
    for k in reversed(range(tree.nv)):  # last dof to first
        for i in rows[k]:
            rows[i] |= {j for j in rows[k] if j < i}
    return tuple(tuple(sorted(row)) for row in rows)


def factor_reach(pattern: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Of each row of the pattern, one past the last row that it reaches down to: columns up to there meet it."""
    reach = [k + 1 for k in range(len(pattern))]
    for k in reversed(range(len(pattern))):
        for j in pattern[k]:
            reach[j] = max(reach[j], reach[k])
    return tuple(reach)
