"""Which inertial parameters some body can have: the pseudo-inertia of every link is positive semidefinite (§16)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..abi import MOMENTS, PER_LINK
from ..arguments import Array

SOLVED = ("Solved", "AlmostSolved")


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
    for k, (i, j) in enumerate(MOMENTS):
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
            rows.append([weight * pseudo_inertia(np.eye(PER_LINK)[k])[i, j] for k in range(PER_LINK)])
    return np.array(rows)


def nearest_body(
    first: Array, turn: Array, cost: Array, scale: Array, least: Array, required: tuple[Any, Any]
) -> tuple[Array, str]:
    """x of least |cost w|, w = turn ((x − first) / scale), turn orthogonal, x = [10 a link | rest], bodies possible and
    rest >= least; and the solver's status.

    `cost` counts standard deviations, and so does the solver's tolerance, which is 1e-5 of its unit. Where the nearest
    body is many of them away the program is solved in larger units: of what has been solved the best is taken.
    """
    A, bound = _cones(first, scale[:, None] * turn.T, scale, least)
    found, most, links, status = [], max(float(cost.max()), 1.0), len(first) - len(least), ""
    for unit in (1.0, most**0.5, most):
        w, status = _solved(A, bound, cost, unit, len(least), required)
        if status in SOLVED:
            x = first + scale * (turn.T @ w)
            x = np.concatenate([_cut_off(x[:links].reshape(-1, PER_LINK)).ravel(), np.maximum(x[links:], least)])
            found.append((float(np.linalg.norm(cost * (turn @ ((x - first) / scale)))), x, status))
        if status == SOLVED[0]:
            break
    _, x, status = min(found, key=lambda each: each[0], default=(0.0, first, status))
    return x, status


def _cones(first: Array, ways: Array, scale: Array, least: Array) -> tuple[Array, Array]:
    """A, b with b − A w in the cones: pseudo-inertias of links, and rest − least, each by its size."""
    triangle, links = triangle_rows(), len(first) - len(least)
    rows, given = [], []
    for k in range(0, links, PER_LINK):
        own = slice(k, k + PER_LINK)
        block = triangle / np.abs(triangle * scale[own]).max()
        rows.append(block @ ways[own])
        given.append(block @ first[own])
    rows.append(ways[links:] / scale[links:, None])
    given.append((first[links:] - least) / scale[links:])
    return -np.concatenate(rows), np.concatenate(given)


def _solved(
    A: Array, bound: Array, cost: Array, unit: float, rest: int, required: tuple[Any, Any]
) -> tuple[Array, str]:
    """w, and the solver's status: steps along ways of large cost are as long as costs the unit."""
    clarabel, sparse = required
    cones = [clarabel.PSDTriangleConeT(4) for _ in range((len(bound) - rest) // PER_LINK)]
    cones += [clarabel.NonnegativeConeT(rest)] if rest else []
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    step = np.minimum(unit / cost, 1.0)
    P = sparse.diags((cost * step / unit) ** 2, format="csc")
    solver = clarabel.DefaultSolver(P, np.zeros(len(cost)), sparse.csc_matrix(A * step), bound, cones, settings)
    solution = solver.solve()
    return step * np.array(solution.x), str(solution.status)


def _cut_off(pi: Array) -> Array:
    """(n, 10) without what the solver's tolerance leaves of negative eigenvalues of pseudo-inertias."""
    values, vectors = np.linalg.eigh(pseudo_inertia(pi))
    J = (vectors * np.maximum(values, 0.0)[:, None, :]) @ vectors.swapaxes(1, 2)
    second, found = J[:, :3, :3], np.empty_like(pi)
    I = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second  # noqa: E741
    found[:, 0], found[:, 1:4] = J[:, 3, 3], J[:, :3, 3]
    found[:, 4:] = np.stack([I[:, i, j] for i, j in MOMENTS], axis=-1)
    return np.where(values[:, :1] < 0.0, found, pi)
