"""Malformed and unphysical input: every case with words that its error must contain. Add a row to add a case."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
import sympy

from kinegen.codegen.inspection.equations import derive
from kinegen.codegen.mechanism import (
    Frame,
    Joint,
    JointTemplate,
    Link,
    Mechanism,
    Mimic,
    Pose,
    Shape,
    inertia,
    load,
    merge_fixed,
)
from kinegen.codegen.mechanism.elements import joint_templates as templates
from kinegen.codegen.mechanism.formats.toml.writer import save
from kinegen.codegen.mechanism.geometry import shapes
from kinegen.codegen.mechanism.geometry.meshes import find_mesh
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime.errors import ModelError

NAN, INF = math.nan, math.inf
BOX = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
M = sympy.Symbol("m", positive=True)
IMAGINARY = sympy.Symbol("w", imaginary=True)


DEEP: list = []
for _ in range(3000):
    DEEP = [DEEP]


def link(name="a", **options):
    return Link(name, **{"mass": 1.0, "inertia": BOX, **options})


def joint(name="j", kind="revolute", parent="world", child="a", **options):
    return Joint(name, kind, parent, child, **options)


def mechanism(links=None, joints=None, **options):
    return Mechanism("m", [link()] if links is None else links, [joint()] if joints is None else joints, **options)


def chain(*joints):
    """joints (name, parent, child[, options])"""
    made = [joint(n, parent=p, child=c, **(o[0] if o else {})) for n, p, c, *o in joints]
    return mechanism([link(x) for x in dict.fromkeys(j.child for j in made)], made)


DESCRIPTIONS = {
    # links
    "negative mass": (lambda: link(mass=-1), "link 'a': mass must not be negative, got -1"),
    "negative symbolic mass": (lambda: link(mass=-M), "mass must not be negative"),
    "NaN mass": (lambda: link(mass=NAN), "link 'a': mass must be finite, got nan"),
    "infinite mass": (lambda: link(mass=np.inf), "link 'a': mass must be finite"),
    "mass as text": (lambda: link(mass="1"), "mass must be a number or a SymPy expression, got '1'"),
    "mass as truth": (lambda: link(mass=True), "mass must be a number"),
    "complex mass": (lambda: link(mass=sympy.I), "mass must be a finite real number"),
    "imaginary symbol": (lambda: link(mass=IMAGINARY), "is not real"),
    "SymPy infinity": (lambda: link(mass=sympy.oo), "finite"),
    "mass of 5,000 digits": (lambda: link(mass=10**5000), "mass must be finite, got inf"),
    "mass of another world": (lambda: link(mass=1e41), r"mass must be at most 1e\+40 in size"),
    "infinite factor": (lambda: link(mass=sympy.Float("1e400") * M), r"a number in it is larger than 1e\+40"),
    "SymPy infinity in a sum": (lambda: link(com=(0, 0, M + sympy.Symbol("x") * sympy.oo)), "must be finite"),
    "com nested without end": (lambda: link(com=DEEP), "3 numbers, got 1: <too long or too deep to be written>"),
    "com of many digits": (lambda: link(com=(10**5000,) * 4), "3 numbers, got 4: <too long or too deep"),
    "NaN in com": (lambda: link(com=(0, NAN, 0)), r"com\[1\] must be finite"),
    "com of two": (lambda: link(com=(0, 0)), "com must be 3 numbers, got 2"),
    "com as text": (lambda: link(com="0 0 0"), "com must be 3 numbers"),
    "inertia of four": (lambda: link(inertia=(1, 1, 1, 1)), "3x3, or the six numbers"),
    "inertia of one": (lambda: link(inertia=3.0), "3x3, or the six numbers"),
    "ragged inertia": (lambda: link(inertia=[[1, 0], [0, 1], [0, 0]]), r"inertia\[0\] must be 3 numbers"),
    "NaN in inertia": (lambda: link(inertia=(1, 0, 0, NAN, 0, 1)), r"inertia\[3\] must be finite"),
    "asymmetric inertia": (lambda: link(inertia=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "must be symmetric"),
    "nameless link": (lambda: link(""), "empty or holds control characters"),
    "blank name": (lambda: link("  "), "empty or holds control characters"),
    "line break in a name": (lambda: link('x\n#include "/etc/passwd"'), "control characters"),
    "NUL in a name": (lambda: link("a\0b"), "control characters"),
    "name that is no text": (lambda: link(3), "name must be a string, got 3"),
    "link called world": (lambda: link("world"), "rename the link"),
    "shape that is none": (lambda: link(shapes=["ball"]), "link 'a': shapes must be made with"),
    "one shape, no list": (lambda: link(shapes=shapes.sphere(1)), "must be a list of shapes"),
    # poses
    "NaN in a pose": (lambda: Pose((0, 0, NAN)), r"xyz\[2\] must be finite"),
    "xyz of two": (lambda: Pose((0, 0)), "xyz must be 3 numbers"),
    "stretched rotation": (lambda: Pose(rotation=((2, 0, 0), (0, 1, 0), (0, 0, 1))), "not orthonormal: rows 0 and 0"),
    "skew rotation": (lambda: Pose(rotation=((1, 0, 0), (0.6, 0.8, 0), (0, 0, 1))), "rows 0 and 1"),
    "half symbolic rotation": (lambda: Pose(rotation=((2, 0, 0), (0, M, 0), (0, 0, 1))), "not orthonormal"),
    "reflection": (lambda: Pose(rotation=((1, 0, 0), (0, 1, 0), (0, 0, -1))), "reflection"),
    "rotation of two rows": (lambda: Pose(rotation=((1, 0, 0), (0, 1, 0))), "rotation must be 3"),
    "rpy and rotation": (lambda: Pose(rpy=(0, 0, 1), rotation=np.eye(3)), "rpy or rotation, not both"),
    # joints
    "unknown kind": (lambda: joint(kind="revolut"), "unknown kind 'revolut'; did you mean 'revolute'"),
    "very unknown kind": (lambda: joint(kind="magnet"), "there is: 'fixed', 'revolute'"),
    "unknown option": (lambda: joint(dampng=1), "unknown option 'dampng'; did you mean 'damping'"),
    "self-joint": (lambda: joint(parent="a"), "joins link 'a' to itself"),
    "child is world": (lambda: joint(parent="a", child="world"), "'world' cannot be a child; swap"),
    "zero axis": (lambda: joint(axis=(0, 0, 0)), "axis is zero"),
    "NaN axis": (lambda: joint(axis=(0, 0, NAN)), r"axis\[2\] must be finite"),
    "axis of four": (lambda: joint(axis=(0, 0, 0, 1)), "axis must be 3 numbers, got 4"),
    "axis of a ball": (lambda: joint(kind="spherical", axis=(1, 0, 0)), "turn `origin` instead"),
    "tilted planar joint": (lambda: joint(kind="planar", axis=(1, 0, 0)), "turn `origin` instead"),
    "axis2 of a hinge": (lambda: joint(axis2=(1, 0, 0)), "axis2 is fixed"),
    "parallel axes": (lambda: joint(kind="universal", axis=(0, 1, 0), axis2=(0, -2, 0)), "axis and axis2 are parallel"),
    "screw without pitch": (lambda: joint(kind="helical"), "needs a pitch"),
    "pitch of a hinge": (lambda: joint(pitch=1), "only a helical joint has a pitch"),
    "lower above upper": (lambda: joint(limits=(1, -1)), "lower 1.0 is greater than upper -1.0; swap"),
    "NaN limit": (lambda: joint(limits=(NAN, 1)), "limits must be finite"),
    "one limit": (lambda: joint(limits=(1,)), "limits must be 2 numbers"),
    "limit as a number": (lambda: joint(limits=1.0), "limits must be"),
    "symbolic limit": (lambda: joint(limits=(0, M)), "must be a constant, got the symbolic m"),
    "limits of a ball": (lambda: joint(kind="spherical", limits=[(-1, 1)] * 4), "takes no limits"),
    "limits of a continuous joint": (lambda: joint(kind="continuous", limits=(-1, 1)), "make it revolute"),
    "negative damping": (lambda: joint(damping=-0.1), "damping must not be negative"),
    "negative armature": (lambda: joint(armature=(-1,)), r"armature\[0\] must not be negative"),
    "NaN friction": (lambda: joint(friction=NAN), "friction must be finite"),
    "two dampings of one": (lambda: joint(damping=(1, 2)), "damping must be 1 number, got 2"),
    "damping of a weld": (lambda: joint(kind="fixed", damping=1), "no meaning for a fixed joint"),
    "negative effort": (lambda: joint(effort_limit=-1), "effort_limit must not be negative"),
    "NaN velocity limit": (lambda: joint(velocity_limit=NAN), "velocity_limit must be finite"),
    "rest of a ball": (lambda: joint(kind="spherical", rest=(0, 0, 0, 2)), "must have unit length"),
    "rest too short": (lambda: joint(kind="free", rest=(0, 0, 0)), "rest must be 7 numbers, got 3"),
    "origin as a tuple": (lambda: joint(origin=(0, 0, 1)), "origin must be a Pose"),
    "mimic as a name": (lambda: joint(mimic="k"), "must be a Mimic"),
    "mimic of itself": (lambda: joint(mimic=Mimic("j")), "mimics itself"),
    "mimic of a ball": (lambda: joint(kind="spherical", mimic=Mimic("k")), "only a joint with one degree of freedom"),
    "NaN multiplier": (lambda: Mimic("k", NAN), "multiplier must be finite"),
    "template with a name": (lambda: templates.revolute(name="x"), "takes no name"),
    "template of a wrong kind": (lambda: JointTemplate("hinge"), "unknown kind 'hinge'"),
    "template with a zero axis": (lambda: templates.prismatic(axis=(0, 0, 0)), "axis is zero"),
    # shapes and inertias
    "no radius": (lambda: shapes.sphere(0), "radius must be positive"),
    "inside out": (lambda: shapes.box((1, -1, 1)), "size y must be positive"),
    "box of two": (lambda: shapes.box((1, 1)), "size must be 3 numbers"),
    "negative contact friction": (lambda: shapes.plane(friction=-1), "friction must not be negative"),
    "bouncing for ever": (lambda: shapes.plane(restitution=1.5), "restitution must lie between 0 and 1"),
    "unknown shape": (lambda: Shape("cone"), "unknown shape 'cone'"),
    "height field of one size": (lambda: shapes.height_field(np.zeros((2, 2)), 1.0), "size must be 2 numbers, got 1.0"),
    "box of one size": (lambda: shapes.box(1.0), "box: size must be 3 numbers, got 1.0"),
    "mesh of a long name": (lambda: find_mesh(shapes.mesh("a" * 300 + ".stl")), "cannot be read: File name too long"),
    "mesh of no name": (lambda: find_mesh(shapes.mesh("a\0b.stl")), "there is no such file"),
    "mesh of nothing": (lambda: shapes.mesh(""), "name of its file is missing"),
    "negative radius": (lambda: inertia.sphere(1, -1), "sphere: radius must not be negative"),
    "rod along nothing": (lambda: inertia.rod(1, 1, axis=(0, 0, 0)), "rod: axis is zero"),
    # mechanisms
    "no links": (lambda: mechanism([], []), "has no links"),
    "link of a wrong type": (lambda: mechanism(["a"]), "links must hold Link values only, got 'a'"),
    "joints as text": (lambda: mechanism(joints="j"), "joints must be a list of Joint"),
    "two links of one name": (lambda: mechanism([link(), link()]), "two links are called 'a'"),
    "two joints of one name": (lambda: chain(("j", "world", "a"), ("j", "a", "b")), "two joints are called 'j'"),
    "frame called as a link": (lambda: mechanism(frames=[Frame("a", "a")]), "called 'a'; names must differ"),
    "frame on nothing": (lambda: mechanism(frames=[Frame("f", "arm")]), "frame 'f': 'arm' is no link"),
    "unknown parent": (lambda: mechanism(joints=[joint(parent="wrold")]), "'wrold' is no link; did you mean 'world'"),
    "unknown child": (lambda: mechanism(joints=[joint(child="b")]), "child 'b' is no link"),
    "link on nothing": (
        lambda: mechanism([link(), link("b")]),
        r"link 'b' has no joint to a parent; .* add Joint\('b_free', 'free', parent='world', child='b'\)",
    ),
    "cycle": (lambda: chain(("j", "b", "a"), ("k", "a", "b")), "hang on each other in a cycle"),
    "cut of the only joint": (
        lambda: mechanism(joints=[joint(cut=True)]),
        "'j' is to be cut, but link 'a' hangs",
    ),
    "negative moment": (lambda: mechanism([link(inertia=(1, 0, 0, 1, 0, -1))]), "link 'a' cannot exist: .* negative"),
    "indefinite inertia": (lambda: mechanism([link(inertia=(1, 2, 0, 1, 0, 1))]), "negative principal moment -1"),
    "triangle inequality": (lambda: mechanism([link(inertia=(1, 0, 0, 1, 0, 3))]), "break the triangle inequality"),
    "inertia without mass": (lambda: mechanism([link(mass=0)]), "inertia but no mass"),
    "gravity of two": (lambda: mechanism(gravity=(0, -9.81)), "gravity must be 3 numbers"),
    "NaN gravity": (lambda: mechanism(gravity=(0, 0, NAN)), r"gravity\[2\] must be finite"),
    "two symbols of one name": (
        lambda: mechanism([link(mass=M, com=(sympy.Symbol("m"), 0, 0))]),
        "two different symbols are called 'm'",
    ),
    "mimic of the unknown": (
        lambda: chain(("knee", "world", "a"), ("k", "a", "b", {"mimic": Mimic("kne")})),
        "joint 'k' mimics the unknown joint 'kne'; did you mean 'knee'",
    ),
    "mimics in a circle": (
        lambda: chain(("j", "world", "a", {"mimic": Mimic("k")}), ("k", "a", "b", {"mimic": Mimic("j")})),
        "mimic joints go round in a circle: j -> k -> j",
    ),
    "mimic of a free joint": (
        lambda: chain(("j", "world", "a", {"kind": "free"}), ("k", "a", "b", {"mimic": Mimic("j")})),
        "'j', which is free: only one-dof joints can lead",
    ),
    "mimic of a loop joint": (
        lambda: chain(("j", "world", "a", {"mimic": Mimic("l")}), ("k", "a", "b"), ("l", "world", "b", {"cut": True})),
        "mimics 'l', which closes a loop",
    ),
    "mimic that closes a loop": (
        lambda: chain(("j", "world", "a"), ("k", "a", "b"), ("l", "world", "b", {"cut": True, "mimic": Mimic("j")})),
        "'l' closes a loop and cannot mimic",
    ),
    "all welded": (lambda: merge_fixed(mechanism(joints=[joint(kind="fixed")])), "nothing can move"),
    "loop within a rigid body": (
        lambda: merge_fixed(chain(("j", "world", "a"), ("k", "a", "b", {"kind": "fixed"}), ("l", "a", "b"))),
        "joint 'l' joins 'a' to 'b', but fixed joints hold these together already",
    ),
    "asking for a link": (lambda: mechanism().link("A"), "has no link 'A'; did you mean 'a'"),
    "asking for a joint": (lambda: mechanism().joint("knee"), "has no joint 'knee'; there is: 'j'"),
}


@pytest.mark.parametrize("case", DESCRIPTIONS)
def test_bad_description(case):
    make, words = DESCRIPTIONS[case]
    with pytest.raises(ModelError, match=words):
        make()


# files

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
ENDS = '<parent link="base"/><child link="arm"/>'
GOOD = f"""<robot name="r">
<link name="base">{INERTIAL}</link>
<link name="arm">{INERTIAL}</link>
<joint name="j" type="revolute">{ENDS}</joint>
</robot>"""
LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
NEW_LINK = f'<link name="new">{INERTIAL}</link>'


def weld(name, parent, child):
    return f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>'


def changed(old, new):
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def in_joint(text):
    return changed(ENDS, ENDS + text)


FILES = {
    "empty": ("", "not well-formed XML"),
    "cut off": (GOOD[:200], r":\d+: not well-formed XML"),
    "binary": (b"\x7fELF\x00\x01", "not well-formed XML"),
    "not UTF-8": (GOOD.encode("utf-16"), "not well-formed XML"),
    "billion laughs": (f'<!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]><robot name="&l9;"/>', "document type"),
    "external entity": (
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot>&x;</robot>',
        "entities are",
    ),
    "external DTD": ('<!DOCTYPE robot SYSTEM "http://127.0.0.1:9/x.dtd"><robot name="r"/>', "document type"),
    "entity in an odd encoding": (
        '<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE r+AD4-<robot name="r"/>',
        "not well-formed|document type",
    ),
    "unknown entity": (changed('name="r"', 'name="&x;"'), "not well-formed XML"),
    "deep nesting": ("<robot>" + "<a>" * 5000 + "</a>" * 5000 + "</robot>", "not well-formed XML"),
    "another format": ('<sdf version="1.7"/>', "is not URDF"),
    "xacro element": (
        '<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:include/></robot>',
        "xacro",
    ),
    "xacro expression": (changed('mass value="1"', 'mass value="${m}"'), "'value' must be a number"),
    "no links": ('<robot name="r"/>', "has no <link>"),
    "nameless link": (changed('<link name="arm">', "<link>"), r":3: <link>: the attribute 'name' is missing"),
    "two links of one name": (
        changed("</robot>", '<link name="arm"/></robot>'),
        "a second <link> .* line 3",
    ),
    "two joints of one name": (
        changed(
            "</robot>",
            f"{NEW_LINK}{weld('j', 'arm', 'new')}</robot>",
        ),
        "a second <joint> of that name",
    ),
    "no mass": (changed('<mass value="1"/>', ""), r":2: <inertial>: <mass> is missing"),
    "no inertia": (changed(INERTIAL, '<inertial><mass value="1"/></inertial>'), "<inertia> is missing"),
    "two inertials": (changed("</inertial>", "</inertial><inertial/>"), "a second <inertial>"),
    "no ixy": (changed('ixy="0" ', ""), "the attribute 'ixy' is missing"),
    "NaN mass": (changed('value="1"', 'value="nan"'), r":2: <mass>: 'value' must be finite"),
    "negative mass": (changed('value="1"', 'value="-1"'), r":2: <link name='base'>: .*mass must not be negative"),
    "negative inertia": (GOOD.replace('ixx="1"', 'ixx="-1"'), "'arm' cannot exist: its inertia has the negative"),
    "mass with a comma": (changed('value="1"', 'value="1,5"'), "'value' must be a number, got '1,5'"),
    "mass as Python writes it": (changed('value="1"', 'value="1_0"'), "'value' must be a number"),
    "infinite inertia": (changed('ixx="1"', 'ixx="inf"'), "'ixx' must be finite"),
    "no type": (changed(' type="revolute"', ""), r":4: <joint name='j'>: the attribute 'type' is missing"),
    "unknown type": (changed("revolute", "revolut"), "unknown joint type 'revolut'; did you mean 'revolute'"),
    "no parent": (changed('<parent link="base"/>', ""), r":4: <joint name='j'>: <parent> is missing"),
    "child without a link": (changed('<child link="arm"/>', "<child/>"), "<child>: the attribute 'link' is missing"),
    "unknown parent": (
        changed('parent link="base"', 'parent link="bse"'),
        "'bse' is no link .* 'base'",
    ),
    "unknown child": (changed('child link="arm"', 'child link="leg"'), "child 'leg' is no link"),
    "self-joint": (changed('child link="arm"', 'child link="base"'), "joins link 'base' to itself"),
    "two parents": (
        changed("</robot>", f'<joint name="k" type="fixed">{ENDS}</joint></robot>'),
        "link 'arm' is already the child of joint 'j'",
    ),
    "cycle": (
        changed("</robot>", weld("k", "arm", "base") + "</robot>"),
        "has no root link",
    ),
    "cycle beside a root": (
        changed(ENDS, '<parent link="new"/><child link="arm"/>').replace(
            "</robot>", f"{NEW_LINK}{weld('k', 'arm', 'new')}</robot>"
        ),
        "hang on each other in a cycle",
    ),
    "two roots": (changed("</robot>", f"{NEW_LINK}</robot>"), "has 2 root links: 'base', 'new'"),
    "world as a child": (changed('child link="arm"', 'child link="world"'), "cannot be a child; rename"),
    "zero axis": (in_joint('<axis xyz="0 0 0"/>'), r":4: <joint name='j'>: .*axis is zero"),
    "short axis": (in_joint('<axis xyz="0 1"/>'), "<axis>: 'xyz' must be 3 numbers, got '0 1'"),
    "NaN axis": (in_joint('<axis xyz="0 nan 1"/>'), "'xyz' must be finite"),
    "axis in words": (in_joint('<axis xyz="x y z"/>'), "'xyz' must be a number, got 'x'"),
    "two axes": (in_joint('<axis xyz="0 0 1"/><axis xyz="0 1 0"/>'), "a second <axis>"),
    "NaN origin": (in_joint('<origin xyz="0 nan 1"/>'), "<origin>: 'xyz' must be finite"),
    "tilted plane": (in_joint('<axis xyz="1 0 0"/>').replace("revolute", "planar"), "must have the axis 0 0 1"),
    "plane without axis": (GOOD.replace("revolute", "planar"), "must have the axis 0 0 1"),
    "limits crossed": (in_joint('<limit lower="1" upper="-1"/>'), "<limit>: lower 1.0 is greater than upper -1.0"),
    "NaN limit": (in_joint('<limit lower="nan" upper="1"/>'), "'lower' must be finite"),
    "negative effort": (in_joint('<limit effort="-1"/>'), "effort must not be negative"),
    "negative damping": (in_joint('<dynamics damping="-1"/>'), "damping must not be negative"),
    "mimic without a joint": (in_joint('<mimic multiplier="1"/>'), "<mimic>: the attribute 'joint' is missing"),
    "mimic of the unknown": (in_joint('<mimic joint="k"/>'), r":4: <joint name='j'>: mimics 'k', which is no joint"),
    "mimic of itself": (in_joint('<mimic joint="j"/>'), "mimics itself"),
    "mimic of a weld": (
        in_joint('<mimic joint="k"/>').replace(
            "</robot>",
            f"{NEW_LINK}{weld('k', 'base', 'new')}</robot>",
        ),
        "mimics 'k', which is fixed",
    ),
    "box without size": (
        changed(INERTIAL, INERTIAL + "<collision><geometry><box/></geometry></collision>"),
        "<box>: box: size x must be positive",
    ),
    "no geometry": (changed(INERTIAL, INERTIAL + "<collision/>"), "<collision>: <geometry> is missing"),
    "unknown geometry": (
        changed(INERTIAL, INERTIAL + "<collision><geometry><cone/></geometry></collision>"),
        "unknown collision geometry",
    ),
    "line break in a name": (GOOD.replace('"arm"', '"a&#10;b"'), r"nb' is empty or holds control characters"),
    "all welded": (GOOD.replace("revolute", "fixed"), "nothing can move; .* root='free'"),
}


@pytest.mark.parametrize("case", FILES)
def test_bad_file(tmp_path, case):
    text, words = FILES[case]
    file = tmp_path / "bad.urdf"
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    with pytest.raises(ModelError, match=words) as caught:
        load(file)
    assert str(caught.value).startswith(str(file))


def test_the_good_file_is_good(tmp_path):
    (tmp_path / "good.URDF").write_text(GOOD, encoding="utf-8")
    assert load(tmp_path / "good.URDF").tree.nv == 1


CALLS = {
    "missing file": (lambda at: load(at / "none.urdf"), "cannot be read: No such file"),
    "folder": (lambda at: load(_folder(at / "x.urdf")), "cannot be read"),
    "pipe": (lambda at: load(_pipe(at / "x.urdf")), "cannot be read: it is no regular file"),
    "name with a NUL": (lambda at: load("a\0b.urdf"), "cannot be read: no file has such a name"),
    "name of 300 letters": (lambda at: load("a" * 300 + ".urdf"), "cannot be read: File name too long"),
    "no mechanism to save": (lambda at: save("a", at / "a.toml"), "save: expected a Mechanism, got 'a'"),
    "no mechanism to derive": (lambda at: derive("a"), "derive: expected a Mechanism, got 'a'"),
    "no mechanism to compile": (lambda at: compile_mechanism(3), "compile: expected a Mechanism, got 3"),
    "no suffix": (lambda at: load(at / "robot"), "no reader for '' files; supported: .urdf"),
    "other suffix": (lambda at: load(at / "robot.stl"), "no reader for '.stl' files; supported: .urdf"),
    "xacro": (lambda at: load(at / "robot.urdf.xacro"), "expand it first"),
    "path that is none": (lambda at: load(3), "path must be a string or a Path"),
    "wrong root": (lambda at: load(at / "a.urdf", root="floating"), "root must be one of"),
    "wrong mimic": (lambda at: load(at / "a.urdf", mimic="no"), "mimic must be one of"),
    "wrong unphysical": (lambda at: load(at / "a.urdf", unphysical="maybe"), "unphysical must be one of"),
}


def _pipe(path):
    os.mkfifo(path)
    return path


def _folder(path):
    path.mkdir()
    return path


@pytest.mark.parametrize("case", CALLS)
def test_bad_call(tmp_path, case):
    call, words = CALLS[case]
    with pytest.raises(ModelError, match=words):
        call(tmp_path)
