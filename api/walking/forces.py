"""What floor and motors give in a planned walk: the floor's forces shared between the feet, and the joints' torques."""

from __future__ import annotations

import numpy as np

from kinegen.runtime.arguments import Array
from kinegen.runtime.model.model import Model
from kinegen.runtime.rotations import skew
from kinegen.runtime.walking.zmp import external_wrench

from .biped import Biped
from .motion import JointMotion
from .plan import Plan


def walking_torques(model: Model, robot: Biped, wanted: Plan, moved: JointMotion) -> tuple[Array, Array]:
    """(n, nv) torques beside springs, dampers and friction of the joints, none at the free joint; (n, 2, 6) of the
    floor: [force; moment about the sole's centre].

    Both wrenches w together are what the motion takes, W = Σ X w. Of all that are the least Σ |w|²/share is taken,
    w = share Xᵀ (Σ share X Xᵀ)⁻¹ W, where the ZMP on the line between the soles tells the shares of the weight.
    """
    q, v, n = moved.q, moved.v, len(moved.q)
    a = np.gradient(v, wanted.dt, axis=0)
    shares, centres = _shares(wanted), wanted.soles[..., :3]
    X = np.broadcast_to(np.eye(6), (n, 2, 6, 6)).copy()
    X[..., 3:, :3] = skew(centres)
    whole = np.einsum("ns,nsij,nskj->nik", shares, X, X)
    even = np.linalg.solve(whole, external_wrench(model, q, v, a)[..., None])[..., 0]
    floor = shares[..., None] * np.einsum("nsij,ni->nsj", X, even)
    tau = model.inverse_dynamics(q, v, a) - model.passive_forces(q, v)
    for side, sole in enumerate(robot.soles):
        arm = centres[:, side] - model.frame_pose(q, sole.link)[:, :3, 3]
        force, moment = floor[:, side, :3], floor[:, side, 3:]
        at_link = np.hstack([force, moment + np.cross(arm, force)])
        tau -= np.einsum("nij,ni->nj", model.frame_jacobian(q, sole.link), at_link)
    tau[:, model.v_slice(robot.root)] = 0.0
    return tau, floor


def _shares(wanted: Plan) -> Array:
    """(n, 2) of the weight on the left and the right foot: 0 for one in the air."""
    feet = wanted.soles[..., :2]
    across = feet[:, 0] - feet[:, 1]
    left = np.einsum("ni,ni->n", wanted.zmp - feet[:, 1], across) / np.einsum("ni,ni->n", across, across)
    for phase in wanted.phases:
        if phase.swings is not None:
            left[phase.first : phase.last] = float(phase.swings == 1)
    left = np.clip(left, 0.0, 1.0)
    return np.stack([left, 1.0 - left], axis=1)
