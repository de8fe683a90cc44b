"""Malformed MJCF: every case with words that its error must contain. Add a row to add a case."""

from __future__ import annotations

import re

import mujoco
import pytest

from kinegen.codegen.mechanism import load
from kinegen.codegen.mechanism.formats.mjcf.asset import ASSETS, FIELD, MESH
from kinegen.codegen.mechanism.formats.mjcf.body import BODY, SITE
from kinegen.codegen.mechanism.formats.mjcf.body import JOINT as JOINT_WORDS
from kinegen.codegen.mechanism.formats.mjcf.geom import KNOWN
from kinegen.codegen.mechanism.formats.mjcf.input import COMPILER, DEFAULTED
from kinegen.codegen.mechanism.formats.mjcf.reader import FLAG, OPTION
from kinegen.codegen.mechanism.formats.mjcf.shortcut import ATTRIBUTES, COMMON
from kinegen.codegen.mechanism.formats.mjcf.visual import MATERIAL
from kinegen.runtime.errors import ModelError
from support.files.mjcf_texts import GEOM, JOINT, MJCF
from support.files.refusing import assert_refused


def mjcf(old, new):
    assert old in MJCF
    return MJCF.replace(old, new, 1)


def section(text):
    return mjcf("</mujoco>", text + "</mujoco>")


def asset(text, geom):
    return mjcf(GEOM, geom).replace("<worldbody>", f"<asset>{text}</asset><worldbody>")


def equality(text):
    return section(f"<equality>{text}</equality>")


SECOND = mjcf(f'<body name="b">{GEOM}', f'<body name="b"><joint name="k"/>{GEOM}')

MJCFS = {
    "empty": ("", "not well-formed XML"),
    "entities": ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><mujoco>&x;</mujoco>', "entities are refused"),
    "another format": ('<robot name="r"/>', "is not MJCF"),
    "no body": ("<mujoco/>", "has no <body>"),
    "unknown section": (section("<soft/>"), "<soft>: is not supported in <mujoco>"),
    "soft body": (
        section('<deformable><skin/><flex name="f"/></deformable>'),
        "<flex name='f'>: is not supported: it is soft; remove it",
    ),
    "unknown part of what is soft": (section("<deformable><skim/></deformable>"), "<skim>: is not .* 'skin'"),
    "unknown settings": (section('<compiler angel="radian"/>'), "'angel' is not .* 'angle'"),
    "unknown angle": (section('<compiler angle="grad"/>'), "'angle' must be one of"),
    "unknown sequence": (section('<compiler eulerseq="xyw"/>'), "three letters of xyzXYZ"),
    "global coordinates": (section('<compiler coordinate="global"/>'), "'coordinate' must be one of"),
    "aligned free joints": (section('<compiler alignfree="true"/>'), "'alignfree' must be one of"),
    "unknown class": (mjcf("<geom", '<geom class="x"'), "there is no default class 'x'"),
    "two classes of one name": (
        section('<default><default class="c"/><default class="c"/></default>'),
        "a second default class 'c'",
    ),
    "outermost class of another name": (
        section('<default class="robot"><joint damping="3"/></default>'),
        "<default>: the outermost default class is called 'main'",
    ),
    "class without a name": (section("<default><default/></default>"), "the attribute 'class' is missing"),
    "unknown default": (section("<default><mash/></default>"), "<mash>: is not .* 'mesh'"),
    "unknown class of a mesh": (section('<asset><mesh class="c"/></asset>'), "there is no default class 'c'"),
    "turned and stretched mesh": (
        section('<asset><mesh name="m" refquat="0 1 0 0" scale="1 1 2"/></asset>'),
        "<mesh name='m'>: refquat with a scale that differs by axis",
    ),
    **{
        f"height field of {rows} rows and {columns} columns": (
            section(f'<asset><hfield name="h" size="1 1 1 1" nrow="{rows}" ncol="{columns}" elevation="{z}"/></asset>'),
            f"<hfield name='h'>: {words}",
        )
        for rows, columns, z, words in (
            ("0", "0", "", "nrow and ncol must be 2 or more each, got 0 and 0"),
            ("-2", "-2", "1 2 3 4", "nrow and ncol must be 2 or more each, got -2 and -2"),
            ("1", "4", "1 2 3 4", "nrow and ncol must be 2 or more each, got 1 and 4"),
            ("2.5", "2", "1 2 3 4", "'nrow' must be a whole number, got '2.5'"),
        )
    },
    **{
        f"geom in a {words}": (text, r"<geom>: is not supported in <" + words)
        for words, text in {
            "joint": mjcf(JOINT, JOINT.replace("/>", '><geom size="1" mass="4"/></joint>')),
            "freejoint": mjcf(JOINT, "<freejoint><geom/></freejoint>"),
            "inertial": mjcf(GEOM, '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"><geom/></inertial>'),
            "site": mjcf(GEOM, GEOM + "<site><geom/></site>"),
            "camera": mjcf(GEOM, GEOM + "<camera><geom/></camera>"),
            "motor": section('<actuator><motor joint="j"><geom/></motor></actuator>'),
            "connect": equality('<connect body1="a" anchor="0 0 0"><geom/></connect>'),
            "fixed": section('<tendon><fixed><joint joint="j" coef="1"/><geom/></fixed></tendon>'),
            "exclude": section('<contact><exclude body1="a" body2="b"><geom/></exclude></contact>'),
        }.items()
    },
    "geom in a joint of a tendon": (
        section('<tendon><fixed><joint joint="j" coef="1"><geom/></joint></fixed></tendon>'),
        "<geom>: is not supported in <joint>",
    ),
    **{
        f"two of one name, {tag}": (
            section(f"<{home}>{text}{text}</{home}>"),
            f"a second <{tag}> of the name 'x'; rename",
        )
        for tag, home, text in (
            ("fixed", "tendon", '<fixed name="x"><joint joint="j" coef="1"/></fixed>'),
            ("mesh", "asset", '<mesh file="x.stl"/>'),
            ("hfield", "asset", '<hfield name="x" size="1 1 1 1" nrow="2" ncol="2" elevation="1 2 3 4"/>'),
            ("material", "asset", '<material name="x"/>'),
        )
    },
    "two actuators of one name": (
        section('<actuator><motor name="x" joint="j"/><position name="x" joint="j"/></actuator>'),
        "<position name='x'>: <actuator> has another element of that name; rename it",
    ),
    "two equalities of one name": (
        equality('<connect name="x" body1="a" anchor="0 0 0"/><weld name="x" body1="a"/>'),
        "<weld name='x'>: <equality> has another element of that name; rename it",
    ),
    "geom in the compiler": (section("<compiler><geom/></compiler>"), "<geom>: is not supported in <compiler>"),
    "geom in a flag": (section("<option><flag><geom/></flag></option>"), "<geom>: is not supported in <flag>"),
    "unknown child class": (mjcf('name="b"', 'name="b" childclass="c"'), "there is no default class 'c'"),
    "unknown part of a body": (mjcf(GEOM, "<replicate/>"), "<replicate>: is not supported in <body>"),
    "cable in a body": (
        mjcf(GEOM, "<composite/>"),
        r"<composite>: .* <body>; MuJoCo 3 writes .*mj_saveLastXML\('plain",
    ),
    "copies in the world": (
        mjcf("<worldbody>", "<worldbody><replicate/>"),
        r"<replicate>: is not supported in <worldbody>; MuJoCo writes the file with plain .*mujoco\.mj_saveLastXML\(",
    ),
    "another model in a frame": (
        mjcf("<worldbody>", "<worldbody><frame><attach/></frame>"),
        r"<attach>: is not supported in <frame>; MuJoCo writes .*mujoco\.mj_saveLastXML\(",
    ),
    "cloth": (mjcf(GEOM, "<flexcomp/>"), "<flexcomp>: is not supported in <body>: it is soft; remove it"),
    "joint of the world": (
        mjcf("<worldbody>", f"<worldbody><frame>{JOINT}</frame>"),
        "<joint name='j'>: is not supported in <frame>",
    ),
    "two bodies of one name": (mjcf('name="b"', 'name="a"'), "a second body of that name"),
    "two joints of one name": (mjcf(JOINT, JOINT + JOINT), "a second joint of that name"),
    "two sites of one name": (mjcf(GEOM, '<site name="s"/><site name="s"/>'), "a second site of that name"),
    "mocap": (mjcf('name="b"', 'name="b" mocap="true"'), "is a mocap body"),
    "compensated gravity": (mjcf('name="b"', 'name="b" gravcomp="1"'), "gravcomp is not supported"),
    "unknown attribute of a body": (mjcf('name="b"', 'name="b" mass="1"'), "the attribute 'mass' is not supported"),
    "two orientations": (mjcf('name="b"', 'name="b" quat="1 0 0 0" euler="0 0 0"'), "quat and euler; give one"),
    "zero quaternion": (mjcf('name="b"', 'name="b" quat="0 0 0 0"'), ":4: .*the quaternion is zero"),
    "short quaternion": (mjcf('name="b"', 'name="b" quat="1 0 0"'), "'quat' must be 4 numbers"),
    "parallel axes": (mjcf('name="b"', 'name="b" xyaxes="1 0 0 1 0 0"'), "two different directions"),
    "turn about nothing": (
        mjcf('name="b"', 'name="b" axisangle="0 0 0 90"'),
        ":4: .*'axisangle' has no direction; give one that is not 0 0 0",
    ),
    "z along nothing": (mjcf('name="b"', 'name="b" zaxis="0 0 0"'), ":4: .*'zaxis' has no direction"),
    "site from a point to the same": (
        mjcf(GEOM, GEOM + '<site name="s" type="capsule" fromto="1 2 3 1 2 3"/>'),
        "<site name='s'>: 'fromto' must be two different points",
    ),
    **{
        f"{key} that is {value}": (mjcf("<geom", f'<geom {key}="{value}"'), f"<geom>: '{key}' must be a whole number")
        for key, value in (("group", "0.5"), ("contype", "1.5"), ("conaffinity", "1e30"), ("priority", "0.5"))
    },
    "group of a motor that is 0.5": (
        section('<actuator><motor joint="j" group="0.5"/></actuator>'),
        "<motor>: 'group' must be a whole number",
    ),
    "pos in words": (mjcf("0 0 1", "0 0 up"), "'pos' must be a number, got 'up'"),
    "NaN pos": (mjcf("0 0 1", "0 0 nan"), "'pos' must be finite"),
    "unknown joint type": (mjcf("hinge", "screw"), "'type' must be one of"),
    "unknown attribute of a joint": (mjcf("hinge", 'hinge" dampin="1'), "'dampin' is not .* 'damping'"),
    "free joint inside": (
        mjcf(f'<body name="b">{GEOM}', f'<body name="b"><freejoint/>{GEOM}'),
        "must be the only joint",
    ),
    "free joint and hinge": (mjcf(JOINT, JOINT + "<freejoint/>"), "must be the only joint"),
    "spring of a free joint": (mjcf("hinge", 'free" stiffness="1'), "stiffness of a free joint"),
    "aligned free joint": (mjcf(JOINT, '<freejoint align="true"/>'), "align='true' is not supported"),
    "zero axis": (mjcf("hinge", 'hinge" axis="0 0 0'), r":3: <joint name='j'>: .*axis is zero"),
    "slide along nothing": (mjcf("hinge", 'slide" ref="1" axis="0 0 0'), "axis is zero"),
    "xacro element": (
        mjcf(GEOM, '<xacro:arm xmlns:xacro="http://www.ros.org/wiki/xacro"/>' + GEOM),
        "<xacro:arm>: this is a xacro macro file",
    ),
    "body of another name space": (
        mjcf(GEOM, '<d:body xmlns:d="http://drake.mit.edu"/>' + GEOM),
        r":3: <d:body>: is of another name space, of which MJCF knows none; remove it",
    ),
    "XInclude": (
        mjcf(GEOM, '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="b.xml"/>' + GEOM),
        r":3: <xi:include>: is not followed; put it in place first: xmllint --xinclude FILE > NEW",
    ),
    "range backwards that holds": (mjcf("hinge", 'hinge" limited="true" range="1 -1'), "two growing numbers"),
    "range of one angle that holds": (mjcf("hinge", 'hinge" limited="true" range="1 1'), "two growing numbers"),
    "polynomial damping": (
        mjcf("hinge", 'hinge" damping="1 2 3'),
        r":3: <joint name='j'>: polynomials such as damping='1 2 3' are not supported; give one number",
    ),
    "polynomial stiffness": (mjcf("hinge", 'hinge" stiffness="1 2'), "polynomials such as stiffness='1 2' are not"),
    "polynomial damping of a free joint": (mjcf("hinge", 'free" damping="0 2'), "polynomials such as damping='0 2'"),
    "four coefficients": (mjcf("hinge", 'hinge" damping="1 0 0 0'), "'damping' must be 1 or 2 or 3 numbers"),
    "limited without a range": (mjcf("hinge", 'hinge" limited="true'), "'range' must be two growing numbers"),
    "limited ball": (mjcf("hinge", 'ball" range="0 1'), "limits of ball joints are not supported"),
    "springdamper": (mjcf("hinge", 'hinge" springdamper="1 1'), "springdamper is not supported"),
    "negative damping": (mjcf("hinge", 'hinge" damping="-1'), "damping must not be negative"),
    "unknown geom": (mjcf(GEOM, '<geom type="cone" size="1"/>'), "'type' must be one of"),
    "geom without size": (mjcf(GEOM, "<geom/>"), "'size' must be 1 positive"),
    "geom beyond numbers": (mjcf(GEOM, '<geom size="1e154"/>'), r"'size' must be finite, and at most 1e\+40 in size"),
    "flat box": (mjcf(GEOM, '<geom type="box" size="1 1 0"/>'), "'size' must be 3 positive"),
    "short box": (mjcf(GEOM, '<geom type="box" size="1 1"/>'), "'size' must be 3 positive"),
    "sphere from to": (mjcf(GEOM, '<geom size="1" fromto="0 0 0 1 1 1"/>'), "'fromto' places capsule"),
    "from here to here": (
        mjcf(GEOM, '<geom type="capsule" size="1" fromto="1 1 1 1 1 1"/>'),
        "two different points",
    ),
    "mesh's inertia": (
        asset('<mesh name="m" file="m.stl"/>', '<geom type="mesh" mesh="m"/>'),
        "inertia of a mesh is not computed",
    ),
    **{
        f"{kind} of the unknown": (asset(f'<{tag} name="nn" {text}/>', f'<geom type="{kind}" {tag}="n"/>'), words)
        for kind, tag, text, words in (
            ("mesh", "mesh", 'file="n.stl"', "<geom>: there is no mesh 'n'; did you mean 'nn'"),
            ("sdf", "mesh", 'file="n.stl"', "<geom>: there is no mesh 'n'; did you mean 'nn'"),
            ("hfield", "hfield", 'size="1 1 1 1" file="h.png"', "<geom>: there is no hfield 'n'; did you mean 'nn'"),
        )
    },
    **{
        f"mesh with {words}": (
            section(f'<asset><mesh name="m" {text}/></asset>'),
            f"<mesh name='m'>: needs a 'file', or a 'vertex' of three numbers for each of 4 points or more, got {got}",
        )
        for words, text, got in (
            ("nothing", "", 0),
            ("three vertices", 'vertex="0 0 0 1 0 0 0 1 0"', 9),
            ("a vertex of two numbers", f'vertex="{"0 0 0 1 0 0 0 1 0 0 0 1"} 2 2"', 14),
        )
    },
    "mesh whose vertices lie in a plane": (
        asset('<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 1 1 0"/>', f'{GEOM}<geom type="mesh" mesh="m" mass="0"/>'),
        "<geom>: convex: its vertices lie in one plane",
    ),
    "fitted geom": (mjcf(GEOM, '<geom type="box" mesh="m"/>'), "fitted to a mesh"),
    "shell": (mjcf(GEOM, '<geom size="1" shellinertia="true"/>'), "shellinertia is not supported"),
    "negative mass": (mjcf(GEOM, '<geom size="1" mass="-1"/>'), "must not be negative"),
    "unknown attribute of a geom": (mjcf(GEOM, '<geom sise="1"/>'), "'sise' is not .* 'size'"),
    "inertial of a body and of a frame in it": (
        mjcf(GEOM, '<inertial mass="1" diaginertia="1 1 1"/>\n<frame><inertial mass="1" diaginertia="1 1 1"/></frame>'),
        r":4: <inertial>: a second <inertial> in .*:3: <body name='a'>; keep one",
    ),
    "inertial of a frame in the world": (
        mjcf("<worldbody>", '<worldbody><frame><inertial mass="1" diaginertia="1 1 1"/></frame>'),
        "<inertial>: is not supported in <frame>",
    ),
    "inertial without mass": (mjcf(GEOM, '<inertial pos="0 0 0" diaginertia="1 1 1"/>'), "'mass' is missing"),
    "inertial without moments": (mjcf(GEOM, '<inertial pos="0 0 0" mass="1"/>'), "'diaginertia'.* is missing"),
    "turned full inertia": (
        mjcf(GEOM, '<inertial mass="1" fullinertia="1 1 1 0 0 0" euler="0 0 1"/>'),
        "fullinertia and an orientation",
    ),
    "impossible inertia": (mjcf(GEOM, '<inertial mass="1" diaginertia="-1 1 1"/>'), "'a' cannot exist"),
    "air": (section('<option density="1.2"/>'), "'density': forces of the air"),
    "unknown switch": (section('<option><flag spring="off"/></option>'), "'spring' must be one of"),
    "NaN gravity": (section('<option gravity="0 0 nan"/>'), "'gravity' must be finite"),
    "spatial tendon": (section("<tendon><spatial/></tendon>"), "spatial tendons are not supported"),
    "stiff tendon": (section('<tendon><fixed stiffness="1"/></tendon>'), "'stiffness' is not supported"),
    "tendon stiff by default": (
        section('<default><tendon stiffness="1"/></default><tendon><fixed name="t"/></tendon>'),
        "<fixed name='t'>: 'stiffness' is not supported for tendons",
    ),
    "tendon damped by its class": (
        section('<default><default class="c"><tendon damping="1"/></default></default>').replace(
            "</mujoco>", '<tendon><fixed class="c"/></tendon></mujoco>'
        ),
        "'damping' is not supported for tendons",
    ),
    "limited tendon": (section('<tendon><fixed range="-1 1"/></tendon>'), "limits of tendons are not supported"),
    "tendon of the unknown": (
        section('<tendon><fixed><joint joint="x" coef="1"/></fixed></tendon>'),
        "there is no joint 'x'",
    ),
    "actuator of the unknown": (section('<actuator><motor joint="jj"/></actuator>'), "no joint 'jj'; did you mean 'j'"),
    "actuator of a site": (section('<actuator><motor site="s"/></actuator>'), "acts on no joint"),
    "actuator of a tendon": (section('<actuator><motor tendon="t"/></actuator>'), "tendon 't' is not supported"),
    "unknown actuator": (section('<actuator><rocket joint="j"/></actuator>'), "is no actuator that is supported"),
    "rotor of an actuator": (section('<actuator><motor joint="j" armature="1"/></actuator>'), "give it to the joint"),
    "unknown attribute of an option": (section('<option graviti="0 0 0"/>'), "'graviti' is not .* 'gravity'"),
    "unknown part of an option": (section("<option><flags/></option>"), "<flags>: is not supported in <option>"),
    "unknown attribute of a flag": (
        section('<option><flag gravitty="disable"/></option>'),
        "'gravitty' is not .* 'gra",
    ),
    "unknown attribute of a motor": (
        section('<actuator><motor joint="j" gaer="3"/></actuator>'),
        "'gaer' is not .* 'g",
    ),
    "attribute of another servo": (
        section('<default><velocity kp="3"/></default>'),
        "<velocity>: the attribute 'kp' is not supported",
    ),
    **{
        f"unknown {words}": (section(f"<asset>{text}</asset>"), message)
        for words, text, message in (
            ("attribute of a mesh", '<mesh file="m.stl" scael="9 9 9"/>', "<mesh>: .*'scael' is not .* 'scale'"),
            ("attribute of a field", '<hfield name="h" nrows="2"/>', "<hfield name='h'>: .*'nrows' is not .* 'nrow'"),
            ("attribute of a material", '<material name="x" rbga="1 1 1 1"/>', "'rbga' is not .* 'rgba'"),
            ("asset", '<mash file="m.stl"/>', "<mash>: is not supported in <asset>; did you mean 'mesh'"),
            ("part of a mesh", '<mesh file="m.stl"><plug/></mesh>', "<plug>: is not supported in <mesh>"),
        )
    },
    "unknown attribute of meshes by default": (
        section('<default><mesh scael="9 9 9"/></default><asset><mesh file="m.stl"/></asset>'),
        "<mesh>: the attribute 'scael' is not supported",
    ),
    **{
        f"unknown {key}": (
            section(f'<actuator><general joint="j" {key}="foo"/></actuator>'),
            f"<general>: unknown {key} 'foo'; there is: '{first}'",
        )
        for key, first in (("dyntype", "none"), ("gaintype", "fixed"), ("biastype", "none"))
    },
    "class of the world": (mjcf("<worldbody>", '<worldbody childclass="main">'), "<worldbody>: the attribute 'childcl"),
    "unknown attribute of a site": (mjcf(GEOM, '<site name="s" poss="0 0 1"/>'), "'poss' is not .* 'pos'"),
    "servo of negative damping": (section('<actuator><position joint="j" kv="-1"/></actuator>'), "kv must not be neg"),
    "servo damped twice": (
        section('<default><position kv="1" dampratio="1"/></default>'),
        "<position>: has kv and dampratio; give one",
    ),
    "flex equality": (equality('<flex flex="t"/>'), "<flex>: is not supported in <equality>"),
    "tendon equality": (equality('<tendon tendon1="t"/>'), "only one fixed tendon over two joints"),
    "connect nothing": (equality('<connect body1="x" anchor="0 0 0"/>'), "there is no body 'x'"),
    "connect without anchor": (equality('<connect body1="a"/>'), "the attribute 'anchor' is missing"),
    "connect a body to itself": (equality('<connect body1="a" body2="a" anchor="0 0 0"/>'), "joins 'a' to itself"),
    "connect what is welded": (
        equality('<connect body1="a" body2="b" anchor="0 0 0"/>'),
        "hold these together already",
    ),
    "weld unknown sites": (equality('<weld site1="s" site2="t"/>'), "there is no site 's'"),
    "weld somewhere": (equality('<weld body1="a" relpos="0 0 0"/>'), "'relpos' is not .* 'relpose'"),
    "weld that may turn": (equality('<weld body1="b" torquescale="0"/>'), "torquescale='0' is not supported"),
    "range of zeros that holds": (mjcf("hinge", 'hinge" limited="true" range="0 0'), "two growing numbers"),
    "held joint": (equality('<joint joint1="j"/>'), "holds a joint where it is"),
    "coupling of the unknown": (equality('<joint joint1="j" joint2="k"/>'), "there is no hinge or slide 'k'"),
    "curved coupling": (
        SECOND.replace("</mujoco>", '<equality><joint joint1="k" joint2="j" polycoef="0 1 2"/></equality></mujoco>'),
        r"only c0 \+ c1 q is supported",
    ),
    "coupled twice": (
        SECOND.replace("</mujoco>", f"<equality>{'<joint joint1=_k_ joint2=_j_/>' * 2}</equality></mujoco>").replace(
            "_", '"'
        ),
        "joint 'k' follows two others",
    ),
    "held and free": (MJCF, "joint 'j' holds 'a' to world"),
}


@pytest.mark.parametrize("case", MJCFS)
def test_bad_mjcf(tmp_path, case):
    assert_refused(tmp_path / "bad.xml", *MJCFS[case], root="free" if case == "held and free" else "fixed")


def schema():
    """path of an element -> its attributes, by MuJoCo"""
    found, path = {}, []
    for line in mujoco.mj_printSchema(False, True).splitlines():
        opening = re.match(r"( *)([\w()]+) \(.\)(.*)", line)
        if opening:
            path = [*path[: len(opening[1]) // 3], opening[2]]
        found.setdefault("/".join(path[1:]), set()).update((opening[3] if opening else line).split())
    return found


def test_every_attribute_that_mujoco_knows_may_stand():
    known = schema()
    assert len(known["option"]) > 25 and "graviti" not in OPTION
    assert known["option"] <= {*OPTION} and known["option/flag"] <= {*FLAG}
    assert known["(world)body/site"] | known["default/site"] <= {*SITE}
    assert known["asset/mesh"] | known["default/mesh"] <= {*MESH} and known["asset/hfield"] <= {*FIELD}
    assert known["asset/material"] | known["default/material"] <= {*MATERIAL}
    assert {path.split("/")[1] for path in known if path.startswith("asset/")} == {*ASSETS}
    assert known["compiler"] <= {*COMPILER} and known["(world)body"] <= {*BODY}
    assert known["(world)body/geom"] | known["default/geom"] <= {*KNOWN, "adhesion", "surfacevel"}  # which move
    assert known["(world)body/joint"] | known["default/joint"] <= {*JOINT_WORDS, "springyield"}
    new = {"orientation", "pid"}  # actuators
    assert {path.split("/")[1] for path in known if path.startswith("default/")} <= {*DEFAULTED} | new
    for tag, own in ATTRIBUTES.items():
        assert known[f"actuator/{tag}"] | known[f"default/{tag}"] <= {*COMMON, *own}, tag


def test_words_that_move_nothing_are_taken(tmp_path):
    text = (
        MJCF.replace('<body name="b">', '<body name="b" fuse="false" simple="auto" sleep="auto">')
        .replace("<geom", '<geom castshadow="false"')
        .replace(
            "<worldbody>",
            '<compiler savecanonical="true" savecompiled="true" passthrough="none"/>'
            '<default><geom castshadow="true"/><texture width="8"/></default><worldbody>',
        )
    )
    (tmp_path / "words.xml").write_text(text, encoding="utf-8")
    (tmp_path / "plain.xml").write_text(MJCF, encoding="utf-8")
    assert load(tmp_path / "words.xml") == load(tmp_path / "plain.xml")


@pytest.mark.parametrize("tag", ["replicate", "attach"])
def test_files_load_that_mujoco_saved_with_plain_bodies(tmp_path, tag):
    part = {
        "replicate": f'<replicate count="3" offset="1 0 0"><body>{JOINT}{GEOM}</body></replicate>',
        "attach": '<attach model="m" body="a" prefix="p_"/>',
    }[tag]
    (tmp_path / "m.xml").write_text(MJCF, encoding="utf-8")
    asset = '<asset><model name="m" file="m.xml"/></asset>'
    file, saved = tmp_path / "model.xml", tmp_path / "plain.xml"
    file.write_text(f"<mujoco>{asset}<worldbody>{part}</worldbody></mujoco>", encoding="utf-8")
    model = mujoco.MjModel.from_xml_path(str(file))
    mujoco.mj_saveLastXML(str(saved), model)
    with pytest.raises(ModelError, match=rf"<{tag}>: is not supported in <worldbody>; MuJoCo writes"):
        load(file)
    assert load(saved).tree.nv == model.nv


def unsaid(hinge):
    return mjcf("hinge", hinge).replace("<worldbody>", '<compiler autolimits="false"/><worldbody>')


def geom(text):
    return mjcf(GEOM, f'<geom type="capsule" size=".1" {text}/>')


def classed(text, default):
    return text.replace("<worldbody>", f"<default>{default}</default><worldbody>")


ENDS = 'fromto="0 0 0 0 0 1"'
PLANE = '<geom type="plane" size="1 1 1"/>'
JUDGED = {
    "said to hold": (unsaid('hinge" limited="true" range="-1 1'), ""),
    "said not to hold": (unsaid('hinge" limited="false" range="-1 1'), ""),
    "no range": (unsaid('hinge" range="0 0'), ""),
    "a range backwards, and nothing said": (unsaid('hinge" range="1 -1'), "'range' without 'limited' says nothing"),
    "a range, and nothing said": (unsaid('hinge" range="-1 1'), "'range' without 'limited' says nothing"),
    "forces": (unsaid('hinge" actuatorfrcrange="-1 1'), "'actuatorfrcrange' without 'actuatorfrclimited'"),
    "a capsule between points": (geom(f'pos="0 0 0" {ENDS}'), ""),
    "a capsule between points and elsewhere": (geom(f'pos="0 1 0" {ENDS}'), "<geom>: has fromto and pos"),
    "a capsule that its class puts elsewhere": (classed(geom(ENDS), '<geom pos="0 1 0"/>'), "has fromto and pos"),
    "a site between points and elsewhere": (
        mjcf(GEOM, GEOM + f'<site name="s" type="capsule" size=".1" pos="0 1 0" {ENDS}/>'),
        "<site name='s'>: has fromto and pos",
    ),
    "a plane that stands": (mjcf("<worldbody>", f'<worldbody><body name="w">{PLANE}</body>'), ""),
    "a plane that turns": (mjcf(JOINT, JOINT + PLANE), "is a plane in a body that moves"),
    "a plane that is carried": (mjcf(f'"b">{GEOM}', f'"b">{GEOM}{PLANE}'), ":4: <geom>: is a plane in a body that"),
}


@pytest.mark.parametrize("case", JUDGED)
def test_refused_as_by_mujoco(tmp_path, case):
    text, words = JUDGED[case]
    if not words:
        (tmp_path / "good.xml").write_text(text, encoding="utf-8")
        assert load(tmp_path / "good.xml").tree.nv == mujoco.MjModel.from_xml_string(text).nv
        return
    assert_refused(tmp_path / "bad.xml", text, words)
    with pytest.raises(ValueError, match=r"static bodies|autolimits|both pos and fromto"):
        mujoco.MjModel.from_xml_string(text)


INCLUDES = {
    "outside": ("../other.xml", "lies outside the folder of the model"),
    "absolute": ("/etc/passwd", "lies outside the folder of the model"),
    "through a link": ("link.xml", "lies outside the folder of the model"),
    "missing": ("none.xml", "cannot be read"),
    "itself": ("bad.xml", "is included twice"),
    "in a circle": ("circle.xml", "is included twice"),
    "one in the other": ("i0.xml", "more than 100 files are included"),
    "another format": ("robot.xml", "is no part of an MJCF model"),
    "damaged": ("damaged.xml", r"damaged.xml:1: not well-formed"),
    "part that is wrong": ("wrong.xml", r"wrong.xml:2: <body name='x'>: .*'pos' must be 3 numbers"),
}


@pytest.mark.parametrize("case", INCLUDES)
def test_bad_include(tmp_path, case):
    name, words = INCLUDES[case]
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "other.xml").write_text("<mujoco/>", encoding="utf-8")
    (folder / "link.xml").symlink_to(tmp_path / "other.xml")
    (folder / "circle.xml").write_text('<mujoco><include file="circle.xml"/></mujoco>', encoding="utf-8")
    (folder / "robot.xml").write_text("<robot/>", encoding="utf-8")
    for i in range(101):
        (folder / f"i{i}.xml").write_text(f'<mujoco><include file="i{i + 1}.xml"/></mujoco>', encoding="utf-8")
    (folder / "damaged.xml").write_text("<mujoco>", encoding="utf-8")
    wrong = f'<mujoco><worldbody>\n<body name="x" pos="0 0"><joint/>{GEOM}</body></worldbody></mujoco>'
    (folder / "wrong.xml").write_text(wrong, encoding="utf-8")
    (folder / "bad.xml").write_text(section(f'<include file="{name}"/>'), encoding="utf-8")
    with pytest.raises(ModelError, match=words):
        load(folder / "bad.xml")


def test_the_good_file_is_good(tmp_path):
    (tmp_path / "good.MJCF").write_text(MJCF, encoding="utf-8")
    assert load(tmp_path / "good.MJCF").tree.nv == 1
