"""Malformed SDF: every case with words that its error must contain. Add a row to add a case."""

from __future__ import annotations

import pytest

from kinegen.codegen.mechanism import load
from support.files.refusing import assert_refused
from support.files.sdf_texts import AXIS, GEARBOX, HINGE, SDF, UNIT


def sdf(old, new):
    assert old in SDF
    return SDF.replace(old, new, 1)


def in_link(text):
    return sdf(f'<link name="base">{UNIT}', f'<link name="base">{UNIT}{text}')


def in_axis(text):
    return sdf(AXIS, AXIS.replace("</xyz>", f"</xyz>{text}"))


def named(name, inner=""):
    return f'<model name="{name}"><link name="a"/>{inner}</model>'


def geometry(text):
    return in_link(f'<collision name="c"><geometry>{text}</geometry></collision>')


SDFS = {
    "empty": ("", "not well-formed XML"),
    "entities": ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><sdf>&x;</sdf>', "entities are refused"),
    "another format": ("<robot/>", "is not SDF"),
    "no version": (sdf(' version="1.7"', ""), "the attribute 'version' is missing"),
    "old version": (sdf("1.7", "1.2"), "version 1.2 is not supported"),
    "odd version": (sdf("1.7", "new"), "'version' must be like 1.7"),
    "no model": ('<sdf version="1.7"/>', "has no <model>"),
    "two models": (sdf("</sdf>", '<model name="n"/></sdf>'), "put several models into a <world>"),
    "no links": ('<sdf version="1.7"><model name="m"/></sdf>', "has no <link>"),
    "include": (sdf(HINGE, "<include><uri>model://x</uri></include>"), r":5: <include>: is not supported in <model>"),
    "include whose link is named": (
        sdf(HINGE, HINGE.replace("<child>arm", "<child>A::arm") + "<include><name>A</name></include>"),
        r":5: <include>: is not supported in <model>; .*`gz sdf -p FILE` prints",
    ),
    "include in a world": (
        '<sdf version="1.7"><world name="w"><include/></world></sdf>',
        "<include>: is not supported in <world>; .*`gz sdf -p",
    ),
    "unknown element in a model in a model": (
        sdf(HINGE, f'<model name="n"><attach/></model>{HINGE.replace("<child>arm", "<child>n::arm")}'),
        "<attach>: is not supported in <model>",
    ),
    "actor in a world": (
        '<sdf version="1.7"><world name="w"><actor name="a"/></world></sdf>',
        "<actor .* not supported",
    ),
    "placement frame": (sdf('name="m"', 'name="m" placement_frame="arm"'), "'placement_frame' is not supported"),
    "two of one name": (sdf('name="arm"', 'name="base"'), "a second element of that name; the first is in line 3"),
    **{
        f"{words} of a world": (
            f'<sdf version="1.9"><world name="w">\n{first}\n{second}</world></sdf>',
            rf":3: <model name='{name}'>: {said}",
        )
        for words, first, second, name, said in (
            ("two models of one name", named("m"), named("m"), "m", "a second element of that name; .* in line 2"),
            ("model called as one in a model", named("m", named("n")), named("m::n"), "m::n", "the name .* is reserv"),
            ("model called as the world", named("m"), named("world"), "world", "the name 'world' is reserved; rename"),
        )
    },
    "model called as one in a model, before 1.8": (
        f'<sdf version="1.7"><world name="w">{named("m", named("n"))}\n{named("m::n")}</world></sdf>',
        ":2: <model name='m::n'>: a second element of that name; the first is in line 1",
    ),
    **{
        f"{words} of a world": (f'<sdf version="1.10"><world name="w">{named("m")}{text}</world></sdf>', message)
        for words, text, message in (
            ("frame called as a model", '<frame name="m"/>', "<model name='m'>: a second element of that name"),
            ("frame attached to the unknown", '<frame name="f" attached_to="m::b"/>', "'m::b', which .* mean 'm::a'"),
            (
                "frame that a link of a model is placed by",
                '<frame name="f" attached_to="a"/>',
                "names 'a', which is no",
            ),
            ("joint to the unknown", f"{HINGE.replace('arm', 'm::arm')}", "names 'm::arm', which is no"),
        )
    },
    "joint called as a link": (sdf('name="j"', 'name="arm"'), "a second element of that name"),
    "reserved name": (sdf('name="arm"', 'name="__model__"'), "is reserved"),
    "unknown child": (sdf("<child>arm", "<child>arn"), "names 'arn', which is no link.*did you mean 'arm'"),
    "unknown parent": (sdf("<parent>base", "<parent>bse"), "did you mean 'base'"),
    "no child": (sdf("<child>arm</child>", ""), "<child> is missing"),
    "empty child": (sdf("<child>arm</child>", "<child/>"), "<child>: is empty"),
    "world as a child": (sdf("<child>arm", "<child>world"), "'world' cannot be a child; swap"),
    "self-joint": (sdf("<child>arm", "<child>base"), "joins link 'base' to itself"),
    "pose relative to the unknown": (sdf("<pose>", '<pose relative_to="am">'), "names 'am', which is no"),
    "poses in a circle": (sdf("<pose>", '<pose relative_to="arm">'), "go round in a circle: .*arm -> arm"),
    "frames in a circle": (
        sdf(HINGE, '<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>'),
        "go round in a circle",
    ),
    "pose of five": (sdf("0 0 1 0 0 0", "0 0 1 0 0"), "must be 6 numbers, got '0 0 1 0 0'"),
    "NaN pose": (sdf("0 0 1 0 0 0", "0 0 nan 0 0 0"), "must be finite"),
    "unknown rotation format": (sdf("<pose>", '<pose rotation_format="axis">'), "unknown rotation_format 'axis'"),
    "zero quaternion": (
        sdf("<pose>0 0 1 0 0 0", '<pose rotation_format="quat_xyzw">0 0 1 0 0 0 0'),
        "the quaternion is zero",
    ),
    "unknown pose attribute": (sdf("<pose>", '<pose relative="base">'), "'relative' is not .* 'relative_to'"),
    "negative mass": (sdf("<mass>1", "<mass>-1"), r":3: <link name='base'>: .*mass must not be negative"),
    "mass in words": (sdf("<mass>1", "<mass>one"), "must be a number, got 'one'"),
    "NaN moment": (sdf("<ixx>1", "<ixx>nan"), "<ixx>: the text must be finite"),
    "negative moment": (SDF.replace("<ixx>1", "<ixx>-1"), "'arm' cannot exist"),
    "unknown moment": (sdf("<ixx>", "<ixx>1</ixx><ixxx>"), "not well-formed"),
    "densities": (sdf("<inertial>", '<inertial auto="true">'), "auto='true' needs densities"),
    "added mass": (sdf("</inertial>", "<fluid_added_mass/></inertial>"), "<fluid_added_mass>: is not supported"),
    "inertial relative to": (
        sdf("<inertial>", '<inertial><pose relative_to="arm">0 0 0 0 0 0</pose>'),
        "cannot be relative to 'arm'",
    ),
    "without gravity": (in_link("<gravity>0</gravity>"), "is without gravity"),
    "kinematic": (in_link("<kinematic>1</kinematic>"), "is kinematic"),
    "velocity decay": (in_link("<velocity_decay><linear>1</linear></velocity_decay>"), "give the joints damping"),
    "velocity decay in words": (
        in_link("<velocity_decay><linear>x</linear></velocity_decay>"),
        "must be a number, got 'x'",
    ),
    **{
        f"{tag} in a word of its own": (text.format(f"<{tag}>yes</{tag}>"), f"<{tag}>: the text must be true or false")
        for tag, text in {
            "static": sdf(HINGE, HINGE + "{}"),
            "gravity": in_link("{}"),
            "kinematic": in_link("{}"),
            "self_collide": in_link("<collision name='c'><geometry><empty/></geometry></collision>" + "{}"),
            "use_parent_model_frame": in_axis("{}"),
            "use_patch_radius": in_link(
                '<collision name="c"><geometry><empty/></geometry>'
                "<surface><friction><torsional>{}</torsional></friction></surface></collision>"
            ),
        }.items()
    },
    "degrees in a word of its own": (sdf("<pose>", '<pose degrees="yes">'), "<pose>: 'degrees' must be true or false"),
    "densities in a word of its own": (
        sdf("<inertial>", '<inertial auto="yes">'),
        "'auto' must be true or false .* 'yes'",
    ),
    "unknown link part": (in_link("<bounce/>"), "<bounce>: is not supported in <link>"),
    "xacro element": (
        geometry('<xacro:ball xmlns:xacro="http://www.ros.org/wiki/xacro"/>'),
        r"<xacro:ball>: this is a xacro macro file; expand it first",
    ),
    "xacro element in a link": (
        in_link('<xacro:inertial xmlns:xacro="http://www.ros.org/wiki/xacro" mass="2"/>'),
        r"<xacro:inertial>: this is a xacro macro file; expand it first",
    ),
    "pyramid": (geometry("<pyramid/>"), "<pyramid>: is no supported collision geometry"),
    "sphere without radius": (geometry("<sphere/>"), "<radius> is missing"),
    "flat box": (geometry("<box><size>1 0 1</size></box>"), "size y must be positive"),
    "plane of no normal": (
        geometry("<plane><normal>0 0 0</normal></plane>"),
        ":3: <plane>: <normal> has no direction; give one that is not 0 0 0",
    ),
    "mesh without a file": (geometry("<mesh/>"), "<uri> is missing"),
    "unknown joint type": (sdf("revolute", "piston"), "joint type 'piston' is not supported"),
    "no axis": (sdf(AXIS, ""), "<axis> is missing"),
    "zero axis": (sdf("<xyz>0 0 1", "<xyz>0 0 0"), "axis is zero"),
    "universal with one axis": (sdf("revolute", "universal"), "needs <axis> and <axis2>"),
    "axis in an unknown frame": (sdf("<xyz>", '<xyz expressed_in="x">'), "names 'x', which is no"),
    "unknown axis part": (in_axis("<spring/>"), "<spring>: is not supported in <axis>"),
    "initial position": (in_axis("<initial_position>1</initial_position>"), "give q when simulating"),
    "limits crossed": (in_axis("<limit><lower>1</lower><upper>0</upper></limit>"), "lower 1.0 is greater"),
    "negative damping": (in_axis("<dynamics><damping>-1</damping></dynamics>"), "damping must not be negative"),
    "unknown dynamics": (in_axis("<dynamics><drag>1</drag></dynamics>"), "<drag>: is not supported in <dynamics>"),
    "spring of a ball": (
        in_axis("<dynamics><spring_stiffness>1</spring_stiffness></dynamics>").replace("revolute", "ball"),
        "springs and friction of ball joints",
    ),
    "screw without thread": (
        sdf("revolute", "screw"),
        "<screw_thread_pitch>, metres a revolution, or the older <thread_pitch> is missing",
    ),
    "screw without pitch": (sdf("revolute", "screw").replace(AXIS, AXIS + "<thread_pitch>0</thread_pitch>"), "zero"),
    "mimic of the unknown": (in_axis('<mimic joint="k"/>'), "names 'k', which is no"),
    **{
        f"mimic in an axis of a {kind}": (
            in_axis('<mimic joint="j"/>').replace("revolute", kind).replace("</axis>", f"</axis>{more}"),
            "<mimic>: only a joint with one axis can follow another; make two hinges",
        )
        for kind, more in {"universal": "<axis2><xyz>1 0 0</xyz></axis2>", "revolute2": "<axis2/>", "ball": ""}.items()
    },
    "gearbox without hinges": (sdf("</model>", GEARBOX), "no hinge along its axis between 'base' and 'base'"),
    "gearbox without a ratio": (
        sdf("</model>", GEARBOX.replace("<gearbox_ratio>2</gearbox_ratio>", "")),
        "ratio> is m",
    ),
    "held and free": (
        sdf(HINGE, HINGE + HINGE.replace(">base<", ">world<").replace('"j"', '"k"')),
        "joint 'k' holds the model to world; use root='fixed'",
    ),
}


@pytest.mark.parametrize("case", SDFS)
def test_bad_sdf(tmp_path, case):
    assert_refused(tmp_path / "bad.sdf", *SDFS[case], root="free" if case == "held and free" else "fixed")


def test_the_good_file_is_good(tmp_path):
    (tmp_path / "good.SDF").write_text(SDF, encoding="utf-8")
    assert load(tmp_path / "good.SDF").tree.nv == 1
