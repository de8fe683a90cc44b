"""A motion carried over by name from one library to a larger one: q and v go on without a jump (§9)."""

from __future__ import annotations

import numpy as np

from ..abi import JointSpec
from ..arguments import Array
from ..model.model import Model
from ..names.lookup import named_values
from ..rotations import quaternion
from ..stepping.given.drive import torque_entries


def moved_state(old: Model, new: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """(..., nq), (..., nv) of the new model at the old one's q, v; new free joints start from where links are."""
    known, batch = set(old.joint_names), q.shape[:-1]
    q_new, v_new = np.tile(new.neutral(), (*batch, 1)), np.zeros((*batch, new.nv))
    for joint in new.manifest.joints:
        here = new.q_slice(joint.name), new.v_slice(joint.name)
        if joint.name in known:
            q_new[..., here[0]], v_new[..., here[1]] = q[..., old.q_slice(joint.name)], v[..., old.v_slice(joint.name)]
        else:
            q_new[..., here[0]], v_new[..., here[1]] = free_state(old, joint.child, q, v)
    return q_new, v_new


def free_state(model: Model, link: str, q: Array, v: Array) -> tuple[Array, Array]:
    """(..., 7) [x y z qx qy qz qw], (..., 6) velocity in the link's axes of a free joint from world to a link.

    Of states in the order of time; quaternions go on without a change of sign, the last one has w >= 0.
    """
    pose = model.frame_pose(q, link)
    R = pose[..., :3, :3]
    twist = np.einsum("...ij,...j->...i", model.frame_jacobian(q, link), v)
    own = np.einsum("...ki,...ij->...kj", twist.reshape(*twist.shape[:-1], 2, 3), R)
    turned = quaternion(R.reshape(-1, 3, 3))
    signs = np.where((turned[1:] * turned[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    turned *= np.append(np.cumprod(signs[::-1])[::-1], 1.0)[:, None]
    turned = turned.reshape(*R.shape[:-2], 4)
    return np.concatenate([pose[..., :3, 3], turned], axis=-1), own.reshape(twist.shape)


def moved_turns(old: Model, new: Model, q: Array, turns: Array, fresh: Array) -> Array:
    """Coordinates of the new model's joints that close loops, with the turns made so far: those of the old one where q
    and `turns` have them, others `fresh`."""
    known = {joint.name: _part(joint, q) for joint in old.manifest.joints}
    known |= {joint.name: _part(joint, turns) for joint in old.manifest.loops}
    return np.concatenate([known.get(joint.name, _part(joint, fresh)) for joint in new.manifest.loops])


def _part(joint: JointSpec, q: Array) -> Array:
    return q[joint.q_start : joint.q_start + joint.nq]


def moved_torques(old: Model, new: Model, tau: Array) -> Array:
    """(..., width) torques of the new model's joints, cut ones included, from the old one's, by name."""
    places, known = torque_entries(new.manifest), torque_entries(old.manifest)
    moved = np.zeros((*tau.shape[:-1], max(part.stop for part in places.values())))
    for name in places.keys() & known.keys():
        moved[..., places[name]] = tau[..., known[name]]
    return moved


def moved_parameters(old: Model, new: Model, values: Array) -> Array:
    """Parameters of the new model with the old one's values, by name; others as declared."""
    known = named_values(old.manifest, values)
    return np.array([known.get(spec.name, spec.default) for spec in new.manifest.parameters], dtype=np.float64)
