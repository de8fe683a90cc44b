"""MJCF: mass matrix, bias, placements, springs, loops and couplings are those of MuJoCo, which reads the same text."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from lxml import etree

import kinegen as kg
from kinegen.codegen.mechanism import Mimic, load, merge_fixed
from kinegen.runtime import Simulator
from support.files.mjcf_texts import (
    EQUALITIES,
    LOOP,
    random_geom,
    random_text,
)
from support.oracles.mechanisms import random_state
from support.oracles.mujoco_oracle import positions, velocities
from support.oracles.numeric import Reference, coordinates, error, inverse, matrix, selection


def mujoco_state(mechanism, data, q, v):
    """Puts (q, v) into MuJoCo; E (n, nv) and Ėv (n) with qvel = E v."""
    places, blocks, drifts = [np.zeros(0)], [np.zeros((0, len(v)))], [np.zeros(0)]
    for body, own, rows in zip(mechanism.tree.bodies, coordinates(mechanism, q), selection(mechanism), strict=True):
        if body.joint.kind == "fixed":
            continue
        block, drift = velocities(body.joint, own, rows @ v)
        places.append(positions(body.joint, own))
        blocks.append(block @ rows)
        drifts.append(drift)
    turn = np.vstack(blocks)
    data.qpos[:], data.qvel[:] = np.hstack(places), turn @ v
    return turn, np.hstack(drifts)


def assert_moves_as(mechanism, model, seed=0, states=3):
    """Poses of bodies, M, bias and the mass of everything against MuJoCo."""
    data, rng = mujoco.MjData(model), np.random.default_rng(seed)
    names = [b.link.name for b in mechanism.tree.bodies]
    for _ in range(states):
        q, v, _, _ = random_state(mechanism, rng)
        turn, drift = mujoco_state(mechanism, data, q, v)
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        found = Reference(mechanism, q, v)
        poses = found.link_poses()
        for i in range(1, model.nbody):
            body = data.body(i)
            if body.name:
                pose = poses[names.index(body.name)]
                np.testing.assert_allclose(pose[:3, 3], body.xpos, atol=1e-10)
                np.testing.assert_allclose(pose[:3, :3], body.xmat.reshape(3, 3), atol=1e-10)
        assert error(found.mass_matrix(), turn.T @ full @ turn) < 1e-10
        assert error(found.bias(), turn.T @ (data.qfrc_bias + full @ drift)) < 1e-9


@pytest.mark.parametrize("seed", [s if s % 4 == 1 else pytest.param(s, marks=pytest.mark.sweep) for s in range(60)])
def test_random_models_move_as_in_mujoco(read, seed):
    text = random_text(seed)
    made = read(text)
    assert_moves_as(made, mujoco.MjModel.from_xml_string(text), seed)


@pytest.mark.parametrize("seed", range(60, 70))
def test_merged_models_move_as_in_mujoco(read, seed):
    text = random_text(seed)
    model = mujoco.MjModel.from_xml_string(text)
    made = read(text, merge=True)
    data, rng = mujoco.MjData(model), np.random.default_rng(seed)
    q, v, _, _ = random_state(made, rng)
    turn, drift = mujoco_state(made, data, q, v)
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    assert error(Reference(made, q, v).mass_matrix(), turn.T @ full @ turn) < 1e-10
    assert error(Reference(made, q, v).bias(), turn.T @ (data.qfrc_bias + full @ drift)) < 1e-9


def test_mujocos_own_model(read):
    """The model that MuJoCo ships, without what is refused: air, tendons, compensated gravity, a mesh's mass."""
    file = Path(mujoco.__file__).parent / "testdata" / "model.xml"
    root = etree.parse(str(file)).getroot()
    for attribute in ("density", "viscosity"):
        del root.find("option").attrib[attribute]
    for tag in ("tendon", "actuator", "sensor", "keyframe"):
        root.remove(root.find(tag))
    for body in root.iter("body"):
        body.attrib.pop("gravcomp", None)
    mesh = root.find(".//geom[@type='mesh']")
    mesh.attrib["type"] = "sphere"
    del mesh.attrib["mesh"]
    text = etree.tostring(root, encoding="unicode")
    with pytest.warns(UserWarning, match="do not touch"):
        made = read(text)
    assert [j.name for j in made.joints if j.cut] == ["cylinder_weld"]
    assert_moves_as(made, mujoco.MjModel.from_xml_string(text))


def test_springs_limits_and_efforts_are_mujocos(read):
    text = """<mujoco><default><joint damping="0.5"/><motor ctrlrange="-2 3" ctrllimited="true"/></default><worldbody>
    <body name="a"><joint name="h" axis="0 1 0" range="-90 45" springref="30" stiffness="2" ref="10"/>
    <geom size=".1"/><body name="b" pos="0 0 1"><joint name="s" type="slide" range="-1 2" limited="false"
    springref="0.5" stiffness="4" frictionloss="0.3" armature="0.2" actuatorfrcrange="-7 9"/><geom size=".1"/>
    <body name="c"><joint name="p"/><geom size=".1"/></body></body></body>
    </worldbody><actuator><motor joint="h" gear="5"/><position joint="s" forcerange="-20 20"/></actuator></mujoco>"""
    made, model = read(text), mujoco.MjModel.from_xml_string(text)
    hinge, slide, passive = (made.joint(name) for name in "hsp")
    np.testing.assert_allclose(hinge.limits, [model.jnt_range[0]])
    assert slide.limits == ((-np.inf, np.inf),) and slide.kind == "prismatic"
    assert (hinge.effort, slide.effort) == ((15.0,), (9.0,))
    assert [j.actuated for j in (hinge, slide, passive)] == [True, True, False]
    assert (slide.friction, slide.armature) == ((0.3,), (0.2,))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = [0.3, 0.4, 0.5], [1.0, -2.0, 3.0]
    mujoco.mj_forward(model, data)
    expected = [
        -j.damping[0] * v - j.stiffness[0] * (q - j.rest[0])
        for j, q, v in zip((hinge, slide, passive), data.qpos, data.qvel, strict=True)
    ]
    np.testing.assert_allclose(data.qfrc_passive, expected, rtol=1e-12)
    assert read(text.replace('axis="0 1 0" ', "")).joint("h").axis == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_shapes_stand_where_mujoco_has_them(read, seed):
    rng = np.random.default_rng(seed)
    geoms = "".join(random_geom(rng).replace('"ellipsoid"', '"box"').replace('"0"', '"1"') for _ in range(6))
    text = f"""<mujoco><default><default class="heavy"/></default><worldbody><geom type="plane" size="1 1 1"
    friction="0.7"/><geom name="ghost" size="1" contype="0" conaffinity="0"/>
    <body name="a"><freejoint/>{geoms}</body></worldbody></mujoco>"""
    made, model = read(text), mujoco.MjModel.from_xml_string(text)
    assert [(s.kind, s.friction) for s in made.shapes] == [("plane", 0.7)]
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for i, shape in enumerate(made.link("a").shapes, start=2):
        np.testing.assert_allclose(np.array(shape.pose.xyz), data.geom_xpos[i], atol=1e-12)
        np.testing.assert_allclose(np.array(shape.pose.rotation).ravel(), data.geom_xmat[i], atol=1e-12)
        size = {"sphere": [1], "box": [2, 2, 2]}.get(shape.kind, [1, 2])
        np.testing.assert_allclose(shape.size, model.geom_size[i][: len(size)] * size, atol=1e-12)


def residual(made, loop, q):
    """(4, 4) pose of the joint's frame on the child seen from that on the parent"""
    poses = {b.link.name: p for b, p in zip(made.tree.bodies, Reference(made, q, 0 * q).link_poses(), strict=True)}
    poses["world"] = np.eye(4)
    return inverse(poses[loop.parent] @ matrix(loop.origin)) @ poses[loop.child] @ matrix(loop.child_origin)


@pytest.mark.parametrize("case", EQUALITIES)
def test_equalities_close_loops_as_in_mujoco(read, case):
    """MuJoCo's own residual is as long as the gap of the loop joint, at several configurations."""
    text = LOOP.format(EQUALITIES[case])
    made, model = read(text), mujoco.MjModel.from_xml_string(text)
    (virtual,) = made.virtual_links
    loop = virtual.joint
    kind = "fixed" if case.startswith("weld") else "spherical"
    assert (loop.kind, loop.cut, loop.actuated, made.tree.nv) == (kind, True, False, 3)
    data = mujoco.MjData(model)
    for q in (np.zeros(3), *np.random.default_rng(1).uniform(-1, 1, (3, 3))):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        gap = residual(made, loop, q)
        assert np.linalg.norm(data.efc_pos[:3]) == pytest.approx(np.linalg.norm(gap[:3, 3]), abs=1e-10)
        if kind == "fixed":  # MuJoCo's rows: the vector part of the quaternion
            angle = np.arccos(np.clip((np.trace(gap[:3, :3]) - 1) / 2, -1, 1))
            assert np.linalg.norm(data.efc_pos[3:6]) == pytest.approx(np.sin(angle / 2), abs=1e-7)
    if "sites" not in case and "at" not in case.split():
        assert np.abs(residual(made, loop, np.zeros(3)) - np.eye(4)).max() < 1e-12


def test_couplings(read):
    text = """<mujoco><compiler angle="radian"/><worldbody>
    <body name="a"><joint name="j" ref="0.3"/><geom size=".1" pos="1 0 0"/>
    <body name="b"><joint name="k" type="slide" ref="0.2"/><geom size=".1"/></body></body></worldbody>
    <equality><joint joint1="k" joint2="j" polycoef="0.5 2"/></equality></mujoco>"""
    made = read(text)
    assert made.joint("k").mimic == Mimic("j", 2.0, 0.5 + 0.2 - 0.6) and made.tree.nv == 1
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = [0.7, 2 * 0.7 + made.joint("k").mimic.offset]
    mujoco.mj_forward(model, data)
    assert abs(data.efc_pos[0]) < 1e-12
    assert read(text.replace("0.5 2", "0.5")).joint("k").mimic == Mimic("j", 1.0, 0.5 + 0.2 - 0.3)
    assert read(text, mimic="independent").tree.nv == 2
    assert read(text.replace('joint2="j"', 'joint2="j" active="false"')).tree.nv == 2


def test_a_tendon_over_two_joints_couples_them(read):
    text = """<mujoco><compiler angle="radian"/><worldbody>
    <body name="a"><joint name="j" ref="0.3"/><geom size=".1" pos="1 0 0"/>
    <body name="b"><joint name="k" ref="-0.1"/><geom size=".1" pos="1 0 0"/></body></body></worldbody>
    <tendon><fixed name="t"><joint joint="k" coef="0.5"/><joint joint="j" coef="-0.2"/></fixed></tendon>
    <equality><tendon tendon1="t" polycoef="0.05"/></equality><actuator><motor tendon="t"/></actuator></mujoco>"""
    made, model = read(text), mujoco.MjModel.from_xml_string(text)
    mimic = made.joint("k").mimic
    data = mujoco.MjData(model)
    data.qpos[:] = [0.7, mimic.multiplier * 0.7 + mimic.offset]
    mujoco.mj_forward(model, data)
    assert mimic.joint == "j" and abs(data.efc_pos[0]) < 1e-12
    assert made.joint("j").actuated and not made.joint("k").actuated


def test_switches(read):
    """What <flag> disables is not there."""
    text = """<mujoco><option><flag {}="disable"/></option><worldbody><body name="a">
    <joint name="j" range="-1 1" damping="2" stiffness="3" frictionloss="4"/><geom size=".1" pos="1 0 0"/></body>
    <geom type="plane" size="1 1 1"/></worldbody><equality><connect body1="a" anchor="1 0 0"/></equality>
    <actuator><motor joint="j"/></actuator></mujoco>"""
    gone = {
        "spring": {"stiffness"},
        "damper": {"damping"},
        "passive": {"stiffness", "damping"},
        "limit": {"limits"},
        "frictionloss": {"friction"},
        "constraint": {"limits", "friction", "loop", "shapes"},
        "equality": {"loop"},
        "actuation": {"actuated"},
        "gravity": {"gravity"},
        "contact": {"shapes"},
        "midphase": set(),
    }
    for name, expected in gone.items():
        made = read(text.format(name))
        joint = made.joint("j")
        found = {option for option in ("stiffness", "damping", "friction") if getattr(joint, option) == (0.0,)}
        found |= {"limits"} if joint.limits == ((-np.inf, np.inf),) else set()
        found |= set() if joint.actuated else {"actuated"}
        found |= set() if made.virtual_links else {"loop"}
        found |= set() if made.link("a").shapes and made.shapes else {"shapes"}
        found |= {"gravity"} if made.gravity == (0.0, 0.0, 0.0) else set()
        assert found == expected, name
    for unread in ('filterparent="disable"', 'clampctrl="disable"', 'override="enable"'):
        with pytest.warns(UserWarning, match=rf"model\.xml:1: <flag>: {unread.replace(chr(34), chr(39))} is not read"):
            read(f"<mujoco><option><flag {unread}/></option><worldbody><body><joint/></body></worldbody></mujoco>")


def test_roots(read):
    body = (
        '<body name="a" pos="0 0 1">{}<geom size=".1"/><body name="b"><joint name="j"/><geom size=".1"/></body></body>'
    )
    text = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    fixed, free = read(text.format("")), read(text.format(""), root="free")
    assert [j.kind for j in fixed.joints] == ["fixed", "revolute"]
    assert [(j.name, j.kind) for j in free.joints] == [("root_joint", "free"), ("j", "revolute")]
    assert free.joint("root_joint").rest == (0, 0, 1, 0, 0, 0, 1)
    for root in ("fixed", "free"):
        said = read(text.format("<freejoint/>"), root=root)
        assert [(j.name, j.kind) for j in said.joints] == [("a_free", "free"), ("j", "revolute")]


def test_sites_are_frames_and_names_may_repeat(read):
    site = '<site name="a" pos="0 0 2"/><site name="tip" pos="1 0 0"/>'
    made = read(f'<mujoco><worldbody><body name="a"><joint/><geom size="1"/>{site}</body></worldbody></mujoco>')
    assert [(f.name, f.link, f.pose.xyz) for f in made.frames] == [("a_site", "a", (0, 0, 2)), ("tip", "a", (1, 0, 0))]
    assert merge_fixed(made).frames == made.frames


def test_joints_in_frames(read):
    """Between the joints of the body itself, in the order of the file."""
    geom = '<geom type="box" size=".1 .2 .3" pos="0 .4 0"/>'
    text = f"""<mujoco><worldbody><frame pos="0 0 1" euler="10 20 30"><body name="a" pos=".1 .2 .3" euler="5 0 40">
  <joint name="first" axis="1 0 0" pos=".1 0 0"/>{geom}<frame euler="40 10 0" pos="1 0 .2">
    <joint name="second" axis="0 1 0" pos="0 .3 0" ref="20"/>
    <frame pos="0 .1 0" euler="0 90 0"><joint name="third" type="slide" axis="0 1 1"/></frame>
    <body name="b" pos=".3 0 0">{geom}<frame euler="0 0 77" pos=".1 .1 .1"><joint name="ball" type="ball"
      pos=".2 0 0"/></frame></body></frame>
  <joint name="last" axis="0 0 1"/></body></frame></worldbody></mujoco>"""
    made, theirs = read(text), mujoco.MjModel.from_xml_string(text)
    assert [j.name for j in made.joints] == ["first", "second", "third", "last", "ball"]
    data = mujoco.MjData(theirs)
    model = kg.compile(made, contacts=False)
    for q, v in zip(model.random(0, size=3), np.random.default_rng(0).normal(size=(3, model.nv)), strict=True):
        data.qpos[:], data.qvel[:] = kg.layouts.to_mujoco(model, q, v)
        mujoco.mj_forward(theirs, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(theirs, data, full)
        np.testing.assert_allclose(model.mass_matrix(q), full, atol=1e-11)
        np.testing.assert_allclose(model.bias(q, v), data.qfrc_bias, atol=1e-11)


@pytest.mark.parametrize(
    "inertial",
    [
        '<inertial pos="0 1 .2" mass="3" fullinertia="1 1.2 1.1 .1 .2 -.1"/>',
        '<inertial pos="0 1 .2" euler="0 20 40" mass="3" diaginertia="1 1.2 1.1"/>',
    ],
)
def test_an_inertial_in_frames_counts_where_mujoco_has_it(read, inertial):
    frames = f'<frame pos="1 0 0" euler="0 0 30"><frame pos=".1 .2 .3" euler="50 0 10">{inertial}</frame></frame>'
    text = f"""<mujoco><worldbody><body name="a"><freejoint/><geom size=".1"/>{frames}
    <body name="b"><joint axis="0 1 0"/><geom size=".1"/></body></body></worldbody></mujoco>"""
    assert_moves_as(read(text), mujoco.MjModel.from_xml_string(text))


def test_names_that_are_made_up_leave_those_of_the_file_alone(read):
    geom, joints = '<geom size=".1"/>', '<joint axis="1 0 0"/><joint name="leg_joint_" axis="0 1 0"/>'
    later = f'<body name="leg_1">{geom}<joint name="leg_joint"/><body name="body1">{geom}</body></body>'
    made = read(
        f'<mujoco><worldbody><body>{geom}</body><body name="leg">{joints}{geom}{later}</body></worldbody></mujoco>'
    )
    assert [link.name for link in made.links] == ["body1_", "leg_1_", "leg", "leg_1", "body1"]
    assert [j.name for j in made.joints] == ["body1__fixed", "leg_joint__", "leg_joint_", "leg_joint", "body1_fixed"]


def test_included_files(tmp_path):
    """Parts from other files of the folder, defaults and compiler settings among them."""
    (tmp_path / "parts").mkdir()
    arm = '<body name="arm"><joint name="j" class="c" range="0 1"/><geom size=".1"/></body>'
    (tmp_path / "parts" / "arm.xml").write_text(f"<mujocoinclude>{arm}</mujocoinclude>")
    defaults = '<default><default class="c"><joint damping="3"/></default></default>'
    (tmp_path / "settings.xml").write_text(f'<mujoco><compiler angle="radian"/>{defaults}</mujoco>')
    text = '<mujoco><include file="settings.xml"/><worldbody><include file="parts/arm.xml"/></worldbody></mujoco>'
    (tmp_path / "model.mjcf").write_text(text)
    made = load(tmp_path / "model.mjcf")
    assert made.joint("j").damping == (3.0,) and made.joint("j").limits == ((0.0, 1.0),)


@pytest.mark.parametrize("bounds", ["-1 5", "-5 1", "-2 2", "-9 9", "1 5", "-9 -4"])
def test_effort_is_the_largest_torque_that_a_range_of_the_joint_leaves(read, bounds):
    text = f"""<mujoco><worldbody><body><joint name="j" actuatorfrcrange="{bounds}"/><geom size=".1"/></body>
    </worldbody><actuator><motor joint="j" ctrlrange="-3 2"/></actuator></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data, torques = mujoco.MjData(model), []
    for data.ctrl[0] in (-9.0, 9.0):
        mujoco.mj_forward(model, data)
        torques.append(data.qfrc_actuator[0])
    assert read(text).joint("j").effort_limit == (np.abs(torques).max(),)


def test_skins_are_passed_over(read):
    """Where MuJoCo writes them, too."""
    text = "<mujoco>{}<worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"
    for home in ("asset", "deformable"):
        assert read(text.format(f"<{home}><skin name='s'/></{home}>")).tree.nv == 1


def test_compiler_bounds_and_total_mass(read):
    text = """<mujoco><compiler boundmass="2" boundinertia="0.3" {}/><worldbody><body><freejoint/><geom size=".1"/>
    <body><joint/><geom size=".5"/></body></body></worldbody></mujoco>"""
    for more in ("", 'settotalmass="7"'):
        assert_moves_as(read(text.format(more)), mujoco.MjModel.from_xml_string(text.format(more)))
    light = '<body><joint axis="0 1 0"/><body><joint/><geom size=".1" pos=".3 0 0"/></body></body>'
    text = f'<mujoco><compiler boundmass=".1" boundinertia=".01"/><worldbody>{light}</worldbody></mujoco>'
    assert_moves_as(read(text), mujoco.MjModel.from_xml_string(text))
    flat = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/>'
    text = f'<mujoco><compiler balanceinertia="true"/><worldbody><body><joint/>{flat}</body></worldbody></mujoco>'
    assert_moves_as(read(text), mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize("part", ["", '<geom size=".1" mass="0" pos=".3 0 0"/>', '<geom size=".1" group="4"/>', "own"])
def test_the_least_mass_of_a_body_without_any_is_where_mujoco_has_it(read, part):
    """Not in its origin: as far from it as that is from the origin of the body around, in the body's own axes."""
    part = '<inertial pos=".2 0 0" mass="0" diaginertia="0 0 0"/>' if part == "own" else part
    dummy = f'<body name="b" pos="1 0 .5" quat=".5 .5 .1 .2"><joint axis="0 1 0"/>{part}</body>'
    bounds = '<compiler boundmass="1" boundinertia=".1" inertiagrouprange="0 3"/>'
    text = f"""<mujoco>{bounds}<worldbody><body name="a" pos="0 0 1"><joint axis="0 1 0"/><geom size=".1"/>
    <frame pos="0 0 3" euler="0 9 0">{dummy}</frame></body></worldbody></mujoco>"""
    assert_moves_as(read(text), mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize("geom", ["", '<geom size=".2" group="4"/>', '<geom size=".2" mass="0"/>', '<geom size=".2"/>'])
def test_geoms_that_add_up_to_no_mass_leave_the_inertial(read, geom):
    own = '<inertial pos=".5 0 0" mass="2" diaginertia=".3 .2 .25"/>'
    text = f"""<mujoco><compiler inertiafromgeom="true" inertiagrouprange="0 3"/><worldbody><body name="a">
    <joint axis="0 1 0"/>{own}{geom}</body></worldbody></mujoco>"""
    assert_moves_as(read(text), mujoco.MjModel.from_xml_string(text))


def test_mesh_assets_are_names(read):
    text = """<mujoco><asset><mesh name="m" file="../secret/m.stl" scale="2 2 2"/></asset><worldbody>
    <body name="a"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body>
    </worldbody></mujoco>"""
    (shape,) = read(text).link("a").shapes
    assert (shape.kind, shape.file, shape.size) == ("mesh", "../secret/m.stl", (2.0, 2.0, 2.0))


def test_meshes_that_mujoco_builds_touch_nothing_and_are_told(read):
    text = """<mujoco><asset><mesh name="m" builtin="sphere" params="2"/></asset><worldbody><body name="a"><freejoint/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    with pytest.warns(
        UserWarning, match=r":3: <geom>: meshes that MuJoCo builds do not touch anything here; give thei"
    ):
        assert not read(text).link("a").shapes


def test_a_motion_starts_where_the_file_puts_its_bodies(read):
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
    <body name="low" pos="1 2 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="high" pos="1 2 .3" quat="0 0 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    </worldbody></mujoco>"""
    simulator = Simulator(kg.compile(read(text)))
    start = [1, 2, 0.1, 0, 0, 0, 1, 1, 2, 0.3, 0, 0, 1, 0]
    np.testing.assert_array_equal(simulator.q, start)
    simulator.step(200)
    np.testing.assert_allclose(simulator.q, start, atol=2e-4)
