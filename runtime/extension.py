"""A motion carried over by name from one library to a larger one: q and v go on without a jump (§9)."""

from __future__ import annotations

import numpy as np

from .arguments import Array
from .joint_motion import quaternion
from .model import Model


def moved_state(old: Model, new: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """(nq), (nv) of the new model where the old one is at q, v; free joints that are new start from where links are."""
    known = set(old.joint_names)
    q_new, v_new = new.neutral(), np.zeros(new.nv)
    for joint in new.manifest.joints:
        here = new.q_slice(joint.name), new.v_slice(joint.name)
        if joint.name in known:
            q_new[here[0]], v_new[here[1]] = q[old.q_slice(joint.name)], v[old.v_slice(joint.name)]
        else:
            q_new[here[0]], v_new[here[1]] = free_state(old, joint.child, q, v)
    return q_new, v_new


def free_state(model: Model, link: str, q: Array, v: Array) -> tuple[Array, Array]:
    """(7) [x y z qx qy qz qw], (6) velocity in the link's axes of a free joint from world to a link of the model."""
    pose = model.frame_pose(q, link)
    linear, angular = (model.frame_jacobian(q, link) @ v).reshape(2, 3) @ pose[:3, :3]
    return np.concatenate([pose[:3, 3], quaternion(pose[:3, :3])]), np.concatenate([linear, angular])
