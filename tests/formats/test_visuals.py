"""What links look like: read from every format, kept through merging and TOML, and nothing to the motion."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.codegen.mechanism.canonical import canonical
from support.mechanisms.robots import FOLDER

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
URDF = f"""<robot name="r"><material name="blue"><color rgba="0 0 1 0.5"/></material>
<link name="base">{INERTIAL}
 <visual><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry><material name="blue"/></visual></link>
<link name="arm">{INERTIAL}
 <visual><geometry><mesh filename="arm.stl" scale="1 1 2"/></geometry>
 <material name=""><color rgba="2 0 0 1"/></material></visual>
 <visual><geometry><sphere radius="no"/></geometry></visual><visual><geometry><teapot/></geometry></visual></link>
<link name="tool"><visual><geometry><sphere radius="0.1"/></geometry><material name="unknown"/></visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><limit effort="1" velocity="1"/></joint>
<joint name="k" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 1 0"/></joint></robot>"""

SDF = """<sdf version="1.7"><model name="m"><link name="a"><inertial><mass>1</mass></inertial>
<visual name="v"><pose>0 0 2 0 0 0</pose><geometry><cylinder><radius>0.1</radius><length>1</length></cylinder>
</geometry><material><diffuse>0 1 0 1</diffuse></material></visual>
<visual name="w"><geometry><polyline/></geometry></visual></link></model></sdf>"""

MJCF = """<mujoco><asset><material name="gold" rgba="1 0.8 0 1"/></asset><worldbody>
<geom type="plane" size="1 1 1" contype="0" conaffinity="0"/>
<body name="b"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="ellipsoid" size="0.1 0.2 0.3" contype="0" conaffinity="0" material="gold"/>
<geom type="capsule" size="0.1 0.5" rgba="1 0 0 1" material="gold"/>
<geom type="box" size="0.1 0.1 0.1" group="3"/></body></worldbody></mujoco>"""


def _written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_urdf(tmp_path: Path) -> None:
    made = kg.load(_written(tmp_path, "r.urdf", URDF))
    box, mesh, ball = made.visuals
    assert (box.link, box.shape.kind, box.shape.pose.xyz, box.colour) == ("world", "box", (0, 0, 1), (0, 0, 1, 0.5))
    assert (mesh.link, mesh.shape.file, mesh.shape.size, mesh.colour) == ("arm", "arm.stl", (1, 1, 2), (1, 0, 0, 1))
    assert mesh.shape.folder == str(tmp_path)
    assert (ball.link, ball.shape.pose.xyz, ball.colour) == ("arm", (0, 1, 0), None)  # merged into the arm


def test_sdf(tmp_path: Path) -> None:
    (visual,) = kg.load(_written(tmp_path, "m.sdf", SDF), root="free").visuals
    assert (visual.link, visual.shape.kind, visual.shape.size) == ("a", "cylinder", (0.1, 1.0))
    assert (visual.shape.pose.xyz, visual.colour) == ((0, 0, 2), (0, 1, 0, 1))


def test_mjcf(tmp_path: Path) -> None:
    """Also what cannot touch; geoms of the groups that viewers hide are no visuals."""
    made = kg.load(_written(tmp_path, "m.xml", MJCF))
    egg, rod, floor = made.visuals
    assert (floor.link, floor.shape.kind, floor.colour) == ("world", "plane", None)
    assert (egg.stretch, egg.shape.size, egg.colour) == ((0.1, 0.2, 0.3), (1.0,), (1, 0.8, 0, 1))
    assert (rod.shape.kind, rod.shape.size, rod.colour) == ("capsule", (0.1, 1.0), (1, 0, 0, 1))
    assert [shape.kind for shape in made.link("b").shapes] == ["capsule", "box"]


def test_a_whole_robot_saved_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its meshes are named by their package, which the file finds elsewhere as ROS does."""
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(FOLDER.parent))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = kg.load(FOLDER / "talos_data/robots/talos_reduced.urdf", root="free")
    assert len(robot.visuals) > 40
    assert {visual.link for visual in robot.visuals} <= {link.name for link in robot.links}
    eggs = replace(robot, visuals=(*robot.visuals, kg.Visual("base_link", kg.sphere(1.0), (1, 0, 0, 1), (1, 2, 3))))
    kg.save(eggs, tmp_path / "robot.toml")
    read = kg.load(tmp_path / "robot.toml").visuals
    assert [(v.link, v.shape.kind, v.shape.file, v.colour, v.stretch) for v in read] == [
        (v.link, v.shape.kind, v.shape.file, v.colour, v.stretch) for v in eggs.visuals
    ]


def test_the_motion_does_not_know_them() -> None:
    plain = kg.Mechanism("m", [kg.Link("a", 1.0)], [kg.Joint("j", "prismatic", "world", "a", axis=(0, 0, 1))])
    seen = replace(plain, visuals=(kg.Visual("a", kg.sphere(0.1)),))
    assert seen != plain and canonical(seen) == canonical(plain)
    assert len(kg.combine("both", seen).visuals) == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: kg.Visual("a", "ball"), "shape must be made with"),
        (lambda: kg.Visual("a", kg.sphere(1.0), (1, 2, 0, 1)), "between 0 and 1"),
        (lambda: kg.Visual("a", kg.sphere(1.0), (1, 1, 0)), "colour"),
        (lambda: kg.Visual("a", kg.sphere(1.0), None, (1, 0, 1)), "three positive"),
        (lambda: kg.Mechanism("m", [kg.Link("a")], [kg.Joint("j", "fixed", "world", "a")],
                              visuals=[kg.Visual("b", kg.sphere(1.0))]), "no link"),
    ],
)  # fmt: skip
def test_bad_input(make, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(kg.ModelError, match=words):
        make()


def test_toml_names_the_line(tmp_path: Path) -> None:
    text = '[[link]]\nname = "a"\n[[joint]]\n'
    text += 'name = "j"\nkind = "fixed"\nparent = "world"\nchild = "a"\n[[visual]]\nsphere = 1\n'
    with pytest.raises(kg.ModelError, match="the key 'link' is missing"):
        kg.load(_written(tmp_path, "a.toml", text))
    with pytest.raises(kg.ModelError, match="colour"):
        kg.load(_written(tmp_path, "b.toml", text + 'link = "a"\ncolour = 3\n'))
