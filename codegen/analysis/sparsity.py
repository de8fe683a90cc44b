"""What is zero by structure: entries of M = LᵀDL beside the tree's paths (§7), and closure rows of loops that share no
joint, whose linear algebra goes by blocks (§8)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kinegen.runtime.kinds import KINDS

from ..mechanism.structure.tree import SpanningTree

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


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


def of_gravity_alone(tree: SpanningTree, weightless: bool) -> tuple[Mask, Mask]:
    """(nv) each: motions of q that change torques by gravity at most, and those that change none.

    A joint of one motion that hangs on the ground moves all that hangs on it as a whole: seen from there nothing but
    the direction of gravity changes, and where it slides not even that. Not so if another joint follows it.
    """
    turned, none = np.zeros((2, tree.nv), dtype=bool)
    led = {body.v_start for body in tree.bodies if body.joint.mimic}
    stands: list[bool] = []
    for body in tree.bodies:
        on_ground = body.parent < 0 or stands[body.parent]
        stands.append(on_ground and not body.nv and not body.joint.mimic)
        kind, own = KINDS[body.joint.kind], slice(body.v_start, body.v_start + body.nv)
        if on_ground and len(kind.product) == 1 and body.v_start not in led:
            turned[own] = True
            none[own] = np.array(kind.linear) | weightless
    return turned, none


class Decomposition(NamedTuple):
    """K = U Σ Vᵀ: left (rows, k), sizes (k) from the largest on, directions (columns, columns); k: the smaller side."""

    left: Array
    sizes: Array
    directions: Array


def blocks(K: Array) -> tuple[tuple[Indices, Indices], ...]:
    """Rows and columns of the parts of K that share neither; what is zero throughout is in none."""
    return _blocks((K != 0.0).tobytes(), *K.shape)


@lru_cache(maxsize=64)
def _blocks(touches: bytes, rows: int, columns: int) -> tuple[tuple[Indices, Indices], ...]:
    """Of the same pattern once: Newton's steps meet it again and again."""
    touched = np.frombuffer(touches, dtype=np.bool_).reshape(rows, columns)
    row, none = np.arange(rows), rows
    while True:  # the first row from which each can be reached
        column = np.where(touched, row[:, None], none).min(axis=0, initial=none)
        lower = np.minimum(row, np.where(touched, column[None, :], none).min(axis=1, initial=none))
        if (lower == row).all():
            break
        row = lower
    used = touched.any(axis=1)
    parts = np.unique(row[used])
    return tuple((np.flatnonzero((row == first) & used), np.flatnonzero(column == first)) for first in parts)


def decomposed(K: Array) -> Decomposition:
    """The singular values of K with their directions."""
    parts, (rows, columns) = blocks(K), K.shape
    if len(parts) < 2:
        return Decomposition(*np.linalg.svd(K))
    least = min(rows, columns)
    left, directions = np.zeros((columns, rows)), np.zeros((columns, columns))
    sizes, at = np.zeros(columns), 0
    for own, places in parts:
        u, s, v = np.linalg.svd(K[np.ix_(own, places)])
        sizes[at : at + len(s)] = s
        left[at : at + len(s), own] = u.T[: len(s)]
        directions[at : at + len(places), places] = v
        at += len(places)
    for place in np.flatnonzero((K == 0.0).all(axis=0)):
        directions[at, place] = 1.0
        at += 1
    order = np.argsort(-sizes, kind="stable")
    return Decomposition(left[order[:least]].T, sizes[order[:least]], directions[order])


def damped_step(K: Array, gap: Array, damping: float) -> Array:
    """x of (KᵀK + damping) x = −Kᵀ gap."""
    step = np.zeros(K.shape[1])
    parts = blocks(K)
    if len(parts) < 2:
        parts = ((np.arange(K.shape[0]), np.arange(K.shape[1])),)
    for rows, columns in parts:
        own = K[np.ix_(rows, columns)]
        step[columns] = -np.linalg.solve(own.T @ own + damping * np.eye(len(columns)), own.T @ gap[rows])
    return step
