"""Converters to the layouts of MuJoCo, Drake and Pinocchio: round trips, batches, those systems' own answers."""

from __future__ import annotations

from functools import cache

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import kinegen as kg
from kinegen.codegen.mechanism import KINDS as RECORDS
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Pose
from kinegen.runtime import Model
from kinegen.runtime.errors import ModelError
from kinegen.runtime.model import layouts

INERTIA = (0.2, 0.0, 0.0, 0.3, 0.0, 0.4)
KINDS = ("free", "spherical", "continuous", "planar", "prismatic")
KINDS += tuple(name for name, kind in RECORDS.items() if len(kind.axes) > 1)


@cache
def model(kinds: tuple[str, ...] = KINDS) -> Model:
    links = [Link(f"l{i}", 1.0, (0.1, 0.2, 0.3), INERTIA) for i in range(len(kinds))]
    joints = [
        Joint(f"j{i}", kind, f"l{i - 1}" if i else "world", f"l{i}", Pose((0.1, 0.2, 0.3)))
        for i, kind in enumerate(kinds)
    ]
    return kg.compile(Mechanism("layouts", links, joints))


def state(kinds: tuple[str, ...] = KINDS, size: tuple[int, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    return model(kinds).random(rng, size=size), rng.normal(size=(*size, model(kinds).nv))


def mujoco_model() -> mujoco.MjModel:
    inertial = '<inertial pos=".1 .2 .3" mass="1" diaginertia=".2 .3 .4"/>'
    joints = {
        "free": "<freejoint/>",
        "spherical": '<joint type="ball"/>',
        "continuous": '<joint type="hinge" axis="0 0 1"/>',
        "planar": '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint axis="0 0 1"/>',
        "prismatic": '<joint type="slide" axis="0 0 1"/>',
    }
    chain = {"turn": "hinge", "slide": "slide"}
    for kind in [RECORDS[name] for name in KINDS if name not in joints]:
        steps = [(chain[step.motion.name], " ".join(map(str, kind.axes[step.axis]))) for step in kind.steps]
        joints[kind.name] = "".join(f'<joint type="{word}" axis="{axis}"/>' for word, axis in steps)
    text = ""
    for i, kind in reversed(list(enumerate(KINDS))):
        text = f'<body name="l{i}" pos=".1 .2 .3">{joints[kind]}{inertial}{text}</body>'
    return mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{text}</worldbody></mujoco>")


def test_mujoco_finds_the_same_poses_velocities_and_energy() -> None:
    reference = mujoco_model()
    data = mujoco.MjData(reference)
    q, v = state()
    # MuJoCo's free joint replaces the body's pose, ours starts from the joint's origin
    data.qpos, data.qvel = layouts.to_mujoco(model(), q, v)
    data.qpos[:3] += 0.1, 0.2, 0.3
    mujoco.mj_forward(reference, data)
    mujoco.mj_energyVel(reference, data)
    np.testing.assert_allclose(data.energy[1], model().energy(q, v)[0], rtol=1e-12)
    np.testing.assert_allclose(data.xpos[1:], model().link_poses(q)[:, :3, 3], atol=1e-13)
    twist = np.zeros(6)
    for i, link in enumerate(model().link_names):
        mujoco.mj_objectVelocity(reference, data, mujoco.mjtObj.mjOBJ_XBODY, i + 1, twist, 0)
        own = model().frame_jacobian(q, link) @ v
        np.testing.assert_allclose([*twist[3:], *twist[:3]], own, atol=1e-12)


def test_mujoco_there_and_back() -> None:
    for size in ((), (4,), (2, 3)):
        q, v = state(size=size)
        qpos, qvel = layouts.to_mujoco(model(), q, v)
        assert qpos.shape == (*size, model().nq - 1) and qvel.shape == v.shape
        back = layouts.from_mujoco(model(), qpos, qvel)
        np.testing.assert_allclose(back[0], q, atol=1e-15)
        np.testing.assert_allclose(back[1], v, atol=1e-14)


def test_drake_puts_the_quaternion_first_and_turns_velocities_into_world() -> None:
    kinds = ("free", "revolute", "planar")
    q, v = state(kinds, (5,))
    positions, velocities = layouts.to_drake(model(kinds), q, v)
    assert positions.shape == (5, 11)
    np.testing.assert_array_equal(positions[:, 0], q[:, 6])
    np.testing.assert_array_equal(positions[:, 1:4], q[:, 3:6])
    np.testing.assert_array_equal(positions[:, 4:7], q[:, :3])
    twist = np.einsum("...ij,...j", model(kinds).frame_jacobian(q, "l0"), v)
    np.testing.assert_allclose(velocities[:, :3], twist[:, 3:], atol=1e-14)
    np.testing.assert_allclose(velocities[:, 3:6], twist[:, :3], atol=1e-14)
    back = layouts.from_drake(model(kinds), positions, velocities)
    np.testing.assert_allclose(back[0], q, atol=1e-15)
    np.testing.assert_allclose(back[1], v, atol=1e-14)


def test_drake_has_no_quaternion_for_a_ball() -> None:
    with pytest.raises(ModelError, match="joint 'j1' is spherical"):
        layouts.to_drake(model(), *state())


def test_pinocchio_gives_continuous_joints_a_cosine_and_a_sine() -> None:
    reference = pin.Model()
    reference.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3(np.eye(3), np.array([0.1, 0.2, 0.3])), "j0")
    reference.addJoint(1, pin.JointModelRUBZ(), pin.SE3(np.eye(3), np.array([0.1, 0.2, 0.3])), "j1")
    data, kinds = reference.createData(), ("free", "continuous")
    q, _ = state(kinds, (6,))
    there = layouts.to_pinocchio(model(kinds), q)
    assert there.shape == (6, 9)
    for own, other in zip(q, there, strict=True):
        pin.forwardKinematics(reference, data, other)
        np.testing.assert_allclose(data.oMi[2].homogeneous, model(kinds).frame_pose(own, "l1"), atol=1e-14)
    np.testing.assert_allclose(layouts.from_pinocchio(model(kinds), there), q, atol=1e-15)


def test_sizes_are_checked() -> None:
    q, v = state()
    for call, message in (
        (lambda: layouts.to_mujoco(model(), q[:-1], v), r"q: expected shape \(\.\.\., 25\), got \(24,\)"),
        (lambda: layouts.from_mujoco(model(), q, v), r"qpos: expected shape \(\.\.\., 24\), got \(25,\)"),
        (lambda: layouts.to_mujoco(model(), np.tile(q, (2, 1)), np.tile(v, (3, 1))), "batch axes do not broadcast"),
        (
            lambda: layouts.from_mujoco(model(), np.ones((2, 24)), np.ones((3, v.size))),
            r"^from_mujoco: batch axes do not broadcast: qpos \(2, 24\), qvel \(3,",
        ),
        (lambda: layouts.from_pinocchio(model(), q), r"q: expected shape \(\.\.\., 26\)"),
    ):
        with pytest.raises(ModelError, match=message):
            call()
