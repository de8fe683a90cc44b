"""Free directions and accelerations in maximal coordinates: with 60 digits by elimination, in doubles by SVD."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .equations import EXACTLY, Placement
from .exact import Exact, exact

Array = NDArray[np.float64]


def eliminated(C: Exact) -> tuple[list[int], list[int], Exact, float]:
    """Gauss-Jordan elimination with complete pivoting of [C | E], 60 digits: dependent columns, rows, and the reduced
    matrix [B | T], T C = B; the smallest pivot over the largest."""
    rows, columns = C.shape
    work = np.hstack([C, exact(np.eye(rows))])
    open_rows, dependent, chosen = list(range(rows)), list[int](), list[int]()
    sizes = list[float]()
    while open_rows and len(dependent) < columns:
        block = np.abs(work[open_rows, :columns].astype(float))
        block[:, dependent] = 0.0
        i, c = np.unravel_index(int(block.argmax()), block.shape)
        size = float(block[i, c])
        if size <= EXACTLY * (sizes[0] if sizes else 1.0):
            break
        r = open_rows.pop(int(i))
        sizes.append(size)
        work[r] = work[r] / work[r, c]
        for other in range(rows):
            if other != r and work[other, c] != 0:
                used = work[r] != 0
                work[other, used] = work[other, used] - work[r, used] * work[other, c]
        dependent.append(int(c))
        chosen.append(r)
    return dependent, chosen, work, (sizes[-1] / sizes[0] if sizes else 1.0)


def free_exactly(C: Exact) -> tuple[Exact, Exact, float]:
    """(N, P, ratio), 60 digits: N (size, nf), and P (size, rows) with C P d = d for d in the range of C."""
    rows, columns = C.shape
    dependent, chosen, work, ratio = eliminated(C)
    free = [c for c in range(columns) if c not in set(dependent)]
    N, P = exact(np.zeros((columns, len(free)))), exact(np.zeros((columns, rows)))
    for j, column in enumerate(free):
        N[column, j] = N[column, j] + 1
    for c, r in zip(dependent, chosen, strict=True):
        N[c] = -work[r, free]
        P[c] = work[r, columns:]
    return N, P, ratio


def free_in_doubles(C: Array, rank: int | None = None, tolerance: float = 1e-9) -> tuple[Array, Array, Array]:
    """(N, P, singular values) with orthonormal N and the pseudo-inverse P of the given rank."""
    U, sizes, Vt = np.linalg.svd(C)
    if rank is None:
        rank = int((sizes > tolerance * sizes[0]).sum())
    return Vt[rank:].T, (Vt[:rank].T / sizes[:rank]) @ U[:, :rank].T, sizes


def acceleration(
    at: Placement, w: Exact, tau: Mapping[str, Exact], N: Exact, P: Exact, passive: bool = False
) -> tuple[Exact, float]:
    """ẇ (size) by NᵀM̂N x = Nᵀ(f − M̂ a₀), a₀ = −P drift; and by how much of its size a₀ misses C a₀ = −drift."""
    drift = at.drift(w)
    a = -(P @ drift)
    missed = np.abs((at.C @ a + drift).astype(float)).max() / max(1.0, float(np.abs(drift.astype(float)).max()))
    if N.shape[1]:
        A, force = N.T @ at.inertia @ N, N.T @ (at.forces(w, tau, passive) - at.inertia @ a)
        a = a + N @ solved(A, force)
    return a, float(missed)


def solved(A: Exact, b: Exact) -> Exact:
    """x of A x = b; with 60 digits ZeroDivisionError if a pivot of A is rounding."""
    if A.dtype == float:
        return np.linalg.solve(A, b)
    A, b, n = A.copy(), b.copy(), len(b)
    for k in range(n):
        best = k + int(np.abs(A[k:, k].astype(float)).argmax())
        A[[k, best]], b[[k, best]] = A[[best, k]], b[[best, k]]
        if abs(float(A[k, k])) < EXACTLY:
            raise ZeroDivisionError
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i, k:] = A[i, k:] - A[k, k:] * factor
            b[i] = b[i] - factor * b[k]
    x = b.copy()
    for k in reversed(range(n)):
        x[k] = (b[k] - A[k, k + 1 :] @ x[k + 1 :]) / A[k, k] if k + 1 < n else b[k] / A[k, k]
    return x
