"""Where a wheel touches a plane and how its material slips there, from the poses of both and nothing else.

The circle is o + R (cos u e₁ + sin u e₂) across the axle; its lowest point has u = atan2(−e₂·n, −e₁·n).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinegen.codegen.analysis.loops.assembly import Assembly
from kinegen.codegen.mechanism import Joint, Mechanism
from support.oracles.numeric import Array, Reference, matrix

STEP = 1e-3


def ends(mechanism: Mechanism, q: Array) -> tuple[Array, Array]:
    """(4, 4) poses in world of the frames of the first rolling joint on the ground and on the wheel."""
    joint = mechanism.virtual_links[0].joint
    poses = dict(
        zip(
            (b.link.name for b in mechanism.tree.bodies),
            Reference(mechanism, q, _still(mechanism)).link_poses(),
            strict=True,
        )
    )
    poses["world"] = np.eye(4)
    return poses[joint.parent] @ matrix(joint.origin), poses[joint.child] @ matrix(joint.child_origin)


def state(closing: Assembly, seed: int) -> tuple[Array, Array]:
    """A closed configuration at which no wheel lies flat, and any velocity."""
    rng = np.random.default_rng(seed)
    q, gap = closing.assembled(closing.start(rng, 0.6))
    assert np.abs(gap).max() < 1e-12
    return q, rng.normal(size=closing.mechanism.tree.nv)


def _still(mechanism: Mechanism) -> Array:
    return np.zeros(mechanism.tree.nv)


def contact(joint: Joint, ground: Array, wheel: Array) -> Array:
    """(3) the lowest point of the wheel over the plane, world axes."""
    assert joint.wheel is not None
    axle, n = wheel[:3, :3] @ np.array(joint.wheel.axis, dtype=float), ground[:3, 2]
    e1, e2 = np.linalg.svd(axle[None])[2][1:]
    angle = np.arctan2(-e2 @ n, -e1 @ n)
    rim = wheel[:3, 3] + float(joint.wheel.radius) * (np.cos(angle) * e1 + np.sin(angle) * e2)
    return np.asarray(rim - float(joint.wheel.tyre) * n)


def height(mechanism: Mechanism, q: Array) -> float:
    ground, wheel = ends(mechanism, q)
    point = contact(mechanism.virtual_links[0].joint, ground, wheel)
    return float(ground[:3, 2] @ (point - ground[:3, 3]))


def slip_rows(mechanism: Mechanism, q: Array) -> Array:
    """(3, nv) velocity of the wheel's material at the point of contact against the ground's, axes of the plane."""
    joint = mechanism.virtual_links[0].joint
    ground, wheel = ends(mechanism, q)
    point, nv = contact(joint, ground, wheel), mechanism.tree.nv
    motions = dict(
        zip((b.link.name for b in mechanism.tree.bodies), Reference(mechanism, q, np.zeros(nv)).motions(), strict=True)
    )
    sides = [
        motions[name].moved(point)[0][:3] if name in motions else np.zeros((3, nv))
        for name in (joint.child, joint.parent)
    ]
    return np.asarray(ground[:3, :3].T @ (sides[0] - sides[1]))


def along(value: Callable[[Array], Array], moved: Callable[[Array, Array], Array], q: Array, v: Array) -> Array:
    """d/dt of a function of q along v, to fourth order."""
    one, two = (np.asarray(value(moved(q, h * v)) - value(moved(q, -h * v))) for h in (STEP, 2 * STEP))
    return np.asarray((8.0 * one - two) / (12.0 * STEP))


def accelerations(
    mechanism: Mechanism, moved: Callable[[Array, Array], Array], q: Array, v: Array, tau: Array
) -> Array:
    """(nv) of M a + h = τ + Jᵀλ, J a + J̇v = 0 by one dense solve."""
    reference, J = Reference(mechanism, q, v), slip_rows(mechanism, q)
    drift = along(lambda x: slip_rows(mechanism, x) @ v, moved, q, v)
    dense = np.block([[reference.mass_matrix(), -J.T], [J, np.zeros((3, 3))]])
    return np.asarray(np.linalg.solve(dense, np.r_[tau - reference.bias(), -drift])[: len(v)])
