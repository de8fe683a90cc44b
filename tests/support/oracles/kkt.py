"""Closed mechanisms by multipliers, from poses and body Jacobians alone: no elimination, no rows of ours.

Unknown are a (nv), the accelerations u̇ of the cut joints and a wrench λ per loop, world axes at the cut joint:

    M a + h = τ − Σ (J_C − J_P)ᵀ λ        (J_C − J_P) a + drift = S u̇ + own drift        Sᵀ λ = 0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.codegen.mechanism import Joint, Mechanism

from .numeric import Array, Motion, Reference, inverse, joint_motion, matrix


@dataclass(frozen=True)
class LoopTerms:
    """One loop at one state, world axes at the cut joint: J (6, nv) of child minus parent, S (6, p), u (p), and
    `drift` (6) with J a = S u̇ + drift."""

    J: Array
    S: Array
    u: Array
    drift: Array
    pose: Array


@dataclass(frozen=True)
class Multipliers:
    """A closed mechanism at a state; `cut` (per loop) the coordinates of the cut joints."""

    mechanism: Mechanism
    q: Array
    v: Array
    cut: Sequence[Array]

    def loops(self) -> list[LoopTerms]:
        motions = Reference(self.mechanism, self.q, self.v).motions()
        index = {body.link.name: body.index for body in self.mechanism.tree.bodies}
        nv = self.mechanism.tree.nv
        world = Motion(np.eye(4), np.zeros((6, nv)), np.zeros(6), np.zeros(3))
        result = []
        for virtual, q_cut in zip(self.mechanism.virtual_links, self.cut, strict=True):
            joint = virtual.joint
            ends = (motions[index[end]] if end in index else world for end in (joint.parent, joint.child))
            result.append(self._terms(joint, *ends, q_cut))
        return result

    def _terms(self, joint: Joint, parent: Motion, child: Motion, q_cut: Array) -> LoopTerms:
        frame = child.pose @ matrix(joint.child_origin)
        turn = np.kron(np.eye(2), frame[:3, :3])
        J_C, drift_C = child.moved(frame[:3, 3])
        J_P, drift_P = parent.moved(frame[:3, 3])
        pose, subspace, _ = joint_motion(joint, q_cut, np.zeros(joint.nv))
        S = turn @ subspace
        u = np.linalg.lstsq(S, (J_C - J_P) @ self.v, rcond=None)[0]
        drift = turn @ joint_motion(joint, q_cut, u)[2]
        own = S @ u
        drift[:3] += np.cross(parent.omega, own[:3]) + np.cross(child.omega, own[:3])
        drift[3:] += np.cross(child.omega, own[3:])
        found = inverse(parent.pose @ matrix(joint.origin)) @ frame
        return LoopTerms(J_C - J_P, S, u, drift - drift_C + drift_P, inverse(pose) @ found)

    def jacobian(self) -> Array:
        """(6L, N_J) [J, −S]: times [v; u] it is zero on the closure."""
        loops = self.loops()
        sizes = [loop.S.shape[1] for loop in loops]
        S = np.zeros((6 * len(loops), sum(sizes)))
        for i, loop in enumerate(loops):
            start = sum(sizes[:i])
            S[6 * i : 6 * i + 6, start : start + sizes[i]] = -loop.S
        return np.hstack([np.vstack([loop.J for loop in loops]), S])

    def null_space(self) -> Array:
        """(N_J, nf) orthonormal: the velocities [v; u] on the closure, by singular values."""
        _, s, Vt = np.linalg.svd(self.jacobian())
        rank = int((s > 1e-9 * s[0]).sum())
        return np.asarray(Vt[rank:].T)

    def forward_dynamics(self, tau: Array) -> Array:
        """(nv) acceleration: least squares, since multipliers of over-constrained loops are not unique."""
        reference, C = Reference(self.mechanism, self.q, self.v), self.jacobian()
        nv = reference.v.size
        n, m = C.shape[1], C.shape[0]
        system, right = np.zeros((n + m, n + m)), np.zeros(n + m)
        system[:nv, :nv] = reference.mass_matrix()
        system[:n, n:], system[n:, :n] = C.T, C
        right[:nv] = tau - reference.bias()
        right[n:] = np.concatenate([loop.drift for loop in self.loops()])
        return np.asarray(np.linalg.lstsq(system, right, rcond=1e-13)[0][:nv])
