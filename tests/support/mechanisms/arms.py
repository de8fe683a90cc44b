"""Industrial arms by their dimensions, in the convention of Khalil and Kleinfinger [Khalil87]."""

from __future__ import annotations

import math

import numpy as np

from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose

QUARTER = math.pi / 2
PUMA_560 = (
    (0, 0, 0),
    (-QUARTER, 0, 0.2435),
    (0, 0.4318, -0.0934),
    (QUARTER, -0.0203, 0.4331),
    (-QUARTER, 0, 0),
    (QUARTER, 0, 0),
)
STAUBLI_RX90 = (
    (0, 0, 0),
    (QUARTER, 0, 0),
    (0, 0.45, 0),
    (-QUARTER, 0, 0.45),
    (QUARTER, 0, 0),
    (-QUARTER, 0, 0),
)
"""Of each joint: twist about x [rad] and shift along x from the joint before, shift along its own axis z [m]."""


def arm(name: str, rows: tuple[tuple[float, float, float], ...], seed: int = 0) -> Mechanism:
    """Links of eight point masses each, on revolute joints about z."""
    rng, links, joints = np.random.default_rng(seed), [], []
    for k, (alpha, d, r) in enumerate(rows, 1):
        points, masses = rng.uniform(-0.2, 0.2, (8, 3)), rng.uniform(0.1, 0.6, 8)
        com = masses @ points / masses.sum()
        x = points - com
        inertia = np.einsum("k,kij->ij", masses, (x**2).sum(1)[:, None, None] * np.eye(3) - x[:, :, None] * x[:, None])
        links.append(Link(f"link{k}", float(masses.sum()), tuple(com.tolist()), inertia.tolist()))
        turned = Pose((d, 0, 0), (alpha, 0, 0)) * Pose((0, 0, r))
        joints.append(Joint(f"joint{k}", "revolute", "world" if k == 1 else f"link{k - 1}", f"link{k}", turned))
    return Mechanism(name, links, joints)
