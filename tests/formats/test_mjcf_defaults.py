"""Default classes of MJCF: what they say of assets, tendons and parts of attributes, with MuJoCo as the oracle."""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pytest

import kinegen as kg

CORNERS = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def points(model):
    """Vertices of the one mesh in world, sorted."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return data.geom_xpos[0] + model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T


@pytest.mark.parametrize(
    "default, asset",
    [
        ('<mesh scale=".1 .2 .3"/>', ""),
        ('<mesh scale=".1 .2 .3"/><default class="c"><mesh scale="2 2 2"/></default>', 'class="c"'),
        ('<mesh scale=".1 .2 .3"/>', 'scale="1 1 2"'),
        ("", 'refpos="1 .5 .2" scale="2 -3 4"'),
        ('<mesh scale="2 2 2"/>', 'refpos="1 .5 .2" refquat=".8 .6 0 .2"'),
    ],
)
def test_meshes_stand_where_mujoco_has_them(read, default, asset):
    vertices = " ".join(str(x) for corner in CORNERS for x in corner)
    text = f"""<mujoco><default>{default}</default><asset><mesh name="m" vertex="{vertices}" {asset}/></asset>
    <worldbody><body name="a"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <geom type="mesh" mesh="m" pos="1 2 3" euler="30 40 50"/></body></worldbody></mujoco>"""
    (shape,) = read(text).link("a").shapes
    assert shape.kind == "convex"
    found = [shape.pose.xyz + np.array(shape.pose.rotation) @ corner for corner in shape.vertices]
    np.testing.assert_allclose(found, points(mujoco.MjModel.from_xml_string(text)), atol=1e-6)


def test_tendons_without_forces_are_read(read):
    """Defaults of zero, and of what counts for nothing without forces, say nothing."""
    text = """<mujoco><default><tendon stiffness="0" damping="0" limited="false" range="-1 1" width="2"/></default>
    <worldbody><body name="a"><joint name="j"/><geom size=".1"/></body></worldbody>
    <tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon>
    <actuator><motor tendon="t"/></actuator></mujoco>"""
    assert read(text).joint("j").actuated


def test_parts_of_attributes_keep_the_rest_of_their_default(read):
    """Frictions, sizes and masses are MuJoCo's where classes and geoms give the first numbers only."""
    text = """<mujoco><default><geom condim="6" type="capsule" size=".1 .4" friction="1 .5 .2"/>
    <default class="c"><geom friction=".3 .4"/></default></default><worldbody><body name="a"><joint/>
    <geom friction=".7"/><geom size=".2"/><geom class="c"/><geom class="c" friction=".9" type="box" size="1 2 3"/>
    <geom type="sphere" size=".3"/><geom size=".05" fromto="0 0 0 0 0 1"/></body></worldbody></mujoco>"""
    made, model = read(text), mujoco.MjModel.from_xml_string(text)
    shapes = made.link("a").shapes
    np.testing.assert_array_equal([(s.friction, s.torsion, s.rolling) for s in shapes], model.geom_friction)
    for shape, size in zip(shapes, model.geom_size, strict=True):
        whole = {"sphere": [1], "box": [2, 2, 2]}.get(shape.kind, [1, 2])
        np.testing.assert_allclose(shape.size, size[: len(whole)] * whole)
    assert made.link("a").mass == pytest.approx(model.body_mass[1])


@pytest.mark.parametrize(
    "said",
    ["", 'range="0 0"', 'range="-20 30"', 'range="0 0" limited="false"', 'range="9 9"', 'range="9 -9" limited="auto"'],
)
def test_a_range_of_nothing_is_none(read, said):
    text = f"""<mujoco><default><joint range="-60 60"/></default><worldbody><body name="a"><joint name="j" {said}/>
    <geom size=".1"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    limits = model.jnt_range[0] if model.jnt_limited[0] else (-np.inf, np.inf)
    np.testing.assert_allclose(read(text).joint("j").limits, [limits])


def test_polynomials_that_are_linear_are_numbers(read):
    text = """<mujoco><worldbody><body name="a"><joint name="j" damping="1 0 0" stiffness="2 0"/>
    <geom size=".1"/></body></worldbody><tendon><fixed name="t" damping="0 0 0"><joint joint="j" coef="1"/></fixed>
    </tendon></mujoco>"""
    model, joint = mujoco.MjModel.from_xml_string(text), read(text).joint("j")
    assert (joint.damping, joint.stiffness) == ((model.dof_damping[0],), (model.jnt_stiffness[0],)) == ((1.0,), (2.0,))


LAWS = [  # of the outermost class, of "c" in it and of "d" in that
    ("", "", ""),
    ('<position kp="50"/><velocity kv="7"/>', "", '<position kp="2"/>'),
    ('<velocity kv="7"/><position kp="50" kv="2"/>', "<velocity/>", '<position kp="3"/>'),
    ('<position kp="50" kv="2"/>', '<velocity kv="4"/>', '<general gainprm="6"/>'),
    ('<position kp="50" kv="2"/>', '<motor gear="3"/>', '<position dampratio="0.7"/>'),
    ('<position kp="20" dampratio="1"/>', '<general gear="2"/>', "<velocity/>"),
    ('<position kp="9" timeconst=".1"/>', "<velocity/>", '<position timeconst="0"/>'),
    ('<general gainprm="40 2" biasprm="1 -40 -3" biastype="affine"/>', '<position kp="70"/>', '<velocity kv="5"/>'),
    ('<general gainprm="9"/>', "<velocity/>", "<position/>"),
    ('<general dyntype="filter" dynprm="3"/>', '<motor gear="2"/>', '<intvelocity kp="5" kv="2"/>'),
    ('<intvelocity kp="5" kv="2"/>', '<muscle force="3"/>', '<velocity kv="2"/><general biasprm="0 -1"/>'),
    ('<cylinder area="3"/>', '<general gaintype="affine"/>', "<motor/>"),
]


@pytest.mark.parametrize("laws", LAWS)
def test_laws_of_actuators_come_from_classes_as_in_mujoco(tmp_path, laws):
    outer, inner, innermost = laws
    classes = f'{outer}<default class="c">{inner}<default class="d">{innermost}</default></default>'
    said = (
        "<position",
        "<velocity",
        "<general",
        "<motor",
        '<position kp="8"',
        '<position kv="3"',
        '<general gainprm="4"',
    )
    for actuator in (f'{law} joint="j" class="{name}"/>' for law in said for name in ("main", "c", "d")):
        text = f"""<mujoco><default>{classes}</default><worldbody>
        <body><joint name="j"/><geom size=".1"/></body></worldbody><actuator>{actuator}</actuator></mujoco>"""
        try:
            model = mujoco.MjModel.from_xml_string(text)
        except ValueError:  # <general> with parts of what muscles have
            continue
        gear, (b0, b1, b2) = model.actuator_gear[0, 0], model.actuator_biasprm[0, :3]
        servo = model.actuator_dyntype[0] == model.actuator_gaintype[0] == 0 and model.actuator_biastype[0] == 1
        servo = servo and min(b1, b2) < 0.0 >= max(b1, b2) and not (b0 and not b1)  # holds the joint
        (tmp_path / "arm.xml").write_text(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is no servo is told
            found = kg.read_servos(tmp_path / "arm.xml")
        given = [(made.kp, made.kd) for made in found.values()]
        assert given == ([pytest.approx((-b1 * gear**2, -b2 * gear**2))] if servo else []), actuator
