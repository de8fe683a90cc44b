"""A dense reference in numpy, straight from mathematics §3: poses, body Jacobians, τ = Gᵀ(M̂q̈ + b̂), M = GᵀM̂G.

No recursion over forces, no composite inertias, no finite differences: nothing that the generated routes are made of.
World axes everywhere; a joint's own motion is in the axes of its frame on the child's side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinegen.codegen.mechanism import Joint, Mechanism, Pose

from .mechanisms import rotation

Array = NDArray[np.float64]


def matrix(pose: Pose) -> Array:
    """(4, 4) homogeneous transform of a numeric pose."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = np.array(pose.rotation, dtype=float), np.array(pose.xyz, dtype=float)
    return result


def inverse(pose: Array) -> Array:
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = pose[:3, :3].T, -pose[:3, :3].T @ pose[:3, 3]
    return result


def skew(vector: Array) -> Array:
    x, y, z = vector
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def quaternion_matrix(quaternion: Array) -> Array:
    """(3, 3) rotation of a unit quaternion x y z w."""
    u, w = quaternion[:3], quaternion[3]
    return np.asarray(np.eye(3) + 2 * w * skew(u) + 2 * skew(u) @ skew(u))


def joint_motion(joint: Joint, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """Pose (4, 4) of the joint, motion subspace S (6, nv) [linear; angular] and Ṡv (6), on the child's side."""
    pose, drift = np.eye(4), np.zeros(6)
    axis = np.array(joint.axis, dtype=float)
    zero = np.zeros(3)
    if joint.kind in ("revolute", "continuous"):
        pose[:3, :3] = rotation(axis, q[0])
        return pose, np.r_[zero, axis][:, None], drift
    if joint.kind == "prismatic":
        pose[:3, 3] = axis * q[0]
        return pose, np.r_[axis, zero][:, None], drift
    if joint.kind == "helical":
        pitch = float(joint.pitch)
        pose[:3, :3], pose[:3, 3] = rotation(axis, q[0]), axis * pitch * q[0]
        return pose, np.r_[pitch * axis, axis][:, None], drift
    if joint.kind == "cylindrical":
        pose[:3, :3], pose[:3, 3] = rotation(axis, q[0]), axis * q[1]
        return pose, np.column_stack([np.r_[zero, axis], np.r_[axis, zero]]), drift
    if joint.kind == "universal":
        axis2 = np.array(joint.axis2, dtype=float)
        second = rotation(axis2, q[1])
        pose[:3, :3] = rotation(axis, q[0]) @ second
        first = second.T @ axis
        drift[3:] = np.cross(first, axis2) * v[0] * v[1]
        return pose, np.column_stack([np.r_[zero, first], np.r_[zero, axis2]]), drift
    if joint.kind == "gimbal":
        a, b, c = (np.array(axis, dtype=float) for axis in joint.axes)
        inner = rotation(c, q[2])
        outer = rotation(b, q[1]) @ inner
        pose[:3, :3] = rotation(a, q[0]) @ outer
        first, second = outer.T @ a, inner.T @ b
        drift[3:] = np.cross(first, second) * v[0] * v[1] + np.cross(first * v[0] + second * v[1], c) * v[2]
        return pose, np.vstack([np.zeros((3, 3)), np.column_stack([first, second, c])]), drift
    if joint.kind == "cartesian":
        axes = np.array(joint.axes, dtype=float).T
        pose[:3, 3] = axes @ q
        return pose, np.vstack([axes, np.zeros((3, 3))]), drift
    if joint.kind == "planar":
        x, y, c, s = q
        pose[:3, :3], pose[:3, 3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]], [x, y, 0]
        return pose, np.eye(6)[:, [0, 1, 5]], drift
    if joint.kind == "spherical":
        pose[:3, :3] = quaternion_matrix(q)
        return pose, np.vstack([np.zeros((3, 3)), np.eye(3)]), drift
    if joint.kind == "free":
        pose[:3, :3], pose[:3, 3] = quaternion_matrix(q[3:]), q[:3]
        return pose, np.eye(6), drift
    return pose, np.zeros((6, 0)), drift


def coordinates(mechanism: Mechanism, q: Array) -> list[Array]:
    """The coordinates of every body's joint; those of a mimic joint follow its leader."""
    result = []
    for body in mechanism.tree.bodies:
        mimic = body.joint.mimic
        if mimic is None:
            result.append(q[body.q_start : body.q_start + body.nq])
        else:
            result.append(mimic.multiplier * q[body.q_start : body.q_start + 1] + mimic.offset)
    return result


def selection(mechanism: Mechanism) -> list[Array]:
    """K_i (nv_i, nv) of every body: v_i = K_i v are the velocities of its joint."""
    result = []
    for body in mechanism.tree.bodies:
        rows = np.zeros((1 if body.joint.mimic else body.nv, mechanism.tree.nv))
        for k in range(len(rows)):
            rows[k, body.v_start + k] = body.joint.mimic.multiplier if body.joint.mimic else 1.0
        result.append(rows)
    return result


@dataclass(frozen=True)
class Motion:
    """Of one body: link pose (4, 4), Jacobian (6, nv) [linear; angular] at the link's origin, and that times v̇ = 0."""

    pose: Array
    jacobian: Array
    drift: Array
    omega: Array

    def moved(self, point: Array) -> tuple[Array, Array]:
        """Jacobian (6, nv) and J̇v (6) of a point that moves with the link, given in world axes and place."""
        r = point - self.pose[:3, 3]
        jacobian, drift = self.jacobian.copy(), self.drift.copy()
        jacobian[:3] -= skew(r) @ self.jacobian[3:]
        drift[:3] += np.cross(self.drift[3:], r) + np.cross(self.omega, np.cross(self.omega, r))
        return jacobian, drift


@dataclass(frozen=True)
class Reference:
    """Every quantity of a mechanism at one state. `q` (nq), `v` (nv) in kinegen's layout."""

    mechanism: Mechanism
    q: Array
    v: Array

    def motions(self) -> list[Motion]:
        nv, result = self.mechanism.tree.nv, list[Motion]()
        world = Motion(np.eye(4), np.zeros((6, nv)), np.zeros(6), np.zeros(3))
        parts = zip(
            self.mechanism.tree.bodies,
            coordinates(self.mechanism, self.q),
            selection(self.mechanism),
            strict=True,
        )
        for body, q, rows in parts:
            parent = result[body.parent] if body.parent >= 0 else world
            result.append(self._step(parent, body.joint, q, rows))
        return result

    def _step(self, parent: Motion, joint: Joint, q: Array, rows: Array) -> Motion:
        local, subspace, drift = joint_motion(joint, q, rows @ self.v)
        frame = parent.pose @ matrix(joint.origin) @ local
        turn = np.kron(np.eye(2), frame[:3, :3])
        carried, carried_drift = parent.moved(frame[:3, 3])
        own = turn @ subspace @ rows
        jacobian = carried + own
        omega, own_v = jacobian[3:] @ self.v, own @ self.v
        # the joint's point slides through the parent (ω_parent × ẋ) along axes that turn with the child (ω × ẋ)
        own_drift = turn @ drift
        own_drift[:3] += np.cross(parent.omega, own_v[:3]) + np.cross(omega, own_v[:3])
        own_drift[3:] += np.cross(omega, own_v[3:])
        at_joint = Motion(frame, jacobian, carried_drift + own_drift, omega)
        pose = frame @ inverse(matrix(joint.child_origin))
        return Motion(pose, *at_joint.moved(pose[:3, 3]), omega)

    def link_poses(self) -> Array:
        """(N, 4, 4)"""
        return np.array([m.pose for m in self.motions()])

    def _at_com(self) -> tuple[list[Array], list[Array], list[Array]]:
        jacobians, drifts, points = [], [], []
        for body, motion in zip(self.mechanism.tree.bodies, self.motions(), strict=True):
            point = motion.pose[:3, :3] @ np.array(body.link.com, dtype=float) + motion.pose[:3, 3]
            jacobian, drift = motion.moved(point)
            jacobians.append(jacobian)
            drifts.append(drift)
            points.append(point)
        return jacobians, drifts, points

    def _inertias(self) -> list[Array]:
        """M̂ (6, 6) of every body, world axes at its COM."""
        result = []
        for body, motion in zip(self.mechanism.tree.bodies, self.motions(), strict=True):
            turn = motion.pose[:3, :3]
            block = np.zeros((6, 6))
            block[:3, :3] = float(body.link.mass) * np.eye(3)
            block[3:, 3:] = turn @ np.array(body.link.inertia, dtype=float) @ turn.T
            result.append(block)
        return result

    @property
    def _mass(self) -> float:
        return float(sum(body.link.mass for body in self.mechanism.tree.bodies))

    def cog_jacobian(self) -> Array:
        """(6N, nv)"""
        return np.vstack(self._at_com()[0])

    def cog_bias(self) -> Array:
        """(6N) Ġv"""
        return np.hstack(self._at_com()[1])

    def frame_jacobian(self, link: int, offset: Array) -> Array:
        """(6, nv) at a point given in the link's axes."""
        motion = self.motions()[link]
        return motion.moved(motion.pose[:3, 3] + motion.pose[:3, :3] @ offset)[0]

    def armature(self) -> Array:
        """(nv, nv) what the rotors add to M: diagonal, for a mimic joint multiplier² on its leader's entry."""
        result = np.zeros((self.mechanism.tree.nv, self.mechanism.tree.nv))
        for body, rows in zip(self.mechanism.tree.bodies, selection(self.mechanism), strict=True):
            rotors = self.mechanism.joint(body.joint.name).armature
            result += rows.T @ np.diag(np.array(rotors, dtype=float)) @ rows
        return result

    def mass_matrix(self) -> Array:
        """(nv, nv) [S (10)]"""
        pairs = zip(self._at_com()[0], self._inertias(), strict=True)
        return np.asarray(sum(j.T @ m @ j for j, m in pairs)) + self.armature()

    def _forces(self, gravity_only: bool = False) -> Array:
        gravity = np.array(self.mechanism.gravity, dtype=float)
        total = np.zeros(self.mechanism.tree.nv)
        for jacobian, drift, inertia in zip(*self._at_com()[:2], self._inertias(), strict=True):
            wrench = -inertia @ np.r_[gravity, np.zeros(3)]
            if not gravity_only:
                omega = jacobian[3:] @ self.v
                wrench = wrench + inertia @ drift + np.r_[np.zeros(3), np.cross(omega, inertia[3:, 3:] @ omega)]
            total += jacobian.T @ wrench
        return total

    def bias(self) -> Array:
        """(nv) [S (9)] with v̇ = 0"""
        return self._forces()

    def gravity(self) -> Array:
        """(nv)"""
        return self._forces(gravity_only=True)

    def inverse_dynamics(self, a: Array) -> Array:
        """(nv)"""
        return self.mass_matrix() @ a + self.bias()

    def forward_dynamics(self, tau: Array, damping: Array | None = None) -> Array:
        """(nv) solves (M + diag damping) a = τ − bias"""
        extra = np.zeros_like(tau) if damping is None else damping
        return np.asarray(np.linalg.solve(self.mass_matrix() + np.diag(extra), tau - self.bias()))

    def com(self) -> Array:
        """(3)"""
        weighted = zip(self.mechanism.tree.bodies, self._at_com()[2], strict=True)
        return np.asarray(sum(float(b.link.mass) * p for b, p in weighted)) / self._mass

    def com_jacobian(self) -> Array:
        """(3, nv)"""
        weighted = zip(self.mechanism.tree.bodies, self._at_com()[0], strict=True)
        return np.asarray(sum(float(b.link.mass) * j[:3] for b, j in weighted)) / self._mass

    def energy(self) -> Array:
        """(2) kinetic (rotors included) and potential, zero at the world's origin"""
        gravity = np.array(self.mechanism.gravity, dtype=float)
        return np.array([self.v @ self.mass_matrix() @ self.v / 2, -self._mass * gravity @ self.com()])

    def centroidal_momentum_matrix(self) -> Array:
        """(6, nv) [linear; angular about the COM]"""
        total, com = np.zeros((6, self.mechanism.tree.nv)), self.com()
        for jacobian, inertia, point in zip(self._at_com()[0], self._inertias(), self._at_com()[2], strict=True):
            part = inertia @ jacobian
            part[3:] += skew(point - com) @ part[:3]
            total += part
        return total

    def momentum(self) -> Array:
        """(6)"""
        return self.centroidal_momentum_matrix() @ self.v


def along(function: Callable[[Array], Array], move: Callable[[float], Array], step: float = 1e-3) -> Array:
    """d/dt function(move(t)) at t = 0 by six-point central differences; the error is of order step⁶."""
    weights = {1: 45 / 60, 2: -9 / 60, 3: 1 / 60}
    total = sum(w * (function(move(k * step)) - function(move(-k * step))) for k, w in weights.items())
    return np.asarray(total) / step


def error(found: Array, expected: Array) -> float:
    """Largest difference relative to the largest expected entry (absolute below one)."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape or not np.all(np.isfinite(found)):
        return np.inf
    if expected.size == 0:
        return 0.0
    return float(np.max(np.abs(found - expected)) / max(1.0, np.max(np.abs(expected))))
