"""Motions without inertia: velocities along which a mass matrix is singular (§8)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.runtime.errors import ModelError
from kinegen.runtime.kinds import KINDS
from kinegen.runtime.thresholds import INERT, RANK_TOLERANCE

from ..mechanism import checks
from ..mechanism.algebra import cells
from ..mechanism.elements.link import Link
from ..mechanism.mechanism import Mechanism
from ..mechanism.structure.inertness import inert
from ..program.evaluate import numeric
from ..symbolic.functions import derive
from .loops.branches import ROUNDING

ROUNDED = 1e-14  # the same of M, which is singular to rounding if it is
THIN = 1e-12  # part of the largest principal inertia below which a link has none about an axis
LOOKED_AT = 3  # configurations: M may be singular in one of them alone

Array = npt.NDArray[np.float64]


def is_massless(mechanism: Mechanism) -> bool:
    """M of the tree is singular: only the closed mechanism has inertia along all of its motions."""
    if not mechanism.virtual_links:
        return False
    return any(True for _ in inert(mechanism.tree)) or inert_tree_motion(mechanism) is not None


def check_tree_inertia(mechanism: Mechanism) -> None:
    """ModelError if M is singular in every configuration that is looked at; it names joints and links."""
    motion = inert_tree_motion(mechanism)
    if motion is not None:
        raise ModelError(without_inertia(mechanism, motion, "M"))


def inert_tree_motion(mechanism: Mechanism) -> Array | None:
    """(nv) a velocity of the tree that moves nothing with inertia in any configuration that is looked at.

    Several joints may do so together, which no joint tells by itself: a ball between a floating link without mass and
    what it carries. None if there is none, and while parameters have no values.
    """
    nv, nq = mechanism.tree.nv, mechanism.tree.nq
    if nv == 0 or mechanism.parameters or not any(_thin(body.link) for body in mechanism.tree.bodies):
        return None
    torque, rng, motion = numeric(derive(mechanism, "unit_torque")), np.random.default_rng(0), None
    for _ in range(LOOKED_AT):
        q = rng.uniform(0.2, 1.0, nq)
        for body in mechanism.tree.bodies:
            part = KINDS[body.joint.kind].rotation
            if part is not None and body.nq:
                turn = q[body.q_start : body.q_start + body.nq][part]
                turn /= np.linalg.norm(turn)
        M = np.array([torque({"q": q.tolist(), "a": unit, "p": []})["tau"] for unit in np.eye(nv).tolist()])
        motion = inert_motion(np.zeros((1, nv)), 0.5 * (M + M.T), inert=ROUNDED)
        if motion is None:
            return None
    return motion


def _thin(link: Link) -> bool:
    """Whether some motion of the link has no inertia of its own."""
    numbers = checks.constants((link.mass, *cells(link.inertia)))
    if numbers is None:
        return False
    sizes = np.linalg.eigvalsh(np.array(numbers[1:]).reshape(3, 3))
    return numbers[0] == 0 or bool(sizes[0] <= THIN * sizes[-1])


def inert_motion(K: Array, M: Array, tolerance: float = RANK_TOLERANCE, inert: float = INERT) -> Array | None:
    """(nv) a velocity with K v = 0 and no kinetic energy, of largest entry 1; None if every motion has inertia.

    K (rows, nv), M (nv, nv) symmetric and not negative; `tolerance`: singular values of K below this part of the
    largest are zero.
    """
    _, sizes, directions = np.linalg.svd(K)
    rank = int((sizes > max(tolerance * sizes.max(initial=0.0), ROUNDING)).sum())
    W = directions[rank:].T
    if not W.shape[1]:
        return None
    # in units of the inertia that each velocity has by itself, so that metres and radians compare
    scale = np.sqrt(np.diag(M).clip(min=0.0))
    scale = np.where(scale > 0.0, scale, scale.max(initial=0.0) or 1.0)
    basis, _ = np.linalg.qr(W * scale[:, None])
    energy, ways = np.linalg.eigh(basis.T @ (M / np.outer(scale, scale)) @ basis)
    if energy[0] > inert:
        return None
    velocity = basis @ ways[:, 0] / scale
    result: Array = velocity / np.abs(velocity).max()
    return result


def without_inertia(mechanism: Mechanism, motion: Array, matrix: str) -> str:
    """What to say of a velocity (nv) along which `matrix` has no inertia."""
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
        f"the mass matrix {matrix} is singular; give {remedy}, or one of these joints an armature"
    )
