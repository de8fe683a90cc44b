"""Poses, links, joints, shapes, and inertias of solids."""

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
    Joint,
    JointTemplate,
    Link,
    Mechanism,
    Pose,
    inertia,
)
from kinegen.codegen.mechanism.elements import joint_templates as templates
from kinegen.codegen.mechanism.geometry import shapes
from support.mechanisms.small_mechanisms import BOX, chain

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
    bounds = ((-1.0, 1.0), (-math.inf, math.inf))
    for free in ((None, None), None):
        assert Joint("j", "universal", "world", "a", limits=[(-1, 1), free]).limits == bounds
    assert Joint("j", "cylindrical", "world", "a", limits=(None, None)).limits == (bounds[1],) * 2
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
