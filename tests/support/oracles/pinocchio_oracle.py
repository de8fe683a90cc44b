"""A Mechanism as a Pinocchio model, built joint by joint, with its answers in kinegen's layout.

What differs and is converted: joints of several axes are chains with nothing between; a mimic joint
is an independent one whose equations are reduced by K (v_pin = K v); Pinocchio forgets what is welded to the world.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from kinegen.codegen.mechanism import Joint, Mechanism

from .numeric import coordinates, inverse, matrix, selection, skew

Array = NDArray[np.float64]


def se3(transform: Array) -> pin.SE3:
    return pin.SE3(transform[:3, :3], transform[:3, 3])


def joint_models(joint: Joint) -> list[pin.JointModel]:
    """Pinocchio's joints, in sequence and without offset between them, none for a fixed one."""
    axis, axis2 = np.array(joint.axis, dtype=float), np.array(joint.axis2, dtype=float)
    match joint.kind:
        case "revolute" | "continuous":
            return [pin.JointModelRevoluteUnaligned(axis)]
        case "prismatic":
            return [pin.JointModelPrismaticUnaligned(axis)]
        case "helical":
            return [pin.JointModelHelicalUnaligned(*axis, float(joint.pitch))]
        case "cylindrical":
            return [pin.JointModelRevoluteUnaligned(axis), pin.JointModelPrismaticUnaligned(axis)]
        case "universal":
            return [pin.JointModelUniversal(axis, axis2)]
        case "gimbal":
            return [pin.JointModelRevoluteUnaligned(np.array(axis, dtype=float)) for axis in joint.axes]
        case "cartesian":
            return [pin.JointModelPrismaticUnaligned(np.array(axis, dtype=float)) for axis in joint.axes]
        case "spherical":
            return [pin.JointModelSpherical()]
        case "free":
            return [pin.JointModelFreeFlyer()]
        case "planar":
            return [pin.JointModelPlanar()]
    return []


@dataclass(frozen=True)
class Placed:
    """Where a link of ours is in Pinocchio: its joint, its pose there."""

    joint: int
    pose: Array


@dataclass(frozen=True)
class PinocchioOracle:
    """Answers of Pinocchio in kinegen's layout. `to_pinocchio` makes it."""

    mechanism: Mechanism
    model: pin.Model
    data: pin.Data
    links: tuple[Placed, ...]
    reduction: Array

    def q(self, q: Array) -> Array:
        """(model.nq): the same numbers, those of mimic joints put in."""
        return np.hstack([np.zeros(0), *coordinates(self.mechanism, q)])

    def mass_matrix(self, q: Array) -> Array:
        full = pin.crba(self.model, self.data, self.q(q))
        full = np.reshape(full, (self.model.nv, self.model.nv))
        full = np.triu(full) + np.triu(full, 1).T
        return np.asarray(self.reduction.T @ full @ self.reduction)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        k = self.reduction
        return np.asarray(k.T @ pin.rnea(self.model, self.data, self.q(q), k @ v, k @ a))

    def bias(self, q: Array, v: Array) -> Array:
        return self.inverse_dynamics(q, v, np.zeros_like(v))

    def gravity(self, q: Array) -> Array:
        return self.bias(q, np.zeros(self.mechanism.tree.nv))

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """Articulated bodies where no joint mimics another, a dense solve where one does."""
        if self.model.nv == self.mechanism.tree.nv:
            return np.asarray(pin.aba(self.model, self.data, self.q(q), v, tau)).copy()
        return np.asarray(np.linalg.solve(self.mass_matrix(q), tau - self.bias(q, v)))

    def link_poses(self, q: Array) -> Array:
        pin.forwardKinematics(self.model, self.data, self.q(q))
        return np.array([self.data.oMi[link.joint].homogeneous @ link.pose for link in self.links])

    def frame_jacobian(self, q: Array, link: int, offset: Array) -> Array:
        pose, joint = self.link_poses(q)[link], self.links[link].joint
        pin.computeJointJacobians(self.model, self.data, self.q(q))
        if joint == 0:
            return np.zeros((6, self.mechanism.tree.nv))
        full = pin.getJointJacobian(self.model, self.data, joint, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        full = np.reshape(full, (6, self.model.nv))  # eigenpy hands out (6,) for one column
        r = pose[:3, 3] + pose[:3, :3] @ offset - self.data.oMi[joint].translation
        full = np.vstack([full[:3] - skew(r) @ full[3:], full[3:]])
        return np.asarray(full @ self.reduction)

    def cog_jacobian(self, q: Array) -> Array:
        coms = [np.array(body.link.com, dtype=float) for body in self.mechanism.tree.bodies]
        return np.vstack([self.frame_jacobian(q, i, c) for i, c in enumerate(coms)])

    def cog_bias(self, q: Array, v: Array) -> Array:
        k, result = self.reduction, []
        pin.forwardKinematics(self.model, self.data, self.q(q), k @ v, np.zeros(self.model.nv))
        for body, link in zip(self.mechanism.tree.bodies, self.links, strict=True):
            velocity, acceleration = self.data.v[link.joint], self.data.a[link.joint]
            r = link.pose[:3, :3] @ np.array(body.link.com, dtype=float) + link.pose[:3, 3]
            omega, alpha = velocity.angular, acceleration.angular
            at_com = acceleration.linear + np.cross(alpha, r)
            at_com = at_com + np.cross(omega, velocity.linear + np.cross(omega, r))
            turn = self.data.oMi[link.joint].rotation
            result += [turn @ at_com, turn @ alpha]
        return np.hstack(result)

    def com(self, q: Array) -> Array:
        return np.asarray(pin.centerOfMass(self.model, self.data, self.q(q))).copy()

    def com_jacobian(self, q: Array) -> Array:
        full = pin.jacobianCenterOfMass(self.model, self.data, self.q(q))
        return np.asarray(np.reshape(full, (3, self.model.nv)) @ self.reduction)

    def energy(self, q: Array, v: Array) -> Array:
        """Rotors are added here: Pinocchio 4.1 counts those of some kinds of joint and not of others."""
        full, speeds, bare = self.q(q), self.reduction @ v, self.model.copy()
        bare.armature = np.zeros(bare.nv)
        kinetic = pin.computeKineticEnergy(bare, bare.createData(), full, speeds)
        kinetic += speeds @ (self.model.armature * speeds) / 2
        return np.array([kinetic, pin.computePotentialEnergy(self.model, self.data, full)])

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        speeds = np.zeros(self.model.nv)
        pin.ccrba(self.model, self.data, self.q(q), speeds)
        return np.asarray(np.reshape(self.data.Ag, (6, self.model.nv)) @ self.reduction)

    def momentum(self, q: Array, v: Array) -> Array:
        pin.computeCentroidalMomentum(self.model, self.data, self.q(q), self.reduction @ v)
        return np.asarray(self.data.hg.vector).copy()

    def momentum_rate(self, q: Array, v: Array, a: Array) -> Array:
        speeds, rates = self.reduction @ v, self.reduction @ a
        pin.computeCentroidalMomentumTimeVariation(self.model, self.data, self.q(q), speeds, rates)
        return np.asarray(self.data.dhg.vector).copy()

    def integrate(self, q: Array, step: Array) -> Array:
        return np.asarray(pin.integrate(self.model, self.q(q), self.reduction @ step))

    def difference(self, q0: Array, q1: Array) -> Array:
        return np.asarray(pin.difference(self.model, self.q(q0), self.q(q1)))


def to_pinocchio(mechanism: Mechanism) -> PinocchioOracle:
    """The same machine in Pinocchio, bodies in the order of `mechanism.tree`. Numbers only, no symbols."""
    model = pin.Model()
    model.gravity.linear = np.array(mechanism.gravity, dtype=float)
    links: list[Placed] = []
    armatures: list[float] = []
    for body in mechanism.tree.bodies:
        joint, parent = body.joint, links[body.parent] if body.parent >= 0 else Placed(0, np.eye(4))
        at, number = parent.pose @ matrix(joint.origin), parent.joint
        for k, piece in enumerate(joint_models(joint)):
            number = model.addJoint(number, piece, se3(at), f"{joint.name}.{k}")
            at = np.eye(4)
        link = Placed(number, at @ inverse(matrix(joint.child_origin)))
        if body.link.mass:
            com, inertia = (np.array(x, dtype=float) for x in (body.link.com, body.link.inertia))
            model.appendBodyToJoint(number, pin.Inertia(float(body.link.mass), com, inertia), se3(link.pose))
        links.append(link)
        armatures += [float(x) for x in mechanism.joint(joint.name).armature]
    model.armature = np.array(armatures)
    reduction = np.vstack([np.zeros((0, mechanism.tree.nv)), *selection(mechanism)])
    return PinocchioOracle(mechanism, model, model.createData(), tuple(links), reduction)
