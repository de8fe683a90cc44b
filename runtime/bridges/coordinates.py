"""From the tangent space of q (nv) to the numbers of q (nq) and back: planar, ball, free joints (mathematics §14)."""

from __future__ import annotations

import numpy as np

from ..abi import JointSpec, Manifest
from ..arguments import Array
from ..kinds import KINDS
from ..rotations import rotation


def plain(manifest: Manifest) -> bool:
    """Whether all coordinates add, so that q̇ = v."""
    return not any(KINDS[joint.kind].group for joint in manifest.joints if joint.nv)


def rates_of_q(manifest: Manifest, q: Array) -> Array:
    """(..., nq, nv) E of q̇ = E v: the rate of the numbers of q along `integrate`."""
    E = np.zeros((*q.shape[:-1], manifest.nq, manifest.nv))
    for joint in manifest.joints:
        if joint.nv:
            rows, columns = _entries(joint.q_start, joint.nq), _entries(joint.v_start, joint.nv)
            E[..., rows[:, None], columns[None, :]] = _block(KINDS[joint.kind].group, q[..., rows], joint.nv)
    return E


def motion_of_q(manifest: Manifest, q: Array) -> Array:
    """(..., nv, nq) E⁺ with E⁺ E = 1: how q moves on the tangent space, per its numbers.

    A change of a quaternion's length, or that of [cos sin], moves nothing: E⁺ is the derivative at q of what is done
    after numbers are brought to unit norm.
    """
    found = np.zeros((*q.shape[:-1], manifest.nv, manifest.nq))
    for joint in manifest.joints:
        if joint.nv:
            rows, columns = _entries(joint.v_start, joint.nv), _entries(joint.q_start, joint.nq)
            found[..., rows[:, None], columns[None, :]] = motion_of_joint(joint, q[..., columns])
    return found


def motion_of_joint(joint: JointSpec, q: Array) -> Array:
    """(..., nv, nq) of one joint, per its numbers q, which need not be of unit norm: E⁺(q/|q|)/|q| of a rotation's."""
    kind = KINDS[joint.kind]
    if not kind.rotation:
        return np.broadcast_to(np.eye(joint.nv), (*q.shape[:-1], joint.nv, joint.nv))
    turn, size = slice(kind.rotation.start, kind.rotation.stop), kind.rotation.stop - kind.rotation.start
    shrink = np.ones_like(q)
    shrink[..., turn] = 1.0 / np.linalg.norm(q[..., turn], axis=-1, keepdims=True)
    found = np.swapaxes(_block(kind.group, q * shrink, joint.nv), -1, -2) * shrink[..., None, :]
    if size == 4:  # columns of ½ L(q) are half a unit long
        found[..., turn] *= 4.0
    return found


def _entries(start: int, size: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.arange(start, start + size)


def _block(group: str, q: Array, nv: int) -> Array:
    """(..., nq, nv) of one joint."""
    match group:
        case "so3":
            return _half_product(q)
        case "se3":
            block = np.zeros((*q.shape[:-1], 7, 6))
            block[..., :3, :3], block[..., 3:, 3:] = rotation(q[..., 3:]), _half_product(q[..., 3:])
            return block
        case "se2":
            c, s = q[..., 2], q[..., 3]
            block = np.zeros((*q.shape[:-1], 4, 3))
            block[..., 0, 0], block[..., 0, 1], block[..., 1, 0], block[..., 1, 1] = c, -s, s, c
            block[..., 2, 2], block[..., 3, 2] = -s, c
            return block
    return np.eye(nv)


def _half_product(q: Array) -> Array:
    """(..., 4, 3) ½ q ⊗ [ω 0] per ω, q = [x y z w]."""
    x, y, z, w = np.moveaxis(q, -1, 0)
    rows = ((w, -z, y), (z, w, -x), (-y, x, w), (-x, -y, -z))
    return 0.5 * np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
