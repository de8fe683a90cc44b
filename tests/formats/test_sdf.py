"""SDF: placements in every version's words, loops, joints, gearboxes; the five Cassies of example-robot-data."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from lxml import etree

from kinegen.codegen.mechanism import Mimic, load, merge_fixed
from kinegen.runtime.errors import ModelError
from support.oracles.numeric import Reference, inverse, matrix

CASSIES = sorted((Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots").rglob("*.sdf"))
SUFFIX = ".sdf"
UNIT = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def link(name, rest="", pose="0 0 0 0 0 0"):
    return f'<link name="{name}"><pose>{pose}</pose>{UNIT}{rest}</link>'


def joint(name, kind, parent, child, rest="<axis><xyz>0 0 1</xyz></axis>"):
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{rest}</joint>'


def sdf(*parts, version="1.7", pose="", attributes=""):
    return f'<sdf version="{version}"><model name="m"{attributes}>{pose}{"".join(parts)}</model></sdf>'


def rest(mechanism):
    """q with every free joint where the file puts it, everything else at zero."""
    q = np.zeros(mechanism.tree.nq)
    for body in mechanism.tree.bodies:
        if body.joint.kind == "spherical":
            q[body.q_start + 3] = 1.0
        if body.joint.kind == "free":
            q[body.q_start : body.q_start + 7] = body.joint.rest
    return q


def poses(mechanism):
    """name -> (4, 4) in world, as the file places links"""
    motions = Reference(mechanism, rest(mechanism), np.zeros(mechanism.tree.nv)).motions()
    bodies = mechanism.tree.bodies
    return {b.link.name: m.pose for b, m in zip(bodies, motions, strict=True)} | {"world": np.eye(4)}


def gaps(mechanism):
    """Largest entry of the gap of every loop joint at `rest`."""
    at = poses(mechanism)
    return [
        np.abs(at[j.parent] @ matrix(j.origin) - at[j.child] @ matrix(j.child_origin)).max()
        for j in (virtual.joint for virtual in mechanism.virtual_links)
    ]


def written(text):
    """(4, 4) of "x y z roll pitch yaw", by Pinocchio"""
    x, y, z, *rpy = map(float, text.split())
    return pin.SE3(pin.rpy.rpyToMatrix(*rpy), np.array([x, y, z])).homogeneous


@pytest.mark.parametrize("file", CASSIES, ids=lambda file: file.stem)
def test_cassie(file):
    made = load(file, merge=False, unphysical="allow")
    document = etree.parse(str(file)).getroot()
    assert len(CASSIES) == 5 and len(made.links) == len(document.findall(".//link"))
    assert sum(body.link.mass for body in made.tree.bodies) == pytest.approx(
        sum(float(mass.text) for mass in document.iter("mass")), rel=1e-12
    )
    at = poses(made)
    for node in document.iter("link"):
        np.testing.assert_allclose(at[node.get("name")], written(node.findtext("pose")), atol=1e-12)
    loops = {virtual.joint.name.removeprefix("left-").removeprefix("right-") for virtual in made.virtual_links}
    closed_by_springs = {"shin-spring-joint"} if file.stem == "cassie" else set()
    assert loops == {"pitch-rod-joint", "plantar-foot-joint"} | closed_by_springs
    assert max(gaps(made)) < 1e-12
    assert not any(virtual.joint.actuated for virtual in made.virtual_links)
    merged = merge_fixed(made)
    assert (merged.tree.nq, merged.tree.nv) == (made.tree.nq, made.tree.nv)


def test_cassie_floats_and_its_motors_drive_through_gearboxes():
    file = next(file for file in CASSIES if file.stem == "cassie")
    made = load(file, root="free", unphysical="allow")
    assert (made.tree.nv, len(made.virtual_links)) == (30, 6)
    assert made.joint("root_joint").rest == (0.0, 0.0, 1.01, 0.0, 0.0, 0.0, 1.0)
    assert made.joint("left-knee-ip").mimic.joint == "left-knee-op"
    ratio = float(etree.parse(str(file)).findtext(".//joint[@name='left-knee-joint']/gearbox_ratio"))
    assert made.joint("left-knee-ip").mimic.multiplier == pytest.approx(-1.0 / ratio)
    assert load(file, mimic="independent", unphysical="allow").tree.nv == 24 + 10


def test_axes_of_links_and_joints(read):
    turn = "0.1 0.2 0.3 0.4 0.5 0.6"
    axis = "<pose>0.7 0 0 0.2 0 0.1</pose><axis><xyz>0 1 0</xyz></axis>"
    made = read(sdf(link("a"), link("b", pose=turn), joint("j", "revolute", "a", "b", axis), version="1.6"))
    hinge = made.joint("j")
    np.testing.assert_allclose(matrix(hinge.child_origin), written("0.7 0 0 0.2 0 0.1"), atol=1e-15)
    np.testing.assert_allclose(matrix(hinge.origin), written(turn) @ written("0.7 0 0 0.2 0 0.1"), atol=1e-15)
    assert hinge.axis == (0.0, 1.0, 0.0) and hinge.kind == "continuous"
    in_model = (written(turn) @ written("0.7 0 0 0.2 0 0.1"))[:3, :3].T @ [0, 1, 0]
    older = sdf(link("a"), link("b", pose=turn), joint("j", "revolute", "a", "b", axis), version="1.4")
    np.testing.assert_allclose(read(older).joint("j").axis, in_model, atol=1e-15)
    for version, words in (("1.5", "<use_parent_model_frame>1</use_parent_model_frame>"), ("1.7", "")):
        asked = axis.replace("</xyz>", "</xyz>" + words) if words else axis.replace("<xyz>", '<xyz expressed_in="a">')
        made = read(sdf(link("a"), link("b", pose=turn), joint("j", "revolute", "a", "b", asked), version=version))
        np.testing.assert_allclose(made.joint("j").axis, in_model, atol=1e-15)


def test_poses_relative_to_anything(read):
    """A link on a frame on a joint on a link; frames in degrees and quaternions; the model's own pose."""
    half = math.sqrt(0.5)
    parts = [
        '<frame name="f" attached_to="b"><pose relative_to="a" degrees="true">0 0 1 0 0 90</pose></frame>',
        '<link name="a"><pose>1 0 0 0 0 0</pose></link>',
        '<link name="b"><pose relative_to="j">0 1 0 0 0 0</pose></link>',
        f'<link name="c"><pose relative_to="f" rotation_format="quat_xyzw">0 0 2 0 0 {half} {half}</pose></link>',
        joint("j", "fixed", "a", "b", '<pose relative_to="a">0 2 0 0 0 0</pose>'),
        joint("k", "revolute", "f", "c"),
    ]
    made = read(sdf(*parts, version="1.9", pose="<pose>0 0 5 0 0 0</pose>"))
    at = poses(made)
    np.testing.assert_allclose(at["a"], written("1 0 5 0 0 0"), atol=1e-15)
    np.testing.assert_allclose(at["b"], written("1 3 5 0 0 0"), atol=1e-15)
    np.testing.assert_allclose(at["c"], written(f"1 0 8 0 0 {math.pi}"), atol=1e-15)
    assert made.joint("k").parent == "b" and made.frames[0].link == "b"
    np.testing.assert_allclose(at["b"] @ matrix(made.frames[0].pose), written(f"1 0 6 0 0 {math.pi / 2}"), atol=1e-15)
    assert made.link("a").mass == 1.0 and made.link("a").inertia[1][1] == 1.0  # the format's defaults


def test_models_in_models(read):
    inner = (
        f'<model name="arm"><pose>0 0 1 0 0 0</pose>{link("x")}{link("y")}{joint("j", "revolute", "x", "y")}</model>'
    )
    made = read(sdf(link("base"), inner, joint("weld", "fixed", "base", "arm::x"), version="1.8"))
    assert [b.link.name for b in made.tree.bodies] == ["base", "arm::x", "arm::y"]
    assert made.joint("arm::j").parent == "arm::x"
    np.testing.assert_allclose(poses(made)["arm::y"], written("0 0 1 0 0 0"), atol=1e-15)


def test_worlds(read):
    text = f'<model name="a">{link("x")}</model><model name="b">{link("x", pose="0 0 2 0 0 0")}</model>'
    made = read(f'<sdf version="1.7"><world name="w"><gravity>0 0 -1.6</gravity>{text}</world></sdf>', root="free")
    assert made.gravity == (0.0, 0.0, -1.6)
    assert [(j.name, j.kind, j.child) for j in made.joints] == [
        ("root_joint", "free", "a::x"),
        ("free_b::x", "free", "b::x"),
    ]
    assert made.joint("free_b::x").rest[:3] == (0.0, 0.0, 2.0)
    older = f'<sdf version="1.4"><world name="w"><physics><gravity>0 0 -3</gravity></physics>{text}</world></sdf>'
    assert read(older, root="free").gravity == (0.0, 0.0, -3.0)


def in_world(*parts):
    return f'<sdf version="1.10"><world name="w">{"".join(parts)}</world></sdf>'


def test_frames_of_a_world_place_models_and_stay_frames(read):
    frames = (
        '<frame name="table"><pose degrees="true">1 2 3 0 0 90</pose></frame>',
        '<frame name="corner" attached_to="table"><pose>.5 0 0 0 0 0</pose></frame>',
        '<frame name="tip" attached_to="m::a"><pose relative_to="corner">0 0 2 0 0 0</pose></frame>',
    )
    model = f'<model name="m"><pose relative_to="corner">0 1 0 0 0 0</pose>{link("a", pose="0 0 1 0 0 0")}</model>'
    made = read(in_world(*frames, model), root="free")
    at = poses(made)
    np.testing.assert_allclose(at["m::a"], written(f"0 2.5 4 0 0 {math.pi / 2}"), atol=1e-15)
    expected = {
        "table": ("world", f"1 2 3 0 0 {math.pi / 2}"),
        "corner": ("world", f"1 2.5 3 0 0 {math.pi / 2}"),
        "tip": ("m::a", f"1 2.5 5 0 0 {math.pi / 2}"),
    }
    assert {frame.name: frame.link for frame in made.frames} == {name: where for name, (where, _) in expected.items()}
    for frame in made.frames:
        np.testing.assert_allclose(at[frame.link] @ matrix(frame.pose), written(expected[frame.name][1]), atol=1e-15)


def test_joints_of_a_world_join_models(read):
    """A hinge that hangs one model on the other, told by a frame of the world, and one that holds the first."""
    at_a, at_b = "0 0 1 0 0 0", "2 3 4 .1 .2 .3"
    models = [f'<model name="{name}">{link("x", pose=at)}</model>' for name, at in (("a", at_a), ("b", at_b))]
    axis = '<pose relative_to="ff">0 0 1 0 0 0</pose><axis><xyz expressed_in="a">0 1 0</xyz></axis>'
    parts = [*models, '<frame name="ff" attached_to="a"><pose>0 3 0 0 0 0</pose></frame>']
    parts += [joint("k", "revolute", "ff", "b", axis), joint("h", "prismatic", "world", "a::x")]
    made = read(in_world(*parts))
    assert [(j.name, j.kind, j.parent, j.child) for j in made.joints] == [
        ("k", "continuous", "a::x", "b::x"),
        ("h", "prismatic", "world", "a::x"),
    ]
    np.testing.assert_allclose(made.joint("k").axis, (0, 1, 0), atol=1e-15)
    np.testing.assert_allclose(made.joint("k").origin.xyz, (0, 3, 0), atol=1e-15)
    np.testing.assert_allclose(poses(made)["b::x"], written(at_b), atol=1e-15)


A, C = ((f'<model name="{name}">{{}}{link(name)}</model>') for name in "ac")
HELD = joint("weld", "fixed", "world", "c", "")


@pytest.mark.parametrize(
    ("models", "told"),
    [
        (A.format("") + C.format(""), "a"),
        (C.format("") + A.format(""), "c"),
        (A.format("<static>true</static>") + C.format(""), "c"),
        (A.format(link("b")), "b"),
        (A.format(""), None),
        (A.format("") + C.format(HELD), None),
        (A.format("<static>true</static>"), None),
    ],
)
def test_root_tells_what_it_alone_holds_to_world(read, models, told):
    """A link that "fixed" holds while others of the file float, or stand as it says; "free" parts none of them."""
    for root in ("fixed", "free") if told else ("fixed",):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read(f'<sdf version="1.7"><world name="w">{models}</world></sdf>', root=root)
        said = [str(warning.message) for warning in caught]
        assert len(said) == (root == "fixed" and told is not None)
        assert all(f"<link name='{told}'>: root='fixed' holds this link to world, the file does not" in x for x in said)


def test_static_models_stand(read):
    """A floor and a post in a world do not fall; what floats there keeps its names; foreign elements may stand by."""
    floor = f'<model name="floor"><static>tRue</static>{link("f", pose="0 0 -1 0 0 0")}{link("post")}</model>'
    robot = f'<model name="r"><x:y xmlns:x="urn:x"/>{link("a")}{link("b")}{joint("j", "revolute", "a", "b")}</model>'
    made = read(f'<sdf version="1.6"><world name="w">{floor}{robot}</world></sdf>', root="free", merge=True)
    assert [(b.link.name, b.joint.name) for b in made.tree.bodies] == [("r::a", "root_joint"), ("r::b", "r::j")]
    assert [(f.name, f.link, f.pose.xyz) for f in made.frames] == [
        ("floor::f", "world", (0, 0, -1)),
        ("floor::post", "world", (0, 0, 0)),
    ]


def test_kinds_and_options(read):
    axis = """<axis><xyz>1 0 0</xyz>
    <limit><lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity></limit>
    <dynamics><damping>5</damping><friction>6</friction><spring_reference>7</spring_reference>
    <spring_stiffness>8</spring_stiffness></dynamics></axis>"""
    axis2 = axis.replace("axis>", "axis2>").replace("1 0 0", "0 1 0")
    names = "abcdefghi"
    parts = [
        joint("revolute", "revolute", "a", "b", axis),
        joint("prismatic", "prismatic", "b", "c", axis),
        joint("universal", "universal", "c", "d", axis + axis2),
        joint("revolute2", "revolute2", "d", "e", axis + axis2),
        joint("ball", "ball", "e", "f"),
        joint("screw", "screw", "f", "g", "<axis><xyz>0 0 1</xyz></axis><thread_pitch>-100</thread_pitch>"),
        joint("fine", "screw", "g", "h", "<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.5</screw_thread_pitch>"),
        joint("wheel", "continuous", "h", "i", "<axis><xyz>0 0 1</xyz><limit><effort>0</effort></limit></axis>"),
    ]
    made = read(sdf(*map(link, names), *parts, version="1.10"))
    hinge = made.joint("revolute")
    assert (hinge.kind, hinge.limits, hinge.effort, hinge.velocity) == ("revolute", ((-1, 2),), (3,), (4,))
    assert (hinge.damping, hinge.friction, hinge.rest, hinge.stiffness) == ((5,), (6,), (7,), (8,))
    assert made.joint("prismatic").kind == "prismatic" and made.joint("prismatic").actuated
    for name in ("universal", "revolute2"):
        cross = made.joint(name)
        assert (cross.kind, cross.axis, cross.axis2, cross.damping) == ("universal", (1, 0, 0), (0, 1, 0), (5, 5))
        assert cross.limits == ((-1, 2), (-1, 2)) and cross.rest == (7, 7)
    assert (made.joint("ball").kind, made.joint("ball").actuated) == ("spherical", False)
    assert made.joint("screw").pitch == pytest.approx(0.01)
    assert made.joint("fine").pitch == pytest.approx(0.5 / (2 * math.pi))
    assert (made.joint("wheel").kind, made.joint("wheel").actuated) == ("continuous", False)


def test_mimic(read):
    follow = (
        '<axis><xyz>0 0 1</xyz><mimic joint="j"><multiplier>2</multiplier><offset>1</offset><reference>3</reference>'
    )
    parts = [joint("j", "revolute", "a", "b"), joint("k", "revolute", "b", "c", follow + "</mimic></axis>")]
    text = sdf(*map(link, "abc"), *parts, version="1.11")
    assert read(text).joint("k").mimic == Mimic("j", 2.0, -5.0) and read(text).tree.nv == 1
    assert read(text, mimic="independent").tree.nv == 2
    bare = text.replace("<multiplier>2</multiplier><offset>1</offset><reference>3</reference>", "")
    assert read(bare).joint("k").mimic == Mimic("j", 1.0, 0.0)  # the defaults of the format


def test_names_of_models_put_in_place_hold_colons_before_1_8(read):
    """As `gz sdf -p` of Gazebo Classic writes them, with a frame where the model in the model was."""
    shape = "<collision name='c'><pose relative_to='hand::__model__'>0 0 1 0 0 0</pose>"
    shape += "<geometry><sphere><radius>1</radius></sphere></geometry></collision>"
    pose = "<pose relative_to='__model__'>0 2 0 0 0 0</pose>"
    frame = f"<frame name='hand::__model__' attached_to='hand::palm'>{pose}</frame>"
    hand = link("hand::palm", shape, pose="0 0 3 0 0 0")
    parts = [link("arm"), hand, frame, joint("hand::j", "revolute", "arm", "hand::palm")]
    made = read(sdf(*parts))
    assert made.joint("hand::j").child == "hand::palm" and made.frames[0].name == "hand::__model__"
    assert made.link("hand::palm").shapes[0].pose.xyz == (0.0, 2.0, -2.0)
    with pytest.raises(ModelError, match=r"<link name='hand::palm'>: the name 'hand::palm' is reserved; rename it"):
        read(sdf(*parts, version="1.8"))


def test_loops_are_closed_by_balls_and_joints_turn_round(read):
    """A four-bar listed against the tree: b-c-d hang on a; d is reached from c by a hinge whose parent it is."""
    parts = [
        link("a"),
        link("b", pose="0 0 1 0.1 0 0"),
        link("c", pose="1 0 1 0 0.2 0"),
        link("d", pose="1 0 0 0 0 0.3"),
        joint("ab", "revolute", "a", "b"),
        joint("ball", "ball", "a", "d"),
        joint("bc", "revolute", "b", "c"),
        joint("dc", "prismatic", "d", "c", "<pose>0 0.1 0 0.3 0 0</pose><axis><xyz>0 0.6 0.8</xyz></axis>"),
    ]
    made = read(sdf(*parts))
    assert [v.joint.name for v in made.virtual_links] == ["ball"] and made.joint("ball").cut
    turned = made.joint("dc")
    assert (turned.parent, turned.child, turned.axis) == ("c", "d", (0.0, -0.6, -0.8))
    at = poses(made)
    np.testing.assert_allclose(at["d"], written("1 0 0 0 0 0.3"), atol=1e-12)
    assert gaps(made)[0] < 1e-12


def test_turned_joints_keep_their_motion(read):
    """The motion of c against d is the same whether the file says d -> c or c -> d, for every kind."""
    rng = np.random.default_rng(1)
    two = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 0.6 0.8</xyz></axis2>"
    kinds = {"revolute": "", "prismatic": "", "screw": "<thread_pitch>3</thread_pitch>", "universal": two, "ball": ""}
    for kind, more in kinds.items():
        axis = more if kind == "universal" else "<axis><xyz>0.6 0 0.8</xyz></axis>" + more
        axis = "<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>" + axis
        parts = [link("d", pose="1 0 0 0 0 0.3"), link("c", pose="0 1 0 0.5 0 0")]
        straight = read(sdf(*parts, joint("j", kind, "d", "c", axis)))
        turned = read(sdf(*parts[::-1], joint("top", "fixed", "world", "c", ""), joint("j", kind, "d", "c", axis)))
        assert (turned.joint("j").parent, straight.joint("j").parent) == ("c", "d")
        q = rng.uniform(-1, 1, straight.tree.nq)
        other = q
        if kind == "universal":
            other = q[::-1]
        if kind == "ball":
            q /= np.linalg.norm(q)
            other = q * [-1, -1, -1, 1]
        found = []
        for made, coordinates in ((straight, q), (turned, other)):
            motions = Reference(made, coordinates, np.zeros(made.tree.nv)).motions()
            at = {b.link.name: m.pose for b, m in zip(made.tree.bodies, motions, strict=True)}
            found.append(inverse(at["d"]) @ at["c"])
        np.testing.assert_allclose(found[0], found[1], atol=1e-12)


def test_inertia_and_shapes(read):
    inertial = """<inertial><pose>1 2 3 0 0 1.5707963267948966</pose><mass>4</mass><inertia><ixx>1</ixx><iyy>2</iyy>
    <izz>3</izz></inertia></inertial>"""
    shapes = """<collision name="s"><pose>0 0 1 0 0 0</pose><geometry><sphere><radius>0.5</radius></sphere></geometry>
    <surface><friction><ode><mu>0.3</mu></ode></friction>
    <bounce><restitution_coefficient>0.2</restitution_coefficient></bounce></surface></collision>
    <collision name="m"><geometry><mesh><uri>model://x/y.stl</uri><scale>1 1 2</scale></mesh></geometry></collision>
    <collision name="p"><geometry><plane><normal>1 0 0</normal></plane></geometry></collision>"""
    made = read(sdf(f'<link name="a">{inertial}{shapes}</link>'), root="free")
    body = made.link("a")
    assert body.mass == 4.0 and body.com == (1.0, 2.0, 3.0)
    np.testing.assert_allclose(np.array(body.inertia, dtype=float), np.diag([2.0, 1.0, 3.0]), atol=1e-15)
    ball, mesh, plane = body.shapes
    assert (ball.kind, ball.size, ball.pose.xyz, ball.friction, ball.restitution) == (
        "sphere",
        (0.5,),
        (0, 0, 1),
        0.3,
        0.2,
    )
    assert (mesh.kind, mesh.file, mesh.size, mesh.friction) == ("mesh", "model://x/y.stl", (1.0, 1.0, 2.0), 1.0)
    np.testing.assert_allclose(np.array(plane.pose.rotation, dtype=float)[:, 2], [1, 0, 0], atol=1e-15)


@pytest.mark.parametrize(
    "geometry",
    [
        "<ellipsoid><radii>1 1 2</radii></ellipsoid>",
        "<cone/>",
        "<heightmap><uri>x.png</uri></heightmap>",
        "<polyline/>",
    ],
)
def test_shapes_that_do_not_touch_are_told_and_left_out(read, geometry):
    shapes = f"<collision name='c'><geometry>{geometry}</geometry></collision>{BALL.format('')}"
    with pytest.warns(
        UserWarning, match=rf"\.sdf:\d+: <{geometry[1:5]}\w*>: .* touch anything here \(link 'a'\)$"
    ) as found:
        made = read(sdf(f"<link name='a'>{UNIT}{shapes}</link>"), root="free")
    assert len(found) == 1 and [shape.kind for shape in made.link("a").shapes] == ["sphere"]


def test_unphysical_is_judged_as_in_other_formats(read):
    text = sdf(link("a").replace("<ixx>1<", "<ixx>5<"))
    with pytest.warns(UserWarning, match="triangle inequality"):
        read(text, root="free")
    with pytest.raises(ModelError, match="cannot exist"):
        read(text, root="free", unphysical="error")


BALL = "<collision name='c'><geometry><sphere><radius>.2</radius></sphere></geometry>{}</collision>"


def test_links_of_a_model_touch_as_self_collide_says(read):
    """Not said: never across trees. False: never. True, of one of two: as contact rules say, which a warning tells."""

    def excluded(model, c=""):
        links = [f"<link name='{n}'>{UNIT}{BALL.format('')}{c if n == 'c' else ''}</link>" for n in "abc"]
        hinge = "<joint name='j' type='ball'><parent>a</parent><child>b</child></joint>"
        return set(read(sdf(model + "".join(links) + hinge), root="free").excluded)

    yes, no = (f"<self_collide>{word}</self_collide>" for word in ("true", "false"))
    assert excluded("") == {("a", "c"), ("b", "c")}
    assert excluded(no) == {("a", "b"), ("a", "c"), ("b", "c")}
    for model, c, expected in ((yes, "", set()), (yes, no, set()), (no, yes, {("a", "b")}), ("", yes, set())):
        with pytest.warns(UserWarning, match=r":\d+: <model name='m'>: self_collide: .*within=True"):
            assert excluded(model, c) == expected
    text = sdf(no + "".join(f"<link name='{n}'>{UNIT}{BALL.format('')}</link>" for n in "abc"))
    with pytest.warns(UserWarning, match="root='fixed' holds this link to world, the file does not"):
        made = read(text)
    assert set(made.excluded) == {("a", "b"), ("a", "c"), ("b", "c")}  # a is a part of world


def test_surfaces_say_what_is_not_read(read):
    def surface(text):
        shape = BALL.format(f"<surface>{text}</surface>")
        (found,) = read(sdf(f"<link name='a'>{UNIT}{shape}</link>"), root="free").link("a").shapes
        return found

    plain = "<contact><collide_without_contact>0</collide_without_contact><ode><kp>1e12</kp><kd>1</kd></ode></contact>"
    assert surface(f"<friction><ode><mu>.5</mu><mu2>0.5</mu2><slip1>0</slip1></ode></friction>{plain}").friction == 0.5
    for text, told in (
        ("<friction><ode><mu>.5</mu><mu2>.1</mu2><slip1>.3</slip1></ode></friction>", "mu2, slip1"),
        ("<contact><ode><kp>1e4</kp></ode></contact>", "kp"),
        ("<contact><collide_without_contact>true</collide_without_contact></contact>", "collide_without_contact"),
        ("<friction><bullet><friction>0.2</friction></bullet></friction>", "friction"),
    ):
        with pytest.warns(UserWarning, match=rf"\.sdf:\d+: <surface>: {told}: not read; surfaces are rigid"):
            surface(text)


def test_comments_before_and_within_numbers_change_nothing(read):
    bits = "<contact><collide_bitmask><!-- left -->1<!-- right -->2</collide_bitmask></contact>"
    shape = BALL.format(f"<surface>{bits}</surface>")
    made = read(sdf(link("a", shape, pose="<!-- up -->0 0 3 0 0 0"), link("b"), joint("j", "fixed", "b", "a", "")))
    assert made.joint("j").origin.xyz == (0.0, 0.0, 3.0) and made.link("a").shapes[0].mask == 12
    stiff = "<surface><contact><ode><kp><!-- soft -->1e4</kp></ode></contact></surface>"
    with pytest.warns(UserWarning, match=r"<surface>: kp: not read"):
        read(sdf(link("a", BALL.format(stiff))), root="free")


def test_what_another_tool_reads_from_its_own_name_space_is_told(read):
    """If it moves bodies there: a rotor of no inertia does not, nor what only looks."""
    drake = '<d:joint xmlns:d="http://drake.mit.edu" name="k"/><d:{} xmlns:d="http://drake.mit.edu">{}</d:{}>'
    parts = [link("a"), link("b"), joint("j", "revolute", "a", "b")]
    with pytest.warns(UserWarning, match=r"model\.sdf:1: <d:joint name='k'>: is not read$") as found:
        read(sdf(*parts, drake.format("rotor_inertia", "0.0", "rotor_inertia")))
    assert len(found) == 1
    with pytest.warns(UserWarning, match=r"<d:rotor_inertia>: is not read$") as found:
        read(sdf(*parts, drake.format("rotor_inertia", "0.1", "rotor_inertia")))
    assert len(found) == 2
    with pytest.warns(UserWarning, match=r"<d:link>: is not read$"):
        read(sdf(*parts, '<d:link xmlns:d="http://drake.mit.edu"/>'))
