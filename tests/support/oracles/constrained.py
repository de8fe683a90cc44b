"""Motion of a closed mechanism by dense algebra: from J_C, M and h alone, rank by singular values."""

from __future__ import annotations

import numpy as np

from kinegen.runtime import Model
from support.oracles.numeric import Array

RANK = 1e-8
"""Singular values of J_C below this part of the largest count as zero."""


def free_directions(model: Model, q: Array) -> Array:
    """(N_J, nf) orthonormal: the velocities of all joints, cut ones last, that J_C θ̇_J = 0 leaves."""
    J = model.closure_jacobian(q)
    _, sizes, V = np.linalg.svd(J)
    return np.asarray(V[int(np.sum(sizes > RANK * sizes[0])) :].T)


def acceleration(model: Model, q: Array, v: Array, tau: Array) -> Array:
    """(nv) J_C θ̈_J = -J̇_C θ̇_J met by least squares, what is free by the equations along the null space of J_C."""
    N, nv = free_directions(model, q), model.nv
    particular = -np.linalg.pinv(model.closure_jacobian(q), rcond=RANK) @ model.closure_bias(q, v)
    M, W = model.mass_matrix(q), N[:nv]
    force = W.T @ (tau - model.bias(q, v) - M @ particular[:nv])
    return np.asarray(particular[:nv] + W @ np.linalg.solve(W.T @ M @ W, force))
