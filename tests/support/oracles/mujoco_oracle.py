"""A Mechanism as an MJCF text, every kind made of hinge, slide and ball, with MuJoCo's answers in kinegen's layout.

With s = MuJoCo's velocities: s = E(q) v and ṡ = E v̇ + Ėv, so M = EᵀM_s E and bias = Eᵀ(bias_s + M_s Ėv). E turns the
linear velocity of planar and free joints (body axes here, parent axes there) and couples what helical joints and mimics
couple. MuJoCo's bodies are the joint frames; it refuses moving bodies without mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

import mujoco
import numpy as np
from numpy.typing import NDArray

from kinegen.codegen.mechanism import Joint, Link, Mechanism

from .numeric import coordinates, inverse, matrix, quaternion_matrix, selection

Array = NDArray[np.float64]


def numbers(values: Array) -> str:
    return " ".join(repr(float(x)) for x in values)


def quaternion_text(rotation: Array) -> str:
    """w x y z of a (3, 3) rotation"""
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, rotation.ravel())
    return numbers(quaternion)


def joint_elements(joint: Joint) -> list[tuple[str, Array]]:
    """(type, axis) of MuJoCo's joints that make this one, in sequence."""
    axis = np.array(joint.axis, dtype=float)
    x, y, z = np.eye(3)
    match joint.kind:
        case "revolute" | "continuous":
            return [("hinge", axis)]
        case "prismatic":
            return [("slide", axis)]
        case "helical" | "cylindrical":
            return [("hinge", axis), ("slide", axis)]
        case "universal":
            return [("hinge", axis), ("hinge", np.array(joint.axis2, dtype=float))]
        case "gimbal":
            return [("hinge", np.array(axis, dtype=float)) for axis in joint.axes]
        case "cartesian":
            return [("slide", np.array(axis, dtype=float)) for axis in joint.axes]
        case "planar":
            return [("slide", x), ("slide", y), ("hinge", z)]
        case "spherical":
            return [("ball", z)]
        case "free":
            return [("slide", x), ("slide", y), ("slide", z), ("ball", z)]
    return []


def positions(joint: Joint, q: Array) -> Array:
    """MuJoCo's qpos of a joint (quaternions w x y z) from kinegen's q (x y z w)."""
    match joint.kind:
        case "helical":
            return np.array([q[0], float(joint.pitch) * q[0]])
        case "planar":
            return np.array([q[0], q[1], np.arctan2(q[3], q[2])])
        case "spherical":
            return q[[3, 0, 1, 2]]
        case "free":
            return q[[0, 1, 2, 6, 3, 4, 5]]
    return q


def velocities(joint: Joint, q: Array, v: Array) -> tuple[Array, Array]:
    """E and Ėv of a joint."""
    if joint.kind == "helical":
        return np.array([[1.0], [float(joint.pitch)]]), np.zeros(2)
    matrix_e, drift = np.eye(len(v)), np.zeros(len(v))
    if joint.kind == "planar":
        c, s = q[2:]
        matrix_e[:2, :2] = [[c, -s], [s, c]]
        drift[:2] = matrix_e[:2, :2] @ np.array([-v[1], v[0]]) * v[2]
    if joint.kind == "free":
        matrix_e[:3, :3] = quaternion_matrix(q[3:])
        drift[:3] = matrix_e[:3, :3] @ np.cross(v[3:], v[:3])
    return matrix_e, drift


def inertial(link: Link, pose: Array) -> str:
    """The link's inertia in its MuJoCo body, where the link stands at `pose`; principal axes by eigenvectors."""
    if not link.mass:
        return ""
    moments, axes = np.linalg.eigh(np.array(link.inertia, dtype=float))
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    com = pose[:3, :3] @ np.array(link.com, dtype=float) + pose[:3, 3]
    turned = quaternion_text(pose[:3, :3] @ axes)
    return f'<inertial pos="{numbers(com)}" quat="{turned}" mass="{link.mass!r}" diaginertia="{numbers(moments)}"/>'


def mjcf(mechanism: Mechanism) -> str:
    """The MJCF text; joints are in the order of `mechanism.tree`."""
    bodies = mechanism.tree.bodies
    back = [inverse(matrix(body.joint.child_origin)) for body in bodies]

    def text(i: int) -> str:
        body = bodies[i]
        pose = (back[body.parent] if body.parent >= 0 else np.eye(4)) @ matrix(body.joint.origin)
        inner = inertial(body.link, back[i])
        for k, (kind, axis) in enumerate(joint_elements(body.joint)):
            inner += f'<joint name={quoteattr(f"{body.joint.name}.{k}")} type="{kind}" axis="{numbers(axis)}"/>'
        inner += "".join(text(k) for k in range(len(bodies)) if bodies[k].parent == i)
        at = f'pos="{numbers(pose[:3, 3])}" quat="{quaternion_text(pose[:3, :3])}"'
        return f"<body name={quoteattr(body.link.name)} {at}>{inner}</body>"

    roots = "".join(text(k) for k in range(len(bodies)) if bodies[k].parent < 0)
    gravity = numbers(np.array(mechanism.gravity, dtype=float))
    return f'<mujoco><compiler angle="radian"/><option gravity="{gravity}"/><worldbody>{roots}</worldbody></mujoco>'


@dataclass(frozen=True)
class MujocoOracle:
    """Answers of MuJoCo in kinegen's layout. `to_mujoco` makes it."""

    mechanism: Mechanism
    model: mujoco.MjModel
    data: mujoco.MjData

    def _set(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Puts the state in; E (n, nv) and Ėv (n)."""
        places, blocks, drifts = [np.zeros(0)], [np.zeros((0, len(v)))], [np.zeros(0)]
        parts = zip(self.mechanism.tree.bodies, coordinates(self.mechanism, q), selection(self.mechanism), strict=True)
        for body, own, rows in parts:
            block, drift = velocities(body.joint, own, rows @ v)
            places.append(positions(body.joint, own))
            blocks.append(block @ rows)
            drifts.append(drift)
        turn, drift = np.vstack(blocks), np.hstack(drifts)
        self.data.qpos[:], self.data.qvel[:] = np.hstack(places), turn @ v
        mujoco.mj_forward(self.model, self.data)
        return turn, drift

    def _mass(self, turn: Array) -> tuple[Array, Array]:
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, full)
        armature = np.zeros((turn.shape[1], turn.shape[1]))
        for body, rows in zip(self.mechanism.tree.bodies, selection(self.mechanism), strict=True):
            rotors = self.mechanism.joint(body.joint.name).armature
            armature += rows.T @ np.diag(np.array(rotors, dtype=float)) @ rows
        return full, turn.T @ full @ turn + armature

    def mass_matrix(self, q: Array) -> Array:
        turn, _ = self._set(q, np.zeros(self.mechanism.tree.nv))
        return self._mass(turn)[1]

    def bias(self, q: Array, v: Array) -> Array:
        turn, drift = self._set(q, v)
        return np.asarray(turn.T @ (self.data.qfrc_bias + self._mass(turn)[0] @ drift))

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """Recursive Newton–Euler by MuJoCo at ṡ = E a + Ėv, plus the rotors, which E keeps in kinegen's velocities."""
        turn, drift = self._set(q, v)
        self.data.qacc[:] = turn @ a + drift
        forces = np.zeros(self.model.nv)
        mujoco.mj_rne(self.model, self.data, 1, forces)
        full, reduced = self._mass(turn)
        return np.asarray(turn.T @ forces + (reduced - turn.T @ full @ turn) @ a)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        return np.asarray(np.linalg.solve(self.mass_matrix(q), tau - self.bias(q, v)))

    def link_poses(self, q: Array) -> Array:
        self._set(q, np.zeros(self.mechanism.tree.nv))
        result = []
        for body in self.mechanism.tree.bodies:
            found, pose = self.data.body(body.link.name), np.eye(4)
            pose[:3, :3], pose[:3, 3] = found.xmat.reshape(3, 3), found.xpos
            result.append(pose @ inverse(matrix(body.joint.child_origin)))
        return np.array(result)


def to_mujoco(mechanism: Mechanism) -> MujocoOracle:
    """The same machine in MuJoCo. Numbers only, no symbols; moving links must have mass."""
    model = mujoco.MjModel.from_xml_string(mjcf(mechanism))
    return MujocoOracle(mechanism, model, mujoco.MjData(model))
