"""What contacts must satisfy: speeds along their axes before and after a step, axes that rest."""

from __future__ import annotations

import numpy as np

from kinegen.runtime import ContactOptions, Contacts, Model

FINE = ContactOptions(tolerance=1e-11, sweeps=20000)


def along(c: Contacts) -> np.ndarray:
    """(3k) forces along the rows of J."""
    found = []
    for normal, force in zip(c.normals, c.forces, strict=True):
        basis, _ = np.linalg.qr(np.column_stack([normal, np.eye(3)]))
        found.append(np.vstack([normal, basis[:, 1:3].T]) @ force)
    return np.concatenate(found)


def resting_axes(model: Model, q: np.ndarray, q_after: np.ndarray, v_after: np.ndarray) -> np.ndarray:
    """v after the step, the origin's velocity of free bodies along the axes that they had before."""
    v = v_after.copy()
    before, after = model.link_poses(q), model.link_poses(q_after)
    for j in model.manifest.joints:
        if j.kind == "free":
            link = model.link_names.index(j.child)
            turn = before[link, :3, :3].T @ after[link, :3, :3]
            v[j.v_start : j.v_start + 3] = turn @ v[j.v_start : j.v_start + 3]
    return v
