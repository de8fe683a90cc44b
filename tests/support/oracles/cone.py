"""Contact of one step, solved exactly: rows from public kernels, Coulomb's law as second-order cones (Clarabel).

Coulomb's law is not the minimum of anything by itself; with the normal velocity enlarged by μ |slip| [DeSaxce98] it is,
and the slip is found by fixed point.
"""

from __future__ import annotations

from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from kinegen.runtime import Model

Array = Any


def rows(model: Model, q: Array, links: Any, points: Array, normals: Array) -> Array:
    """(3k, nv) velocity of the second link against the first at each point: along the normal and two tangents."""
    found = []
    poses = model.link_poses(q)
    for (first, second), point, normal in zip(links, points, normals, strict=True):
        J = np.zeros((3, model.nv))
        for link, sign in ((first, -1.0), (second, 1.0)):
            if link != "world":
                own = model.frame_jacobian(q, link)
                arm = point - poses[model.link_names.index(link)][:3, 3]
                J += sign * (own[:3] - np.cross(arm, own[3:].T).T)
        basis, _ = np.linalg.qr(np.column_stack([normal, np.eye(3)]))
        found.append(np.vstack([normal, basis[:, 1:3].T]) @ J)
    return np.concatenate(found)


def unforced(model: Model, q: Array, v: Array, tau: Array, dt: float) -> Array:
    """(nv) velocity after a step of free bodies without contact, along the axes of q."""
    after = v + dt * model.forward_dynamics(q, v, tau)
    for joint in model.manifest.joints:
        if joint.kind == "free":
            k = joint.v_start
            after[k : k + 3] += dt * np.cross(v[k + 3 : k + 6], v[k : k + 3])
    return after


def exact(K: Array, b: Array, gap_speed: Array, friction: Array, rounds: int = 60) -> tuple[Array, Array]:
    """Impulses (3k) and velocities K f + b of k points: normal impulse and velocity + gap_speed complementary."""
    k = len(friction)
    scale = np.ones(3 * k)
    scale[0::3] = friction  # |f_t| <= μ f_n as a standard cone
    A = sparse.csc_matrix(-np.diag(scale))
    cones = [clarabel.SecondOrderConeT(3)] * k
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    slip = np.zeros(k)
    for _ in range(rounds):
        linear = b.copy()
        linear[0::3] += gap_speed + friction * slip
        solver = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(K)), linear, A, np.zeros(3 * k), cones, settings)
        f = np.array(solver.solve().x)
        v = K @ f + b
        new = np.hypot(v[1::3], v[2::3])
        if np.abs(new - slip).max() < 1e-9:
            break
        slip = new
    return f, v
