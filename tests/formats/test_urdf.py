"""URDF: what is read, and that order, masses and placements are Pinocchio's."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from kinegen.codegen.mechanism import Mimic, Pose, load
from kinegen.runtime.errors import ModelError
from support.oracles.numeric import matrix

ROBOTS = sorted((Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots").rglob("*.urdf"))


def inertial(mass=1.0, xyz="0 0 0", rpy="0 0 0", moments=(1.0, 0.0, 0.0, 1.0, 0.0, 1.0)):
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    values = " ".join(f'{k}="{v}"' for k, v in zip(names, moments, strict=True))
    return f'<inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass}"/><inertia {values}/></inertial>'


def joint(name, kind, parent, child, rest=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{rest}</joint>'


def body(name, rest=None):
    return f'<link name="{name}">{inertial() if rest is None else rest}</link>'


def robot(*parts, name="r"):
    return f'<?xml version="1.0"?>\n<robot name="{name}">\n' + "\n".join(parts) + "\n</robot>\n"


@pytest.fixture
def read(tmp_path):
    def read(text, **options):
        file = tmp_path / "robot.urdf"
        file.write_text(text, encoding="utf-8")
        return load(file, **options)

    return read


ARM = [body("base"), body("arm"), joint("j", "revolute", "base", "arm")]


def test_root_fixed_or_free(read):
    fixed, free = read(robot(*ARM)), read(robot(*ARM), root="free", name="other")
    assert [b.joint.name for b in fixed.tree.bodies] == ["j"] and fixed.joint("j").parent == "world"
    assert [f.name for f in fixed.frames] == ["base"] and fixed.frames[0].link == "world"
    assert [(b.joint.name, b.joint.kind) for b in free.tree.bodies] == [("root_joint", "free"), ("j", "revolute")]
    assert (fixed.name, free.name, free.tree.nq, free.tree.nv) == ("r", "other", 8, 7)
    assert fixed.gravity == (0.0, 0.0, -9.81)
    unmerged = read(robot(*ARM), merge=False)
    assert [b.link.name for b in unmerged.tree.bodies] == ["base", "arm"] and unmerged.tree.nv == 1


def test_root_called_world_is_the_ground(read):
    """So are its shapes."""
    floor = '<link name="world"><collision><geometry><box size="4 4 1"/></geometry></collision></link>'
    mechanism = read(robot(floor, body("a"), joint("f", "prismatic", "world", "a")))
    assert [b.joint.parent for b in mechanism.tree.bodies] == ["world"]
    assert [link.name for link in mechanism.links] == ["a"]
    assert [(shape.kind, shape.size) for shape in mechanism.shapes] == [("box", (4.0, 4.0, 1.0))]
    assert mechanism.frames == ()


def test_inertial_frame_is_turned_into_link_axes(read):
    text = robot(body("base"), body("a", inertial(2.0, "1 2 3", "0.3 -0.4 0.5", (0.3, 0.01, 0.02, 0.4, 0.03, 0.5))),
                 joint("j", "revolute", "base", "a"))  # fmt: skip
    link = read(text).link("a")
    turn = np.array(Pose(rpy=(0.3, -0.4, 0.5)).rotation)
    own = np.array([[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]])
    np.testing.assert_allclose(link.inertia, turn @ own @ turn.T, atol=1e-15)
    assert (link.mass, link.com) == (2.0, (1.0, 2.0, 3.0))


def test_kinds_axes_limits_and_dynamics(read):
    options = '<origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><axis xyz="0 2 0"/>'
    limit = '<limit lower="-1" upper="2" effort="10" velocity="3"/><dynamics damping="0.5" friction="0.1"/>'
    kinds = ("continuous", "fixed", "floating", "planar", "prismatic", "revolute", "spherical")
    parts = [body("base"), *(body(kind) for kind in kinds)]
    for kind in kinds:
        axis = options.replace("0 2 0", "0 0 1") if kind == "planar" else options
        parts.append(joint(f"j_{kind}", kind, "base", kind, axis + (limit if kind != "fixed" else "")))
    mechanism = read(robot(*parts))
    got = {j.name.removeprefix("j_"): j for j in mechanism.joints}
    assert {k: j.kind for k, j in got.items()} == {k: "free" if k == "floating" else k for k in kinds if k != "fixed"}
    assert got["revolute"].axis == (0.0, 1.0, 0.0) and got["revolute"].limits == ((-1.0, 2.0),)
    assert got["continuous"].limits == ((-math.inf, math.inf),)
    assert got["prismatic"].effort == (10.0,) and got["prismatic"].velocity == (3.0,)
    assert got["spherical"].damping == (0.5,) * 3 and got["revolute"].friction == (0.1,)
    assert got["revolute"].origin.rotation == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert [f.name for f in mechanism.frames] == ["base", "fixed"]


def test_a_comment_may_name_document_types(read):
    assert len(read('<robot name="r"><!-- <!DOCTYPE r>\n<!ENTITY x> --><link name="a"/></robot>').links) == 1


def test_axis_is_x_unless_given(read):
    assert read(robot(*ARM)).joint("j").axis == (1.0, 0.0, 0.0)


def test_collision_geometry_becomes_shapes_and_meshes_stay_closed(read):
    geometry = (
        '<box size="1 2 3"/>',
        '<sphere radius="0.5"/>',
        '<cylinder radius="0.1" length="2"/>',
        '<capsule radius="0.1" length="2"/>',
        '<mesh filename="package://no/such/../../file.stl" scale="1 1 -1"/>',
    )
    parts = "".join(f'<collision><origin xyz="0 0 1"/><geometry>{g}</geometry></collision>' for g in geometry)
    shapes = read(robot(body("base"), body("a", inertial() + parts), ARM[2].replace("arm", "a"))).link("a").shapes
    assert [s.kind for s in shapes] == ["box", "sphere", "cylinder", "capsule", "mesh"]
    assert shapes[4].file == "package://no/such/../../file.stl" and shapes[2].size == (0.1, 2.0)
    assert all(s.pose.xyz == (0.0, 0.0, 1.0) for s in shapes)


FOLLOWS = [
    *ARM,
    body("f"),
    joint("a_follower", "revolute", "base", "f", '<mimic joint="j" multiplier="-2" offset="0.5"/>'),
]


def test_mimic_exact_or_independent(read):
    exact, independent = read(robot(*FOLLOWS)), read(robot(*FOLLOWS), mimic="independent")
    assert exact.tree.nv == 1 and exact.joint("a_follower").mimic == Mimic("j", -2.0, 0.5)
    assert not exact.joint("a_follower").actuated
    assert independent.tree.nv == 2 and independent.joint("a_follower").mimic is None
    assert independent.joint("a_follower").actuated


def test_siblings_sort_by_the_bytes_of_their_joint_names(read):
    names = ["b", "B", "a10", "a2", "é", "_", "Z", "a b", "日本"]
    parts = [body("base"), *(body(f"l{i}") for i in range(len(names)))]
    parts += [joint(n, "revolute", "base", f"l{i}") for i, n in enumerate(names)]
    mechanism = read(robot(*parts))
    assert [b.joint.name for b in mechanism.tree.bodies] == sorted(names, key=str.encode)


HOSTILE = (
    'a"; system("x"); //',
    "../../x",
    "<script>alert(1)</script>",
    "%s%n{{7*7}}",
    "*/ int main;",
    "日本 語",
    "\\",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_as_given(read, name):
    escaped = name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    text = robot(body("base"), body(escaped), joint(escaped, "revolute", "base", escaped), name=escaped)
    mechanism = read(text)
    assert mechanism.name == mechanism.links[0].name == mechanism.joints[0].name == name


def test_sloppy_inertias_warn_by_name(read):
    sloppy = body("arm", inertial(moments=(1, 0, 0, 1, 0, 3)))
    text = robot(ARM[0], sloppy, ARM[2])
    with pytest.warns(UserWarning, match=r"'arm' \(its principal moments 1, 1, 3 break the triangle inequality"):
        read(text)
    with pytest.raises(ModelError, match="link 'arm' cannot exist"):
        read(text, unphysical="error")
    allowed = read(text, unphysical="allow")
    assert allowed.link("arm").inertia[2][2] == 3.0
    sound = read(robot(*ARM))
    with pytest.raises(ModelError, match="link 'arm' cannot exist"):
        replace(sound, links=[allowed.link("arm") if link.name == "arm" else link for link in sound.links])


# against Pinocchio

# why a robot cannot be had with a fixed or a free root
REFUSED = {
    "asr_twodof_description/urdf/TwoDofs.urdf": {"free": "called 'world'"},
    "romeo_description/urdf/romeo_laas_small.urdf": {
        "fixed": "'LHipPitch_link' cannot exist: its inertia has the negative principal moment",
        "free": "'LHipPitch_link' cannot exist: its inertia has the negative principal moment",
    },
    "ur_description/urdf/ur3.urdf": {"fixed": "has no <link>", "free": "has no <link>"},
    "ur_description/urdf/ur3_gripper.urdf": {"free": "called 'world'"},
    "ur_description/urdf/ur3_joint_limited_robot.urdf": {"free": "called 'world'"},
    "ur_description/urdf/ur3_robot.urdf": {"free": "called 'world'"},
    "ur_description/urdf/ur5_gripper.urdf": {"free": "called 'world'"},
    "ur_description/urdf/ur5_joint_limited_robot.urdf": {"free": "called 'world'"},
    "ur_description/urdf/ur5_robot.urdf": {"free": "called 'world'"},
    "ur_description/urdf/ur10_joint_limited_robot.urdf": {"free": "called 'world'"},
    "ur_description/urdf/ur10_robot.urdf": {"free": "called 'world'"},
    "xarm_description/urdf/xarm7.urdf": {"free": "called 'world'"},
    "z1_description/urdf/z1.urdf": {"free": "called 'world'"},
}


def short(file):
    return "/".join(file.parts[-3:])


@pytest.mark.filterwarnings("ignore:.*inertias that no body can have")
@pytest.mark.parametrize(
    ("file", "root"),
    [
        pytest.param(file, root, marks=() if root == "fixed" or number % 3 == 0 else pytest.mark.sweep)
        for number, file in enumerate(ROBOTS)
        for root in ("fixed", "free")
    ],
    ids=lambda given: given if isinstance(given, str) else short(given),
)
def test_order_masses_and_placements_are_pinocchios(file, root):
    reason = REFUSED.get(short(file), {}).get(root)
    if reason:
        with pytest.raises(ModelError, match=reason):
            load(file, root=root, mimic="independent")
        return
    mechanism = load(file, root=root, mimic="independent")
    model = pin.buildModelFromUrdf(str(file), *([pin.JointModelFreeFlyer()] if root == "free" else []))
    tree = mechanism.tree
    moving = [body for body in tree.bodies if body.nv]  # all, or none where every link is fixed to world
    assert [body.joint.name for body in moving] == list(model.names)[1:]
    assert tree.nv == model.nv
    for body, theirs, placement, their_joint in zip(
        moving, list(model.inertias)[1:], list(model.jointPlacements)[1:], list(model.joints)[1:], strict=True
    ):
        assert body.v_start == their_joint.idx_v
        assert body.link.mass == pytest.approx(theirs.mass, rel=1e-14, abs=1e-14)
        if body.link.mass:
            np.testing.assert_allclose(body.link.com, theirs.lever, atol=1e-12)
        np.testing.assert_allclose(np.array(body.link.inertia), theirs.inertia, atol=1e-12)
        np.testing.assert_allclose(body.joint.origin.xyz, placement.translation, atol=1e-12)
        np.testing.assert_allclose(np.array(body.joint.origin.rotation), placement.rotation, atol=1e-12)
    names = {frame.name for frame in mechanism.frames} | {link.name for link in mechanism.links}
    assert {f.name for f in model.frames if f.type == pin.FrameType.BODY} - names <= {"universe", "world"}


MIMICS = {
    "baxter_description/urdf/baxter.urdf": 17,
    "panda_description/urdf/panda.urdf": 8,
    "pr2_description/urdf/pr2.urdf": 20,
    "talos_data/robots/talos_left_arm.urdf": 7,
    "talos_data/robots/talos_reduced.urdf": 32,
    "tiago_pro_description/robots/tiago_pro.urdf": 23,
}


@pytest.mark.filterwarnings("ignore:.*inertias that no body can have")
@pytest.mark.parametrize("file", [f for f in ROBOTS if short(f) in MIMICS], ids=short)
def test_mimics_are_followed_as_pinocchio_does(file):
    model, tree = pin.buildModelFromUrdf(str(file), mimic=True), load(file).tree
    assert tree.nv == model.nv == MIMICS[short(file)]
    for body in tree.bodies:
        joint = model.joints[model.getJointId(body.joint.name)]
        assert (body.v_start, body.nv) == (joint.idx_v, joint.nv)  # their continuous joints have two entries in q


def test_mimic_of_a_joint_that_the_file_lacks_is_refused():
    (file,) = (f for f in ROBOTS if f.stem == "alex_psyonic_hands")
    with pytest.raises(ModelError, match=r"urdf:\d+: <joint name='Left_index_q2'>: mimics 'index_q1'"):
        load(file)


def test_all_robots_are_there():
    assert len(ROBOTS) == 69


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "UTF-8", "UTF-16"])
def test_encodings_are_those_that_files_declare(tmp_path, encoding):
    file = tmp_path / "ball.urdf"
    text = f'<?xml version="1.0" encoding="{encoding}"?><robot name="Grün"><link name="a"/><link name="b"/>'
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'
    file.write_bytes((text + joint).encode(encoding))
    assert load(file).name == "Grün"


DRAKE = 'xmlns:d="http://drake.mit.edu"'
UNREAD = """<robot name="r"><link name="a"/>
<link name="b">{link}</link><gazebo reference="j">{gazebo}</gazebo>{robot}
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit effort="1" velocity="1"/>
{joint}</joint></robot>"""


@pytest.mark.parametrize(
    "where, text, told",
    [
        ("link", "<intertial/>", ":2: <intertial>: is not read in <link>; did you mean 'inertial'"),
        ("link", "<contact/>", ":2: <contact>: is not read in <link>"),
        ("link", "<collision><geometry/></collision>", ":2: <geometry>: holds no shape"),
        ("joint", "<dinamics/>", ":4: <dinamics>: is not read in <joint>; did you mean 'dynamics'"),
        ("joint", '<dynamics stiffness="3"/>', ":4: <dynamics>: the attribute 'stiffness' is not read"),
        ("joint", '<dynamics dampin="3"/>', "the attribute 'dampin' is not read; did you mean 'damping'"),
        ("robot", "<jiont/><jiont/>", r":2: <jiont>: is not read in <robot>; did you mean 'joint'\?? \(2 of them\)"),
        ("gazebo", "<springStiffness>3</springStiffness>", ":2: <springStiffness>: is not read .*reference='j'"),
        ("gazebo", "<turnGravityOff>true</turnGravityOff>", ":2: <turnGravityOff>: is not read"),
        ("gazebo", "<dampingFactor>0.5</dampingFactor>", ":2: <dampingFactor>: is not read .*reference='j'"),
        ("gazebo", "<velocity_decay><linear>.1</linear></velocity_decay>", "<velocity_decay>: is not read"),
        ("gazebo", '<joint name="k" type="fixed"/>', "<joint name='k'>: is not read .*reference='j'"),
        ("link", '<gazebo><joint name="k" type="fixed"/></gazebo>', r"<joint name='k'>: is not read \(<gazebo>\)"),
        ("robot", '<gazebo><link name="c"/></gazebo>', r":2: <link name='c'>: is not read \(<gazebo>\)"),
        ("robot", "<gazebo><static>true</static></gazebo>", r"<static>: is not read \(<gazebo>\)"),
        ("robot", "<gazebo><pose>0 0 1 0 0 0</pose></gazebo>", r"<pose>: is not read \(<gazebo>\)"),
        ("robot", f'<d:joint {DRAKE} name="k" type="ball"/>', ":2: <d:joint name='k'>: is not read"),
        ("robot", f"<d:linear_bushing_rpy {DRAKE}/>", "<d:linear_bushing_rpy>: is not read"),
        (
            "robot",
            f'<transmission><actuator><d:rotor_inertia {DRAKE} value="1"/></actuator></transmission>',
            "<d:rotor_inertia>: is not read",
        ),
    ],
)
def test_what_is_not_read_is_told(read, where, text, told):
    with pytest.warns(UserWarning, match=told) as found:
        read(UNREAD.format(**dict.fromkeys(("link", "gazebo", "robot", "joint"), "") | {where: text}))
    assert len(found) == 1


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_joints_without_the_limit_they_need_are_told(read, kind):
    text = UNREAD.format(link="", gazebo="", robot="", joint="").replace('<limit effort="1" velocity="1"/>', "")
    with pytest.warns(UserWarning, match=r":3: <joint name='j'>: has no <limit>.* without limits$") as found:
        mechanism = read(text.replace("revolute", kind))
    assert len(found) == 1 and mechanism.joints[0].limits == ((-np.inf, np.inf),)


def test_what_other_tools_read_is_quiet(read):
    """Elements of Gazebo, Drake, ros2_control and the like give no warning where they do not change the motion."""
    gazebo = (
        "<springStiffness>0</springStiffness><turnGravityOff>false</turnGravityOff><mu1>1</mu1><material>Red</material>"
    )
    gazebo += "<dampingFactor>0.00</dampingFactor><velocity_decay><!--none--><linear>0</linear></velocity_decay>"
    robot = '<transmission name="t"><joint name="j"/></transmission><ros2_control name="c" type="system"/><sensor/>'
    joint = '<calibration rising="0"/><safety_controller k_velocity="1"/>'
    robot += "<gazebo><static>false</static><pose>0 0 0.0 0 0 0</pose><plugin><joint>j</joint></plugin></gazebo>"
    robot += '<x:property xmlns:x="http://ros.org/wiki/macro" name="a" value="1"/>'
    drake = f'<d:collision_filter_group {DRAKE} name="g"/><d:rotor_inertia {DRAKE} value="0.0"/>'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read(UNREAD.format(link="<gravity>1</gravity>", gazebo=gazebo, robot=robot + drake, joint=joint))
    assert found.links and found.joints


TOUCHING = "<collision><geometry><box size='1 1 1'/></geometry></collision>" * 2
FOOT = """<robot name="r"><link name="foot">%s</link><link name="bare"/>
<joint name="j" type="fixed"><parent link="foot"/><child link="bare"/></joint>
<gazebo reference="foot">%s</gazebo></robot>"""


def test_friction_of_gazebo_is_that_of_the_links_shapes(read):
    """As <mu> of SDF; the last one holds."""
    for text, friction in (
        ("<mu1>0.05</mu1><mu2>.05</mu2><material>Red</material>", 0.05),
        ("<mu1 value='0.2'/><kp>1e12</kp><kd>1.0</kd><fdir1>0 0 0</fdir1><selfCollide>0</selfCollide>", 0.2),
        ("<mu1>1</mu1></gazebo><gazebo reference='foot'><mu1>0.3</mu1><mu2>0.3</mu2>", 0.3),
        ("</gazebo><gazebo><mu1>0.7</mu1></gazebo><gazebo reference='bare'><mu1>0.8</mu1><kp>1</kp>", 0.5),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            shapes = read(FOOT % (TOUCHING, text), root="free").link("foot").shapes
        assert [shape.friction for shape in shapes] == [friction] * 2
    for wrong, told in (("rough", "must be a number"), ("-1", "friction must not be negative"), ("${mu}", "expand it")):
        with pytest.raises(ModelError, match=rf"\.urdf:\d: .*{told}"):
            read(FOOT % (TOUCHING, f"<mu1>{wrong}</mu1>"))


@pytest.mark.parametrize(
    "text, told",
    [
        ("<mu1>0.05</mu1><mu2>0.1</mu2>", "mu2: not read; surfaces are rigid, with one friction in all directions$"),
        ("<mu2>0.1</mu2>", "mu2: not read"),
        ("<kp>1e6</kp><kd>100</kd><mu1>.05</mu1><minDepth>.001</minDepth>", "kp, kd, minDepth: not read"),
        ("<maxContacts>10</maxContacts><fdir1>1 0 0</fdir1>", "maxContacts, fdir1: not read"),
        ("<collision><surface><friction/></surface></collision>", "collision: not read"),
        ("<kp>9</kp></gazebo><gazebo reference='foot'><kp>9</kp>", r"kp: not read; .* \(2 of them\)$"),
    ],
)
def test_what_gazebo_says_of_contact_and_is_not_read_is_told_once(read, text, told):
    with pytest.warns(UserWarning, match=rf"robot\.urdf:3: <gazebo reference='foot'>: {told}") as found:
        shapes = read(FOOT % (TOUCHING, text), root="free").link("foot").shapes
    assert len(found) == 1 and shapes[0].friction == (0.05 if "mu1" in text else 0.5)
    with pytest.warns(UserWarning, match=r"<selfCollide>: is not read .*only with kg\.ContactRules\(within=True\)$"):
        read(FOOT % ("", "<selfCollide>true</selfCollide>"), root="free")


LOOP = """<gazebo><joint name="loop" type="revolute">{}<parent>b</parent><child>c</child><axis><xyz>0 0 2</xyz>
<dynamics><damping>0.5</damping></dynamics></axis></joint></gazebo>"""
BRANCHES = [
    *map(body, "abc"),
    joint(
        "ab",
        "revolute",
        "a",
        "b",
        '<origin xyz="1 0 0" rpy="0 0 0.5"/><axis xyz="0 0 1"/><limit effort="1" velocity="1"/>',
    ),
    joint("ac", "revolute", "a", "c", '<origin xyz="0 2 0"/><axis xyz="0 0 1"/><limit effort="1" velocity="1"/>'),
]


@pytest.mark.parametrize(
    "place, x, y, turn",
    [
        ("", 0, 2, 0),
        ("<pose>1 0 0 0 0 .3</pose>", 1, 2, 0.3),
        ('<pose relative_to="ab">.1 0 0 0 0 0</pose>', 1 + 0.1 * math.cos(0.5), 0.1 * math.sin(0.5), 0.5),
    ],
)
def test_joints_in_gazebo_close_loops(read, place, x, y, turn):
    """Where SDF puts them: in the child unless it says otherwise, the links where Pinocchio has them at q = 0."""
    made = read(robot(*BRANCHES, LOOP.format(place)), merge=False)
    loop = made.joint("loop")
    assert (made.tree.nv, len(made.virtual_links), loop.cut, loop.actuated) == (2, 1, True, False)
    assert (loop.kind, loop.axis, loop.damping, loop.parent, loop.child) == ("continuous", (0, 0, 1), (0.5,), "b", "c")
    oracle = pin.buildModelFromXML(robot(*BRANCHES))
    at = [oracle.jointPlacements[oracle.getJointId(name)].homogeneous for name in ("ab", "ac")]
    ends = [at[0] @ matrix(loop.origin), at[1] @ matrix(loop.child_origin)]
    stands = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, turn), np.array([x, y, 0.0])).homogeneous
    np.testing.assert_allclose(ends, [stands, stands], atol=1e-15)


def test_a_joint_in_gazebo_holds_the_root(read):
    held = '<gazebo><joint name="w" type="{}"><parent>world</parent><child>{}</child><axis/></joint></gazebo>'
    made = read(robot(*BRANCHES, held.format("prismatic", "a")), merge=False)
    first = made.joints[0]
    assert (first.name, first.kind, first.cut, len(made.joints)) == ("w", "prismatic", False, 3)
    assert read(robot(*BRANCHES, held.format("fixed", "b"))).joint("w").cut
    for text, words in {
        held.format("fixed", "a"): r":8: <joint name='w'>: holds the model to world; use root='fixed'",
        held.format("fixed", "d"): r":8: <joint name='w'>: names 'd', which is no link",
        held.format("gearbox", "a"): "is missing",
        LOOP.format("").replace("loop", "ab"): r":8: <joint name='ab'>: a second element of that name; .* line 6",
    }.items():
        with pytest.raises(ModelError, match=words):
            read(robot(*BRANCHES, text), root="free")
