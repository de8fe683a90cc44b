"""Mesh files as shapes of contact: what is opened, hulls beside pinocchio's, a robot that falls on them."""

from __future__ import annotations

import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import cmeel
import numpy as np
import pinocchio
import pytest
import trimesh

import kinegen as kg
from kinegen.codegen.analysis.contact.collision_pairs import touching
from kinegen.codegen.analysis.contact.rules import ContactRules
from kinegen.codegen.mechanism import Joint, Link, Mechanism, load
from kinegen.codegen.mechanism.geometry.meshes import find_mesh, mesh_hull
from kinegen.codegen.pipeline import generate
from kinegen.runtime import Simulator
from kinegen.runtime.errors import ContactWarning, ModelError
from support.contact.contact_scenes import at, scene, shapes

SHARE = Path(next(iter(cmeel.__path__))).parent / "cmeel.prefix/share"
ROBOTS = SHARE / "example-robot-data/robots"
BOX = trimesh.creation.box((0.2, 0.3, 0.1))
MOMENTS = (0.01, 0, 0, 0.01, 0, 0.01)


def angle_iron(file: Path) -> Path:
    """An L: not convex."""
    other = trimesh.creation.box((0.1, 0.1, 0.4)).apply_translation((0.05, 0, 0.25))
    trimesh.util.concatenate([BOX, other]).export(file)
    return file


def on_ground(shape: shapes.Shape) -> Mechanism:
    link = Link("foot", 1.0, (0, 0, 0), MOMENTS, shapes=[shape])
    return Mechanism("one", [link], [Joint("f", "free", "world", "foot")], shapes=[shapes.plane()])


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "off"])
def test_a_mesh_of_a_box_is_a_box(suffix: str, tmp_path: Path) -> None:
    BOX.export(tmp_path / f"b.{suffix}")
    solid, convex = mesh_hull(shapes.mesh(tmp_path / f"b.{suffix}", scale=(1, -2, 1)))
    assert convex and sorted(map(len, solid.faces)) == [4] * 6
    np.testing.assert_allclose(np.ptp(solid.vertices, axis=0), [0.2, 0.6, 0.1], atol=1e-6)


@pytest.mark.parametrize("half", [np.float32(0.5), np.array(0.5)[()], Fraction(1, 2)])
def test_any_real_number_scales_a_mesh(half: float) -> None:
    assert shapes.mesh("b.stl", scale=half) == shapes.mesh("b.stl", scale=0.5)
    assert shapes.mesh("b.stl", scale=np.int64(2)).size == (2.0, 2.0, 2.0)
    few = shapes.mesh("b.stl", hull=True, most=5)
    assert shapes.mesh("b.stl", hull=True, most=np.int64(5)) == few
    assert replace(few, mask=np.uint8(3)) == replace(few, mask=3)


def test_a_mesh_falls_as_the_points_do(tmp_path: Path) -> None:
    rock = np.random.default_rng(1).normal(size=(15, 3)) * 0.1
    trimesh.convex.convex_hull(rock).export(tmp_path / "rock.ply")
    paths = []
    for shape in (shapes.convex(rock), shapes.mesh(tmp_path / "rock.ply")):
        link = Link("b", 1.0, (0, 0, 0), MOMENTS, shapes=[shape])
        sim = Simulator(scene("fall", [link], [shapes.plane()]), q=at((0, 0, 0.4)))
        sim.step(500)
        paths.append(sim.q)
    np.testing.assert_allclose(paths[0], paths[1], atol=1e-4)


def test_a_mesh_that_is_not_convex_needs_a_word(tmp_path: Path) -> None:
    file = angle_iron(tmp_path / "l.stl")
    with pytest.raises(ModelError, match=r"link 'foot': mesh .*l.stl' is not convex; say hull=True"):
        generate(on_ground(shapes.mesh(file)))
    with pytest.warns(ContactWarning, match="touch as their convex hulls: 'foot'"):
        assert generate(on_ground(shapes.mesh(file, hull=True))).manifest.touching


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none.stl", None, "there is no such file"),
        ("empty.stl", b"", "cannot be read|is empty"),
        ("bad.obj", b"\x00\xff" * 40, "cannot be read|is empty"),
        ("text.txt", b"hello", "no reader for '.txt' files"),
        ("print.3mf", b"PK\x03\x04", "no reader for '.3mf' files"),
        ("flat.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n", "span no volume"),
        ("nan.obj", b"v 0 0 0\nv 1 0 nan\nv 0 1 0\nv 1 1 1\nf 1 2 3\nf 2 4 3\n", "cannot be read|is empty|vertex 1 is"),
    ],
)
def test_meshes_that_cannot_be_had(name: str, content: bytes | None, said: str, tmp_path: Path) -> None:
    """An error that names the link for those given in Python; those of model files are left out with a warning."""
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=f"link 'foot': .*({said})"):
        generate(on_ground(shapes.mesh(tmp_path / name)))
    read = replace(shapes.mesh(name), folder=str(tmp_path), hull=True)
    with pytest.warns(ContactWarning, match=f"take no part in contact: link 'foot': .*({said})"):
        assert not generate(on_ground(read)).manifest.touching


def test_model_files_open_meshes_in_their_own_place_only(tmp_path: Path) -> None:
    home = tmp_path / "ws" / "robot_description" / "urdf"
    for folder in (home, home.parent / "meshes", tmp_path / "ws" / "hand_description"):
        folder.mkdir(parents=True)
        BOX.export(folder / "b.stl")
    BOX.export(tmp_path / "secret.stl")
    (home.parent / "meshes" / "link.stl").symlink_to(tmp_path / "secret.stl")

    def found(name: str) -> Path:
        return find_mesh(replace(shapes.mesh(name), folder=str(home))).resolve()

    assert found("b.stl") == home / "b.stl"
    assert found("../meshes/b.stl") == home.parent / "meshes/b.stl"
    assert found("package://robot_description/meshes/b.stl") == home.parent / "meshes/b.stl"
    assert found("package://hand_description/b.stl") == tmp_path / "ws/hand_description/b.stl"
    assert found("model://robot_description/urdf/b.stl") == home / "b.stl"
    outside = ("../../../secret.stl", str(tmp_path / "secret.stl"), f"file://{tmp_path}/secret.stl")
    for name in (*outside, "package://hand_description/../../secret.stl", "../meshes/link.stl"):
        with pytest.raises(ModelError, match="lies outside"):
            found(name)
    with pytest.raises(ModelError, match="files from 'http' are not opened"):
        found("http://host/b.stl")
    for name in ("package://../b.stl", "package://nowhere/b.stl"):
        with pytest.raises(ModelError, match="is not above"):
            found(name)


def test_the_whole_disk_is_nobodys_place(tmp_path: Path) -> None:
    """A model directly below the root of the disk, as in /tmp, has its own folder alone."""
    top = Path(*tmp_path.resolve().parts[:2])
    assert top.parent == Path("/")
    other = tmp_path / "b.stl"
    BOX.export(other)
    shape = shapes.mesh(other.relative_to(top))
    assert find_mesh(replace(shape, folder=str(top))) == other
    for name in ("../etc/b.stl", "/etc/b.stl", "file:///etc/b.stl", f"../{top.name}x/b.stl"):
        with pytest.raises(ModelError, match=f"lies outside {top};"):
            find_mesh(replace(shapes.mesh(name), folder=str(top)))
    with pytest.raises(ModelError, match="package 'etc' is not above"):
        find_mesh(replace(shapes.mesh("package://etc/b.stl"), folder=str(top)))


def test_mjcf_meshes_bits_and_exclusions(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    BOX.export(tmp_path / "assets" / "b.stl")
    body = '<body name="{0}" pos="0 0 {1}"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{2}</body>'
    mesh, ball = '<geom type="mesh" mesh="b"/>', '<geom size=".1" contype="2" conaffinity="4"/>'
    text = (
        '<mujoco><compiler meshdir="assets"/><asset><mesh file="b.stl"/></asset><worldbody>'
        '<geom type="plane" size="1 1 1" contype="1" conaffinity="1"/>'
        + body.format("a", 1, mesh)
        + body.format("b", 2, mesh)
        + body.format("c", 3, ball)
        + body.format("d", 3, ball)
        + body.format("e", 4, '<geom size=".1" contype="4" conaffinity="0"/>')
        + '</worldbody><contact><exclude body1="a" body2="b"/></contact></mujoco>'
    )
    (tmp_path / "m.xml").write_text(text)
    mechanism = load(tmp_path / "m.xml")
    assert mechanism.excluded == (("a", "b"),)
    assert set(generate(mechanism).manifest.touching) == {("world", "a"), ("world", "b"), ("c", "e"), ("d", "e")}
    rules = ContactRules(groups={"c": (1, 1)}, exclude=[("a", "world")])
    assert set(generate(mechanism, contacts=rules).manifest.touching) == {
        ("world", "b"),
        ("world", "c"),
        ("d", "e"),
        ("c", "a"),
        ("c", "b"),
    }


@pytest.mark.parametrize(
    "file",
    [
        "borinot_description/urdf/borinot_flying_arm_2.urdf",
        pytest.param("solo_description/robots/solo.urdf", marks=pytest.mark.sweep),
    ],
)
def test_hulls_of_robots_are_pinocchios(file: str) -> None:
    """Extent of every collision mesh, DAE and OBJ, as pinocchio's own reader has it."""
    robot = replace(load(ROBOTS / file, root="free", unphysical="allow", merge=False), shapes=(shapes.plane(),))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)
        table = touching(robot, ContactRules())
    model = pinocchio.buildModelFromUrdf(str(ROBOTS / file), pinocchio.JointModelFreeFlyer())
    geometry = pinocchio.buildGeomFromUrdf(
        model, str(ROBOTS / file), pinocchio.GeometryType.COLLISION, package_dirs=[str(SHARE), str(SHARE.parent)]
    )
    theirs = sorted(
        tuple(np.round(np.ptp(g.geometry.vertices(), axis=0) * g.meshScale.ravel(), 5))
        for g in geometry.geometryObjects
        if hasattr(g.geometry, "vertices")
    )
    ours = sorted(
        tuple(np.round(np.ptp(np.array(placed.solid.vertices), axis=0), 5))
        for placed in table.shapes
        if placed.shape.kind == "mesh" and placed.solid
    )
    assert len(ours) == len(theirs) > 2
    np.testing.assert_allclose(ours, theirs, rtol=0.02, atol=1e-3)


def test_a_robot_falls_on_its_meshes() -> None:
    robot = load(ROBOTS / "bolt_description/robots/bolt.urdf", root="free", unphysical="allow")
    joints = [replace(joint, damping=(0.05,)) if joint.nv == 1 else joint for joint in robot.joints]
    robot = replace(robot, joints=tuple(joints), shapes=(shapes.plane(),))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)
        model = kg.compile(robot)
    q = model.neutral()
    q[2] = 0.5
    sim = Simulator(model, q=q)
    trajectory = sim.run(3.0, every=10)
    weight = sum(float(link.mass) for link in robot.links) * 9.81
    np.testing.assert_allclose(-sim.contacts.wrench("world")[2], weight, rtol=0.02)
    assert trajectory.contacts is not None
    assert sim.contacts.gaps.min() > -3e-4 and np.abs(sim.v).max() < 0.2


def test_a_mesh_on_several_links_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of four, of another size, are another solid."""
    file = tmp_path / "box.stl"
    trimesh.creation.box((0.2, 0.2, 0.2)).export(file)
    opened: list[Path] = []
    load_scene = trimesh.load_scene

    def seen(path: Path, **how: bool) -> trimesh.Scene:
        opened.append(path)
        return load_scene(path, **how)

    monkeypatch.setattr(trimesh, "load_scene", seen)
    meshes = [shapes.mesh(file, scale=1.0 + i // 2) for i in range(4)]
    links = [Link(f"l{i}", 1.0, (0, 0, 0), (1, 0, 0, 1, 0, 1), [mesh]) for i, mesh in enumerate(meshes)]
    joints = [Joint(f"j{i}", "free", "world", link.name) for i, link in enumerate(links)]
    found = touching(Mechanism("four", links, joints), ContactRules())
    widths = [max(x for x, _, _ in placed.solid.vertices) for placed in found.shapes if placed.solid]
    assert widths == pytest.approx([0.1, 0.1, 0.2, 0.2])
    assert len(opened) == 2


def meshed(urdf: Path, name: str) -> Mechanism:
    """A body with one mesh that touches and one that is seen, of a URDF."""
    mesh = f'<geometry><mesh filename="{name}"/></geometry>'
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    body = f'<link name="b">{inertial}<visual>{mesh}</visual><collision>{mesh}</collision></link>'
    urdf.write_text(f'<robot name="r">{body}</robot>', encoding="utf-8")
    return load(urdf, root="free")


def meshes_of(mechanism: Mechanism) -> list[Path]:
    found = (*mechanism.links[0].shapes, *(visual.shape for visual in mechanism.visuals))
    return [find_mesh(shape).resolve() for shape in found]


@pytest.mark.parametrize("name", ["meshes/b.stl", "../b.stl", "file://meshes/b.stl", "package://robot/meshes/b.stl"])
@pytest.mark.parametrize("target", ["robot", "robot/meshes", "beside", "robot/urdf"])
def test_a_saved_mechanism_finds_its_meshes_from_another_folder(name: str, target: str, tmp_path: Path) -> None:
    for folder in ("robot/meshes", "robot/urdf", "beside"):
        (tmp_path / folder).mkdir(parents=True)
    for place in ("robot/meshes/b.stl", "b.stl"):
        BOX.export(tmp_path / place)
    made = meshed(tmp_path / "robot" / "r.urdf", name)
    file = tmp_path / target / "saved.toml"
    if target in ("robot/meshes", "robot/urdf") and name == "../b.stl":  # two folders up: not to be opened from there
        with pytest.raises(ModelError, match=r"saved.toml: link 'b': mesh '../b.stl': a model file in .* may not open"):
            kg.save(made, file)
        return
    kg.save(made, file)
    assert meshes_of(load(file)) == meshes_of(made)


def test_meshes_named_in_python_are_found_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    BOX.export(tmp_path / "b.stl")
    kg.save(on_ground(shapes.mesh("b.stl")), "models/b.toml")
    assert load("models/b.toml").links[0].shapes[0].file == "../b.stl"
    assert meshes_of(load("models/b.toml")) == [tmp_path / "b.stl"]


def test_a_package_that_the_saved_file_does_not_find_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("ws/robot", "far/off/models"):
        (tmp_path / folder).mkdir(parents=True)
    BOX.export(tmp_path / "ws/robot/b.stl")
    made = meshed(tmp_path / "ws/robot/r.urdf", "package://robot/b.stl")
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    with pytest.raises(ModelError, match=r"link 'b': mesh 'package://.*; let ROS_PACKAGE_PATH name the folder of"):
        kg.save(made, tmp_path / "far/off/models/r.toml")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ws"))
    kg.save(made, tmp_path / "far/off/models/r.toml")
    assert load(tmp_path / "far/off/models/r.toml").links[0].shapes == made.links[0].shapes


def test_a_mesh_that_is_not_found_keeps_its_name(tmp_path: Path) -> None:
    """Neither does the mechanism itself find it, nor is it found where it must not be."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    BOX.export(tmp_path / "secret.stl")
    for name in ("gone.stl", "../../secret.stl"):
        kg.save(meshed(tmp_path / "a" / "b" / "r.urdf", name), tmp_path / "r.toml")
        assert load(tmp_path / "r.toml").links[0].shapes[0].file == name
