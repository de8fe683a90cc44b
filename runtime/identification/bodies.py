"""Which inertial parameters some body can have: the pseudo-inertia of every link is positive semidefinite (§16)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import Array

_AT = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))


def pseudo_inertia(pi: Array) -> Array:
    """(..., 4, 4) [[Σ, m c], [m cᵀ, m]] of (..., 10) parameters, Σ = ½ tr(I) E − I [Wensing18]."""
    I = inertia(pi)  # noqa: E741 - the field's name for moments of inertia
    J = np.zeros((*pi.shape[:-1], 4, 4))
    J[..., :3, :3] = 0.5 * np.trace(I, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - I
    J[..., :3, 3] = J[..., 3, :3] = pi[..., 1:4]
    J[..., 3, 3] = pi[..., 0]
    return J


def inertia(pi: Array) -> Array:
    """(..., 3, 3) moments of inertia about the origin of the link's frame."""
    I = np.zeros((*pi.shape[:-1], 3, 3))  # noqa: E741
    for k, (i, j) in enumerate(_AT):
        I[..., i, j] = I[..., j, i] = pi[..., 4 + k]
    return I


def about_com(pi: Array) -> tuple[float, Array, Array]:
    """Mass, (3) mass centre and (3, 3) moments of inertia about it; zeros where there is no mass."""
    m = float(pi[0])
    c = pi[1:4] / m if m > 0.0 else np.zeros(3)
    return m, c, inertia(pi) - m * (c @ c * np.eye(3) - np.outer(c, c))


def triangle_rows() -> Array:
    """(10, 10): pseudo-inertia as the upper triangle, column by column, off the diagonal times √2, of π."""
    rows = []
    for j in range(4):
        for i in range(j + 1):
            weight = 1.0 if i == j else np.sqrt(2.0)
            rows.append([weight * pseudo_inertia(np.eye(10)[k])[i, j] for k in range(10)])
    return np.array(rows)


def nearest_body(P: Array, linear: Array, scale: Array, least: Array, required: tuple[Any, Any]) -> tuple[Array, str]:
    """argmin ½ xᵀP x − linearᵀx, x = [10 a link | rest], bodies possible and rest >= least; and the solver's status.

    `scale`: size of each unknown.
    """
    clarabel, sparse = required
    triangle, rest = triangle_rows(), len(least)
    links = (len(linear) - rest) // 10
    blocks = [-triangle * scale[10 * i : 10 * i + 10] for i in range(links)]
    blocks = [block / np.abs(block).max() for block in blocks]
    A = sparse.block_diag([*blocks, -sparse.eye(rest)] if rest else blocks, format="csc")
    cones = [clarabel.PSDTriangleConeT(4) for _ in range(links)]
    cones += [clarabel.NonnegativeConeT(rest)] if rest else []
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    scaled = scale[:, None] * P * scale
    size = float(np.abs(np.diag(scaled)).max()) or 1.0
    upper = sparse.csc_matrix(np.triu(scaled / size))
    bound = np.concatenate([np.zeros(10 * links), -least / scale[10 * links :]])
    solver = clarabel.DefaultSolver(upper, -scale * linear / size, A, bound, cones, settings)
    solution = solver.solve()
    x = scale * np.array(solution.x)
    x[10 * links :] = np.maximum(x[10 * links :], least)
    return x, str(solution.status)
