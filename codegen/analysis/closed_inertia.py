"""Whether a closed mechanism has inertia along all of its motions where its tree has not (massless couplers; §8)."""

from __future__ import annotations

from itertools import islice

import numpy as np
import numpy.typing as npt

from kinegen.runtime.errors import ModelError

from ..mechanism.mechanism import Mechanism
from ..program.evaluate import numeric
from ..symbolic.functions import derive
from .partition import closed_configurations

Array = npt.NDArray[np.float64]

LOOKED_AT = 4  # closed configurations: A may be singular in one of them alone
RANK_TOLERANCE = 1e-5  # singular values of K below this part of the largest are zero
SINGULAR = 1e-12  # smallest eigenvalue of A, scaled to ones on its diagonal, that counts as inertia


def check_closed_inertia(mechanism: Mechanism) -> None:
    """ModelError if A = WᵀMW is singular in every closed configuration that is looked at.

    It names the joints that move together without inertia, and the links without mass that they move.
    """
    rows, masses = numeric(derive(mechanism, "closure_rows")), numeric(derive(mechanism, "mass_matrix_composite"))
    motion: Array | None = None
    for q in islice(closed_configurations(mechanism), LOOKED_AT):
        at = {"q": q.tolist(), "p": []}
        motion = inert_motion(rows(at)["K"], masses(at)["M"])
        if motion is None:
            return
    if motion is not None:
        raise ModelError(_message(mechanism, motion))


def inert_motion(K: Array, M: Array) -> Array | None:
    """(nv) a velocity with K v = 0 and no kinetic energy, of largest entry 1; None if every motion has inertia.

    K (rows, nv), M (nv, nv) symmetric and not negative.
    """
    _, sizes, directions = np.linalg.svd(K)
    rank = int((sizes > RANK_TOLERANCE * sizes.max(initial=0.0)).sum())
    W = directions[rank:].T
    if not W.shape[1]:
        return None
    # in units of the inertia that each velocity has by itself, so that metres and radians compare
    scale = np.sqrt(np.diag(M).clip(min=0.0))
    scale = np.where(scale > 0.0, scale, scale.max(initial=0.0) or 1.0)
    basis, _ = np.linalg.qr(W * scale[:, None])
    energy, ways = np.linalg.eigh(basis.T @ (M / np.outer(scale, scale)) @ basis)
    if energy[0] > SINGULAR:
        return None
    velocity = basis @ ways[:, 0] / scale
    result: Array = velocity / np.abs(velocity).max()
    return result


def _message(mechanism: Mechanism, motion: Array) -> str:
    moving = [
        body
        for body in mechanism.tree.bodies
        if body.nv and np.abs(motion[body.v_start : body.v_start + body.nv]).max() > 1e-6
    ]
    joints = ", ".join(f"'{body.joint.name}'" for body in moving)
    links = ", ".join(f"'{body.link.name}'" for body in moving if body.link.massless)
    remedy = f"one of the links {links} mass and inertia" if links else "a link that they move mass and inertia"
    return (
        f"mechanism '{mechanism.name}': joints {joints} can move together without moving anything that has inertia, so "
        f"the mass matrix A = W'MW of the closed mechanism is singular; give {remedy}, or one of these joints an "
        "armature"
    )
