"""Converters between q, v of kinegen and the layouts of MuJoCo, Drake and Pinocchio's continuous joints.

kinegen (as Pinocchio): quaternions [x y z w]; free joint q = [x y z | qx qy qz qw], v = [linear | angular] in the body
frame; spherical joint v = angular velocity in the child frame; planar joint q = [x y cos sin], v = [vx vy w] in the
child frame. The joints' order is kept: depth first, siblings as listed. All arrays may carry leading batch axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..abi import JointSpec
from ..arguments import Array, as_array
from ..errors import ModelError
from ..kinds import KINDS
from ..typed import typed
from .batch_axes import tells_batches
from .model import Model

_Convert = Callable[[Array, Array], tuple[Array, Array]]


@dataclass(frozen=True)
class _Layout:
    """How one kind of joint looks elsewhere: its sizes there, and the way there and back."""

    nq: int
    nv: int
    to: _Convert
    back: _Convert


@typed
@tells_batches("q", "v")
def to_mujoco(model: Model, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    """(q, v) -> (qpos, qvel) of MuJoCo.

    Quaternions [w x y z]; free joint qpos = [x y z | qw qx qy qz], qvel = [linear, world axes | angular, body axes];
    ball joint qvel in body axes; planar joint as two slides and a hinge, qpos = [x y angle], qvel in the parent's axes.
    """
    return _convert(model, _MUJOCO, q, v)


@typed
@tells_batches("qpos", "qvel")
def from_mujoco(model: Model, qpos: ArrayLike, qvel: ArrayLike) -> tuple[Array, Array]:
    """(qpos, qvel) of MuJoCo -> (q, v): inverse of `to_mujoco`, quaternions [w x y z] -> [x y z w]."""
    return _convert_back(model, _MUJOCO, qpos, qvel, ("qpos", "qvel"))


@typed
@tells_batches("q", "v")
def to_drake(model: Model, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    """(q, v) -> positions and velocities of Drake.

    Floating body: positions = [qw qx qy qz | x y z], velocities = [angular | linear] in world axes; planar joint
    positions = [x y angle], velocities in the parent's axes. ModelError for spherical joints: Drake's have angles.
    """
    return _convert(model, _DRAKE, q, v)


@typed
@tells_batches("positions", "velocities")
def from_drake(model: Model, positions: ArrayLike, velocities: ArrayLike) -> tuple[Array, Array]:
    """Positions and velocities of Drake -> (q, v): inverse of `to_drake`, quaternions [w x y z] -> [x y z w]."""
    return _convert_back(model, _DRAKE, positions, velocities, ("positions", "velocities"))


@typed
def to_pinocchio(model: Model, q: ArrayLike) -> Array:
    """(..., nq) q -> q of a Pinocchio model read from URDF: the angle of a continuous joint becomes [cos sin].

    Everything else, v included, is the same there. Quaternions [x y z w].
    """
    q = as_array("q", q, (model.nq,))
    return _convert(model, _PINOCCHIO, q, np.zeros((*q.shape[:-1], model.nv)))[0]


@typed
def from_pinocchio(model: Model, q: ArrayLike) -> Array:
    """Inverse of `to_pinocchio`; the angle of a continuous joint comes out in (-pi, pi]. Quaternions [x y z w]."""
    sizes = [_layout(_PINOCCHIO, joint).nq for joint in _moving(model)]
    q = as_array("q", q, (sum(sizes),))
    return _convert_back(model, _PINOCCHIO, q, np.zeros((*q.shape[:-1], model.nv)), ("q", "v"))[0]


def _convert(model: Model, layouts: dict[str, _Layout], q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    q, v = _together(as_array("q", q, (model.nq,)), as_array("v", v, (model.nv,)))
    parts = [
        _layout(layouts, joint).to(
            q[..., joint.q_start : joint.q_start + joint.nq], v[..., joint.v_start : joint.v_start + joint.nv]
        )
        for joint in _moving(model)
    ]
    return _joined(parts, q.shape[:-1])


def _convert_back(
    model: Model, layouts: dict[str, _Layout], q: ArrayLike, v: ArrayLike, names: tuple[str, str]
) -> tuple[Array, Array]:
    rows = [_layout(layouts, joint) for joint in _moving(model)]
    nq, nv = sum(row.nq for row in rows), sum(row.nv for row in rows)
    q, v = _together(as_array(names[0], q, (nq,)), as_array(names[1], v, (nv,)))
    parts, at_q, at_v = [], 0, 0
    for row in rows:
        parts.append(row.back(q[..., at_q : at_q + row.nq], v[..., at_v : at_v + row.nv]))
        at_q, at_v = at_q + row.nq, at_v + row.nv
    return _joined(parts, q.shape[:-1])


def _moving(model: Model) -> list[JointSpec]:
    return [joint for joint in model.manifest.joints if joint.nv > 0]


def _layout(layouts: dict[str, _Layout], joint: JointSpec) -> _Layout:
    kind = KINDS[joint.kind]
    if kind.group == "so3" and layouts is _DRAKE:
        why = "Drake gives ball joints roll, pitch, yaw, no quaternion"
        raise ModelError(f"joint '{joint.name}' is {kind.name}: {why}")
    key = "unlimited" if kind.unlimited else kind.group
    return layouts.get(key) or _Layout(joint.nq, joint.nv, _same, _same)


def _together(q: Array, v: Array) -> tuple[Array, Array]:
    """Both with the same batch axes."""
    batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    return np.broadcast_to(q, (*batch, q.shape[-1])), np.broadcast_to(v, (*batch, v.shape[-1]))


def _joined(parts: list[tuple[Array, Array]], batch: tuple[int, ...]) -> tuple[Array, Array]:
    none = np.empty((*batch, 0))
    return (
        np.concatenate([none, *(part[0] for part in parts)], axis=-1),
        np.concatenate([none, *(part[1] for part in parts)], axis=-1),
    )


def _row(*arrays: Array) -> Array:
    return np.concatenate(arrays, axis=-1)


def _turn(quaternion: Array, vector: Array, sign: float = 1.0) -> Array:
    """R(quaternion [x y z w]) vector, or its inverse for sign -1."""
    first = np.cross(quaternion[..., :3], vector)
    turned: Array = vector + 2.0 * (sign * quaternion[..., 3:] * first + np.cross(quaternion[..., :3], first))
    return turned


def _turn_flat(pair: Array, v: Array, sign: float = 1.0) -> Array:
    """Planar velocity [vx vy w] turned by [cos sin], or back for sign -1."""
    c, s = pair[..., :1], sign * pair[..., 1:]
    x, y = v[..., :1], v[..., 1:2]
    return _row(c * x - s * y, s * x + c * y, v[..., 2:])


def _xyzw(quaternion: Array) -> Array:
    return np.roll(quaternion, -1, axis=-1)


def _wxyz(quaternion: Array) -> Array:
    return np.roll(quaternion, 1, axis=-1)


def _pair(angle: Array) -> Array:
    return _row(np.cos(angle), np.sin(angle))


def _angle(pair: Array) -> Array:
    return np.arctan2(pair[..., 1:], pair[..., :1])


def _same(q: Array, v: Array) -> tuple[Array, Array]:
    return q, v


def _free_to_mujoco(q: Array, v: Array) -> tuple[Array, Array]:
    return _row(q[..., :3], _wxyz(q[..., 3:])), _row(_turn(q[..., 3:], v[..., :3]), v[..., 3:])


def _free_from_mujoco(q: Array, v: Array) -> tuple[Array, Array]:
    quaternion = _xyzw(q[..., 3:])
    return _row(q[..., :3], quaternion), _row(_turn(quaternion, v[..., :3], -1.0), v[..., 3:])


def _free_to_drake(q: Array, v: Array) -> tuple[Array, Array]:
    quaternion = q[..., 3:]
    return _row(_wxyz(quaternion), q[..., :3]), _row(_turn(quaternion, v[..., 3:]), _turn(quaternion, v[..., :3]))


def _free_from_drake(q: Array, v: Array) -> tuple[Array, Array]:
    quaternion = _xyzw(q[..., :4])
    return _row(q[..., 4:], quaternion), _row(_turn(quaternion, v[..., 3:], -1.0), _turn(quaternion, v[..., :3], -1.0))


def _planar_to_angle(q: Array, v: Array) -> tuple[Array, Array]:
    return _row(q[..., :2], _angle(q[..., 2:])), _turn_flat(q[..., 2:], v)


def _planar_from_angle(q: Array, v: Array) -> tuple[Array, Array]:
    pair = _pair(q[..., 2:])
    return _row(q[..., :2], pair), _turn_flat(pair, v, -1.0)


_PLANAR = _Layout(3, 3, _planar_to_angle, _planar_from_angle)
# by the group that a kind moves in; what adds is the same everywhere, but for the angles of unlimited joints
_MUJOCO = {
    "se3": _Layout(7, 6, _free_to_mujoco, _free_from_mujoco),
    "so3": _Layout(4, 3, lambda q, v: (_wxyz(q), v), lambda q, v: (_xyzw(q), v)),
    "se2": _PLANAR,
}
_DRAKE = {"se3": _Layout(7, 6, _free_to_drake, _free_from_drake), "se2": _PLANAR}
_PINOCCHIO = {"unlimited": _Layout(2, 1, lambda q, v: (_pair(q), v), lambda q, v: (_angle(q), v))}
