"""Actuators of MJCF as servos: motions are MuJoCo's step by step; what no servo can have is told by name."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import kinegen as kg
from support.oracles.numeric import error

BODIES = """<option integrator="RK4" timestep="0.002"/>
<default><geom contype="0" conaffinity="0" density="600"/><joint damping="0.1"/>
<default class="strong"><general biastype="affine" gainprm="90" biasprm="0 -90 -6"/><position kp="70"/></default>
</default>
<worldbody><body name="a" pos="0 0 1"><joint name="lift" axis="0 1 0" ref="10" actuatorfrcrange="-40 40"/>
<geom type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
<body name="b" pos=".3 0 0"><joint name="bend" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
<body name="c" pos=".3 0 0"><joint name="slide" type="slide" axis="1 0 0"/><geom size=".05"/>
<body name="d"><joint name="spin" axis="1 0 0"/><geom type="box" size=".1 .02 .05" pos="0 .05 0"/>
<body name="e"><joint name="ball" type="ball" damping="0"/><geom size=".05"/></body></body></body></body></body>
</worldbody>"""

ACTUATORS = """<actuator>
<position name="lifter" joint="lift" kp="400" kv="12" gear="1.5"/>
<general name="bender" joint="bend" biastype="affine" gainprm="60" biasprm="3 -80 -4" forcerange="-2.5 2.5" gear="-2"/>
<position name="slider" joint="slide" kp="300"/><velocity name="braker" joint="slide" kv="9"/>
<velocity name="spinner" joint="spin" kv="0.4" forcerange="-.3 .3"/>
<motor name="spare" joint="spin" gear="3"/>
</actuator>"""


def written(folder: Path, actuators: str) -> tuple[Path, str]:
    text = f"<mujoco>{BODIES}{actuators}</mujoco>"
    file = folder / "arm.xml"
    file.write_text(text)
    return file, text


def test_motion_is_mujocos(tmp_path: Path) -> None:
    """Six hundred steps of Runge-Kutta with controls that are not zero, limits met and left."""
    file, text = written(tmp_path, ACTUATORS)
    servos, model = kg.read_servos(file), kg.compile(kg.load(file))
    assert list(servos) == ["lift", "bend", "slide", "spin"]
    assert (servos["slide"].kp, servos["slide"].kd) == (300.0, 9.0) and str(servos["spin"].kp) == "0.0"
    assert (servos["lift"].kp, servos["lift"].limit, servos["bend"].limit) == (900.0, 40.0, 5.0)
    ctrl = {"lifter": 0.6, "bender": -0.4, "slider": 0.05, "braker": 0.0, "spinner": 4.0, "spare": 0.05}
    servos["lift"] = replace(servos["lift"], position=ctrl["lifter"] / 1.5)
    servos["bend"] = replace(servos["bend"], position=servos["bend"].position + 60 * ctrl["bender"] / (80 * -2))
    servos["slide"] = replace(servos["slide"], position=ctrl["slider"])
    servos["spin"] = replace(servos["spin"], velocity=ctrl["spinner"])
    oracle = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(oracle)
    data.ctrl[:] = [ctrl[oracle.actuator(i).name] for i in range(oracle.nu)]
    sim = kg.Simulator(model, dt=0.002, integrator="rk4", servos=servos, tau={"spin": 3 * ctrl["spare"]})
    sim.q = [*data.qpos[:4], *data.qpos[5:], data.qpos[4]]  # the quaternion's scalar last
    met = set()
    for _ in range(600):
        for k, name in enumerate(("lift", "bend", "spin")):
            force = data.actuator_force[(0, 1, 4)[k]]
            met |= {(name, bool(np.isclose(abs(force), (40 / 1.5, 2.5, 0.3)[k])))}
        mujoco.mj_step(oracle, data)
        sim.step()
    assert {("bend", True), ("bend", False), ("spin", True), ("spin", False)} <= met
    assert error(sim.q[:4], data.qpos[:4]) < 1e-8 and error(sim.v, data.qvel) < 1e-7


def test_damping_ratios_and_bounds_of_controls(tmp_path: Path) -> None:
    """kd and the targets at control zero as MuJoCo has them, gears and two servos of a joint included."""
    actuators = """<actuator><position joint="lift" kp="40" dampratio="0.7" gear="-3" ctrlrange=".2 .5"/>
    <general joint="bend" biastype="affine" gainprm="25" biasprm="2 -25 1.1" gear="2"/>
    <velocity joint="bend" kv="3" ctrlrange=".4 2"/>
    <velocity joint="spin" kv="2" gear="4" ctrlrange="-3 -1"/><position joint="slide" kp="9" dampratio="1"/>
    </actuator>"""
    file, text = written(tmp_path, actuators)
    text = text.replace('name="bend"', 'name="bend" armature=".05"')
    file.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = kg.read_servos(file)
    oracle = mujoco.MjModel.from_xml_string(text)
    kd, pushed = dict.fromkeys(found, 0.0), dict.fromkeys(found, 0.0)  # torques at q = v = 0
    for i in range(oracle.nu):
        name, gear = oracle.joint(oracle.actuator_trnid[i, 0]).name, oracle.actuator_gear[i, 0]
        control = np.clip(0.0, *oracle.actuator_ctrlrange[i]) if oracle.actuator_ctrllimited[i] else 0.0
        kd[name] -= oracle.actuator_biasprm[i, 2] * gear**2
        pushed[name] += gear * (oracle.actuator_gainprm[i, 0] * control + oracle.actuator_biasprm[i, 0])
    assert pushed["bend"] != 0.0 != pushed["spin"]
    for name, servo in found.items():
        assert servo.kd == pytest.approx(kd[name], rel=1e-12)
        assert servo.kp * servo.position + servo.kd * servo.velocity == pytest.approx(pushed[name], rel=1e-12)


INHERITED = [  # of the joint, of a default, of the actuator
    ('range="30 90"', "", 'inheritrange="1"'),
    ('range="30 90"', "<position inheritrange='1'/>", 'inheritrange="0.5" gear="2" kp="5"'),
    ('range="-90 -30"', "<position inheritrange='1'/>", ""),
    ('range="30 90"', "<position inheritrange='1'/>", 'ctrlrange="1 2"'),
    ('range="30 90"', "<position ctrlrange='1 2'/>", 'inheritrange="1"'),
    ('range="30 90"', "<position inheritrange='1'/><default class='c'><velocity/></default>", 'class="c"'),
    ('range="30 90"', "", 'inheritrange="1" ctrllimited="false"'),
    ('range=".2 .3" limited="false"', "", 'inheritrange="1"'),
    ('range=".2 .3" type="slide"', "<general ctrlrange='1 2'/>", 'inheritrange="2"'),
]


@pytest.mark.parametrize("joint, default, actuator", INHERITED)
def test_controls_within_the_range_of_their_joint(tmp_path: Path, joint: str, default: str, actuator: str) -> None:
    """inheritrange: the target at control 0 is MuJoCo's, where the torque vanishes."""
    text = f"""<mujoco><default>{default}</default><worldbody><body><joint name="j" {joint}/><geom size=".1"/></body>
    </worldbody><actuator><position joint="j" {actuator}/></actuator></mujoco>"""
    (tmp_path / "arm.xml").write_text(text)
    oracle = mujoco.MjModel.from_xml_string(text)
    servo = kg.read_servos(tmp_path / "arm.xml")["j"]
    data = mujoco.MjData(oracle)
    data.qpos[:] = servo.position
    mujoco.mj_forward(oracle, data)
    assert data.qfrc_actuator[0] == pytest.approx(0.0, abs=1e-12)


def test_ranges_that_joints_do_not_have_are_not_inherited(tmp_path: Path) -> None:
    file, text = written(tmp_path, '<actuator><position joint="bend" inheritrange="1"/></actuator>')
    with pytest.raises(kg.ModelError, match="has inheritrange, and joint 'bend' has no range; give it one"):
        kg.read_servos(file)
    with pytest.raises(ValueError, match="has no range defined"):
        mujoco.MjModel.from_xml_string(text)
    file, text = written(tmp_path, '<actuator><position joint="bend" inheritrange="1" ctrlrange="0 1"/></actuator>')
    with pytest.raises(kg.ModelError, match="has ctrlrange and inheritrange; give one"):
        kg.load(file)
    with pytest.raises(ValueError, match="cannot both be defined"):
        mujoco.MjModel.from_xml_string(text)


def test_a_damping_ratio_needs_inertia(tmp_path: Path) -> None:
    file = tmp_path / "light.xml"
    file.write_text("""<mujoco><worldbody><body><joint name="a"/><geom size=".1"/>
    <body pos="1 0 0"><joint name="b"/></body></body></worldbody>
    <actuator><position joint="a" kp="1" dampratio="1"/></actuator></mujoco>""")
    with pytest.raises(kg.ModelError, match=r"light\.xml: a dampratio needs inertia on all that moves; give kv"):
        kg.read_servos(file)


@pytest.mark.parametrize(
    "actuator, told",
    [
        ('<position name="x" joint="lift" kp="-5"/>', "drives the joint on"),
        ('<position name="x" joint="lift" kp="5" timeconst="0.1"/>', "a state of its own"),
        ('<position name="x" joint="lift" kp="5" delay="0.01" nsample="9"/>', "a state of its own"),
        ('<general name="x" joint="lift" dyntype="integrator"/>', "a state of its own"),
        ('<intvelocity name="x" joint="lift" kp="3" actrange="-1 1"/>', "only motors, position and velocity"),
        ('<muscle name="x" joint="lift"/>', "only motors, position and velocity"),
        ('<general name="x" joint="lift" biastype="affine" biasprm="0 4"/>', "drives the joint on"),
        ('<position name="x" joint="ball"/>', "acts on no hinge or slide"),
        ('<position name="x" site="s"/>', "acts on no hinge or slide"),
    ],
)
def test_what_is_no_servo_is_told(tmp_path: Path, actuator: str, told: str) -> None:
    file, _ = written(tmp_path, f"<actuator>{actuator}</actuator>")
    with pytest.warns(UserWarning, match=rf"arm\.xml:\d+: <\w+ name='x'>: is no servo of a joint: .*{told}"):
        assert kg.read_servos(file) == {}


def test_what_the_bodies_tell_is_told_once_by_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And other threads hear what they are to hear: filters of warnings, which all of them share, stay as they are."""
    spare = (
        '<option><flag override="enable"/></option><actuator><position joint="bend" kp="5" dampratio="1"/></actuator>'
    )
    file, _ = written(tmp_path, spare)
    with pytest.warns(UserWarning, match="override='enable' is not read"):
        kg.load(file)

    def shared(*_: object, **__: object) -> None:
        raise AssertionError("filters of all threads were changed")

    with pytest.warns(UserWarning) as told, monkeypatch.context() as patched:
        patched.setattr(warnings, "simplefilter", shared)
        warnings.warn("heard", stacklevel=1)
        assert kg.read_servos(file)["bend"].kd > 0.0
    assert [str(each.message) for each in told] == ["heard"]


def test_limits_and_second_servos(tmp_path: Path) -> None:
    file, _ = written(tmp_path, '<actuator><position name="x" joint="bend" forcerange="-3 5"/></actuator>')
    with pytest.warns(UserWarning, match="forces from -3 to 5: a servo has one limit either way, 3 is taken"):
        assert kg.read_servos(file)["bend"].limit == 3.0
    two = '<position joint="bend" kp="7" forcerange="-3 3"/><velocity name="x" joint="bend"/>'
    file, _ = written(tmp_path, f"<actuator>{two}</actuator>")
    with pytest.warns(UserWarning, match="joint 'bend' has another servo; this one is left out"):
        assert kg.read_servos(file)["bend"] == kg.Servo(7.0, position=0.0, limit=3.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        file, _ = written(tmp_path, '<actuator><general class="strong" joint="bend"/></actuator>')
        assert kg.read_servos(file)["bend"] == kg.Servo(70.0, 6.0, position=0.0)  # <position> wrote kp last
        file, _ = written(tmp_path, ACTUATORS + '<option><flag actuation="disable"/></option>')
        assert kg.read_servos(file) == {}
    with pytest.raises(kg.ModelError, match="only MJCF files"):
        kg.read_servos("examples/double_pendulum.urdf")
    with pytest.raises(kg.ModelError, match=r"none\.xml"):
        kg.read_servos(tmp_path / "none.xml")


def test_actuators_of_groups_that_are_off_give_no_force(tmp_path: Path) -> None:
    """As in MuJoCo, where several options add up; the joints that only they drive have no motors."""
    option = (
        '<option actuatorgroupdisable="1"/><option actuatorgroupdisable="3 4"/><default><position group="3"/></default>'
    )
    actuators = """<actuator><position joint="lift" kp="7"/><velocity joint="spin" group="1"/>
    <motor joint="bend" group="2"/><motor joint="slide" group="4"/></actuator>"""
    file, text = written(tmp_path, option + actuators)
    oracle = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(oracle)
    data.ctrl[:] = 1.0
    mujoco.mj_forward(oracle, data)
    driven = {oracle.joint(i).name for i in range(4) if data.qfrc_actuator[oracle.jnt_dofadr[i]]}
    assert driven == {joint.name for joint in kg.load(file).joints if joint.actuated} == {"bend"}
    assert kg.read_servos(file) == {}
    file, _ = written(tmp_path, '<option actuatorgroupdisable="31"/>')
    with pytest.raises(kg.ModelError, match=r"'actuatorgroupdisable' must be integers from 0 to 30"):
        kg.load(file)


COUPLED = """<mujoco><option timestep="0.001" integrator="RK4"/><default><geom contype="0" conaffinity="0"/></default>
<worldbody><body name="a"><joint name="f" axis="0 1 0" actuatorfrcrange="-9 9"/><geom size=".1" pos=".3 0 0"/></body>
<body name="b" pos="0 1 0"><joint name="l" axis="0 1 0" ref="20" damping=".1"/><geom size=".1" pos=".5 0 0"/></body>
</worldbody><equality><joint joint1="f" joint2="l" polycoef=".1 -.5" solref=".002 1"/></equality>
<actuator>{}</actuator></mujoco>"""


def test_what_acts_on_a_follower_acts_on_its_leader(tmp_path: Path) -> None:
    """The torque does the work that it does in MuJoCo, which holds couplings by stiff constraints."""
    file, text = tmp_path / "two.xml", COUPLED.format('<position joint="f" kp="30" kv="2" forcerange="-8 8"/>')
    file.write_text(text)
    servos, mechanism = kg.read_servos(file), kg.load(file)
    assert [(j.name, j.actuated, j.effort) for j in mechanism.joints if j.mimic is None] == [("l", True, (4.0,))]
    assert list(servos) == ["l"] and servos["l"].limit == 4.0
    model = kg.compile(mechanism)
    sim = kg.Simulator(model, dt=0.001, integrator="rk4", servos=servos)
    oracle = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(oracle)
    data.qpos[:] = [mechanism.joint("f").mimic.offset - 0.5 * sim.q[0], sim.q[0]]
    mujoco.mj_step(oracle, data, 500)
    sim.step(500)
    assert abs(sim.q[0] - data.qpos[1]) < 2e-3 and abs(sim.q[0] - oracle.qpos0[1]) > 0.05
    alone = kg.read_servos(file, mimic="independent")
    assert list(alone) == ["f"] and alone["f"].kp == 30.0
    file.write_text(COUPLED.format('<position joint="f" kp="30" dampratio="1"/>'))
    with pytest.warns(UserWarning, match="is no servo of a joint: its dampratio is of 'f', which follows 'l'"):
        assert kg.read_servos(file) == {}


def test_efforts_of_several_actuators_add_up(tmp_path: Path) -> None:
    """As the largest torque that MuJoCo gives over all controls."""
    file = tmp_path / "two.xml"
    for actuators in (
        '<motor joint="l" gear="3" ctrlrange="-1 1"/><motor joint="l" gear="-5" ctrlrange="-1 1"/>',
        '<motor joint="l" gear="3" ctrlrange="0 1"/><motor joint="l" gear="-5" ctrlrange="0 1"/>',
        '<general joint="l" gainprm="7" ctrlrange="-1 2" gear="2"/>',
        '<general joint="l" gainprm="7" ctrlrange="-1 2" forcerange="-3 3"/>',
        '<general joint="l" gainprm="7" ctrlrange="-1 1"/><motor joint="f" gear="30" ctrlrange="-1 1"/>',
    ):
        text = COUPLED.format(actuators)
        file.write_text(text)
        oracle = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(oracle)
        found = []
        for ends in np.ndindex(*(2,) * oracle.nu):
            data.ctrl[:] = [oracle.actuator_ctrlrange[i, end] for i, end in enumerate(ends)]
            mujoco.mj_forward(oracle, data)
            found.append(abs(data.qfrc_actuator[1] - 0.5 * data.qfrc_actuator[0]))
        assert kg.load(file).joint("l").effort == (pytest.approx(max(found)),)
    file.write_text(COUPLED.format('<motor joint="l" ctrlrange="-1 1"/><motor joint="l"/>'))
    assert kg.load(file).joint("l").effort == (np.inf,)
