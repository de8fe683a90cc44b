"""Poses, links, joints, the spanning tree, mimics, merging and inertias."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import sympy

from kinegen.codegen.mechanism import (
    KINDS,
    NEUTRAL,
    SIZES,
    Frame,
    Joint,
    JointTemplate,
    Link,
    Mechanism,
    Mimic,
    Pose,
    inertia,
    merge_fixed,
)
from kinegen.codegen.mechanism.elements import joint_templates as templates
from kinegen.codegen.mechanism.geometry import shapes
from kinegen.codegen.mechanism.structure.rigid import rigid_inertia
from kinegen.runtime.errors import ModelError

BOX = inertia.box(1.0, (0.1, 0.2, 0.3))


def link(name, mass=1.0):
    return Link(name, mass, (0.0, 0.0, 0.1), BOX)


def chain(*joints, frames=()):
    """A mechanism whose links are all that the joints (name, parent, child[, options]) mention."""
    made = [Joint(n, o.pop("kind", "revolute"), p, c, **o) for n, p, c, o in ((*j, {})[:4] for j in joints)]
    names = dict.fromkeys(x for j in made for x in (j.parent, j.child) if x != "world")
    return Mechanism("m", [link(n) for n in names], made, frames=frames)


# poses


def test_rpy_turns_about_fixed_axes():
    roll, pitch, yaw = 0.3, -0.5, 1.1
    x = np.array([[1, 0, 0], [0, math.cos(roll), -math.sin(roll)], [0, math.sin(roll), math.cos(roll)]])
    y = np.array([[math.cos(pitch), 0, math.sin(pitch)], [0, 1, 0], [-math.sin(pitch), 0, math.cos(pitch)]])
    z = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
    np.testing.assert_allclose(np.array(Pose(rpy=(roll, pitch, yaw)).rotation), z @ y @ x, atol=1e-15)


@pytest.mark.parametrize("angles", list(itertools.product((0.0, math.pi / 2, -math.pi / 2, math.pi), repeat=3)))
def test_right_angles_are_exact(angles):
    assert {value for row in Pose(rpy=angles).rotation for value in row} <= {0.0, 1.0, -1.0}


def test_compose_and_invert():
    a, b = Pose((1, 2, 3), (0.1, 0.2, 0.3)), Pose((-1, 0.5, 0), (1, -2, 0.5))
    left, right = np.array(a.rotation), np.array(b.rotation)
    np.testing.assert_allclose((a * b).xyz, left @ b.xyz + a.xyz, atol=1e-15)
    np.testing.assert_allclose((a * b).rotation, left @ right, atol=1e-15)
    back = a * a.inverse()
    np.testing.assert_allclose(back.xyz, 0, atol=1e-15)
    assert back.rotation == Pose().rotation


def test_symbolic_pose():
    a, x = sympy.symbols("a x", real=True)
    pose = Pose((x, 0, 0), (0, 0, a))
    assert not pose.numeric and pose.free_symbols == {a, x}
    assert pose.rotation[0] == (sympy.cos(a), -sympy.sin(a), 0.0)
    assert Pose((1, 0, 0)).numeric
    assert (Pose((1, 0, 0)) * pose).xyz[1:] == (0.0, 0.0)
    assert Pose(rpy=(0, 0, sympy.pi / 2)) == Pose(rpy=(0, 0, math.pi / 2))


def test_rotation_of_six_digits_is_made_exact():
    s = 0.7071068
    rotation = np.array(Pose(rotation=((s, -s, 0), (s, s, 0), (0, 0, 1))).rotation)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-15)


# links


def test_inertia_as_six_numbers_matrix_numpy_and_sympy():
    six, full = (3.0, 0.1, 0.2, 4.0, 0.3, 5.0), [[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]]
    made = [
        Link("a", 1, inertia=value).inertia for value in (six, full, np.array(full), sympy.Matrix(full), np.array(six))
    ]
    assert all(value == made[0] for value in made)
    assert isinstance(made[2][0][0], float)


def test_symbols_pass_wherever_numbers_do():
    m, d, k, x, p = sympy.symbols("m d k x p", positive=True)
    body = Link("a", m, (x, 0, 0), inertia.box(m, (x, 1, 1)))
    joint = Joint(
        "j", "helical", "world", "a", Pose((x, 0, 0)), axis=(x, 0, 1), pitch=p, damping=d, stiffness=k, rest=x
    )
    mechanism = Mechanism("s", [body], [joint], gravity=(0, 0, -sympy.Symbol("g")))
    assert [s.name for s in mechanism.parameters] == ["d", "g", "k", "m", "p", "x"]
    assert joint.axis == (x, 0.0, 1.0) and joint.damping == (d,)


def test_values_are_frozen_and_replaceable():
    joint = Joint("j", "revolute", "world", "a", limits=(-1, 1), damping=0.1, effort_limit=5)
    with pytest.raises(AttributeError):
        joint.name = "k"
    assert replace(joint) == joint and replace(joint, name="k").limits == ((-1.0, 1.0),)
    assert hash(joint) == hash(replace(joint))
    mechanism = chain(("j", "world", "a"))
    assert replace(mechanism) == mechanism and replace(mechanism, name="n").tree == mechanism.tree


# joints


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_normalises_its_options(kind):
    nq, nv = SIZES[kind]
    made = Joint("j", kind, "world", "a", pitch=0.1 if kind == "helical" else 0, damping=0.5 if nv else 0)
    assert made.damping == (0.5,) * nv and made.armature == (0.0,) * nv
    assert made.rest == NEUTRAL[kind] and len(made.lower) == len(made.upper) == nq
    assert made.velocity == made.effort == (math.inf,) * nv
    assert made.actuated == (kind not in ("fixed", "free"))


def test_axes():
    assert Joint("j", "revolute", "world", "a").axis == (0.0, 0.0, 1.0)
    universal = Joint("j", "universal", "world", "a")
    assert (universal.axis, universal.axis2) == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    assert Joint("j", "revolute", "world", "a", axis=(0, 1e-14, -2)).axis == (0.0, 0.0, -1.0)
    assert math.hypot(*Joint("j", "prismatic", "world", "a", axis=(1, 2, 3)).axis) == pytest.approx(1, abs=1e-15)


def test_limits_in_every_form():
    assert Joint("j", "revolute", "world", "a", limits=(-1, 2)).limits == ((-1.0, 2.0),)
    assert Joint("j", "revolute", "world", "a", limits=(None, 2)).lower == (-math.inf,)
    two = Joint("j", "universal", "world", "a", limits=[(-1, 1), (None, None)])
    assert two.lower == (-1.0, -math.inf) and two.upper == (1.0, math.inf)


def test_templates_make_joints():
    hinge = templates.revolute(axis=(0, 1, 0), damping=0.2)
    assert hinge == JointTemplate("revolute", (("axis", (0, 1, 0)), ("damping", 0.2)))
    made = hinge.joint("grip", "hand", "bar", child_origin=Pose((1, 0, 0)))
    assert (made.name, made.parent, made.child, made.axis) == ("grip", "hand", "bar", (0.0, 1.0, 0.0))
    for kind in KINDS:
        assert getattr(templates, kind)(**({"pitch": 1.0} if kind == "helical" else {})).kind == kind


def test_shapes():
    assert shapes.box((1, 2, 3)).size == (1.0, 2.0, 3.0)
    assert shapes.mesh("../../x.stl", scale=(1, -1, 1)).file == "../../x.stl"
    ball = shapes.sphere(0.1, pose=Pose((0, 0, 1)), friction=0.8, restitution=0.2)
    assert Link("a", 1, inertia=BOX, shapes=[ball]).shapes == (ball,)
    assert (
        shapes.plane().size == () and shapes.cylinder(1, 2).kind == "cylinder" and shapes.capsule(1, 0).size == (1, 0)
    )


# spanning tree


def tree_of(mechanism):
    return [(b.link.name, b.joint.name, b.parent, b.q_start, b.v_start, b.nq, b.nv) for b in mechanism.tree.bodies]


def test_depth_first_siblings_in_listed_order():
    mechanism = chain(("c", "b", "c"), ("d", "a", "d"), ("a", "world", "a", {"kind": "free"}), ("b", "a", "b"))
    assert [b.link.name for b in mechanism.tree.bodies] == ["a", "d", "b", "c"]
    assert tree_of(mechanism) == [
        ("a", "a", -1, 0, 0, 7, 6),
        ("d", "d", 0, 7, 6, 1, 1),
        ("b", "b", 0, 8, 7, 1, 1),
        ("c", "c", 2, 9, 8, 1, 1),
    ]
    assert (mechanism.tree.nq, mechanism.tree.nv) == (10, 9)


FOURBAR = [
    ("pivot", "world", "crank"),
    ("j2", "crank", "coupler"),
    ("j3", "coupler", "rocker"),
    ("j4", "world", "rocker"),
]


def test_second_way_to_a_link_closes_a_loop():
    mechanism = chain(*FOURBAR)
    (virtual,) = mechanism.virtual_links
    assert (virtual.name, virtual.real, virtual.joint.name) == ("rocker_v", "rocker", "j4")
    assert (mechanism.tree.nq, mechanism.tree.nv) == (3, 3)


def test_cut_is_made_where_asked():
    joints = [*FOURBAR[:2], (*FOURBAR[2], {"cut": True}), FOURBAR[3]]
    (virtual,) = chain(*joints).virtual_links
    assert virtual.joint.name == "j3"


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[::5])
def test_any_order_gives_a_tree_and_one_loop(order):
    tree = chain(*(FOURBAR[i] for i in order)).tree
    assert len(tree.bodies) == 3 and len(tree.virtual_links) == 1
    assert all(body.parent < body.index for body in tree.bodies)


def test_virtual_names_never_collide():
    mechanism = chain(("a", "world", "x"), ("b", "world", "x_v"), ("c", "x_v", "x"), ("d", "world", "x"))
    assert [v.name for v in mechanism.virtual_links] == ["x_v2", "x_v3"]


def test_long_chain_in_reverse_order():
    n = 2000
    names = ["world", *(f"l{i}" for i in range(n))]
    mechanism = Mechanism(
        "long",
        [Link(x, 1) for x in names[1:]],
        [Joint(b, "revolute", a, b) for a, b in itertools.pairwise(names)][::-1],
    )
    assert [b.link.name for b in mechanism.tree.bodies] == names[1:]


# mimics


def test_mimic_has_no_coordinate():
    mechanism = chain(
        ("follower", "world", "b", {"mimic": Mimic("leader", 2.0, 0.5)}),
        ("leader", "b", "a", {}),
        ("last", "a", "c", {}),
    )
    assert tree_of(mechanism)[0] == ("b", "follower", -1, 0, 0, 0, 0)
    assert (mechanism.tree.nq, mechanism.tree.nv) == (2, 2)
    assert not mechanism.joint("follower").actuated


def test_mimic_of_mimic_is_resolved():
    mechanism = chain(
        ("a", "world", "a", {}),
        ("c", "a", "c", {"mimic": Mimic("b", 3.0, 1.0)}),
        ("b", "c", "b", {"mimic": Mimic("a", 2.0, 0.5)}),
    )
    assert mechanism.tree.bodies[1].joint.mimic == Mimic("a", 6.0, 2.5)


def test_leader_feels_what_acts_at_its_follower():
    """Potential and dissipation of leader and follower together equal those of the joint that the tree has."""
    mechanism = chain(
        ("a", "world", "a", {"damping": 1.0, "stiffness": 2.0, "rest": 0.3, "friction": 0.1, "armature": 0.2}),
        ("b", "a", "b", {"damping": 0.5, "stiffness": 4.0, "rest": -0.2, "friction": 0.3, "armature": 0.1,
                         "mimic": Mimic("a", -2.0, 0.7)}),
    )  # fmt: skip
    leader, follower = (body.joint for body in mechanism.tree.bodies)
    assert leader.damping == (1.0 + 4 * 0.5,) and leader.armature == (0.2 + 4 * 0.1,)
    assert leader.friction == (pytest.approx(0.1 + 2 * 0.3),)
    assert follower.damping == follower.stiffness == follower.friction == follower.armature == (0.0,)
    for q in (-1.0, 0.0, 2.0):
        torque = 2.0 * (q - 0.3) + -2.0 * 4.0 * (-2.0 * q + 0.7 + 0.2)
        assert leader.stiffness[0] * (q - leader.rest[0]) == pytest.approx(torque)


# merging


def cloud(rng, n=6):
    return rng.uniform(0.1, 1, n), rng.normal(size=(n, 3))


def link_of(name, masses, points):
    com = masses @ points / masses.sum()
    d = points - com
    moments = np.einsum("i,ij,ij->", masses, d, d) * np.eye(3) - np.einsum("i,ij,ik->jk", masses, d, d)
    return Link(name, masses.sum(), com, moments)


def test_merged_links_are_the_union_of_their_points():
    rng = np.random.default_rng(1)
    (m1, p1), (m2, p2), (m3, p3) = cloud(rng), cloud(rng), cloud(rng)
    one, two = Pose((1, 2, 3), (0.3, 0.2, 0.1)), Pose((0, -1, 0.5), (1, 0, -1))
    mechanism = Mechanism(
        "m",
        [link_of("a", m1, p1), link_of("b", m2, p2), link_of("c", m3, p3), Link("end", 1, (0, 0, 0), BOX)],
        [
            Joint("r", "free", "world", "a"),
            Joint("f", "fixed", "a", "b", origin=one),
            Joint("g", "fixed", "b", "c", origin=two, child_origin=one),
            Joint("h", "revolute", "c", "end", origin=two),
        ],
        frames=[Frame("tip", "c", two)],
    )
    merged = merge_fixed(mechanism)
    pose_c = one * two * one.inverse()
    world = [p @ np.array(pose.rotation).T + pose.xyz for p, pose in ((p1, Pose()), (p2, one), (p3, pose_c))]
    expected = link_of("a", np.concatenate([m1, m2, m3]), np.concatenate(world))
    found = merged.link("a")
    assert found.mass == pytest.approx(expected.mass)
    np.testing.assert_allclose(found.com, expected.com, atol=1e-14)
    np.testing.assert_allclose(found.inertia, expected.inertia, atol=1e-12)
    frames = {frame.name: frame for frame in merged.frames}
    assert set(frames) == {"b", "c", "tip"} and all(frame.link == "a" for frame in frames.values())
    np.testing.assert_allclose(frames["tip"].pose.xyz, (pose_c * two).xyz, atol=1e-14)
    np.testing.assert_allclose(merged.joint("h").origin.xyz, (pose_c * two).xyz, atol=1e-14)
    assert [joint.name for joint in merged.joints] == ["r", "h"]


def test_merge_with_symbols_equals_merge_of_numbers():
    m, x = sympy.symbols("m x", positive=True)
    parts = lambda m, x: [  # noqa: E731
        (Link("a", m, (x, 0, 0), inertia.rod(m, x)), Pose()),
        (Link("b", 2.0, (0, 0.1, 0), BOX), Pose((0, x, 0), (0.1, 0.2, 0.3))),
    ]
    symbolic, numeric = rigid_inertia(parts(m, x)), rigid_inertia(parts(0.7, 0.4))
    at = {m: 0.7, x: 0.4}
    assert float(symbolic[0].subs(at)) == pytest.approx(numeric[0])
    np.testing.assert_allclose(np.array(sympy.Matrix(symbolic[1]).subs(at), float).ravel(), numeric[1], atol=1e-15)
    np.testing.assert_allclose(np.array(sympy.Matrix(symbolic[2]).subs(at), float), numeric[2], atol=1e-14)


def test_links_fixed_to_world_become_frames_of_world():
    mechanism = chain(("f", "world", "base", {"kind": "fixed", "origin": Pose((0, 0, 1))}), ("j", "base", "arm"))
    merged = merge_fixed(mechanism)
    assert [x.name for x in merged.links] == ["arm"]
    assert merged.frames == (Frame("base", "world", Pose((0, 0, 1))),)
    assert merged.joint("j").parent == "world" and merged.joint("j").origin.xyz == (0.0, 0.0, 1.0)
    assert merge_fixed(merged) == merged


def test_shapes_move_with_their_links():
    ball = shapes.sphere(0.1)
    mechanism = Mechanism(
        "m",
        [Link("base", shapes=[ball]), link("arm"), Link("tool", shapes=[ball])],
        [
            Joint("f", "fixed", "world", "base", Pose((0, 0, 1))),
            Joint("j", "revolute", "base", "arm"),
            Joint("g", "fixed", "arm", "tool", Pose((1, 0, 0))),
        ],
        shapes=[shapes.plane()],
    )
    merged = merge_fixed(mechanism)
    assert [s.kind for s in merged.shapes] == ["plane", "sphere"] and merged.shapes[1].pose.xyz == (0.0, 0.0, 1.0)
    assert merged.link("arm").shapes[0].pose.xyz == (1.0, 0.0, 0.0)
    assert merged.link("arm").mass == 1.0 and merged.link("arm").inertia == link("arm").inertia


def test_loops_stay_where_they_were_cut():
    joints = [(n, p.replace("world", "ground"), c) for n, p, c in FOURBAR]
    mechanism = chain(*joints, ("weld", "world", "ground", {"kind": "fixed"}))
    merged = merge_fixed(mechanism)
    assert [v.joint.name for v in merged.virtual_links] == ["j4"]
    assert [v.joint.parent for v in merged.virtual_links] == ["world"]
    to_ground = chain(*joints[:3], ("j4", "rocker", "ground"), ("weld", "world", "ground", {"kind": "fixed"}))
    kept = merge_fixed(to_ground)
    assert [b.link.name for b in kept.tree.bodies] == ["ground", "crank", "coupler", "rocker"]


# inertias


def solid(inside, half):
    """(3, 3) inertia of unit mass by a midpoint grid over the box of half edges `half`."""
    axes = [np.linspace(-h, h, 121)[:-1] + h / 120 for h in half]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    points = points[inside(points)]
    return (np.einsum("ij,ij->", points, points) * np.eye(3) - points.T @ points) / len(points)


@pytest.mark.parametrize(
    ("formula", "inside", "half"),
    [
        (inertia.box(1, (0.4, 0.6, 1.0)), lambda p: p[:, 0] < 9, (0.2, 0.3, 0.5)),
        (inertia.sphere(1, 0.5), lambda p: (p**2).sum(1) < 0.25, (0.5, 0.5, 0.5)),
        (inertia.cylinder(1, 0.3, 1.0), lambda p: (p[:, :2] ** 2).sum(1) < 0.09, (0.3, 0.3, 0.5)),
        (
            inertia.capsule(1, 0.3, 1.0),
            lambda p: (p[:, :2] ** 2).sum(1) + np.maximum(abs(p[:, 2]) - 0.5, 0) ** 2 < 0.09,
            (0.3, 0.3, 0.8),
        ),
    ],
    ids=["box", "sphere", "cylinder", "capsule"],
)
def test_inertia_equals_the_integral_over_the_solid(formula, inside, half):
    np.testing.assert_allclose(formula, solid(inside, half), rtol=3e-3, atol=1e-12)


def test_inertia_along_any_axis():
    assert inertia.rod(12.0, 1.0) == ((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    turn = np.array(Pose(rpy=(0.3, 0.7, 0)).rotation)
    expected = turn @ np.array(inertia.cylinder(2.0, 0.3, 1.0)) @ turn.T
    np.testing.assert_allclose(inertia.cylinder(2.0, 0.3, 1.0, axis=turn[:, 2]), expected, atol=1e-15)
    m, r = sympy.symbols("m r", positive=True)
    assert sympy.simplify(inertia.sphere(m, r)[0][0] - sympy.Rational(2, 5) * m * r**2) == 0


# dynamics


def test_check_dynamics_names_the_joint_that_moves_nothing():
    joints = [Joint("a", "revolute", "world", "x"), Joint("b", "revolute", "x", "y")]
    with pytest.raises(ModelError, match="joint 'b'"):
        Mechanism("m", [link("x"), Link("y")], joints).check_dynamics()
    Mechanism("m", [Link("x"), link("y")], joints).check_dynamics()
    Mechanism("m", [link("x"), Link("y")], [joints[0], replace(joints[1], armature=0.1)]).check_dynamics()
    Mechanism("m", [link("x"), Link("y", sympy.Symbol("m"), (1, 0, 0))], joints).check_dynamics()
    with pytest.raises(ModelError, match="joint 'b'"):
        Mechanism("m", [link("x"), Link("y", 1.0, (0, 0, 1))], joints).check_dynamics()  # a point on the axis
    follower = replace(joints[1], mimic=Mimic("a"))
    Mechanism("m", [Link("x"), link("y")], [joints[0], follower]).check_dynamics()


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "fixed"])
def test_check_dynamics_of_every_kind(kind):
    joint = templates.JointTemplate(kind, (("pitch", 0.1),) if kind == "helical" else ()).joint("j", "world", "a")
    Mechanism("m", [link("a")], [joint]).check_dynamics()
    with pytest.raises(ModelError, match="joint 'j'"):
        Mechanism("m", [Link("a")], [joint]).check_dynamics()
    if kind in ("free", "spherical"):  # a point has no inertia about itself
        with pytest.raises(ModelError, match="singular"):
            Mechanism("m", [Link("a", 1.0)], [joint]).check_dynamics()
