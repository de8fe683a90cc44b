"""`ref` of MJCF: the coordinate of a joint where the file places it, from which a motion starts, as in MuJoCo."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.analysis.plan import plan
from kinegen.codegen.mechanism.structure.reverse import reverse
from kinegen.runtime import Model, Simulator, layouts
from kinegen.runtime.model.configuration import home
from support.oracles.numeric import joint_motion

ARM = """<mujoco><compiler angle="degree"/><option gravity="1 2 -9.81"/><worldbody>
  <body name="base" pos="0.1 0.2 0.3" euler="10 20 30"><joint name="turn" axis="1 2 3" pos="0.1 0 0.05" ref="40"/>
    <joint name="push" type="slide" axis="0 1 1" ref="-0.2" stiffness="30" springref="0.1" range="-0.5 0.4"/>
    <geom size=".1" pos="0.2 0 0"/>
    <body name="fore" pos="0 0 0.5" euler="0 40 0"><joint name="elbow" axis="0 1 0" ref="-70" range="-120 20"
        stiffness="2" springref="-30" damping="0.1"/><geom size=".05 .3" type="capsule"/>
      <body name="hand" pos="0 0 0.3"><joint name="wrist" type="ball"/><geom size=".1 .05 .03" type="box"/></body>
    </body></body>
  <body name="loose" pos="1 0 2" euler="0 0 50"><freejoint/><geom size=".1"/></body>
</worldbody></mujoco>"""
FOUR_BAR = """<mujoco><compiler angle="radian"/><option gravity="0 -9.81 0"/><default><joint axis="0 0 1"/>
  <geom type="capsule" size="0.02" contype="0" conaffinity="0"/></default><worldbody>
  <body name="crank" euler="0 0 {crank}"><joint name="drive" ref="{drive}"/><geom fromto="0 0 0 0.3 0 0"/>
    <body name="rod" pos="0.3 0 0" euler="0 0 {rod}"><joint name="knee" ref="{knee}"/><geom fromto="0 0 0 0.9 0 0"/>
    </body></body>
  <body name="rocker" pos="0.8 0 0" euler="0 0 {rocker}"><joint name="pivot" ref="{pivot}"/>
    <geom fromto="0 0 0 0.7 0 0"/></body></worldbody>
  <equality><connect body1="rod" body2="rocker" anchor="0.9 0 0"/></equality></mujoco>"""


def read(text: str, folder: Path) -> kg.Mechanism:
    file = folder / "model.xml"
    file.write_text(text)
    return kg.load(file)


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, mujoco.MjModel]:
    return kg.compile(read(ARM, tmp_path_factory.mktemp("ref"))), mujoco.MjModel.from_xml_string(ARM)


def test_poses_are_mujocos_at_any_configuration(arm: tuple[Model, mujoco.MjModel]) -> None:
    model, theirs = arm
    data, rng = mujoco.MjData(theirs), np.random.default_rng(0)
    places = [theirs.body(name).id for name in ("base", "fore", "hand", "loose")]
    for q in (model.q0, *model.random(rng, size=5)):
        data.qpos[:], data.qvel[:] = layouts.to_mujoco(model, q, np.zeros(model.nv))
        mujoco.mj_forward(theirs, data)
        for name, place in zip(("base", "fore", "hand", "loose"), places, strict=True):
            pose = model.frame_pose(q, name)
            np.testing.assert_allclose(pose[:3, 3], data.xpos[place], atol=1e-12)
            np.testing.assert_allclose(pose[:3, :3].ravel(), data.xmat[place], atol=1e-12)
        np.testing.assert_allclose(model.passive_forces(q, np.zeros(model.nv)), data.qfrc_passive, atol=1e-10)


def test_a_motion_starts_where_the_file_places_the_bodies(arm: tuple[Model, mujoco.MjModel]) -> None:
    model, theirs = arm
    start, _ = layouts.to_mujoco(model, model.q0, np.zeros(model.nv))
    np.testing.assert_allclose(start, theirs.qpos0, atol=1e-12)
    np.testing.assert_array_equal(Simulator(model).q, model.q0)
    for name, (low, high) in {"push": (-0.5, 0.4), "elbow": (np.deg2rad(-120), np.deg2rad(20))}.items():
        (spec,) = (joint for joint in model.manifest.joints if joint.name == name)
        assert (spec.lower[0], spec.upper[0]) == pytest.approx((low, high), abs=1e-15)


def test_at_goes_before_ref(tmp_path: Path) -> None:
    asked = plan(read(ARM, tmp_path), at={"elbow": -0.3})
    assert asked.start[:3] == (np.deg2rad(40.0), -0.2, -0.3)


def test_a_loop_is_closed_at_ref(tmp_path: Path) -> None:
    """The file's pose, which is closed, is kept; at q = 0 the bars would lie elsewhere."""
    elbow = 0.3 * np.exp(-0.9j)
    reach, way = abs(0.8 - elbow), np.angle(0.8 - elbow)
    rod = way - np.arccos((0.9**2 + reach**2 - 0.7**2) / (2 * 0.9 * reach))
    angles = {"crank": -0.9, "rod": rod + 0.9, "rocker": np.angle(elbow + 0.9 * np.exp(1j * rod) - 0.8)}
    refs = {"drive": 0.5, "knee": -1.2, "pivot": 2.0}
    model = kg.compile(read(FOUR_BAR.format(**angles, **refs), tmp_path))
    np.testing.assert_allclose(model.q0, [0.5, -1.2, 2.0], atol=1e-9)
    np.testing.assert_allclose(model.link_poses(model.q0)[1, :2, 3], [elbow.real, elbow.imag], atol=1e-9)


def test_start_of_a_joint_in_python_and_toml(tmp_path: Path) -> None:
    bar = kg.Link("bar", 1.0, (0, 0, -0.5), kg.inertia.rod(1.0, 1.0, axis=(0, 0, 1)))
    joint = kg.Joint("swing", "revolute", "world", "bar", axis=(0, 1, 0), start=0.4, limits=(-1.0, 0.3))
    mech = kg.Mechanism("bar", [bar], [joint])
    assert home(kg.generate(mech).manifest) == [0.3]  # within its limits
    kg.save(mech, tmp_path / "bar.toml")
    assert kg.load(tmp_path / "bar.toml").joint("swing") == joint
    with pytest.raises(kg.ModelError, match="joint 'j': start must be 1 number, got 2"):
        kg.Joint("j", "revolute", "world", "bar", start=(1.0, 2.0))
    with pytest.raises(kg.ModelError, match=r"joint 'j': start: the rotation .* must have unit length"):
        kg.Joint("j", "spherical", "world", "bar", start=(0.0, 0.0, 0.0, 2.0))


def test_a_joint_turned_round_starts_in_the_same_pose() -> None:
    options = {"universal": {"start": (0.3, -0.5)}, "spherical": {"start": (0.6, 0.0, 0.0, 0.8)}}
    for kind, given in options.items():
        joint = kg.Joint("j", kind, "a", "b", **given)
        back = reverse(joint)
        there, again = (joint_motion(each, np.array(each.start), np.zeros(each.nv))[0] for each in (joint, back))
        np.testing.assert_allclose(there @ again, np.eye(4), atol=1e-12)
        assert reverse(back) == joint
    with pytest.raises(kg.ModelError, match=r"joint 'j' \(planar\) has a start and cannot be turned round"):
        reverse(kg.Joint("j", "planar", "a", "b", start=(1.0, 0.0, 1.0, 0.0)))
