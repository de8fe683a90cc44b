"""Branches of a closed mechanism: regular points near an assembly, and ways out of one that is folded (§8).

The closed configurations of a mechanism may form several branches that differ in their degrees of freedom. A point is
*regular* if its rank is that of the branch around it. An assembly is *folded* if two joints of a loop lie on one axis
though no link holds them there: what is between them turns on its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ...symbolic.loops.clusters import merged
from ..sparsity import decomposed
from .lengths import is_closed

Array = npt.NDArray[np.float64]

NEAR = 0.05  # length of a move along a branch
PROBES = 6  # moves from a point that show the rank of its branch
COINCIDENT = 1e-9  # one less the cosine between two screws that count as one
ROUNDING = 1e-10  # singular values and pivots of the closure rows that tell nothing, whatever the others are
DRAWS = 4  # attempts to build a mechanism up loop by loop
KICKS = 12  # assemblies of one loop that are looked at


class Closing(Protocol):
    """What is asked of a mechanism as numbers."""

    def rows(self, q: Array) -> Array: ...
    def screws(self, q: Array) -> Array: ...
    def assembled(self, q: Array) -> tuple[Array, Array]: ...
    def start(self, rng: np.random.Generator, spread: float) -> Array: ...
    def moved(self, q: Array, step: Array) -> Array: ...
    def of_first(self, loops: int) -> Closing: ...


def rank_of(K: Array) -> int:
    """Rank of the closure rows: singular values above 1e-6 of the largest, and above rounding."""
    sizes = decomposed(K).sizes
    return int(np.sum(sizes > max(1e-6 * sizes.max(initial=0.0), ROUNDING)))


def around(closing: Closing, q: Array, spread: float = NEAR) -> list[Array]:
    """Closed configurations beside q on the branches through it: along random directions that its rows leave free."""
    K = closing.rows(q)
    free = decomposed(K).directions[rank_of(K) :]
    rng = np.random.default_rng(1)
    found = []
    for _ in range(PROBES if len(free) else 0):
        step = rng.normal(size=len(free)) @ free
        beside, gap = closing.assembled(closing.moved(q, step * (spread / max(float(np.abs(step).max()), 1e-9))))
        if is_closed(gap):
            found.append(beside)
    return found


def regular(closing: Closing, q: Array) -> tuple[Array, int]:
    """(q, rank) of q itself if its rank is that of its branch, else of the point beside it with the highest rank."""
    best, rank = q, rank_of(closing.rows(q))
    for beside in around(closing, q):
        there = rank_of(closing.rows(beside))
        if there > rank:
            best, rank = beside, there
    return best, rank


def folds(closing: Closing, q: Array, fixed: Sequence[set[int]], loops: int | None = None) -> int:
    """Pairs of joints of a loop that lie on one axis at q; not those of a class of `fixed` (columns of the screws),
    which links hold there. `loops`: only of the first ones."""
    J = closing.screws(q)
    return sum(
        1
        for loop in range(J.shape[0] // 6 if loops is None else loops)
        for pair in _coaxial(J[6 * loop : 6 * loop + 6])
        if not any(pair <= group for group in fixed)
    )


def _coaxial(screws: Array) -> Iterator[set[int]]:
    """Pairs of columns (6, n) that turn about one axis."""
    turning = np.flatnonzero(np.linalg.norm(screws[3:], axis=0) > 1e-9)
    unit = screws[:, turning] / np.linalg.norm(screws[:, turning], axis=0)
    same = np.argwhere(np.triu(np.abs(unit.T @ unit), 1) > 1.0 - COINCIDENT)
    return ({int(turning[i]), int(turning[j])} for i, j in same)


def held_together(closing: Closing, q: Array, links: Sequence[tuple[str, str]]) -> list[set[int]]:
    """Classes of columns whose joints lie on one axis wherever the mechanism goes: the axes are fixed in one link.

    `links`: of every column, the two links of its joint.
    """
    J = closing.screws(q)
    pairs = (pair for loop in range(J.shape[0] // 6) for pair in _coaxial(J[6 * loop : 6 * loop + 6]))
    return merged({i, j} for i, j in pairs if not set(links[i]).isdisjoint(links[j]))


def built_up(closing: Closing, fixed: Sequence[set[int]]) -> Iterator[Array]:
    """Closed configurations found loop by loop, each loop unfolded if that can be: for long chains of loops, of which
    random assemblies are folded somewhere."""
    for draw in range(DRAWS):
        rng = np.random.default_rng(draw)
        q = closing.start(rng, 0.0)
        rows, columns = closing.rows(q).shape
        settled = np.zeros(columns)
        for loop in range(rows // 6):
            sizes = np.abs(closing.screws(q)[6 * loop : 6 * loop + 6, :columns]).max(axis=0)
            moving = np.where(sizes > 0.0, 1.0, 0.0)
            found = _with_loop(closing, q, loop, moving, settled, fixed, rng)
            if found is None:
                break
            q, settled = found, np.maximum(settled, moving)
        else:
            yield q


def _with_loop(
    closing: Closing,
    q: Array,
    loop: int,
    moving: Array,
    settled: Array,
    fixed: Sequence[set[int]],
    rng: np.random.Generator,
) -> Array | None:
    """q with this loop and all before it closed, of the highest rank and then with the fewest folds; None if open.

    `moving` (nv): 1 for velocities of this loop, `settled` (nv): 1 for those of loops before it, disturbed less.
    """
    part = closing.of_first(loop + 1)
    best: tuple[int, int] | None = None
    found = None
    for kick in range(KICKS):
        disturbed = moving * np.where(settled > 0.0, 0.1 if kick < KICKS // 2 else 0.5, 1.0)
        tried, gap = part.assembled(part.moved(q, rng.normal(size=moving.size) * disturbed))
        if not is_closed(gap):
            continue
        folded = folds(closing, tried, fixed, loop + 1)
        value = rank_of(part.rows(tried)), -folded
        if best is None or value > best:
            best, found = value, tried
        if not folded:
            break
    return found
