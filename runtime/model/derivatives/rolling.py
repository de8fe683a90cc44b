"""Positions of a mechanism that rolls: more of them are free than velocities (mathematics §8, §14)."""

from __future__ import annotations

import numpy as np

from ...abi import Manifest
from ...arguments import Array
from ..closed.loops import Loops
from ..kernels import Kernels

RANK = 1e-9
"""Part of the largest below which what is left of a column counts as zero."""


def free_positions(kernels: Kernels, loops: Loops, q: Array) -> tuple[int, ...]:
    """Entries of v along which positions move freely, at the first of the states q (n, nq), ascending.

    The independent velocities, and of the dependent ones those that no row of positions determines.
    """
    manifest = kernels.manifest
    if not manifest.rolling or not len(q):
        return loops.leaders
    K = _of_positions(manifest, kernels.of("closure_rows")(q[0]))
    followers = [i for i in range(manifest.nv) if i not in loops.leaders]
    determined = [followers[k] for k in _pivots(K[:, followers])]
    return tuple(i for i in range(manifest.nv) if i not in determined)


def positions_held(manifest: Manifest, K: Array) -> int:
    """How many positions the rows K (6L, nv) of one state determine."""
    return len(_pivots(_of_positions(manifest, K)))


def _pivots(rows: Array) -> list[int]:
    """Columns that span the others, each the longest of what those before it leave."""
    left, found = rows.copy(), list[int]()
    largest = float(np.linalg.norm(left, axis=0).max(initial=0.0))
    while len(found) < min(rows.shape):
        lengths = np.linalg.norm(left, axis=0)
        column = int(lengths.argmax())
        if lengths[column] <= RANK * largest:
            break
        found.append(column)
        along = left[:, column] / lengths[column]
        left -= np.outer(along, along @ left)
    return found


def tangent(manifest: Manifest, K: Array, positions: tuple[int, ...]) -> Array:
    """(nv, np) q on the tangent space per free position: loops stay closed, wheels on their planes."""
    held = _of_positions(manifest, K)
    determined = [i for i in range(manifest.nv) if i not in positions]
    T = np.zeros((manifest.nv, len(positions)))
    T[list(positions), range(len(positions))] = 1.0
    T[determined] = -np.linalg.lstsq(held[:, determined], held[:, list(positions)], rcond=None)[0]
    return T


def _of_positions(manifest: Manifest, K: Array) -> Array:
    """K (6L, nv) without the rows that hold velocities alone: x and y of what rolls."""
    slipping = [6 * i + k for i, loop in enumerate(manifest.loops) if loop.name in manifest.rolling for k in (0, 1)]
    return np.delete(K, slipping, axis=0)
