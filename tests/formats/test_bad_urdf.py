"""URDF that is malformed or unphysical, and calls of `load`: each with words that its error must contain."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kinegen.codegen.inspection.equations import derive
from kinegen.codegen.mechanism import load
from kinegen.codegen.mechanism.formats.toml.place import Place, made
from kinegen.codegen.mechanism.formats.toml.writer import save
from kinegen.codegen.mechanism.formats.xml_input import parse_xml
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.runtime.errors import ModelError
from kinegen.runtime.files import in_file

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
    "not UTF-8": (GOOD.replace('name="', 'name="ü', 1).encode("latin-1"), "not well-formed XML"),
    "unknown encoding": ('<?xml version="1.0" encoding="x"?><robot/>', "not well-formed XML"),
    "entity in UTF-16": (f'<!DOCTYPE r [<!ENTITY x "y">]>{GOOD}'.encode("utf-16"), "entities are refused"),
    "billion laughs": (f'<!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]><robot name="&l9;"/>', "document type"),
    "external entity": (
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot>&x;</robot>',
        "entities are",
    ),
    "DTD between comments": (f"<!-- a --><!DOCTYPE r [<!-- x --><!ENTITY x 'y'>]><!-- -->{GOOD}", "document type"),
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
    "xacro element in a link": (
        changed(INERTIAL, '<xacro:box_inertia xmlns:xacro="http://www.ros.org/wiki/xacro" mass="2"/>'),
        r":2: <xacro:box_inertia>: .*expand it first",
    ),
    "xacro element in a joint": (
        in_joint('<xacro:dynamics xmlns:xacro="http://www.ros.org/wiki/xacro"/>'),
        r":4: <xacro:dynamics>: .*expand it first",
    ),
    "XInclude": (
        changed("</robot>", '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="arm.urdf"/></robot>'),
        r":\d+: <xi:include>: is not followed; put it in place first: xmllint --xinclude FILE > NEW",
    ),
    "xacro expression": (changed('value="1"', 'value="${m}"'), r"must be a number, got '\${m}'; this is .*expand it"),
    "xacro expression of an origin": (in_joint('<origin xyz="0 0 ${l / 2}"/>'), "'xyz' must be 3 numbers, .*expand it"),
    "xacro expression in the name of a link": (
        GOOD.replace('"arm"', '"${prefix}arm"'),
        r"<link name='\${prefix}arm'>: this is a xacro macro file; expand it first",
    ),
    "xacro argument in the name of a joint": (
        changed('<joint name="', '<joint name="$(arg prefix)'),
        r"<joint name='\$\(arg prefix\)j'>: this is a xacro macro file; expand it first",
    ),
    "number in another script": (changed('value="1"', 'value="\u0663"'), "must be a number, got '\u0663'"),
    "xacro argument": (in_joint('<origin xyz="0 0 $(arg l)"/>'), "'xyz' must be 3 numbers, .*expand it"),
    "xacro value of an origin": (in_joint('<origin xyz="0 0 ${l}"/>'), "'xyz' must be a number, .*expand it"),
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
    "two shapes": (
        changed(
            INERTIAL, INERTIAL + '<collision><geometry><sphere radius="1"/><sphere radius="2"/></geometry></collision>'
        ),
        r":2: <sphere>: a second shape in .*<geometry>; keep one",
    ),
    "unknown geometry": (
        changed(INERTIAL, INERTIAL + "<collision><geometry><cone/></geometry></collision>"),
        "unknown collision geometry",
    ),
    "line break in a name": (GOOD.replace('"arm"', '"a&#10;b"'), r"nb' is empty or holds control characters"),
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
    "no mechanism to save": (lambda at: save("a", at / "a.toml"), "save: mechanism: expected Mechanism, got 'a'"),
    "no mechanism to derive": (lambda at: derive("a"), "derive: mechanism: expected Mechanism, got 'a'"),
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


@pytest.mark.parametrize("place", ["element", "table", "file"])
def test_files_are_named_once_whatever_they_are_called(tmp_path, monkeypatch, place):
    """What a message begins with is no sign of it: the file may be called so. Inner places stay."""
    monkeypatch.chdir(tmp_path)
    file = Path("mass")
    file.write_text(GOOD)
    node, table = parse_xml(file), Place(file, "", "link 'arm': ")

    def refuse():
        raise ModelError("mass: must not be negative")

    def complaint(run):
        try:
            run()
        except ModelError as error:
            return str(error)

    def within(block, run):
        with block:
            run()

    places = {
        "element": (lambda run: within(node.located(), run), "mass:1: <robot name='r'>: mass: must not be negative"),
        "table": (lambda run: made(table, run), "mass: link 'arm': mass: must not be negative"),
        "file": (lambda run: within(in_file(file), run), "mass: mass: must not be negative"),
    }
    about, told = places[place]
    assert complaint(lambda: about(refuse)) == told
    for around, _ in places.values():
        assert complaint(lambda around=around: around(lambda: about(refuse))) == told
