"""Every URDF of example-robot-data against Pinocchio, or the reason why it is refused."""

from __future__ import annotations

import re
import warnings
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

import kinegen as kg
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from kinegen.runtime.errors import ModelError
from kinegen.runtime.model.model import Model
from support.mechanisms.robots import FOLDER

Array = NDArray[np.float64]
STATES = 20
TOLERANCE = 1e-10
ALLEGRO_ON_UR5 = "ur_description/urdf/ur5_robot.urdf", "allegro_hand_description/urdf/allegro_right_hand.urdf"
EPSILON = float(np.finfo(float).eps)

# file -> root that it is tried with, and "agrees" or a part of the message that refuses it
ROBOTS = {
    "a1_description/urdf/a1.urdf": ("free", "agrees"),
    "alex_description/urdf/alex_nub_hands.urdf": ("free", "agrees"),
    "alex_description/urdf/alex_psyonic_hands.urdf": ("free", "mimics 'index_q1', which is no joint"),
    "alex_description/urdf/alex_sake_hands.urdf": ("free", "agrees"),
    "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf": ("free", "agrees"),
    "allegro_hand_description/urdf/allegro_left_hand.urdf": ("fixed", "agrees"),
    "allegro_hand_description/urdf/allegro_right_hand.urdf": ("fixed", "agrees"),
    "anymal_b_simple_description/robots/anymal-kinova.urdf": ("free", "agrees"),
    "anymal_b_simple_description/robots/anymal.urdf": ("free", "agrees"),
    "anymal_c_simple_description/urdf/anymal.urdf": ("free", "agrees"),
    "asr_twodof_description/urdf/TwoDofs.urdf": ("fixed", "agrees"),
    "b1_description/urdf/b1-z1.urdf": ("free", "agrees"),
    "b1_description/urdf/b1.urdf": ("free", "agrees"),
    "baxter_description/urdf/baxter.urdf": ("fixed", "agrees"),
    "bolt_description/robots/bolt.urdf": ("free", "agrees"),
    "borinot_description/urdf/borinot_flying_arm_2.urdf": ("free", "agrees"),
    "centauro_description/urdf/centauro.urdf": ("free", "agrees"),
    "double_pendulum_description/urdf/double_pendulum.urdf": ("fixed", "agrees"),
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf": ("fixed", "agrees"),
    "double_pendulum_description/urdf/double_pendulum_simple.urdf": ("fixed", "agrees"),
    "finger_edu_description/robots/finger_edu.urdf": ("fixed", "agrees"),
    "g1_description/urdf/g1_29dof_rev_1_0.urdf": ("free", "agrees"),
    "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf": ("free", "agrees"),
    "go1_description/urdf/go1.urdf": ("free", "agrees"),
    "go2_description/urdf/go2.urdf": ("free", "agrees"),
    "hector_description/robots/quadrotor_base.urdf": ("free", "agrees"),
    "hextilt_description/urdf/hextilt_flying_arm_5.urdf": ("free", "agrees"),
    "human_description/robots/human.urdf": ("free", "agrees"),
    "hyq_description/robots/hyq_no_sensors.urdf": ("free", "agrees"),
    "icub_description/robots/icub.urdf": ("free", "agrees"),
    "icub_description/robots/icub_reduced.urdf": ("free", "agrees"),
    "iris_description/robots/iris.urdf": ("free", "agrees"),
    "iris_description/robots/iris_simple.urdf": ("free", "agrees"),
    "kinova_description/robots/kinova.urdf": ("fixed", "agrees"),
    "laikago_description/urdf/laikago.urdf": ("free", "agrees"),
    "panda_description/urdf/panda.urdf": ("fixed", "agrees"),
    "panda_description/urdf/panda_collision.urdf": ("fixed", "agrees"),
    "pr2_description/urdf/pr2.urdf": ("fixed", "agrees"),
    "quadruped_description/urdf/quadruped.urdf": ("free", "agrees"),
    "romeo_description/urdf/romeo.urdf": ("free", "'LHand'.*moves nothing that has inertia"),  # massless fingers
    "romeo_description/urdf/romeo_laas_small.urdf": ("free", "negative principal moment"),
    "romeo_description/urdf/romeo_small.urdf": ("free", "agrees"),
    "simple_humanoid_description/urdf/simple_humanoid.urdf": ("free", "agrees"),
    "simple_humanoid_description/urdf/simple_humanoid_classical.urdf": ("free", "agrees"),
    "so_arm_description/urdf/so100.urdf": ("fixed", "agrees"),
    "so_arm_description/urdf/so101.urdf": ("fixed", "agrees"),
    "solo_description/robots/solo.urdf": ("free", "agrees"),
    "solo_description/robots/solo12.urdf": ("free", "agrees"),
    "talos_data/robots/talos_full_v2.urdf": ("free", "agrees"),
    "talos_data/robots/talos_full_v2_box.urdf": ("free", "agrees"),
    "talos_data/robots/talos_left_arm.urdf": ("fixed", "agrees"),
    "talos_data/robots/talos_reduced.urdf": ("free", "agrees"),
    "talos_data/robots/talos_reduced_box.urdf": ("free", "agrees"),
    "talos_data/robots/talos_reduced_corrected.urdf": ("free", "agrees"),
    "tiago_description/robots/tiago.urdf": ("fixed", "agrees"),
    "tiago_description/robots/tiago_dual.urdf": ("fixed", "agrees"),
    "tiago_description/robots/tiago_no_hand.urdf": ("fixed", "agrees"),
    "tiago_pro_description/robots/tiago_pro.urdf": ("fixed", "agrees"),
    "ur_description/urdf/ur10_joint_limited_robot.urdf": ("fixed", "agrees"),
    "ur_description/urdf/ur10_robot.urdf": ("fixed", "agrees"),
    "ur_description/urdf/ur3.urdf": ("fixed", "has no <link>"),
    "ur_description/urdf/ur3_gripper.urdf": ("fixed", "agrees"),
    "ur_description/urdf/ur3_joint_limited_robot.urdf": ("fixed", "agrees"),
    "ur_description/urdf/ur3_robot.urdf": ("fixed", "agrees"),
    "ur_description/urdf/ur5_gripper.urdf": ("fixed", "agrees"),
    "ur_description/urdf/ur5_joint_limited_robot.urdf": ("fixed", "agrees"),
    "ur_description/urdf/ur5_robot.urdf": ("fixed", "agrees"),
    "xarm_description/urdf/xarm7.urdf": ("fixed", "agrees"),
    "z1_description/urdf/z1.urdf": ("fixed", "agrees"),
}
# refused as it is, it agrees with these options
REMEDIES: dict[str, dict[str, Any]] = {
    "alex_description/urdf/alex_psyonic_hands.urdf": {"mimic": "independent"},
}
GROUND = ("universe", "world")
ALWAYS = [
    "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "go2_description/urdf/go2.urdf",
    "hector_description/robots/quadrotor_base.urdf",
    "panda_description/urdf/panda.urdf",
    "romeo_description/urdf/romeo.urdf",
    "ur_description/urdf/ur3.urdf",
]


@dataclass(frozen=True)
class Twin:
    """Pinocchio's model of the same file, every mimic joint independent; v_pin = K v."""

    model: pin.Model
    reduction: Array
    mimics: dict[str, tuple[str, float, float]]
    ours: Model

    @staticmethod
    def of(file: Path, root: str, ours: Model, mimics: dict[str, tuple[str, float, float]]) -> Twin:
        model = pin.buildModelFromUrdf(str(file), *([pin.JointModelFreeFlyer()] if root == "free" else []))
        twin = Twin(model, np.zeros((model.nv, ours.nv)), mimics, ours)
        for number, joint in list(enumerate(model.joints))[1:]:
            leader, factor, _ = twin.leader(model.names[number])
            twin.reduction[joint.idx_v : joint.idx_v + joint.nv, ours.v_slice(leader)] = factor * np.eye(joint.nv)
        return twin

    def leader(self, name: str) -> tuple[str, float, float]:
        """The joint that has the coordinate, and factor and offset to it, along a chain of mimics."""
        factor, offset = 1.0, 0.0
        while name in self.mimics:
            name, own_factor, own_offset = self.mimics[name]
            factor, offset = factor * own_factor, offset + factor * own_offset
        return name, factor, offset

    def q(self, q: Array) -> Array:
        """Pinocchio's q: continuous joints as cos and sin, mimic joints in place."""
        result = np.zeros(self.model.nq)
        for number, joint in list(enumerate(self.model.joints))[1:]:
            leader, factor, offset = self.leader(self.model.names[number])
            own = q[self.ours.q_slice(leader)]
            own = factor * own + offset if joint.nq < 3 else own
            unbounded = joint.nq == 2 and joint.nv == 1
            place = slice(joint.idx_q, joint.idx_q + joint.nq)
            result[place] = [np.cos(own[0]), np.sin(own[0])] if unbounded else own
        return result


def completed(file: Path, folder: Path) -> Path:
    """The file with its multiples of 15° written to all digits, for both sides alike.

    Files write π with 12 digits. kinegen takes constants within 1e-12 of 0, 1, −1 as exact and Pinocchio does not; from
    the files as they are, that shows as 1e-13 in M and, where M has condition 10⁴ (kinova), as 4e-10 in its solution.
    """
    tree, step = ElementTree.parse(file), np.pi / 12
    for origin in tree.iter("origin"):
        if re.fullmatch(r"[-+.\deE\s]+", rpy := origin.get("rpy", "")):
            angles = np.array(rpy.split(), dtype=float)
            multiples = np.round(angles / step) * step
            angles = np.where(np.abs(angles - multiples) < 1e-10, multiples, angles)
            origin.set("rpy", " ".join(map(repr, angles.tolist())))
    tree.write(folder / file.name, encoding="utf-8")
    return folder / file.name


def mimic_joints(file: Path) -> dict[str, tuple[str, float, float]]:
    """joint -> (joint that it follows, multiplier, offset), for joints that move"""
    result = {}
    for joint in ElementTree.parse(file).getroot().findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") != "fixed":
            numbers = float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0"))
            result[joint.attrib["name"]] = (mimic.attrib["joint"], *numbers)
    return result


def relative(found: Array, expected: Array) -> float:
    """Largest difference over the largest expected entry."""
    assert found.shape == expected.shape
    return float(np.max(np.abs(found - expected), initial=0.0) / max(np.max(np.abs(expected), initial=0.0), 1e-12))


def compare(twin: Twin, q: Array, v: Array, a: Array) -> dict[str, float]:
    """Relative difference of every quantity at one state."""
    ours, model, k = twin.ours, twin.model, twin.reduction
    data, full = model.createData(), twin.q(q)
    mass = np.reshape(pin.crba(model, data, full), (model.nv, model.nv))
    mass = k.T @ (np.triu(mass) + np.triu(mass, 1).T) @ k
    tau, bias = (k.T @ pin.rnea(model, data, full, k @ v, k @ x) for x in (a, np.zeros_like(a)))
    if ours.nv == model.nv:
        forward = k.T @ pin.aba(model, data, full, k @ v, k @ tau)  # K is a permutation
    else:
        forward = np.linalg.solve(mass, tau - bias)
    jacobian = np.reshape(pin.jacobianCenterOfMass(model, data, full), (3, model.nv)) @ k
    pin.framesForwardKinematics(model, data, full)
    poses = [
        (ours.frame_pose(q, frame.name), data.oMf[number].homogeneous)
        for number, frame in enumerate(model.frames)
        if frame.type == pin.FrameType.BODY and frame.name not in GROUND
    ]
    return {
        "inverse dynamics": relative(ours.inverse_dynamics(q, v, a), tau),
        "bias": relative(ours.bias(q, v), bias),
        "mass matrix": relative(ours.mass_matrix(q), mass),
        "forward dynamics": relative(ours.forward_dynamics(q, v, tau), forward),
        "COM Jacobian": relative(ours.com_jacobian(q), jacobian),
        "poses": max(relative(*pair) for pair in poses),
    }


def random_state(model: Model, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    q = model.random(rng)
    return q, rng.uniform(-1, 1, model.nv), rng.uniform(-1, 1, model.nv)


def assert_agrees(name: str, folder: Path, **options: Any) -> None:
    """The file loads, compiles and agrees, under these options of `kg.load`."""
    file, root = completed(FOLDER / name, folder), ROBOTS[name][0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of inertias that the files round
        model = kg.compile(kg.load(file, root=root, **options))
    mimics = {} if options.get("mimic") == "independent" else mimic_joints(file)
    twin, rng = Twin.of(file, root, model, mimics), np.random.default_rng(1)
    for _ in range(STATES):
        q, v, a = random_state(model, rng)
        # what rounding alone does to the solution of M a = τ − bias; exceeds 1e-10 for one robot only
        rounding = EPSILON * np.linalg.cond(model.mass_matrix(q))
        for quantity, difference in compare(twin, q, v, a).items():
            bound = max(TOLERANCE, rounding) if quantity == "forward dynamics" else TOLERANCE
            assert difference < bound, f"{name}: {quantity} differs by {difference:.2e}"


def assert_entry(name: str, folder: Path) -> None:
    root, expected = ROBOTS[name]
    if expected == "agrees":
        assert_agrees(name, folder)
    else:
        with pytest.raises(ModelError, match=expected):
            kg.compile(kg.load(FOLDER / name, root=root))


def test_the_list_is_complete() -> None:
    assert sorted(ROBOTS) == sorted(str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*.urdf"))
    assert len(ROBOTS) == 69


@pytest.mark.parametrize("name", ALWAYS)
def test_robot(name: str, tmp_path: Path) -> None:
    assert_entry(name, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("name", sorted(set(ROBOTS) - set(ALWAYS)))
def test_every_robot(name: str, tmp_path: Path) -> None:
    assert_entry(name, tmp_path)


def test_a_hand_is_attached_to_an_arm_as_the_recipe_says() -> None:
    arm_file, hand_file = (FOLDER / name for name in ALLEGRO_ON_UR5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rounded inertias
        arm, hand = kg.load(arm_file), kg.load(hand_file, merge=False)
    both, at = kg.combine("both", arm, hand), kg.Pose((0.02, -0.03, 0.05), (0.3, -0.4, 1.1))
    flange = next(frame for frame in arm.frames if frame.name == "tool0")
    mount = replace(both.joint("root_joint"), parent=flange.link, origin=flange.pose * at)
    joints = [mount if joint.name == mount.name else joint for joint in both.joints]
    robot = kg.merge_fixed(replace(both, joints=joints))
    moving = [body.joint.name for body in robot.tree.bodies]
    q, v, a = np.random.default_rng(0).uniform(-1.0, 1.0, (3, len(moving)))
    found = numeric(derive(robot, "inverse_dynamics"))({"q": q, "v": v, "a": a})["tau"]

    parts = [pin.buildModelFromUrdf(str(file)) for file in (arm_file, hand_file)]
    pose = pin.SE3(np.array(at.rotation, float), np.array(at.xyz, float))
    model = pin.appendModel(*parts, parts[0].getFrameId("tool0"), pose)
    places = [model.joints[model.getJointId(name)].idx_v for name in moving]
    theirs = np.zeros((3, model.nv))
    theirs[:, places] = q, v, a
    assert np.abs(found - pin.rnea(model, model.createData(), *theirs)[places]).max() < 1e-12


@pytest.mark.sweep
@pytest.mark.parametrize("name", sorted(REMEDIES))
def test_refused_robot_with_its_remedy(name: str, tmp_path: Path) -> None:
    assert_agrees(name, tmp_path, **REMEDIES[name])
