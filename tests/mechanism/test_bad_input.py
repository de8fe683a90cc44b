"""Malformed and unphysical descriptions: every case with words that its error must contain. Add a row to add a case."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
import sympy.physics.units

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
    merge_fixed,
)
from kinegen.codegen.mechanism.elements import joint_templates as templates
from kinegen.codegen.mechanism.geometry import shapes
from kinegen.codegen.mechanism.geometry.meshes import find_mesh
from kinegen.runtime.errors import ModelError

NAN, INF = math.nan, math.inf
BOX = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
M = sympy.Symbol("m", positive=True)
X = sympy.Symbol("x")
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
    "infinite times a symbol": (
        lambda: link(mass=sympy.oo * sympy.Symbol("k")),
        r"link 'a': mass must be finite, got oo\*k",
    ),
    "negative symbolic mass": (lambda: link(mass=-M), "mass must not be negative"),
    "NaN mass": (lambda: link(mass=NAN), "link 'a': mass must be finite, got nan"),
    "infinite mass": (lambda: link(mass=np.inf), "link 'a': mass must be finite"),
    "mass as text": (lambda: link(mass="1"), "mass must be a number or a SymPy expression, got '1'"),
    "mass as truth": (lambda: link(mass=True), "mass must be a number"),
    "complex mass": (lambda: link(mass=sympy.I), "mass must be a finite real number"),
    "imaginary symbol": (lambda: link(mass=IMAGINARY), "is not real"),
    "derivative not carried out": (
        lambda: link(mass=sympy.Derivative(M**2, M)),
        r"link 'a': mass: Derivative\(m\*\*2, m\) is SymPy's Derivative, .* give what \.doit\(\) makes of it",
    ),
    "integral within": (lambda: link(com=(0, 0, 1 + M * sympy.Integral(X * M, (X, 0, 1)))), r"com\[2\]: Integral"),
    "integral of numbers": (lambda: link(mass=M * sympy.cbrt(sympy.Integral(X, (X, 0, 1)))), "mass: Integral"),
    "element of a matrix": (lambda: link(mass=sympy.MatrixSymbol("X", 2, 2)[0, 0]), "SymPy's MatrixElement"),
    "Lambda for a number": (lambda: link(mass=sympy.Lambda(X, X)), "mass: Lambda"),
    "unit of SymPy": (lambda: link(mass=3 * sympy.physics.units.kilogram), "mass: kilogram is SymPy's Quantity"),
    "a complex root": (lambda: link(mass=M * sympy.cbrt(-2)), r"mass: \(-2\)\*\*\(1/3\) is not real"),
    "unknown function": (lambda: joint(damping=sympy.gamma(M)), r"joint 'j': damping: no function 'gamma' in gamma"),
    "a complex symbol": (
        lambda: link(mass=sympy.Abs(sympy.exp(X))),
        r"no function 're' in re\(x\); .*; declare its symbols with real=True",
    ),
    "pieces in a mass": (
        lambda: link(mass=sympy.Max(M, 1)),
        "no function 'Max' in .*; there are: sqrt, sin, .*; Max may stand in motions of joints",
    ),
    "SymPy infinity": (lambda: link(mass=sympy.oo), "finite"),
    "mass of 5,000 digits": (lambda: link(mass=10**5000), "mass must be finite, got inf"),
    "mass of another world": (lambda: link(mass=1e41), r"mass must be at most 1e\+40 in size"),
    "infinite factor": (lambda: link(mass=sympy.Float("1e400") * M), r"a number in it is larger than 1e\+40"),
    "SymPy infinity in a sum": (lambda: link(com=(0, 0, M + sympy.Symbol("x") * sympy.oo)), "must be finite"),
    "com nested without end": (lambda: link(com=DEEP), r"3 numbers, got 1: (<too long or too deep|\[{70,}\.\.\.)"),
    "com of many digits": (lambda: link(com=(10**5000,) * 4), "3 numbers, got 4: <too long or too deep"),
    "NaN in com": (lambda: link(com=(0, NAN, 0)), r"com\[1\] must be finite"),
    "com of two": (lambda: link(com=(0, 0)), "com must be 3 numbers, got 2"),
    "com as text": (lambda: link(com="0 0 0"), "com must be 3 numbers"),
    "inertia of four": (lambda: link(inertia=(1, 1, 1, 1)), "3x3, or the six numbers"),
    "inertia of one": (lambda: link(inertia=3.0), "3x3, or the six numbers"),
    "ragged inertia": (lambda: link(inertia=[[1, 0], [0, 1], [0, 0]]), r"inertia\[0\] must be 3 numbers"),
    "NaN in inertia": (lambda: link(inertia=(1, 0, 0, NAN, 0, 1)), r"inertia\[3\] must be finite"),
    "inertia of three": (
        lambda: link(inertia=(1, 2, 3)),
        r"3x3, or the six numbers .*, got \(1, 2, 3\); principal moments a, b, c are \(a, 0, 0, b, 0, c\)",
    ),
    "matrix for three numbers": (lambda: link(com=sympy.Matrix([[0, M], [0, 1]])), "com must be 3 numbers, got 4: "),
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
    "child is world": (lambda: joint(parent="a", child="world"), "'world' cannot be a child; swap .* or give cut=True"),
    "zero axis": (lambda: joint(axis=(0, 0, 0)), "axis is zero"),
    "NaN axis": (lambda: joint(axis=(0, 0, NAN)), r"axis\[2\] must be finite"),
    "axis of four": (lambda: joint(axis=(0, 0, 0, 1)), "axis must be 3 numbers, got 4"),
    "axis of a ball": (lambda: joint(kind="spherical", axis=(1, 0, 0)), "turn `origin` instead"),
    "tilted planar joint": (lambda: joint(kind="planar", axis=(1, 0, 0)), "turn `origin` instead"),
    "axis2 of a hinge": (lambda: joint(axis2=(1, 0, 0)), r"takes no axis2, got .*; a universal joint has two"),
    "parallel axes": (lambda: joint(kind="universal", axis=(0, 1, 0), axis2=(0, -2, 0)), "axis and axis2 are parallel"),
    "screw without pitch": (lambda: joint(kind="helical"), "needs a pitch"),
    "pitch of a hinge": (lambda: joint(pitch=1), "only a helical joint has a pitch"),
    "lower above upper": (lambda: joint(limits=(1, -1)), "lower 1.0 is greater than upper -1.0; swap"),
    "NaN limit": (lambda: joint(limits=(NAN, 1)), "limits must be finite"),
    "one limit": (lambda: joint(limits=(1,)), "limits must be 2 numbers"),
    "limit as a number": (lambda: joint(limits=1.0), "limits must be"),
    "symbolic limit": (lambda: joint(limits=(0, M)), "must be a constant, got the symbolic m"),
    "limits of a ball": (lambda: joint(kind="spherical", limits=[(-1, 1)] * 4), "takes no limits"),
    "three limits of a ball": (lambda: joint(kind="spherical", limits=[(-1, 1)] * 3), "takes no limits"),
    "too many limits": (lambda: joint(kind="universal", limits=[(-1, 1)] * 3), "must be 2 pairs, got 3"),
    "one pair for two angles": (
        lambda: joint(kind="universal", limits=(-0.2, 0.2)),
        r"'j': limits must be 2 pairs, \(lower, upper\) or None for each coordinate, got \(-0.2, 0.2\)",
    ),
    "one pair among three numbers": (lambda: joint(kind="gimbal", limits=((-1, 1), 0, 1)), "limits must be 3 pairs, "),
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
    "template with too short a rest": (
        lambda: templates.cylindrical(rest=(0.1,)),
        "joint 'cylindrical': rest must be 2",
    ),
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


def test_turns_about_a_repeated_axis_are_three_joints() -> None:
    euler = ((0, 0, 1), (1, 0, 0), (0, 0, 1))
    advice = r"; make Euler's angles about z, x, z of three revolute joints, the middle one with a start= off 0"
    with pytest.raises(ModelError, match=rf"plane; .*{advice}"):
        joint(kind="gimbal", axes=euler)
    with pytest.raises(ModelError, match=r"a cartesian joint needs three directions$"):
        joint(kind="cartesian", axes=euler)


def test_rows_and_columns_of_sympy_are_lists() -> None:
    column = sympy.Matrix([0, 0, M])
    for vector in (column, column.T, sympy.ImmutableMatrix(column)):
        made = Link("a", 1.0, com=vector, inertia=sympy.Matrix(BOX))
        assert made == Link("a", 1.0, com=(0, 0, M), inertia=BOX)
        turning = joint(origin=Pose(vector), axis=(0, 0, 1), kind="spherical", damping=vector)
        assert turning == joint(origin=Pose((0, 0, M)), axis=(0, 0, 1), kind="spherical", damping=(0, 0, M))


def test_arrays_without_axes_are_numbers_and_no_lists() -> None:
    """NumPy gives such for a single result; each is told by name where several entries are asked for."""
    single, link = np.array(0.1), Link("a", 1.0, inertia=(1, 0, 0, 1, 0, 1))
    joint = Joint("j", "revolute", "world", "a", damping=single, stiffness=single, rest=single, armature=single)
    assert joint.damping == joint.stiffness == joint.rest == joint.armature == (0.1,)
    for make, words in (
        (lambda: Joint("j", "revolute", "world", "a", axis=single), "axis must be 3 numbers"),
        (lambda: Joint("j", "revolute", "world", "a", limits=single), "limits must be 2 numbers"),
        (lambda: Joint("j", "gimbal", "world", "a", axes=single), "must be 3 directions"),
        (lambda: Link("a", 1.0, inertia=single), "must be 3x3"),
        (lambda: Link("a", 1.0, shapes=single), "shapes must be a list"),
        (lambda: Mechanism("m", single, []), "links must be a list of Link"),
        (lambda: Mechanism("m", [link], [joint], gravity=single), "gravity must be 3 numbers"),
        (lambda: Mechanism("m", [link], [joint], excluded=single), "excluded must be pairs"),
        (lambda: Pose(single), "pose xyz must be 3 numbers"),
        (lambda: Pose(np.ma.masked_array(np.ones(3), [1, 0, 0])), r"xyz\[0\] must be a number"),
    ):
        with pytest.raises(ModelError, match=words):
            make()
